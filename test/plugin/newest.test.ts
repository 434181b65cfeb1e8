import { expect, test, vi } from 'vitest'
import type { AtlasData, SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { onUpdate, reloadPage } from '../../plugin/runtime/shared/hot.ts'
import { canSwapIn, createNewest, fetchImage, goneKeys, goOnAt, layoutOf, warnOfGone } from '../../plugin/runtime/shared/swap.ts'

test('of the values of a key that come while one is processed, only the last follows; a later one begins anew', async () => {
  const seen: string[] = []
  const push = createNewest<string>(async (value, isOvertaken) => {
    seen.push(`begin ${value}`)
    await Promise.resolve()
    seen.push(`end ${value}${isOvertaken() ? ', overtaken' : ''}`)
  })
  await Promise.all(['a', 'b', 'c'].map((value) => push('hero', value)))
  expect(seen.splice(0)).toEqual(['begin a', 'end a, overtaken', 'begin c', 'end c'])
  await push('hero', 'd')
  expect(seen).toEqual(['begin d', 'end d'])
})

test.each([
  ['8.0.0', false],
  ['8.7.3', false],
  ['8.8.0', true],
  ['8.10.1', true],
  ['8.22.0-rc.1', true],
  ['9.0.0', true],
])('PixiJS %s swaps in place: %s', (version, canSwap) => {
  expect(canSwapIn(version)).toBe(canSwap)
})

test('values of different keys are processed at the same time', async () => {
  const seen: string[] = []
  const push = createNewest<string>(async (value) => {
    seen.push(`begin ${value}`)
    await Promise.resolve()
    seen.push(`end ${value}`)
  })
  await Promise.all([push('hero', 'a'), push('bee', 'b')])
  expect(seen).toEqual(['begin a', 'begin b', 'end a', 'end b'])
})

test.each([
  ['the frame that it shows is at the same place', 1, 'abc', 'xbc', 1],
  ['that frame has moved', 2, 'abc', 'bca', 1],
  ['that frame is gone: the same share of the way', 1, 'abc', 'vwxyz', 2],
  ['that frame is gone, and it was the last one', 2, 'abc', 'de', 1],
  ['it was the only frame', 0, 'a', 'bcd', 0],
  ['nothing is left', 2, 'abc', '', 0],
  ['that frame comes twice: on the way there', 1, 'abcb', 'axbxxb', 2],
  ['that frame comes twice: on the way back', 3, 'abcb', 'axbxxb', 5],
  ['it stood behind the end', 9, 'abc', 'defg', 3],
])('a playing object goes on in a new list where %s', (_, index, before, now, expected) => {
  expect(goOnAt({ index, frames: [...before] }, [...now])).toBe(expected)
})

const atlas = { key: 'hero', scale: 1, pixelArt: false, version: 'a', pages: [], frames: {}, animations: {} } as unknown as AtlasData

test.each([
  [{ pages: [{ url: 'b.png', width: 1, height: 1 }] }, true],
  [{ pages: [{ url: 'b.png', normals: 'n.png', width: 1, height: 1 }] }, true],
  [{ frames: { a: [0, 0, 0, 1, 1, 0, 0, 1, 1] } }, true],
  [{ turned: ['a'] }, true],
  [{ mirrored: ['a'] }, true],
  [{ borders: { hero: [1, 2, 3, 4] } }, true],
  [{ outlines: { a: [[0, 0]] } }, true],
  [{ boxes: { a: { body: [[0, 0, 1, 1]] } } }, true],
  [{ pixelArt: true }, true],
  [{ animations: { 'hero/walk': { frames: [], fps: 1, loop: true, yoyo: false } } }, false],
  [{ version: 'b' }, false],
])('an atlas with %j is cut again: %s', (change, isCut) => {
  expect(layoutOf({ ...atlas, ...change } as AtlasData) !== layoutOf(atlas)).toBe(isCut)
})

test('an update empties what is gone, with its variants, and variants that a changed sprite has no more', () => {
  const red = { name: 'hero.red', texture: 'hero.red', variants: {} }
  const sprites = [{ name: 'hero', texture: 'hero', variants: { red } }] as unknown as readonly SpriteModule[]
  const keys = ['hero', 'hero.red', 'hero.blue', 'bee', 'bee.red', 'ant', 'heroes', 'own']
  expect(goneKeys({ sprites, gone: ['bee'] }, keys)).toEqual(['hero.blue', 'bee', 'bee.red'])
  expect(goneKeys({ sprites }, keys)).toEqual(['hero.blue'])
})

test('frames that are gone are one warning with the atlas, twelve names and the number of the others; none are no warning', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  for (const count of [0, 12, 14]) {
    warnOfGone(
      'hero',
      Array.from({ length: count }, (_, at) => `f${at}`),
    )
  }
  const words = warn.mock.calls.map(([text]) => String(text))
  warn.mockRestore()
  expect(words.map((text) => text.match(/\bf\d+/g)?.length)).toEqual([12, 12])
  expect(words.map((text) => / and (\d+) more$/.exec(text)?.[1])).toEqual([undefined, '2'])
  expect(words.every((text) => text.includes('"hero"'))).toBe(true)
})

test('a picture is fetched so that a page of another origin can draw it, and one that cannot be shown is named', async () => {
  const asked: unknown[] = []
  class Picture {
    crossOrigin = ''
    #url = ''
    set src(url: string) {
      this.#url = url
      asked.push([url, this.crossOrigin])
    }
    decode(): Promise<void> {
      return this.#url.includes('broken') ? Promise.reject(new Error('broken')) : Promise.resolve()
    }
  }
  vi.stubGlobal('Image', Picture)
  try {
    expect(await fetchImage('http://cdn.test/a.png')).toBeInstanceOf(Picture)
    await expect(fetchImage('http://cdn.test/broken.png')).rejects.toThrow('http://cdn.test/broken.png')
  } finally {
    vi.unstubAllGlobals()
  }
  expect(asked[0]).toEqual(['http://cdn.test/a.png', 'anonymous'])
})

test('a page that reloads says why, to the person at the page and to the dev server', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const key = Symbol.for('spritewright.updates')
  Reflect.deleteProperty(globalThis, key)
  onUpdate(() => {})()
  const reload = vi.fn()
  Object.assign(Reflect.get(globalThis, key) as object, { reload })
  reloadPage('too new')
  const words = warn.mock.calls.flat().join()
  warn.mockRestore()
  Reflect.deleteProperty(globalThis, key)
  expect([words.includes('too new'), reload.mock.calls]).toEqual([true, [['too new']]])
})
