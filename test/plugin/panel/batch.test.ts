import { describe, expect, test } from 'vitest'
import { nextBatch, readBatch } from '../../../plugin/panel/ui/state/batch.ts'
import type { PanelPaid } from '../../../plugin/protocol/protocol.ts'

function paid(id: string, state: PanelPaid['state'], more: Partial<PanelPaid> = {}): PanelPaid {
  return { id, state, words: '', prompt: '', ...more }
}

const price = { credits: '2.4', priceVersion: '1', words: '' }

describe('the progress of everything', () => {
  test('is none where nothing is in work', () => {
    expect(nextBatch(undefined, [paid('a', 'bought'), paid('b', 'missing')], 0)).toBeUndefined()
  })

  test('counts what has ended since it began, with credits and the time that is left', () => {
    const first = nextBatch(undefined, [paid('a', 'approved', { price }), paid('b', 'approved', { price }), paid('c', 'bought')], 1000)!
    const later = [
      paid('a', 'bought', { spent: '2.4' }),
      paid('b', 'running'),
      paid('c', 'bought'),
      paid('d', 'approved', { ceiling: '1' }),
    ]
    const batch = nextBatch(first, later, 31_000)!
    expect(readBatch(batch, later, () => undefined, 31_000)).toEqual({
      share: 1 / 3,
      words: '1 of 3 · 2.4 of 5.8 credits · about 1 min left',
    })
    const half = (one: PanelPaid) => (one.id === 'b' ? { id: 'b', phase: 'running' as const, progress: 0.5 } : undefined)
    expect(readBatch(batch, later, half, 31_000)).toEqual({ share: 0.5, words: '1 of 3 · 2.4 of 5.8 credits · about 30 s left' })
  })

  test('tells no time before something has ended, no credits that it does not know, and what failed', () => {
    const all = [paid('a', 'running'), paid('b', 'approved', { price })]
    const batch = nextBatch(undefined, all, 0)!
    expect(readBatch(batch, all, () => undefined, 5000).words).toBe('0 of 2')
    const later = [paid('a', 'failed'), paid('b', 'approved', { price })]
    expect(readBatch(nextBatch(batch, later, 6000)!, later, () => undefined, 6000).words).toBe('1 of 2 · 1 failed · about 10 s left')
  })

  test('tells no time while a question waits for an answer', () => {
    const all = [paid('a', 'running'), paid('b', 'running')]
    const later = [paid('a', 'bought'), paid('b', 'question')]
    const batch = nextBatch(nextBatch(undefined, all, 0), later, 20_000)!
    expect(readBatch(batch, later, () => undefined, 20_000).words).toBe('1 of 2 · 1 waits for your answer')
  })

  test('leaves out an approval that was taken back', () => {
    const first = nextBatch(undefined, [paid('a', 'approved', { price }), paid('b', 'approved', { price })], 0)!
    const later = [paid('a', 'missing', { price }), paid('b', 'approved', { price })]
    const batch = nextBatch(first, later, 10)!
    expect(readBatch(batch, later, () => undefined, 10).words).toBe('0 of 1 · 0 of 2.4 credits')
  })

  test('ends with its last purchase, and the next one begins anew', () => {
    const batch = nextBatch(undefined, [paid('a', 'running')], 0)
    expect(nextBatch(batch, [paid('a', 'bought')], 10)).toBeUndefined()
    expect(nextBatch(undefined, [paid('a', 'bought'), paid('b', 'running')], 20)!.costs.size).toBe(1)
  })
})
