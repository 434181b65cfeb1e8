import { hasCode, SpritewrightError } from '../errors.ts'
import type { SubmissionOutcome } from '../service/wire.ts'
import { askedFields, type JobPorts, type Order } from './order.ts'

/** How long a run tries to record an answer of the service in an unreachable shared journal, in milliseconds. */
const longestMs = 10 * 60_000
const pauseMs = 5_000

/**
 * Records an answer of the service, and retries while the shared journal cannot be reached, because the answer is
 * the only proof of the purchase.
 *
 * @param record Writes the record. May be called again after a failure that may have written it already.
 * @throws `SW_STORE` with the execution in its message, after ten minutes, or if the run is interrupted.
 */
export async function patiently(ports: JobPorts, order: Order, outcome: SubmissionOutcome, record: () => Promise<void>): Promise<void> {
  const { clock, signal, onProgress } = ports
  const { id } = order.request
  const begunMs = clock.mono()
  for (;;) {
    try {
      return await record()
    } catch (error) {
      if (!hasCode(error, 'SW_STORE')) throw error
      if (signal.aborted || clock.mono() - begunMs > longestMs) {
        await noteInLockFile(ports, order, outcome)
        throw unrecorded(id, outcome, error)
      }
    }
    onProgress({
      id,
      phase: 'waiting',
      message: 'the shared journal does not answer; what the service has answered is recorded as soon as it does',
    })
    // An interruption gets one more try before the error.
    await clock.sleep(pauseMs, signal).catch(() => {})
  }
}

/** Writes the execution into the lock file, from which the next build takes it over, and only reads it. */
async function noteInLockFile({ lock }: JobPorts, { request, identity, hash }: Order, outcome: SubmissionOutcome): Promise<void> {
  if (outcome.kind !== 'accepted') return
  const execution = { id: outcome.executionId, conversation: outcome.conversationId }
  await lock.change(request.id, hash, (entry) => ({ service: identity, asked: askedFields(request), ...entry, execution }))
}

function unrecorded(id: string, outcome: SubmissionOutcome, cause: SpritewrightError): SpritewrightError {
  const answer = outcome.kind === 'accepted' ? `accepted it as execution ${outcome.executionId}` : 'has answered'
  return new SpritewrightError('SW_STORE', {
    message: `"${id}" was sent, and the service ${answer}, but the shared journal could not record that. ${cause.message} Then build again: ${outcome.kind === 'accepted' ? 'it is fetched, and not paid again' : 'the same submission is repeated under the same key, so it is paid once'}.`,
    facts: { ...cause.facts, id, ...(outcome.kind === 'accepted' ? { execution: outcome.executionId } : {}) },
    cause,
  })
}
