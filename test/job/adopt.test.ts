import { expect, test } from 'vitest'
import { adoptExecution, mayAdopt } from '../../src/job/adopt.ts'
import type { Submission } from '../../src/job/records/submission.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { bench, frozenOf, order } from './bench.ts'

const question = { questionId: 'q', text: '?', requiresAsset: false }
const own = { attempt: 2, executionId: 'e1', conversationId: null }
const running: Submission = { attempt: 2, failures: 0, sends: [], accepted: own, executions: ['e0', 'e1'] }
const failed = { attempt: 2, status: 'failed', error: null }
const completed = { attempt: 2, downloadUrl: 'u', contentType: null, review: null }
const entryOf = (attempt: number | undefined, id: string | undefined = 'x'): LockEntry =>
  ({
    ...(attempt === undefined ? {} : { submission: { attempt } }),
    ...(id === '' ? {} : { execution: { id, conversation: 'c' } }),
  }) as LockEntry

test.each<[string, Submission, LockEntry, boolean, boolean]>([
  ['of a request without records', { attempt: 0, failures: 0, sends: [] }, entryOf(undefined), false, true],
  ['of an attempt that was not accepted', { attempt: 2, failures: 0, sends: [] }, entryOf(2), false, true],
  ['of an attempt that it does not name', { attempt: 2, failures: 0, sends: [] }, entryOf(undefined), false, true],
  ['of a later attempt', { attempt: 2, failures: 0, sends: [] }, entryOf(3), false, true],
  ['of an earlier attempt', { attempt: 2, failures: 0, sends: [] }, entryOf(1), false, false],
  ['that is missing', { attempt: 2, failures: 0, sends: [] }, entryOf(2, ''), false, false],
  ['that is the own one', running, entryOf(2, 'e1'), true, false],
  ['that was the own one', running, entryOf(2, 'e0'), true, false],
  ['beside one that runs', running, entryOf(2), false, false],
  ['after one that failed', { ...running, failed }, entryOf(2), false, true],
  ['after one that was given up', { ...running, abandoned: { about: 'execution', approvedAt: null } }, entryOf(2), false, true],
  ['after one that asks', { ...running, question }, entryOf(2), false, true],
  ['after one whose answer started another', running, entryOf(2), true, true],
  ['after one that is completed', { ...running, completed, question }, entryOf(2), true, false],
  ['after one whose result is here', { ...running, stored: { attempt: 2, sha256: 's', bytes: 1 }, question }, entryOf(2), true, false],
])('an execution of the lock file %s may be taken over, or not', (_which, submission, entry, isLeft, may) => {
  expect(mayAdopt(submission, entry, isLeft)).toBe(may)
})

test('an execution that only the lock file knows is recorded as taken over, with its attempt', async () => {
  const lockWith = async (made: ReturnType<typeof bench>, entry: LockEntry) =>
    made.lock.change(order.request.id, order.hash, () => ({ ...entry, service: order.identity, asked: { prompt: 'p' } }))
  const submission = { attempt: 3, key: 'k', body: '{}', bodySha256: '0'.repeat(64), maxCredits: '2.4' }
  for (const [entry, attempt] of [
    [entryOf(undefined), 1],
    [{ ...entryOf(undefined), submission } as LockEntry, 3],
  ] as const) {
    const made = bench()
    await lockWith(made, entry)
    const { records } = await adoptExecution(made, order, await made.view())
    const approvedAt = new Date(made.clock.wall()).toISOString()
    expect(records.map(({ type, body }) => [type, body])).toEqual([
      ['accepted', { attempt, executionId: 'x', conversationId: 'c', approvedAt }],
    ])
  }
  // A POST of our own that may be repeated goes first: its answer names the execution.
  const sending = bench()
  await lockWith(sending, entryOf(undefined))
  await sending.record('frozen', frozenOf(1))
  const view = await sending.record('sent', { attempt: 1, send: 1, keyTag: sending.client.keyTag(order.hash) })
  expect(await adoptExecution(sending, order, view)).toBe(view)
  expect((await adoptExecution({ ...sending, mayReplay: false }, order, view)).submission.accepted?.executionId).toBe('x')
})
