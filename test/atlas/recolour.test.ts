import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crop } from '../../atlas/bitmap.ts'
import type { FrameSequence } from '../../atlas/frame.ts'
import { createBitmap, makeAtlas } from '../../atlas/index.ts'
import { inWholeBlocks } from '../../atlas/layers/layers.ts'
import { drawNormals } from '../../atlas/layers/normals.ts'
import { createRecolour } from '../../atlas/layers/recolour.ts'
import type { Looks, Page } from '../../atlas/looks.ts'
import { oklabDistance, toOklab } from '../../atlas/pixel/oklab.ts'

type Rgb = readonly [number, number, number]

const hex = (colour: Rgb): string => `#${Buffer.from(colour).toString('hex')}`
const blues: readonly Rgb[] = [
  [28, 47, 122],
  [60, 90, 190],
  [109, 140, 255],
]
const reds: readonly Rgb[] = [
  [122, 28, 28],
  [190, 60, 60],
  [255, 138, 109],
]
const ramp = { from: blues.map(hex), to: reds.map(hex), tolerance: 0.05 }

function recoloured(colour: Rgb, alpha = 255, ramps = [ramp]): readonly number[] {
  return [...createRecolour(ramps)(createBitmap(1, 1, new Uint8Array([...colour, alpha]))).data]
}

const byte = fc.integer({ min: 0, max: 255 })
const colour = fc.tuple(byte, byte, byte)

test('a colour of a ramp becomes the colour in its place, exactly, and keeps its alpha', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(colour, { minLength: 1, maxLength: 6, selector: String }),
      fc.array(colour, { minLength: 6, maxLength: 6 }),
      fc.integer({ min: 1, max: 255 }),
      (from, colours, alpha) => {
        const to = colours.slice(0, from.length)
        const exact = [{ from: from.map(hex), to: to.map(hex), tolerance: 0 }]
        for (const [at, one] of from.entries()) expect(recoloured(one, alpha, exact)).toEqual([...(to[at] ?? []), alpha])
      },
    ),
    { numRuns: 100 },
  )
})

test('a pixel farther from every ramp than twice the tolerance stays, and so does a clear one', () => {
  const path = Array.from({ length: 201 }, (_, at) => at / 100).map((at) => {
    const [a, b] = [toOklab(...blues[Math.floor(at)]!), toOklab(...blues[Math.min(2, Math.floor(at) + 1)]!)]
    return a.map((value, axis) => value + (at % 1) * (b[axis]! - value)) as unknown as ReturnType<typeof toOklab>
  })
  fc.assert(
    fc.property(colour, byte, (one, alpha) => {
      const far = Math.sqrt(Math.min(...path.map((point) => oklabDistance(point, toOklab(...one)))))
      fc.pre(far > 0.101 || alpha === 0)
      expect(recoloured(one, alpha)).toEqual([...one, alpha])
    }),
    { numRuns: 500 },
  )
})

test('a shade between two colours of a ramp becomes a shade between the two in their place', () => {
  const [red, green, blue] = recoloured([45, 69, 158])
  expect(red).toBeGreaterThan(reds[0]![0])
  expect(red).toBeLessThan(reds[1]![0])
  expect(green! + blue!).toBeLessThan(200)
})

test('a list of another length is stretched: its ends stand for the ends', () => {
  const two = [{ ...ramp, to: [hex(reds[0]!), hex(reds[2]!)] }]
  expect(recoloured(blues[0]!, 255, two)).toEqual([...reds[0]!, 255])
  expect(recoloured(blues[2]!, 255, two)).toEqual([...reds[2]!, 255])
  expect(recoloured(blues[1]!, 255, [{ ...ramp, to: ['#102030'] }])).toEqual([16, 32, 48, 255])
})

test('a colour of two ramps follows the nearer one, and the first of equal ones', () => {
  const green = { from: [hex(blues[0]!)], to: ['#00ff00'], tolerance: 0.3 }
  expect(recoloured(blues[2]!, 255, [green, ramp])).toEqual([...reds[2]!, 255])
  expect(recoloured(blues[0]!, 255, [green, ramp])).toEqual([0, 255, 0, 255])
})

test('the move fades out beyond the tolerance, so that soft edges have no step', () => {
  // From the brightest blue towards grey.
  const steps = Array.from({ length: 147 }, (_, at): Rgb => [109 + at, Math.min(255, 140 + at), 255])
  const reds = steps.map((one) => recoloured(one)[0]! - one[0])
  for (let at = 1; at < steps.length; at++) expect(Math.abs(reds[at]! - reds[at - 1]!)).toBeLessThanOrEqual(12)
  expect(reds[0]).toBeGreaterThan(100)
  expect(reds.at(-1)).toBe(0)
})

