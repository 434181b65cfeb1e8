import { hasCode } from '../../errors.ts'
import type { Order } from '../../job/order.ts'
import type { Context } from '../context.ts'
import { ordersOf, toOrder, withSteps } from '../orders.ts'
import type { Standing } from '../plan.ts'
import type { Session } from '../session.ts'
import { survey, throwAll } from '../survey.ts'
import { listOrphans, listStrays, toOrphanOrder } from './unasked.ts'

/** An order with the state of its request. */
export interface NamedOrder {
  readonly order: Order
  readonly standing: Standing
}

/**
 * Finds the orders that a name means: those of one animation (`hero.walk`), of one picture with its own steps
 * (`icons.sword`), of one step (`hero#1`), or of a sprite with all its steps (`hero`). Steps come first.
 *
 * @param hash The one request that is meant, under any name.
 * @default all requests of the name
 */
export async function findOrders(context: Context, session: Session, name: string, hash?: string): Promise<readonly NamedOrder[]> {
  if (hash !== undefined) return [(await findOrder(context, session, hash)) ?? []].flat()
  const [sprite = name] = name.split('#')
  const orphans = await findOrphans(context, [name])
  const found = await survey(context, [sprite], { identity: session.identity }).catch((error: unknown) => {
    // If a sprite was removed from the project, only its requests in flight still have its name.
    if (orphans.length > 0 && hasCode(error, 'SW_USAGE')) return undefined
    throw error
  })
  if (!found) return orphans
  throwAll(found.errors)
  const orders = ordersOf(session, found)
  const isOne = /[.#]/.test(name)
  const own = [...found.steps, ...found.items].flatMap((one) => {
    const order = orders.get(one.hash ?? '')
    return !order || (isOne && one.id !== name && !one.id.startsWith(`${name}#`)) ? [] : [{ order, standing: one }]
  })
  return [...own, ...orphans.filter(({ order }) => !orders.has(order.hash))]
}

/**
 * Finds the order of a request by its hash, whatever its name. Returns `undefined` if no spec asks for the
 * request and it is not in flight.
 */
export async function findOrder(context: Context, session: Session, hash: string): Promise<NamedOrder | undefined> {
  // Another broken spec must not prevent a decision about this request.
  const found = await survey(context, [], { identity: session.identity })
  const standing = [...found.steps, ...found.items].find((one) => one.hash === hash)
  // Two names may have one request. A decision is recorded under the first of them, as its state is.
  const order = found.wanted.flatMap((target) => withSteps(toOrder(session, target, found))).find((one) => one.hash === hash)
  return order && standing ? { order, standing } : (await findOrphans(context, [])).find((one) => one.order.hash === hash)
}

/** Requests in flight under these names for earlier versions of the specs. */
async function findOrphans(context: Context, names: readonly string[]): Promise<readonly NamedOrder[]> {
  const strays = (await listStrays(context, names, undefined)).map((stray): NamedOrder => {
    // The request itself is bought; only the stray execution is open.
    return { order: toOrphanOrder(stray), standing: { hash: stray.hash, state: 'bought' } }
  })
  const open = (await listOrphans(context, names, new Set())).map((orphan): NamedOrder => {
    const { accepted, question } = orphan.submission
    const standing: Standing = {
      hash: orphan.hash,
      state: accepted ? 'running' : 'uncertain',
      ...(accepted ? { executionId: accepted.executionId } : {}),
      question,
    }
    return { order: toOrphanOrder(orphan), standing }
  })
  return [...open, ...strays.filter(({ order }) => open.every((one) => one.order.hash !== order.hash))]
}
