import { join } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Clock } from '../host/clock.ts'
import type { Disk } from '../host/disk.ts'
import { inTurn } from '../host/file-lock.ts'
import { inParallel } from '../host/in-parallel.ts'
import { oneByOne } from '../host/one-by-one.ts'
import { decodeText } from '../host/project-style.ts'
import { stageFile } from '../host/publish.ts'
import type { Random } from '../host/random.ts'
import { digestOf, isLockPath, joinLocks, lockFolderOf, lockPathOf } from './lock-parts.ts'
import { findSharedExecution, parseLockFile, unreadable } from './lock-schema.ts'
import {
  alsoField,
  findEntry,
  findOwnEntry,
  formatEntry,
  formatLockFile,
  isStepId,
  type LockEntry,
  type LockFile,
  unnamedStepId,
} from './lockfile.ts'

/** One lock file on disk: the file `sprites.lock.json` of earlier versions, and the files of `sprites.lock/`. */
export interface LockStore {
  /** Of `sprites.lock.json`. The folder is beside it. */
  readonly path: string
  /**
   * Reads all files. Returns an empty lock file if there is none. If no file has changed, the result is the same object.
   *
   * @throws `SW_LOCKFILE` for a file that cannot be read, and for two purchases of one request.
   */
  read(): Promise<LockFile>
  /** The texts of all files, also if they cannot be parsed: a text that changes with them. */
  readTexts(): Promise<string>
  /** See {@link changeAll}. */
  change(id: string, hash: string, change: (entry: LockEntry | undefined) => LockEntry): Promise<void>
  /**
   * Changes entries. Reads their files again, applies each change to the current entry, writes durably, and reads again
   * to verify the changes. In a project with the folder, only the files of these sprites and steps are written,
   * each once. A crash in between leaves some of them unchanged. A program that watches never sees a part of a file.
   *
   * Calls of one process run one after the other. If another process writes in between, its change is kept, or this
   * change is made again on top of it.
   */
  changeAll(changes: readonly LockChange[]): Promise<void>
  /**
   * Begins the folder: new entries and changes go there. `sprites.lock.json` gets only a mark, which earlier versions
   * refuse, so that merges of branches from before have no conflict. In a project with the folder, all entries of
   * `sprites.lock.json` are moved.
   */
  split(): Promise<void>
}

/** A change of one entry. */
export interface LockChange {
  readonly id: string
  readonly hash: string
  readonly change: (entry: LockEntry | undefined) => LockEntry
}

const noLock: LockFile = { version: 1, animations: {} }

/** Whether a project keeps each sprite in a file of its own. `split` begins it. */
function isInFolder(path: string, { parts }: Reading): boolean {
  return parts.get(path)?.lock[alsoField] === true || [...parts.keys()].some((file) => file !== path)
}

/** One file. */
interface Part {
  readonly text: string
  readonly lock: LockFile
}

/** Files that were read, and what they say together. */
interface Reading {
  readonly parts: ReadonlyMap<string, Part>
  readonly lock: LockFile
}

/**
 * Opens the lock file at `path`. Reads and writes nothing before the first call.
 *
 * @param check Throws if a text must not be written. Nothing is written then.
 * @param turn A file by which processes take turns to write. Without it, another process may overwrite a change at the
 * same moment. If this process notices, it makes the change again.
 */
