import { expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { fullBudget } from '../../src/job/records/budgets.ts'
import { foldRecords } from '../../src/job/records/fold.ts'
import type { JournalRecord, RecordBodies, RecordType } from '../../src/job/records/record.ts'
import { foldHistory, foldShares, type ReservationRecord, type Share, toBody } from '../../src/job/records/shares.ts'
import { errorOf, frozenOf } from './bench.ts'

let count = 0
const record = <T extends RecordType>(type: T, body: RecordBodies[T]): JournalRecord => {
  count++
  return { v: 1, n: count, prev: '', type, at: 100 * count, mono: 7 * count, body, sum: '' } as unknown as JournalRecord
}
const fold = (records: readonly JournalRecord[], ...foreign: JournalRecord[]) =>
  foldRecords(records, new Set(records.filter((one) => !foreign.includes(one))))
const error = errorOf('rate_limited', { message: 'It says so.', retryable: true, requestId: 'r9', details: { field: 'x' } })
const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']
const timesOf = ({ at, mono }: JournalRecord) => ({ at, mono })
const frozen = frozenOf(1, { approvedAt: early })
const newest = { at: early, isRevoked: false }

test('each record of a purchase becomes its part of the state, and of no other', () => {
  const sent = [1, 2, 3].map((send) => record('sent', { attempt: 1, send, keyTag: `k${send}` })) as [
    JournalRecord,
    JournalRecord,
    JournalRecord,
  ]
  const unknown = { attempt: 1, send: 1, status: 503, message: 'busy' }
  const refused = { attempt: 1, send: 2, status: 429, error }
  const begun = [record('frozen', frozen), ...sent, record('refused', refused), record('unknown', unknown)]
  const sends = [
    { send: 1, ...timesOf(sent[0]), keyTag: 'k1', answer: { kind: 'unknown', status: 503, message: 'busy' } },
    { send: 2, ...timesOf(sent[1]), keyTag: 'k2', answer: { kind: 'refused', status: 429, error } },
    { send: 3, ...timesOf(sent[2]), keyTag: 'k3', answer: { kind: 'none' } },
  ]
  const state = { attempt: 1, failures: 0, newest, frozen, sends }
  expect(fold(begun)).toEqual(state)
  const withdrawn = record('withdrawn', { attempt: 1 })
  expect(fold([...begun, withdrawn, withdrawn])).toEqual({ ...state, withdrawals: 2 })
  const accepted = { attempt: 1, executionId: 'e1', conversationId: 'c1' }
  const question = { questionId: 'q1', text: 'Which?', requiresAsset: true }
  const asked = [...begun, record('accepted', accepted), record('asked', { attempt: 1, executionId: 'e1', question })]
  const going = { ...state, accepted, executions: ['e1'] }
  expect(fold(asked)).toEqual({ ...going, question })
  const words = { attempt: 1, executionId: 'e1', conversationId: 'c1', questionId: 'q1', key: 'k', text: 'left', assetId: 'a', tries: 2 }
  const answers = [1, 2].map((send) => record('answerSent', { attempt: 1, send, keyTag: `t${send}` })) as [JournalRecord, JournalRecord]
  const replay = record('decided', { attempt: 1, about: 'answer', decision: 'replay', approvedAt: null })
  const answered = [
    ...[...asked, record('answerFrozen', words), ...answers, replay, record('answerUnknown', { ...unknown, send: 2 })],
    record('answerRefused', { ...refused, send: 1 }),
  ]
  const answer = {
    frozen: words,
    sends: [
      { send: 1, ...timesOf(answers[0]), keyTag: 't1', answer: { kind: 'refused', status: 429, error } },
      { send: 2, ...timesOf(answers[1]), keyTag: 't2', answer: { kind: 'unknown', status: 503, message: 'busy' } },
    ],
    replay: { ...timesOf(replay), sends: 2, count: 1 },
  }
  expect(fold(answered)).toEqual({ ...going, question, answer })
  const next = { attempt: 1, executionId: 'e2', conversationId: 'c2' }
  const goingOn = record('answerAccepted', next)
  const second = { ...state, accepted: next, executions: ['e1', 'e2'] }
  expect(fold([...answered, goingOn, goingOn])).toEqual(second)
  const completed = { attempt: 1, executionId: 'e2', downloadUrl: 'u', contentType: 'application/zip', width: 8, height: 9, review: null }
  const stored = { attempt: 1, executionId: 'e2', sha256: 's', bytes: 5 }
  expect(fold([...answered, goingOn, record('completed', completed), record('stored', stored)])).toEqual({ ...second, completed, stored })
  const failed = { attempt: 1, executionId: 'e2', status: 'failed', error }
  const over = [...answered, goingOn, record('failed', failed), record('failed', { ...failed, status: 'cancelled' })]
  expect(fold(over)).toEqual({ ...second, failures: 1, failed })
  const old = [record('completed', { ...completed, executionId: 'e1' }), record('failed', { ...failed, attempt: 2 })]
  expect(fold([...answered, goingOn, ...old])).toEqual(second)
})

test('what lasts after an attempt is kept for the next one, and nothing else', () => {
  const accepted = { attempt: 1, executionId: 'e1', conversationId: null }
  const first = [
    ...[record('frozen', frozen), record('sent', { attempt: 1, send: 1, keyTag: 'k' }), record('accepted', accepted)],
    record('withdrawn', { attempt: 1 }),
    record('asked', { attempt: 1, executionId: 'e1', question: { questionId: 'q', text: '?', requiresAsset: false } }),
    record('decided', { attempt: 1, about: 'answer', decision: 'abandon', approvedAt: null }),
    record('decided', { attempt: 1, about: 'submission', decision: 'replay', approvedAt: null }),
    record('decided', { attempt: 1, about: 'execution', executionId: 'e1', decision: 'abandon', approvedAt: early }),
  ]
  const givenUp = { about: 'execution', approvedAt: early }
  expect(fold(first).abandoned).toEqual(givenUp)
  const again = frozenOf(2, { approvedAt: late })
  const state = { attempt: 2, failures: 0, executions: ['e1'], abandonedAttempts: [1], newest: { at: late, isRevoked: false } }
  expect(fold([...first, record('frozen', again)])).toEqual({ ...state, frozen: again, sends: [] })
  const stray = record('accepted', { attempt: 1, executionId: 'e5', conversationId: null })
  const third = frozenOf(3, { approvedAt: late })
  expect(fold([...first, record('frozen', again), stray, record('frozen', third)])).toEqual({
    ...{ ...state, attempt: 3, frozen: third, sends: [], strays: [{ attempt: 1, executionId: 'e5' }] },
  })
  // The execution of a given-up attempt that becomes known after all.
  const known = fold([...first, record('accepted', accepted)])
  expect([known.abandoned, known.accepted, known.executions]).toEqual([undefined, accepted, ['e1']])
})

test('the newest approval counts, given or taken back, with its shell, and none in another form of time', () => {
  const given = (at: string, shell?: 'agent') => record('approved', { at, ...(shell ? { shell } : {}) } as never)
  const revoked = record('revoked', { at: late } as never)
  const newestOf = (...records: readonly JournalRecord[]) => fold(records).newest
  expect(newestOf(given(late, 'agent'), given(early))).toEqual({ at: late, isRevoked: false, shell: 'agent' })
  expect(newestOf(given(early), revoked, record('frozen', frozen))).toEqual({ at: late, isRevoked: true })
  expect(newestOf(given('2030'), given(`${late}x`), given(` ${late}`), given('9999-99-99T00:00:00.000'))).toBeUndefined()
})

test('a record of somebody else marks the request until the user gives the attempt up, and an approval marks nothing', () => {
  const [begun, sent] = [record('frozen', frozen), record('sent', { attempt: 1, send: 1, keyTag: 'k' })]
  const decided = (about: 'submission' | 'answer', decision: 'replay' | 'abandon' = 'abandon') =>
    record('decided', { attempt: 1, about, decision, approvedAt: null })
  expect([fold([begun, sent]).isForeign, fold([begun, sent], sent).isForeign]).toEqual([undefined, true])
  for (const one of [decided('answer'), decided('submission', 'replay')]) expect(fold([begun, sent, one], sent).isForeign).toBe(true)
  const [own, theirs] = [decided('submission'), decided('submission')]
  expect([fold([begun, sent, own], sent).isForeign, fold([begun, sent, theirs], sent, theirs).isForeign]).toEqual([undefined, true])
  const next = record('frozen', frozenOf(2))
  expect(fold([begun, sent, next], sent)).toMatchObject({ isForeign: true, attempt: 2 })
  const approved = record('approved', { at: late } as never)
  expect(fold([begun, approved], approved)).toEqual({ attempt: 1, failures: 0, frozen, sends: [], newest: { at: late, isRevoked: false } })
})

test('an execution is the present one, a stray or nothing new, by its attempt and by who started it', () => {
  const accepted = (attempt: number, executionId: string, approvedAt?: string) =>
    record('accepted', { attempt, executionId, conversationId: null, ...(approvedAt === undefined ? {} : { approvedAt }) })
  const sent = (attempt: number) => record('sent', { attempt, send: 1, keyTag: 'k' })
  const failed = (executionId: string) => record('failed', { attempt: 1, executionId, status: 'failed', error })
  const completed = (executionId: string) =>
    record('completed', { attempt: 1, executionId, downloadUrl: 'u', contentType: null, review: null })
  const refused = record('refused', { attempt: 1, send: 1, status: 422, error })
  const begun = [record('frozen', frozen), sent(1)]
  const second = [record('frozen', frozenOf(2)), sent(2)]
  const told = (...records: readonly JournalRecord[]) => {
    const { attempt, executions, strays, abandonedAttempts, completed: end, frozen: bytes } = fold([...begun, ...records])
    return [attempt, executions, strays?.map((one) => one.executionId), abandonedAttempts, end?.executionId, bytes?.attempt]
  }
  const _ = undefined
  // Of an earlier attempt: known, or a stray.
  expect(told(accepted(1, 'e1'), ...second, accepted(1, 'e1'))).toEqual([2, ['e1'], _, [1], _, 2])
  expect(told(...second, accepted(1, 'e1'))).toEqual([2, _, ['e1'], [1], _, 2])
  // The answer to a POST of our own after a takeover: known, or a stray, whose end is not that of the present one.
  expect(told(accepted(1, 'e1'), failed('e1'), accepted(1, 'e9', late), accepted(1, 'e1'))).toEqual([1, ['e1', 'e9'], _, _, _, 1])
  expect(told(accepted(1, 'e9', late), accepted(1, 'e1'), completed('e1'))).toEqual([1, ['e9'], ['e1'], [1], _, _])
  expect(told(accepted(1, 'e9', late), completed('e7'))).toEqual([1, ['e9'], _, [1], 'e7', _])
  // A second takeover, a second answer and a later attempt replace the present one.
  expect(told(accepted(1, 'e9', late), accepted(1, 'e8', late))).toEqual([1, ['e9', 'e8'], _, [1], _, _])
  expect(told(accepted(1, 'e1'), accepted(1, 'e2'))).toEqual([1, ['e1', 'e2'], _, _, _, 1])
  expect(told(accepted(1, 'e9', late), accepted(2, 'e2'))).toEqual([2, ['e9', 'e2'], _, [1], _, _])
  // Beside a POST without an answer nobody knows; after a refusal there is nothing beside.
  expect(told(...second, accepted(2, 'e9', late))).toEqual([2, ['e9'], _, [1, 2], _, _])
  expect(told(refused, accepted(1, 'e9', late))).toEqual([1, ['e9'], _, _, _, 1])
  // An attempt that was given up stays counted, though the service refused it.
  const givenUp = record('decided', { attempt: 1, about: 'submission', decision: 'abandon', approvedAt: null })
  expect([told(refused, ...second)[3], told(refused, givenUp, ...second)[3]]).toEqual([_, [1]])
  // Bytes that are frozen again leave the POSTs.
  expect(fold([...begun, record('frozen', frozenOf(1, { key: 'other' }))])).toMatchObject({
    frozen: { key: 'other' },
    sends: [{ send: 1 }],
  })
})

test('records of an answer that is not there change nothing, and its decisions to replay are counted', () => {
  const accepted = record('accepted', { attempt: 1, executionId: 'e1', conversationId: null })
  const replay = record('decided', { attempt: 1, about: 'answer', decision: 'replay', approvedAt: null })
  const words = { attempt: 1, executionId: 'e1', conversationId: 'c', questionId: 'q', key: 'k', text: 'left', assetId: null }
  const sent = record('answerSent', { attempt: 1, send: 1, keyTag: 'k' })
  expect(fold([accepted, replay, sent])).toEqual(fold([accepted]))
  expect(fold([accepted, record('answerFrozen', words), replay, sent, replay]).answer?.replay).toMatchObject({ sends: 1, count: 2 })
})

test('only giving up the present attempt ends the mark of somebody else', () => {
  const sent = record('sent', { attempt: 1, send: 1, keyTag: 'k' })
  const decided = (about: 'submission' | 'answer', decision: 'replay' | 'abandon', attempt = 1) =>
    record('decided', { attempt, about, decision, approvedAt: null })
  const begun = [record('frozen', frozen), decided('submission', 'abandon'), sent]
  const withdrawn = record('withdrawn', { attempt: 1 })
  for (const one of [withdrawn, decided('submission', 'replay'), decided('answer', 'abandon')])
    expect(fold([...begun, one], sent).isForeign, one.type).toBe(true)
  expect(fold([...begun, decided('submission', 'abandon')], sent).isForeign).toBeUndefined()
  const second = [record('frozen', frozen), sent, record('frozen', frozenOf(2)), decided('submission', 'abandon', 1)]
  expect(fold(second, sent).isForeign).toBe(true)
  const revoked = record('revoked', { at: late } as never)
  expect(fold([record('frozen', frozen), revoked], revoked).isForeign).toBeUndefined()
})

test('a share is written and read with every field, and the refusal of a budget has every sum', () => {
  const approver = 'a'.repeat(40)
  const share = { id: 'a.b', hash: 'h', attempt: 2, credits: parseCredits('2.5'), round: 3, project: 'castle', approver }
  const written = { type: 'reserved', at: 5, writtenAt: 4, body: toBody(share) } as unknown as ReservationRecord
  const read: Share = { ...share, at: 5, writtenAt: 4 }
  for (const shares of [foldShares([written], new Set([written])), foldHistory([written], new Set())])
    expect([...shares]).toEqual([['h 2', read]])
  const now = Date.UTC(2026, 11, 5)
  const full = (over: Partial<Share>) => {
    const other: Share = { ...read, hash: 'g', at: now, writtenAt: now, ...over }
    return fullBudget([{ credits: parseCredits('4'), per: 'month', project: 'castle', approver }], share, new Map([['g 2', other]]), now)
  }
  expect(full({})?.facts).toEqual({
    ...{ id: 'a.b', price: '2.5', spent: '2.5', left: '1.5', budget: '4', per: 'month', project: 'castle', approver, until: '2027-01-01' },
  })
  expect([full({ credits: parseCredits('1.5') }), full({ project: 'space' }), full({ approver: 'b' }), full({ writtenAt: 5 })]).toEqual(
    Array(4).fill(undefined),
  )
  for (const one of [{ project: undefined }, { approver: undefined }, { at: 5 }, { credits: parseCredits('1.5001') }])
    expect(full(one)?.code).toBe('SW_CEILING')
})
