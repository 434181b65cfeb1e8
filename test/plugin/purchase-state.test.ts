import { describe, expect, test } from 'vitest'
import { openFailures, orphanId, panelUndecided, purchaseState } from '../../plugin/panel/server/purchase-state.ts'
import { type OverviewItem, SpritewrightError } from '../../src/index.ts'

type Some = Partial<Pick<OverviewItem, 'id' | 'state' | 'ceiling' | 'undecided'>>

function item(some: Some): OverviewItem {
  return { id: 'hero.walk', state: 'approved', ...some } as OverviewItem
}

function failure(code: ConstructorParameters<typeof SpritewrightError>[0], id = 'hero.walk') {
  return { ids: [id], error: new SpritewrightError(code, { message: code, facts: { id } }) }
}

describe('an approval', () => {
  const nobody = { others: new Set<string>(), failures: [] }

  test.each([
    ['covers what it costs now', 16_000n, 16_000n, 'approved'],
    ['is under it', 16_000n, 16_001n, 'outpriced'],
    ['is of something whose price nobody asked for', 16_000n, undefined, 'approved'],
  ] as const)('%s', (_name, ceiling, price, state) => {
    expect(purchaseState(item({ ceiling }), { ...nobody, price })).toBe(state)
  })

  test('under another version of the prices holds no more; of another animation it says nothing', () => {
    const failures = [failure('SW_PRICE_VERSION')]
    expect(purchaseState(item({ ceiling: 16_000n }), { ...nobody, price: 16_000n, failures })).toBe('outpriced')
    expect(purchaseState(item({ id: 'hero.idle', ceiling: 16_000n }), { ...nobody, price: 16_000n, failures })).toBe('approved')
  })

  test('of another checkout is not ours to judge, and what is under way is not priced any more', () => {
    expect(purchaseState(item({ ceiling: 1n }), { ...nobody, others: new Set(['hero.walk']), price: 2n })).toBe('adoptable')
    expect(purchaseState(item({ state: 'running', ceiling: 1n }), { ...nobody, price: 2n })).toBe('running')
  })
})

describe('what a person has to decide about', () => {
  test.each(['submission', 'answer', 'conflict'] as const)('the papers say: %s', (undecided) => {
    expect(panelUndecided(item({ state: 'uncertain', undecided }), [])).toBe(undecided)
  })

  test('the service does not know an execution any more, which only the failure tells', () => {
    const failures = [failure('SW_UNCERTAIN')]
    expect(panelUndecided(item({ state: 'running' }), failures)).toBe('execution')
    expect(panelUndecided(item({ state: 'lost' }), failures)).toBe('execution')
    expect(panelUndecided(item({ state: 'running', id: 'hero.idle' }), failures)).toBeUndefined()
    expect(panelUndecided(item({ state: 'failed' }), failures)).toBeUndefined()
    expect(panelUndecided(item({ state: 'running' }), [failure('SW_UNREACHABLE')])).toBeUndefined()
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
    expect(panelUndecided(orphan, [failed])).toBe('execution')
    expect(panelUndecided(present, [failed])).toBeUndefined()
    expect(panelUndecided(orphan, [failure('SW_UNCERTAIN')])).toBeUndefined()
  })
})
