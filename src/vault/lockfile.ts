import type { Given } from '../credit/given.ts'
import type { Touch } from '../credit/touch.ts'

/** Fields of the request, from which a later plan finds the changed paid field. */
export interface AskedFields {
  readonly prompt: string
  /** Content hash of the reference file, or request hash of the step that makes the reference. */
  readonly reference?: string | undefined
  /** Operation of a step or picture; absent for an animation, which has the fields below. */
  readonly operation?: string | undefined
  readonly frames?: number | undefined
  readonly background?: 'remove' | 'keep' | undefined
  readonly options?: Readonly<Record<string, unknown>> | undefined
  readonly take?: number | undefined
}

/** One request of one animation: its approval and its purchase. */
export interface LockEntry {
  readonly service: { readonly host: string; readonly keyMode: 'test' | 'live'; readonly apiVersion: string }
  readonly asked: AskedFields
  /**
   * The ceiling is decimal text; the other fields are as in `Approval`. Approvals of earlier versions have no
   * signature.
   */
  readonly approval?:
    | {
        readonly ceiling: string
        readonly priceVersion: string
        readonly buyer: string
        readonly at: string
        readonly given?: Given | undefined
        readonly checkout?: string | undefined
        readonly project?: string | undefined
        readonly expires?: string | undefined
        readonly touch?: Touch | undefined
        readonly publicKey?: string | undefined
        readonly signature?: string | undefined
      }
    | undefined
  /** The frozen bytes, which everyone who builds this commit sends under one key. */
  readonly submission?:
    | {
        readonly attempt: number
        readonly key: string
        readonly body: string
        readonly bodySha256: string
        readonly maxCredits: string
        /** The service's id of the uploaded picture in the body; absent if there is none. */
        readonly referenceId?: string | undefined
        /** Key of the person who froze the bytes. Missing in bytes of earlier versions, which are made again. */
        readonly publicKey?: string | undefined
        readonly signature?: string | undefined
      }
    | undefined
  readonly execution?: { readonly id: string; readonly conversation: string | null } | undefined
  readonly result?:
    | {
        readonly sha256: string
        readonly bytes: number
        readonly review?:
          | {
              readonly frameCount: number | null
              readonly background: string | null
              readonly keptBackgroundFrames: readonly number[]
              readonly inspectionFrames: readonly number[]
              readonly sourceShiftedFrames: readonly number[]
            }
          | undefined
      }
    | undefined
  /**
   * Fingerprint of the entry in `sprites.lock.json` that this entry was made from. Only in files; see `lock-parts.ts`.
   */
  readonly continues?: string | undefined
}

/**
 * The field of `sprites.lock.json` that says that `sprites.lock/` has further entries. Versions that do not read that
 * folder refuse the field, so they cannot buy again what only the folder records. It stands first in the file, so
 * that it makes no conflict in merges.
 */
export const alsoField = 'a newer spritewright is needed: more is in sprites.lock/'

/**
 * The lock file: the requests of each animation by id (`hero.walk`) and hash. The paid steps of reference chains are
 * listed by hash alone, because sprites may share them. Committed; contains no API key. On disk, it is joined from
 * `sprites.lock.json` and the files of `sprites.lock/`, one for each sprite and each step. All have this form.
 */
export interface LockFile {
  readonly [alsoField]?: true | undefined
  readonly version: 1
  readonly animations: Readonly<Record<string, Readonly<Record<string, LockEntry>>>>
  readonly steps?: Readonly<Record<string, LockEntry>> | undefined
}

/** Whether an id names a step of a chain (`hero#2`) and not an animation (`hero.walk`). */
export function isStepId(id: string): boolean {
  return id.includes('#')
}

/** The id of a paid step that no spec names any more. */
export function unnamedStepId(hash: string): string {
  return `step#${hash.slice(0, 8)}`
}

/**
 * The file's text: sorted keys, two spaces, a final newline. Equal content gives equal bytes, and merges are
 * small.
 */
export function formatLockFile(lock: LockFile): string {
  const requests = (entries: Readonly<Record<string, LockEntry>>, indent: string): string =>
    formatMembers(entries, indent, (entry) => formatEntry(entry).replaceAll('\n', `\n${indent}  `))
  const animations = formatMembers(lock.animations, '  ', (entries) => requests(entries, '    '))
  const steps = lock.steps && Object.keys(lock.steps).length > 0 ? `  "steps": ${requests(lock.steps, '  ')},\n` : ''
  const also = lock[alsoField] ? `  ${JSON.stringify(alsoField)}: true,\n` : ''
  return `{\n${also}  "animations": ${animations},\n${steps}  "version": 1\n}\n`
}

