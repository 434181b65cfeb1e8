import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import { publish, replaceFile } from '../../host/publish.ts'
import type { Random } from '../../host/random.ts'
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

function emptyTables(): AnyTables {
  return {
    secret: new Map(),
    account: new Map(),
    key: new Map(),
    upload: new Map(),
    execution: new Map(),
    idempotency: new Map(),
    event: new Map(),
  }
}

/** Fields that records of an older version of this service lack. */
const laterFields: { readonly [Kind in keyof Tables]?: Partial<Tables[Kind]> } = {
  execution: { answers: [], question: null, followedBy: null, isDeleted: false },
}

function apply(tables: AnyTables, puts: readonly Put[]): void {
  for (const [kind, id, value] of puts) (tables[kind] as Map<string, unknown>).set(id, { ...laterFields[kind], ...value })
}

/** Creates a store that ends with the process. */
export function createMemoryStore(): Store {
  const tables = emptyTables()
  const objects = new Map<string, Uint8Array>()
  return {
    table: (kind) => tables[kind],
    commit: (puts) => apply(tables, puts),
    flushed: async () => {},
    keep: async (bytes) => {
      const sha256 = sha256Of(bytes)
      objects.set(sha256, bytes.slice())
      return sha256
    },
    bytes: async (sha256) => {
      const found = objects.get(sha256)
      if (found === undefined) throw missing(sha256)
      return found
    },
  }
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
  await replaceFile(disk, random, log, linesOf(tables))
  const appender = createAppender(disk, log)
  const place = (sha256: string): string => join(folder, 'objects', sha256)
  return {
    table: (kind) => tables[kind],
    commit: (puts) => {
      apply(tables, puts)
      appender.add(`${JSON.stringify(puts)}\n`)
    },
    flushed: () => appender.flushed(),
    keep: async (bytes) => {
      const sha256 = sha256Of(bytes)
      await publish(disk, random, place(sha256), bytes)
      return sha256
    },
    bytes: async (sha256) => {
      const found = (await disk.stat(place(sha256))) === undefined ? undefined : await disk.read(place(sha256))
      if (found === undefined || sha256Of(found) !== sha256) throw missing(sha256)
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

function linesOf(tables: AnyTables): Uint8Array {
  const lines: string[] = []
  for (const [kind, table] of Object.entries(tables)) {
    for (const [id, value] of table) lines.push(`${JSON.stringify([[kind, id, value]])}\n`)
  }
  return new TextEncoder().encode(lines.join(''))
}

interface Appender {
  add(line: string): void
  flushed(): Promise<void>
}

/** Lines that arrive during a write share the next write and its sync. */
function createAppender(disk: Disk, log: string): Appender {
  let waiting: string[] = []
  let last: Promise<void> = Promise.resolve()
  const write = async (): Promise<void> => {
    const lines = waiting
    waiting = []
    if (lines.length > 0) await disk.append(log, new TextEncoder().encode(lines.join('')))
  }
  return {
    add: (line) => {
      waiting.push(line)
      if (waiting.length > 1) return
      last = last.then(write)
      // Callers that need the write await `flushed`, which rejects. This handler only prevents an unhandled
      // rejection.
      last.catch(() => {})
    },
    flushed: () => last,
  }
}

/** SHA-256, hexadecimal. */
export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function missing(sha256: string): SpritewrightError {
  return new SpritewrightError('SW_DISK', {
    message: `Expected the embedded service to hold the object ${sha256}, found it missing or damaged. Restore its folder.`,
    facts: { sha256 },
  })
}
