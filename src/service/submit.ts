import { SpritewrightError } from '../errors.ts'
import type { Limiter } from './limits.ts'
import type { Profile } from './profile.ts'
import { type Answer, describeCause, type Transport, type WireRequest } from './transport.ts'
import type { SubmissionOutcome } from './wire.ts'

/** What {@link createSubmit} stands on. */
export interface SubmitPorts {
  readonly transport: Transport
  readonly limiter: Limiter
  readonly profile: Profile
}

/** See `ServiceClient.submit`. */
export type Submit = (
  submission: { readonly key: string; readonly body: Uint8Array },
  record: () => Promise<void>,
  signal?: AbortSignal,
) => Promise<SubmissionOutcome>

/**
 * One POST a call, never a second: `record` is durable before the first byte leaves, and whatever is not plainly an acceptance or a
 * refusal is `unknown`, for the caller's journal to settle.
 */
export function createSubmit(ports: SubmitPorts): Submit {
  return async (submission, record, signal) => {
    if (!/^[\x21-\x7e]{1,255}$/.test(submission.key)) {
      throw new SpritewrightError('SW_INTERNAL', {
        message: `Expected a submission's key of 1 to 255 visible ASCII characters, found ${submission.key.length} characters with others. Report this as a mistake in spritewright.`,
        facts: { length: submission.key.length },
      })
    }
    const release = await ports.limiter.take('post', signal)
    try {
      signal?.throwIfAborted()
      await record()
      // Once it is recorded the POST is left to end by its own deadline: aborting it would only make its outcome unknown.
      return await post(ports, submission)
    } finally {
      release()
    }
  }
}

async function post(ports: SubmitPorts, submission: { readonly key: string; readonly body: Uint8Array }): Promise<SubmissionOutcome> {
  const request: WireRequest = {
    method: 'POST',
    path: '/v1/execute',
    what: 'the submission',
    contentType: 'application/json',
    idempotencyKey: submission.key,
    isManaged: true,
    body: submission.body,
  }
  let answer: Answer
  try {
    answer = await ports.transport.exchange(request)
  } catch (error) {
    // Lost, cut, aborted or too long: the service may have it or not, and that is the outcome.
    return { kind: 'unknown', status: null, message: ports.transport.hide(describeCause(error)) }
  }
  return toOutcome(ports, answer)
}

function toOutcome(ports: SubmitPorts, answer: Answer): SubmissionOutcome {
  const { status } = answer
  if (status === 202) return toAcceptance(ports, answer)
  const error = ports.transport.envelope(answer)
  if (error !== null && status >= 400 && status <= 499) return { kind: 'refused', status, error }
  const said = error === null ? 'an answer that cannot be read' : `${error.reason}: ${error.message.slice(0, 300)}`
  return { kind: 'unknown', status, message: `The service answered with status ${status} (${said}).` }
}

function toAcceptance(ports: SubmitPorts, answer: Answer): SubmissionOutcome {
  try {
    const accepted = ports.profile.readAccepted(ports.transport.json(answer, 'the acceptance'))
    if (typeof accepted.executionId !== 'string' || accepted.executionId === '') throw new Error('the profile found no execution id')
    return { kind: 'accepted', executionId: accepted.executionId, conversationId: accepted.conversationId ?? null }
  } catch (error) {
    // A 202 without a readable id is an execution that cannot be named: unknown, and the words of the reader say why.
    return { kind: 'unknown', status: answer.status, message: ports.transport.hide(describeCause(error)) }
  }
}
