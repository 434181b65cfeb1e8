import { describe, expect, test } from 'vitest'
import { type DecisionFacts, decide, mayStillLeave } from '../../src/job/decision.ts'
import { idempotencyKey } from '../../src/job/order.ts'
import type { Send, Submission } from '../../src/job/records/submission.ts'
import { checkTries, enter, enterAgain, noTries, type Pause, type Tries, wait, waitForJobs } from '../../src/job/tries.ts'
import { type Places, unlimitedPlaces } from '../../src/service/limits/places.ts'
import { bench, errorOf, frozenOf, order } from './bench.ts'

const sent = (over: Partial<Tries> = {}): Tries => ({ ...noTries(), sent: 1, ...over })
const at = (unit: number) => ({ ...bench().random, unit: () => unit })

describe('the pause before the next POST', () => {
  test.each<[Pause, Partial<Tries>, number, number]>([
    ['fault', { faults: 1 }, 1, 1_000],
    ['fault', { faults: 3 }, 0.5, 2_000],
    ['fault', { faults: 5 }, 1, 8_000],
    ['limit', { limits: 1 }, 0, 2_500],
    ['limit', { limits: 1 }, 1, 5_000],
    ['limit', { limits: 2 }, 1, 10_000],
    ['limit', { limits: 9 }, 1, 60_000],
    ['jobs', { limits: 1 }, 1, 5_000],
    ['conflict', {}, 0, 5_000],
    ['conflict', {}, 0.5, 10_000],
    ['limit', { limits: 1, askedMs: 90_000 }, 1, 90_000],
    ['limit', { limits: 9, askedMs: 30_000 }, 1, 60_000],
  ])('of %s with %j and the random number %d is %d ms', async (pause, tries, unit, ms) => {
    const ports = bench({}, { random: at(unit) })
    await wait(ports, order, pause, sent(tries))
    expect(ports.slept).toEqual([ms])
    expect(ports.progress).toMatchObject([{ id: 'hero.walk', phase: 'waiting' }])
  })

  test('is none in a run that has sent nothing, and none without a cause', async () => {
    const ports = bench()
    await wait(ports, order, 'limit', { ...noTries(), limits: 1 })
    await wait(ports, order, 'none', sent())
    expect([ports.slept, ports.progress]).toEqual([[], []])
  })

  test('ends with the run', async () => {
    const { clock, signal } = bench()
    const signals: unknown[] = []
    const sleep = async (_ms: number, over?: AbortSignal) => void signals.push(over)
    await wait(bench({}, { clock: { ...clock, sleep }, signal }), order, 'limit', sent({ limits: 1 }))
    expect(signals).toEqual([signal])
    expect(signal).toBeInstanceOf(AbortSignal)
  })

  test('says how long the service asks to wait, in whole seconds', async () => {
    const ports = bench()
    await wait(ports, order, 'limit', sent({ limits: 1, askedMs: 1_200 }))
    await wait(ports, order, 'limit', sent({ limits: 1 }))
    expect(ports.progress.map(({ message }) => message)).toEqual([
      "the service's rate limit is reached; it asks to wait 2 s",
      "the service's rate limit is reached",
    ])
  })
})

const refused = (status: number): Send['answer'] => ({ kind: 'refused', status, error: errorOf('invalid_request') })
const unknown: Send['answer'] = { kind: 'unknown', status: 503, message: 'it was busy' }

