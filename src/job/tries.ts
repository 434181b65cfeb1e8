import { SpritewrightError } from '../errors.ts'
import { longestRetryAfterMs, withRetryTime } from '../service/http/retry.ts'
import type { JobPorts, Order } from './order.ts'
import type { Send } from './records/submission.ts'
import { stopError } from './stop.ts'

/**
 * How many POSTs for one order may get no answer in a run, and how many a rate limit may refuse, before the
 * run gives up the order for now.
 */
const faultsAllowed = 5
const limitsAllowed = 12

/** The number of tries for one order in one run. */
export interface Tries {
  /** POSTs that were sent. */
  sent: number
  /** Those of them that got no answer. */
  faults: number
  /** Those that a rate limit refused. */
  limits: number
  /** `Retry-After` of the last answer in this run, in milliseconds; 0 if it had none. */
  askedMs: number
}

/** The start of a run. */
export function noTries(): Tries {
  return { sent: 0, faults: 0, limits: 0, askedMs: 0 }
}

/** Why a run waits before it sends again. */
export type Pause = 'none' | 'fault' | 'limit' | 'conflict'

/**
 * Counts a try, and checks whether this run may make it.
 *
 * @throws If this run has tried often enough. The next run continues from the records.
 */
export function checkTries(ports: JobPorts, order: Order, pause: Pause, tries: Tries, last: Send['answer'] | undefined): void {
  const refusal =
    last?.kind === 'refused' ? stopError(ports, order, { kind: 'refused', status: last.status, error: last.error }) : undefined
  // A refused key gets one POST a run: the person may have corrected it since.
  if (pause === 'none' && tries.sent > 0 && refusal) throw refusal
  if (pause === 'fault' && ++tries.faults > faultsAllowed) throw unansweredError(order, last)
  if (pause === 'limit' && ++tries.limits > limitsAllowed && refusal) throw refusal
  if (tries.askedMs > longestRetryAfterMs && pause !== 'none')
    throw withRetryTime(refusal ?? unansweredError(order, last), tries.askedMs, ports.clock.wall())
}

/** Waits before the next try. Only a cause in this run needs a wait: a pause of an earlier run has passed. */
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
