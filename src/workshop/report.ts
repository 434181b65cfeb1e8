import { sumCredits } from '../credit/credits.ts'
import type { Context } from '../project/context.ts'
import { listOrphans, warnOfOrphan } from '../project/orphans.ts'
import type { PlanItem, PlanStep, Standing } from '../project/plan.ts'
import { askQuotes } from '../project/quotes.ts'
import type { SessionKeeper } from '../project/session.ts'
import { listStrays, warnOfStray } from '../project/strays.ts'
import { checkReferences, isUnsent, type Survey, survey, throwAll } from '../project/survey.ts'
import type { PaidRequest } from '../spec/request.ts'
import type { PlanReport } from './api/api.ts'
import { findQuality } from './review.ts'

/** Where everything stands, by the project's own papers. */
export async function readStatus(context: Context, keeper: SessionKeeper, names: readonly string[]): Promise<PlanReport> {
  const found = await survey(context, names, { host: keeper.host })
  throwAll(found.errors)
  await tellOrphans(context, names, found)
  return { items: found.items, steps: found.steps, total: 0n, warnings: context.warnings }
}

/** The same with what was found out about the frames of what is bought. */
export async function readFullStatus(context: Context, keeper: SessionKeeper, names: readonly string[]): Promise<PlanReport> {
  const status = await readStatus(context, keeper, names)
  // Groups are made of all sprites, so that what a build has kept is found under the names of all.
  const all = await survey(context, [], { host: keeper.host })
  const ids = new Set(status.items.map(({ id }) => id))
  return { ...status, quality: await findQuality(context, all, ids) }
}

/** The same with today's prices of what is not bought; the service is asked only then. */
export async function makePlan(
  context: Context,
  keeper: SessionKeeper,
  names: readonly string[],
  signal: AbortSignal,
): Promise<PlanReport> {
  const status = await readStatus(context, keeper, names)
  if (!status.items.some(isUnsent)) return status
  const session = await keeper.open(signal)
  const found = await survey(context, names, { identity: session.identity })
  await checkReferences(context, found.items, session.capabilities)
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
    warnings: context.warnings,
  }
}

/** What is in flight for specs as they were: nobody would look for it otherwise. */
async function tellOrphans(context: Context, names: readonly string[], found: Survey): Promise<void> {
  const asked = new Set([...found.items, ...found.steps].flatMap(({ hash }) => hash ?? []))
  for (const orphan of await listOrphans(context, names, asked)) warnOfOrphan(context, orphan)
  for (const stray of await listStrays(context, names, found)) warnOfStray(context, stray)
}
