import { describe, expect, test } from 'vitest'
import { adoptExecution, mayAdopt } from '../../src/job/adopt.ts'
import { foldRecords } from '../../src/job/records/fold.ts'
import type { JournalRecord } from '../../src/job/records/record.ts'
import type { Submission } from '../../src/job/records/submission.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { bench, errorOf, frozenOf, order } from './bench.ts'

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
  ['of no attempt', { attempt: 0, failures: 0, sends: [] }, entryOf(0), false, true],
  ['of no attempt after the first', { attempt: 1, failures: 0, sends: [] }, entryOf(0), false, false],
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
  if (!isLeft) expect(mayAdopt(submission, entry)).toBe(may)
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

describe('the whole state of a request', () => {
  type Told = readonly [type: string, body: object]
  const to = (type: string, body: object): Told => [type, body]
  const time = (n: number) => `2026-01-01T00:00:00.00${n}Z`
  const error = errorOf('invalid_request')
  const first = { ...frozenOf(1), approvedAt: time(2) }
  const sentAs = (n: number, send: number) => ({ send, at: n, mono: n, keyTag: `k${send}`, answer: { kind: 'none' } })
  const send = (n: number, type: 'sent' | 'answerSent', count: number) => at(n, type, { attempt: 1, send: count, keyTag: `k${count}` })

  test('has both POSTs with their own answers, the frozen bytes and each released share', () => {
    const state = foldRecords([
      at(1, 'approved', { attempt: 1, at: time(2), shell: 'agent' }),
      at(2, 'revoked', { attempt: 1, at: time(1) }),
      at(3, 'frozen', first),
      ...[4, 5].map((n) => at(n, 'withdrawn', { attempt: 1 })),
      ...[send(6, 'sent', 1), send(7, 'sent', 2), send(8, 'sent', 3)],
      at(9, 'refused', { attempt: 1, send: 2, status: 429, error }),
      at(10, 'unknown', { attempt: 1, send: 3, status: 502, message: 'lost' }),
      at(11, 'unknown', { attempt: 9, send: 1, status: 500, message: 'of another attempt' }),
    ])
    expect(state).toEqual({
      ...{ attempt: 1, failures: 0, frozen: first, withdrawals: 2 },
      newest: { at: time(2), isRevoked: false, shell: 'agent' },
      sends: [
        sentAs(6, 1),
        { ...sentAs(7, 2), answer: { kind: 'refused', status: 429, error } },
        { ...sentAs(8, 3), answer: { kind: 'unknown', status: 502, message: 'lost' } },
      ],
    })
  })

  const started = { ...own, attempt: 1, executionId: 'e1', conversationId: 'c' }
  const answerFrozen = { ...started, questionId: 'q', key: 'k', text: 'left', assetId: null }
  const end = { attempt: 1, executionId: 'e1' }
  const conversation = [
    ...[at(1, 'frozen', first), send(2, 'sent', 1), at(3, 'accepted', started), at(4, 'asked', { ...end, question })],
    ...[at(5, 'answerFrozen', answerFrozen), send(6, 'answerSent', 1), send(7, 'answerSent', 2)],
    at(8, 'answerRefused', { attempt: 1, send: 1, status: 422, error }),
    at(9, 'answerUnknown', { attempt: 1, send: 2, status: null, message: 'lost' }),
    at(10, 'decided', { attempt: 1, about: 'answer', decision: 'replay', approvedAt: null }),
  ]
  const talking = {
    ...{ attempt: 1, failures: 0, frozen: first, newest: { at: time(2), isRevoked: false }, sends: [sentAs(2, 1)] },
    ...{ accepted: started, executions: ['e1'], question },
    answer: {
      frozen: answerFrozen,
      sends: [
        { ...sentAs(6, 1), answer: { kind: 'refused', status: 422, error } },
        { ...sentAs(7, 2), answer: { kind: 'unknown', status: null, message: 'lost' } },
      ],
      replay: { at: 10, mono: 10, sends: 2, count: 1 },
    },
  }
  const { question: _question, answer: _answer, ...silent } = talking
  const going = { attempt: 1, executionId: 'e2', conversationId: 'c' }
  const result = { ...end, downloadUrl: 'u', contentType: null, review: null }
  const stored = { ...end, sha256: 's', bytes: 1 }
  const failure = { ...end, status: 'failed', error: null }
  const givenUp = { about: 'execution', approvedAt: time(3) }
  const continued = { ...silent, accepted: going, executions: ['e1', 'e2'] }

  test.each<[string, readonly Told[], object]>([
    ['has the answer with its own POSTs', [], talking],
    ['goes on with a new execution', [to('answerAccepted', going)], continued],
    ['goes on with it once', [...Array(2).fill(to('answerAccepted', going))], continued],
    ['hears no more of the execution before', [to('answerAccepted', going), to('completed', result), to('failed', failure)], continued],
    [
      'keeps what was asked when the bytes are stored',
      [to('completed', result), to('stored', stored)],
      { ...talking, completed: result, stored },
    ],
    [
      'counts one failure once',
      [to('failed', failure), to('failed', { ...failure, status: 'cancelled' })],
      { ...talking, failures: 1, failed: failure },
    ],
    [
      'counts the answers that were given up',
      Array(2).fill(to('decided', { attempt: 1, about: 'answer', decision: 'abandon', approvedAt: null })),
      { ...silent, question, answersAbandoned: 2 },
    ],
    ['says when it was given up', [to('decided', { ...end, decision: 'abandon', ...givenUp })], { ...talking, abandoned: givenUp }],
    [
      'is not given up if its execution becomes known again',
      [to('decided', { ...end, decision: 'abandon', ...givenUp }), to('accepted', started)],
      talking,
    ],
    [
      'has an answer of an earlier attempt beside it',
      [to('accepted', { ...started, attempt: 0, executionId: 'e0' })],
      { ...talking, strays: [{ attempt: 0, executionId: 'e0' }] },
    ],
    ['ignores an earlier attempt whose execution it knows', [to('accepted', { ...started, attempt: 0 })], talking],
    [
      'takes the same attempt when it is frozen again',
      [to('frozen', { ...first, key: 'again' })],
      { ...talking, frozen: { ...first, key: 'again' } },
    ],
    ['ends earlier approvals', [to('revoked', { attempt: 1, at: time(3) })], { ...talking, newest: { at: time(3), isRevoked: true } }],
    [
      'keeps executions, strays and spent attempts after two more attempts',
      [
        to('accepted', { ...started, attempt: 0, executionId: 'e0' }),
        to('frozen', { ...first, attempt: 2 }),
        to('sent', { attempt: 2, send: 1, keyTag: 'k1' }),
        to('frozen', { ...first, attempt: 3, approvedAt: time(4) }),
      ],
      {
        ...{ attempt: 3, failures: 0, sends: [], executions: ['e1'], abandonedAttempts: [1, 2], newest: { at: time(4), isRevoked: false } },
        strays: [{ attempt: 0, executionId: 'e0' }],
        frozen: { ...first, attempt: 3, approvedAt: time(4) },
      },
    ],
    [
      'drops its own bytes for two executions of another machine',
      [
        to('accepted', { ...going, attempt: 2, approvedAt: time(5) }),
        to('accepted', { ...going, attempt: 3, executionId: 'e3', approvedAt: time(6) }),
      ],
      {
        ...{ attempt: 3, failures: 0, sends: [], newest: talking.newest, executions: ['e1', 'e2', 'e3'] },
        accepted: { ...going, attempt: 3, executionId: 'e3', approvedAt: time(6) },
      },
    ],
  ])('%s', (_what, later, state) => {
    expect(foldRecords([...conversation, ...later.map(([type, body], index) => at(11 + index, type, body))])).toEqual(state)
  })

  const taken = { ...going, executionId: 'e9', approvedAt: time(5) }
  const stray = { attempt: 1, executionId: 'e5' }
  test.each<[string, readonly Told[], object]>([
    [
      'keeps our bytes for an execution of another machine if nothing was sent',
      [to('accepted', taken)],
      { frozen: first, sends: [], accepted: taken, executions: ['e9'] },
    ],
    [
      'has the later of two executions of other machines',
      [to('accepted', taken), to('accepted', { ...going, approvedAt: time(5) })],
      { frozen: first, sends: [], accepted: { ...going, approvedAt: time(5) }, executions: ['e9', 'e2'] },
    ],
    [
      'has the later of two answers to our POSTs',
      [to('accepted', started), to('accepted', going)],
      { frozen: first, sends: [], accepted: going, executions: ['e1', 'e2'] },
    ],
    [
      'has no stray if another machine answered, and then our own execution is named again',
      [to('accepted', started), to('accepted', taken), to('accepted', started)],
      { frozen: first, sends: [], accepted: taken, executions: ['e1', 'e9'] },
    ],
    [
      'hears no more of a stray that has ended',
      [
        to('accepted', taken),
        to('accepted', { ...started, ...stray }),
        to('stored', { ...stored, ...stray }),
        to('stored', { ...stored, ...stray }),
        to('failed', { ...failure, ...stray }),
      ],
      { frozen: first, sends: [], accepted: taken, executions: ['e9'], strays: [{ ...stray, end: 'stored' }] },
    ],
    [
      'has no POST of an answer that was never frozen',
      [
        to('accepted', started),
        to('answerSent', { attempt: 1, send: 1, keyTag: 'k' }),
        to('decided', { attempt: 1, about: 'answer', decision: 'replay', approvedAt: null }),
      ],
      { frozen: first, sends: [], accepted: started, executions: ['e1'] },
    ],
    [
      'remembers spent attempts after one of which nothing was sent',
      [to('sent', { attempt: 1, send: 1, keyTag: 'k1' }), to('frozen', { ...first, attempt: 2 }), to('frozen', { ...first, attempt: 3 })],
      { attempt: 3, frozen: { ...first, attempt: 3 }, sends: [], abandonedAttempts: [1] },
    ],
    [
      'counts an attempt as spent if it was given up',
      [to('decided', { attempt: 1, decision: 'abandon', ...givenUp }), to('frozen', { ...first, attempt: 2 })],
      { attempt: 2, frozen: { ...first, attempt: 2 }, sends: [], abandonedAttempts: [1] },
    ],
    [
      'adds an attempt that another machine has overtaken to the spent ones',
      [
        to('sent', { attempt: 1, send: 1, keyTag: 'k1' }),
        to('frozen', { ...first, attempt: 2 }),
        to('sent', { attempt: 2, send: 1, keyTag: 'k1' }),
        to('accepted', { ...taken, attempt: 3 }),
      ],
      { attempt: 3, sends: [], abandonedAttempts: [1, 2], accepted: { ...taken, attempt: 3 }, executions: ['e9'] },
    ],
  ])('%s', (_what, later, state) => {
    const all = [at(1, 'frozen', first), ...later.map(([type, body], index) => at(2 + index, type, body))]
    expect(foldRecords(all)).toEqual({ attempt: 1, failures: 0, newest: talking.newest, ...state })
  })

  test('stays foreign over a decision of our own until one gives the attempt up', () => {
    const all = [...sentOnce, at(3, 'decided', { attempt: 1, about: 'submission', decision: 'replay', approvedAt: null })]
    const isForeign = (...more: readonly JournalRecord[]) => foldRecords([...all, ...more], new Set([...all.slice(1), ...more])).isForeign
    expect([isForeign(), isForeign(at(4, 'asked', { ...end, question })), isForeign(at(4, 'frozen', frozenOf(2)))]).toEqual([
      true,
      true,
      true,
    ])
    expect(isForeign(abandonOf(4, 'submission'))).toBe(undefined)
    const late = [at(1, 'frozen', frozenOf(1)), abandonOf(2, 'submission'), send(3, 'sent', 1), send(4, 'sent', 2)]
    const replayed = [...late, at(5, 'decided', { attempt: 1, about: 'submission', decision: 'replay', approvedAt: null })]
    expect(foldRecords(replayed, new Set(replayed.filter(({ n }) => n !== 3))).isForeign).toBe(true)
    // Giving up a stray is no decision about the attempt.
    const strayed = [
      at(1, 'frozen', frozenOf(2)),
      at(2, 'accepted', started),
      at(3, 'decided', { ...end, decision: 'abandon', ...givenUp }),
    ]
    expect(foldRecords(strayed, new Set(strayed.slice(1))).isForeign).toBe(true)
    // A foreign record about an approval can only end approvals.
    expect(foldRecords([at(1, 'approved', { attempt: 1, at: time(1) }), at(2, 'revoked', { attempt: 1, at: time(2) })], new Set())).toEqual(
      {
        ...{ attempt: 0, failures: 0, sends: [], newest: { at: time(2), isRevoked: true } },
      },
    )
  })

  test('is not made from a record that only a later version knows', () => {
    expect(() => foldRecords([at(1, 'later', { attempt: 1 })])).toThrow(expect.objectContaining({ code: 'SW_JOURNAL' }))
  })
})
