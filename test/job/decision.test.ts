import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DecisionFacts, decide, mayStillLeave } from '../../src/job/decision.ts'
import { foldRecords } from '../../src/job/records/fold.ts'
import type { JournalRecord } from '../../src/job/records/record.ts'
import { noSubmission, type Send, type Submission } from '../../src/job/records/submission.ts'
import type { PublicError } from '../../src/service/wire.ts'

const minute = 60_000
const facts: DecisionFacts = { wall: 1_000_000, mono: 500_000, windowMs: 10 * minute, keyTag: 'k1', approvedAt: '2026-01-01' }
const error = (reason: string, retryable = false): PublicError => ({ reason, message: reason, retryable, requestId: null, details: null })
const frozen: Submission['frozen'] = {
  attempt: 1,
  key: 'sw1-x',
  body: '{}',
  bodySha256: 'b',
  maxCredits: '2.4',
  ceiling: '2.4',
  priceVersion: 'v1',
  approvedAt: '2026-01-01',
}
const send = (agoMs: number, answer: Send['answer'], over: Partial<Send> = {}): Send => ({
  send: 1,
  at: facts.wall - agoMs,
  mono: facts.mono - agoMs,
  keyTag: 'k1',
  answer,
  ...over,
})
const none: Send['answer'] = { kind: 'none' }
const unknown: Send['answer'] = { kind: 'unknown', status: 500, message: 'x' }
const refused = (status: number, reason = 'invalid_request'): Send['answer'] => ({ kind: 'refused', status, error: error(reason) })
const since = (...sends: Send[]): Submission => ({ attempt: 1, failures: 0, frozen: frozen as NonNullable<typeof frozen>, sends })

