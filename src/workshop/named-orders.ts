import type { Standing } from '../build/plan.ts'
import type { Order } from '../job/order.ts'
import { toOrder, withSteps } from './orders.ts'
import type { Session } from './session.ts'
import type { Shop } from './shop.ts'
import { survey, throwAll } from './survey.ts'

/** An order, and where it stands. */
export interface NamedOrder {
  readonly order: Order
  readonly standing: Standing
}

/** The orders that a name stands for: of one animation (`hero.walk`), of one step (`hero#1`), or of all of a sprite with its steps (`hero`). Steps come first. */
export async function findOrders(shop: Shop, session: Session, name: string): Promise<readonly NamedOrder[]> {
  const [sprite = name] = name.split('#')
  const found = await survey(shop, [sprite], { identity: session.identity })
  throwAll(found.errors)
  const orders = new Map(
    found.wishes.flatMap((wish) => withSteps(toOrder(session, wish, found.lock))).map((order) => [order.hash, order] as const),
  )
  return [...found.steps, ...found.items].flatMap((one) => {
    const order = orders.get(one.hash ?? '')
    return !order || (name.includes('#') && one.id !== name) ? [] : [{ order, standing: one }]
  })
}
