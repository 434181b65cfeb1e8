import { describe, expect, test } from 'vitest'
import { createBitmap, crop, decodePng, readPage } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { SheetMemory } from '../../src/sheets/group.ts'
import { type Layout, toLayout } from '../../src/sheets/layout.ts'
import type { BuiltSheets } from '../../src/sheets/model.ts'
import { makeSheets, type SheetOptions } from '../../src/sheets/sheet.ts'
import type { SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { type MemoryCache, memoryCache } from './memory-cache.ts'

const stable: SheetOptions = { maxSize: 2048, encodings: ['png'], level: 6, ktx2: 'uastc', stable: true }
const opened: string[] = []

/** Results are made once, because making them takes a quarter of the time of these tests. */
const results = new Map<number, Promise<Uint8Array>>()

/** The result of a sprite: eight frames of noise. */
async function makeResult(at: number): Promise<Uint8Array> {
  const frames = Array.from({ length: 8 }, (_, index) => {
    const frame = createBitmap(40 + (at % 7), 36 + (at % 5))
    for (let i = 0; i < frame.data.length; i++) frame.data[i] = (i * 31 + at * 7 + index * 13) % 251
    return frame
  })
  return (await packDelivery(frames, defaultShapes.names)).zip
}

async function spriteInput(at: number, fields: object = {}): Promise<SheetInput> {
  const making = results.get(at) ?? makeResult(at)
  results.set(at, making)
  const zip = await making
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

/** A build checks the quality of at most eight new animations. Of these, nine are more than eight. */
const many = 17

const sprites = (fields?: object): Promise<readonly SheetInput[]> =>
  Promise.all(Array.from({ length: many }, (_, at) => spriteInput(at, fields)))

/** The same inputs, but one sprite has only seven of its eight frames. */
const withOneChanged = (all: readonly SheetInput[], name: string): readonly SheetInput[] =>
  all.map((input) => (input.spec.name === name ? { ...input, animation: { ...input.animation, use: [0, 1, 2, 3, 4, 5, 6] } } : input))

const make = (inputs: readonly SheetInput[], cache: MemoryCache, earlier?: Layout, options = stable): Promise<BuiltSheets> =>
  makeSheets(inputs, 'group', options, { cache, earlier, warn: () => {} })

/** The part of the sheets that a game gets. */
const given = ({ atlases }: BuiltSheets): unknown =>
  atlases.map(({ frames, animations, pages, alternates = [] }) => ({
    frames,
    animations,
    pages: [pages, ...alternates].map((list) => list.map(({ sha256: digest }) => digest)),
  }))

/** Hashes of the pixels of a sprite's frames, by name. */
function framesOf({ atlases }: BuiltSheets, sprite: string): unknown {
  return atlases.flatMap(({ frames, pages }) => {
    const pictures = pages.map(({ bytes }) => decodePng(bytes))
    return frames.flatMap(({ name, page, x, y, width, height }) =>
      name.startsWith(`${sprite}/`) ? [[name, sha256(crop(pictures[page]!, x, y, width, height).data)]] : [],
    )
  })
}

describe('a build in which one animation has changed', () => {
  test('opens that one, and gives the bytes of a build that opens all', async () => {
    const all = await sprites()
    const cache = memoryCache()
    const before = await make(all, cache)
    opened.length = cache.reads.length = 0
    const changed = withOneChanged(all, 's00')
    const after = await make(changed, cache, toLayout(before.atlases))
    expect(opened).toEqual(['s00'])
    // The frames of the other sprites.
    expect(cache.reads.length).toBe(many - 1)
    expect(given(after)).toEqual(given(await make(changed, memoryCache(), toLayout(before.atlases))))
  })

  test('opens nothing and compresses nothing if only its pace has changed', async () => {
    const all = await sprites()
    const cache = memoryCache()
    const before = await make(all, cache)
    const size = cache.kept.size
    const faster = all.map((input) => ({ ...input, animation: { ...input.animation, fps: 3, durations: [9, 9, 9, 9, 9, 9, 9, 8] } }))
    opened.length = cache.reads.length = 0
    const after = await make(faster, cache)
    expect(opened).toEqual([])
    expect(cache.reads).toHaveLength(1)
    expect(cache.kept.size).toBe(size)
    expect(after.atlases[0]!.pages).toEqual(before.atlases[0]!.pages)
    expect(given(after)).toEqual(given(await make(faster, memoryCache())))
    expect(after.atlases[0]!.animations[0]).toMatchObject({
      fps: 3,
      frames: expect.arrayContaining([{ name: 's00/walk/0007', durationMs: 8 }]),
    })
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

  test.each([
    ['another pace and anchor', { animation: { fps: 5, durations: undefined }, spec: { anchor: { x: 0.5, y: 1 } } }, []],
    ['a frame twice, backwards, once', { animation: { use: [4, 3, 3, 0], loop: false, yoyo: true } }, ['s04']],
    ['more padding and rings', { spec: { padding: 6, extrude: 2 } }, []],
    ['nothing trimmed', { spec: { trim: false } }, ['s04']],
    ['frames put back', { spec: { stabilize: true } }, ['s04']],
    ['another size', { spec: { size: { kind: 'box' as const, width: 20, height: 18 } } }, ['s04']],
    ['a figure of another size', { spec: { size: { kind: 'figure' as const, px: 12 } } }, ['s04']],
    ['frames put back, and another anchor', { spec: { stabilize: true, anchor: { x: 0.5, y: 1 } } }, ['s04']],
    ['smaller scales', { spec: { scales: [1, 0.5] } }, []],
    ['an opaque background that was asked for', { spec: { background: 'keep' as const } }, ['s04']],
  ] as const)('is the build of an empty cache, what is known of the frames too: %s', async (_, edit, expected) => {
    const all = await sprites()
    const cache = memoryCache()
    // A build checks few new animations at once, and afterwards each of them when it is edited.
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

  test('a frame that was not delivered is refused, whatever is cached', async () => {
    const all = await sprites()
    const cache = memoryCache()
    await make(all, cache)
    const beyond = all.map((input) => ({ ...input, animation: { ...input.animation, use: [8] } }))
    await expect(make(beyond, cache)).rejects.toMatchObject({ code: 'SW_SPEC' })
  })

  test('is not checked for its quality if many are opened with it, but if it was bought just now', async () => {
    const all = await sprites()
    const cache = memoryCache()
    expect((await make(all, cache)).quality).toEqual([])
    const ports = { cache, warn: () => {}, isJudged: (id: string) => id === 's00.walk' }
    opened.length = 0
    const bought = await makeSheets(all, 'group', { ...stable, level: 7 }, ports)
    expect(bought.quality!.map(({ id }) => id)).toEqual(['s00.walk'])
    expect(opened).toEqual(['s00'])
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

  test('has the quality that is known of it if only its pace has changed, however many were edited', async () => {
    const all = (await sprites()).slice(0, 12)
    const cache = memoryCache()
    // Few enough to be checked.
    for (const at of [0, 6]) await make(all.slice(0, at + 6), cache)
    const known = await make(all, cache)
    expect(known.quality!.length).toBeGreaterThan(8)
    const faster = all.map((input) => ({ ...input, animation: { ...input.animation, fps: 20 } }))
    opened.length = 0
    expect((await make(faster, cache)).quality).toEqual(known.quality)
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

  test('opens what is missing or damaged in the cache, and caches it anew', async () => {
    const all = await sprites()
    const cache = memoryCache()
    const before = await make(all, cache)
    const frames = [...cache.kept.keys()].slice(0, many)
    const changed = withOneChanged(all, 's00')
    const anew = await make(changed, memoryCache(), toLayout(before.atlases))
    const torn = memoryCache(cache)
    torn.kept.delete(frames[3]!)
    torn.kept.set(frames[5]!, torn.kept.get(frames[5]!)!.slice(0, -1))
    torn.kept.set(frames[7]!, new Uint8Array())
    opened.length = 0
    expect(given(await make(changed, torn, toLayout(before.atlases)))).toEqual(given(anew))
    expect(opened).toEqual(['s00', 's03', 's05', 's07'])
    for (const key of frames) expect(Buffer.compare(torn.kept.get(key)!.slice(-9000), cache.kept.get(key)!.slice(-9000))).toBe(0)
  })
})

test('a group that has not changed is the very same object for a dev server, and its pages are if only its pace has', async () => {
  const all = (await sprites()).slice(0, 2)
  const memory: SheetMemory = new Map()
  const show = (inputs: readonly SheetInput[]): Promise<BuiltSheets> =>
    makeSheets(inputs, 'sprite', stable, { cache: memoryCache(), warn: () => {}, memory })
  const [hero, coin] = (await show(all)).atlases
  const [same, paced] = (await show(all.map((input, at) => (at === 1 ? { ...input, animation: { ...input.animation, fps: 3 } } : input))))
    .atlases
  expect(same).toBe(hero)
  expect(paced).not.toBe(coin)
  expect(paced!.pages).toBe(coin!.pages)
  const durations = Array.from({ length: 8 }, (_, index) => 40 + index)
  const [, own] = (
    await show(all.map((input, at) => (at === 1 ? { ...input, animation: { ...input.animation, fps: 3, durations } } : input)))
  ).atlases
  expect(own).not.toBe(paced)
  expect(own!.pages).toBe(coin!.pages)
  const [still, other] = (await show([all[0]!, { ...all[1]!, spec: { ...all[1]!.spec, padding: 9 } }])).atlases
  expect(still).toBe(hero)
  expect(other!.pages).not.toBe(coin!.pages)
})
