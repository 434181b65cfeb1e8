import { checkIdempotencyKey, type OneShotPorts, sendOnce, toAcceptance, toRejection } from './one-shot.ts'
import type { WireRequest } from './transport.ts'
import type { SubmissionOutcome } from './wire.ts'

/** See `ServiceClient.submit`. */
export type Submit = (
  submission: { readonly key: string; readonly body: Uint8Array },
  record: () => Promise<void>,
  signal?: AbortSignal,
) => Promise<SubmissionOutcome>

/** One POST a call; whatever is not plainly an acceptance or a refusal is `unknown`. */
export function createSubmit(ports: OneShotPorts): Submit {
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
    }
    const shot = await sendOnce(ports, request, record, signal)
    if ('lost' in shot) return { kind: 'unknown', status: null, message: shot.lost }
    const { answer } = shot
    if (answer.status !== 202) return toRejection(ports, answer)
    return toAcceptance(ports, answer.status, () => ports.profile.readAccepted(ports.transport.json(answer, 'the acceptance')))
  }
}
