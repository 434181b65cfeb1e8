import { parseCredits } from '../credit/credits.ts'
import { settle } from '../job/deliver.ts'
import { findEntry } from '../vault/lockfile.ts'
import { type Bought, buy } from './buy.ts'
import type { BuildReport, BuildRequest } from './counter.ts'
import { missingError } from './missing.ts'
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
  await carryOver(shop, first)
  const unbought = shop.options.build.unbought
  let found = first
  let crew: Bought = { purchases: [], failures: [] }
  if (first.items.some((item) => item.state !== 'bought')) {
    const bought = await bring(shop, keeper, request, first)
    crew = bought.crew
    found = bought.found
    const failures = crew.failures.map(({ error }) => error)
    if (request.signal?.aborted) throwAll(failures.slice(0, 1))
    throwAll(failures)
  }
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

/** What a crash kept from the lock file is carried over from the journal, without asking anybody: whoever else builds this commit learns of a result from the lock file alone. */
async function carryOver(shop: Shop, found: Survey): Promise<void> {
  const ports = { lock: shop.lock, ledger: shop.ledger, clock: shop.host.clock }
  for (const { id, hash, state, request } of [...found.items, ...found.steps]) {
    const entry = hash === undefined ? undefined : findEntry(found.lock, id, hash)
    if (state !== 'bought' || hash === undefined || !entry || entry.result) continue
    await settle(ports, { hash, request, identity: entry.service, approval: undefined }, await shop.journal.read(hash))
  }
}

async function bring(shop: Shop, keeper: SessionKeeper, request: BuildRequest, first: Survey): Promise<{ crew: Bought; found: Survey }> {
  const names = request.names ?? []
  const allowsPlaceholders = shop.options.build.unbought === 'placeholder' && request.frozen !== true
  const canAsk = keeper.host !== undefined && (shop.options.service === 'embedded' || shop.credentials.key !== undefined)
  const mayBuy = request.frozen !== true && shop.options.build.generate === 'approved' && (!shop.options.isCi || isNamedBuyer(shop))
  const open = first.items.filter((item) => item.state !== 'bought')
  // Without a key nothing can be priced or fetched: where nothing may be bought anyway, that is the answer, and the key is no part of it.
  if (!canAsk && open.every(isUnsent)) {
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