function formatMembers<T>(members: Readonly<Record<string, T>>, indent: string, format: (member: T) => string): string {
  const names = Object.keys(members).sort()
  if (names.length === 0) return '{}'
  return `{\n${names.map((name) => `${indent}  ${JSON.stringify(name)}: ${format(members[name] as T)}`).join(',\n')}\n${indent}}`
}

/**
 * The texts of entries. Entries are immutable, so each text is made once. Every step of one entry rewrites the whole
 * file, which may have a thousand entries.
 */
const entryTexts = new WeakMap<LockEntry, string>()

/** The text of one entry in the file; empty without an entry. */
export function formatEntry(entry: LockEntry | undefined): string {
  if (!entry) return ''
  const text = entryTexts.get(entry) ?? JSON.stringify(sorted(entry), null, 2)
  entryTexts.set(entry, text)
  return text
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}

/**
 * Finds the entry of a request, under its own id or under any other id with the same request (a renamed
 * sprite, a twin, a step that is a picture elsewhere). A bought entry comes first.
 *
 * If another entry has more sections of the purchase than the request's own entry, the result is the own entry with
 * these sections. So a request that was bought under one id is not bought under another.
 *
 * @param id Id of the animation or the step.
 */
export function findEntry(lock: LockFile, id: string, hash: string): LockEntry | undefined {
  const own = findOwnEntry(lock, id, hash)
  if (own?.result || own?.execution) return own
  const others = twinsIn(lock).get(hash) ?? []
  const bought = others.find((entry) => entry.result) ?? others.find((entry) => entry.execution)
  // The own approval is kept, with the purchase under the other id.
  if (own && bought) return merged(own, bought)
  return own ?? bought ?? others[0]
}

/** Entries by request, for each lock file object, which never changes. A plan searches them for every sprite. */
const twins = new WeakMap<LockFile, ReadonlyMap<string, readonly LockEntry[]>>()

/** The entries of each request under all ids, in the order of the file. A step may be a picture of the game elsewhere. */
function twinsIn(lock: LockFile): ReadonlyMap<string, readonly LockEntry[]> {
  const known = twins.get(lock)
  if (known) return known
  const found = new Map<string, LockEntry[]>()
  for (const requests of [...Object.values(lock.animations), lock.steps ?? {}])
    for (const [hash, entry] of Object.entries(requests)) {
      const others = found.get(hash)
      if (others) others.push(entry)
      else found.set(hash, [entry])
    }
  twins.set(lock, found)
  return found
}

/** Merged entries. Entries are immutable, so two entries are merged once. */
const mergedEntries = new WeakMap<LockEntry, WeakMap<LockEntry, LockEntry>>()

function merged(own: LockEntry, bought: LockEntry): LockEntry {
  const known = mergedEntries.get(own) ?? new WeakMap<LockEntry, LockEntry>()
  mergedEntries.set(own, known)
  const entry = known.get(bought) ?? { ...bought, ...(own.approval ? { approval: own.approval } : {}) }
  known.set(bought, entry)
  return entry
}

/** Ids under which the lock file has an approval of a request. A renamed sprite has two ids. */
export function approvedIds({ animations, steps = {} }: LockFile, hash: string): readonly string[] {
  const ids = Object.keys(animations).filter((id) => animations[id]?.[hash]?.approval)
  return Object.hasOwn(steps, hash) && steps[hash]?.approval ? [...ids, unnamedStepId(hash)] : ids
}

/** The entry of a request under exactly this id. */
export function findOwnEntry(lock: LockFile, id: string, hash: string): LockEntry | undefined {
  const requests = isStepId(id) ? lock.steps : Object.hasOwn(lock.animations, id) ? lock.animations[id] : undefined
  return requests && Object.hasOwn(requests, hash) ? requests[hash] : undefined
}

/** How far an entry is in its purchase: a result counts more than an execution, and an execution more than bytes. */
export function knowledgeOf(entry: Partial<LockEntry> = {}): number {
  return (entry.result ? 4 : 0) + (entry.execution ? 2 : 0) + (entry.submission ? 1 : 0)
}

/** A request in the lock file. */
export interface LockedRequest {
  /** Undefined for a step: the lock file names steps by their hash alone, because sprites may share them. */
  readonly id: string | undefined
  readonly entry: LockEntry
}

/**
 * All requests of a lock file, by hash. If a request has several names (a rename, a twin), the entry that is furthest
 * in the purchase counts.
 */
export function requestsOf(lock: LockFile): ReadonlyMap<string, LockedRequest> {
  const found = new Map<string, LockedRequest>()
  for (const [id, requests] of [...Object.entries(lock.animations), [undefined, lock.steps ?? {}] as const])
    for (const [hash, entry] of Object.entries(requests)) {
      const before = found.get(hash)
      // A step that is also a picture keeps the name of the picture.
      if (before === undefined || knowledgeOf(entry) > knowledgeOf(before.entry)) found.set(hash, { id: id ?? before?.id, entry })
    }
  return found
}
