import { identify, type PlanItem, type PlanState, standingOf } from '../build/plan.ts'
import { requestHash } from '../spec/key.ts'
import { findSpecs } from '../spec/scan.ts'
import type { LockFile } from '../vault/lockfile.ts'
import { sha256 } from '../vault/objects.ts'
import { mayBuy } from './build.ts'
import { approvalOf } from './orders.ts'
import type { DueOrder, DueReport, Overview, OverviewService } from './overview-report.ts'
import { findQuality } from './review.ts'
import type { SessionKeeper } from './session.ts'
import { readBuyer, type Shop } from './shop.ts'
import { readFacts, type Survey, survey, type Wish } from './survey.ts'

/** Where everything stands, by the project's own papers. Nothing is thrown for a broken spec. */
export async function readOverview(shop: Shop, keeper: SessionKeeper): Promise<Overview> {
  // Read before the specs: a file that changes in between is refused later, and never overwritten.
  const digests = await readDigests(shop)
  const found = await survey(shop, [], { host: keeper.host })
  const takes = await readTakes(shop, keeper, found)
  const items = found.items.map((item, index) => ({ ...item, takes: takes[index] ?? [] }))
  const ids = new Set(found.items.flatMap(({ id, state }) => (state === 'bought' ? [id] : [])))
  return {
    items,
    steps: found.steps,
    others: await othersOf(shop, found),
    quality: await findQuality(shop, found, ids),
    digests,
    errors: found.errors,
    warnings: [...shop.warnings],
    mayBuy: mayBuy(shop, {}),
    service: serviceOf(shop, keeper),
  }
}

/** What was approved in this checkout and is not at its end; nothing where nothing may be bought or nobody could be asked. The service is not asked; nothing is written. */
export async function readDue(shop: Shop, keeper: SessionKeeper): Promise<DueReport> {
  // A test of a game that starts its dev server buys nothing, and follows nothing.
  if (shop.host.env.VITEST !== undefined) return { orders: [], mayBuy: false, canAsk: false }
  const [isAllowed, { canAsk }] = [mayBuy(shop, {}), serviceOf(shop, keeper)]
  // What nobody could go on with need not be looked for.
  if (!isAllowed || !canAsk) return { orders: [], mayBuy: isAllowed, canAsk }
  const found = await survey(shop, [], { host: keeper.host })
  const others = await othersOf(shop, found)
  const orders = found.items.flatMap((item): DueOrder[] => {
    const { id, state, hash, ceiling } = item
    const isOurs = state === 'running' || state === 'lost' || (state === 'approved' && !others.has(id))
    if (!isOurs || hash === undefined) return []
    return [{ id, state, mark: markOf(found, item), ...(ceiling === undefined ? {} : { ceiling }) }]
  })
  return { orders, mayBuy: isAllowed, canAsk }
}

/** The order and all steps that it waits for: the approval's time, the execution, the question. */
function markOf({ steps, lock }: Survey, item: PlanItem): string {
  const own = [item, ...steps.filter(({ sprites }) => sprites.includes(item.spec.name))]
  return JSON.stringify(
    own.map(({ id, hash, state, executionId, question }) => [
      id,
      state,
      hash === undefined ? null : (approvalOf(lock, id, hash)?.at ?? null),
      executionId ?? null,
      question?.questionId ?? null,
    ]),
  )
}

async function othersOf(shop: Shop, { items, steps, lock }: Survey): Promise<ReadonlySet<string>> {
  const approved = [...items, ...steps].filter(({ state }) => state === 'approved')
  if (approved.length === 0) return new Set()
  const buyer = await readBuyer(shop)
  return new Set(approved.flatMap(({ id, hash = '' }) => (approvalOf(lock, id, hash)?.buyer === buyer ? [] : [id])))
}

async function readDigests(shop: Shop): Promise<ReadonlyMap<string, string>> {
  const { disk, glob } = shop.host
  const digests = new Map<string, string>()
  for (const file of await findSpecs(glob, shop.options.root, shop.options.specs)) {
    // One that goes meanwhile is told by whoever reads the specs.
    const bytes = await disk.read(file).catch(() => undefined)
    if (bytes) digests.set(file, sha256(bytes))
  }
  return digests
}

/** The takes of each animation, in the order of the items. */
async function readTakes(
  shop: Shop,
  keeper: SessionKeeper,
  { wishes, items, lock }: Survey,
): Promise<readonly (readonly { readonly take: number; readonly state: PlanState }[])[]> {
  const others = items.map((item, index) => otherTakes(keeper, lock, wishes[index] as Wish, item))
  const asked = others.flat().map(([id, hash]) => [id, hash] as const)
  const facts = await readFacts(shop, lock, asked, undefined)
  return items.map((item, index) =>
    [
      { take: item.animation.take, state: item.state },
      ...(others[index] ?? []).map(([id, hash, take]) => ({ take, state: standingOf(facts, id, hash).state })),
    ].sort((a, b) => a.take - b.take),
  )
}

/** What the lock file has of the same request under another number. */
function otherTakes(
  keeper: SessionKeeper,
  lock: LockFile,
  wish: Wish,
  { id, animation }: PlanItem,
): readonly (readonly [id: string, hash: string, take: number])[] {
  const entries = Object.hasOwn(lock.animations, id) ? Object.values(lock.animations[id] ?? {}) : []
  const numbers = new Set(entries.flatMap(({ asked }) => asked.take ?? []))
  numbers.delete(animation.take)
  return [...numbers].flatMap((take) => {
    const found = identify(id, (identity) => requestHash({ ...wish.requests(identity).sheet, take }, identity), lock, { host: keeper.host })
    return found ? [[id, found.hash, take] as const] : []
  })
}

/** What is known of the service without asking it. */
export function serviceOf({ options, credentials }: Shop, { host }: SessionKeeper): OverviewService {
  if (options.service === 'embedded') return { kind: 'embedded', host: 'embedded', canAsk: true }
  if (host === undefined) return { kind: 'none', canAsk: false }
  return { kind: 'remote', host, canAsk: credentials.key !== undefined }
}
