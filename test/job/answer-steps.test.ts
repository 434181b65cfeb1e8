import { describe, expect, test } from 'vitest'
import { type AnswerWords, freezeAnswer, sendFrozenAnswer } from '../../src/job/answer.ts'
import { idempotencyKey, type JobPorts, type Order } from '../../src/job/order.ts'
import type { JournalView } from '../../src/job/records/journal.ts'
import type { RecordBodies, RecordType } from '../../src/job/records/record.ts'
import { bench, errorOf, frozenOf, order } from './bench.ts'

type Outcome = Awaited<ReturnType<JobPorts['client']['answer']>>

const place = { key: idempotencyKey(order.identity, order.hash, 2), id: 'hero.walk' }
const words: AnswerWords = { text: 'left', assetId: 'a1' }
/** The answer that the service gets, and the records of it. Another key would start a second execution. */
const key = 'sw1-answer-49114df0baf7f30bdc06e322929c25c6af8cad32'
const post = { executionId: 'e1', conversationId: 'c1', questionId: 'q1', text: 'left', assetId: 'a1', key }
const error = errorOf('invalid_request', { message: 'It says so.', retryable: true, requestId: 'r7', details: { field: 'text' } })
const refusal = (status: number, retryAfterMs?: number): Outcome => ({ kind: 'refused', status, error, retryAfterMs }) as Outcome
const unread: Outcome = { kind: 'unknown', status: 503, message: 'it was busy' }
const taken: Outcome = { kind: 'accepted', executionId: 'e2', conversationId: 'c2' }

/**
 * The execution of a second attempt that asks, and a run that notes what it does.
 *
 * @param meanwhile What another process does before a record of this type is written.
 */
async function asked(
  outcomes: readonly (Outcome | Error)[],
  over: Partial<JobPorts> = {},
  meanwhile: Partial<Record<RecordType, () => Promise<unknown>>> = {},
) {
  const left = [...outcomes]
  const others = { ...meanwhile }
  const calls: unknown[] = []
  const made = bench(
    {
      answer: async (answer, record, signal) => {
        const outcome = left.shift()
        if (outcome instanceof Error) throw outcome
        await record()
        calls.push(['POST', answer, signal === made.signal])
        return outcome as Outcome
      },
    },
    {
      places: {
        ...{ holds: async () => true, taken: async () => [], refused: async () => {} },
        take: async (applicant, signal) => {
          calls.push(['take', applicant, signal === made.signal])
          return 'taken'
        },
        keep: async (applicant, job) => void calls.push(['keep', applicant, job]),
        leave: async (one) => void calls.push(['leave', one]),
      },
      ...over,
    },
  )
  await made.record('frozen', frozenOf(2))
  await made.record('accepted', { attempt: 2, executionId: 'e1', conversationId: 'c0' })
  await made.record('asked', { attempt: 2, executionId: 'e1', question: { questionId: 'q1', text: 'Which?', requiresAsset: true } })
  const journal = {
    ...made.journal,
    append: async <T extends RecordType>(hash: string, view: JournalView, type: T, body: RecordBodies[T]) => {
      await others[type]?.()
      delete others[type]
      const next = await made.journal.append(hash, view, type, body)
      if (next) calls.push([type, body])
      return next
    },
  }
  const clock = {
    ...made.clock,
    sleep: async (ms: number, signal?: AbortSignal) => {
      calls.push(['sleep', ms, signal === made.signal])
      await made.clock.sleep(ms)
    },
  }
  const ports: JobPorts = { ...made, journal, clock }
  const freeze = async (one = words) => (await freezeAnswer(ports, order, await made.view(), 'c1', 'q1', one)) as JournalView
  const send = async () => {
    const frozen = await freeze()
    calls.length = 0
    await sendFrozenAnswer(ports, order, frozen)
  }
  return { ...made, ports, calls, freeze, send }
}

const keyTag = bench().client.keyTag(order.hash)
const sentAs = (send: number) => [
  ['answerSent', { attempt: 2, send, keyTag }],
  ['POST', post, true],
]
const refusedAs = (send: number, status: number) => ['answerRefused', { attempt: 2, send, status, error }]

