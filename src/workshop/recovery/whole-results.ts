import { SpritewrightError } from '../../errors.ts'
import type { Order } from '../../job/order.ts'
import type { Context } from '../../project/context.ts'
import { toOrder } from '../../project/orders.ts'
import type { KnownService, PlanItem } from '../../project/plan.ts'
import { type RegainRun, regainOrder } from '../../project/regain.ts'
import type { ServiceConnection, Session } from '../../project/session.ts'
import { type Survey, surveyWanted } from '../../project/survey.ts'
import type { WantedAnimation } from '../../project/wanted.ts'

/** The results of a run, before anything opens them. */
export interface UnopenedResults {
  readonly survey: Survey
  /** The service of the survey. */
  readonly known: KnownService
  /** What fetching a result again gave in this run already, by id. It is not fetched once more. */
  readonly fetched: ReadonlyMap<string, string>
  readonly run: RegainRun & { readonly frozen?: boolean | undefined }
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
  const reasons = new Map<string, string | undefined>(fetched)
  for (;;) {
    try {
      return await make(found)
    } catch (error) {
      const item = isUnusable(error) && found.items.find(({ id }) => id === error.facts.id)
      if (!item) throw error
      if (run.frozen === true && error.code === 'SW_DELIVERY')
        throw withReason(error, 'With --frozen it is not fetched again, since the lock file would change: run npx spritewright build.')
      if (reasons.has(item.id)) throw withReason(error, reasons.get(item.id))
      const { sha256, why } = await regainOrder(context, connection, findItemOrder(found, item), run)
      if (sha256 === undefined) throw withReason(error, why)
      // If the result is here and unreadable, the next round gives the reader's error.
      reasons.set(item.id, why)
      found = await surveyWanted(context, found, await context.lock.read(), known)
    }
  }
}

/** Finds the order of an item, if the service of the session has its identity. */
export function findItemOrder({ items, wanted, lock, approvers }: Survey, item: PlanItem): (session: Session) => Order | undefined {
  return (session) => {
    const order = toOrder(session, wanted[items.indexOf(item)] as WantedAnimation, { lock, approvers })
    return order.hash === item.hash ? order : undefined
  }
}

/** Whether an error says that the bytes of a result cannot be used. */
function isUnusable(error: unknown): error is SpritewrightError {
  return error instanceof SpritewrightError && (error.code === 'SW_VAULT' || error.code === 'SW_DELIVERY')
}

function withReason(error: SpritewrightError, reason: string | undefined): SpritewrightError {
  if (reason === undefined) return error
  return new SpritewrightError(error.code, { message: `${error.message} ${reason}`, facts: error.facts, cause: error })
}
