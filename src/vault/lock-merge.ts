import { alsoField, formatEntry, knowledgeOf, type LockEntry, type LockFile, unnamedStepId } from './lockfile.ts'

/** The two texts of a file with conflict markers, one for each branch. */
export interface ConflictSides {
  readonly ours: string
  readonly theirs: string
}

/** A merged lock file. */
export interface MergedLock {
  /** The merged lock file. For an entry in `conflicts`, it has our side. */
  readonly lock: LockFile
  /** Ids of the entries that both sides changed differently, ascending. */
  readonly conflicts: readonly string[]
}

/**
 * Separates the two sides of a text with git's conflict markers, in the styles `merge`, `diff3` and `zdiff3`.
 *
 * @returns `undefined` if the text has no markers, or incomplete markers.
 */
export function readConflict(text: string): ConflictSides | undefined {
  const sides = { ours: [] as string[], base: [] as string[], theirs: [] as string[] }
  let part: keyof typeof sides | undefined
  let count = 0
  for (const line of text.split(/\r?\n/)) {
    if (/^<{7}( |$)/.test(line) && part === undefined) part = 'ours'
    else if (/^\|{7}( |$)/.test(line) && part === 'ours') part = 'base'
    else if (/^={7}$/.test(line) && (part === 'ours' || part === 'base')) part = 'theirs'
    else if (/^>{7}( |$)/.test(line) && part === 'theirs') [part, count] = [undefined, count + 1]
    else for (const side of part ? [part] : (['ours', 'theirs'] as const)) sides[side].push(line)
  }
  return count === 0 || part !== undefined ? undefined : { ours: sides.ours.join('\n'), theirs: sides.theirs.join('\n') }
}

/** A text with conflict markers around the lines in which two texts differ: the reverse of {@link readConflict}. */
export function writeConflict({ ours, theirs }: ConflictSides): string {
  const [one, other] = [ours.split('\n'), theirs.split('\n')]
  const shorter = Math.min(one.length, other.length)
  let [head, tail] = [0, 0]
  while (head < shorter && one[head] === other[head]) head++
  while (tail < shorter - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++
  const middle = (lines: readonly string[]): readonly string[] => lines.slice(head, lines.length - tail)
  return [
    ...one.slice(0, head),
    '<<<<<<< ours',
    ...middle(one),
    '=======',
    ...middle(other),
    '>>>>>>> theirs',
    ...one.slice(one.length - tail),
  ].join('\n')
}

/** A person's decision about the entries that both sides changed. */
export interface LockChoice {
  readonly side: 'ours' | 'theirs'
  /** Ids of the entries for which the choice applies; empty for all. */
  readonly ids: readonly string[]
}

/**
 * Merges two versions of a lock file, entry by entry. An entry is taken from one side as a whole, because an approval,
 * the bytes of its submission and its result belong together. If only one side changed the entry, that side counts. If
 * one side has all sections of the other unchanged, and more, that side counts.
 *
 * @param base The common earlier version.
 * @default none: nothing counts as deleted
 * @param choice Decides conflicts; see {@link choose}.
 * @default conflicts are left
 */
export function mergeLocks(ours: LockFile, theirs: LockFile, base: LockFile = none, choice?: LockChoice): MergedLock {
  const conflicts = new Set<string>()
  const mergeRequests = (id: (hash: string) => string, one: Entries = {}, other: Entries = {}, before: Entries = {}): Entries =>
    Object.fromEntries(
      [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((hash) => {
        const merged = mergeEntry(one[hash], other[hash], before[hash])
        const isChosen = choice && (choice.ids.length === 0 || choice.ids.includes(id(hash)))
        const entry = merged === 'conflict' && isChosen ? choose(choice.side, one[hash], other[hash]) : merged
        if (entry === 'conflict') conflicts.add(id(hash))
        const taken = entry === 'conflict' ? one[hash] : entry
        return taken === undefined ? [] : [[hash, taken]]
      }),
    )
  const ids = [...new Set([...Object.keys(ours.animations), ...Object.keys(theirs.animations)])]
  const animations = Object.fromEntries(
    ids.flatMap((id) => {
      const merged = mergeRequests(() => id, ours.animations[id], theirs.animations[id], base.animations[id])
      return Object.keys(merged).length === 0 ? [] : [[id, merged]]
    }),
  )
  const steps = mergeRequests(unnamedStepId, ours.steps, theirs.steps, base.steps)
  return {
    lock: {
      ...((ours[alsoField] ?? theirs[alsoField]) ? { [alsoField]: true } : {}),
      version: 1,
      animations,
      ...(Object.keys(steps).length > 0 ? { steps } : {}),
    },
    conflicts: [...conflicts].sort(),
  }
}

type Entries = Readonly<Record<string, LockEntry>>

const none: LockFile = { version: 1, animations: {} }

function mergeEntry(
  ours: LockEntry | undefined,
  theirs: LockEntry | undefined,
  base: LockEntry | undefined,
): LockEntry | undefined | 'conflict' {
  const [our, their, before] = [formatEntry(ours), formatEntry(theirs), formatEntry(base)]
  if (our === their || their === before) return ours
  if (our === before) return theirs
  if (ours === undefined || theirs === undefined) return 'conflict'
  if (continues(ours, theirs)) return ours
  return continues(theirs, ours) ? theirs : 'conflict'
}

/**
 * Decides a conflict by a chosen side, without dropping a purchase: the entry that is further in a purchase wins, on
 * either side. Two purchases stay a conflict, because an entry has room for only one.
 */
function choose(side: LockChoice['side'], ours: LockEntry | undefined, theirs: LockEntry | undefined): LockEntry | 'conflict' | undefined {
  const [one, other] = [ours?.execution?.id, theirs?.execution?.id]
  if (one !== undefined && other !== undefined && one !== other) return 'conflict'
  const more = knowledgeOf(ours) - knowledgeOf(theirs)
  if (more !== 0) return more > 0 ? ours : theirs
  return side === 'ours' ? ours : theirs
}

/** Whether one entry has every section of another unchanged. */
function continues(one: LockEntry, other: LockEntry): boolean {
  const sections = Object.entries(other).filter(([, section]) => section !== undefined)
  return sections.every(([name, section]) => JSON.stringify(one[name as keyof LockEntry]) === JSON.stringify(section))
}
