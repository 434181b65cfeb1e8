import { parseCredits } from '../credit/credits.ts'
import { errorCodes, SpritewrightError } from '../errors.ts'
import { endsEverything } from '../job/run-orders.ts'
import type { Context } from '../project/context.ts'
import { isFetchable, listOrphans, ofPresentServices, warnOfOrphan } from '../project/orphans.ts'
import type { PlanItem } from '../project/plan.ts'
import type { ServiceConnection } from '../project/session.ts'
import { isUnsent } from '../project/states.ts'
import { listStrays } from '../project/strays.ts'
import { type Survey, survey, surveyWanted, throwAll } from '../project/survey.ts'
import type { ServiceIdentity } from '../sprite-spec/request.ts'
import { readSpecs } from '../sprite-spec/scan.ts'
import type { BuildReport, BuildRequest } from './api/reports.ts'
import { type Bought, buy } from './buy.ts'
import { mayBuy } from './may-buy.ts'
import { missingError } from './missing.ts'
import { fetchOrphans, fetchStrays } from './recovery/fetch.ts'
import { bringHome, reconcileLock } from './recovery/reconcile.ts'
import { toWholeProject } from './recovery/whole-project.ts'
import { withWholeResults } from './recovery/whole-results.ts'
import { keepLayout } from './sheets/layout-file.ts'
import { assemble } from './sheets/sheets.ts'

/**
 * Builds sheets from specs: buys what is approved, fetches what is in flight or lost, and packs. If
 * everything is bought and stored here, the service is not asked and no key is needed.
 *
 * Names restrict what is bought, and what must be there. The sheets are always those of the whole project.
 */
export async function build(context: Context, connection: ServiceConnection, request: BuildRequest): Promise<BuildReport> {
  const names = request.names ?? []
  await context.vault.pushOwed()
  let first = await survey(context, names, { host: connection.host })
  if (request.approvedOnly !== true) throwAll(first.errors)
  if (!(await bringHome(context, first, request)))
    first = await surveyWanted(context, first, await context.lock.read(), { host: connection.host })
  const unbought = context.options.build.unbought
  let found = first
  let run: Bought = { purchases: [], failures: [] }
  let identity: ServiceIdentity | undefined
  let failures: readonly unknown[] = []
  if (first.items.some((item) => item.state !== 'bought')) {
    const bought = await buyOpen(context, connection, request, first).catch((error: unknown) => {
      if (request.signal?.aborted || !goesOnWithout(context, request, [error])) throw error
      return { run: { purchases: [], failures: [] }, found: first, identity: undefined, failures: [error] }
    })
    run = bought.run
    found = bought.found
    identity = bought.identity
    failures = bought.failures
    if (request.signal?.aborted) throwAll(failures.slice(0, 1))
    if (!goesOnWithout(context, request, failures)) throwAll(failures)
    await warnOfEdits(context, first)
  }
  if (request.frozen !== true) await fetchUnasked(context, connection, request, found)
  if (mayBuy(context, request)) await reconcileLock(context, found, identity)
  if (run.purchases.length > 0) await bringHome(context, found, { signal: request.signal })
  const fresh = new Set(run.purchases.filter(({ isFresh }) => isFresh).map(({ id }) => id))
  const known = identity ? { identity } : { host: connection.host }
  const project = await toWholeProject(context, connection, { named: found, known, request })
  const sheets = request.buyOnly
    ? { sprites: [], atlases: [] }
    : // Quality is checked for new results. For the others, the cached findings are reported.
      await withWholeResults(
        context,
        connection,
        {
          survey: project.survey,
          known,
          fetched: new Map(run.purchases.flatMap(({ id, fault }) => (fault ? [[id, fault.again]] : []))),
          run: request,
        },
        (whole) => assemble(context, whole, 'group', unbought, { isJudged: (id) => fresh.has(id), signal: request.signal }),
      )
  if (!project.isPartial) await keepLayout(context, sheets, request)
  return {
    sheets,
    bought: run.purchases.flatMap((item) =>
      item.credits === undefined || !item.isFresh ? [] : [{ id: item.id, credits: parseCredits(item.credits) }],
    ),
    fetched: [...fetchedSince(first, found), ...project.fetched],
    fromVault: first.items.filter((item) => item.state === 'bought').length,
    balance: run.balance,
    failures,
    warnings: context.warnings,
  }
}

/** Ids of the animations whose results were lost, and are here now. */
function fetchedSince(first: Survey, { items }: Survey): readonly string[] {
  const here = new Set(items.flatMap(({ id, state }) => (state === 'bought' ? [id] : [])))
  return first.items.flatMap(({ id, state }) => (state === 'lost' && here.has(id) ? [id] : []))
}

/**
 * Whether a build goes on after errors of purchases, with placeholders or superseded art in their place. The errors
 * must be about the service and the purchases (a refusal, a question, a price), not about the machine or the project.
 */
function goesOnWithout({ options }: Context, { frozen, buyOnly, approvedOnly }: BuildRequest, errors: readonly unknown[]): boolean {
  if (options.build.unbought !== 'placeholder' || frozen === true || buyOnly === true || approvedOnly === true) return false
  const ofPurchase = errorCodes.SW_APPROVAL.exit
  return errors.every((error) => error instanceof SpritewrightError && errorCodes[error.code].exit >= ofPurchase && !endsEverything(error))
}

