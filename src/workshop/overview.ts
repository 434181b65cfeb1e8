import type { PlanStep } from '../build/plan.ts'
import type { SpritewrightError } from '../errors.ts'
import type { SpriteSpec } from '../spec/spec.ts'
import type { LockFile } from '../vault/lockfile.ts'
import { mayBuy } from './build.ts'
import { isAbout, staleOf } from './changed-specs.ts'
import type { Workshop } from './counter.ts'
import { othersOf, serviceOf } from './due.ts'
import type { Overview, OverviewItem } from './overview-report.ts'
import type { SessionKeeper } from './session.ts'
import type { Shop } from './shop.ts'
import { type BookedSpecs, createSpecBook } from './spec-book.ts'
import { surveyWishes, toWishes } from './survey.ts'
import { readTakes } from './takes.ts'

/** Where one sprite stands. */
interface Part {
  readonly spec: SpriteSpec
  readonly items: readonly OverviewItem[]
  /** Those that name this sprite. */
  readonly steps: readonly PlanStep[]
  readonly others: readonly string[]
  readonly errors: readonly SpritewrightError[]
}

/** What was read last, by name. */
interface Seen {
  readonly lock: LockFile
  readonly parts: ReadonlyMap<string, Part>
}

/** Tells where everything stands, by the project's own papers; nothing is thrown for a broken spec. Remembers what it has read, so that a saved spec costs as much as that one sprite. */
export function createOverviewer(shop: Shop, keeper: SessionKeeper): Workshop['overview'] {
  const book = createSpecBook(shop)
  let seen: Seen | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const read = async (changed: readonly string[] | undefined): Promise<Overview> => {
    const before = seen
    // What fails in between leaves nothing to go on from.
    seen = undefined
    const specs = await book.read(before && changed)
    const stale = staleOf(specs.specs, before && changed)
    const { lock, parts } = before && stale !== 'all' ? before : { lock: await shop.lock.read(), parts: new Map<string, Part>() }
    // What is wrong is looked at again: its cause may lie where nobody looks.
    const isKnown = (spec: SpriteSpec): boolean => {
      const part = parts.get(spec.name)
      return part?.spec === spec && part.errors.length === 0 && stale !== 'all' && !stale.has(spec.name)
    }
    const kept = specs.specs.flatMap((spec) => (isKnown(spec) ? [[spec.name, parts.get(spec.name) as Part] as const] : []))
    const fresh = await readParts(
      shop,
      keeper,
      specs.specs.filter((spec) => !isKnown(spec)),
      lock,
    )
    seen = { lock, parts: new Map([...kept, ...fresh]) }
    return toOverview(shop, keeper, specs, seen.parts)
  }
  return (changed) => {
    const run = turn.then(() => read(changed))
    turn = run.catch(() => undefined)
    return run
  }
}

async function readParts(
  shop: Shop,
  keeper: SessionKeeper,
  specs: readonly SpriteSpec[],
  lock: LockFile,
): Promise<readonly (readonly [string, Part])[]> {
  if (specs.length === 0) return []
  const found = await surveyWishes(shop, await toWishes(shop, { specs, errors: [] }), lock, { host: keeper.host })
  const takes = await readTakes(shop, keeper, found)
  const items = groupBy(
    found.items.map((item, index): OverviewItem => ({ ...item, takes: takes[index] ?? [] })),
    ({ spec }) => spec.name,
  )
  const steps = groupBy(
    found.steps.flatMap((step) => step.sprites.map((name) => ({ name, step }))),
    ({ name }) => name,
  )
  const others = await othersOf(shop, found)
  return specs.map((spec, at) => {
    const own = items.get(spec.name) ?? []
    const ownSteps = (steps.get(spec.name) ?? []).map(({ step }) => ({ ...step, sprites: [spec.name] }))
    return [
      spec.name,
      {
        spec,
        items: own,
        steps: ownSteps,
        others: [...own, ...ownSteps].flatMap(({ id }) => (others.has(id) ? [id] : [])),
        errors: found.errors.filter((error) => isAbout(spec, error) || (at === 0 && !specs.some((other) => isAbout(other, error)))),
      },
    ] as const
  })
}

function groupBy<T>(all: readonly T[], nameOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(nameOf(one))
    if (group) group.push(one)
    else groups.set(nameOf(one), [one])
  }
  return groups
}

function toOverview(
  shop: Shop,
  keeper: SessionKeeper,
  { specs, errors, digests }: BookedSpecs,
  parts: ReadonlyMap<string, Part>,
): Overview {
  const all = specs.flatMap(({ name }) => parts.get(name) ?? [])
  return {
    items: all.flatMap(({ items }) => items),
    steps: joinSteps(all.flatMap(({ steps }) => steps)),
    others: new Set(all.flatMap(({ others }) => others)),
    digests,
    // A picture that cannot be read may be that of several.
    errors: [...new Set([...errors, ...all.flatMap((part) => part.errors)])],
    warnings: [...shop.warnings],
    mayBuy: mayBuy(shop, {}),
    service: serviceOf(shop, keeper),
  }
}

/** A step that several sprites need is one, with all of their names. */
function joinSteps(all: readonly PlanStep[]): readonly PlanStep[] {
  const steps = new Map<string, PlanStep>()
  for (const step of all) {
    const key = step.hash ?? step.id
    const before = steps.get(key)
    steps.set(key, before ? { ...before, sprites: [...before.sprites, ...step.sprites] } : step)
  }
  return [...steps.values()]
}
