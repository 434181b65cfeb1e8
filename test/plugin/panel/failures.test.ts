import { describe, expect, test } from 'vitest'
import { factsOfFailures, openFailures, orphanId } from '../../../plugin/protocol/state/failures.ts'
import { type OverviewItem, SpritewrightError } from '../../../src/index.ts'
import { meaningOf } from '../../../src/project/states.ts'

const undecidedOf = (...facts: Parameters<typeof factsOfFailures>) => factsOfFailures(...facts).undecided

type Some = Partial<Pick<OverviewItem, 'id' | 'state' | 'ceiling' | 'undecided'>>

function item(some: Some): OverviewItem {
  return { id: 'hero.walk', state: 'approved', ...some } as OverviewItem
}

function failure(code: ConstructorParameters<typeof SpritewrightError>[0], id = 'hero.walk') {
  return { ids: [id], error: new SpritewrightError(code, { message: code, facts: { id } }) }
}

test('a purchase that stopped at another price version outprices its approval, and no other one', () => {
  const failures = [failure('SW_PRICE_VERSION')]
  const shown = (one: OverviewItem) => meaningOf({ ...one, ...factsOfFailures(one, failures) }).state
  expect(shown(item({ ceiling: 16_000n }))).toBe('outpriced')
  expect(shown(item({ id: 'hero.idle', ceiling: 16_000n }))).toBe('approved')
})

describe('what a person has to decide about', () => {
  test.each(['submission', 'answer', 'conflict'] as const)('the papers say: %s', (undecided) => {
    expect(undecidedOf(item({ state: 'uncertain', undecided }), [])).toBe(undecided)
  })

  test('the service does not know an execution any more, which only the failure tells', () => {
    const failures = [failure('SW_UNCERTAIN')]
    expect(undecidedOf(item({ state: 'running' }), failures)).toBe('execution')
    expect(undecidedOf(item({ state: 'lost' }), failures)).toBe('execution')
    expect(undecidedOf(item({ state: 'running', id: 'hero.idle' }), failures)).toBeUndefined()
    expect(undecidedOf(item({ state: 'failed' }), failures)).toBeUndefined()
    expect(undecidedOf(item({ state: 'running' }), [failure('SW_UNREACHABLE')])).toBeUndefined()
  })
})

describe('a failure', () => {
  const codes = (failures: Parameters<typeof openFailures>[0], ...items: readonly Some[]): readonly unknown[] =>
    openFailures(failures, items.map(item)).map(({ error }) => (error as SpritewrightError).code)

  test('of what was bought after all is none', () => {
    expect(codes([failure('SW_UNREACHABLE')], { state: 'bought' })).toEqual([])
    expect(codes([failure('SW_UNREACHABLE')], { state: 'running' })).toEqual(['SW_UNREACHABLE'])
    // A failure of a request that no spec needs any more.
    expect(codes([failure('SW_FAILED')])).toEqual(['SW_FAILED'])
  })

  test('that asks for a decision goes when it is decided, and no other one with it', () => {
    const failures = [failure('SW_UNCERTAIN'), failure('SW_UNCERTAIN', 'hero.idle'), failure('SW_FAILED')]
    const idle: Some = { id: 'hero.idle', state: 'uncertain', undecided: 'submission' }
    expect(codes(failures, { state: 'failed' }, idle)).toEqual(['SW_UNCERTAIN', 'SW_FAILED'])
    expect(codes(failures, { state: 'running' }, idle)).toHaveLength(3)
    expect(codes([failure('SW_CONFLICT')], { state: 'failed', undecided: 'conflict' })).toEqual(['SW_CONFLICT'])
    expect(codes([failure('SW_CONFLICT')], { state: 'failed' })).toEqual([])
  })
})

describe('a failure of a request that no spec asks for any more', () => {
  const hash = '0123456789abcdef'
  const orphan = { ...item({ state: 'running' }), hash, id: orphanId({ id: 'hero.walk', hash }) }
  const failed = { ids: [orphan.id], error: new SpritewrightError('SW_UNCERTAIN', { message: 'gone', facts: { id: 'hero.walk' } }) }

  test('is told while the request is open, and goes with it', () => {
    expect(openFailures([failed], [orphan])).toEqual([failed])
    expect(openFailures([failed], [])).toEqual([])
    expect(openFailures([failed], [{ ...orphan, state: 'bought' }])).toEqual([])
  })

  test('says nothing of the animation that has its name now, nor that one of it', () => {
    const present = item({ state: 'running' })
    expect(undecidedOf(orphan, [failed])).toBe('execution')
    expect(undecidedOf(present, [failed])).toBeUndefined()
    expect(undecidedOf(orphan, [failure('SW_UNCERTAIN')])).toBeUndefined()
  })
})
