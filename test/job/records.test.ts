import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { boughtElsewhere, countTakenOver, wasAnswered } from '../../src/job/records/bought-elsewhere.ts'
import { linkUp } from '../../src/job/records/chain.ts'
import { type ChainedRecord, formatRecord, parseRecord, recordSum, sealText, signedText } from '../../src/job/records/file.ts'
import { foldRecords } from '../../src/job/records/fold.ts'
import { type JournalView, readUnlessBroken } from '../../src/job/records/journal.ts'
import type { JournalRecord, RecordBodies, RecordType } from '../../src/job/records/record.ts'
import { foldShares, isOver, isUnsent as isShareUnsent, type ReservationRecord, toBody } from '../../src/job/records/shares.ts'
import { isTurnedAway, isUnsent, type Send, type Submission } from '../../src/job/records/submission.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { errorOf, frozenOf } from './bench.ts'

let count = 0
const record = <T extends RecordType>(type: T, body: RecordBodies[T]): JournalRecord => {
  count++
  return { v: 1, n: count, prev: '', type, at: 100 * count, mono: count, body, sum: '' } as unknown as JournalRecord
}
const sent = (attempt: number, send = 1) => record('sent', { attempt, send, keyTag: 'k' })
const refusedFor = (attempt: number, status = 422, send = 1) =>
  record('refused', { attempt, send, status, error: errorOf('invalid_request') })
const accepted = (attempt: number, id: string, over: Partial<RecordBodies['accepted']> = {}) =>
  record('accepted', { attempt, executionId: id, conversationId: null, ...over })
const failed = (attempt: number, id: string, reason = 'generation_failed') =>
  record('failed', { attempt, executionId: id, status: 'failed', error: errorOf(reason, { retryable: true }) })
const frozen = (attempt: number, over: Partial<RecordBodies['frozen']> = {}) => record('frozen', frozenOf(attempt, over))
const takenOver = { approvedAt: '2026-01-01T00:00:00.000Z' }

describe('another attempt', () => {
  test('keeps every execution in mind, and the failures under the same approval', () => {
    const first = [frozen(1), sent(1), accepted(1, 'e1'), failed(1, 'e1')]
    expect(foldRecords([...first, frozen(2), sent(2), accepted(2, 'e2')])).toMatchObject({ executions: ['e1', 'e2'], failures: 1 })
    expect(foldRecords([...first, frozen(2, { approvedAt: '2030-01-01T00:00:00.000Z' })])).toMatchObject({
      executions: ['e1'],
      failures: 0,
    })
    const turnedAway = [frozen(1), sent(1), accepted(1, 'e1'), failed(1, 'e1', 'too_many_active_jobs')]
    expect(foldRecords([...turnedAway, frozen(2)]).failures).toBe(0)
  })

  test.each<[string, readonly JournalRecord[], readonly number[] | undefined]>([
    ['a POST without an answer', [sent(1)], [1]],
    ['an execution that may still end', [sent(1), accepted(1, 'e1')], [1]],
    ['a failed execution', [sent(1), accepted(1, 'e1'), failed(1, 'e1')], undefined],
    ['a refused POST', [sent(1), refusedFor(1)], undefined],
    ['no POST', [], undefined],
    ['a POST without an answer, twice', [sent(1), frozen(2), sent(2)], [1, 2]],
  ])('counts the one before it as spent after %s', (_after, records, abandoned) => {
    expect(foldRecords([frozen(1), ...records, frozen(3)]).abandonedAttempts).toEqual(abandoned)
  })
})

