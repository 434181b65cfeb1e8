import { describe, expect, test } from 'vitest'
import { type AnswerWords, freezeAnswer, sendFrozenAnswer } from '../../src/job/answer.ts'
import type { JobPorts } from '../../src/job/order.ts'
import type { JournalView } from '../../src/job/records/journal.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { jobPorts, ownKey } from '../sim/exhaustive/project.ts'
import { bench, errorOf, order, price } from './bench.ts'

const net = { request: async () => Promise.reject(new Error('no request')), close: async () => {} }

test('an answer that is under way is the same answer only with its words and its picture', async () => {
  const world = { disk: new MemoryDisk(), clock: new ManualClock(), random: countingRandom(), net }
  const ports = jobPorts(world, { total: price, hasCopy: false, key: ownKey })
  const { journal } = ports
  const accepted = { attempt: 1, executionId: 'e', conversationId: 'c' }
  const answer = async (view: JournalView, words: AnswerWords) => freezeAnswer(ports, order, view, 'c', 'q', words)
  const known = (await journal.append(order.hash, await journal.read(order.hash), 'accepted', accepted)) as JournalView
  const frozen = (await answer(known, { text: 'left', assetId: 'a' })) as JournalView
  const sent = (await journal.append(order.hash, frozen, 'answerSent', { attempt: 1, send: 1, keyTag: 'k' })) as JournalView
  expect(await answer(sent, { text: 'left', assetId: 'a' })).toBe(sent)
  for (const words of [
    { text: 'right', assetId: 'a' },
    { text: 'left', assetId: 'b' },
    { text: 'left', assetId: undefined },
  ])
    await expect(answer(sent, words)).rejects.toMatchObject({ code: 'SW_USAGE', facts: { sent: 'left' } })
})