export function createLockStore(
  ports: { disk: Disk; random: Random },
  path: string,
  turn?: { readonly path: string; readonly clock: Clock },
  check?: (bytes: Uint8Array, path: string) => void,
): LockStore {
  const { disk, random } = ports
  const takeTurn = <T>(work: () => Promise<T>): Promise<T> => (turn ? inTurn({ disk, random, clock: turn.clock }, turn.path, work) : work())
  const inOrder = oneByOne()
  // Validation takes long, so the same text is validated only once.
  let known: Reading | undefined
  /**
   * The old file comes first: a reader that meets a move in progress finds an entry twice, never nowhere.
   *
   * @param textOf The text of a file in the folder, if it need not be read.
   */
  const readAllTexts = async (textOf: (file: string) => string | undefined = () => undefined) => {
    const old = await readText(disk, path)
    const names = (await disk.list(lockFolderOf(path))).map((name) => join(lockFolderOf(path), name))
    const files = names.filter((file) => isLockPath(path, file))
    return [
      ...(await inParallel(files, async (file) => [file, textOf(file) ?? (await readText(disk, file))] as const)),
      [path, old] as const,
    ]
  }
  /** @param files Only these files of the folder may have changed since the last call. All are read if it is missing. */
  const read = async (files?: ReadonlySet<string>): Promise<Reading> => {
    const before = known
    const texts = await readAllTexts((file) => (files?.has(file) === false ? before?.parts.get(file)?.text : undefined))
    const sorted = [...texts].sort(([a], [b]) => (a === path ? 1 : b === path ? -1 : a < b ? -1 : 1))
    const parts = sorted.flatMap(([file, text]) => {
      const part = before?.parts.get(file)
      if (text === undefined) return []
      return [[file, part?.text === text ? part : { text, lock: parseLockFile(text, file) }] as const]
    })
    if (before?.parts.size === parts.length && parts.every(([file, part]) => before.parts.get(file) === part)) return before
    known = toReading(path, new Map(parts))
    return known
  }
  const changeOnce = async (changes: readonly LockChange[], isSplit: boolean): Promise<boolean> => {
    const before = await read(isSplit ? undefined : new Set(changes.map(({ id, hash }) => lockPathOf(path, id, hash))))
    const all = isSplit ? allEntries(before.lock) : changes
    const lock = withChanges(before.lock, all)
    const writes = toWrites(path, before, lock, all, isSplit)
    if (writes.size === 0) return true
    const bytes = [...writes].map(([file, text]) => [file, new TextEncoder().encode(text)] as const)
    for (const [file, content] of bytes) check?.(content, file)
    for (const [file, content] of bytes) {
      const staged = await stageFile(disk, random, file, content)
      const isBehind = await takeTurn(async () => {
        if ((await readText(disk, file)) !== before.parts.get(file)?.text) return true
        await staged.commit()
        return false
      })
      if (isBehind) {
        await staged.discard()
        return false
      }
    }
    const after = (await read(new Set(writes.keys()))).lock
    return all.every(({ id, hash }) => formatEntry(findEntry(after, id, hash)) === formatEntry(findEntry(lock, id, hash)))
  }
  const inQueue = (changes: readonly LockChange[], isSplit = false): Promise<void> =>
    inOrder(async () => {
      for (let tries = 0; tries < 100; tries++) if (await changeOnce(changes, isSplit)) return
      throw new SpritewrightError('SW_DISK', {
        message: `${path} is being rewritten by another program again and again. Stop it and run the command once more.`,
        facts: { file: path },
      })
    })
  return {
    path,
    read: async () => (await read()).lock,
    readTexts: async () => JSON.stringify(await readAllTexts()),
    changeAll: inQueue,
    change: (id, hash, change) => inQueue([{ id, hash, change }]),
    split: () => inQueue([], true),
  }
}

/** A lock store that keeps changes until they are written together. */
interface CollectingLockStore extends LockStore {
  /**
   * Makes the collected changes in one write. A change of an entry that is another one by then is left out: another
   * process has gone on with that request.
   */
  write(): Promise<void>
}

/** Collects changes of several requests. Reads return the lock file of the first read, without the changes. */
export function collectLockChanges(lock: LockStore): CollectingLockStore {
  const changes: LockChange[] = []
  let reading: Promise<LockFile> | undefined
  const read = (): Promise<LockFile> => {
    reading ??= lock.read()
    return reading
  }
  const change: LockStore['change'] = async (id, hash, make) => {
    const before = findEntry(await read(), id, hash)
    const text = formatEntry(before)
    changes.push({ id, hash, change: (now) => (now && formatEntry(now) !== text ? now : make(now)) })
  }
  return {
    ...lock,
    read,
    change,
    changeAll: async (all) => {
      for (const one of all) await change(one.id, one.hash, one.change)
    },
    write: () => lock.changeAll(changes.splice(0)),
  }
}

