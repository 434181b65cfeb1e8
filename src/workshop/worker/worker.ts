import { mayPass, SpritewrightError } from '../../errors.ts'
import type { Listener } from '../../host/server.ts'
import type { Context } from '../../project/context.ts'
import { openProjectQueues } from '../../project/session.ts'
import { readSettings } from '../../project/trust/settings.ts'
import type { Queues } from '../../queue/open.ts'
import { longestRequestMs } from '../../service/http/transport.ts'
import { type Clones, checkClone, createClones } from './clones.ts'
import { masked, type Tell, troubleEvent } from './events.ts'
import { createHook } from './hook.ts'
import { type Lease, type LeaseInit, takeLease } from './lease.ts'
import { createMonitor, type ListenPlace, listenAt } from './monitor.ts'
import type { OpenedProject } from './opened-project.ts'
import { pauseBefore } from './pause.ts'
import { type ServeRun, serve } from './serve.ts'
import { createStallWatch } from './stalls.ts'
import { readStatus } from './status.ts'

/** How a worker runs. */
export interface WorkRequest {
  /** Receives what the worker does. */
  readonly onEvent: Tell
  /** Ends the worker in order. */
  readonly signal: AbortSignal
  /**
   * Where `GET /healthz` and `GET /metrics` are answered.
   *
   * @default nowhere
   */
  readonly http?: ListenPlace | undefined
  /**
   * How long the other workers wait for a sign of the active one, in milliseconds, at least 10000.
   *
   * @default 30000
   */
  readonly leaseMs?: number | undefined
  /**
   * How long a request to the service may be under way, in milliseconds. A new active worker waits for those
   * of the previous one.
   *
   * @default 60000
   */
  readonly longestRequestMs?: number | undefined
}

const defaultLeaseMs = 30_000
/** A busy machine cannot renew a shorter lease in time, and workers would take turns without an end. */
const shortestLeaseMs = 10_000

/**
 * Buys for all machines of a team until it is interrupted. One worker is active, the others stand by. A store, a
 * queue or a service that does not answer does not end it: it gives the lease up and tries again.
 *
 * @param own The project in which it starts. Its configuration names the queue.
 * @param openOther See {@link createClones}.
 * @throws `SW_USAGE` for a lease that is too short.
 * @throws `SW_NO_KEY`, `SW_CONFIG`, `SW_ORDER` if the project lacks what a worker needs.
 * @throws The errors of the connection to the service that do not pass, like `SW_KEY_REFUSED`.
 */
export async function work(own: OpenedProject, openOther: (root: string) => Promise<OpenedProject>, request: WorkRequest): Promise<void> {
  const { context, connection } = own
  const { host, options } = context
  const { signal, leaseMs = defaultLeaseMs, longestRequestMs: longestMs = longestRequestMs } = request
  const hook = createHook(host, context.keySearch, (message) => tell({ kind: 'warning', message }))
  const tell = masked((event) => {
    request.onEvent(event)
    monitor.tell(event)
    stalls.tell(event)
    hook.tell(event)
  }, context.keySearch)
  // A wrong setting ends the worker now, not at its first event.
  await readSettings(host)
  if (leaseMs < shortestLeaseMs) {
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected a lease of at least ${shortestLeaseMs} ms, found ${leaseMs}. A shorter one is lost whenever the machine is busy. Leave leaseMs out.`,
      facts: { leaseMs, shortestLeaseMs },
    })
  }
  const queues = await openProjectQueues(context, true)
  const clones = createClones(own, openOther, tell)
  const monitor = createMonitor(host.clock, () => readStatus(queues))
  const stalls = createStallWatch(host.clock, () => readStatus(queues), clones.waits, tell)
  if (connection.isRemote) {
    throw new SpritewrightError('SW_NO_KEY', {
      message: 'Expected an API key for the worker, found none. Set SPRITEWRIGHT_API_KEY in the environment of this machine alone.',
    })
  }
  await checkClone(context, options.root)
  const { fingerprint } = await context.keys.readOrMake()
  const identity = `Its signing key is ${fingerprint}. Name it in SPRITEWRIGHT_APPROVERS on the other machines: its records count there only then.`
  tell({ kind: 'identity', message: identity })
  const by = `${host.machineName ?? 'unknown'} ${host.processId}`
  let http: Listener | undefined
  const over = new AbortController()
  try {
    if (request.http) http = await listenAt(monitor, request.http, tell)
    void stalls.run(AbortSignal.any([signal, over.signal]))
    let told: string | undefined
    while (!signal.aborted) {
      const onWait: LeaseInit['onWait'] = (message, error) =>
        tell(error ? { kind: 'trouble', message, fields: { code: error.code } } : { kind: 'standby', message })
      const lease = await takeLease(queues.lease, { clock: host.clock, by, leaseMs, onWait, onEmptied: stalls.emptied }, signal)
      const run = { tell, signal, leaseMs, longestMs, isAgain: told !== undefined }
      const trouble = await useLease(context, clones, queues, lease, run)
      if (lease.lost.aborted) tell({ kind: 'lost', message: 'This worker lost its lease: the queue did not answer, or the machine slept.' })
      if (trouble && trouble.code !== told) tell(troubleEvent(trouble))
      told = trouble?.code
      if (trouble) await host.clock.sleep(leaseMs, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    over.abort()
    await http?.close()
    await hook.close()
    await clones.close()
    await queues.close()
  }
}

/** How a worker works under a lease. */
interface LeaseRun extends ServeRun {
  readonly signal: AbortSignal
  /** How long a request of the previous holder may be under way, in milliseconds. */
  readonly longestMs: number
  /** Whether the last try failed. */
  readonly isAgain: boolean
}

/**
 * Works under a lease until the lease is lost or the worker is interrupted, then gives it up.
 *
 * @returns The error that ended the work, if another try may succeed.
 */
async function useLease(
  context: Context,
  clones: Clones,
  queues: Queues,
  lease: Lease,
  { signal, longestMs, isAgain, ...run }: LeaseRun,
): Promise<SpritewrightError | undefined> {
  const over = new AbortController()
  const active = AbortSignal.any([signal, lease.lost, over.signal])
  let left = lease.before.state
  try {
    const pauseMs = await pauseBefore(context, await clones.load(), lease.before, { longestMs, leaseMs: run.leaseMs }, active)
    const pauseWords = `Requests of the last worker may still count, so the first request follows in ${Math.ceil(pauseMs / 1000)} s.`
    if (pauseMs > 0 && !isAgain) run.tell({ kind: 'pause', message: pauseWords })
    await context.host.clock.sleep(pauseMs, active)
    left = 'released'
    await serve(context, clones, queues, run, active)
  } catch (error) {
    if (active.aborted) return undefined
    if (mayPass(error)) return error
    throw error
  } finally {
    over.abort()
    clones.leave()
    await lease.release(left)
  }
  return undefined
}
