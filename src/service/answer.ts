import { checkIdempotencyKey, type OneShotPorts, type Shot, sendOnce, toAcceptance, toRejection } from './http/one-shot.ts'
import { toWireRequest } from './http/request-port.ts'
import { type Accepted, notFromProfile, type RequestPort } from './profile.ts'
import type { AnswerSubmission, QuestionAnswer } from './submission.ts'
import type { SubmissionOutcome } from './wire.ts'

/** See `ServiceClient.answer`. */
export type SendAnswer = (answer: AnswerSubmission, record: () => Promise<void>, signal?: AbortSignal) => Promise<SubmissionOutcome>

const what = 'the answer'

/**
 * An answer starts a new execution, so it is sent like a submission: each call sends one POST, and records the
 * answer right before. The profile builds the request and reads the execution from its reply. The port that the profile
 * gets sends once, under the answer's own key, and refuses a second request.
 */
export function createAnswer(ports: OneShotPorts): SendAnswer {
  return async (submission, record, signal) => {
    checkIdempotencyKey(submission.key)
    const shooting = createShooting(ports, submission.key, record, signal)
    const { executionId, conversationId, questionId, text, assetId, key } = submission
    const answer: QuestionAnswer = { executionId, conversationId, text, assetId, idempotencyKey: key }
    let read: () => Accepted
    try {
      const accepted = await ports.profile.answer(shooting.request, { questionId }, answer)
      read = () => accepted
    } catch (error) {
      read = () => {
        throw error
      }
    }
    const shot = await shooting.shot()
    if (shot === null) {
      read()
      throw notFromProfile('answer', 'one request')
    }
    if ('lost' in shot) return { kind: 'unknown', status: null, message: shot.lost }
    const { status } = shot.answer
    // The interface shows no status for an answer. Any 2xx accepts it.
    return status >= 200 && status <= 299 ? toAcceptance(ports, shot.answer, what, read) : toRejection(ports, shot.answer)
  }
}

interface Shooting {
  readonly request: RequestPort
  /**
   * The result of the one request; null if the profile sent none. Rejects like {@link sendOnce} if nothing
   * was sent.
   */
  shot(): Promise<Shot | null>
}

function createShooting(ports: OneShotPorts, key: string, record: () => Promise<void>, signal: AbortSignal | undefined): Shooting {
  let shooting: Promise<Shot> | null = null
  return {
    request: async (request) => {
      if (shooting !== null) throw notFromProfile('answer', 'one request and no second')
      if (request.method !== 'POST') throw notFromProfile('answer', 'a POST')
      const wire = { ...toWireRequest(request, 'answer', what), idempotencyKey: key, isManaged: true }
      shooting = sendOnce(ports, wire, record, signal)
      const shot = await shooting
      if ('lost' in shot) throw new Error(shot.lost)
      const { answer } = shot
      if (answer.status < 200 || answer.status > 299) throw ports.transport.refusal(answer, what).error
      return { status: answer.status, body: ports.transport.json(answer, what) }
    },
    shot: async () => shooting,
  }
}
