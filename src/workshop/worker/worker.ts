import { hasCode, mayPass, SpritewrightError } from '../../errors.ts'
import { type JobHandler, PutBack } from '../../host/net/job-queue.ts'
import { purchaseOnce } from '../../job/chain.ts'
import type { JobProgress, Purchase } from '../../job/order.ts'
import { purchase } from '../../job/purchase.ts'
import { refuseKey } from '../../options/key-search.ts'
import type { Context } from '../../project/context.ts'
import { toJobPorts, withSteps } from '../../project/orders.ts'
import { openProjectQueues, type ServiceConnection, type Session } from '../../project/session.ts'
import { formatFailure, type LeaseNote, orderMessage, questionMessage, toMessage } from '../../queue/messages.ts'
import type { Queues } from '../../queue/open.ts'
import { longestRequestMs } from '../../service/http/transport.ts'
import { findShared } from '../store/copy.ts'
import { type Lease, takeLease } from './lease.ts'
import { createPlaces, findInFlight } from './places.ts'
import { createOrderReader, ordersFolder } from './read-order.ts'

/** How a worker runs. */
export interface WorkRequest {
  /** Receives a sentence for a person about what the worker does. */
  readonly onEvent: (sentence: string) => void
  /** Ends the worker in order. */
  readonly signal: AbortSignal
  /**
   * How long the other workers wait for a sign of the active one, in milliseconds.
   *
   * @default 30000
   */
  readonly leaseMs?: number | undefined
  /**
   * How long a request to the service may be under way, in milliseconds. A successor waits for those of the
   * worker before it.
   *
   * @default 60000
   */
  readonly longestRequestMs?: number | undefined
}

const defaultLeaseMs = 30_000
/** Questions that are answered at the same time. */
const questionsAtOnce = 8

/**
 * Buys for all machines of a team until it is interrupted. One worker is active, the others stand by. A store, a
 * queue or a service that does not answer does not end it: it gives the lease up and tries again.
 *
 * @throws `SW_NO_KEY`, `SW_CONFIG`, `SW_ORDER` if the project lacks what a worker needs.
 * @throws The errors of the connection to the service that do not pass, like `SW_KEY_REFUSED`.
 */
