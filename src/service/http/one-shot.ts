import { SpritewrightError } from '../../errors.ts'
import type { Limiter } from '../limits/limits.ts'
import type { Accepted, Profile } from '../profile.ts'
import type { SubmissionOutcome } from '../wire.ts'
import { type Answer, describeCause, type Transport, type WireRequest } from './transport.ts'

/** What a POST that may start paid work stands on. */
export interface OneShotPorts {
  readonly transport: Transport
  readonly limiter: Limiter
  readonly profile: Profile
}

/** What one POST led to, before anyone has read the answer; `lost` says in words why there is none. */
export type Shot = { readonly answer: Answer } | { readonly lost: string }

/**
 * One POST a call, never a second: first the wait for the service's limits, then `record`, which is durable before the first byte leaves,
 * then the POST, which is left to end by its own deadline: aborting it would only make its outcome unknown.
 *
 * Rejects only while nothing has been sent: with the signal's reason, or with what `record` rejects with.
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
      // Lost, cut or too long: the service may have it or not, and that is the outcome.
      (error: unknown) => ({ lost: ports.transport.hide(describeCause(error)) }),
    )
  } finally {
    release()
  }
}

/** @throws `SW_INTERNAL` for a key that cannot stand in a header. */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return
  throw new SpritewrightError('SW_INTERNAL', {
    message: `Expected a submission's key of 1 to 255 visible ASCII characters, found ${key.length} characters with others. Report this as a mistake in spritewright.`,
    facts: { length: key.length },
  })
}

/** An answer that accepts nothing: a readable envelope with a 4xx is a refusal, whatever else is unknown, for the caller's journal to settle. */
export function toRejection({ transport }: OneShotPorts, answer: Answer): SubmissionOutcome {
  const { status } = answer
  const error = transport.envelope(answer)
  if (error !== null && status >= 400 && status <= 499) return { kind: 'refused', status, error }
  const said = error === null ? 'an answer that cannot be read' : `${error.reason}: ${error.message.slice(0, 300)}`
  return { kind: 'unknown', status, message: `The service answered with status ${status} (${said}).` }
}

/** What an answer names that accepts. Without a readable id it is an execution that cannot be named: unknown, and the words of the reader say why. */
export async function toAcceptance(
  { transport }: OneShotPorts,
  status: number,
  read: () => Accepted | Promise<Accepted>,
): Promise<SubmissionOutcome> {
  try {
    const accepted = await read()
    if (typeof accepted.executionId !== 'string' || accepted.executionId === '') throw new Error('the profile found no execution id')
    return { kind: 'accepted', executionId: accepted.executionId, conversationId: accepted.conversationId ?? null }
  } catch (error) {
    return { kind: 'unknown', status, message: transport.hide(describeCause(error)) }
  }
}