describe('a run tries one order', () => {
  const tryTimes = (times: number, pause: Pause, last: Send['answer']) => {
    const tries = sent()
    for (let one = 0; one < times; one++) checkTries(bench(), order, pause, tries, last)
    return () => checkTries(bench(), order, pause, tries, last)
  }
  const thrown = (work: () => void): unknown => {
    try {
      work()
    } catch (error) {
      return error
    }
    return undefined
  }

  test('five times without an answer, and twelve times at a limit', () => {
    expect(thrown(tryTimes(5, 'fault', unknown))).toMatchObject({
      code: 'SW_UNREACHABLE',
      facts: { id: 'hero.walk', lastAnswer: 'it was busy' },
    })
    expect(thrown(tryTimes(4, 'fault', unknown))).toBeUndefined()
    expect(thrown(tryTimes(12, 'limit', refused(429)))).toMatchObject({ code: 'SW_REFUSED', facts: { status: 429 } })
    expect(thrown(tryTimes(11, 'limit', refused(429)))).toBeUndefined()
    expect(thrown(tryTimes(20, 'conflict', refused(409)))).toBeUndefined()
  })

  test('once with a refused key, and again in the next run', () => {
    expect(thrown(() => checkTries(bench(), order, 'none', sent(), refused(401)))).toMatchObject({ code: 'SW_KEY_REFUSED' })
    expect(thrown(() => checkTries(bench(), order, 'none', noTries(), refused(401)))).toBeUndefined()
    expect(thrown(() => checkTries(bench(), order, 'none', sent(), undefined))).toBeUndefined()
  })

  test('no more if the service asks for a longer pause than five minutes, and says until when', () => {
    const tries = (): Tries => sent({ askedMs: 300_001 })
    const retryAt = new Date(bench().clock.wall() + 300_001).toISOString()
    const check = (pause: Pause, last: Send['answer'], over: Partial<Tries> = {}) =>
      thrown(() => checkTries(bench(), order, pause, { ...tries(), ...over }, last))
    expect(check('limit', refused(429))).toMatchObject({ code: 'SW_REFUSED', facts: { status: 429, retryAt } })
    expect(check('fault', unknown)).toMatchObject({ code: 'SW_UNREACHABLE', facts: { retryAt } })
    expect(check('limit', refused(429), { askedMs: 300_000 })).toBeUndefined()
    expect(check('none', unknown)).toBeUndefined()
  })
})

describe('a place', () => {
  const key = idempotencyKey(order.identity, order.hash, 2)
  const placesOf = (taken: Awaited<ReturnType<Places['take']>>) => {
    const calls: unknown[] = []
    const places: Places = {
      ...unlimitedPlaces,
      take: async (applicant, _signal, onWait) => {
        calls.push(applicant)
        onWait('it waits')
        return taken
      },
      keep: async (applicant, job) => void calls.push([applicant, job]),
    }
    return { calls, places }
  }

  test.each([
    ['had', false, undefined],
    ['taken', false, key],
    ['waited', true, key],
  ] as const)('that was %s: the run waited %s, and gives back %s', async (taken, hasWaited, place) => {
    const { calls, places } = placesOf(taken)
    const ports = bench({}, { places })
    const tries = noTries()
    expect(await enter(ports, order, 2, tries)).toBe(hasWaited)
    expect(tries.place).toBe(place)
    expect(calls).toEqual([{ key, id: 'hero.walk' }])
    expect(ports.progress).toEqual([{ id: 'hero.walk', phase: 'waiting', message: 'it waits' }])
  })

  test('of what the service may have is kept under its key, without an execution', async () => {
    const { calls, places } = placesOf('had')
    await enterAgain(bench({}, { places }), order, 2)
    expect(calls).toEqual([[{ key, id: 'hero.walk' }, {}]])
  })
})

