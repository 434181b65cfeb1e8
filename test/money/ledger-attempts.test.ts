import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JournalRecord, RecordBodies, RecordType } from '../../src/job/records/record.ts'
import { attemptsOf } from '../../src/workshop/ledger/attempts.ts'

type Said = readonly [RecordType, object]

function chain(...said: readonly Said[]): readonly JournalRecord[] {
  return said.map(
    ([type, body], index) => ({ v: 1, n: index + 1, prev: '', type, at: index, mono: index, body, sum: '' }) as unknown as JournalRecord,
  )
}

const frozen = (attempt: number): readonly ['frozen', RecordBodies['frozen']] => [
  'frozen',
  {
    attempt,
    key: `key-${attempt}`,
    body: '{}',
    bodySha256: '',
    maxCredits: '1.6',
    ceiling: '2',
    priceVersion: 'v1',
    approvedAt: 't',
    balance: '100',
  },
]
const error = { reason: 'invalid_request', message: 'no', retryable: false, requestId: null, details: null }
const state = (...said: readonly Said[]): unknown =>
  attemptsOf(chain(...said)).map(({ attempt, state: now, executionId, decision }) => [attempt, now, executionId, decision])

describe('the money of attempts', () => {
  test('what was frozen and never sent, or refused for certain, is none', () => {
    expect(state(frozen(1))).toEqual([])
    expect(state(frozen(1), ['sent', { attempt: 1, send: 1 }], ['refused', { attempt: 1, send: 1, status: 422, error }])).toEqual([])
  })

  test('sent and unanswered counts with the whole ceiling, accepted with what was sent as the maximum', () => {
    const [unknown] = attemptsOf(chain(frozen(1), ['sent', { attempt: 1, send: 1 }]))
    expect(unknown).toMatchObject({ state: 'uncertain', credits: 20_000n, balanceBefore: 1_000_000n })
    const [held] = attemptsOf(chain(frozen(1), ['sent', { attempt: 1, send: 1 }], ['accepted', { attempt: 1, executionId: 'a' }]))
    expect(held).toMatchObject({ state: 'held', credits: 16_000n, isOurs: true, times: { opened: 1, held: 2 } })
  })

  test('an answer to a question goes on in another execution, under the same hold', () => {
    const asked = [frozen(1), ['sent', { attempt: 1, send: 1 }], ['accepted', { attempt: 1, executionId: 'a' }]] as const
    expect(state(...asked, ['answerAccepted', { attempt: 1, executionId: 'b' }])).toEqual([[1, 'held', 'b', undefined]])
  })

  test('how an execution ended that another one has followed says nothing of that one', () => {
    const failed = [
      frozen(1),
      ['sent', { attempt: 1, send: 1 }],
      ['accepted', { attempt: 1, executionId: 'a' }],
      ['failed', { attempt: 1, executionId: 'a', status: 'failed', error }],
      ['accepted', { attempt: 1, executionId: 'b' }],
    ] as const
    expect(state(...failed)).toEqual([[1, 'held', 'b', undefined]])
    expect(state(...failed, ['completed', { attempt: 1, executionId: 'a' }])).toEqual([[1, 'held', 'b', undefined]])
    expect(state(...failed, ['completed', { attempt: 1, executionId: 'b' }])).toEqual([[1, 'settled', 'b', undefined]])
  })

  test('an execution that is known after all ends a giving up, but not where another attempt has taken its place', () => {
    const dropped = [
      frozen(1),
      ['sent', { attempt: 1, send: 1 }],
      ['decided', { attempt: 1, about: 'submission', decision: 'abandon' }],
    ] as const
    const late = ['accepted', { attempt: 1, executionId: 'a' }] as const
    expect(state(...dropped)).toEqual([[1, 'uncertain', undefined, 'abandon']])
    expect(state(...dropped, late)).toEqual([[1, 'held', 'a', undefined]])
    expect(state(...dropped, frozen(2), ['sent', { attempt: 2, send: 1 }], late)).toEqual([
      [1, 'held', 'a', 'abandon'],
      [2, 'uncertain', undefined, undefined],
    ])
  })

  test('law: whatever else the records say, an attempt with a POST that was not refused is counted, until it is restored', () => {
    const attempt = fc.integer({ min: 1, max: 3 })
    const send = fc.integer({ min: 1, max: 3 })
    const executionId = fc.constantFrom('a', 'b')
    const record = fc.oneof(
      attempt.map((n) => frozen(n)),
      fc.record({ attempt, send }).map((body) => ['sent', body] as const),
      fc.record({ attempt, send }).map((body) => ['refused', { ...body, status: 429, error }] as const),
      fc.record({ attempt, send }).map((body) => ['unknown', { ...body, status: null, message: '' }] as const),
      fc.record({ attempt, executionId }).map((body) => ['accepted', body] as const),
      fc.record({ attempt, executionId }).map((body) => ['completed', body] as const),
      fc.record({ attempt }).map((body) => ['decided', { ...body, about: 'submission', decision: 'abandon' }] as const),
    )
    fc.assert(
      fc.property(fc.array(record, { maxLength: 14 }), (said) => {
        const counted = new Set(attemptsOf(chain(...said)).map((money) => money.attempt))
        for (const number of [1, 2, 3]) {
          const open = new Set<number>()
          for (const [type, body] of said as readonly (readonly [RecordType, { attempt: number; send: number }])[]) {
            if (body.attempt !== number) continue
            if (type === 'sent') open.add(body.send)
            if (type === 'refused') open.delete(body.send)
          }
          if (open.size > 0) expect(counted).toContain(number)
        }
      }),
    )
  })
})
