import { SpritewrightError } from '../../errors.ts'
import { isSegment } from '../address.ts'
import type { JsonBody } from '../json.ts'
import type { Limiter } from '../limits/limits.ts'
import type { Profile } from '../profile.ts'
import type { SubmissionOutcome } from '../wire.ts'
import { type Answer, describeCause, type Transport, type WireRequest } from './transport.ts'

/** The ports of a POST that may start paid work. */
export interface OneShotPorts {
  readonly transport: Transport
  readonly limiter: Limiter
  readonly profile: Profile
}

/** The result of one POST, before its answer is read. `lost` describes why there is no answer. */
export type Shot = { readonly answer: Answer } | { readonly lost: string }

/**
 * Sends one POST in a call, never a second. The function waits for the service's limits, then calls `record`,
 * then sends the POST. The record must be durable when `record` resolves. An abort does not stop the POST,
 * because then its outcome would be unknown; the POST has its own deadline.
 *
 * Rejects only while nothing has been sent: with the signal's reason, or with the error of `record`.
 */
export async function sendOnce(
  ports: OneShotPorts,
  request: WireRequest,
  record: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<Shot> {
  const release = await ports.limiter.take('post', signal)
  try {
    signal?.throwIfAborted()
    await record()
    return await ports.transport.exchange(request).then(
      (answer) => ({ answer }),
      // Lost, truncated or too long: it is unknown whether the service has received the POST.
      (error: unknown) => ({ lost: ports.transport.hide(describeCause(error)) }),
    )
  } finally {
    release()
  }
}

/**
 * Checks an idempotency key.
 *
 * @throws `SW_INTERNAL` for a key that cannot be sent in a header.
 */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return
  throw new SpritewrightError('SW_INTERNAL', {
    message: `Expected a submission's key of 1 to 255 visible ASCII characters, found ${key.length} characters with others. Report this as a mistake in spritewright.`,
    facts: { length: key.length },
  })
}

/**
 * The outcome of an answer that accepts nothing. A readable envelope with a 4xx is a refusal. Any other answer
 * makes the outcome unknown; the caller's journal resolves it.
 */
export function toRejection({ transport }: OneShotPorts, answer: Answer): SubmissionOutcome {
  const { status } = answer
  const error = transport.envelope(answer)
  const wait = transport.retryAfterMs(answer)
  const asked = wait === null ? {} : { retryAfterMs: wait }
  if (error !== null && status >= 400 && status <= 499) return { kind: 'refused', status, error, ...asked }
  const said = error === null ? 'an answer that cannot be read' : `${error.reason}: ${error.message.slice(0, 300)}`
  return { kind: 'unknown', status, message: `The service answered with status ${status} (${said}).`, ...asked }
}

/**
 * The outcome of an answer that accepts. Without a readable id the execution cannot be named: the outcome is
 * unknown, and its message is the reader's error. The outcome has the answer's status only if the answer is
 * complete.
 *
 * @param what Names the JSON of the answer; `undefined` if it is a stream.
 */
export async function toAcceptance(
  { transport }: OneShotPorts,
  answer: Answer,
  what: string | undefined,
  read: Profile['readAccepted'],
): Promise<SubmissionOutcome> {
  let body: JsonBody | undefined
  try {
    body = what === undefined ? { text: 'a stream', value: undefined } : transport.json(answer, what)
    const { executionId, conversationId = null } = await read(body)
    const isNamed = typeof executionId === 'string' && isSegment(executionId)
    if (isNamed && (conversationId === null || typeof conversationId === 'string')) return { kind: 'accepted', executionId, conversationId }
    throw new Error('the profile found no execution id, or no conversation id')
  } catch (error) {
    const message = transport.hide(describeCause(error))
    // A stream may have ended before its first event.
    if (body === undefined || what === undefined) return { kind: 'unknown', status: body ? answer.status : null, message }
    return { kind: 'unknown', status: answer.status, message: `${message} Its answer: ${body.text.slice(0, 500)}`, isUnread: true }
  }
}
