import { formatCredits } from '../../credit/credits.ts'
import { hasCode, SpritewrightError } from '../../errors.ts'
import { type JobHandler, PutBack } from '../../host/net/job-queue.ts'
import { purchaseOnce } from '../../job/chain.ts'
import type { JobPorts, JobProgress, Order, Purchase } from '../../job/order.ts'
import { purchase } from '../../job/purchase.ts'
import { isUnsent } from '../../job/records/submission.ts'
import { refuseKey } from '../../key-search.ts'
import type { Context } from '../../project/context.ts'
import { toJobPorts, withSteps } from '../../project/orders.ts'
import { formatFailure, inquiryMessage, orderMessage, toMessage } from '../../queue/messages.ts'
import type { Queues } from '../../queue/open.ts'
import { mayBuy } from '../may-buy.ts'
import { findShared } from '../store/copy.ts'
import type { Clone, Clones } from './clones.ts'
import { failureEvent, orderFields, type Tell } from './events.ts'
import { explained } from './explained.ts'
import { releaseUnsent } from './in-flight.ts'
import { createRouter } from './route.ts'
import { leaveRoom } from './turns.ts'

/** Inquiries that are answered at the same time. */
const inquiriesAtOnce = 8
/** Pause before a run that got no answer is repeated, in milliseconds. */
const unansweredMs = 10_000

/** How orders and inquiries are handled. */
export interface ServeRun {
  readonly tell: Tell
  /** How long an order stays with a process that gives no sign, in milliseconds. */
  readonly leaseMs: number
}

/** Handles orders and inquiries until the signal is aborted. */
export async function serve(own: Context, clones: Clones, queues: Queues, { tell, leaseMs }: ServeRun, signal: AbortSignal): Promise<void> {
  const { activeJobs } = own.options.limits
  await clones.open(signal)
  // Projects may share a journal.
  const inFlight = [...new Map(clones.list().flatMap((one) => one.inFlight.map((request) => [request.hash, request]))).values()]
  const findClone = createRouter(clones.list, signal)
  /** Why orders wait for a remote, as it was told, by id. */
  const waiting = new Map<string, string>()
  const buyOrder: JobHandler = async ({ data }, report) => {
    const message = checked(orderMessage.safeParse(data), 'an order')
    const { id } = message
    const fields = orderFields(data)
    const onProgress = (progress: JobProgress): void => void report(toMessage(progress))
    const { clone, order, lock } = await findClone(message, (why) => {
      onProgress({ id, phase: 'waiting', message: why })
      if (waiting.get(id) !== why) tell({ kind: 'waiting', message: `${id}: ${why}`, fields })
      waiting.set(id, why)
    })
    waiting.delete(id)
    const { context, session, underWay } = clone
    // While the shared store lacks a result of this process, nothing else can be bought. So such results are
    // pushed first.
    await context.vault.pushOwed()
    const run = { mayBuy: mayBuy(context, {}), onProgress, signal }
    const ports = { ...(await toJobPorts(context, session, run)), lock, underWay }
    const ceiling = order.approval && formatCredits(order.approval.ceiling)
    clone.tell({ kind: 'ordered', message: `${id}: ordered.`, fields: { ...fields, ceiling } })
    // Money is spent only if the result can be stored.
    if ((await context.journal.read(order.hash)).submission.sends.length === 0) await context.vault.probe()
    try {
      const bought = await purchaseToAnswer(ports, order)
      await putInSharedStore(context, bought.sha256)
      const credits = bought.isFresh ? bought.credits : undefined
      clone.tell({ kind: 'bought', message: `${id}: bought, and in the shared store.`, fields: { ...fields, credits } })
      return {}
    } finally {
      for (const { hash } of withSteps(order)) underWay.delete(hash)
      clones.tellWarnings()
    }
  }
  const answer: JobHandler = async ({ data }) => {
    const inquiry = checked(inquiryMessage.safeParse(data), 'an inquiry')
    const client = clones.list()[0]?.session.client
    if (!client) throw new PutBack('No project is served.')
    if (inquiry.ask === 'balance') return toMessage({ credits: await client.balance(signal) })
    if (inquiry.ask === 'estimate') return toMessage(await client.estimate(inquiry.frames, inquiry.background, signal))
    return toMessage({ host: client.host, capabilities: await client.capabilities(signal) })
  }
  clones.tellWarnings()
  tell({ kind: 'active', message: 'This worker is active.' })
  const served = clones.list().map(({ name, context }) => `${name} (${context.options.root})`)
  if (served.length > 1) tell({ kind: 'active', message: `It serves ${served.join(', ')}.` })
  const servers = [
    // A place for each handler, and one more for each request that has one already.
    queues.orders.serve(activeJobs + inFlight.length, leaseMs, withoutKey(own, signal, tell, leaveRoom(inFlight, activeJobs, buyOrder))),
    queues.inquiries.serve(inquiriesAtOnce, leaseMs, withoutKey(own, signal, tell, answer)),
  ]
  // A project that is added to the settings, or that could not be served, is served as soon as it can be.
  let trouble = ''
  const releasing = new Set<Clone>()
  for (; !signal.aborted; await own.host.clock.sleep(leaseMs, signal).catch(() => {})) {
    const found = await clones.open(signal).then(
      () => '',
      (error: Error) => error.message,
    )
    clones.tellWarnings()
    if (found !== '' && found !== trouble && !signal.aborted) tell({ kind: 'warning', message: found })
    trouble = found
    for (const clone of clones.list()) void release(clone, releasing)
  }
  await Promise.all(servers.map((server) => server.stop()))
}

/**
 * Releases the places of a project that died with their process. Never rejects: a store that is away is told by the
 * orders that need it. Nobody waits for this, because such a store must not keep other projects waiting.
 *
 * @param releasing Projects of which this is under way.
 */
async function release(clone: Clone, releasing: Set<Clone>): Promise<void> {
  if (releasing.has(clone)) return
  releasing.add(clone)
  await releaseUnsent(clone.context, clone.session).catch(() => {})
  releasing.delete(clone)
}

/**
 * Purchases an order, and sends an unanswered submission again until a person has to decide about it. Such a
 * submission keeps its place. If orders that wait for a place had all handlers, nobody could send it again in time.
 */
async function purchaseToAnswer(ports: JobPorts, order: Order): Promise<Purchase> {
  for (;;) {
    try {
      return await purchaseOnce(ports, order, purchase)
    } catch (error) {
      // The service may ask for a longer pause.
      if (!hasCode(error, 'SW_UNREACHABLE') || error.facts.retryAt !== undefined) throw error
      const steps = withSteps(order)
      const views = await Promise.all(steps.map(({ hash }) => ports.journal.read(hash)))
      if (views.every(({ submission: { accepted, sends } }) => accepted !== undefined || isUnsent(sends))) throw error
      for (const { hash } of steps) ports.underWay.delete(hash)
    }
    ports.onProgress({ id: order.request.id, phase: 'waiting', message: 'the service does not answer; the same submission is sent again' })
    await ports.clock.sleep(unansweredMs, ports.signal)
  }
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
      if (error instanceof PutBack) throw error
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