describe('an execution that was taken over', () => {
  test('beside a POST without an answer leaves both counted, and none of our own bytes', () => {
    const state = foldRecords([frozen(1), sent(1), accepted(1, 'e9', takenOver)])
    expect(state).toMatchObject({ attempt: 1, abandonedAttempts: [1], sends: [], accepted: { executionId: 'e9' } })
    expect(state.frozen).toBeUndefined()
  })

  test('of a later attempt counts nothing of ours if the service had refused it', () => {
    const state = foldRecords([frozen(1), sent(1), refusedFor(1), accepted(2, 'e9', takenOver)])
    expect(state).toMatchObject({ attempt: 2, sends: [], executions: ['e9'] })
    expect(state.abandonedAttempts).toBeUndefined()
  })

  test('stays, if the answer to our own POST comes after it: that is a stray', () => {
    const state = foldRecords([frozen(1), sent(1), accepted(1, 'e9', takenOver), accepted(1, 'e1'), accepted(1, 'e1')])
    expect(state).toMatchObject({ accepted: { executionId: 'e9' }, strays: [{ attempt: 1, executionId: 'e1' }] })
    expect(state.strays).toHaveLength(1)
  })

  test('gives its approval to the execution that an answer starts', () => {
    const state = foldRecords([
      accepted(1, 'e9', takenOver),
      record('asked', { attempt: 1, executionId: 'e9', question: { questionId: 'q', text: '?', requiresAsset: false } }),
      record('answerAccepted', { attempt: 1, executionId: 'e10', conversationId: null }),
    ])
    expect(state.accepted).toMatchObject({ executionId: 'e10', ...takenOver })
    expect([state.question, state.answer]).toEqual([undefined, undefined])
  })
})

describe('a stray', () => {
  const strayed = [frozen(1), sent(1), frozen(2), accepted(1, 'e1'), accepted(1, 'e1'), accepted(1, 'e3'), sent(2), accepted(2, 'e2')]
  const decided = (over: Partial<RecordBodies['decided']>) =>
    record('decided', { attempt: 1, about: 'execution', decision: 'abandon', approvedAt: null, ...over })

  test('is kept once, beside the present execution', () => {
    const open = { attempt: 1 }
    expect(foldRecords(strayed).strays).toEqual([
      { ...open, executionId: 'e1' },
      { ...open, executionId: 'e3' },
    ])
  })

  test.each<[JournalRecord, readonly unknown[]]>([
    [record('stored', { attempt: 1, executionId: 'e1', sha256: 'h', bytes: 1 }), ['stored', undefined]],
    [failed(1, 'e1'), ['failed', undefined]],
    [decided({ executionId: 'e3' }), [undefined, 'givenUp']],
    [decided({}), ['givenUp', 'givenUp']],
    [decided({ executionId: 'e7' }), [undefined, undefined]],
    [decided({ about: 'submission' }), [undefined, undefined]],
    [decided({ executionId: 'e1', attempt: 2 }), [undefined, undefined]],
    [record('completed', { attempt: 1, executionId: 'e1', downloadUrl: 'u', contentType: null, review: null }), [undefined, undefined]],
  ])('ends by the record %j, and the present execution does not', (last, ends) => {
    const state = foldRecords([...strayed, last])
    expect(state.strays?.map(({ end }) => end)).toEqual(ends)
    expect([state.accepted?.executionId, state.stored, state.failed, state.completed]).toEqual(['e2', undefined, undefined, undefined])
  })
})

test('each decision to replay counts, with its time and the POSTs before it, for a submission and for an answer', () => {
  const decided = (about: 'submission' | 'answer') => record('decided', { attempt: 1, about, decision: 'replay', approvedAt: null })
  const [first, second] = [decided('submission'), decided('submission')]
  const one = [frozen(1), sent(1), first]
  expect(foldRecords(one).replay).toEqual({ at: first.at, mono: first.mono, sends: 1, count: 1 })
  expect(foldRecords([...one, sent(1, 2), second]).replay).toEqual({ at: second.at, mono: second.mono, sends: 2, count: 2 })
  const answer = {
    ...{ attempt: 1, executionId: 'e1', conversationId: 'c', questionId: 'q', key: 'k', text: 'left', assetId: null },
  }
  const again = decided('answer')
  const asked = [accepted(1, 'e1'), record('answerFrozen', answer), record('answerSent', { attempt: 1, send: 1, keyTag: 'k' }), again]
  expect(foldRecords(asked).answer?.replay).toEqual({ at: again.at, mono: again.mono, sends: 1, count: 1 })
  const givenUp = record('decided', { attempt: 1, about: 'answer', decision: 'abandon', approvedAt: null })
  expect(foldRecords([...asked, givenUp])).toMatchObject({ answersAbandoned: 1, accepted: { executionId: 'e1' } })
  expect(foldRecords([...asked, givenUp]).answer).toBeUndefined()
  expect(foldRecords([...asked, givenUp, givenUp]).answersAbandoned).toBe(2)
})

