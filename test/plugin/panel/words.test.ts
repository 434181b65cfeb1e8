import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { revokeWords } from '../../../plugin/panel/ui/money/decision-words.ts'
import { isMore, offerSentence, sumOf } from '../../../plugin/panel/ui/state/words.ts'
import { niceCeiling, stepsOf } from '../../../plugin/panel/ui/views/chart-steps.ts'
import type { PanelOffer } from '../../../plugin/protocol/actions.ts'
import type { PanelStep } from '../../../plugin/protocol/protocol.ts'

function offer(...lines: readonly (readonly [id: string, price: string, ceiling?: string])[]): PanelOffer {
  return {
    lines: lines.map(([id, price, ceiling = price]) => {
      const operation = /#|^icons/.test(id) ? 'upscale' : 'sprite_sheet'
      return { id, operation, hash: '', prompt: '', price, ceiling }
    }),
    sum: '',
    ceilings: '',
    balance: '100',
    untouched: [],
  }
}

describe('what an approval means', () => {
  test('names what is held, for what, and the most that is charged', () => {
    expect(offerSentence(offer(['knight.walk', '1.6'], ['knight.idle', '0.8']))).toBe(
      '2.4 credits will be held for knight.walk and knight.idle; at most 2.4 are charged.',
    )
  })

  test('tells a ceiling above the price', () => {
    expect(offerSentence(offer(['knight.walk', '1.6', '2']))).toBe('1.6 credits will be held for knight.walk; at most 2 are charged.')
  })

  test('tells single pictures from sheets: nothing is held for them', () => {
    expect(offerSentence(offer(['wizard#2', '1'], ['wizard.cast', '2.4'], ['icons.sword', '1']))).toBe(
      '2.4 credits will be held for wizard.cast; at most 2.4 are charged. 2 credits will be charged on delivery of wizard#2 and icons.sword; at most 2.',
    )
  })

  test('stays short for many', () => {
    const many = Array.from({ length: 40 }, (_, index) => [`s${index}.walk`, '0.1'] as const)
    expect(offerSentence(offer(...many))).toBe(
      '4 credits will be held for s0.walk, s1.walk, s2.walk, s3.walk, s4.walk and 35 others; at most 4 are charged.',
    )
  })

  test('sums are exact, and unknown where a price is', () => {
    expect(sumOf(['0.1', '0.2'])).toBe('0.3')
    expect(sumOf(['0.1', undefined])).toBeUndefined()
    expect(isMore('0.3', '0.2999')).toBe(true)
    expect(isMore('10', '9.5')).toBe(true)
    expect(isMore('2', '2')).toBe(false)
  })
})

describe('taking an approval back', () => {
  const step = (id: string, state: PanelStep['state'], ...sprites: readonly string[]): PanelStep =>
    ({
      ...{ id, state, sprites, ids: sprites.map((name) => `${name}${id.slice(id.indexOf('#'))}`) },
      ...{ canBeRevoked: state !== 'bought', words: '', prompt: '', operation: 'upscale' },
    }) as unknown as PanelStep

  test('names the pictures that go with it, and no other, and says that earlier prompts do', () => {
    const steps = [
      step('hero#1', 'bought', 'hero'),
      step('hero#2', 'approved', 'hero', 'rogue'),
      step('hero#3', 'outpriced', 'hero'),
      step('coin#1', 'approved', 'coin'),
    ]
    expect(revokeWords('hero.walk', steps).words).toBe(
      'Nothing more is bought for hero.walk, neither for its present prompt nor for an earlier one. This also takes back its steps hero#2, hero#3: nothing else that needs them is bought. A request that was sent already continues.',
    )
    expect(revokeWords('coin.spin', steps.slice(0, 3)).words).not.toContain('steps')
  })

  test('of a picture names its own steps, and not those of another one', () => {
    const own = (id: string): PanelStep => ({ ...step(id, 'approved', 'icons'), ids: [id] })
    const steps = [own('icons#1'), own('icons.sword#1'), own('icons.shield#1'), own('badge#1')]
    expect(revokeWords('icons.sword', steps).words).toContain('its steps icons#1, icons.sword#1:')
    expect(revokeWords('badge', steps).words).toContain('its steps badge#1:')
  })
})

// Sentences that have stopped a reader.
test.each(['another go', 'other goes', 'besides', 'goes over to', 'holds no more', 'taken it on', 'goes on by it', 'is to buy'])(
  'no sentence of the panel says "%s"',
  async (words) => {
    const root = join(import.meta.dirname, '../../../plugin/panel')
    const files = (await readdir(root, { recursive: true })).filter((file) => /\.(?:tsx?|html)$/.test(file))
    const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
    expect(files.filter((_file, at) => texts[at]?.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '').includes(words))).toEqual([])
  },
)

describe('the chart', () => {
  const entry = (at: number, credits: string, more: object = {}): never =>
    ({ id: `s.${at}`, attempt: 1, state: 'settled', origin: 'here', at, credits, ...more }) as never

  test('adds up what was paid here, in order of time', () => {
    expect(
      stepsOf([entry(30, '0.2'), entry(10, '0.1'), entry(20, '1', { state: 'held' }), entry(15, '5', { origin: 'elsewhere' })]),
    ).toEqual([
      { at: 10, id: 's.10', soFar: '0.1' },
      { at: 30, id: 's.30', soFar: '0.3' },
    ])
  })

  test('begins with what nobody wrote the time of', () => {
    expect(stepsOf([entry(0, '2'), entry(10, '1')]).map((step) => step.soFar)).toEqual(['3'])
  })

  test('has a top that is round and high enough', () => {
    expect([0.3, 1, 19.2, 20, 21, 500].map(niceCeiling)).toEqual([0.5, 1, 20, 20, 50, 500])
  })
})