describe('an answer', () => {
  type Outcome = Awaited<ReturnType<JobPorts['client']['answer']>>
  const unread: Outcome = { kind: 'unknown', status: 503, message: 'it was busy' }
  const refusal = (status: number, retryAfterMs?: number): Outcome => ({
    ...{ kind: 'refused', status, error: errorOf('invalid_request') },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
  const taken: Outcome = { kind: 'accepted', executionId: 'e2', conversationId: 'c2' }

  /** The key of the answer that was frozen. */
  const submissionKey = (records: JournalView['records']): string | undefined =>
    records.flatMap(({ type, body }) => (type === 'answerFrozen' ? [body.key] : []))[0]

  /** An execution that asks, and a service that gives these answers to the POSTs. */
  async function asked(outcomes: readonly Outcome[], words: AnswerWords = { text: 'left', assetId: undefined }) {
    const left = [...outcomes]
    const sent: object[] = []
    const places: unknown[] = []
    const made = bench(
      {
        answer: async (answer, record) => {
          await record()
          sent.push(answer)
          return left.shift() as Outcome
        },
      },
      {
        places: {
          ...{ take: async () => 'taken', holds: async () => true, taken: async () => [], refused: async () => {} },
          keep: async ({ id }, { executionId }) => void places.push(['keep', id, executionId]),
          leave: async () => void places.push('leave'),
        },
      },
    )
    await made.record('accepted', { attempt: 1, executionId: 'e1', conversationId: 'c1' })
    const question = { questionId: 'q1', text: 'Which hand?', requiresAsset: false }
    await made.record('asked', { attempt: 1, executionId: 'e1', question })
    const freeze = async (other: AnswerWords = words) =>
      (await freezeAnswer(made, order, await made.view(), 'c1', 'q1', other)) as JournalView
    return { ...made, sent, placed: places, freeze, send: async () => sendFrozenAnswer(made, order, await freeze()) }
  }

  test('that is accepted starts the next execution, which has the place', async () => {
    const { send, view, sent, placed } = await asked([taken], { text: 'left', assetId: 'a1' })
    await send()
    const { submission, records } = await view()
    const key = submissionKey(records)
    expect(sent).toEqual([{ executionId: 'e1', conversationId: 'c1', questionId: 'q1', text: 'left', assetId: 'a1', key }])
    expect(submission).toMatchObject({ accepted: { attempt: 1, executionId: 'e2', conversationId: 'c2' }, executions: ['e1', 'e2'] })
    expect(records.slice(3).map(({ type, body }) => [type, body])).toMatchObject([
      ['answerSent', { attempt: 1, send: 1 }],
      ['answerAccepted', { attempt: 1, executionId: 'e2', conversationId: 'c2' }],
    ])
    expect(placed).toEqual([['keep', 'hero.walk', 'e2']])
  })

  test('at a rate limit is sent again under the same key, after the pause that the service asks for', async () => {
    const { send, slept, sent, view, placed } = await asked([refusal(429, 90_000), refusal(429), taken])
    await send()
    expect([sent.length, new Set(sent.map((one) => JSON.stringify(one))).size]).toEqual([3, 1])
    expect([slept.length, slept[0]]).toEqual([2, 90_000])
    expect(slept[1]).toBeLessThanOrEqual(10_000)
    expect((await view()).records.slice(3).map(({ type, body }) => [type, (body as { send?: number }).send])).toEqual([
      ...[1, 2].flatMap((number) => [
        ['answerSent', number],
        ['answerRefused', number],
      ]),
      ['answerSent', 3],
      ['answerAccepted', undefined],
    ])
    expect(placed).toEqual(['leave', 'leave', ['keep', 'hero.walk', 'e2']])
  })

  test.each([
    [422, 'SW_REFUSED'],
    [401, 'SW_KEY_REFUSED'],
  ])('that is refused with %d ends with %s, and its place is given back', async (status, code) => {
    const { send, view, placed } = await asked([refusal(status)])
    await expect(send()).rejects.toMatchObject({ code, facts: { id: 'hero.walk', status } })
    expect((await view()).records.at(-1)).toMatchObject({ type: 'answerRefused', body: { attempt: 1, send: 1, status } })
    expect(placed).toEqual(['leave'])
  })

  test('without a reply is recorded, and sent again by the next run', async () => {
    const { send, view, placed } = await asked([unread, taken])
    await send()
    const { records, submission } = await view()
    expect(records.at(-1)).toMatchObject({ type: 'answerUnknown', body: { attempt: 1, send: 1, status: 503, message: 'it was busy' } })
    expect(submission.accepted?.executionId).toBe('e1')
    expect(placed).toEqual([])
    await send()
    expect((await view()).submission.accepted?.executionId).toBe('e2')
  })

  test('has another key for each answer that the service refused and each that a person gave up, whatever its words', async () => {
    const { freeze, record, view } = await asked([])
    const refuse = async (send: number) => {
      await record('answerSent', { attempt: 1, send, keyTag: 'k' })
      await record('answerRefused', { attempt: 1, send, status: 422, error: errorOf('invalid_request') })
    }
    const frozen = async (words?: AnswerWords) => (await freeze(words)).submission.answer?.frozen
    const first = await frozen()
    expect((await frozen({ text: 'right', assetId: 'a' }))?.key).toBe(first?.key)
    await refuse(1)
    const second = await frozen()
    await refuse(1)
    await refuse(2)
    const third = await frozen()
    await record('decided', { attempt: 1, about: 'answer', decision: 'abandon', approvedAt: null })
    const fourth = await frozen()
    expect([first, second, third, fourth].map((one) => one?.tries)).toEqual([undefined, 1, 3, undefined])
    expect(new Set([first, second, third, fourth].map((one) => one?.key)).size).toBe(4)
    expect((await view()).submission.answersAbandoned).toBe(1)
  })

  test('to another question begins with its own first key', async () => {
    const { freeze, record, view, ...made } = await asked([])
    await freeze()
    await record('answerSent', { attempt: 1, send: 1, keyTag: 'k' })
    await record('answerRefused', { attempt: 1, send: 1, status: 422, error: errorOf('invalid_request') })
    const words = { text: 'left', assetId: undefined }
    const next = await freezeAnswer(made, order, await view(), 'c1', 'q2', words)
    expect(next?.submission.answer?.frozen).toMatchObject({ questionId: 'q2', executionId: 'e1' })
    expect(next?.submission.answer?.frozen.tries).toBe(undefined)
  })

  test('with a reply that cannot be read ends the run, and stays under way', async () => {
    const { send, view } = await asked([{ ...unread, isUnread: true }])
    await expect(send()).rejects.toMatchObject({ code: 'SW_WIRE', facts: { id: 'hero.walk', status: 503, isUnread: true } })
    expect((await view()).records.at(-1)).toMatchObject({ type: 'answerUnknown' })
  })

  test('that the service knows with other words leaves the question open, without an error of its own', async () => {
    const { send, view, sent } = await asked([refusal(409)])
    await send()
    expect([sent.length, (await view()).records.at(-1)]).toMatchObject([1, { type: 'answerRefused', body: { status: 409 } }])
  })

  test('whose reply another process saw first is recorded beside its record', async () => {
    const { send, record, view, ...made } = await asked([taken])
    const { append } = made.journal
    let isFirst = true
    const journal = {
      ...made.journal,
      append: async (...one: Parameters<typeof append>) => {
        if (one[2] !== 'answerAccepted' || !isFirst) return append(...one)
        isFirst = false
        await record('asked', { attempt: 1, executionId: 'e1', question: { questionId: 'q1', text: 'Which?', requiresAsset: false } })
        return append(...one)
      },
    } as typeof made.journal
    await sendFrozenAnswer({ ...made, journal }, order, await made.freeze())
    expect((await view()).submission.accepted?.executionId).toBe('e2')
    expect(isFirst).toBe(false)
  })

  test('that another process has just sent is not sent again', async () => {
    const { freeze, record, view, sent, ...made } = await asked([taken])
    const frozen = await freeze()
    await record('answerSent', { attempt: 1, send: 1, keyTag: made.client.keyTag(order.hash) })
    await sendFrozenAnswer(made, order, frozen)
    expect([sent, (await view()).submission.answer?.sends.length]).toEqual([[], 1])
  })

  test('is not sent under a key of another question', async () => {
    const { record, sent, view, ...made } = await asked([taken])
    const words = { attempt: 1, executionId: 'e1', conversationId: 'c1', questionId: 'q1', text: 'left', assetId: null }
    await record('answerFrozen', { ...words, key: 'sw1-answer-of-another' })
    await expect(sendFrozenAnswer(made, order, await view())).rejects.toMatchObject({ code: 'SW_JOURNAL', facts: { id: 'hero.walk' } })
    expect(sent).toEqual([])
  })
})
