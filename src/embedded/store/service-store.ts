import { join } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import { publish, replaceFile } from '../../host/publish.ts'
import type { Random } from '../../host/random.ts'
import { sha256 as hashOf } from '../../host/sha256.ts'
import type { Put, Tables } from './records.ts'

/**
 * The service's storage: records by kind and id, and bytes by SHA-256.
 *
 * The whole process sees a commit at once. It is durable after {@link Store.flushed}, and an answer waits for
 * that, so a crash loses nothing that a client has seen.
 */
export interface Store {
  table<Kind extends keyof Tables>(kind: Kind): ReadonlyMap<string, Tables[Kind]>
  /** Stores all records or none. */
  commit(puts: readonly Put[]): void
  /**
   * Resolves when all earlier commits are durable. After a failed write it always rejects; the service must
   * then be restarted.
   */
  flushed(): Promise<void>
  /**
   * Stores bytes durably.
   *
   * @returns Their SHA-256, hexadecimal.
   */
  keep(bytes: Uint8Array): Promise<string>
  /**
   * Reads stored bytes.
   *
   * @throws `SW_DISK` if they are missing or damaged.
   */
  bytes(sha256: string): Promise<Uint8Array>
}

type AnyTables = { [Kind in keyof Tables]: Map<string, Tables[Kind]> }

const kinds: readonly (keyof Tables)[] = ['secret', 'account', 'key', 'upload', 'execution', 'idempotency', 'event']

function emptyTables(): AnyTables {
  return Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as AnyTables
}

/** Fields that records of an older version of this service lack. */
const laterFields: { readonly [Kind in keyof Tables]?: Partial<Tables[Kind]> } = {
  execution: { answers: [], question: null, followedBy: null, isDeleted: false },
}

function apply(tables: AnyTables, puts: readonly Put[]): void {
  for (const [kind, id, value] of puts) (tables[kind] as Map<string, unknown>).set(id, { ...laterFields[kind], ...value })
}

/** Where the commits and the bytes of a store go. */
interface Medium {
  /** Appends commits durably. */
  append(commits: readonly (readonly Put[])[]): Promise<void>
  keep(sha256: string, bytes: Uint8Array): Promise<unknown>
  /** Kept bytes, or undefined if there are none. */
  find(sha256: string): Promise<Uint8Array | undefined>
}

/** Creates a store that ends with the process. */
export function createMemoryStore(): Store {
  const objects = new Map<string, Uint8Array>()
  return createStore(emptyTables(), {
    append: async () => {},
    keep: async (sha256, bytes) => objects.set(sha256, bytes.slice()),
    find: async (sha256) => objects.get(sha256),
  })
}

/**
 * Opens a store in a folder: `log.jsonl`, one line for each commit, and `objects/<sha256>`. It survives a
 * crash at any moment. Only one process can use the folder.
 *
 * Every start shortens the log: it folds all records and writes them again. A torn last line belongs to a
 * commit that no client has seen, and is dropped.
 *
 * @throws `SW_DISK` if the log is damaged before its last line.
 */
export async function openStore(disk: Disk, random: Random, folder: string): Promise<Store> {
  const log = join(folder, 'log.jsonl')
  const tables = emptyTables()
  for (const puts of await readLog(disk, log)) apply(tables, puts)
  const records = kinds.flatMap((kind) => [...tables[kind]].map(([id, value]) => [[kind, id, value] as Put]))
  await replaceFile(disk, random, log, linesOf(records))
  const place = (sha256: string): string => join(folder, 'objects', sha256)
  return createStore(tables, {
    append: (commits) => disk.append(log, linesOf(commits)),
    keep: (sha256, bytes) => publish(disk, random, place(sha256), bytes),
    find: async (sha256) => ((await disk.stat(place(sha256))) === undefined ? undefined : disk.read(place(sha256))),
  })
}

function createStore(tables: AnyTables, medium: Medium): Store {
  const waiting: (readonly Put[])[] = []
  let last: Promise<void> = Promise.resolve()
  // Commits that arrive during a write share the next write and its sync.
  const write = (): Promise<void> => medium.append(waiting.splice(0))
  return {
    table: (kind) => tables[kind],
    commit: (puts) => {
      apply(tables, puts)
      waiting.push(puts)
      if (waiting.length > 1) return
      last = last.then(write)
      // Callers that need the write await `flushed`, which rejects. This handler only prevents an unhandled
      // rejection.
      last.catch(() => {})
    },
    flushed: () => last,
    keep: async (bytes) => {
      const sha256 = hashOf(bytes)
      await medium.keep(sha256, bytes)
      return sha256
    },
    bytes: async (sha256) => {
      const found = await medium.find(sha256)
      if (found === undefined || hashOf(found) !== sha256) throw missing(sha256)
      return found
    },
  }
}

async function readLog(disk: Disk, log: string): Promise<Put[][]> {
  if ((await disk.stat(log)) === undefined) return []
  const lines = new TextDecoder().decode(await disk.read(log)).split('\n')
  // A crash cut the text after the last line feed before any client saw its commit.
  lines.pop()
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Put[]
    } catch (cause) {
      throw new SpritewrightError('SW_DISK', {
        message: `Expected whole records in the embedded service's ${log}, found a damaged line ${index + 1}. Take another folder, or restore this one.`,
        facts: { file: log, line: index + 1 },
        cause,
      })
    }
  })
}

function linesOf(commits: readonly (readonly Put[])[]): Uint8Array {
  return new TextEncoder().encode(commits.map((puts) => `${JSON.stringify(puts)}\n`).join(''))
}

function missing(sha256: string): SpritewrightError {
  return new SpritewrightError('SW_DISK', {
    message: `Expected the embedded service to hold the object ${sha256}, found it missing or damaged. Restore its folder.`,
    facts: { sha256 },
  })
}