describe('the layers of an atlas', () => {
  const bitmapOf = (pixel: readonly number[], side: number) =>
    createBitmap(
      side,
      side,
      new Uint8Array(side * side * 4).map((_, at) => pixel[at % 4]!),
    )
  const toRed = { from: ['#0000ff'], to: ['#ff0000'], tolerance: 0 }
  const toGreen = { from: ['#0000ff'], to: ['#00ff00'], tolerance: 0 }
  /** A sprite of one blue picture that fills a page of 64 pixels, or shares one. */
  const sprite = (name: string, side: number, looks?: Looks): FrameSequence => ({
    ...{ name: `${name}/walk`, sprite: name, fps: 12, loop: true, yoyo: false, trim: false, extrude: 0, padding: 2, pixelArt: false },
    ...{ frames: [{ name: `${name}/walk/0`, bitmap: bitmapOf([0, 0, 255, 255], side), durationMs: 80 }], play: [`${name}/walk/0`], looks },
  })
  const normals = { from: 'shape', depth: 20, soften: 0 } as const
  const all = [
    sprite('d', 61, { variants: { red: [toRed], constructor: [toGreen] }, normals }),
    sprite('a', 60),
    sprite('c', 10, { variants: { red: [toGreen] } }),
    sprite('b', 40, { variants: { red: [toRed] } }),
  ]
  /** The size of each page, and the colours on it with their numbers of pixels. */
  const coloursOf = (pages: readonly Page[]): unknown =>
    pages.map(({ index, bitmap: { width, height, data } }) => {
      const counts: Record<string, number> = {}
      for (let at = 0; at < data.length; at += 4) {
        const key = [...data.subarray(at, at + 4)].join()
        counts[key] = (counts[key] ?? 0) + 1
      }
      return { index, width, height, counts }
    })

  const flat = '128,128,255,255'
  const layered = () => makeAtlas('sprites', all, { maxSize: 64, scale: 0.5 })

  test('are one of each variant, by name, of the pages with its sprites, and normal maps of all pages', () => {
    expect(layered().layers?.map(({ pages: _, ...layer }) => layer)).toEqual([
      { kind: 'variant', name: 'constructor', sprites: ['d'], of: [0] },
      { kind: 'variant', name: 'red', sprites: ['b', 'c', 'd'], of: [0, 2] },
      { kind: 'normals', name: 'normals', sprites: ['d'], of: [0, 1, 2] },
    ])
    expect(makeAtlas('sprites', [all[1]!])).not.toHaveProperty('layers')
  })

  test('show each sprite in the colours of its own look, and no other sprite', () => {
    const { frames, layers = [], pages } = layered()
    const [green, red, normalMaps] = layers
    const whole = { index: 0, width: 63, height: 63 }
    expect(coloursOf(pages.slice(0, 1))).toEqual([{ ...whole, counts: { '0,0,0,0': 248, '0,0,255,255': 3721 } }])
    expect(coloursOf(green!.pages)).toEqual([{ ...whole, counts: { '0,0,0,0': 248, '0,255,0,255': 3721 } }])
    expect(coloursOf(red!.pages)).toEqual([
      { ...whole, counts: { '0,0,0,0': 248, '255,0,0,255': 3721 } },
      { index: 1, width: 42, height: 54, counts: { '0,0,0,0': 568, '0,255,0,255': 100, '255,0,0,255': 1600 } },
    ])
    expect(coloursOf(normalMaps!.pages.slice(1))).toEqual([
      { index: 1, width: 62, height: 62, counts: { [flat]: 62 * 62 } },
      { index: 2, width: 42, height: 54, counts: { [flat]: 42 * 54 } },
    ])
    const { x, y } = frames.find(({ name }) => name === 'd/walk/0')!
    const { bitmap } = normalMaps!.pages[0]!
    expect(crop(bitmap, x, y, 61, 61)).toEqual(drawNormals(bitmapOf([0, 0, 255, 255], 61), normals, 0.5))
    expect([...bitmap.data.subarray(0, 4)].join()).toBe(flat)
  })

  test('have sides of whole blocks with their atlas where there are normal maps, which are flat there', () => {
    const atlas = layered()
    const { pages, layers, ...rest } = inWholeBlocks(atlas)
    const sidesOf = (some: readonly Page[]): unknown => some.map(({ index, bitmap }) => [index, bitmap.width, bitmap.height])
    const sides = [
      [0, 64, 64],
      [1, 64, 64],
      [2, 44, 56],
    ]
    expect([pages, ...layers!.map((layer) => layer.pages)].map(sidesOf)).toEqual([
      sides,
      [[0, 64, 64]],
      [
        [0, 64, 64],
        [1, 44, 56],
      ],
      sides,
    ])
    expect([rest, layers!.map(({ pages: _, ...layer }) => layer)]).toEqual([
      { ...atlas, pages: undefined, layers: undefined },
      atlas.layers!.map(({ pages: _, ...layer }) => layer),
    ])
    expect(coloursOf(layers![2]!.pages.slice(2))).toEqual([{ index: 2, width: 44, height: 56, counts: { [flat]: 44 * 56 } }])
    expect(layers![1]!.pages[0]!.bitmap.data.at(-1)).toBe(0)
    const plain = makeAtlas('sprites', [all[3]!])
    expect(inWholeBlocks(plain)).toBe(plain)
  })
})