describe('the steps of an answer', () => {
  test('are a place, a record, the POST and a record, and after a refusal the place is free while the run waits', async () => {
    const { send, calls } = await asked([refusal(429, 90_000), taken])
    await send()
    expect(calls).toEqual([
      ['take', place, true],
      ...sentAs(1),
      refusedAs(1, 429),
      ['leave', place.key],
      ['sleep', 90_000, true],
      ['take', place, true],
      ...sentAs(2),
      ['answerAccepted', { attempt: 2, executionId: 'e2', conversationId: 'c2' }],
      ['keep', place, { executionId: 'e2' }],
    ])
  })

  test('keep the place after a POST without a reply, and end with the window in which it may be repeated', async () => {
    const { send, calls, view } = await asked([unread, refusal(429, 90_000), taken], { windowMs: 60_000 })
    await send()
    expect(calls).toEqual([
      ['take', place, true],
      ...sentAs(1),
      ['answerUnknown', { attempt: 2, send: 1, status: 503, message: 'it was busy' }],
    ])
    await send()
    expect(calls).toEqual([['keep', place, {}], ...sentAs(2), refusedAs(2, 429), ['sleep', 90_000, true], ['keep', place, {}]])
    expect((await view()).submission.answer?.sends.map(({ answer }) => answer.kind)).toEqual(['unknown', 'refused'])
  })

  test('end at a pause that is too long, with the last refusal', async () => {
    const last = refusal(429, 300_001) as Extract<Outcome, { kind: 'refused' }>
    const { send, calls } = await asked([refusal(429), { ...last, error: { ...error, requestId: 'r8' } }])
    await expect(send()).rejects.toMatchObject({
      code: 'SW_REFUSED',
      facts: { id: 'hero.walk', requestId: 'r8', retryAt: expect.any(String) },
    })
    expect(calls.filter((one) => (one as unknown[])[0] === 'POST')).toHaveLength(2)
  })

  test('that fail before the POST give the place back, and record nothing', async () => {
    const { send, calls } = await asked([new Error('interrupted')])
    await expect(send()).rejects.toThrow('interrupted')
    expect(calls).toEqual([
      ['take', place, true],
      ['leave', place.key],
    ])
  })

  test('that another process ended meanwhile are not recorded again', async () => {
    const { send, calls, record, types } = await asked(
      [taken],
      {},
      {
        answerAccepted: async () => record('answerAccepted', { attempt: 2, executionId: 'e2', conversationId: 'c2' }),
      },
    )
    await send()
    expect(calls.slice(1)).toEqual([...sentAs(1), ['keep', place, { executionId: 'e2' }]])
    expect((await types()).slice(4)).toEqual(['answerSent', 'answerAccepted'])
  })

  test('that a person gave up meanwhile end without the refusal, and any other record beside them does not matter', async () => {
    const givenUp = await asked(
      [refusal(422)],
      {},
      {
        answerRefused: async () => givenUp.record('decided', { attempt: 2, about: 'answer', decision: 'abandon', approvedAt: null }),
      },
    )
    await givenUp.send()
    const beside = await asked(
      [refusal(422)],
      {},
      {
        answerRefused: async () => beside.record('approved', { at: '2026-01-01T00:00:00.000Z' } as never),
      },
    )
    await expect(beside.send()).rejects.toMatchObject({ code: 'SW_REFUSED', facts: { id: 'hero.walk', status: 422, requestId: 'r7' } })
    expect(beside.calls.slice(3)).toEqual([refusedAs(1, 422), ['leave', place.key]])
  })

  test('that another process has begun are not begun', async () => {
    const { send, calls, record } = await asked(
      [taken],
      {},
      {
        answerSent: async () => record('answerSent', { attempt: 2, send: 1, keyTag }),
      },
    )
    await send()
    expect(calls).toEqual([
      ['take', place, true],
      ['leave', place.key],
    ])
  })
})

describe('a frozen answer', () => {
  const other = { text: 'right', assetId: undefined }

  test('names its question, its execution and its words, under the same key in every version', async () => {
    const { ports, record, view, freeze } = await asked([])
    const frozen = async (of: Order, question: string, one = words) =>
      (await freezeAnswer(ports, of, await ports.journal.read(of.hash), 'c1', question, one))?.submission.answer?.frozen
    const body = { attempt: 2, executionId: 'e1', conversationId: 'c1', questionId: 'q1', key, text: 'left', assetId: 'a1' }
    expect(await frozen(order, 'q1')).toEqual(body)
    await record('answerSent', { attempt: 2, send: 1, keyTag })
    const second = await frozen(order, 'q2', other)
    expect(second).toEqual({
      ...body,
      questionId: 'q2',
      key: 'sw1-answer-59f9f295b2d84679e22f9b4c4ab8defc5a3f0b7d',
      text: 'right',
      assetId: null,
    })
    await record('answerSent', { attempt: 2, send: 1, keyTag })
    await record('answerRefused', { attempt: 2, send: 1, status: 422, error })
    expect(await frozen(order, 'q2')).toEqual({
      ...body,
      questionId: 'q2',
      key: 'sw1-answer-74b24c1e4c785c01e557ae0cbed260ac92c4e148',
      tries: 1,
    })
    await record('decided', { attempt: 2, about: 'answer', decision: 'abandon', approvedAt: null })
    expect(await frozen(order, 'q1')).toEqual({ ...body, key: 'sw1-answer-1cf5a290541bd8ecb3107cbd7b0c5adeca4fed3b' })
    const stale = await view()
    await freeze()
    expect(await freezeAnswer(ports, order, stale, 'c1', 'q1', words)).toBeUndefined()
    const elsewhere: Order = { ...order, hash: 'e'.repeat(64) }
    const accepted = { attempt: 1, executionId: 'e9', conversationId: null }
    await ports.journal.append(elsewhere.hash, await ports.journal.read(elsewhere.hash), 'accepted', accepted)
    expect(await frozen(elsewhere, 'q1')).toEqual({
      ...body,
      attempt: 1,
      executionId: 'e9',
      key: 'sw1-answer-cc7a7766f33aff2c62458ad1e2811040c079375e',
    })
  })

  test('stays under way while one of its POSTs may have arrived', async () => {
    const { ports, record, view, freeze } = await asked([])
    await freeze()
    await record('answerSent', { attempt: 2, send: 1, keyTag })
    await record('answerUnknown', { attempt: 2, send: 1, status: null, message: 'lost' })
    await record('answerSent', { attempt: 2, send: 2, keyTag })
    await record('answerRefused', { attempt: 2, send: 2, status: 422, error })
    const now = await view()
    expect(await freezeAnswer(ports, order, now, 'c1', 'q1', words)).toBe(now)
    await expect(freezeAnswer(ports, order, now, 'c1', 'q1', other)).rejects.toMatchObject({
      code: 'SW_USAGE',
      facts: { id: 'hero.walk', sent: 'left' },
    })
  })

  test('needs an execution, and nothing is sent without a frozen one', async () => {
    const made = bench()
    const nothing = await made.view()
    await expect(freezeAnswer(made, order, nothing, 'c1', 'q1', words)).rejects.toMatchObject({ code: 'SW_INTERNAL' })
    await expect(sendFrozenAnswer(made, order, nothing)).rejects.toMatchObject({ code: 'SW_INTERNAL' })
  })
})
