import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, type FrameSequence, makeAtlas, type PlacedFrame } from '../../atlas/index.ts'
import { packPages } from '../../atlas/packing/packer.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { type BuildCache, createBuildCache } from '../../src/sheets/cache/cache.ts'
import type { BuiltSheets, SheetOptions } from '../../src/sheets/model.ts'
import { makeSheets } from '../../src/sheets/sheet.ts'
import type { FrameSource, SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { digestFolder } from '../e2e/vite-process.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { type Game, openShelf, type Shelf } from '../plugin/world.ts'

// Complaints of users and issue trackers about AssetPack, free-tex-packer, maxrects-packer and spritesmith,
// one by one.

const usual = { maxSize: 2048, padding: 2, border: 1 }

const frame = (name: string, side: number, value: number): FrameSequence['frames'][number] => ({
  name,
  bitmap: createBitmap(side, side, new Uint8Array(side * side * 4).fill(value)),
  durationMs: 80,
})
const sequence = (sprite: string, frames: FrameSequence['frames']): FrameSequence => ({
  name: `${sprite}/walk`,
  sprite,
  frames,
  play: frames.map(({ name }) => name),
  fps: 12,
  loop: true,
  yoyo: false,
  trim: true,
  extrude: 1,
  padding: 2,
  pixelArt: false,
})
const sprite = (name: string, sides: readonly number[], value = 200): FrameSequence =>
  sequence(
    name,
    sides.map((side, at) => frame(`${name}/walk/${String(at).padStart(4, '0')}`, side, value - at)),
  )

/** A bought animation of frames in one colour each. */
async function bought(name: string, shades: readonly number[], spoil: (zip: Uint8Array) => Uint8Array = (zip) => zip): Promise<SheetInput> {
  const frames = shades.map((shade) => createBitmap(24, 20, new Uint8Array(24 * 20 * 4).fill(shade)))
  const zip = spoil((await packDelivery(frames, defaultShapes.names)).zip)
  return inputOf(`/game/${name}.sprite.json`, shades.length, { kind: 'result', sha256: sha256(zip), read: async () => zip })
}

function inputOf(file: string, frames: number, source: FrameSource): SheetInput {
  const animations = { walk: { frames: Math.max(7, frames) } }
  const spec = parseSpec(JSON.stringify({ reference: './x.png', prompt: 'x', animations }), file)
  return { spec, animation: spec.animations[0]!, source }
}

const shades = [10, 40, 70, 100, 130, 160, 190]
const options: SheetOptions = { maxSize: 2048, encodings: ['png'], level: 6, ktx2: 'uastc' }

/** A cache as in projects, on a disk of its own. */
function openCache(): { readonly cache: BuildCache; readonly disk: MemoryDisk } {
  const disk = new MemoryDisk()
  return { disk, cache: createBuildCache({ disk, random: countingRandom(), clock: { wall: () => 0 }, warn: () => {} }, '/cache', 2 ** 30) }
}

const build = (inputs: readonly SheetInput[], cache = openCache().cache): Promise<BuiltSheets> =>
  makeSheets(inputs, 'group', options, { cache, warn: () => {} })

/** Damages the pixels of frame 3 in an archive, so that its checksum does not match. */
function spoilFrame(zip: Uint8Array): Uint8Array {
  const spoilt = zip.slice()
  const at = Buffer.from(spoilt).indexOf('IDAT', Buffer.from(spoilt).indexOf('frame_003'))
  spoilt[at + 8] = (spoilt[at + 8] ?? 0) ^ 255
  return spoilt
}

describe('complaints about packers, which this one must not earn:', () => {
  test('identical frames placed twice (AssetPack): once a page, within an animation and between sprites', () => {
    const same = (name: string): FrameSequence =>
      sequence(
        name,
        [0, 1, 2].map((at) => frame(`${name}/walk/000${at}`, 16, 200)),
      )
    const atlas = makeAtlas('sprites', [same('hero'), same('twin')])
    expect(new Set(atlas.frames.map(({ page, x, y }) => `${page} ${x} ${y}`)).size).toBe(1)
    expect(atlas.frames).toHaveLength(6)
  })

  test('animations split over pages (AssetPack, PixiJS shows half of them): each lies on one', () => {
    const sprites = Array.from({ length: 9 }, (_, index) => sprite(`s${index}`, [20, 20, 20, 20, 20], 255 - index * 9))
    const atlas = makeAtlas('sprites', sprites, { maxSize: 96 })
    expect(atlas.pages.length).toBeGreaterThan(2)
    for (const { name } of sprites) {
      const pages = atlas.frames.filter((placed) => placed.name.startsWith(`${name}/`)).map(({ page }) => page)
      expect([pages.length, new Set(pages).size]).toEqual([5, 1])
    }
  })

  test('extrude that does not copy but fills the ring with an average (free-tex-packer-core#53): each pixel of it is the nearest one of the frame, colour and alpha', () => {
    const side = 6
    const frame: Bitmap = createBitmap(side, side)
    for (let at = 0; at < side * side; at++) frame.data.set([at * 7, 255 - at * 7, (at * 31) % 256, 40 + at * 5], at * 4)
    const walk = { ...sequence('hero', [{ name: 'hero/walk/0000', bitmap: frame, durationMs: 80 }]), extrude: 3, trim: false }
    const { pages, frames } = makeAtlas('sprites', [walk])
    const [placed] = frames as [PlacedFrame]
    const page = pages[0]?.bitmap as Bitmap
    const at = ({ data, width }: Bitmap, x: number, y: number): string => data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4).join()
    const inside = (value: number): number => Math.max(0, Math.min(side - 1, value))
    for (let y = -3; y < side + 3; y++)
      for (let x = -3; x < side + 3; x++) expect(at(page, placed.x + x, placed.y + y), `${x}, ${y}`).toBe(at(frame, inside(x), inside(y)))
    expect(at(page, placed.x - 4, placed.y)).toBe('0,0,0,0')
  })

  test('frames dropped silently where they do not fit (maxrects-packer marks them oversized): an error that names the animation', () => {
    const all = [
      sprite('small', [8]),
      sprite(
        'giant',
        [8, 8, 8].map(() => 70),
      ),
    ]
    expect(() => makeAtlas('sprites', all, { maxSize: 64 })).toThrow(/"giant\/walk" to fit on one page/)
  })

  test('frames dropped silently where one cannot be read (free-tex-packer logs it, AssetPack leaves out the sheet and ends well): an error that names the frame', async () => {
    const error: unknown = await build([await bought('hero', shades), await bought('coin', shades, spoilFrame)]).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'SW_DELIVERY', exitCode: 4, facts: { id: 'coin.walk', entry: 'frames/frame_003.png' } })
  })

  test('frames dropped silently on the way: every frame that was delivered is in the atlas, blank ones and repeated ones too', async () => {
    const { atlases } = await build([await bought('hero', [0, 90, 90, 0, 200, 0, 90])])
    expect(atlases.flatMap(({ frames }) => frames.map(({ name }) => name))).toEqual(shades.map((_, at) => `hero/walk/000${at}`))
    expect(atlases[0]?.animations[0]?.frames).toHaveLength(7)
  })

  test('a page of 2,049 pixels where 2,048 are allowed (AssetPack): border, padding and rings are counted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 64, max: 90 }),
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 0, max: 3 }),
        (maxSize, padding, extrude) => {
          const sprites = Array.from({ length: 12 }, (_, index) => ({ ...sprite(`s${index}`, [17], 250 - index), padding, extrude }))
          for (const { bitmap } of makeAtlas('sprites', sprites, { maxSize }).pages)
            expect(Math.max(bitmap.width, bitmap.height)).toBeLessThanOrEqual(maxSize)
        },
      ),
      { numRuns: 60 },
    )
    const wide = packPages(
      [
        { width: 2046, height: 5 },
        { width: 2046, height: 9 },
      ],
      [{ name: 'a', members: [0, 1] }],
      usual,
    )
    expect(wide[0]?.width).toBe(2048)
  })

  test('three runs, three atlases (AssetPack): the same pixels and places, in whatever order the files come', () => {
    const sprites = Array.from({ length: 10 }, (_, index) => sprite(`s${index}`, [10 + index, 10 + index, 10 + index], 240 - index * 7))
    const runs = [sprites, [...sprites].reverse(), [...sprites.slice(4), ...sprites.slice(0, 4)]].map((order) =>
      makeAtlas('sprites', order),
    )
    expect(runs[1]).toEqual(runs[0])
    expect(runs[2]).toEqual(runs[0])
  })

  test('three runs, three atlases (AssetPack): the same bytes, whichever file is read first', async () => {
    const inputs = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) =>
        bought(
          name,
          shades.map((shade) => shade + at),
        ),
      ),
    )
    const pages: unknown[] = []
    for (const slow of [[], ['a', 'c'], ['b', 'e', 'f']]) {
      const late = inputs.map((input): SheetInput => {
        const { source } = input
        const read = async (): Promise<Uint8Array> => {
          // As many turns as an unlucky thread is late.
          for (let turn = 0; slow.includes(input.spec.name) && turn < 50; turn++) await Promise.resolve()
          return (source as Extract<FrameSource, { kind: 'result' }>).read()
        }
        return { ...input, source: { ...source, read } as FrameSource }
      })
      pages.push((await build(late)).atlases)
    }
    expect(pages[1]).toEqual(pages[0])
    expect(pages[2]).toEqual(pages[0])
  })

  test('one sprite added and every frame moves (all peers): with `earlier`, those that were there stay', () => {
    const sprites = Array.from({ length: 12 }, (_, index) =>
      sprite(
        `s${index}`,
        Array.from({ length: 8 }, () => 20 + index * 2),
        240 - index * 8,
      ),
    )
    const before = makeAtlas('sprites', sprites.slice(1)).frames
    const place = ({ name, page, x, y }: PlacedFrame): string => `${name} ${page} ${x} ${y}`
    const moved = (after: readonly PlacedFrame[]): string[] => {
      const places = new Set(after.map(place))
      return before.map(place).filter((each) => !places.has(each))
    }
    expect(moved(makeAtlas('sprites', sprites, { earlier: before }).frames)).toEqual([])
    expect(moved(makeAtlas('sprites', sprites).frames).length).toBeGreaterThan(44)
  })
})

