import { sumCredits } from '../credit/credits.ts'
import type { Shop } from '../project/context.ts'
import { listOrphans, tellOrphan } from '../project/orphans.ts'
import type { PlanItem, PlanStep, Standing } from '../project/plan.ts'
import { askQuotes } from '../project/quotes.ts'
import type { SessionKeeper } from '../project/session.ts'
import { listStrays, tellStray } from '../project/strays.ts'
import { checkReferences, isUnsent, type Survey, survey, throwAll } from '../project/survey.ts'
import type { PaidRequest } from '../spec/request.ts'
import type { PlanReport } from './api/api.ts'
import { findQuality } from './review.ts'

/** Where everything stands, by the project's own papers. */
export async function readStatus(shop: Shop, keeper: SessionKeeper, names: readonly string[]): Promise<PlanReport> {
  const found = await survey(shop, names, { host: keeper.host })
  throwAll(found.errors)
  await tellOrphans(shop, names, found)
  return { items: found.items, steps: found.steps, total: 0n, warnings: shop.warnings }
}

/** The same with what was found out about the frames of what is bought. */
export async function readFullStatus(shop: Shop, keeper: SessionKeeper, names: readonly string[]): Promise<PlanReport> {
  const status = await readStatus(shop, keeper, names)
  // Groups are made of all sprites, so that what a build has kept is found under the names of all.
  const all = await survey(shop, [], { host: keeper.host })
  const ids = new Set(status.items.map(({ id }) => id))
  return { ...status, quality: await findQuality(shop, all, ids) }
}

/** The same with today's prices of what is not bought; the service is asked only then. */
export async function makePlan(shop: Shop, keeper: SessionKeeper, names: readonly string[], signal: AbortSignal): Promise<PlanReport> {
  const status = await readStatus(shop, keeper, names)
  if (!status.items.some(isUnsent)) return status
  const session = await keeper.open(signal)
  const found = await survey(shop, names, { identity: session.identity })
  await checkReferences(shop, found.items, session.capabilities)
  const quotes = askQuotes(session, signal)
  const priced = async <T extends Standing & { readonly request: PaidRequest }>(one: T): Promise<T> =>
    isUnsent(one) ? { ...one, quote: await quotes.of(one.request) } : one
  const items: PlanItem[] = []
  for (const item of found.items) items.push(await priced(item))
  const steps: PlanStep[] = []
  for (const step of found.steps) steps.push(await priced(step))
  return {
    items,
    steps,
    // Two names for one request are bought once.
    total: sumCredits(new Map([...items, ...steps].map((one) => [one.hash ?? one.id, one.quote?.credits ?? 0n])).values()),
    balance: await session.client.balance(signal),
    service: { host: session.identity.host, keyMode: session.identity.keyMode },
    warnings: shop.warnings,
  }
}

/** What is in flight for specs as they were: nobody would look for it otherwise. */
async function tellOrphans(shop: Shop, names: readonly string[], found: Survey): Promise<void> {
  const asked = new Set([...found.items, ...found.steps].flatMap(({ hash }) => hash ?? []))
  for (const orphan of await listOrphans(shop, names, asked)) tellOrphan(shop, orphan)
  for (const stray of await listStrays(shop, names, found)) tellStray(shop, stray)
}
