import { describe, expect, test } from 'vitest'
import { createBitmap, crop, decodePng, readPage } from '../../atlas/index.ts'
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

/** Pixels of the frames of a sprite, by name. */
function framesOf({ atlases }: BuiltSheets, sprite: string): unknown {
  return atlases.flatMap(({ frames, pages }) => {
    const pictures = pages.map(({ bytes }) => decodePng(bytes))
    return frames.flatMap(({ name, page, x, y, width, height }) =>
      name.startsWith(`${sprite}/`) ? [[name, sha256(crop(pictures[page]!, x, y, width, height).data)]] : [],
    )
  })
}

describe('a build in which one animation has changed', () => {
  test('opens that one, and reads the pixels of those beside it alone', async () => {
    const all = await sprites()
    const cache = memoryCache()
    const before = await make(all, cache)
    opened.length = cache.reads.length = 0
    const after = await make(withOneChanged(all, 's00'), cache, toLayout(before.atlases))
    // What is played of it was kept, in another order.
    expect(opened).toEqual([])
    // Which build was the last, its pages, the one that changed, and those animations that lie in its strips.
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
    expect(opened).toEqual([])
    expect(given(after)).toEqual(given(await make(changed, memoryCache(), toLayout(before.atlases), options)))
    for (const page of after.atlases[0]!.alternates?.[0] ?? [])
      expect((await readPage(page.bytes, 'webp')).data.length).toBe(decodePng(after.atlases[0]!.pages[0]!.bytes).data.length)
  })

  test.each([
    ['another pace and anchor', { animation: { fps: 5, durations: undefined }, spec: { anchor: { x: 0.5, y: 1 } } }, []],
    ['a frame twice, backwards, once', { animation: { use: [4, 3, 3, 0], loop: false, yoyo: true } }, []],
    ['more padding and rings', { spec: { padding: 6, extrude: 2 } }, []],
    ['nothing trimmed', { spec: { trim: false } }, ['s04']],
    ['frames put back', { spec: { stabilize: true } }, ['s04']],
    ['another size', { spec: { size: { width: 50, height: 45 } } }, ['s04']],
    ['an opaque background that was asked for', { spec: { background: 'keep' as const } }, ['s04']],
  ] as const)('is the build of an empty cache, what is known of the frames too: %s', async (_, edit, expected) => {
    const all = await sprites()
    const cache = memoryCache()
    // Few are looked at when they come, and then whenever they are edited.
    await make(all.slice(0, 8), cache)
    const before = await make(all, cache)
    const changed = all.map((input) =>
      input.spec.name === 's04'
        ? {
            ...input,
            spec: { ...input.spec, ...('spec' in edit ? edit.spec : {}) },
            animation: { ...input.animation, ...('animation' in edit ? edit.animation : {}) },
          }
        : input,
    ) as readonly SheetInput[]
    opened.length = 0
    const after = await make(changed, cache, toLayout(before.atlases))
    expect(opened).toEqual(expected)
    const anew = await make(changed, memoryCache(), toLayout(before.atlases))
    expect(given(after)).toEqual(given(anew))
    const alone = changed.filter(({ spec }) => spec.name === 's04')
    const judged = await make(alone, memoryCache())
    expect(after.quality!.filter(({ id }) => id === 's04.walk')).toEqual(judged.quality)
    expect(after.quality).toHaveLength(8)
  })

  test('opens a result where a frame is played that was not kept', async () => {
    const all = await sprites()
    const cache = memoryCache()
    const playing = (use: readonly number[]): readonly SheetInput[] =>
      all.map((input) => (input.spec.name === 's04' ? { ...input, animation: { ...input.animation, use } } : input))
    let before = await make(all, cache)
    for (const [use, expected] of [
      [[4, 3, 0], []],
      [[0, 3], []],
      [[0, 4], ['s04']],
      [[0, 7, 4], ['s04']],
    ] as const) {
      opened.length = 0
      const after = await make(playing(use), cache, toLayout(before.atlases))
      expect(opened).toEqual(expected)
      expect(given(after)).toEqual(given(await make(playing(use), memoryCache(), toLayout(before.atlases))))
      before = after
    }
    await expect(make(playing([8]), cache, toLayout(before.atlases))).rejects.toMatchObject({ code: 'SW_SPEC' })
  })

  test('what no build has looked at is not looked at for an edit, but where it is bought just now', async () => {
    const all = await sprites()
    const cache = memoryCache()
    await make(all, cache)
    const edited = await make(withOneChanged(all, 's00'), cache)
    expect(edited.quality).toEqual([])
    const ports = { cache, warn: () => {}, isJudged: (id: string) => id === 's00.walk' }
    const bought = await makeSheets(withOneChanged(all, 's00'), 'group', { ...stable, level: 7 }, ports)
    expect(bought.quality!.map(({ id }) => id)).toEqual(['s00.walk'])
  })

  test('looks at other frames of a known name, and makes them of no frames that it had', async () => {
    const all = await sprites()
    const cache = memoryCache()
    const before = await make(all, cache)
    const others = await spriteInput(33)
    const retaken = all.map((input) => (input.spec.name === 's00' ? { ...input, source: others.source } : input))
    opened.length = 0
    const after = await make(retaken, cache, toLayout(before.atlases))
    expect(opened).toEqual(['s33'])
    expect(after.quality!.map(({ id }) => id)).toEqual(['s00.walk'])
    expect(given(after)).toEqual(given(await make(retaken, memoryCache(), toLayout(before.atlases))))
  })

  test('a profile that reads results otherwise is asked again', async () => {
    const all = await sprites()
    const cache = memoryCache()
    const by = (isBackwards: boolean, into: MemoryCache, inputs: readonly SheetInput[]): Promise<BuiltSheets> =>
      makeSheets(inputs, 'group', stable, {
        cache: into,
        warn: () => {},
        layout: (entries) => {
          const frames = entries.flatMap(({ name }) => (/frame_\d+\.png$/.test(name) ? [name] : [])).sort()
          return { frames: isBackwards ? frames.reverse() : frames }
        },
      })
    await by(false, cache, all)
    const edited = withOneChanged(all, 's00')
    expect(framesOf(await by(true, cache, edited), 's00')).toEqual(framesOf(await by(true, memoryCache(), edited), 's00'))
  })

  test('a sprite that is made alone keeps nothing of a group of its name from being known', async () => {
    const all = (await sprites({ atlas: 's02' })).slice(0, 12)
    const cache = memoryCache()
    await make(all, cache)
    await makeSheets([all[2]!], 'sprite', stable, { cache, warn: () => {} })
    opened.length = 0
    await make(
      all.map((input) => ({ ...input, animation: { ...input.animation, fps: 3 } })),
      cache,
    )
    expect(opened).toEqual([])
  })

  test('no thread is opened for what need not be read', async () => {
    const some = await sprites()
    const all = Array.from({ length: 160 }, (_, at): SheetInput => {
      const { spec, ...input } = some[at % 30]!
      return { ...input, spec: { ...spec, name: `n${at}`, file: `/game/n${at}.sprite.json` } }
    })
    const cache = memoryCache()
    let threads = 0
    const ports = {
      cache,
      warn: () => {},
      openDecoder: () => {
        threads++
        return { isAlive: false, decode: async () => undefined, close: async () => {} }
      },
    }
    await makeSheets(all, 'group', stable, ports)
    expect(threads).toBe(1)
    await makeSheets(
      all.map((input) => ({ ...input, animation: { ...input.animation, fps: 3 } })),
      'group',
      stable,
      ports,
    )
    expect(threads).toBe(1)
  })

  test('what is known of frames is told on where only their pace is another, however many were edited', async () => {
    const all = (await sprites()).slice(0, 12)
    const cache = memoryCache()
    // Few enough to be looked at.
    for (const at of [0, 6]) await make(all.slice(0, at + 6), cache)
    const known = await make(all, cache)
    expect(known.quality!.length).toBeGreaterThan(8)
    const faster = all.map((input) => ({ ...input, animation: { ...input.animation, fps: 20 } }))
    opened.length = 0
    expect((await make(faster, cache)).quality).toEqual(known.quality)
    expect(opened).toEqual([])
    const once = all.map((input) => ({ ...input, animation: { ...input.animation, loop: false } }))
    expect((await make(once, cache)).quality).toEqual([])
    expect(opened).toEqual([])
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
    // Which build was the last, and its pages; what the one that changed was before, and those beside it.
    const [, own = '', , ...drawn] = complete.reads
    // As a cache is that finds another digest: there, and not to be read.
    const torn = memoryCache(cache)
    const read = torn.read
    const isTorn = new Set([own, ...drawn])
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
    expect(opened.length).toBe(drawn.length + 1)
    expect([...isTorn]).toEqual([own])
    for (const key of drawn) expect(Buffer.from(cache.kept.get(key)!).equals(torn.kept.get(key)!)).toBe(true)
  })
})
