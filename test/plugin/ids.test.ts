import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatId, parseId, parseSpecifier, resolveSprite, type SpriteId, sheetSpecifier, specPath, toSpecifier } from '../../plugin/ids.ts'

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

describe('an import', () => {
  const spec = formatId({ kind: 'sprite', file: 'art/hero.sprite.json' })
  const main = '/game/src/main.ts'

  test.each([
    ['./hero.sprite.json', main, { id: '/game/art/hero.sprite.json' }, spec],
    ['virtual:spritewright', main, null, formatId({ kind: 'all' })],
    ['./hero.sprite.json', main, null, undefined],
    ['./hero.sprite.json', main, { id: '/game/art/hero.sprite.json', external: true }, undefined],
    ['./hero.sprite.json', main, { id: 'hero.sprite.json' }, undefined],
    ['./hero.sprite.json', main, { id: '/game/art/hero.json' }, undefined],
    ['./hero.sprite.json', main, { id: '/game/node_modules/art/hero.sprite.json' }, undefined],
    ['./hero.sprite.json', '/game/node_modules/art/index.js', { id: '/game/art/hero.sprite.json' }, undefined],
    ['./hero.sprite.json', '/game/node_modules/art/index.js?v=1', { id: '/game/art/hero.sprite.json' }, undefined],
    ['./hero.sprite.json', spec, { id: '/game/art/hero.sprite.json' }, undefined],
    ['./hero.sprite.json', main, { id: spec }, spec],
    ['./hero.sprite.json?raw', main, { id: '/game/art/hero.sprite.json' }, undefined],
    ['./coins.sprites', `${main}?worker`, null, formatId({ kind: 'sprite', file: 'src/coins.sprites' })],
    ['coins.sprites', main, null, undefined],
    ['./coins.sprites', undefined, null, undefined],
  ])('of %s by %s that others resolve to %j is %s', async (source, importer, found, id) => {
    expect(await resolveSprite(source, importer, '/game', async () => found)).toBe(id)
  })

  test('of the reader of sheets is its file', async () => {
    expect(await resolveSprite(sheetSpecifier, main, '/game', async () => null)).toMatch(/plugin\/runtime\/shared\/sheet\.ts$/)
  })

  test('is one of a spec by the ending of its path', () => {
    const paths = [
      'a.sprite.json',
      'a.sprite.yaml',
      'a.sprite.yml',
      'a.aseprite',
      'a.ase',
      'a.sprites',
      'a.json',
      'a.sprite.ts',
      'a.sprite.json.bak',
    ]
    expect(paths.filter((path) => specPath.test(path))).toEqual(paths.slice(0, 6))
  })
})
