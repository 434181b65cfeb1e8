import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatId, parseId, parseSpecifier, type SpriteId, toSpecifier } from '../../plugin/ids.ts'

const part = fc
  .oneof(fc.string({ minLength: 1 }), fc.constantFrom('..', '.', '~', '%', '%2F', 'ä ö', 'a.sprite.json'))
  .map((text) => text.replaceAll('/', ''))
const name = fc
  .array(
    part.filter((text) => text !== ''),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join('/'))
const id = fc.oneof(
  name.map((file): SpriteId => ({ kind: 'sprite', file })),
  part.filter((text) => text !== '').map((text): SpriteId => ({ kind: 'atlas', name: text })),
  fc.constantFrom<SpriteId>({ kind: 'all' }, { kind: 'hot' }),
)

describe('ids of modules', () => {
  test('mean what they were made of, also as specifiers', () => {
    fc.assert(
      fc.property(id, (one) => {
        expect(parseId(formatId(one))).toEqual(one)
        expect(parseSpecifier(toSpecifier(one))).toEqual(one)
      }),
    )
  })

  test('survive a URL: no browser shortens them, no decoding changes them', () => {
    fc.assert(
      fc.property(id, (one) => {
        const path = `/@id/__x00__${formatId(one).slice(1)}`
        expect(new URL(path, 'http://game').pathname).toBe(path)
        expect(decodeURIComponent(path)).toBe(path)
      }),
    )
  })

  test('of others are nobody of ours', () => {
    const foreign = formatId({ kind: 'all' }).replace('spritewright', 'gamesprites1')
    expect(parseId(foreign)).toBeUndefined()
    expect(['/src/main.ts', '\0other', 'virtual:spritewright', '\0spritewright/what'].map(parseId)).toEqual(Array(4).fill(undefined))
    expect(parseSpecifier('virtual:spritewrighter')).toBeUndefined()
  })
})