const send = (kind: 'none' | number): Send => ({
  ...{ send: 1, at: 1, mono: 1, keyTag: 'k' },
  answer: kind === 'none' ? { kind } : { kind: 'refused', status: kind, error: errorOf('x') },
})

test('nothing is at the service only if every POST was refused', () => {
  expect([[], [send(422)], [send(401), send(429)]].map(isUnsent)).toEqual([true, true, true])
  expect([[send('none')], [send(422), send('none')], [send('none'), send(422)]].map(isUnsent)).toEqual([false, false, false])
})

test('an execution was turned away only if it failed for too many jobs and may be tried again', () => {
  const error = errorOf('too_many_active_jobs', { retryable: true })
  const ends = [
    { status: 'failed', error },
    { status: 'cancelled', error },
    { status: 'failed', error: { ...error, retryable: false } },
    { status: 'failed', error: { ...error, reason: 'generation_failed' } },
    { status: 'failed', error: null },
  ]
  expect(ends.map((end) => isTurnedAway(end) === true)).toEqual([true, false, false, false, false])
})

describe('a share of the total', () => {
  const state = (over: Partial<Submission>): Submission => ({ attempt: 2, failures: 0, sends: [], ...over })
  const failure = { attempt: 2, status: 'failed', error: null }
  test.each<[string, Partial<Submission>, number, boolean, boolean]>([
    ['of an earlier attempt', {}, 1, true, false],
    ['of an earlier attempt that may be charged', { abandonedAttempts: [1] }, 1, false, false],
    ['of a later attempt', {}, 3, false, false],
    ['of which nothing was sent', {}, 2, false, true],
    ['without an answer', { sends: [send('none')] }, 2, false, false],
    ['refused for good', { sends: [send(422)] }, 2, true, false],
    ['refused after a POST without an answer', { sends: [send('none'), send(422)] }, 2, false, false],
    ['refused in a way that may be repeated', { sends: [send(429)] }, 2, false, false],
    ['refused for its key', { sends: [send(403)] }, 2, false, false],
    ['that failed', { sends: [send('none')], failed: failure }, 2, true, false],
    ['that failed and was given up', { failed: failure, abandoned: { about: 'execution', approvedAt: null } }, 2, false, true],
    ['of an execution of another machine', { accepted: { attempt: 2, executionId: 'e', conversationId: null } }, 2, false, false],
  ])('%s is over or unsent', (_which, over, attempt, over_, unsent) => {
    expect([isOver(state(over), attempt), isShareUnsent(state(over), attempt)]).toEqual([over_, unsent])
  })

  const reserved = (credits: string, round?: number): ReservationRecord =>
    ({ type: 'reserved', at: 7, body: { id: 'a.b', hash: 'h', attempt: 1, credits, ...(round ? { round } : {}) } }) as never
  const released = { type: 'released', at: 8, body: { hash: 'h', attempt: 1 } } as unknown as ReservationRecord
  test.each<[string, readonly ReservationRecord[], 'own' | 'foreign', readonly string[]]>([
    ['released by us', [released], 'own', []],
    ['released by somebody else', [released], 'foreign', ['4']],
    ['made larger by somebody else', [reserved('5')], 'foreign', ['5']],
    ['made smaller by somebody else', [reserved('3')], 'foreign', ['4']],
    ['made smaller by us', [reserved('3')], 'own', ['3']],
  ])('that was %s', (_how, later, whose, credits) => {
    const first = reserved('4')
    const shares = foldShares([first, ...later], new Set(whose === 'own' ? [first, ...later] : [first]))
    expect([...shares.values()].map((share) => share.credits)).toEqual(credits.map((text) => parseCredits(text)))
  })

  test('is recorded with its round, if it was given back before', () => {
    const share = { id: 'a.b', hash: 'h', attempt: 1, credits: parseCredits('4'), round: 0 }
    expect(toBody(share)).toEqual({ id: 'a.b', hash: 'h', attempt: 1, credits: '4' })
    expect(toBody({ ...share, round: 2 })).toEqual({ id: 'a.b', hash: 'h', attempt: 1, credits: '4', round: 2 })
    const again = reserved('4', 2)
    expect([...foldShares([again], new Set([again])).values()]).toEqual([{ ...share, round: 2, at: 7 }])
  })
})

