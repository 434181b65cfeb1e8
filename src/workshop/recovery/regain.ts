import { SpritewrightError } from '../../errors.ts'
import type { Order, Purchase } from '../../job/order.ts'
import { purchase } from '../../job/purchase.ts'
import type { Context } from '../../project/context.ts'
import { toJobPorts, toOrder } from '../../project/orders.ts'
import type { KnownService } from '../../project/plan.ts'
import type { ServiceConnection, Session } from '../../project/session.ts'
import { type Survey, surveyWanted, type WantedAnimation } from '../../project/survey.ts'
import type { BuildRequest } from '../api/reports.ts'

type Run = Pick<BuildRequest, 'onProgress' | 'signal'>

/**
 * Fetches the result of a bought request again if it is damaged here or cannot be read. Sends only GET requests
 * and never buys.
 *
 * @param session The open service. It must have the order's identity.
 * @returns The result that counts now, with its fault if it still cannot be read.
 * @throws Errors of the service, the records and the disk.
 */
export async function regain(context: Context, session: Session, order: Order, { onProgress, signal }: Run): Promise<Purchase> {
  const ports = await toJobPorts(context, session, {
    ...(onProgress ? { onProgress } : {}),
    signal: signal ?? new AbortController().signal,
  })
  return purchase(ports, order)
}

/** The results of a run, before anything opens them. */
export interface UnopenedResults {
  readonly survey: Survey
  /** The service of the survey. */
  readonly known: KnownService
  /** What fetching a result again gave in this run already, by id. It is not fetched once more. */
  readonly fetched: ReadonlyMap<string, string | undefined>
  readonly run: Run
}

/**
 * Makes something of the results of a survey. If one of them turns out to be damaged here, or cannot be read,
 * fetches it again and starts over: one build is enough.
 *
 * @param make Must be repeatable.
 * @throws The error of `make`, with the reason why the result is not here again.
 */
export async function withWholeResults<T>(
  context: Context,
  connection: ServiceConnection,
  { survey, known, fetched, run }: UnopenedResults,
  make: (survey: Survey) => Promise<T>,
): Promise<T> {
  let found = survey
  const tried = new Map(fetched)
  for (;;) {
    try {
      return await make(found)
    } catch (error) {
      const id = idOfUnusable(error, found)
      if (id === undefined) throw error
      const reason = tried.has(id) ? tried.get(id) : await regainOf(context, connection, found, id, run)
      if (reason !== undefined || tried.has(id)) throw withReason(error as SpritewrightError, reason)
      tried.set(id, undefined)
      found = await surveyWanted(context, found, await context.lock.read(), known)
    }
  }
}

/** The animation whose result cannot be used, if the error says so. */
function idOfUnusable(error: unknown, { items }: Survey): string | undefined {
  if (!(error instanceof SpritewrightError) || (error.code !== 'SW_VAULT' && error.code !== 'SW_DELIVERY')) return undefined
  return items.find(({ id }) => id === error.facts.id)?.id
}

/** Fetches again. Returns the reason why the result still cannot be used; `undefined` if it can. */
async function regainOf(context: Context, connection: ServiceConnection, found: Survey, id: string, run: Run): Promise<string | undefined> {
  const at = found.items.findIndex((item) => item.id === id)
  try {
    const session = await connection.open(run.signal ?? new AbortController().signal)
    const order = toOrder(session, found.wanted[at] as WantedAnimation, found)
    if (order.hash !== found.items[at]?.hash)
      return 'It was bought at another service, or with a key of another kind: it could not be fetched again.'
    return (await regain(context, session, order, run)).fault?.again
  } catch (error) {
    run.signal?.throwIfAborted()
    if (error instanceof SpritewrightError) return `It could not be fetched again: ${error.message}`
    throw error
  }
}

function withReason(error: SpritewrightError, reason: string | undefined): SpritewrightError {
  if (reason === undefined) return error
  return new SpritewrightError(error.code, { message: `${error.message} ${reason}`, facts: error.facts, cause: error })
}