export async function work(context: Context, connection: ServiceConnection, request: WorkRequest): Promise<void> {
  const { host, options } = context
  const { signal, onEvent, leaseMs = defaultLeaseMs } = request
  const queues = await openProjectQueues(context)
  if (connection.isRemote) {
    throw new SpritewrightError('SW_NO_KEY', {
      message: 'Expected an API key for the worker, found none. Set SPRITEWRIGHT_API_KEY in the environment of this machine alone.',
    })
  }
  if ((await host.repository?.head(options.root)) === undefined) {
    throw new SpritewrightError('SW_ORDER', {
      message: `Expected ${options.root} to be in a clone of the project's repository, found none. A worker reads what it buys from commits: clone the repository, and start the worker there.`,
    })
  }
  await host.disk.remove(ordersFolder(context))
  const by = `${host.machineName ?? 'unknown'} ${host.processId}`
  try {
    let told: string | undefined
    while (!signal.aborted) {
      const lease = await takeLease(queues.lease, { clock: host.clock, by, leaseMs, onWait: onEvent }, signal)
      const trouble = await useLease(context, connection, queues, lease, { ...request, isAgain: told !== undefined })
      if (lease.lost.aborted) onEvent('This worker lost its lease: the queue did not answer, or the machine stood still.')
      if (trouble && trouble.code !== told) onEvent(`${trouble.message} This worker gives up its lease, and tries again until it can work.`)
      told = trouble?.code
      if (trouble) await host.clock.sleep(leaseMs, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await queues.close()
  }
}

/**
 * Works under a lease until the lease is lost or the worker is interrupted, then gives it up.
 *
 * @returns Why nothing could be done now, though it may later.
 */
async function useLease(
  context: Context,
  connection: ServiceConnection,
  queues: Queues,
  lease: Lease,
  {
    onEvent,
    signal,
    leaseMs = defaultLeaseMs,
    longestRequestMs: longestMs = longestRequestMs,
    isAgain,
  }: WorkRequest & { readonly isAgain: boolean },
): Promise<SpritewrightError | undefined> {
  const over = new AbortController()
  const active = AbortSignal.any([signal, lease.lost, over.signal])
  let left = lease.before.state
  try {
    const pauseMs = await pauseBefore(context, lease.before, leaseMs + longestMs)
    if (pauseMs > 0 && !isAgain)
      onEvent(`Requests of the last worker may still count, so the first one is in ${Math.ceil(pauseMs / 1000)} s.`)
    await context.host.clock.sleep(pauseMs, active)
    left = 'released'
    await serve(context, await connection.open(active), queues, { onEvent, leaseMs }, active)
  } catch (error) {
    if (active.aborted) return undefined
    if (mayPass(error)) return error
    throw error
  } finally {
    over.abort()
    await lease.release(left)
  }
  return undefined
}

/**
 * How long a new holder waits before its first request to the service, in milliseconds: until the last window of
 * the holder before is over.
 *
 * @param deathMs How long after its last sign a holder that died may have made its last request.
 */
async function pauseBefore({ sharedJournal, host, options }: Context, before: LeaseNote, deathMs: number): Promise<number> {
  const { windowMs } = options.limits
  const fullMs = deathMs + windowMs
  if (before.state === 'held') return fullMs
  if (before.state === 'released') return windowMs
  // A queue that was emptied looks like a new one. The journal knows better.
  const note = new TextEncoder().encode(JSON.stringify({ v: 1, id: host.random.uuid() }))
  return (await sharedJournal?.putIfAbsent('worker/first', note)) === 'mine' ? 0 : fullMs
}

/** Handles orders and questions until the signal is aborted. */
async function serve(
  context: Context,
  session: Session,
  queues: Queues,
  { onEvent, leaseMs }: { readonly onEvent: WorkRequest['onEvent']; readonly leaseMs: number },
  signal: AbortSignal,
): Promise<void> {
  const { activeJobs } = context.options.limits
  const inFlight = await findInFlight(context, session, onEvent, signal)
  const places = createPlaces(activeJobs, inFlight, signal)
  const readOrder = createOrderReader(context, session)
  const underWay = new Map<string, Promise<Purchase>>()
  const buyOrder: JobHandler = async ({ data }, report) => {
    // A result that the shared store owes a place would keep everything else from being bought.
    await context.vault.pushOwed()
    const { order, lock } = await readOrder(checked(orderMessage.safeParse(data), 'an order'))
    const { id } = order.request
    const onProgress = (progress: JobProgress): void => void report(toMessage(progress))
    const ports = { ...(await toJobPorts(context, session, { mayBuy: true, onProgress, signal })), lock, underWay }
    onEvent(`${id}: ordered.`)
    try {
      const bought = await places.run(order.hash, () => purchaseOnce(ports, order, purchase))
      await share(context, bought.sha256)
      onEvent(`${id}: bought, and in the shared store.`)
      return {}
    } finally {
      for (const { hash } of withSteps(order)) underWay.delete(hash)
    }
  }
  const answer: JobHandler = async ({ data }) => {
    const question = checked(questionMessage.safeParse(data), 'a question')
    const { client } = session
    if (question.ask === 'balance') return toMessage({ credits: await client.balance(signal) })
    if (question.ask === 'estimate') return toMessage(await client.estimate(question.frames, question.background, signal))
    return toMessage({ host: client.host, capabilities: await client.capabilities(signal) })
  }
  onEvent('This worker is active.')
  const servers = [
    // A place for each handler, and one more for each request that has one already.
    queues.orders.serve(activeJobs + inFlight.size, leaseMs, withoutKey(context, signal, onEvent, buyOrder)),
    queues.questions.serve(questionsAtOnce, leaseMs, withoutKey(context, signal, onEvent, answer)),
  ]
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.all(servers.map((server) => server.stop()))
}

/** Prepares a handler for the queue: its failures become messages for clients, and no message has the API key. */
function withoutKey({ keySearch }: Context, signal: AbortSignal, onEvent: WorkRequest['onEvent'], handle: JobHandler): JobHandler {
  return async (job, report) => {
    try {
      const result = await handle(job, async (progress) => {
        if (!keySearch.isIn(JSON.stringify(progress))) await report(progress)
      })
      refuseKey(keySearch, JSON.stringify(result), 'an answer of the worker')
      return result
    } catch (error) {
      if (signal.aborted) throw new PutBack('The worker ends.')
      const failure = keySearch.mask(formatFailure(explained(error)))
      onEvent(`Refused or failed: ${(JSON.parse(failure) as { message: string }).message}`)
      throw new Error(failure)
    }
  }
}

/** On a client, "not yours" would mislead: the worker's list decides. */
function explained(error: unknown): unknown {
  if (!hasCode(error, 'SW_BUYER')) return error
  return new SpritewrightError('SW_BUYER', {
    message: `The worker does not buy on this approval. ${error.message.split('.')[0]}. Nothing was sent. Somebody whose fingerprint the worker knows (SPRITEWRIGHT_APPROVERS in its environment) approves it: npx spritewright approve NAME --adopt. Then commit sprites.lock.json and push.`,
    facts: error.facts,
  })
}

function checked<T>(read: { readonly success: true; readonly data: T } | { readonly success: false }, what: string): T {
  if (read.success) return read.data
  throw new SpritewrightError('SW_ORDER', {
    message: `Expected ${what} in the form of this version, found something else. Nothing was sent. Use the same version of spritewright on clients and worker.`,
  })
}

/**
 * Makes sure that the shared store has a result, and gives it back: clients have no other way to it.
 *
 * @throws `SW_STORE`, or the disk's error. The next order for it tries again.
 */
async function share(context: Context, sha256: string): Promise<void> {
  const bytes = await context.vault.read(sha256)
  if (bytes) await findShared(context).store.put(bytes)
}