describe('complaints about caches, which this one must not earn:', () => {
  test('a failure is cached (AssetPack: the second run says nothing and ends well): it fails each time, nothing is kept of it, and once mended it builds', async () => {
    const { cache, disk } = openCache()
    const hero = await bought('hero', shades)
    const whole = await bought('coin', shades)
    const spoilt = await bought('coin', shades, spoilFrame)
    // The same purchase by its build key. The failure under that key must not be reused for it.
    const broken: SheetInput = { ...spoilt, source: { ...whole.source, read: spoilt.source.read } as FrameSource }
    for (let run = 0; run < 3; run++) await expect(build([hero, broken], cache)).rejects.toMatchObject({ code: 'SW_DELIVERY' })
    const left = [...disk.files.keys()]
    expect(await build([hero, whole], cache)).toEqual(await build([hero, whole]))
    // The frames of the other sprite may stay, because it did not fail.
    expect(left.length).toBeLessThanOrEqual(1)
  })

  test('an output is deleted, the cache is kept, and nothing is written (AssetPack#126): whatever is missing or changed is written again', async () => {
    const shelf: Shelf = await openShelf()
    try {
      const game: Game = await shelf.game()
      const buildAndWrite = async (): Promise<unknown> => {
        const workshop = await shelf.workshop(game, { engine: 'phaser', formats: ['godot'] })
        const { sheets } = await workshop.build()
        await workshop.write(sheets, 'out')
        await workshop.close()
        return digestFolder(game.path('out'))
      }
      const first = await buildAndWrite()
      const names = await game.list('out')
      expect(names.length).toBeGreaterThan(4)
      for (const name of names) {
        await game.remove(name)
        expect(await buildAndWrite(), name).toEqual(first)
        await game.write(name, 'changed by hand')
        expect(await buildAndWrite(), name).toEqual(first)
      }
      await game.remove('out')
      expect(await buildAndWrite()).toEqual(first)
    } finally {
      await shelf.close()
    }
  })

  test('keys with paths and times in them (AssetPack: a copied checkout is built anew; imagetools: never a hit in CI): the same sprite elsewhere is found', async () => {
    const { cache } = openCache()
    const { source, ...hero } = await bought('hero', shades)
    const made = await build([{ ...hero, source }], cache)
    const closed: FrameSource = { kind: 'result', sha256: source.sha256, read: () => Promise.reject(new Error('A result was opened.')) }
    const elsewhere = await build([inputOf('/another/checkout/hero.sprite.json', 7, closed)], cache)
    expect(elsewhere.atlases).toEqual(made.atlases)
  })
})
