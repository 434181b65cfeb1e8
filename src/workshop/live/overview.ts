import { oneByOne } from '../../host/one-by-one.ts'
import type { Context } from '../../project/context.ts'
import { type PlanStep, type Quote, standingOf } from '../../project/plan.ts'
import { askQuotes, priceKey } from '../../project/quotes.ts'
import { listOrphans, toOrphanOrder } from '../../project/recovery/unasked.ts'
import type { ServiceConnection, Session } from '../../project/session.ts'
import { isToBuy } from '../../project/states.ts'
import { listedSteps, readFacts, survey, surveyWanted } from '../../project/survey.ts'
import { brokenOthers, type WantedAnimations } from '../../project/wanted.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import type { LockFile } from '../../vault/lockfile.ts'
import type { Workshop } from '../api/api.ts'
import type { Overview, OverviewItem, OverviewOrphan, PriceList } from '../api/overview-report.ts'
import { mayBuy } from '../may-buy.ts'
import { createSpriteMemory, partsOf, type SpritePart } from '../sheets/sprite-memory.ts'
import { readNewSpritePrice } from './new-sprite.ts'
import { serviceOf } from './pending-purchases.ts'
import type { BookedSpecs, SpecReader } from './spec-book.ts'
import { readTakes } from './takes.ts'

/**
 * Creates a reader of all states, by the project's own records. It throws nothing for a broken spec. It
 * remembers what it has read, so that a saved spec or a purchase costs as much as one sprite.
 */
export function createOverviewer(context: Context, connection: ServiceConnection, book: SpecReader): Workshop['overview'] {
  const memory = createSpriteMemory<SpritePart<OverviewItem>>(context)
  /** Requests that may have been paid and whose results are not here, whether a spec asks for them or not. */
  let open: readonly OverviewOrphan[] | undefined
  const inOrder = oneByOne()
  const read = async (changed: readonly string[] | undefined): Promise<Overview> => {
    const before = open
    // An error in between leaves nothing to continue from.
    open = undefined
    const specs = await book.read(before && changed)
    const { lock, isChanged } = await memory.note(specs.specs, before && changed)
    const orphans = before && !isChanged ? before : await readOrphans(context, connection, lock)
    const due = specs.specs.filter((spec) => !memory.get(spec))
    if (due.length > 0) memory.put(await readParts(context, connection, await book.wanted(due), due, lock))
    open = orphans
    const parts = specs.specs.flatMap((spec) => memory.get(spec) ?? [])
    return toOverview(context, connection, specs, parts, orphans)
  }
  return (changed) => inOrder(() => read(changed))
}

async function readOrphans(context: Context, { host }: ServiceConnection, lock: LockFile): Promise<readonly OverviewOrphan[]> {
  const open = (await listOrphans(context, [], new Set())).filter(({ entry }) => host === undefined || entry.service.host === host)
  const facts = await readFacts(
    context,
    lock,
    open.map(({ id, hash }) => [id, hash]),
    undefined,
  )
  return open.map((one) => ({ ...standingOf(facts, one.id, one.hash), id: one.id, hash: one.hash, request: toOrphanOrder(one).request }))
}

async function readParts(
  context: Context,
  connection: ServiceConnection,
  wanted: WantedAnimations,
  specs: readonly SpriteSpec[],
  lock: LockFile,
): Promise<readonly SpritePart<OverviewItem>[]> {
  const found = await surveyWanted(context, wanted, lock, { host: connection.host })
  const takes = await readTakes(context, connection, found)
  return partsOf(specs, { ...found, items: found.items.map((item, index): OverviewItem => ({ ...item, takes: takes[index] ?? [] })) })
}

function toOverview(
  context: Context,
  connection: ServiceConnection,
  { errors, digests }: BookedSpecs,
  all: readonly SpritePart<OverviewItem>[],
  open: readonly OverviewOrphan[],
): Overview {
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
    usd: quotes.usd,
    newSprite: await readNewSpritePrice(quotes),
    balance: await session.client.balance(signal),
    service: { host: session.identity.host, keyMode: session.identity.keyMode },
    at: context.host.clock.wall(),
  }
}
