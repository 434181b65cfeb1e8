import { formatLockFile, type LockEntry, type LockFile } from '../../../src/vault/lockfile.ts'
import type { Machine } from './machine.ts'

const path = '/game/sprites.lock.json'
const nothing: LockFile = { version: 1, animations: {} }

/** How a person resolves a conflict. */
export type Resolution = 'ours' | 'theirs' | 'both'

/** The repository that two machines share, with every pushed version of the lock file. */
export class Git {
  readonly #versions: LockFile[] = [nothing]
  /** The version of each machine that is also in the repository. */
  readonly #bases = new Map<Machine, LockFile>()

  /** Pull, then push. */
  commit(machine: Machine, resolution: Resolution): void {
    this.pull(machine, resolution)
    const lock = readLock(machine)
    this.#versions.push(lock)
    this.#bases.set(machine, lock)
  }

  /** Whether a machine's lock file is under version control. */
  knows(machine: Machine): boolean {
    return this.#bases.has(machine)
  }

  pull(machine: Machine, resolution: Resolution): void {
    const theirs = this.#versions.at(-1) ?? nothing
    writeLock(machine, mergeLocks({ ours: readLock(machine), theirs, base: this.#bases.get(machine) ?? nothing }, resolution))
    this.#bases.set(machine, theirs)
  }

  /** Replaces the lock file with the version of `back` commits ago. */
  checkout(machine: Machine, back: number): void {
    const version = this.#versions[Math.max(0, this.#versions.length - 1 - back)] ?? nothing
    writeLock(machine, version)
    this.#bases.set(machine, version)
  }
}

/** A machine's lock file. Returns an empty one if the machine has none. */
export function readLock(machine: Machine): LockFile {
  const bytes = machine.disk.peek(path)
  return bytes ? (JSON.parse(new TextDecoder().decode(bytes)) as LockFile) : nothing
}

function writeLock(machine: Machine, lock: LockFile): void {
  if (lock !== nothing) machine.disk.put(path, formatLockFile(lock))
}

/** Two versions and their common base. */
interface Sides<T> {
  readonly ours: T
  readonly theirs: T
  readonly base: T
}

/**
 * Merges two lock files entry by entry. If only one side changed an entry, its version is taken. If both did,
 * one side's version is taken, or the changes of both are merged by field.
 */
function mergeLocks(sides: Sides<LockFile>, resolution: Resolution): LockFile {
  const entries = (each: Sides<Entries | undefined>): Entries => mergeAll(toSides(each, {}), (entry) => mergeEntries(entry, resolution))
  const animations = mergeAll(
    toSides({ ours: sides.ours.animations, theirs: sides.theirs.animations, base: sides.base.animations }, {}),
    entries,
  )
  const steps = entries({ ours: sides.ours.steps, theirs: sides.theirs.steps, base: sides.base.steps })
  return { version: 1, animations, ...(Object.keys(steps).length > 0 ? { steps } : {}) }
}

type Entries = Readonly<Record<string, LockEntry>>

function toSides<T>({ ours, theirs, base }: Sides<T | undefined>, none: T): Sides<T> {
  return { ours: ours ?? none, theirs: theirs ?? none, base: base ?? none }
}

/** Nothing is ever deleted here: an entry of either side is in the result. */
function mergeAll<T>(sides: Sides<Readonly<Record<string, T>>>, both: (each: Sides<T | undefined>) => T): Record<string, T> {
  const merged: Record<string, T> = { ...sides.theirs, ...sides.ours }
  for (const name of Object.keys(merged)) {
    const each = { ours: sides.ours[name], theirs: sides.theirs[name], base: sides.base[name] }
    if (each.ours !== undefined && each.theirs !== undefined) merged[name] = both(each)
  }
  return merged
}

function mergeEntries({ ours, theirs, base }: Sides<LockEntry | undefined>, resolution: Resolution): LockEntry {
  const [mine, other] = [ours as LockEntry, theirs as LockEntry]
  if (isSame(mine, base)) return other
  if (isSame(other, base) || resolution === 'ours') return mine
  if (resolution === 'theirs') return other
  const fields = Object.keys({ ...other, ...mine }) as (keyof LockEntry)[]
  return Object.fromEntries(
    fields.map((name) => [name, mine[name] === undefined || isSame(mine[name], base?.[name]) ? (other[name] ?? mine[name]) : mine[name]]),
  ) as unknown as LockEntry
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
