import { SpritewrightError } from '../errors.ts'
import { longestRetryAfterMs, withRetryTime } from '../service/http/retry.ts'
import { idempotencyKey, type JobPorts, type Order } from './order.ts'
import type { RecordBodies } from './records/record.ts'
import { isTurnedAway, type Send } from './records/submission.ts'
import { stopError } from './stop.ts'

/**
 * How many POSTs for one order may get no answer in a run, and how many a rate limit may refuse, before the run
 * stops trying this order.
 */
const faultsAllowed = 5
const limitsAllowed = 12

/** The number of tries for one order in one run. */
export interface Tries {
  /** POSTs that were sent. */
  sent: number
  /** POSTs that got no answer. */
  faults: number
  /** POSTs that a rate limit refused. */
  limits: number
  /** `Retry-After` of the last answer in this run, in milliseconds; 0 if it had none. */
  askedMs: number
  /** Key of an unsent submission for which this run has taken a place. */
  place?: string | undefined
}

/** The tries at the start of a run. */
export function noTries(): Tries {
  return { sent: 0, faults: 0, limits: 0, askedMs: 0 }
}

/** Why a run waits before it sends again. */
export type Pause = 'none' | 'fault' | 'limit' | 'conflict' | 'jobs'

/**
 * Counts a try, and checks whether this run may make it.
 *
 * @throws If this run has tried often enough. The next run continues from the records.
 */
export function checkTries(ports: JobPorts, order: Order, pause: Pause, tries: Tries, last: Send['answer'] | undefined): void {
  const refusal =
    last?.kind === 'refused' ? stopError(ports, order, { kind: 'refused', status: last.status, error: last.error }) : undefined
  // A refused key gets one POST in a run, because the person may have corrected the key.
  if (pause === 'none' && tries.sent > 0 && refusal) throw refusal
  if (pause === 'fault' && ++tries.faults > faultsAllowed) throw unansweredError(order, last)
  if (pause === 'limit' && ++tries.limits > limitsAllowed && refusal) throw refusal
  if (tries.askedMs > longestRetryAfterMs && pause !== 'none')
    throw withRetryTime(refusal ?? unansweredError(order, last), tries.askedMs, ports.clock.wall())
}

/**
 * Takes a place for an attempt that certainly has no execution, or waits for a place. If the run ends before it sends,
 * it releases the place.
 *
 * @returns Whether the run waited. If so, all earlier checks are too old.
 */
export async function enter(ports: JobPorts, order: Order, attempt: number, tries: Tries): Promise<boolean> {
  const { id } = order.request
  const key = idempotencyKey(order.identity, order.hash, attempt)
  const onWait = (message: string): void => ports.onProgress({ id, phase: 'waiting', message })
  const taken = await ports.places.take({ key, id }, ports.signal, onWait)
  if (taken !== 'had') tries.place = key
  return taken === 'waited'
}

/**
 * Takes a free place for an attempt that the service may have received, and never waits for a place: the job may be
 * active already, and a replay is safe only for some minutes.
 */
export async function enterAgain(ports: JobPorts, order: Order, attempt: number): Promise<void> {
  await ports.places.keep({ key: idempotencyKey(order.identity, order.hash, attempt), id: order.request.id }, {})
}

/**
 * Waits before an attempt replaces an attempt that the service refused for too many active jobs. Does nothing for an
 * attempt that ended in another way.
 *
 * @throws If this run has tried often enough. The next run continues from the records.
 */
export async function waitForJobs(ports: JobPorts, order: Order, failed: RecordBodies['failed'] | undefined, tries: Tries): Promise<void> {
  if (!failed || !isTurnedAway(failed) || tries.place !== undefined) return
  if (++tries.limits > limitsAllowed) throw stopError(ports, order, { kind: 'failed', ...failed })
  await wait(ports, order, 'jobs', tries)
}

/** Waits before the next try, if a POST of this run is the cause. A pause of an earlier run has passed. */
export async function wait(ports: JobPorts, order: Order, pause: Pause, tries: Tries): Promise<void> {
  if (tries.sent === 0 || pause === 'none') return
  const asked = tries.askedMs > 0 ? `; it asks to wait ${Math.ceil(tries.askedMs / 1000)} s` : ''
  ports.onProgress({ id: order.request.id, phase: 'waiting', message: `${waitingWords[pause]}${asked}` })
  const ownMs = pauseMs(pause, tries, ports.random.unit())
  await ports.clock.sleep(Math.max(ownMs, tries.askedMs), ports.signal)
}

const waitingWords = {
  fault: 'the service did not answer; the same submission is sent again under the same key',
  limit: "the service's rate limit is reached",
  conflict: 'the service is busy with this very submission',
  jobs: 'this account runs as many jobs as it may, not all of them from this machine; it is sent again under the same approval',
} as const

/**
 * The pause in milliseconds: full jitter for faults, equal jitter for limits (which count by the minute), 5
 * to 15 s for a conflict.
 */
function pauseMs(pause: Exclude<Pause, 'none'>, tries: Tries, unit: number): number {
  if (pause === 'conflict') return 5_000 + 10_000 * unit
  if (pause === 'fault') return Math.min(8_000, 500 * 2 ** tries.faults) * unit
  const fullMs = Math.min(60_000, 5_000 * 2 ** (tries.limits - 1))
  return fullMs / 2 + (fullMs / 2) * unit
}

function unansweredError(order: Order, last: Send['answer'] | undefined): SpritewrightError {
  const answerText = last?.kind === 'unknown' ? last.message : 'no answer'
  return new SpritewrightError('SW_UNREACHABLE', {
    message: `The service did not answer the submission of "${order.request.id}" (${answerText}). Run the command again soon (a dev server does it by itself): it repeats the same submission under the same key, so it is paid once.`,
    facts: { id: order.request.id, lastAnswer: answerText },
  })
}
