import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, decodePng, resize } from '../../atlas/index.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { Overrides } from '../../src/sheets/overrides/overrides.ts'
import { makeSheets } from '../../src/sheets/sheet.ts'
import type { FrameSource, SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { createChance } from '../fuzz/chance.ts'
import { figurePng } from '../kit/project.ts'
import { type MemoryCache, memoryCache } from './memory-cache.ts'

const factor = 8

/** Art of 16 by 16 pixels, enlarged to 128. */
async function largeArt(seed: number): Promise<Bitmap> {
  const { under } = createChance(seed)
  const art = createBitmap(16, 16)
  for (let at = 0; at < art.data.length; at += 4)
    art.data.set(under(3) === 0 ? [0, 0, 0, 0] : [under(256), under(256), under(256), 255], at)
  return resize(art, 16 * factor, 16 * factor, 'nearest')
}

const drawn = (seed: number): FrameSource => ({
  kind: 'own',
  sha256: `art ${seed}`,
  read: async () => [await largeArt(seed), await largeArt(seed + 1)],
})
const placeholder: FrameSource = { kind: 'placeholder', sha256: 'p', read: async () => figurePng(), prompt: 'x', isMarked: true }

function inputsOf(pixelArt: unknown, sources: readonly FrameSource[], more: object = {}): readonly SheetInput[] {
  const animations = Object.fromEntries(sources.map((_, at) => [`a${at}`, { frames: 7, use: [0, 1] }]))
  const spec = parseSpec(
    JSON.stringify({ reference: './hero.png', prompt: 'x', pixelArt, trim: false, ...more, animations }),
    '/game/hero.sprite.json',
  )
  const peers: SheetInput[] = []
  const inputs = sources.map((source, at): SheetInput => ({ spec, animation: spec.animations[at]!, source, peers }))
  peers.push(...inputs.filter(({ source }) => source.kind !== 'placeholder'))
  return inputs
}

async function build(
  inputs: readonly SheetInput[],
  cache: MemoryCache = memoryCache(),
  onOverrideFault?: (fault: SpritewrightError) => void,
) {
  const warnings: string[] = []
  const sheets = await makeSheets(
    inputs,
    'sprite',
    { maxSize: 1024, encodings: ['png'], level: 6, ktx2: 'uastc' },
    { cache, warn: (text) => warnings.push(text), onOverrideFault },
  )
  const [atlas] = sheets.atlases
  return { atlas: atlas!, page: decodePng(atlas!.pages[0]!.bytes), warnings }
}

const coloursOf = ({ data }: Bitmap): Set<number> => new Set(new Uint32Array(data.buffer, data.byteOffset, data.length / 4))

describe('pixelArt with a grid and a palette', () => {
  test('makes one pixel of each cell, in every animation and in a placeholder, and sizes count from there', async () => {
    const { atlas } = await build(inputsOf({ grid: 'find' }, [drawn(1), drawn(5), placeholder]))
    expect(
      new Set(
        atlas.frames.filter(({ name }) => !name.startsWith('hero/a2')).map((frame) => `${frame.sourceWidth} × ${frame.sourceHeight}`),
      ),
    ).toEqual(new Set(['16 × 16']))
    const delivered = (await build(inputsOf(true, [placeholder]))).atlas.frames[0]!
    const stand = atlas.frames.find(({ name }) => name.startsWith('hero/a2'))!
    expect(stand.sourceWidth).toBe(Math.round(delivered.sourceWidth / factor))
    const doubled = await build(inputsOf({ grid: 'find' }, [drawn(1)], { size: 32 }))
    expect(doubled.atlas.frames[0]).toMatchObject({ sourceWidth: 32, sourceHeight: 32 })
  })

  test('gives all animations of a sprite the colours of one palette', async () => {
    const { page } = await build(inputsOf({ grid: 8, palette: 6, alpha: 'hard' }, [drawn(1), drawn(5)]))
    expect([...coloursOf(page)].filter((colour) => colour !== 0).length).toBeLessThanOrEqual(6)
  })

  test('a build from the cache equals the first one, and an animation that changes makes the others again', async () => {
    const cache = memoryCache()
    const first = await build(inputsOf({ palette: 4 }, [drawn(1), drawn(5)]), cache)
    const entries = cache.kept.size
    expect((await build(inputsOf({ palette: 4 }, [drawn(1), drawn(5)]), cache)).atlas).toEqual(first.atlas)
    expect(cache.kept.size).toBe(entries)
    const changed = await build(inputsOf({ palette: 4 }, [drawn(1), drawn(9)]), cache)
    expect(changed.atlas).toEqual((await build(inputsOf({ palette: 4 }, [drawn(1), drawn(9)]))).atlas)
  })

  test('without a measure, an animation that changes leaves the others alone', async () => {
    const cache = memoryCache()
    await build(inputsOf({ alpha: 'hard' }, [drawn(1), drawn(5)]), cache)
    const before = new Set(cache.kept.keys())
    await build(inputsOf({ alpha: 'hard' }, [drawn(1), drawn(9)]), cache)
    // The changed animation and the pages.
    expect([...cache.kept.keys()].filter((key) => !before.has(key))).toHaveLength(2)
  })

  test('warns once, in words, if the frames have no grid, and keeps their pixels', async () => {
    const blank: FrameSource = { kind: 'own', sha256: 'blank', read: async () => [createBitmap(40, 40), createBitmap(40, 40)] }
    const { atlas, warnings } = await build(inputsOf({ grid: 'find' }, [blank, blank]))
    expect(warnings).toEqual([expect.stringContaining('found no regular grid')])
    expect(atlas.frames[0]).toMatchObject({ sourceWidth: 40, sourceHeight: 40 })
  })
})

test('a touched-up frame that does not fit is told, and the pixels of the sprite are then measured without it', async () => {
  const names = { frame: (index: number) => `frames/frame_${index}.png`, sheet: 'sheet.png', atlas: 'atlas.json', preview: 'preview.gif' }
  const { zip } = await packDelivery(Array<Bitmap>(7).fill(await largeArt(1)), names)
  const source: FrameSource = { kind: 'result', sha256: sha256(zip), read: async () => zip }
  const fault = new SpritewrightError('SW_OVERRIDE', { message: 'Expected another size.', facts: {} })
  const overrides: Overrides = { key: [[0, 'a', null]], read: () => Promise.reject(fault) }
  const peers: SheetInput[] = []
  peers.push(...inputsOf({ grid: 'find' }, [source, source]).map((input, at) => ({ ...input, peers, ...(at === 0 ? { overrides } : {}) })))
  const told: unknown[] = []
  const { atlas } = await build(peers, memoryCache(), (error) => told.push(error))
  expect(told).toEqual([fault])
  expect(new Set(atlas.frames.map(({ sourceWidth }) => sourceWidth))).toEqual(new Set([16]))
  await expect(build(peers)).rejects.toBe(fault)
})