async function readText(disk: Disk, file: string): Promise<string | undefined> {
  try {
    return decodeText(await disk.read(file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function toReading(path: string, parts: ReadonlyMap<string, Part>): Reading {
  const { lock, conflicts } = joinLocks(new Map([...parts].map(([file, part]) => [file, part.lock])))
  const [what] = conflicts
  if (what !== undefined) throw unreadable(path, what)
  // Each part was checked by itself.
  const twice = parts.size > 1 ? findSharedExecution(lock) : undefined
  if (twice !== undefined) throw unreadable(path, twice)
  return { parts, lock }
}

function allEntries({ animations, steps = {} }: LockFile): readonly LockChange[] {
  const list = (id: string | undefined, requests: Readonly<Record<string, LockEntry>>): readonly LockChange[] =>
    Object.entries(requests).map(([hash, entry]) => ({ id: id ?? unnamedStepId(hash), hash, change: () => entry }))
  return [...Object.entries(animations).flatMap(([id, requests]) => list(id, requests)), ...list(undefined, steps)]
}

/**
 * The texts of files that differ after the changes, in the order to write them. The old file gets its mark before any
 * other is written, and loses its entries after all others are.
 *
 * @param isSplit Whether to begin the folder; if a project has it, to move all entries of the old file.
 */
function toWrites(path: string, before: Reading, lock: LockFile, changes: readonly LockChange[], isSplit: boolean): Map<string, string> {
  const old = before.parts.get(path)
  const mark = (file: LockFile): [string, string] => [path, formatLockFile({ ...file, [alsoField]: true })]
  if (isSplit && !isInFolder(path, before)) return new Map([mark(old?.lock ?? noLock)])
  if (!isSplit && !isInFolder(path, before)) {
    const isSame = changes.every(
      ({ id, hash }) => formatEntry(findOwnEntry(lock, id, hash)) === formatEntry(findOwnEntry(before.lock, id, hash)),
    )
    return new Map(isSame ? [] : [[path, formatLockFile(lock)]])
  }
  const files = new Map<string, LockFile>()
  for (const { id, hash } of changes) {
    const file = lockPathOf(path, id, hash)
    const part = files.get(file) ?? before.parts.get(file)?.lock ?? noLock
    const entry = findOwnEntry(lock, id, hash) as LockEntry
    const [own, was] = [findOwnEntry(part, id, hash), findOwnEntry(before.lock, id, hash)]
    const from = old && findOwnEntry(old.lock, id, hash)
    // The old file may lose the entry, and get it back by a merge of a branch that has it.
    const continues = from ? digestOf(from) : own?.continues
    const next = continues === undefined ? entry : { ...entry, continues }
    if (isSplit ? formatEntry(own) !== formatEntry(next) : formatEntry(was) !== formatEntry(entry))
      files.set(file, withEntry(part, id, hash, next))
  }
  const writes = new Map([...files].map(([file, part]) => [file, formatLockFile(part)] as const))
  if (isSplit && old?.text !== mark(noLock)[1]) return writes.set(...mark(noLock))
  return writes.size > 0 && !old?.lock[alsoField] ? new Map([mark(old?.lock ?? noLock), ...writes]) : writes
}

function withEntry(lock: LockFile, id: string, hash: string, entry: LockEntry): LockFile {
  if (isStepId(id)) return { ...lock, steps: { ...lock.steps, [hash]: entry } }
  return { ...lock, animations: { ...lock.animations, [id]: { ...lock.animations[id], [hash]: entry } } }
}

/** Makes all changes in order, on one copy of the lock file. */
function withChanges(lock: LockFile, changes: readonly LockChange[]): LockFile {
  const animations = { ...lock.animations }
  const steps = { ...lock.steps }
  const changed = new Set<string>()
  const later: LockChange[] = []
  for (const one of changes) {
    const { id, hash, change } = one
    // An entry depends on other entries of its request, so a second change of a request needs the lock file after the
    // first change.
    if (changed.has(hash)) {
      later.push(one)
      continue
    }
    changed.add(hash)
    const entry = change(findEntry(lock, id, hash))
    if (isStepId(id)) steps[hash] = entry
    else animations[id] = { ...animations[id], [hash]: entry }
  }
  const next = { ...lock, animations, ...(lock.steps || Object.keys(steps).length > 0 ? { steps } : {}) }
  return later.length === 0 ? next : withChanges(next, later)
}
