import type { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import { type PlanStep, type Quote, standingOf } from '../../project/plan.ts'
import { askQuotes, priceKey } from '../../project/quotes.ts'
import { listOrphans, toOrphanOrder } from '../../project/recovery/unasked.ts'
import type { ServiceConnection, Session } from '../../project/session.ts'
import { isToBuy } from '../../project/states.ts'
import { listedSteps, readFacts, survey, surveyWanted } from '../../project/survey.ts'
import { brokenOthers, type OwnAnimation } from '../../project/wanted.ts'
import { groupBy } from '../../sheets/group.ts'
import { spriteOf } from '../../sprite-spec/request.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import type { LockFile } from '../../vault/lockfile.ts'
import type { Workshop } from '../api/api.ts'
import type { Overview, OverviewItem, OverviewOrphan, PriceList } from '../api/overview-report.ts'
import { mayBuy } from '../may-buy.ts'
import { isAbout, staleOf } from '../sheets/changed-specs.ts'
import { readNewSpritePrice } from './new-sprite.ts'
import { serviceOf } from './pending-purchases.ts'
import type { BookedSpecs, SpecReader } from './spec-book.ts'
import { readTakes } from './takes.ts'

/** The state of one sprite. */
interface Part {
  readonly spec: SpriteSpec
  readonly items: readonly OverviewItem[]
  readonly own: readonly OwnAnimation[]
  /** The steps that it needs, with ids of this sprite. */
  readonly steps: readonly PlanStep[]
  readonly errors: readonly SpritewrightError[]
}

/** The sprites as they were last read, by name. */
interface Seen {
  readonly lock: LockFile
  readonly parts: ReadonlyMap<string, Part>
  /** Requests that may have been paid and whose results are not here, whether a spec asks for them or not. */
  readonly open: readonly OverviewOrphan[]
}

/**
 * Creates a reader of all states, by the project's own records. It throws nothing for a broken spec. It
 * remembers what it has read, so that a saved spec costs as much as one sprite.
 */
export function createOverviewer(context: Context, connection: ServiceConnection, book: SpecReader): Workshop['overview'] {
  let seen: Seen | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const read = async (changed: readonly string[] | undefined): Promise<Overview> => {
    const before = seen
    // An error in between leaves nothing to continue from.
    seen = undefined
    const specs = await book.read(before && changed)
    const stale = staleOf(specs.specs, before && changed)
    const { lock, parts, open } = before && stale !== 'all' ? before : await readAnew(context, connection)
    // Sprites with errors are read again each time: the cause may be in an unwatched file.
    const isKnown = (spec: SpriteSpec): boolean => {
      const part = parts.get(spec.name)
      return part?.spec === spec && part.errors.length === 0 && stale !== 'all' && !stale.has(spec.name)
    }
    const kept = specs.specs.flatMap((spec) => (isKnown(spec) ? [[spec.name, parts.get(spec.name) as Part] as const] : []))
    const fresh = await readParts(
      context,
      connection,
      book,
      specs.specs.filter((spec) => !isKnown(spec)),
      lock,
    )
    seen = { lock, parts: new Map([...kept, ...fresh]), open }
    return toOverview(context, connection, specs, seen)
  }
  return (changed) => {
    const run = turn.then(() => read(changed))
    turn = run.catch(() => undefined)
    return run
  }
}

/** Everything that is known before any sprite is read. */
async function readAnew(context: Context, { host }: ServiceConnection): Promise<Seen> {
  const lock = await context.lock.read()
  const open = (await listOrphans(context, [], new Set())).filter(({ entry }) => host === undefined || entry.service.host === host)
  const facts = await readFacts(
    context,
    lock,
    open.map(({ id, hash }) => [id, hash]),
    undefined,
  )
  const orphans = open.map((one) => ({
    ...standingOf(facts, one.id, one.hash),
    id: one.id,
    hash: one.hash,
    request: toOrphanOrder(one).request,
  }))
  return { lock, parts: new Map(), open: orphans }
}

async function readParts(
  context: Context,
  connection: ServiceConnection,
  book: SpecReader,
  specs: readonly SpriteSpec[],
  lock: LockFile,
): Promise<readonly (readonly [string, Part])[]> {
  if (specs.length === 0) return []
  const found = await surveyWanted(context, await book.wanted(specs), lock, { host: connection.host })
  const takes = await readTakes(context, connection, found)
  const items = groupBy(
    found.items.map((item, index): OverviewItem => ({ ...item, takes: takes[index] ?? [] })),
    ({ spec }) => spec.name,
  )
  const steps = groupBy(
    found.steps.flatMap((step) => step.sprites.map((name) => ({ name, step: toOwnStep(step, name) }))),
    ({ name }) => name,
  )
  return specs.map((spec, at) => {
    return [
      spec.name,
      {
        spec,
        items: items.get(spec.name) ?? [],
        own: found.own.filter((one) => one.spec === spec),
        steps: (steps.get(spec.name) ?? []).map(({ step }) => step),
        errors: found.errors.filter((error) => isAbout(spec, error) || (at === 0 && !specs.some((other) => isAbout(other, error)))),
      },
    ] as const
  })
}

function toOverview(
  context: Context,
  connection: ServiceConnection,
  { specs, errors, digests }: BookedSpecs,
  { parts, open }: Seen,
): Overview {
  const all = specs.flatMap(({ name }) => parts.get(name) ?? [])
  const items = all.flatMap((part) => part.items)
  const steps = listedSteps({ items, steps: joinSteps(all.flatMap((part) => part.steps)) })
  const asked = new Set([...items, ...steps].map(({ hash }) => hash))
  return {
    items,
    own: all.flatMap((part) => part.own),
    steps,
    orphans: open.filter(({ hash }) => !asked.has(hash)),
    digests,
    // Several sprites may share an unreadable picture.
    errors: [...new Set([...errors, ...all.flatMap((part) => part.errors)])],
    // Of broken specs, `errors` says more, and nothing after they are mended.
    warnings: context.warnings.filter((warning) => !brokenOthers.test(warning)),
    mayBuy: mayBuy(context, {}),
    service: serviceOf(context, connection),
  }
}

/** A step under the names that one sprite has for it. Other sprites that need it may ask for another step tomorrow. */
function toOwnStep(step: PlanStep, name: string): PlanStep {
  const ids = step.ids.filter((one) => spriteOf(one) === name)
  const [id = step.id] = ids
  return { ...step, id, request: { ...step.request, id }, sprites: [name], ids }
}

/** Merges a step of several sprites into one, under the name of the first sprite, with all of their names. */
function joinSteps(all: readonly PlanStep[]): readonly PlanStep[] {
  const steps = new Map<string, PlanStep>()
  for (const step of all) {
    const key = step.hash ?? step.id
    const before = steps.get(key)
    steps.set(key, before ? { ...before, sprites: [...before.sprites, ...step.sprites], ids: [...before.ids, ...step.ids] } : step)
  }
  return [...steps.values()]
}

/**
 * Asks the service for the balance and for the prices of everything that is not bought. Broken specs are left
 * out.
 */
export async function readPrices(context: Context, session: Session, signal: AbortSignal): Promise<PriceList> {
  const { items, steps } = await survey(context, [], { identity: session.identity })
  const quotes = askQuotes(session, signal)
  const priced = new Map<string, Quote>()
  for (const { request } of [...items, ...steps].filter(isToBuy)) priced.set(priceKey(request), await quotes.of(request))
  return {
    of: (request) => priced.get(priceKey(request)),
    newSprite: await readNewSpritePrice(quotes),
    balance: await session.client.balance(signal),
    service: { host: session.identity.host, keyMode: session.identity.keyMode },
    at: context.host.clock.wall(),
  }
}
