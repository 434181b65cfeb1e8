import { describe, expect, test } from 'vitest'
import { createBitmap, decodePng, readPage } from '../../atlas/index.ts'
import { type Layout, toLayout } from '../../src/build/layout.ts'
import { makeSheets, type SheetOptions } from '../../src/build/sheet.ts'
import type { BuiltSheets } from '../../src/build/sheet-model.ts'
import type { SheetInput } from '../../src/build/sources.ts'
import { packDelivery } from '../../src/embedded/delivery.ts'
import { defaultShapes } from '../../src/embedded/shapes.ts'
import { parseSpec } from '../../src/spec/parser.ts'
import { sha256 } from '../../src/vault/objects.ts'
import { type MemoryCache, memoryCache } from './memory-cache.ts'

const stable: SheetOptions = { maxSize: 2048, encodings: ['png'], level: 6, ktx2: 'uastc', stable: true }
const opened: string[] = []

/** A sprite of eight frames of noise, which fill some strips of a page when there are many. */
async function spriteInput(at: number, fields: object = {}): Promise<SheetInput> {
  const frames = Array.from({ length: 8 }, (_, index) => {
    const frame = createBitmap(100 + (at % 7), 90 + (at % 5))
    for (let i = 0; i < frame.data.length; i++) frame.data[i] = (i * 31 + at * 7 + index * 13) % 251
    return frame
  })
  const { zip } = await packDelivery(frames, defaultShapes.names)
  const name = `s${String(at).padStart(2, '0')}`
  const spec = parseSpec(
    JSON.stringify({ reference: './x.png', prompt: 'x', animations: { walk: { frames: 8 } }, ...fields }),
    `/game/${name}.sprite.json`,
  )
  const read = async (): Promise<Uint8Array> => {
    opened.push(name)
    return zip
  }
  return { spec, animation: spec.animations[0]!, source: { kind: 'result', sha256: sha256(zip), read } }
}

const sprites = (fields?: object): Promise<readonly SheetInput[]> =>
  Promise.all(Array.from({ length: 30 }, (_, at) => spriteInput(at, fields)))

/** The same with seven of the eight frames of one. */
const withOneChanged = (all: readonly SheetInput[], name: string): readonly SheetInput[] =>
  all.map((input) => (input.spec.name === name ? { ...input, animation: { ...input.animation, use: [0, 1, 2, 3, 4, 5, 6] } } : input))

const make = (inputs: readonly SheetInput[], cache: MemoryCache, earlier?: Layout, options = stable): Promise<BuiltSheets> =>
  makeSheets(inputs, 'group', options, { cache, earlier, warn: () => {} })

/** What a game is given. */
const given = ({ atlases }: BuiltSheets): unknown =>
  atlases.map(({ frames, animations, pages, alternates = [] }) => ({
    frames,
    animations,
    pages: [pages, ...alternates].map((list) => list.map(({ sha256: digest }) => digest)),
  }))

describe('a build in which one animation has changed', () => {
  test('opens that one, and reads the pixels of those beside it alone', async () => {
    const all = await sprites()
    const cache = memoryCache()
    const before = await make(all, cache)
    opened.length = cache.reads.length = 0
    const after = await make(withOneChanged(all, 's00'), cache, toLayout(before.atlases))
    expect(opened).toEqual(['s00'])
    // Which build was the last, its pages, and those animations that lie in the strips of the one that changed.
    expect(cache.reads.length).toBeGreaterThan(3)
    expect(cache.reads.length).toBeLessThan(20)
    const anew = await make(withOneChanged(all, 's00'), memoryCache(), toLayout(before.atlases))
    expect(given(after)).toEqual(given(anew))
    const other = withOneChanged(all, 's01')
    expect(given(await make(other, cache, toLayout(before.atlases)))).toEqual(
      given(await make(other, memoryCache(), toLayout(before.atlases))),
    )
  })

  test.each([
    ['each in another encoding', { encodings: ['png', 'webp'] }],
    ['each with a palette where it fits', { palette: 'exact' }],
    ['with outlines', { hull: 8 }],
  ] as const)('is the build of an empty cache, %s', async (_, more) => {
    const all = await sprites()
    const options: SheetOptions = { ...stable, ...more, encodings: 'encodings' in more ? [...more.encodings] : ['png'] }
    const cache = memoryCache()
    const before = await make(all, cache, undefined, options)
    const changed = withOneChanged(all, 's03')
    opened.length = 0
    const after = await make(changed, cache, toLayout(before.atlases), options)
    expect(opened).toEqual(['s03'])
    expect(given(after)).toEqual(given(await make(changed, memoryCache(), toLayout(before.atlases), options)))
    for (const page of after.atlases[0]!.alternates?.[0] ?? [])
      expect((await readPage(page.bytes, 'webp')).data.length).toBe(decodePng(after.atlases[0]!.pages[0]!.bytes).data.length)
  })

  test('is right where frames are not trimmed, and where nothing keeps its place', async () => {
    const all = await sprites({ trim: false })
    const options = { ...stable, stable: false }
    const cache = memoryCache()
    await make(all, cache, undefined, options)
    const changed = withOneChanged(all, 's07')
    expect(given(await make(changed, cache, undefined, options))).toEqual(given(await make(changed, memoryCache(), undefined, options)))
  })

  test('opens once more what is gone or damaged by the time it is drawn, and keeps it anew', async () => {
    const all = await sprites()
    const cache = memoryCache()
    const before = await make(all, cache)
    const changed = withOneChanged(all, 's00')
    const anew = await make(changed, memoryCache(), toLayout(before.atlases))
    const complete = memoryCache(cache)
    await make(changed, complete, toLayout(before.atlases))
    const drawn = new Set(complete.reads.slice(2))
    // As a cache is that finds another digest: there, and not to be read.
    const torn = memoryCache(cache)
    const read = torn.read
    const isTorn = new Set(drawn)
    const ailing: MemoryCache = {
      ...torn,
      read: async (key) => (isTorn.has(key) ? undefined : read(key)),
      write: async (key, ...parts) => {
        isTorn.delete(key)
        await torn.write(key, ...parts)
      },
    }
    opened.length = 0
    expect(given(await make(changed, ailing, toLayout(before.atlases)))).toEqual(given(anew))
    expect(opened.length).toBe(drawn.size + 1)
    expect(isTorn.size).toBe(0)
    for (const key of drawn) expect(Buffer.from(cache.kept.get(key)!).equals(torn.kept.get(key)!)).toBe(true)
  })
})
