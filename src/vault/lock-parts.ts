import { basename, dirname, join } from 'node:path'
import { sha256 } from '../host/sha256.ts'
import { spriteOf } from '../sprite-spec/request.ts'
import { formatEntry, isStepId, knowledgeOf, type LockEntry, type LockFile } from './lockfile.ts'

/** Name of the lock file in the folder of a project. */
export const lockName = 'sprites.lock.json'

/** The folder with one lock file for each sprite and each step: `sprites.lock/` beside `sprites.lock.json`. */
export function lockFolderOf(path: string): string {
  return path.replace(/\.json$/, '')
}

/**
 * Whether a path is the lock file at `path`, or one of the files in its folder. Hidden files there are of editors and
 * systems, like `.#hero.json` and `._hero.json`.
 */
export function isLockPath(path: string, file: string): boolean {
  return file === path || (dirname(file) === lockFolderOf(path) && /^[^.].*\.json$/.test(basename(file)))
}

/**
 * The file of an entry. Its name is safe on every disk, and different for names that differ only in case: a name that
 * is not plain gets a hash. Nothing of the name becomes a folder.
 *
 * @param path Of the lock file beside the folder.
 */
export function lockPathOf(path: string, id: string, hash: string): string {
  const name = spriteOf(id)
  const digest = sha256(name).slice(0, 12)
  const begin = name.toLowerCase().replace(/[^a-z0-9]+|^$/g, '_')
  const isPlain = /^(?!.*--)[a-z0-9][a-z0-9_-]{0,59}$/.test(name) && !/^(con|prn|aux|nul|com\d|lpt\d)$/.test(name)
  return join(lockFolderOf(path), isStepId(id) ? `step.${hash}.json` : `${isPlain ? name : `${begin.slice(0, 40)}--${digest}`}.json`)
}

/** Names that {@link lockPathOf} gives to files. */
export const lockPartName: RegExp = /^(?:step\.[0-9a-f]{64}|[a-z0-9_][a-z0-9_-]*)\.json$/

/** Fingerprints of entries, which are immutable. */
const digests = new WeakMap<LockEntry, string>()

/** Fingerprint of an entry that another file continues. */
export function digestOf(entry: LockEntry): string {
  const text = formatEntry(entry.continues === undefined ? entry : { ...entry, continues: undefined })
  const digest = digests.get(entry) ?? sha256(text)
  digests.set(entry, digest)
  return digest
}

/** A lock file that was joined from several files. */
export interface JoinedLock {
  readonly lock: LockFile
  /** Sentences about entries for which two files name different executions. */
  readonly conflicts: readonly string[]
}

interface Place {
  readonly path: string
  readonly entry: LockEntry
}

/**
 * Joins the files of a lock file, entry by entry. An entry that another file continues does not count any more, unless
 * it was changed since. Of two other entries of one request, the one that is further in its purchase counts. It has an
 * approval only if both have one: nothing that was taken back counts again.
 *
 * @param parts The files by path, in the order that decides between equals.
 */
export function joinLocks(parts: ReadonlyMap<string, LockFile>): JoinedLock {
  // Steps are listed under `undefined`.
  const places = new Map<string | undefined, Map<string, Place[]>>()
  for (const [path, { animations, steps = {} }] of parts)
    for (const [id, requests] of [...Object.entries(animations), [undefined, steps] as const])
      for (const [hash, entry] of Object.entries(requests)) {
        const byHash = places.get(id) ?? new Map<string, Place[]>()
        places.set(id, byHash.set(hash, [...(byHash.get(hash) ?? []), { path, entry }]))
      }
  const conflicts: string[] = []
  const join = (id: string | undefined): Readonly<Record<string, LockEntry>> =>
    Object.fromEntries(
      [...(places.get(id) ?? [])].map(([hash, all]) => {
        const { entry } = validOf(all).reduce((one, other) => {
          if (isOtherPurchase(one.entry, other.entry)) conflicts.push(conflictWords(id ?? `The step ${hash}`, one, other))
          return { path: one.path, entry: joinEntries(one.entry, other.entry) }
        })
        return [hash, plain(entry)] as const
      }),
    )
  const ids = [...places.keys()].filter((id) => id !== undefined).sort()
  const animations = Object.fromEntries(ids.map((id) => [id, join(id)] as const))
  const steps = join(undefined)
  return { lock: { version: 1, animations, ...(Object.keys(steps).length > 0 ? { steps } : {}) }, conflicts }
}

/** The entries of one request that no other one continues. */
function validOf(all: readonly Place[]): readonly Place[] {
  if (all.length === 1) return all
  const continued = new Set(all.map(({ entry }) => entry.continues))
  return all.filter(({ entry }) => entry.continues !== undefined || !continued.has(digestOf(entry)))
}

function isOtherPurchase(one: LockEntry, other: LockEntry): boolean {
  return one.execution !== undefined && other.execution !== undefined && one.execution.id !== other.execution.id
}

function conflictWords(id: string, one: Place, other: Place): string {
  const execution = ({ path, entry }: Place): string => `${basename(path)} names the execution ${entry.execution?.id}`
  return `${id} has two purchases: ${execution(one)}, and ${execution(other)}. Keep one of the two entries by hand, and note the execution of the other`
}

function joinEntries(one: LockEntry, other: LockEntry): LockEntry {
  if (formatEntry(one) === formatEntry(other)) return one
  const [mine, theirs] = [one.approval, other.approval]
  const isNewer = (theirs?.at ?? '') > (mine?.at ?? '')
  const further = knowledgeOf(other) - knowledgeOf(one) || (isNewer ? 1 : 0)
  return { ...(further > 0 ? other : one), approval: mine && theirs ? (isNewer ? theirs : mine) : undefined }
}

/** Entries as programs see them. An entry is immutable, so this is made once. */
const plainEntries = new WeakMap<LockEntry, LockEntry>()

function plain(entry: LockEntry): LockEntry {
  if (entry.continues === undefined) return entry
  const { continues: _, ...rest } = entry
  const made = plainEntries.get(entry) ?? rest
  plainEntries.set(entry, made)
  return made
}
