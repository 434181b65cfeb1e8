import { basename, join } from 'node:path'
import type { SpritewrightError } from '../../errors.ts'
import { isInside } from '../../host/real-path.ts'
import { recordsPath } from '../../host/watch.ts'
import type { Context } from '../../project/context.ts'
import type { PlanItem, PlanStep } from '../../project/plan.ts'
import { type Survey, unknownIdentity } from '../../project/survey.ts'
import type { OwnAnimation } from '../../project/wanted.ts'
import { groupBy } from '../../sheets/group.ts'
import { spriteOf } from '../../sprite-spec/request.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import { findEntry, formatEntry, type LockEntry, type LockFile } from '../../vault/lockfile.ts'
import { isAbout, staleOf } from './changed-specs.ts'

/** An item, with its takes if the reader has asked for them. */
type Item = PlanItem & { readonly takes?: readonly unknown[] }

/** A survey's part about one sprite. */
export interface SpritePart<T extends Item = Item> {
  readonly spec: SpriteSpec
  readonly items: readonly T[]
  readonly own: readonly OwnAnimation[]
  /** The steps that it needs, with ids of this sprite. */
  readonly steps: readonly PlanStep[]
  /** Whether its chains have steps that are not among them. */
  readonly lacksSteps: boolean
  readonly errors: readonly SpritewrightError[]
}

/** The sprites of one reader, as it last read them. */
export interface SpriteMemory<Part extends SpritePart> {
  /**
   * Forgets the sprites that changed files may be about, and those with errors: the cause may be in an unwatched file.
   *
   * @param specs All that are valid now.
   * @param changed Absolute paths, or `recordsPath`; `undefined` if they are unknown: then everything is forgotten.
   */
  note(specs: readonly SpriteSpec[], changed: readonly string[] | undefined): Promise<NotedRecords>
  get(spec: SpriteSpec): Part | undefined
  put(parts: readonly Part[]): void
}

/** The lock file of all sprites in a memory, and whether records may have changed since the last call. */
export interface NotedRecords {
  readonly lock: LockFile
  readonly isChanged: boolean
}

/**
 * Creates the memory of one reader. Records of the journal change without a notice, but those of a bought sprite do not
 * without another entry in the lock file or another result. So only bought sprites are kept when records change.
 */
export function createSpriteMemory<Part extends SpritePart>({ options, lock: { path: lockPath, read } }: Context): SpriteMemory<Part> {
  const results = join(options.store.dir, 'results')
  const isRecord = (path: string): boolean => path === recordsPath || path === lockPath || (path !== results && isInside(results, path))
  let parts = new Map<SpriteSpec, Part>()
  let lock: LockFile | undefined
  return {
    note: async (specs, changed) => {
      const records = changed?.filter(isRecord) ?? []
      const stale = staleOf(
        specs,
        changed?.filter((path) => !isRecord(path)),
      )
      const [before, known] = [stale === 'all' ? undefined : lock, parts]
      // An error leaves nothing that a later call builds on.
      parts = new Map()
      lock = undefined
      const isChanged = before === undefined || records.length > 0
      const now = isChanged ? await read() : before
      if (before && stale !== 'all') {
        const there = new Set(specs)
        const isKept = (part: Part): boolean => there.has(part.spec) && !stale.has(part.spec.name) && part.errors.length === 0
        const changes = isChanged ? changesOf(before, now, records) : undefined
        parts = new Map([...known].filter(([, part]) => isKept(part) && (!changes || isAtRest(part, before, changes))))
      }
      lock = now
      return { lock: now, isChanged }
    },
    get: (spec) => parts.get(spec),
    put: (fresh) => {
      for (const part of fresh) parts.set(part.spec, part)
    },
  }
}

/** What has changed in the records. */
interface RecordChanges {
  /** Ids, request hashes and services of entries of the lock file. A step has no id there. */
  readonly ids: ReadonlySet<string>
  readonly hashes: ReadonlySet<string>
  readonly services: ReadonlySet<string>
  /** Results that came or went. */
  readonly results: ReadonlySet<string>
}