describe('purchases of other machines', () => {
  const entry = (attempt: number | undefined, over: Partial<LockEntry> = { execution: { id: 'x', conversation: null } }): LockEntry =>
    ({ ...(attempt === undefined ? {} : { submission: { attempt, maxCredits: '2' } }), ...over }) as LockEntry
  const sum = (entries: Readonly<Record<string, LockEntry>>, taken: readonly string[] = [], isOurs = false) =>
    boughtElsewhere(
      { version: 1, animations: { 'a.b': entries, 'c.d': entries }, steps: {} },
      new Map(taken.map((key) => [key, { id: 'a.b', hash: 'h', attempt: 1, credits: 1n, round: 0 }])),
      async () => isOurs,
      async (_hash, before) => before - 1,
    )

  test.each<[string, LockEntry, readonly string[], boolean, string]>([
    ['that runs', entry(1), [], false, '2'],
    ['that is bought', entry(1, { result: { sha256: 's', bytes: 1 } }), [], false, '2'],
    ['of frozen bytes alone', entry(1, {}), [], false, '0'],
    ['without frozen bytes', entry(undefined), [], false, '0'],
    ['that answered our own POST', entry(1), ['h 1'], true, '0'],
    ['that answered a POST of ours without a share', entry(1), [], true, '2'],
    ['beside our own POST', entry(1), ['h 1'], false, '2'],
    ['of whose execution nothing is known, beside our share', entry(1, { result: { sha256: 's', bytes: 1 } }), ['h 1'], false, '0'],
    ['of a second attempt, with the first one', entry(2), [], false, '4'],
    ['of a third attempt, with the ones before', entry(3), [], false, '6'],
  ])('count once: one %s', async (_which, one, taken, isOurs, credits) => {
    expect(await sum({ h: one }, taken, isOurs)).toBe(parseCredits(credits))
  })

  test('include steps, and a request with two names once, by the name that is further', async () => {
    const [bought, sentOnly] = [entry(1), entry(1, {})]
    const lock = { version: 1, animations: { 'a.b': { h: sentOnly }, 'c.d': { h: bought }, 'e.f': { h: sentOnly } }, steps: { s: bought } }
    const all = await boughtElsewhere(
      lock as never,
      new Map(),
      async () => false,
      async () => 0,
    )
    expect(all).toBe(parseCredits('4'))
  })

  test('are ours if the service answered a POST of this journal with them, or if nobody can read the journal', async () => {
    const reading = (...records: readonly JournalRecord[]) => ({ read: async () => ({ records }) as unknown as JournalView })
    const is = (journal: Parameters<typeof wasAnswered>[0], conversation: string | null = null) =>
      wasAnswered(journal, 'h', { id: 'e1', conversation })
    const going = record('answerAccepted', { attempt: 1, executionId: 'e1', conversationId: null })
    expect([await is(reading(accepted(1, 'e1'))), await is(reading(going))]).toEqual([true, true])
    expect([await is(reading(accepted(1, 'e1', takenOver))), await is(reading(accepted(1, 'e2'))), await is(reading())]).toEqual([
      false,
      false,
      false,
    ])
    const talk = accepted(1, 'e2', { conversationId: 'c' })
    expect([await is(reading(talk), 'c'), await is(reading(talk), 'd'), await is(reading(accepted(1, 'e2')), null)]).toEqual([
      true,
      false,
      false,
    ])
    const broken = { read: async () => Promise.reject(Object.assign(new Error('x'), { code: 'SW_JOURNAL' })) }
    expect(await is(broken)).toBe(true)
  })

  test('that were taken over and given up are counted, unless they failed', () => {
    const view = (...records: readonly JournalRecord[]) => ({ records }) as unknown as JournalView
    const taken = accepted(1, 'e1', takenOver)
    expect(countTakenOver(view(taken, accepted(2, 'e2', takenOver)), 2)).toBe(1)
    expect(countTakenOver(view(taken, accepted(1, 'e3')), 2)).toBe(1)
    expect(countTakenOver(view(taken, failed(1, 'e1')), 2)).toBe(0)
    expect(countTakenOver(view(taken, failed(1, 'e2')), 2)).toBe(1)
    expect(countTakenOver(view(taken, record('stored', { attempt: 1, executionId: 'e1', sha256: 'h', bytes: 1 })), 2)).toBe(1)
    expect(countTakenOver(undefined, 2)).toBe(0)
  })
})

