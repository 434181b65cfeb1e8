import { hasCode, SpritewrightError } from '../../errors.ts'
import type { Order, ProgressListener } from '../../job/order.ts'
import { purchase } from '../../job/purchase.ts'
import type { Context } from '../context.ts'
import { toJobPorts } from '../orders.ts'
import type { ServiceConnection, Session } from '../session.ts'
import { findOrder } from './named-orders.ts'

/** The outcome of fetching a result again. */
export interface Regained {
  /** The result that counts now; `undefined` if the service does not return one. */
  readonly sha256?: string
  /** Why the result still cannot be used, in complete sentences; `undefined` if it can be used. */
  readonly why?: string
}

/** A run that fetches results again. */
export interface RegainRun {
  readonly onProgress?: ProgressListener | undefined
  readonly signal?: AbortSignal | undefined
}

/** {@link regainOrder} of a bought request, by its hash. */
export async function regain(context: Context, connection: ServiceConnection, hash: string, signal: AbortSignal): Promise<Regained> {
  const find = async (session: Session): Promise<Order | undefined> => {
    const found = await findOrder(context, session, hash)
    return found?.standing.state === 'bought' ? found.order : undefined
  }
  return regainOrder(context, connection, find, { signal })
}

/**
 * Fetches the result of a bought request again if it is damaged here or cannot be read. The old copy is kept.
 * Sends only GET requests and never buys.
 *
 * @param find Returns `undefined` if the request was bought under another identity.
 */
export async function regainOrder(
  context: Context,
  connection: ServiceConnection,
  find: (session: Session) => Promise<Order | undefined> | Order | undefined,
  { onProgress, signal = new AbortController().signal }: RegainRun,
): Promise<Regained> {
  try {
    const session = await connection.open(signal)
    const order = await find(session)
    if (!order) return { why: 'It was bought at another service, or with a key of another kind, so it was not fetched again.' }
    const ports = await toJobPorts(context, session, { onProgress, signal })
    const { sha256, fault } = await purchase(ports, order)
    return { sha256, ...(fault ? { why: fault.again } : {}) }
  } catch (error) {
    signal.throwIfAborted()
    // Without a key, only the shared store can have the result, so its trouble is reported.
    const { troubles } = context.vault
    if (hasCode(error, 'SW_NO_KEY') && troubles.size > 0) return { why: [...troubles].join(' ') }
    if (error instanceof SpritewrightError) return { why: `It could not be fetched again: ${error.message}` }
    throw error
  }
}