describe('what the records say decides what is done', () => {
  test('nothing sent: check and freeze', () => {
    expect(decide(noSubmission, facts)).toEqual({ do: 'prepare', attempt: 1 })
    expect(decide({ attempt: 1, failures: 0, frozen: frozen as NonNullable<typeof frozen>, sends: [] }, facts)).toEqual({
      do: 'prepare',
      attempt: 1,
    })
  })

  test('sent and never answered, inside the window: the same bytes again', () => {
    expect(decide(since(send(minute, none)), facts)).toEqual({ do: 'replay', pause: 'none' })
    expect(decide(since(send(minute, unknown)), facts)).toEqual({ do: 'replay', pause: 'fault' })
  })

  test('a POST leaves only while its record, and all open ones before it, are inside the window', () => {
    const open = (...agoMs: readonly number[]): Submission => since(...agoMs.map((ago) => send(ago, none)))
    expect(mayStillLeave(open(9 * minute, 0), facts)).toBe(true)
    expect(mayStillLeave(open(11 * minute, 0), facts)).toBe(false)
    expect(mayStillLeave(open(11 * minute), facts)).toBe(false)
    expect(mayStillLeave(open(-1), facts)).toBe(false)
    // Without a window, nobody repeats a first POST, and its record takes a moment.
    expect(mayStillLeave(open(1_000), { ...facts, windowMs: 0 })).toBe(true)
    expect(mayStillLeave(open(1_000, 0), { ...facts, windowMs: 0 })).toBe(false)
  })

  test('sent and never answered, older than the window by either clock: a person decides', () => {
    expect(decide(since(send(11 * minute, none)), facts)).toMatchObject({ do: 'stop', why: { kind: 'uncertain', because: 'window' } })
    const slept = send(minute, none, { at: facts.wall - 11 * minute })
    expect(decide(since(slept), facts)).toMatchObject({ do: 'stop', why: { kind: 'uncertain', because: 'window' } })
  })

  test('a clock that went back, or a machine that was restarted, makes an unanswered send too old', () => {
    expect(decide(since(send(minute, none, { at: facts.wall + 1 })), facts)).toMatchObject({ do: 'stop', why: { because: 'clock' } })
    expect(decide(since(send(minute, none, { mono: facts.mono + 1 })), facts)).toMatchObject({ do: 'stop', why: { because: 'clock' } })
  })

  test('sent under another API key: a person decides', () => {
    expect(decide(since(send(minute, none, { keyTag: 'k2' })), facts)).toMatchObject({ do: 'stop', why: { because: 'key' } })
  })

  test('the window counts from the first unanswered send, not from the last', () => {
    const sends = [send(11 * minute, unknown), send(minute, unknown, { send: 2 })]
    expect(decide(since(...sends), facts)).toMatchObject({ do: 'stop', why: { kind: 'uncertain' } })
  })

  test('a replay that is refused proves nothing about the first send', () => {
    for (const status of [401, 403, 422]) {
      expect(decide(since(send(minute, unknown), send(0, refused(status), { send: 2 })), facts)).toMatchObject({
        do: 'stop',
        why: { kind: 'uncertain', because: 'refused' },
      })
    }
  })

  test('a first send that is refused starts nothing: 422 stops, 401 is worth another run, 429 waits', () => {
    expect(decide(since(send(0, refused(422))), facts)).toMatchObject({ do: 'stop', why: { kind: 'refused', status: 422 } })
    expect(decide(since(send(0, refused(401))), facts)).toEqual({ do: 'replay', pause: 'none' })
    expect(decide(since(send(0, refused(429))), facts)).toEqual({ do: 'replay', pause: 'limit' })
  })

  test('a refused attempt goes on under another approval, with another key', () => {
    for (const status of [401, 403, 422, 429])
      expect(decide(since(send(0, refused(status))), { ...facts, approvedAt: '2026-01-02' })).toEqual({ do: 'prepare', attempt: 2 })
  })

  test('409 is repeated once, then it is a conflict, never a new key', () => {
    expect(decide(since(send(0, refused(409))), facts)).toEqual({ do: 'replay', pause: 'conflict' })
    const twice = [send(0, refused(409)), send(0, refused(409), { send: 2 })]
    expect(decide(since(...twice), facts)).toEqual({ do: 'stop', why: { kind: 'conflict' } })
    expect(decide(since(...twice), { ...facts, wall: facts.wall + 60 * minute, mono: facts.mono + 60 * minute })).toEqual({
      do: 'stop',
      why: { kind: 'conflict' },
    })
  })

  test('accepted: only reads from here on, however old', () => {
    const submission: Submission = { ...since(send(600 * minute, none)), accepted: { attempt: 1, executionId: 'e', conversationId: null } }
    expect(decide(submission, facts)).toEqual({ do: 'follow', executionId: 'e' })
  })

  test('a failed execution is tried again only where the service says so, at most twice', () => {
    const failed = (retryable: boolean, failures: number): Submission => ({
      ...since(),
      failures,
      accepted: { attempt: 1, executionId: 'e', conversationId: null },
      failed: { attempt: 1, status: 'failed', error: error('generation_failed', retryable) },
    })
    expect(decide(failed(true, 1), facts)).toEqual({ do: 'prepare', attempt: 2 })
    expect(decide(failed(true, 2), facts)).toEqual({ do: 'prepare', attempt: 2 })
    expect(decide(failed(true, 3), facts)).toMatchObject({ do: 'stop', why: { kind: 'failed' } })
    expect(decide(failed(false, 1), facts)).toMatchObject({ do: 'stop', why: { kind: 'failed' } })
  })

  describe('a person has decided', () => {
    const replay = (agoMs: number, sends: number): Submission['replay'] => ({
      at: facts.wall - agoMs,
      mono: facts.mono - agoMs,
      sends,
      count: 1,
    })
    const old = send(60 * minute, none)

    test('to send again: what was sent before counts no more, for as long as a window', () => {
      expect(decide({ ...since(old), replay: replay(minute, 1) as never }, facts)).toEqual({ do: 'replay', pause: 'none' })
      expect(decide({ ...since(old), replay: replay(10 * minute, 1) as never }, facts)).toEqual({ do: 'replay', pause: 'none' })
      expect(decide({ ...since(old), replay: replay(10 * minute + 1, 1) as never }, facts)).toMatchObject({
        why: { because: 'window', since: old.at },
      })
      expect(decide({ ...since(old), replay: replay(-1, 1) as never }, facts)).toMatchObject({ why: { because: 'clock' } })
    })

    test('to send again: a repetition without an answer has a window of its own', () => {
      const again = (ago: number): Submission => ({ ...since(old, send(ago, unknown, { send: 2 })), replay: replay(ago, 1) as never })
      expect(decide(again(minute), facts)).toEqual({ do: 'replay', pause: 'fault' })
      expect(decide(again(11 * minute), facts)).toMatchObject({ do: 'stop', why: { kind: 'uncertain', because: 'window' } })
    })

    test('to send again: a refused repetition proves nothing about the first', () => {
      const again = (status: number): Submission => ({
        ...since(old, send(0, refused(status), { send: 2 })),
        replay: replay(0, 1) as never,
      })
      expect(decide(again(429), facts)).toEqual({ do: 'replay', pause: 'limit' })
      expect(decide(again(409), facts)).toEqual({ do: 'replay', pause: 'conflict' })
      for (const status of [401, 422])
        expect(decide(again(status), { ...facts, approvedAt: '2026-01-02' })).toMatchObject({ why: { because: 'refused' } })
    })

    test('to send again: refusals by 409 of before count no more, the second one since then is a conflict', () => {
      const before = [send(minute, unknown), ...[2, 3].map((number) => send(minute, refused(409), { send: number }))]
      const conflict = { do: 'stop', why: { kind: 'conflict' } }
      expect(decide(since(...before), facts)).toEqual(conflict)
      const submitted = (...later: Send[]): Submission => ({ ...since(...before, ...later), replay: replay(0, 3) as never })
      const accepted = { attempt: 1, executionId: 'e', conversationId: null }
      const answered = (...later: Send[]): Submission =>
        ({ ...since(), accepted, answer: { sends: [...before, ...later], replay: replay(0, 3) } }) as never
      for (const [post, posted] of [
        ['replay', submitted],
        ['answer', answered],
      ] as const) {
        const again = (...answers: Send['answer'][]) =>
          decide(posted(...answers.map((answer, index) => send(0, answer, { send: index + 4 }))), facts)
        expect(again()).toEqual({ do: post, pause: 'none' })
        expect(again(refused(409))).toEqual({ do: post, pause: 'conflict' })
        expect(again(unknown, refused(409))).toEqual({ do: post, pause: 'conflict' })
        expect(again(refused(409), refused(409))).toEqual(conflict)
        expect(again(unknown, refused(409), refused(409))).toEqual(conflict)
      }
    })

    test('to give up: nothing more without another approval than the one of that day', () => {
      const given: Submission = { ...since(old), abandoned: { about: 'submission', approvedAt: '2026-01-02' } }
      for (const approvedAt of ['2026-01-02', undefined])
        expect(decide(given, { ...facts, approvedAt })).toEqual({ do: 'stop', why: { kind: 'abandoned' } })
      expect(decide(given, { ...facts, approvedAt: '2026-01-03' })).toEqual({ do: 'prepare', attempt: 2 })
    })

    test('records: an execution that is known after all ends a giving up, one of an attempt before is kept in mind', () => {
      const at = (n: number, type: string, body: object): JournalRecord =>
        ({ v: 1, n, prev: '', type, at: n, mono: n, body, sum: '' }) as never
      const accepted = { attempt: 1, executionId: 'e1', conversationId: null }
      const records = [
        at(1, 'frozen', frozen as object),
        at(2, 'sent', { attempt: 1, send: 1, keyTag: 'k1' }),
        at(3, 'decided', { attempt: 1, about: 'submission', decision: 'abandon', approvedAt: '2026-01-01' }),
      ]
      expect(foldRecords(records).abandoned).toEqual({ about: 'submission', approvedAt: '2026-01-01' })
      expect(decide(foldRecords([...records, at(4, 'accepted', accepted)]), facts)).toEqual({ do: 'follow', executionId: 'e1' })
      const next = [...records, at(4, 'frozen', { ...frozen, attempt: 2 }), at(5, 'accepted', accepted)]
      expect(foldRecords(next)).toMatchObject({ attempt: 2, sends: [], strays: [{ attempt: 1, executionId: 'e1' }] })
      expect(foldRecords(next).accepted).toBeUndefined()
    })
  })

  test('records: another execution ends what was stored of the one that was given up', () => {
    const record = (type: JournalRecord['type'], body: object): JournalRecord =>
      ({ type, body, at: 1, mono: 1 }) as unknown as JournalRecord
    const bought = [
      record('accepted', { attempt: 1, executionId: 'e1', conversationId: null }),
      record('completed', { attempt: 1, executionId: 'e1', downloadUrl: 'u', contentType: null, review: null }),
      record('stored', { attempt: 1, executionId: 'e1', sha256: 'h', bytes: 1 }),
    ]
    const givenUp = record('decided', { attempt: 1, about: 'execution', decision: 'abandon', approvedAt: null })
    const elsewhere = record('accepted', { attempt: 1, executionId: 'e2', conversationId: null })
    expect(decide(foldRecords(bought), facts)).toEqual({ do: 'done', sha256: 'h' })
    expect(decide(foldRecords([...bought, givenUp, elsewhere]), facts)).toEqual({ do: 'follow', executionId: 'e2' })
  })

  test('the window ends after its last millisecond', () => {
    const at = (agoMs: number, answer: Send['answer']) => decide(since(send(agoMs, answer)), facts)
    expect(at(10 * minute, unknown)).toEqual({ do: 'replay', pause: 'fault' })
    expect(at(10 * minute + 1, unknown)).toMatchObject({ why: { kind: 'uncertain', because: 'window' } })
    expect(at(10 * minute, refused(409))).toEqual({ do: 'replay', pause: 'conflict' })
    expect(at(10 * minute + 1, refused(409))).toEqual({ do: 'stop', why: { kind: 'conflict' } })
    expect(at(0, refused(403))).toEqual({ do: 'replay', pause: 'none' })
  })

  test('a key that the service knows is no start of another attempt: its last refusal decides, and a new approval does not', () => {
    const known = (status: number): Submission => since(send(minute, refused(409)), send(0, refused(status), { send: 2 }))
    for (const approvedAt of ['2026-01-01', '2026-01-02']) {
      expect(decide(known(422), { ...facts, approvedAt })).toEqual({ do: 'stop', why: { kind: 'conflict' } })
      expect(decide(known(429), { ...facts, approvedAt })).toEqual({ do: 'replay', pause: 'limit' })
      expect(decide(known(401), { ...facts, approvedAt })).toEqual({ do: 'replay', pause: 'none' })
    }
  })

  test('an answer that was certainly refused is sent again after a rate limit alone; a person answers again otherwise', () => {
    const accepted = { attempt: 1, executionId: 'e', conversationId: null }
    const step = (...answers: Send['answer'][]) =>
      decide({ ...since(), accepted, answer: { sends: answers.map((answer) => send(0, answer)) } } as never, facts)
    expect(step(refused(422), refused(429))).toEqual({ do: 'answer', pause: 'limit' })
    for (const status of [401, 409, 422]) expect(step(refused(429), refused(status))).toEqual({ do: 'follow', executionId: 'e' })
    expect(step()).toEqual({ do: 'follow', executionId: 'e' })
  })

  test('an attempt that was given up without an approval goes on under any approval', () => {
    const given: Submission = { ...since(send(60 * minute, none)), abandoned: { about: 'submission', approvedAt: null } }
    expect(decide(given, facts)).toEqual({ do: 'prepare', attempt: 2 })
    expect(decide(given, { ...facts, approvedAt: undefined })).toEqual({ do: 'stop', why: { kind: 'abandoned' } })
  })

  test('an execution that was taken over and failed needs an approval from after the takeover', () => {
    const failed = { attempt: 1, status: 'failed', error: error('generation_failed', true) }
    const taken = (approvedAt: string | null): Submission => ({
      ...{ attempt: 1, failures: 1, sends: [], failed },
      accepted: { attempt: 1, executionId: 'e', conversationId: null, approvedAt },
    })
    expect(decide(taken('2026-01-01'), facts)).toMatchObject({ do: 'stop', why: { kind: 'failed' } })
    expect(decide(taken('2025-12-31'), facts)).toEqual({ do: 'prepare', attempt: 2 })
    expect(decide(taken(null), facts)).toEqual({ do: 'prepare', attempt: 2 })
    expect(decide(taken('2025-12-31'), { ...facts, approvedAt: undefined, lockedAttempt: 5 })).toMatchObject({ do: 'stop' })
    expect(decide(taken('2025-12-31'), { ...facts, lockedAttempt: 5 })).toEqual({ do: 'prepare', attempt: 5 })
  })

  test('records of somebody else stop every POST, with the time of the first one', () => {
    const foreign = (of: Submission): Submission => ({ ...of, isForeign: true })
    const stop = (at: number) => ({ do: 'stop', why: { kind: 'uncertain', since: at, because: 'records' } })
    expect(decide(foreign(since(send(minute, none))), facts)).toEqual(stop(facts.wall - minute))
    expect(decide(foreign(noSubmission), facts)).toEqual(stop(facts.wall))
    const accepted = { attempt: 1, executionId: 'e', conversationId: null }
    expect(decide(foreign({ ...since(), accepted }), facts)).toEqual({ do: 'follow', executionId: 'e' })
  })

  test('a refused repetition is counted from the first POST of which nobody knows', () => {
    const sends = [send(60 * minute, none), send(0, refused(422), { send: 2 })]
    const replay = { at: facts.wall, mono: facts.mono, sends: 1, count: 1 }
    expect(decide({ ...since(...sends), replay }, facts)).toEqual({
      do: 'stop',
      why: { kind: 'uncertain', since: facts.wall - 60 * minute, because: 'refused' },
    })
  })

  test('law: once something may have been started, no step ever makes a new attempt', () => {
    const answer = fc.oneof(
      fc.constant(none),
      fc.constant(unknown),
      fc.constantFrom(401, 403, 409, 422, 429).map((status) => refused(status)),
    )
    const sends = fc.array(
      fc.record({ answer, age: fc.integer({ min: -minute, max: 20 * minute }), keyTag: fc.constantFrom('k1', 'k2') }),
      { minLength: 1, maxLength: 5 },
    )
    fc.assert(
      fc.property(sends, fc.constantFrom('2026-01-01', '2026-01-02'), (list, approvedAt) => {
        const submission = since(...list.map((item, index) => send(item.age, item.answer, { send: index + 1, keyTag: item.keyTag })))
        const step = decide(submission, { ...facts, approvedAt })
        const isOpen = list.some((item) => item.answer.kind !== 'refused')
        if (isOpen)
          expect(step.do === 'replay' || (step.do === 'stop' && (step.why.kind === 'uncertain' || step.why.kind === 'conflict'))).toBe(true)
      }),
    )
  })
})