function changesOf(before: LockFile, now: LockFile, records: readonly string[]): RecordChanges {
  const [ids, hashes, services] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const old = before === now ? new Map<string, Requests>() : requestsById(before)
  const fresh = before === now ? old : requestsById(now)
  for (const id of new Set([...old.keys(), ...fresh.keys()])) {
    const [was, is] = [old.get(id) ?? {}, fresh.get(id) ?? {}]
    if (was === is) continue
    for (const hash of Object.keys({ ...was, ...is })) {
      if (formatEntry(was[hash]) === formatEntry(is[hash])) continue
      ids.add(id)
      hashes.add(hash)
      for (const entry of [was[hash], is[hash]]) if (entry) services.add(serviceOf(entry))
    }
  }
  // Other names in the folder are of files that are being written.
  return { ids, hashes, services, results: new Set(records.map((path) => basename(path).slice(0, 64))) }
}

type Requests = Readonly<Record<string, LockEntry>>

function requestsById({ animations, steps = {} }: LockFile): ReadonlyMap<string, Requests> {
  return new Map([...Object.entries(animations), ['#', steps]])
}

function serviceOf({ service: { host, keyMode, apiVersion } }: LockEntry): string {
  return JSON.stringify([host, keyMode, apiVersion])
}

/**
 * Whether all of a sprite is bought, and no change is about it. An entry of another service may be of the same request,
 * which has another hash there.
 */
function isAtRest({ items, steps, lacksSteps }: SpritePart, lock: LockFile, changes: RecordChanges): boolean {
  // The states of other takes depend on more requests.
  if (items.length === 0 || lacksSteps || items.some(({ takes = [] }) => takes.length > 1)) return false
  return [...items, ...steps].every(({ id, hash, state, result }) => {
    if (state !== 'bought' || hash === undefined || result === undefined) return false
    if (changes.ids.has(id) || changes.hashes.has(hash) || changes.results.has(result)) return false
    const entry = changes.services.size > 0 ? findEntry(lock, id, hash) : undefined
    return changes.services.size === 0 || (entry !== undefined && [...changes.services].every((one) => one === serviceOf(entry)))
  })
}

/** Divides a survey of some specs into their parts. An error that is about none of them goes to the first. */
export function partsOf<T extends Item>(
  specs: readonly SpriteSpec[],
  {
    items: all,
    wanted,
    own,
    steps: needed,
    errors,
  }: Pick<Survey, 'wanted' | 'own' | 'steps' | 'errors'> & { readonly items: readonly T[] },
): readonly SpritePart<T>[] {
  const items = groupBy(all, ({ spec }) => spec)
  const art = groupBy(own, ({ spec }) => spec)
  const chains = groupBy(wanted, ({ spec }) => spec)
  const steps = groupBy(
    needed.flatMap((step) => step.sprites.map((name) => toOwnStep(step, name))),
    ({ sprites }) => sprites[0],
  )
  const others = errors.filter((error) => !specs.some((spec) => isAbout(spec, error)))
  return specs.map((spec, at) => {
    const ownSteps = steps.get(spec.name) ?? []
    const ids = new Set(ownSteps.flatMap((step) => step.ids))
    return {
      spec,
      items: items.get(spec) ?? [],
      own: art.get(spec) ?? [],
      steps: ownSteps,
      lacksSteps: (chains.get(spec) ?? []).some((target) => target.requests(unknownIdentity).steps.some(({ id }) => !ids.has(id))),
      errors: [...errors.filter((error) => isAbout(spec, error)), ...(at === 0 ? others : [])],
    }
  })
}

/** A step under the names that one sprite has for it. Other sprites that need it may ask for another step tomorrow. */
function toOwnStep(step: PlanStep, name: string): PlanStep {
  const ids = step.ids.filter((one) => spriteOf(one) === name)
  const [id = step.id] = ids
  return { ...step, id, request: { ...step.request, id }, sprites: [name], ids }
}
