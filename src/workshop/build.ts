import { parseCredits } from '../credit/credits.ts'
import { errorCodes, SpritewrightError } from '../errors.ts'
import { endsEverything } from '../job/run-orders.ts'
import type { Context } from '../project/context.ts'
import type { KnownService, PlanItem } from '../project/plan.ts'
import type { ServiceConnection } from '../project/session.ts'
import { isUnsent } from '../project/states.ts'
import { type Survey, survey, surveyWanted, throwAll } from '../project/survey.ts'
import { readSpecs } from '../sprite-spec/scan.ts'
import type { BuildReport, BuildRequest } from './api/reports.ts'
import { type Bought, buy } from './buy.ts'
import { mayBuy } from './may-buy.ts'
import { missingError } from './missing.ts'
import { fetchUnasked } from './recovery/fetch.ts'
import { bringHome, reconcileLock } from './recovery/reconcile.ts'
import { toWholeProject, withWholeResults } from './recovery/whole.ts'
import { keepLayout } from './sheets/layout-file.ts'
import { assemble } from './sheets/sheets.ts'

/**
 * Builds sheets from specs: buys what is approved, fetches what is in flight or lost, and packs. If
 * everything is bought and stored here, the service is not asked and no key is needed.
 *
 * Names restrict what is bought, and what must be there. The sheets are always those of the whole project.
 */
export async function build(context: Context, connection: ServiceConnection, request: BuildRequest): Promise<BuildReport> {
  await context.vault.pushOwed()
  const first = await surveyHere(context, connection, request)
  const { found, known, purchases, failures, balance } = await buyMissing(context, connection, request, first)
  if (request.frozen !== true) await fetchUnasked(context, connection, request, found)
  if (mayBuy(context, request)) await reconcileLock(context, found, known.identity)
  if (purchases.length > 0) await bringHome(context, found, { signal: request.signal })
  const project = await toWholeProject(context, connection, { named: found, known, request })
  const fresh = purchases.filter(({ isFresh }) => isFresh)
  const sheets = request.buyOnly
    ? { sprites: [], atlases: [] }
    : // Quality is checked for new results. For the others, the cached findings are reported.
      await withWholeResults(
        context,
        connection,
        {
          survey: project.survey,
          known,
          fetched: new Map(purchases.flatMap(({ id, fault }) => (fault ? [[id, fault.again]] : []))),
          run: request,
        },
        (whole) =>
          assemble(context, whole, 'group', context.options.build.unbought, {
            isJudged: (id) => fresh.some((one) => one.id === id),
            signal: request.signal,
            canMirror: request.canMirror,
          }),
      )
  if (!project.isPartial) await keepLayout(context, sheets, request)
  return {
    sheets,
    bought: fresh.flatMap(({ id, credits }) => (credits === undefined ? [] : [{ id, credits: parseCredits(credits) }])),
    fetched: [...fetchedSince(first, found), ...project.fetched],
    fromVault: first.items.filter((item) => item.state === 'bought').length,
    balance,
    failures,
    warnings: context.warnings,
  }
}

/** The states of what is built, after results that lie elsewhere were brought into the project. */
async function surveyHere(context: Context, { host }: ServiceConnection, request: BuildRequest): Promise<Survey> {
  const found = await survey(context, request.names ?? [], { host })
  if (request.approvedOnly !== true) throwAll(found.errors)
  if (await bringHome(context, found, request)) return found
  return surveyWanted(context, found, await context.lock.read(), { host })
}

/** Where the requests of a build stand after everything was bought that may be. */
interface Outcome extends Pick<Bought, 'purchases' | 'balance'> {
  readonly found: Survey
  readonly known: KnownService
  /** Errors in spite of which the build goes on. */
  readonly failures: readonly unknown[]
}

/** Buys what is approved, and fetches what is in flight or lost. The service is asked only if there is any of it. */
async function buyMissing(context: Context, connection: ServiceConnection, request: BuildRequest, first: Survey): Promise<Outcome> {
  const unchanged: Outcome = { found: first, known: { host: connection.host }, purchases: [], failures: [] }
  if (first.items.every((item) => item.state === 'bought')) return unchanged
  const outcome = await buyOpen(context, connection, request, unchanged).catch((error: unknown): Outcome => {
    if (request.signal?.aborted || !goesOnWithout(context, request, [error])) throw error
    return { ...unchanged, failures: [error] }
  })
  if (request.signal?.aborted) throwAll(outcome.failures.slice(0, 1))
  if (!goesOnWithout(context, request, outcome.failures)) throwAll(outcome.failures)
  await warnOfEdits(context, first)
  return outcome
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

/** A build goes on with the specs that it began with. Names those that were edited while it waited. */
async function warnOfEdits(context: Context, { items }: Survey): Promise<void> {
  const { specs } = await readSpecs(context.host, context.options.root, context.options.specs)
  const now = new Map(specs.map((spec) => [spec.file, JSON.stringify(spec)] as const))
  for (const spec of new Set(items.map((item) => item.spec)))
    if (now.get(spec.file) !== JSON.stringify(spec))
      context.warnings.push(`${spec.file} was changed during this run, which used the earlier spec: run the command again.`)
}

async function buyOpen(context: Context, connection: ServiceConnection, request: BuildRequest, unchanged: Outcome): Promise<Outcome> {
  const { found: first } = unchanged
  const { approvedOnly = false, onProgress = () => {}, signal = new AbortController().signal } = request
  const allowsPlaceholders = approvedOnly || (context.options.build.unbought === 'placeholder' && request.frozen !== true)
  const open = first.items.filter((item) => item.state !== 'bought')
  // Without a key nothing can be priced or fetched. If nothing may be bought either, that is the error to
  // report, not the missing key.
  if (!connection.canAsk && open.every(isUnsent)) {
    if (allowsPlaceholders) return unchanged
    if (!mayBuy(context, request)) throw await missingError(context, open, undefined, false)
  }
  const lost = open.filter(({ state }) => state === 'lost')
  if (lost.length > 0 && !connection.canAsk && (context.options.isCi || context.options.store.shared !== undefined))
    throw lostError(context, lost)
  const session = await connection.open(signal, context.patience.longestMs).catch((error: unknown) => {
    throw lost.length > 0 ? withTroubles(error, context.vault.troubles) : error
  })
  const run = { wanted: first, mayBuy: mayBuy(context, request), allowsPlaceholders, approvedOnly, onProgress, signal }
  const { purchases, failures, balance } = await buy(context, session, run)
  const known = { identity: session.identity }
  const found = await surveyWanted(context, first, await context.lock.read(), known)
  return { found, known, purchases, balance, failures: failures.map(({ error }) => error) }
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
