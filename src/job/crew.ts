import { parseCredits } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import type { JobPorts, Order } from './order.ts'
import { type Purchase, purchase } from './purchase.ts'

/** What became of a run's orders. */
export interface CrewReport {
  readonly purchases: readonly Purchase[]
  /** One for each order that did not come to its end, in the order of the orders. */
  readonly failures: readonly { readonly order: Order; readonly error: unknown }[]
}

/** Codes after which no other order can do better. */
const endsAll: readonly string[] = ['SW_KEY_REFUSED', 'SW_INTERRUPTED', 'SW_DISK', 'SW_LOCKFILE']

/**
 * Brings orders to their ends, never more than `atOnce` executions in flight. One failure leaves the others alone, unless nobody can do better.
 *
 * @param atOnce Active jobs that the account may have.
 */
export async function runCrew(ports: JobPorts, orders: readonly Order[], atOnce: number): Promise<CrewReport> {
  const purchases: Purchase[] = []
  const failures: { order: Order; error: unknown; index: number }[] = []
  let next = 0
  let isOver = false
  const work = async (): Promise<void> => {
    for (let index = next++; index < orders.length && !isOver; index = next++) {
      const order = orders[index] as Order
      try {
        purchases.push(await purchase(ports, order))
      } catch (error) {
        failures.push({ order, error, index })
        if (ports.signal.aborted || (error instanceof SpritewrightError && endsAll.includes(error.code))) isOver = true
        // An interrupted order has not failed: it goes on at the service.
        if (!ports.signal.aborted) ports.onProgress({ id: order.request.id, phase: 'failed', message: (error as Error).message })
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(atOnce, orders.length)) }, work))
  failures.sort((a, b) => a.index - b.index)
  purchases.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { purchases, failures: failures.map(({ order, error }) => ({ order, error })) }
}

/** Sum of what purchases cost, ten-thousandths of a credit. */
export function costOf(purchases: readonly Purchase[]): bigint {
  return purchases.reduce((sum, item) => sum + (item.credits === undefined ? 0n : parseCredits(item.credits)), 0n)
}
