import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, crop } from '../../atlas/bitmap.ts'
import { weighPage } from '../../atlas/encode/weight.ts'
import { makeAtlas } from '../../atlas/index.ts'
import { type PackedPage, packPages } from '../../atlas/packing/packer.ts'
import { layOut } from '../../src/sheets/pack-group.ts'
import { expectSound, packings } from './packings.ts'

/** Opaque pixels, nearly all different. */
function noise(width: number, height: number, seed: number): Bitmap {
  let state = seed
  const pixels = Uint32Array.from({ length: width * height }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state | 0xff000000
  })
  return createBitmap(width, height, new Uint8Array(pixels.buffer))
}

/** A weight that has nothing to do with area. */
function weigh({ positions }: PackedPage): number {
  let sum = 0
  for (const [index, { x, y, isTurned }] of positions) sum += (((index + 1) * (17 * x + 31 * y)) % 101) + (isTurned ? 5 : 0)
  return sum
}

const total = (pages: readonly PackedPage[]): number => pages.reduce((sum, page) => sum + weigh(page), 0)

const looks = {
  sprite: 'hero',
  fps: 12,
  loop: true,
  yoyo: false,
  trim: true,
  extrude: 1,
  padding: 2,
  pixelArt: false,
} as const

describe('packing by weight', () => {
  test('each page is sound, no heavier than the smallest one, and at most 3 % larger', () => {
    fc.assert(
      fc.property(packings, (packing) => {
        const { sizes, groups } = packing
        const options = { ...packing.options, canTurn: false }
        const smallest = packPages(sizes, groups, options)
        const light = packPages(sizes, groups, { ...options, weigh })
        expectSound(light, { ...packing, options })
        expect(light.map((page) => page.groups)).toEqual(smallest.map((page) => page.groups))
        for (const [at, page] of light.entries()) {
          const other = smallest[at]!
          expect(weigh(page)).toBeLessThanOrEqual(weigh(other))
          expect(page.width * page.height).toBeLessThanOrEqual(1.03 * other.width * other.height)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('rectangles are turned only for a lighter page, or for fewer', () => {
    fc.assert(
      fc.property(packings, ({ sizes, groups, options }) => {
        const upright = packPages(sizes, groups, { ...options, canTurn: false, weigh })
        const turned = packPages(sizes, groups, { ...options, canTurn: true, weigh })
        if (turned.length === upright.length) expect(total(turned)).toBeLessThanOrEqual(total(upright))
        else expect(turned.length).toBeLessThan(upright.length)
      }),
      { numRuns: 20 },
    )
  })

  test('the same pages are packed again, also beside themselves', () => {
    fc.assert(
      fc.property(packings, ({ sizes, groups, options }) => {
        const light = packPages(sizes, groups, { ...options, weigh })
        expect(packPages(sizes, groups, { ...options, weigh })).toEqual(light)
        expect(packPages(sizes, groups, { ...options, weigh }, light).map((page) => page.positions)).toEqual(
          light.map((page) => page.positions),
        )
      }),
      { numRuns: 10 },
    )
  })

  const sequences = [5, 1, 4, 3, 2].map((sides, at) => {
    const picture = noise(20 + sides, 40 + 3 * sides, at)
    const name = `hero/act${at}`
    const frames = [0, 1, 2, 3, 4, 5].map((cut) => ({
      name: `${name}/${cut}`,
      canvas: { x: 0, y: cut, width: picture.width, height: picture.height },
      bitmap: crop(picture, 0, cut, picture.width - (cut % 2), picture.height - cut),
      durationMs: 80,
    }))
    const play = frames.map((frame) => frame.name)
    return { ...looks, name, frames, play }
  })

  test('an atlas of the best effort is lighter than a fast one, and as dense within 3 %', () => {
    const [fast, best] = (['fast', 'best'] as const).map((effort) => makeAtlas('sprites', sequences, { effort }).pages[0]!.bitmap)
    expect(weighPage(best!)).toBeLessThan(weighPage(fast!))
    expect(best!.width * best!.height).toBeLessThanOrEqual(1.03 * fast!.width * fast!.height)
  })

  test('scales that share a layout get the lighter one of the best effort', async () => {
    const whole = sequences.map((sequence) => ({
      ...sequence,
      frames: sequence.frames.map(({ canvas, bitmap, ...frame }) => {
        const picture = createBitmap(canvas.width, canvas.height)
        blit(picture, bitmap, 0, canvas.y)
        return { ...frame, bitmap: picture }
      }),
    }))
    const pageOf = async (effort?: 'best'): Promise<Bitmap> => {
      const [largest] = await layOut('sprites', whole, [1, 0.5], { maxSize: 2048, rotate: false, effort })
      return largest!.pages[0]!.bitmap
    }
    expect(weighPage(await pageOf('best'))).toBeLessThan(weighPage(await pageOf()))
  })
})

describe('the weight of a page', () => {
  const picture = noise(16, 16, 1)
  const pageOf = (width: number, height: number, ...places: readonly (readonly [number, number])[]): Bitmap => {
    const page = createBitmap(width, height)
    for (const [x, y] of places) blit(page, picture, x, y)
    return page
  }

  test('a clear page weighs nothing, and noise nearly all of its pixels', () => {
    expect(weighPage(createBitmap(64, 64))).toBe(0)
    expect(weighPage(picture)).toBeGreaterThan(250)
  })

  test('a picture beside its equal weighs little, and as much again beyond the window of zlib', () => {
    const one = weighPage(pageOf(2000, 40, [0, 0]))
    const near = weighPage(pageOf(2000, 40, [0, 0], [20, 0]))
    const far = weighPage(pageOf(2000, 40, [0, 0], [0, 20]))
    expect(near).toBeLessThan(1.1 * one)
    expect(far).toBeGreaterThan(1.9 * one)
  })
})
