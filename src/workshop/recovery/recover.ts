import { type Credits, formatCredits, parseCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import { agentShell } from '../../host/agent-shell.ts'
import { adoptExecution } from '../../job/adopt.ts'
import type { Order } from '../../job/order.ts'
import { recordDecision } from '../../job/recover.ts'
import { runOrders } from '../../job/run-orders.ts'
import type { Context } from '../../project/context.ts'
import { toJobPorts } from '../../project/orders.ts'
import { findOrders } from '../../project/recovery/named-orders.ts'
import type { ServiceConnection, Session } from '../../project/session.ts'
import { openOwnLock } from '../../project/store-folder.ts'
import { throwAll } from '../../project/survey.ts'
import type { RecoverReport, RecoverRequest } from '../api/reports.ts'
import { changedError } from '../changed-error.ts'
import { endRequests } from '../end-requests.ts'
import { mayBuy } from '../may-buy.ts'

/**
 * Resolves an unknown outcome by a person's decision: records the decision, and for `replay` acts on it at
 * once.
 *
 * @throws `SW_USAGE` if nothing of that name waits for a decision, or if it was sent to another service.
 *   `SW_CHANGED` if it is not what was shown. Errors of the repeated submission.
 */
export async function recover(context: Context, session: Session, request: RecoverRequest, signal: AbortSignal): Promise<RecoverReport> {
  const ports = await toJobPorts(context, session, { ...request, signal, mayBuy: mayBuy(context, {}), mayReplay: true })
  const shell = agentShell(context.host.env) === undefined ? {} : ({ shell: 'agent' } as const)
  const decided: RecoverReport['decided'][number][] = []
  const orders: Order[] = []
  for (const { order } of await findOrders(context, session, request.name, request.shown?.hash)) {
    if (request.decision === 'replay') checkService(session, order)
    // What a worker in this clone has bought and could not record is known, so there is nothing to decide about it.
    await adoptExecution({ ...ports, lock: openOwnLock(context) }, order, await ports.journal.read(order.hash))
    const open = await recordDecision(ports, order, request.decision, request.shown, shell)
    if (!open) continue
    decided.push({
      id: order.request.id,
      about: open.about,
      ...credits('ceiling', open.ceiling),
      ...credits('balanceBefore', open.balanceBefore),
    })
    orders.push(order)
  }
  if (decided.length === 0) {
    if (request.shown) throw changedError(request.name, 'what was shown as undecided', 'Nothing was decided, and nothing was sent.')
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected a purchase of "${request.name}" that waits for a decision, found none. See: npx spritewright status`,
      facts: { name: request.name },
    })
  }
  const decidedIds = decided.map(({ id }) => id)
  await endRequests(context, 'recover', decidedIds)
  if (request.decision === 'abandon') return { decided, ...(await readBalance(session, signal)), bought: [] }
  const report = await runOrders(ports, orders, context.options.limits.activeJobs)
  throwAll(report.failures.map(({ error }) => error))
  return {
    decided,
    ...(await readBalance(session, signal)),
    bought: report.purchases.map((purchase) => ({ id: purchase.id, credits: parseCredits(purchase.credits ?? formatCredits(0n)) })),
  }
}

/**
 * Without the API key, nothing can be sent again, and giving up a purchase that the worker still has would lead to
 * a second one.
 *
 * @throws `SW_NO_KEY`
 */
export function refuseDecision({ isRemote }: ServiceConnection, { name, decision }: RecoverRequest): void {
  if (!isRemote) return
  throw new SpritewrightError('SW_NO_KEY', {
    message: `Expected an API key, found none: a worker has bought "${name}", so that is decided where the worker runs. Nothing was decided here. In its clone, with its environment (SPRITEWRIGHT_API_KEY, SPRITEWRIGHT_APPROVERS): git pull, then npx spritewright recover ${name} --${decision}`,
    facts: { name },
  })
}

/**
 * A submission is never repeated at another service.
 *
 * @throws `SW_USAGE`
 */
function checkService({ identity }: Session, { identity: sentTo, request }: Order): void {
  if (sentTo.host === identity.host && sentTo.keyMode === identity.keyMode) return
  throw new SpritewrightError('SW_USAGE', {
    message: `"${request.id}" was sent to ${sentTo.host} with a ${sentTo.keyMode} key, and here answers ${identity.host} with a ${identity.keyMode} key. Nothing was sent. Set the address and the key that it was sent with, or give it up: npx spritewright recover ${request.id} --abandon`,
    facts: { id: request.id, host: sentTo.host, keyMode: sentTo.keyMode },
  })
}

/** Reads evidence for the person. The decision is recorded already. */
async function readBalance(session: Session, signal: AbortSignal): Promise<{ readonly balance?: Credits }> {
  try {
    return { balance: await session.client.balance(signal) }
  } catch {
    return {}
  }
}

function credits<K extends string>(name: K, text: string | undefined): { readonly [key in K]?: Credits } {
  return (text === undefined ? {} : { [name]: parseCredits(text) }) as { readonly [key in K]?: Credits }
}
