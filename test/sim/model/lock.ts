import { parseLockFile } from '../../../src/vault/lock-schema.ts'
import { type AskedFields, formatLockFile, type LockEntry, type LockFile } from '../../../src/vault/lockfile.ts'
import type { Machine } from './machine.ts'

const path = '/game/sprites.lock.json'
const noLock: LockFile = { version: 1, animations: {} }

/** The name of a request on every machine: its words and its take. */
export function nameOf(asked: Pick<AskedFields, 'prompt' | 'take'>): string {
  const words = asked.prompt.replace('\n', ', ')
  return (asked.take ?? 1) === 1 ? words : `${words}, take ${asked.take}`
}

/** The lock file of a machine. Returns an empty one if the machine has none. */
export function readLock(machine: Machine): LockFile {
  const bytes = machine.disk.peek(path)
  return bytes ? parseLockFile(new TextDecoder().decode(bytes), path) : noLock
}

/** All entries of a lock file. The id of a step is made up. */
export function entriesOf(lock: LockFile): readonly { readonly id: string; readonly hash: string; readonly entry: LockEntry }[] {
  const steps = Object.entries(lock.steps ?? {}).map(([hash, entry]) => ({ id: 'step#1', hash, entry }))
  const animations = Object.entries(lock.animations).flatMap(([id, requests]) =>
    Object.entries(requests).map(([hash, entry]) => ({ id, hash, entry })),
  )
  return [...steps, ...animations]
}

/** The common base of two machines: the lock file that was carried over last. */
export class LockHistory {
  #base: LockFile = noLock

  /**
   * Changes the receiver's lock file like a commit, a push and a pull. Entries that only one side has changed
   * since the last time are taken over. In a conflict, the receiver keeps its own entry, unless the sender's
   * names an execution or a result that its own does not.
   *
   * @returns Names of the requests whose entry the receiver now has from the sender.
   */
  carry(from: Machine, to: Machine): readonly string[] {
    const [theirs, ours] = [readLock(from), readLock(to)]
    let merged = ours
    const taken: string[] = []
    for (const { id, hash, entry } of entriesOf(theirs)) {
      const [own, before] = [findEntry(ours, id, hash), findEntry(this.#base, id, hash)]
      const isUnchanged = own === undefined || [before, entry].some((other) => textOf(own) === textOf(other))
      const gain = worthOf(entry) - worthOf(own)
      if (gain < 0 || (gain === 0 && !isUnchanged)) continue
      taken.push(nameOf(entry.asked))
      merged = withEntry(merged, id, hash, entry)
    }
    this.#base = theirs
    if (merged !== ours) to.disk.put(path, formatLockFile(merged))
    return taken
  }
}

function findEntry(lock: LockFile, id: string, hash: string): LockEntry | undefined {
  return id.includes('#') ? lock.steps?.[hash] : lock.animations[id]?.[hash]
}

function withEntry(lock: LockFile, id: string, hash: string, entry: LockEntry): LockFile {
  if (id.includes('#')) return { ...lock, steps: { ...lock.steps, [hash]: entry } }
  return { ...lock, animations: { ...lock.animations, [id]: { ...lock.animations[id], [hash]: entry } } }
}

function textOf(entry: LockEntry | undefined): string {
  return JSON.stringify(entry ?? null)
}

/** How much would be lost with an entry. */
function worthOf(entry: LockEntry | undefined): number {
  return entry?.result ? 2 : entry?.execution ? 1 : 0
}
