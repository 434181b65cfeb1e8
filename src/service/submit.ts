import { createEventReader } from './events.ts'
import { checkIdempotencyKey, type OneShotPorts, sendOnce, toAcceptance, toRejection } from './http/one-shot.ts'
import { contentTypeOf, type WireRequest } from './http/transport.ts'
import { parseJson } from './json.ts'
import type { Accepted } from './profile.ts'
import type { SubmissionOutcome } from './wire.ts'

/** See `ServiceClient.submit`. */
export type Submit = (
  submission: { readonly key: string; readonly body: Uint8Array },
  record: () => Promise<void>,
  signal?: AbortSignal,
) => Promise<SubmissionOutcome>

/**
 * Sends one POST in a call. An outcome that is not clearly an acceptance or a refusal is `unknown`.
 *
 * @param wantsStream Requests the initial event stream instead of the 202's body (C5). The stream is read
 * until an event names the execution, in the form of N3, and then closed. The execution continues, and is
 * followed like every execution.
 */
export function createSubmit(ports: OneShotPorts, wantsStream: boolean): Submit {
  return async ({ key, body }, record, signal) => {
    checkIdempotencyKey(key)
    const request: WireRequest = {
      method: 'POST',
      path: '/v1/execute',
      what: 'the submission',
      contentType: 'application/json',
      idempotencyKey: key,
      isManaged: true,
      body,
      ...(wantsStream ? { accept: 'text/event-stream', isEnough: createAcceptanceReader(ports).push } : {}),
    }
    const shot = await sendOnce(ports, request, record, signal)
    if ('lost' in shot) return { kind: 'unknown', status: null, message: shot.lost }
    const { answer } = shot
    if (wantsStream && (answer.status === 200 || answer.status === 202) && contentTypeOf(answer.headers) === 'text/event-stream') {
      return toAcceptance(ports, answer, undefined, () => createAcceptanceReader(ports).read(answer.body))
    }
    if (answer.status !== 202) return toRejection(ports, answer)
    return toAcceptance(ports, answer, 'the acceptance', ports.profile.readAccepted)
  }
}

/** Finds the event of an initial stream that names the execution. */
function createAcceptanceReader({ profile, transport }: OneShotPorts): {
  /** Whether the stream has named the execution so far. */
  push(part: Uint8Array): boolean
  /**
   * Returns the names from the event.
   *
   * @throws `Error` if the stream never names the execution.
   */
  read(body: Uint8Array): Accepted
} {
  const reader = createEventReader()
  const find = (part: Uint8Array): Accepted | null => {
    for (const { data } of reader.push(part)) {
      try {
        const accepted = profile.readAccepted(parseJson(new TextEncoder().encode(data), 'an event', transport.hide))
        if (typeof accepted.executionId === 'string' && accepted.executionId !== '') return accepted
      } catch {
        // This event names no execution, for example a message for people. A later event may name it.
      }
    }
    return null
  }
  return {
    push: (part) => find(part) !== null,
    read: (body) => {
      const accepted = find(body)
      if (accepted === null) throw new Error('no event of the initial stream names the execution')
      return accepted
    },
  }
}