describe('an execution that ended because the account had too many jobs', () => {
  const turnedAway = { attempt: 1, status: 'failed', error: errorOf('too_many_active_jobs', { retryable: true }) }

  test('is waited for before the next attempt, twelve times in one run', async () => {
    const ports = bench()
    const tries = sent()
    for (let one = 0; one < 12; one++) await waitForJobs(ports, order, turnedAway, tries)
    expect(ports.slept).toHaveLength(12)
    await expect(waitForJobs(ports, order, turnedAway, tries)).rejects.toMatchObject({
      code: 'SW_FAILED',
      facts: { reason: 'too_many_active_jobs' },
    })
  })

  test('counts with the refusals of a rate limit, not with the POSTs without an answer', async () => {
    const ports = bench()
    await waitForJobs(ports, order, turnedAway, sent({ limits: 11, faults: 99 }))
    await expect(waitForJobs(ports, order, turnedAway, sent({ limits: 12 }))).rejects.toMatchObject({ code: 'SW_FAILED' })
    expect(ports.slept).toHaveLength(1)
  })

  test('is not tried again if the wait for it is interrupted', async () => {
    const { clock } = bench()
    const sleep = async () => Promise.reject(new Error('interrupted'))
    await expect(waitForJobs(bench({}, { clock: { ...clock, sleep } }), order, turnedAway, sent())).rejects.toThrow('interrupted')
  })

  test.each([
    ['that failed in another way', { ...turnedAway, error: errorOf('generation_failed', { retryable: true }) }, {}],
    ['that allows no other try', { ...turnedAway, error: errorOf('too_many_active_jobs') }, {}],
    ['that was cancelled', { ...turnedAway, status: 'cancelled' }, {}],
    ['that this run has a place for', turnedAway, { place: 'k' }],
    ['of none', undefined, {}],
  ])('but not %s', async (_which, failed, over) => {
    const ports = bench()
    await waitForJobs(ports, order, failed, sent(over))
    expect(ports.slept).toEqual([])
  })
})

