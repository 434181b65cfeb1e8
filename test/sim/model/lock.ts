import { parseLockFile } from '../../../src/vault/lock-schema.ts'
import { type AskedFields, formatLockFile, type LockEntry, type LockFile } from '../../../src/vault/lockfile.ts'
import type { Machine } from './machine.ts'

const path = '/game/sprites.lock.json'
const noLock: LockFile = { version: 1, animations: {} }

/** What a request is called on every machine: its words and its take. */
export function nameOf(asked: Pick<AskedFields, 'prompt' | 'take'>): string {
  const words = asked.prompt.replace('\n', ', ')
  return (asked.take ?? 1) === 1 ? words : `${words}, take ${asked.take}`
}

/** The lock file of a machine; an empty one where it has none. */
export function readLock(machine: Machine): LockFile {
  const bytes = machine.disk.peek(path)
  return bytes ? parseLockFile(new TextDecoder().decode(bytes), path) : noLock
}

/** All entries of a lock file; the id of a step is made up. */
export function entriesOf(lock: LockFile): readonly { readonly id: string; readonly hash: string; readonly entry: LockEntry }[] {
  const steps = Object.entries(lock.steps ?? {}).map(([hash, entry]) => ({ id: 'step#1', hash, entry }))
  const animations = Object.entries(lock.animations).flatMap(([id, requests]) =>
    Object.entries(requests).map(([hash, entry]) => ({ id, hash, entry })),
  )
  return [...steps, ...animations]
}

/** What two machines have in common: the lock file as the last one that was carried over. */
export class LockHistory {
  #base: LockFile = noLock

  /**
   * What a commit, a push and a pull make of the receiver's lock file: what only one side has changed since the last one is taken. Of a conflict the receiver
   * keeps its own, unless the other knows an execution or a result that it does not.
   *
   * @returns Names of the requests of which the receiver has the sender's entry now.
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

/** What would be lost with an entry. */
function worthOf(entry: LockEntry | undefined): number {
  return entry?.result ? 2 : entry?.execution ? 1 : 0
}
