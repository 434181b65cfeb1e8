import { SpritewrightError } from '../errors.ts'
import type { Clock } from '../host/clock.ts'
import type { Disk } from '../host/disk.ts'
import { inTurn } from '../host/file-lock.ts'
import { decodeText } from '../host/project-style.ts'
import { stageFile } from '../host/publish.ts'
import type { Random } from '../host/random.ts'
import { parseLockFile } from './lock-schema.ts'
import { findEntry, formatEntry, formatLockFile, isStepId, type LockEntry, type LockFile } from './lockfile.ts'

/** One lock file on disk. */
export interface LockStore {
  readonly path: string
  /** Reads the file. Returns an empty lock file if there is none. */
  read(): Promise<LockFile>
  /**
   * Changes one entry. Reads the file again, applies `change` to the current entry, writes durably, and reads
   * again to verify the change.
   *
   * Calls of one process run one after the other. If another process writes in between, its change is kept, or this
   * change is made again on top of it.
   */
  change(id: string, hash: string, change: (entry: LockEntry | undefined) => LockEntry): Promise<void>
  /**
   * Changes several entries in one write. A program that watches the file never sees only some of the changes.
   */
  changeAll(changes: readonly LockChange[]): Promise<void>
}

/** A change of one entry. */
export interface LockChange {
  readonly id: string
  readonly hash: string
  readonly change: (entry: LockEntry | undefined) => LockEntry
}

/**
 * Opens the lock file at `path`. Reads and writes nothing before the first call.
 *
 * @param check Throws if a text must not be written. Nothing is written then.
 * @param turn A file by which processes take turns to rewrite the lock file. Without it, another process may overwrite
 * a change at the same moment. If this process notices, it makes the change again.
 */
export function createLockStore(
  ports: { disk: Disk; random: Random },
  path: string,
  turn?: { readonly path: string; readonly clock: Clock },
  check?: (bytes: Uint8Array, path: string) => void,
): LockStore {
  const { disk, random } = ports
  const takeTurn = <T>(work: () => Promise<T>): Promise<T> => (turn ? inTurn({ disk, random, clock: turn.clock }, turn.path, work) : work())
  let queue: Promise<void> = Promise.resolve()
  // Validation takes long for a large file, so the same text is validated only once.
  let known: { readonly text: string | undefined; readonly lock: LockFile } = { text: undefined, lock: noLock }
  const readText = async (): Promise<string | undefined> => ((await disk.stat(path)) ? decodeText(await disk.read(path)) : undefined)
  const readKnown = async (): Promise<typeof known> => {
    const text = await readText()
    if (text === known.text) return known
    const read = { text, lock: text === undefined ? noLock : parseLockFile(text, path) }
    known = read
    return read
  }
  const read = async (): Promise<LockFile> => (await readKnown()).lock
  const changeOnce = async (changes: readonly LockChange[]): Promise<boolean> => {
    const { text: base, lock: before } = await readKnown()
    const lock = withChanges(before, changes)
    const text = formatLockFile(lock)
    if (text === base || text === formatLockFile(before)) return true
    const bytes = new TextEncoder().encode(text)
    check?.(bytes, path)
    const staged = await stageFile(disk, random, path, bytes)
    const isBehind = await takeTurn(async () => {
      if ((await readText()) !== base) return true
      await staged.commit()
      return false
    })
    if (isBehind) {
      await staged.discard()
      return false
    }
    if ((await readText()) === text) {
      known = { text, lock }
      return true
    }
    const after = await read()
    return changes.every(({ id, hash }) => formatEntry(findEntry(after, id, hash)) === formatEntry(findEntry(lock, id, hash)))
  }
  const changeAll = (changes: readonly LockChange[]): Promise<void> => {
    const run = queue.then(async () => {
      for (let tries = 0; tries < 100; tries++) if (await changeOnce(changes)) return
      throw new SpritewrightError('SW_DISK', {
        message: `${path} is being rewritten by another program again and again. Stop it and run the command once more.`,
        facts: { file: path },
      })
    })
    queue = run.catch(() => {})
    return run
  }
  return { path, read, changeAll, change: (id, hash, change) => changeAll([{ id, hash, change }]) }
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
    path: lock.path,
    read,
    change,
    changeAll: async (all) => {
      for (const one of all) await change(one.id, one.hash, one.change)
    },
    write: () => lock.changeAll(changes.splice(0)),
  }
}

const noLock: LockFile = { version: 1, animations: {} }

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
