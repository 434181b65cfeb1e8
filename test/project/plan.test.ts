import { expect, test } from 'vitest'
import { noSubmission, type Send, type Submission } from '../../src/job/records/submission.ts'
import { type PlanFacts, standingOf } from '../../src/project/plan.ts'
import type { LockFile } from '../../src/vault/lockfile.ts'

const hash = 'a'.repeat(64)
const noon = 1_790_000_000_000
const minute = 60_000

/** The state of a request that this checkout has sent. */
function stateOf(submission: Partial<Submission>, more: Partial<PlanFacts> = {}): string {
  const facts: PlanFacts = {
    lock: { version: 1, animations: {} } satisfies LockFile,
    approvers: { own: undefined, others: new Set() },
    submissionOf: () => ({ ...noSubmission, attempt: 1, frozen, sends: [send(minute)], ...submission }),
    isKept: () => true,
    decision: { wall: noon, mono: 10 * minute, windowMs: 8 * minute },
    ...more,
  }
  const { state, undecided, question } = standingOf(facts, 'hero.walk', hash)
  return [state, ...(undecided ? [`${undecided} undecided`] : []), ...(question ? ['asked'] : [])].join(', ')
}

const frozen = {
  ...{ attempt: 1, key: 'k', body: '{}', bodySha256: 'b', maxCredits: '2', ceiling: '2', priceVersion: '1' },
  approvedAt: '2026-01-01T00:00:00.000Z',
}
const accepted = { attempt: 1, send: 1, executionId: 'e', conversationId: null, approvedAt: 'then' }
const error = { code: 'X', reason: 'x', message: 'no', category: 'X', retryable: false, requestId: null, details: null }
const question = { id: 'q', text: 'Which hand?' } as unknown as NonNullable<Submission['question']>
const send = (ageMs: number, answer: Send['answer'] = { kind: 'none' }): Send => ({
  ...{ send: 1, at: noon - ageMs, mono: 10 * minute - ageMs, keyTag: 'k', answer },
})
const answer = (sent: Send): NonNullable<Submission['answer']> => ({ frozen: {} as never, sends: [sent] })
const refused = { kind: 'refused', status: 429, error } as const

test.each<[string, string, Partial<Submission>]>([
  ['nothing was sent', 'missing', { sends: [] }],
  ['it was sent and not answered yet', 'running', { sends: [send(minute)] }],
  ['it was sent too long ago', 'uncertain, submission undecided', { sends: [send(9 * minute)] }],
  ['every POST was refused', 'missing', { sends: [send(minute, refused)] }],
  ['it was accepted', 'running', { accepted }],
  ['the service asks', 'question, asked', { accepted, question }],
  ['the service asks, and its answer was refused', 'question, asked', { accepted, question, answer: answer(send(minute, refused)) }],
  ['the service asks, and it was answered', 'running', { accepted, question, answer: answer(send(minute)) }],
  ['its answer was never confirmed', 'uncertain, answer undecided', { accepted, question, answer: answer(send(9 * minute)) }],
  ['it failed for good', 'failed', { accepted, failed: { attempt: 1, executionId: 'e', status: 'failed', error } }],
  ['a person gave it up', 'failed', { abandoned: { about: 'submission', approvedAt: null }, sends: [send(minute)] }],
  ['its records are not our own', 'uncertain, submission undecided', { isForeign: true, sends: [send(minute)] }],
  ['its result is here', 'bought', { accepted, stored: { attempt: 1, sha256: 'b' } as never }],
])('a request is told as it is: %s', (_, state, submission) => {
  expect(stateOf(submission)).toBe(state)
})

test('a bought result that no place has is lost, not missing', () => {
  expect(stateOf({ accepted, stored: { attempt: 1, sha256: 'b' } as never }, { isKept: () => false })).toBe('lost')
})

test('a request whose service is unknown is missing', () => {
  expect(standingOf({} as PlanFacts, 'hero.walk', undefined)).toEqual({ state: 'missing' })
})