describe('the next step', () => {
  const minute = 60_000
  const facts: DecisionFacts = { wall: 100 * minute, mono: 50 * minute, windowMs: 10 * minute, keyTag: 'k', approvedAt: '2026-01-01' }
  const frozen = frozenOf(1, { approvedAt: '2026-01-01' })
  const error = errorOf('r')
  const send = (ago: number, status: number | undefined, over: Partial<Send> = {}): Send => ({
    ...{ send: 1, at: facts.wall - ago * minute, mono: facts.mono - ago * minute, keyTag: 'k' },
    answer: status === undefined ? { kind: 'none' } : { kind: 'refused', status, error },
    ...over,
  })
  const at = (ago: number) => ({ at: facts.wall - ago * minute, mono: facts.mono - ago * minute })
  const replayOf = (ago: number, sends: number) => ({ ...at(ago), sends, count: 1 })
  const accepted = { attempt: 1, executionId: 'e', conversationId: null }
  const answerOf = (...sends: Send[]) => ({ frozen: {} as never, sends })
  const uncertain = (ago: number, because: string) => ({
    do: 'stop',
    why: { kind: 'uncertain', since: facts.wall - ago * minute, because },
  })
  const failed = (over: object) => ({ attempt: 1, status: 'failed', error: errorOf('r', { retryable: true }), ...over })

  test.each<[string, Partial<Submission>, object]>([
    ['downloads what is completed', { accepted, completed: { downloadUrl: 'u' } as never }, { do: 'download', downloadUrl: 'u' }],
    ['repeats an answer of ours', { accepted, answer: answerOf(send(1, undefined)) }, { do: 'answer', pause: 'none' }],
    [
      'repeats no answer of somebody else',
      { accepted, sends: [send(3, undefined)], answer: answerOf(send(1, undefined)), isForeign: true },
      uncertain(3, 'records'),
    ],
    ['tries a failure again that allows it', { accepted, failed: failed({}) }, { do: 'prepare', attempt: 2 }],
    [
      'tries no cancelled one again',
      { accepted, failed: failed({ status: 'cancelled' }) },
      { do: 'stop', why: { kind: 'failed', status: 'cancelled', error: errorOf('r', { retryable: true }) } },
    ],
    [
      'says why an execution failed',
      { accepted, failed: failed({ error }) },
      { do: 'stop', why: { kind: 'failed', status: 'failed', error } },
    ],
    ['prepares what was sent without frozen bytes', { frozen: undefined as never, sends: [send(1, 422)] }, { do: 'prepare', attempt: 1 }],
    [
      'takes no approval as newer than an unknown one',
      { frozen: undefined as never, abandoned: undefined as never, failed: failed({ error }) },
      { do: 'stop', why: { kind: 'failed', status: 'failed', error } },
    ],
    ['counts from the first open POST', { sends: [send(12, undefined), send(11, undefined)] }, uncertain(12, 'window')],
    ['waits for a limit after an open POST', { sends: [send(2, undefined), send(1, 429)] }, { do: 'replay', pause: 'limit' }],
    [
      'repeats a conflict after an open POST once',
      { sends: [send(3, undefined), send(2, 422), send(1, 409)] },
      { do: 'replay', pause: 'conflict' },
    ],
    ['stops at two conflicts', { sends: [send(3, undefined), send(2, 409), send(1, 409)] }, { do: 'stop', why: { kind: 'conflict' } }],
    ['replays at once after a decision', { sends: [send(20, undefined)], replay: replayOf(1, 1) }, { do: 'replay', pause: 'none' }],
    [
      'replays at the end of the window of a decision',
      { sends: [send(20, undefined)], replay: replayOf(10, 1) },
      { do: 'replay', pause: 'none' },
    ],
    [
      'ends a decision with its window',
      { sends: [send(30, undefined), send(20, undefined)], replay: replayOf(11, 2) },
      uncertain(30, 'window'),
    ],
    ['dates a decision over refused POSTs by itself', { sends: [send(20, 409)], replay: replayOf(11, 1) }, uncertain(11, 'window')],
    ['ends a decision of a clock that went back', { sends: [send(20, undefined)], replay: replayOf(-1, 1) }, uncertain(20, 'clock')],
    [
      'repeats a conflict after a decision once',
      { sends: [send(20, 409), send(19, 409), send(1, 409)], replay: replayOf(2, 2) },
      { do: 'replay', pause: 'conflict' },
    ],
    [
      'waits for a limit after a decision',
      { sends: [send(20, undefined), send(1, 429)], replay: replayOf(2, 1) },
      { do: 'replay', pause: 'limit' },
    ],
    [
      'stops at another refusal after a decision',
      { sends: [send(20, undefined), send(1, 422)], replay: replayOf(2, 1) },
      uncertain(20, 'refused'),
    ],
    ['lets a conflict be repeated in the window of the first POST', { sends: [send(10, 409)] }, { do: 'replay', pause: 'conflict' }],
    [
      'stops at a conflict after the window of the first POST',
      { sends: [send(11, 429), send(1, 409)] },
      { do: 'stop', why: { kind: 'conflict' } },
    ],
    ['says why a POST was refused', { sends: [send(2, 429), send(1, 422)] }, { do: 'stop', why: { kind: 'refused', status: 422, error } }],
    ['says it of the last one alone', { sends: [send(2, 422), send(1, 429)] }, { do: 'replay', pause: 'limit' }],
  ])('%s', (_what, over, step) => {
    expect(decide({ attempt: 1, failures: 0, frozen, sends: [], ...over }, facts)).toEqual(step)
  })

  test('leaves only while its POST is young by both clocks, counted from a decision to replay', () => {
    const may = (sends: readonly Send[], over: Partial<Submission> = {}) =>
      mayStillLeave({ attempt: 1, failures: 0, frozen, sends, ...over }, facts)
    expect([may([send(10, undefined)]), may([send(10, undefined, { mono: facts.mono - 10 * minute - 1 })])]).toEqual([true, false])
    expect([may([send(10, undefined, { at: facts.wall - 10 * minute - 1 })]), may([send(1, 422)]), may([])]).toEqual([false, false, false])
    const sends = [send(20, undefined), send(1, undefined)]
    expect([may(sends), may(sends, { replay: replayOf(2, 1) })]).toEqual([false, true])
  })
})
