import { parseCredits } from '../credit/credits.ts'
import type { Shop } from '../project/context.ts'
import { isFetchable, listOrphans, ofPresentServices, tellOrphan } from '../project/orphans.ts'
import type { SessionKeeper } from '../project/session.ts'
import { listStrays } from '../project/strays.ts'
import { isUnsent, type Survey, survey, throwAll } from '../project/survey.ts'
import type { ServiceIdentity } from '../spec/request.ts'
import type { BuildReport, BuildRequest } from './api/api.ts'
import type { Bought } from './buy.ts'
import { mayBuy } from './may-buy.ts'
import { bringHome, mendLock } from './recovery/reconcile.ts'
import { keepLayout } from './sheets/layout-file.ts'
import { assemble } from './sheets/sheets.ts'

/**
 * From specs to sheets: buys what is approved, fetches what is in flight or lost, packs. Where everything is bought and here, the service is not asked and no key is needed.
 */
export async function build(shop: Shop, keeper: SessionKeeper, request: BuildRequest): Promise<BuildReport> {
  const names = request.names ?? []
  const first = await survey(shop, names, { host: keeper.host })
  if (request.approvedOnly !== true) throwAll(first.errors)
  const unbought = shop.options.build.unbought
  let found = first
  let crew: Bought = { purchases: [], failures: [] }
  let identity: ServiceIdentity | undefined
  if (first.items.some((item) => item.state !== 'bought')) {
    const bought = await bring(shop, keeper, request, first)
    crew = bought.crew
    found = bought.found
    identity = bought.identity
    const failures = crew.failures.map(({ error }) => error)
    if (request.signal?.aborted) throwAll(failures.slice(0, 1))
    throwAll(failures)
  }
  if (request.frozen !== true) await lookForOrphans(shop, keeper, request, found)
  if (mayBuy(shop, request)) await mendLock(shop, found, identity)
  await bringHome(shop, found)
  const fresh = new Set(crew.purchases.filter(({ isFresh }) => isFresh).map(({ id }) => id))
  const sheets = request.buyOnly
    ? { sprites: [], atlases: [] }
    : // What was bought just now is looked at; of the rest is told what is known.
      await assemble(shop, found, 'group', unbought, { isJudged: (id) => fresh.has(id), signal: request.signal })
  await keepLayout(shop, sheets, request)
  return {
    sheets,
    bought: crew.purchases.flatMap((item) =>
      item.credits === undefined || !item.isFresh ? [] : [{ id: item.id, credits: parseCredits(item.credits) }],
    ),
    fromVault: first.items.filter((item) => item.state === 'bought').length,
    ...(crew.balance ? { balance: crew.balance } : {}),
    warnings: shop.warnings,
  }
}

/** Brings home what is finished of requests that no spec asks for any more. It keeps nobody from building: a service that cannot be asked is told. */
async function lookForOrphans(shop: Shop, keeper: SessionKeeper, request: BuildRequest, found: Survey): Promise<void> {
  const asked = new Set([...found.items, ...found.steps].flatMap(({ hash }) => hash ?? []))
  const all = ofPresentServices(await listOrphans(shop, request.names ?? [], asked), found)
  const orphans = all.filter(isFetchable)
  for (const orphan of all) if (!isFetchable(orphan)) tellOrphan(shop, orphan)
  const strays = ofPresentServices(await listStrays(shop, request.names ?? [], found), found)
  if ((orphans.length === 0 && strays.length === 0) || !canAsk(shop, keeper)) return
  const run = { onProgress: request.onProgress ?? (() => {}), signal: request.signal ?? new AbortController().signal }
  try {
    const { fetchOrphans, fetchStrays } = await import('./on-demand.ts')
    const session = await keeper.open(run.signal)
    await fetchOrphans(shop, session, orphans, run)
    if (strays.length > 0) await fetchStrays(shop, session, strays, run.signal)
  } catch (error) {
    const ids = [...new Set([...orphans, ...strays].map(({ id }) => id))].join(', ')
    shop.warnings.push(
      `${ids}: what no spec waits for any more is still at the service, which could not be asked: ${(error as Error).message}`,
    )
  }
}

function canAsk(shop: Shop, keeper: SessionKeeper): boolean {
  return keeper.host !== undefined && (shop.options.service === 'embedded' || shop.credentials.key !== undefined)
}

async function bring(
  shop: Shop,
  keeper: SessionKeeper,
  request: BuildRequest,
  first: Survey,
): Promise<{ crew: Bought; found: Survey; identity?: ServiceIdentity }> {
  const names = request.names ?? []
  const allowsPlaceholders = request.approvedOnly === true || (shop.options.build.unbought === 'placeholder' && request.frozen !== true)
  const open = first.items.filter((item) => item.state !== 'bought')
  // Without a key nothing can be priced or fetched: where nothing may be bought anyway, that is the answer, and the key is no part of it.
  if (!canAsk(shop, keeper) && open.every(isUnsent)) {
    if (allowsPlaceholders) return { crew: { purchases: [], failures: [] }, found: first }
    if (!mayBuy(shop, request)) throw await (await import('./on-demand.ts')).missingError(shop, open, undefined, false)
  }
  const signal = request.signal ?? new AbortController().signal
  const { buy } = await import('./on-demand.ts')
  const session = await keeper.open(signal)
  const crew = await buy(shop, session, {
    names,
    mayBuy: mayBuy(shop, request),
    allowsPlaceholders,
    approvedOnly: request.approvedOnly === true,
    onProgress: request.onProgress ?? (() => {}),
    signal,
  })
  const found = await survey(shop, names, { identity: session.identity })
  return { crew, found, identity: session.identity }
}
