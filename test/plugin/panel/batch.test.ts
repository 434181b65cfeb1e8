import { describe, expect, test } from 'vitest'
import { readBatch } from '../../../plugin/panel/ui/state/batch.ts'
import type { RequestRow } from '../../../plugin/protocol/protocol.ts'
import type { PlanState } from '../../../src/index.ts'
import { meaningOf } from '../../../src/project/states.ts'

function paid(id: string, state: PlanState, more: Partial<RequestRow> = {}): RequestRow {
  return { id, ...meaningOf({ state }), ...more }
}

const price = { credits: '2.4', priceVersion: '1', words: '' }
const words = (...all: readonly RequestRow[]): string | undefined => readBatch(all, () => undefined)?.words

/** A purchase that ended. Times are in seconds. */
const ended = (id: string, from: number, to: number, state: PlanState = 'bought'): RequestRow =>
  paid(id, state, { approvedAt: from * 1000, endedAt: to * 1000, ...(state === 'bought' ? { spent: '2.4' } : { price }) })
const approved = (id: string, at: number): RequestRow => paid(id, 'approved', { approvedAt: at * 1000, price })
const running = (id: string, at: number): RequestRow => paid(id, 'running', { approvedAt: at * 1000, held: '2.4', ceiling: '40' })

describe('the progress of everything', () => {
  test('is none where nothing is in work', () => {
    expect(readBatch([ended('a', 0, 10), paid('b', 'missing')], () => undefined)).toBeUndefined()
  })

  test('counts what was approved together by the records alone, so a page that was loaded again shows the same', () => {
    const bought = Array.from({ length: 38 }, (_, at) => ended(`a${at}`, at / 100, 10 * (at + 1)))
    expect(words(...bought, running('b', 0.4), approved('c', 0.5))).toBe('38 of 40 · 91.2 of 96 credits · about 20 s left')
  })

  test('leaves out what had ended before', () => {
    expect(words(ended('a', 0, 10), ended('b', 20, 40), running('c', 30))).toBe('1 of 2 · 2.4 of 4.8 credits · about 20 s left')
  })

  test('counts what was approved while others were in work, and those others', () => {
    expect(words(ended('a', 0, 20), ended('b', 10, 40), running('c', 30))).toBe('2 of 3 · 4.8 of 7.2 credits · about 20 s left')
  })

  test('counts half a purchase as half, in its share and in the time that is left', () => {
    const half = (one: RequestRow) => (one.id === 'b' ? { id: 'b', phase: 'running' as const, progress: 0.5 } : undefined)
    const all = [ended('a', 0, 60), running('b', 0)]
    expect(readBatch(all, half)).toEqual({ share: 0.75, words: '1 of 2 · 2.4 of 4.8 credits · about 30 s left' })
  })

  test('tells no time before something has ended, no credits that it does not know, and what failed', () => {
    expect(words(running('a', 0), paid('b', 'approved', { approvedAt: 0 }))).toBe('0 of 2')
    expect(words(ended('a', 0, 10, 'failed'), approved('b', 0))).toBe('1 of 2 · 0 of 4.8 credits · 1 failed · about 10 s left')
  })

  test('tells no time while a question waits for an answer', () => {
    expect(words(ended('a', 0, 10), paid('b', 'question', { approvedAt: 0, held: '2.4' }))).toBe(
      '1 of 2 · 2.4 of 4.8 credits · 1 waits for your answer',
    )
  })

  test('leaves out an approval that was taken back', () => {
    expect(words(paid('a', 'missing', { price }), approved('b', 0))).toBe('0 of 1 · 0 of 2.4 credits')
  })

  test('counts what another checkout has begun, of which no record here has the time', () => {
    expect(words(paid('a', 'running'), paid('b', 'bought'))).toBe('0 of 1')
  })
})
