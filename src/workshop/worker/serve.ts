import { hasCode, SpritewrightError } from '../../errors.ts'
import { type JobHandler, PutBack } from '../../host/net/job-queue.ts'
import { purchaseOnce } from '../../job/chain.ts'
import type { JobProgress, Purchase } from '../../job/order.ts'
import { purchase } from '../../job/purchase.ts'
import { refuseKey } from '../../key-search.ts'
import type { Context } from '../../project/context.ts'
import { toJobPorts, withSteps } from '../../project/orders.ts'
import type { Session } from '../../project/session.ts'
import { formatFailure, inquiryMessage, orderMessage, toMessage } from '../../queue/messages.ts'
import type { Queues } from '../../queue/open.ts'
import { mayBuy } from '../may-buy.ts'
import { findShared } from '../store/copy.ts'
import { failureEvent, orderFields, type Tell } from './events.ts'
import { explained } from './explained.ts'
import { keepInFlight } from './in-flight.ts'
import { createOrderReader } from './read-order.ts'

/** Inquiries that are answered at the same time. */
const inquiriesAtOnce = 8

/** How orders and inquiries are handled. */
export interface ServeRun {
  readonly tell: Tell
  /** Prints the warnings that have come since the last call. */
  readonly tellWarnings: () => void
  /** How long an order stays with a process that gives no sign, in milliseconds. */
  readonly leaseMs: number
}

/** Handles orders and inquiries until the signal is aborted. */
export async function serve(
  context: Context,
  session: Session,
  queues: Queues,
  { tell, tellWarnings, leaseMs }: ServeRun,
  signal: AbortSignal,
): Promise<void> {
  const { activeJobs } = context.options.limits
  const inFlight = await keepInFlight(context, session, (message) => tell({ kind: 'warning', message }))
  const readOrder = createOrderReader(context, session, signal)
  const underWay = new Map<string, Promise<Purchase>>()
  const buyOrder: JobHandler = async ({ data }, report) => {
    // While the shared store lacks a result of this process, nothing else can be bought. So such results are
    // pushed first.
    await context.vault.pushOwed()
    const message = checked(orderMessage.safeParse(data), 'an order')
    const { id } = message
    const fields = orderFields(data)
    const onProgress = (progress: JobProgress): void => void report(toMessage(progress))
    let told = ''
    const { order, lock } = await readOrder(message, (why) => {
      onProgress({ id, phase: 'waiting', message: why })
      if (why !== told) tell({ kind: 'waiting', message: `${id}: ${why}`, fields })
      told = why
    })
    const run = { mayBuy: mayBuy(context, {}), onProgress, signal }
    const ports = { ...(await toJobPorts(context, session, run)), lock, underWay }
    tell({ kind: 'ordered', message: `${id}: ordered.`, fields })
    // Money is spent only if the result can be stored.
    if ((await context.journal.read(order.hash)).submission.sends.length === 0) await context.vault.probe()
    try {
      const bought = await purchaseOnce(ports, order, purchase)
      await putInSharedStore(context, bought.sha256)
      const credits = bought.isFresh ? bought.credits : undefined
      tell({ kind: 'bought', message: `${id}: bought, and in the shared store.`, fields: { ...fields, credits } })
      return {}
    } finally {
      for (const { hash } of withSteps(order)) underWay.delete(hash)
      tellWarnings()
    }
  }
  const answer: JobHandler = async ({ data }) => {
    const inquiry = checked(inquiryMessage.safeParse(data), 'an inquiry')
    const { client } = session
    if (inquiry.ask === 'balance') return toMessage({ credits: await client.balance(signal) })
    if (inquiry.ask === 'estimate') return toMessage(await client.estimate(inquiry.frames, inquiry.background, signal))
    return toMessage({ host: client.host, capabilities: await client.capabilities(signal) })
  }
  tellWarnings()
  tell({ kind: 'active', message: 'This worker is active.' })
  const servers = [
    // A place for each handler, and one more for each request that has one already.
    queues.orders.serve(activeJobs + inFlight, leaseMs, withoutKey(context, signal, tell, buyOrder)),
    queues.inquiries.serve(inquiriesAtOnce, leaseMs, withoutKey(context, signal, tell, answer)),
  ]
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.all(servers.map((server) => server.stop()))
}

/** Prepares a handler for the queue: its failures become messages for clients, and no message has the API key. */
function withoutKey({ keySearch }: Context, signal: AbortSignal, tell: Tell, handle: JobHandler): JobHandler {
  return async (job, report) => {
    try {
      const result = await handle(job, async (progress) => {
        if (!keySearch.isIn(JSON.stringify(progress))) await report(progress)
      })
      refuseKey(keySearch, JSON.stringify(result), 'an answer of the worker')
      return result
    } catch (error) {
      const failure = keySearch.mask(formatFailure(explained(error)))
      // What the shared store could not take, e.g. the execution of a submission, nobody else tells.
      if (!signal.aborted || hasCode(error, 'SW_STORE')) tell(failureEvent(job.data, failure))
      if (signal.aborted) throw new PutBack('The worker ends.')
      throw new Error(failure)
    }
  }
}

function checked<T>(read: { readonly success: true; readonly data: T } | { readonly success: false }, what: string): T {
  if (read.success) return read.data
  throw new SpritewrightError('SW_ORDER', {
    message: `Expected ${what} in the form of this version, found something else. Nothing was sent. Use the same version of spritewright on clients and worker.`,
  })
}

/**
 * Makes sure that the shared store returns a result as it was written: clients get it only from there.
 *
 * @throws `SW_STORE`, or the disk's error. The next order for it tries again.
 */
async function putInSharedStore(context: Context, sha256: string): Promise<void> {
  const bytes = await context.vault.read(sha256)
  if (bytes) await findShared(context).store.put(bytes)
}
