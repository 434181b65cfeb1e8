import { parseCredits } from '../credit/credits.ts'
import { type Bought, buy } from './buy.ts'
import type { BuildReport, BuildRequest } from './counter.ts'
import { bringHome, mendLock } from './mend.ts'
import { missingError } from './missing.ts'
import { listOrphans } from './orphans.ts'
import type { SessionKeeper } from './session.ts'
import { assemble } from './sheets.ts'
import type { Shop } from './shop.ts'
import { isUnsent, type Survey, survey, throwAll } from './survey.ts'

/**
 * From specs to sheets: buys what is approved, fetches what is in flight or lost, packs. Where everything is bought and here, the service is not asked and no key is needed.
 */
export async function build(shop: Shop, keeper: SessionKeeper, request: BuildRequest): Promise<BuildReport> {
  const names = request.names ?? []
  const first = await survey(shop, names, { host: keeper.host })
  throwAll(first.errors)
  const unbought = shop.options.build.unbought
  let found = first
  let crew: Bought = { purchases: [], failures: [] }
  if (first.items.some((item) => item.state !== 'bought') || (await hasOrphans(shop, keeper, names, first))) {
    const bought = await bring(shop, keeper, request, first)
    crew = bought.crew
    found = bought.found
    const failures = crew.failures.map(({ error }) => error)
    if (request.signal?.aborted) throwAll(failures.slice(0, 1))
    throwAll(failures)
  }
  if (request.frozen !== true && shop.options.build.generate === 'approved') await mendLock(shop, found)
  await bringHome(shop, found)
  const sheets = request.buyOnly ? { sprites: [], atlases: [] } : await assemble(shop, found, 'group', unbought)
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

/** Something in flight that no spec asks for any more is worth asking the service, where it can be asked. */
async function hasOrphans(shop: Shop, keeper: SessionKeeper, names: readonly string[], { items, steps }: Survey): Promise<boolean> {
  if (!canAsk(shop, keeper)) return false
  return (await listOrphans(shop, names, new Set([...items, ...steps].flatMap(({ hash }) => hash ?? [])))).length > 0
}

function canAsk(shop: Shop, keeper: SessionKeeper): boolean {
  return keeper.host !== undefined && (shop.options.service === 'embedded' || shop.credentials.key !== undefined)
}

async function bring(shop: Shop, keeper: SessionKeeper, request: BuildRequest, first: Survey): Promise<{ crew: Bought; found: Survey }> {
  const names = request.names ?? []
  const allowsPlaceholders = shop.options.build.unbought === 'placeholder' && request.frozen !== true
  const mayBuy = request.frozen !== true && shop.options.build.generate === 'approved' && (!shop.options.isCi || isNamedBuyer(shop))
  const open = first.items.filter((item) => item.state !== 'bought')
  // Without a key nothing can be priced or fetched: where nothing may be bought anyway, that is the answer, and the key is no part of it.
  if (!canAsk(shop, keeper) && open.every(isUnsent)) {
    if (allowsPlaceholders) return { crew: { purchases: [], failures: [] }, found: first }
    if (!mayBuy) throw await missingError(shop, open, undefined, false)
  }
  const signal = request.signal ?? new AbortController().signal
  const session = await keeper.open(signal)
  const crew = await buy(shop, session, { names, mayBuy, allowsPlaceholders, onProgress: request.onProgress ?? (() => {}), signal })
  const found = await survey(shop, names, { identity: session.identity })
  return { crew, found }
}

/** CI buys only as the buyer that an approval names, and that has to be said to it. */
function isNamedBuyer(shop: Shop): boolean {
  const named = shop.host.env.SPRITEWRIGHT_BUYER
  return named !== undefined && named.trim() !== ''
}
