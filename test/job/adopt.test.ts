import { expect, test } from 'vitest'
import { adoptExecution, mayAdopt } from '../../src/job/adopt.ts'
import { foldRecords } from '../../src/job/records/fold.ts'
import type { JournalRecord } from '../../src/job/records/record.ts'
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

const at = (n: number, type: string, body: object): JournalRecord => ({ v: 1, n, prev: '', type, at: n, mono: n, body, sum: '' }) as never
const sentOnce = [at(1, 'frozen', frozenOf(1)), at(2, 'sent', { attempt: 1, send: 1, keyTag: 'k' })]
const abandonOf = (n: number, about: string): JournalRecord =>
  at(n, 'decided', { attempt: 1, about, decision: 'abandon', approvedAt: null })

test('a decision to repeat our own POST ends with it when an execution of another machine is taken over', () => {
  const replayed = [...sentOnce, at(3, 'decided', { attempt: 1, about: 'submission', decision: 'replay', approvedAt: null })]
  expect(foldRecords(replayed).replay?.count).toBe(1)
  const taken = at(4, 'accepted', { attempt: 1, executionId: 'e9', conversationId: null, approvedAt: '2026-01-01T00:00:00.000Z' })
  expect([foldRecords([...replayed, taken]).replay, foldRecords([...replayed, taken]).frozen]).toEqual([undefined, undefined])
})

test('records of somebody else count as such until the attempt is given up, over every other decision and attempt', () => {
  const isForeign = (...records: readonly (readonly [JournalRecord, boolean])[]) => {
    const all = records.map(([record]) => record)
    return foldRecords(all, new Set(records.flatMap(([record, isOwn]) => (isOwn ? [record] : [])))).isForeign
  }
  const [frozen, sent] = sentOnce as [JournalRecord, JournalRecord]
  expect(isForeign([frozen, true], [sent, true])).toBe(undefined)
  expect(isForeign([frozen, false], [at(2, 'frozen', frozenOf(2)), true])).toBe(true)
  expect(isForeign([frozen, false], [sent, true], [abandonOf(3, 'submission'), true])).toBe(undefined)
  expect(isForeign([frozen, false], [sent, true], [abandonOf(3, 'submission'), false])).toBe(true)
  const again = [[frozen, true] as const, [abandonOf(2, 'submission'), true] as const, [sent, false] as const]
  expect(isForeign(...again, [abandonOf(4, 'answer'), true])).toBe(true)
})

test('the newest approval keeps where it was given, and a time in another form is none', () => {
  const approved = (time: string) => foldRecords([at(1, 'approved', { attempt: 1, at: time, shell: 'agent' })]).newest
  expect(approved('2026-01-01T00:00:00.000Z')).toEqual({ at: '2026-01-01T00:00:00.000Z', isRevoked: false, shell: 'agent' })
  for (const time of ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.0000Z', '2026-01-01', '9']) expect(approved(time), time).toBe(undefined)
})
