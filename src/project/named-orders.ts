import { SpritewrightError } from '../errors.ts'
import type { Order } from '../job/order.ts'
import type { Context } from './context.ts'
import { toOrder, withSteps } from './orders.ts'
import { listOrphans, toOrphanOrder } from './orphans.ts'
import type { Standing } from './plan.ts'
import type { Session } from './session.ts'
import { listStrays } from './strays.ts'
import { type Survey, survey, throwAll } from './survey.ts'

/** An order with the state of its request. */
export interface NamedOrder {
  readonly order: Order
  readonly standing: Standing
}

/**
 * Finds the orders that a name means: those of one animation (`hero.walk`), of one picture with its own steps
 * (`icons.sword`), of one step (`hero#1`), or of a sprite with all its steps (`hero`). Steps come first.
 */
export async function findOrders(context: Context, session: Session, name: string): Promise<readonly NamedOrder[]> {
  const [sprite = name] = name.split('#')
  const orphans = await findOrphans(context, [name])
  const found = await surveyOf(context, session, sprite).catch((error: unknown) => {
    // If a sprite was removed from the project, only its requests in flight still have its name.
    if (orphans.length > 0 && error instanceof SpritewrightError && error.code === 'SW_USAGE') return undefined
    throw error
  })
  if (!found) return orphans
  const orders = new Map(
    found.wanted.flatMap((target) => withSteps(toOrder(session, target, found))).map((order) => [order.hash, order] as const),
  )
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
  const order = found.wanted.flatMap((target) => withSteps(toOrder(session, target, found))).find((one) => one.hash === hash)
  return order && standing ? { order, standing } : (await findOrphans(context, [])).find((one) => one.order.hash === hash)
}

async function surveyOf(context: Context, session: Session, sprite: string): Promise<Survey> {
  const found = await survey(context, [sprite], { identity: session.identity })
  throwAll(found.errors)
  return found
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
