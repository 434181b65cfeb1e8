import { hasCode, SpritewrightError } from '../errors.ts'
import { inParallel } from '../host/in-parallel.ts'
import { purchaseOnce } from './chain.ts'
import { rescuedError } from './delivery/deliver.ts'
import type { JobPorts, JobProgress, Order, Purchase } from './order.ts'
import { purchase } from './purchase.ts'

/** The outcome of a run's orders. */
export interface OrdersReport {
  /** Sorted by id, including the steps of chains that orders needed. */
  readonly purchases: readonly Purchase[]
  /** One for each order that did not end in a purchase, in the order of the orders. */
  readonly failures: readonly { readonly order: Order; readonly error: unknown }[]
}

/** Error codes after which no other order can succeed. */
const endsAll: readonly string[] = ['SW_KEY_REFUSED', 'SW_INTERRUPTED', 'SW_DISK', 'SW_LOCKFILE']

/**
 * Whether an error ends the whole run. An error of the disk does, because the next result could not be stored either.
 */
export function endsEverything(error: unknown): boolean {
  if (error instanceof SpritewrightError) return endsAll.includes(error.code) || error.facts.isUnread === true
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown }
  return typeof code === 'string' && typeof syscall === 'string'
}

/** The last progress of an order that ended with an error. Without an answer, the service has not refused the order. */
function endOf(error: unknown): Pick<JobProgress, 'phase' | 'message'> {
  if (hasCode(error, 'SW_UNREACHABLE')) return { phase: 'waiting', message: 'the service does not answer' }
  return { phase: 'failed', message: (error as Error).message }
}

/**
 * Purchases orders, never with more than `atOnce` executions in flight. If one order fails, the others continue,
 * unless none of them can succeed any more.
 *
 * @param atOnce Number of active jobs that the account may have.
 * @param work Brings one order to its end.
 * @default this run purchases the order
 */
export async function runOrders(
  ports: JobPorts,
  orders: readonly Order[],
  atOnce: number,
  work: typeof purchase = purchase,
): Promise<OrdersReport> {
  const failures: { order: Order; error: unknown; index: number }[] = []
  let isOver = false
  const take = async (order: Order, index: number): Promise<void> => {
    if (isOver) return
    try {
      if (ports.vault.rescued.length > 0) throw rescuedError(ports, order.request.id)
      await purchaseOnce(ports, order, work)
    } catch (error) {
      failures.push({ order, error, index })
      if (ports.signal.aborted || endsEverything(error)) isOver = true
      // An interrupted order has not failed, because its execution continues at the service.
      if (!ports.signal.aborted) ports.onProgress({ id: order.request.id, ...endOf(error) })
    }
  }
  await inParallel(orders, take, atOnce)
  failures.sort((a, b) => a.index - b.index)
  const ended = await Promise.allSettled(ports.underWay.values())
  const purchases = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])).sort((a, b) => (a.id < b.id ? -1 : 1))
  return { purchases, failures: failures.map(({ order, error }) => ({ order, error })) }
}
