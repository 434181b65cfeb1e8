import { formatLockFile, type LockEntry, type LockFile } from '../../src/vault/lockfile.ts'
import type { Machine } from './seeded-machine.ts'

const path = '/game/sprites.lock.json'
const nothing: LockFile = { version: 1, animations: {} }

/** How a person resolves what both sides have changed. */
export type Resolution = 'ours' | 'theirs' | 'both'

/** The repository that two machines share: every version of the lock file that was pushed. */
export class Git {
  readonly #versions: LockFile[] = [nothing]
  readonly #tracked = new Set<Machine>()

  /** Pull, then push. */
  commit(machine: Machine, resolution: Resolution): void {
    this.pull(machine, resolution)
    this.#versions.push(readLock(machine))
  }

  /** Whether a machine's lock file is under version control. */
  knows(machine: Machine): boolean {
    return this.#tracked.has(machine)
  }

  pull(machine: Machine, resolution: Resolution): void {
    this.#tracked.add(machine)
    writeLock(machine, mergeLocks(readLock(machine), this.#versions.at(-1) ?? nothing, resolution))
  }

  /** The lock file as it was `back` commits ago, in place of the one that is there. */
  checkout(machine: Machine, back: number): void {
    writeLock(machine, this.#versions[Math.max(0, this.#versions.length - 1 - back)] ?? nothing)
  }
}

/** A machine's lock file; an empty one where it has none. */
export function readLock(machine: Machine): LockFile {
  const bytes = machine.disk.peek(path)
  return bytes ? (JSON.parse(new TextDecoder().decode(bytes)) as LockFile) : nothing
}

function writeLock(machine: Machine, lock: LockFile): void {
  if (lock !== nothing) machine.disk.put(path, formatLockFile(lock))
}

/** Entry by entry: what only one side has is kept; what both have is one side's, or of each field what is there. */
function mergeLocks(ours: LockFile, theirs: LockFile, resolution: Resolution): LockFile {
  const entries = (a: Entries = {}, b: Entries = {}): Entries => merge(a, b, (mine, other) => mergeEntries(mine, other, resolution))
  const steps = entries(ours.steps, theirs.steps)
  return { version: 1, animations: merge(ours.animations, theirs.animations, entries), ...(Object.keys(steps).length > 0 ? { steps } : {}) }
}

type Entries = Readonly<Record<string, LockEntry>>

function merge<T>(ours: Readonly<Record<string, T>>, theirs: Readonly<Record<string, T>>, both: (a: T, b: T) => T): Record<string, T> {
  const merged: Record<string, T> = { ...theirs }
  for (const [name, mine] of Object.entries(ours)) {
    const other = theirs[name]
    merged[name] = other === undefined ? mine : both(mine, other)
  }
  return merged
}

function mergeEntries(ours: LockEntry, theirs: LockEntry, resolution: Resolution): LockEntry {
  if (resolution === 'ours') return ours
  return resolution === 'theirs' ? theirs : { ...theirs, ...ours }
}
