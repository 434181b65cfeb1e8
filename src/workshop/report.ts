import { basename, dirname, join, relative } from 'node:path'
import { sumCredits } from '../credit/credits.ts'
import { hasCode } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import { decodeText } from '../host/project-style.ts'
import type { Context } from '../project/context.ts'
import type { PlanItem, PlanStep, Standing } from '../project/plan.ts'
import { askQuotes } from '../project/quotes.ts'
import { listUnasked, strayWords, warnOfOrphan } from '../project/recovery/unasked.ts'
import type { ServiceConnection } from '../project/session.ts'
import { isToBuy } from '../project/states.ts'
import { checkReferences, listedSteps, type Survey, survey, surveyWanted, throwAll } from '../project/survey.ts'
import type { PaidRequest } from '../sprite-spec/request.ts'
import { specName } from '../sprite-spec/spec-file.ts'
import type { PlanReport } from './api/reports.ts'
import { mirroredItems } from './mirrored.ts'
import { findQuality } from './review.ts'

/**
 * The state of the named animations by the records of the project alone, with the faults that were found in
 * the frames of bought ones.
 */
export async function readFullStatus(context: Context, connection: ServiceConnection, names: readonly string[]): Promise<PlanReport> {
  // Groups are packed from all sprites, so the cache has results of a build only under the names of all.
  const all = await survey(context, [], { host: connection.host })
  const found = names.length === 0 ? all : await survey(context, names, { host: connection.host })
  const status = await toStatus(context, names, found)
  return { ...status, quality: await findQuality(context, all, new Set(status.items.map(({ id }) => id))) }
}

async function toStatus(context: Context, names: readonly string[], found: Survey): Promise<PlanReport> {
  throwAll(found.errors)
  await warnOfUnasked(context, names, found)
  if (names.length === 0) await warnOfMisnamed(context, found)
  const own = [...new Set(found.own.map(({ spec }) => spec))]
  return {
    items: found.items,
    own,
    ...mirroredItems(found.items, found.lock),
    steps: listedSteps(found),
    total: 0n,
    warnings: context.warnings,
  }
}

/**
 * The state of the named animations, with today's prices of those that are not bought. The service is asked
 * only if there is such an animation. If no worker answers, the report has no prices and a `failure`.
 */
export async function makePlan(
  context: Context,
  connection: ServiceConnection,
  names: readonly string[],
  signal: AbortSignal,
): Promise<PlanReport> {
  const known = await survey(context, names, { host: connection.host })
  const status = await toStatus(context, names, known)
  if (!status.items.some(isToBuy)) return status
  try {
    return await withPrices(context, connection, known, status, signal)
  } catch (error) {
    if (!connection.isRemote || !hasCode(error, 'SW_QUEUE') || signal.aborted) throw error
    return { ...status, failure: error }
  }
}

async function withPrices(
  context: Context,
  connection: ServiceConnection,
  known: Survey,
  status: PlanReport,
  signal: AbortSignal,
): Promise<PlanReport> {
  const session = await connection.open(signal)
  const found = await surveyWanted(context, known, await context.lock.read(), { identity: session.identity })
  await checkReferences(context, found.items, session.capabilities)
  const quotes = askQuotes(session, signal)
  const priced = async <T extends Standing & { readonly request: PaidRequest }>(one: T): Promise<T> =>
    isToBuy(one) ? { ...one, quote: await quotes.of(one.request) } : one
  const items: PlanItem[] = []
  for (const item of found.items) items.push(await priced(item))
  const steps: PlanStep[] = []
  for (const step of listedSteps(found)) steps.push(await priced(step))
  // Two names for one request are bought once.
  const prices = [...new Map([...items, ...steps].map((one) => [one.hash ?? one.id, one.quote ?? []])).values()].flat()
  const withUsd = <T extends PlanItem | PlanStep>(one: T): T =>
    one.quote ? { ...one, quote: { ...one.quote, usd: quotes.usd([one.quote]) } } : one
  return {
    items: items.map(withUsd),
    own: status.own,
    ...mirroredItems(items, found.lock),
    steps: steps.map(withUsd),
    total: sumCredits(prices.map(({ credits }) => credits)),
    usd: quotes.usd(prices),
    balance: await session.client.balance(signal),
    service: { host: session.identity.host, keyMode: session.identity.keyMode },
    warnings: context.warnings,
  }
}

/** Warns of files that look like a spec, beside others or where there is none, and are not named as one. */
async function warnOfMisnamed({ host: { disk, glob }, options: { root }, warnings }: Context, found: Survey): Promise<void> {
  const files = found.wanted.length === 0 ? await glob(root, ['**/*.{json,jsonc,json5,yaml,yml}']) : []
  for (const folder of new Set(found.wanted.map(({ spec }) => dirname(spec.file))))
    for (const name of await disk.list(folder)) files.push(join(folder, name))
  for (const file of files.filter((one) => specName(one) === undefined && /\.(?:jsonc?|json5|ya?ml)$/i.test(one)).slice(0, 200)) {
    if (!(await looksLikeSpec(disk, file).catch(() => false))) continue
    const name = basename(file).replace(/(?:\.sprites?)?(?: ?\(\d+\))?\.\w+$/i, '')
    const path = relative(root, file).replaceAll('\\', '/')
    warnings.push(`${path} looks like a spec, but is ignored: name it ${name}.sprite.json or ${name}.sprite.yaml.`)
  }
}

async function looksLikeSpec(disk: Disk, file: string): Promise<boolean> {
  const stat = await disk.stat(file)
  if (!stat || stat.isFolder || stat.bytes > 100_000) return false
  const text = decodeText(await disk.read(file))
  const has = (field: string): boolean => new RegExp(`^\\s*"?${field}"?\\s*:`, 'm').test(text)
  return (has('prompt') && has('animations')) || (has('reference') && has('pictures'))
}

/** Warns of executions in flight that no current spec asks for. */
async function warnOfUnasked(context: Context, names: readonly string[], found: Survey): Promise<void> {
  const { orphans, strays } = await listUnasked(context, names, found)
  for (const orphan of orphans) warnOfOrphan(context, orphan)
  for (const stray of strays) context.warn(`${strayWords(stray)}: the first build after its end fetches it.`)
}