describe('the file of a record', () => {
  const open = { v: 1 as const, n: 2, prev: 'p', type: 'sent', at: 5, mono: 6, body: { attempt: 1 } }
  const whole: ChainedRecord = { ...open, sum: recordSum(open) }
  const parse = (text: string) => parseRecord(new TextEncoder().encode(text))

  test('is read back, and is no record if anything in it has changed', () => {
    expect(parseRecord(formatRecord(whole))).toEqual(whole)
    const others = { n: 3, prev: 'q', type: 'refused', at: 6, mono: 7, body: { attempt: 2 } }
    for (const [field, value] of Object.entries(others)) expect(parse(JSON.stringify({ ...whole, [field]: value }))).toBeUndefined()
    for (const text of ['', '{', 'null', '5', '{}', JSON.stringify({ ...whole, v: 0 }), JSON.stringify({ ...whole, v: '2' })])
      expect(parse(text)).toBeUndefined()
  })

  test('of a later version is refused', () => {
    expect(() => parse(JSON.stringify({ ...whole, v: 2 }))).toThrow(
      expect.objectContaining({ code: 'SW_JOURNAL', facts: { record: 'version 2' } }),
    )
  })

  test('has the same sum and the same sealed text in every version: else all records would count as changed', () => {
    expect(whole.sum).toBe('cc35480f7e32ab13b9397c7f0603167c2731ccc87c3421fb84116443d23e717f')
    expect(sealText('c', { sum: 's' })).toBe('["spritewright record 1","c","s"]')
    expect(signedText('c', { sum: 's', nonce: 'n' })).toBe('["spritewright shared record 1","c","s","n"]')
  })

  test('follows the record before it, by number and by hash', () => {
    const next = { ...open, n: 3, prev: whole.sum }
    const follower: ChainedRecord = { ...next, sum: recordSum(next) }
    const start: ChainedRecord = { ...whole, prev: '', n: 1 }
    const second: ChainedRecord = { ...whole, prev: start.sum }
    const found = (...records: readonly (readonly [number, ChainedRecord | undefined])[]) => records.map(([n, one]) => ({ n, record: one }))
    expect(linkUp(found([1, start], [2, second], [3, follower]), '/j').next).toEqual({ n: 4, prev: follower.sum })
    expect(linkUp(found([1, start], [2, undefined]), '/j')).toEqual({ records: [start], next: { n: 3, prev: start.sum } })
    const broken = [
      found([1, start], [2, { ...second, n: 3 }]),
      found([1, start], [2, { ...second, prev: 'q' }]),
      found([1, start], [2, start]),
    ]
    for (const one of broken)
      expect(() => linkUp(one, '/j', '/copy')).toThrow(expect.objectContaining({ code: 'SW_JOURNAL', facts: { folder: '/j', record: 2 } }))
    expect(() => linkUp(broken[0] ?? [], '/j', '/copy')).toThrow('The journal in /j (and its copy in /copy) is broken at record 2')
    expect(() => linkUp(broken[0] ?? [], '/j')).toThrow('The journal in /j is broken')
  })
})

test('a chain that cannot be read at the moment is not taken for a broken one', async () => {
  const reading = (code: string) => ({ read: async () => Promise.reject(Object.assign(new Error('x'), { code })) })
  expect(await readUnlessBroken(reading('SW_JOURNAL'), 'h')).toBeUndefined()
  await expect(readUnlessBroken(reading('SW_STORE'), 'h')).rejects.toMatchObject({ code: 'SW_STORE' })
})