/**
 * Fetches finished results of requests that no spec asks for any more. It never stops a build: if the service
 * cannot be asked, that is a warning.
 */
async function fetchUnasked(context: Context, connection: ServiceConnection, request: BuildRequest, found: Survey): Promise<void> {
  const asked = new Set([...found.items, ...found.steps].flatMap(({ hash }) => hash ?? []))
  const all = ofPresentServices(await listOrphans(context, request.names ?? [], asked), found)
  const orphans = all.filter(isFetchable)
  for (const orphan of all) if (!isFetchable(orphan)) warnOfOrphan(context, orphan)
  const strays = ofPresentServices(await listStrays(context, request.names ?? [], found), found)
  // Without a key, what no spec asks for is left to the worker's clone.
  if ((orphans.length === 0 && strays.length === 0) || connection.isRemote || !canAsk(context, connection)) return
  const run = { onProgress: request.onProgress ?? (() => {}), signal: request.signal ?? new AbortController().signal }
  try {
    const session = await connection.open(run.signal)
    await fetchOrphans(context, session, orphans, run)
    if (strays.length > 0) await fetchStrays(context, session, strays, run.signal)
  } catch (error) {
    const ids = [...new Set([...orphans, ...strays].map(({ id }) => id))].join(', ')
    context.warnings.push(
      `${ids}: what no spec waits for any more is still at the service, which could not be asked: ${(error as Error).message}`,
    )
  }
}

function canAsk(context: Context, connection: ServiceConnection): boolean {
  return (
    connection.isRemote ||
    (connection.host !== undefined && (context.options.service === 'embedded' || context.credentials.key !== undefined))
  )
}

/** A build goes on with the specs that it began with. Names those that were edited while it waited. */
async function warnOfEdits(context: Context, { items }: Survey): Promise<void> {
  const { specs } = await readSpecs(context.host, context.options.root, context.options.specs)
  const now = new Map(specs.map((spec) => [spec.file, JSON.stringify(spec)] as const))
  for (const spec of new Set(items.map((item) => item.spec)))
    if (now.get(spec.file) !== JSON.stringify(spec))
      context.warnings.push(`${spec.file} was changed while this ran. It was done with the spec as it was before: run the command again.`)
}

async function buyOpen(
  context: Context,
  connection: ServiceConnection,
  request: BuildRequest,
  first: Survey,
): Promise<{ run: Bought; found: Survey; identity?: ServiceIdentity; failures: readonly unknown[] }> {
  const allowsPlaceholders = request.approvedOnly === true || (context.options.build.unbought === 'placeholder' && request.frozen !== true)
  const open = first.items.filter((item) => item.state !== 'bought')
  // Without a key nothing can be priced or fetched. If nothing may be bought either, that is the error to
  // report, not the missing key.
  if (!canAsk(context, connection) && open.every(isUnsent)) {
    if (allowsPlaceholders) return { run: { purchases: [], failures: [] }, found: first, failures: [] }
    if (!mayBuy(context, request)) throw await missingError(context, open, undefined, false)
  }
  const signal = request.signal ?? new AbortController().signal
  const lost = open.filter(({ state }) => state === 'lost')
  if (lost.length > 0 && !canAsk(context, connection) && (context.options.isCi || context.options.store.shared !== undefined))
    throw lostError(context, lost)
  const session = await connection.open(signal).catch((error: unknown) => {
    throw lost.length > 0 ? withTroubles(error, context.vault.troubles) : error
  })
  const run = await buy(context, session, {
    wanted: first,
    mayBuy: mayBuy(context, request),
    allowsPlaceholders,
    approvedOnly: request.approvedOnly === true,
    onProgress: request.onProgress ?? (() => {}),
    signal,
  })
  const found = await surveyWanted(context, first, await context.lock.read(), { identity: session.identity })
  return { run, found, identity: session.identity, failures: run.failures.map(({ error }) => error) }
}

/** Says why a result did not come from the shared store, if the service cannot be asked for it either. */
function withTroubles(error: unknown, troubles: ReadonlySet<string>): unknown {
  if (!(error instanceof SpritewrightError) || troubles.size === 0) return error
  return new SpritewrightError(error.code, { message: [...troubles, error.message].join('\n'), facts: error.facts, cause: error })
}

/**
 * The error for paid results that are not here, on a machine that cannot ask the service. What is in the way comes
 * first: nobody shall give CI the API key because a variable of the store is missing.
 */
function lostError({ vault, options }: Context, lost: readonly PlanItem[]): SpritewrightError {
  const ids = lost.map(({ id }) => id)
  const { shared } = options.store
  const facts = { ids, store: shared }
  const found = `The paid results of ${ids.join(', ')} are not here`
  if (vault.troubles.size > 0) return new SpritewrightError('SW_STORE', { message: `${found}.\n${[...vault.troubles].join('\n')}`, facts })
  const advice =
    shared === undefined
      ? '. Commit .spritewright/results on a machine that has them, or share them by store.shared.'
      : `, and not in the shared store ${shared}. On a machine that has them: npx spritewright store push.`
  return new SpritewrightError('SW_VAULT', { message: `${found}${advice}`, facts })
}
