import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Atlas, makeAtlas } from '../../atlas/atlas.ts'
import { type Bitmap, blit, createBitmap, crop } from '../../atlas/bitmap.ts'
import { frames as framesFormat } from '../../atlas/formats/shared/frames.ts'
import type { FrameSequence } from '../../atlas/frame.ts'
import type { PlacedFrame } from '../../atlas/frames/placed-frame.ts'
import { scaleSequence } from '../../atlas/frames/scale.ts'
import { withOutlines } from '../../atlas/outlines.ts'
import { decodePng } from '../../atlas/png/read.ts'
import { alignSequences, sharedUnit, shrinkAtlas } from '../../atlas/variants.ts'
import { byLevel } from '../level.ts'
import { painting } from './formats/project.ts'

/**
 * The page's pixels at a frame's place, turned back by the definition: clockwise on the page, its left edge
 * is on top.
 */
function upright(page: Bitmap, { x, y, width, height, isTurned = false }: PlacedFrame): Bitmap {
  if (!isTurned) return crop(page, x, y, width, height)
  const bitmap = createBitmap(width, height)
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const from = ((y + column) * page.width + x + height - 1 - row) * 4
      bitmap.data.set(page.data.subarray(from, from + 4), (row * width + column) * 4)
    }
  return bitmap
}

function restored(atlas: Atlas, frame: PlacedFrame): Bitmap {
  const whole = createBitmap(frame.sourceWidth, frame.sourceHeight)
  blit(whole, upright(atlas.pages[frame.page]!.bitmap, frame), frame.offsetX, frame.offsetY)
  return whole
}

function expectWhole(atlas: Atlas, sequences: readonly FrameSequence[]): void {
  const pictures = new Map(sequences.flatMap(({ frames }) => frames.map(({ name, bitmap }) => [name, bitmap] as const)))
  for (const frame of atlas.frames) expect(restored(atlas, frame), frame.name).toEqual(pictures.get(frame.name))
}

const turnedIn = (atlas: Atlas): readonly string[] => atlas.frames.flatMap(({ name, isTurned }) => (isTurned ? [name] : []))

/** Wide and tall frames, which fill a page well if all of them are wide. */
const mixed = (): FrameSequence[] => [
  painting('a/walk', { width: 100, height: 14, trim: false }),
  painting('b/walk', { width: 14, height: 100, trim: false }),
  painting('c/walk', { width: 30, height: 90 }),
]

describe('turned frames', () => {
  test('come back pixel by pixel, in a smaller area than upright ones, which stay so where turning gains nothing', () => {
    const sequences = mixed()
    const areaOf = (atlas: Atlas): number => atlas.pages.reduce((sum, { bitmap }) => sum + bitmap.width * bitmap.height, 0)
    const [flat, atlas] = [makeAtlas('sprites', sequences), makeAtlas('sprites', sequences, { rotate: true })]
    expectWhole(atlas, sequences)
    expect(turnedIn(flat)).toEqual([])
    expect(turnedIn(atlas).length).toBeGreaterThan(0)
    expect(areaOf(atlas)).toBeLessThan(areaOf(flat))
    const alike = [painting('a/walk', { trim: false, count: 4 })]
    expect(makeAtlas('sprites', alike, { rotate: true })).toEqual(makeAtlas('sprites', alike))
  })

  test('of any kind come back pixel by pixel, with rings that repeat their edges', () => {
    const side = fc.integer({ min: 1, max: 50 })
    const sequence = (index: number): fc.Arbitrary<FrameSequence> =>
      fc
        .record({
          width: side,
          height: side,
          count: fc.integer({ min: 1, max: 4 }),
          trim: fc.boolean(),
          extrude: fc.integer({ min: 0, max: 2 }),
        })
        .map((more) => painting(`s${index}/walk`, { ...more, padding: 1 }))
    const all = fc.integer({ min: 2, max: 5 }).chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => sequence(index))))
    fc.assert(
      fc.property(all, (sequences) => {
        const atlas = makeAtlas('sprites', sequences, { rotate: true, maxSize: 256 })
        expectWhole(atlas, sequences)
        for (const frame of atlas.frames) {
          const extrude = sequences.find(({ frames }) => frames.some(({ name }) => name === frame.name))!.extrude
          const page = atlas.pages[frame.page]!.bitmap
          const own = upright(page, frame)
          const ringed = upright(page, {
            ...frame,
            x: frame.x - extrude,
            y: frame.y - extrude,
            width: frame.width + 2 * extrude,
            height: frame.height + 2 * extrude,
          })
          const near = (at: number, length: number): number => Math.min(Math.max(at - extrude, 0), length - 1)
          for (let y = 0; y < ringed.height; y++)
            for (let x = 0; x < ringed.width; x++) {
              const [to, from] = [(y * ringed.width + x) * 4, (near(y, own.height) * own.width + near(x, own.width)) * 4]
              expect(ringed.data.subarray(to, to + 4)).toEqual(own.data.subarray(from, from + 4))
            }
        }
      }),
      { numRuns: byLevel({ quick: 3, full: 6, long: 15 }) },
    )
  })

  test('stay where they were, turned, and are turned back where that is wanted no more', () => {
    const sequences = mixed()
    const before = makeAtlas('sprites', sequences, { rotate: true })
    const more = [...sequences, painting('d/walk', { width: 12, height: 9, count: 1 })]
    const after = makeAtlas('sprites', more, { rotate: true, earlier: before.frames })
    expectWhole(after, more)
    const placeOf = (atlas: Atlas): unknown => atlas.frames.filter(({ name }) => !name.startsWith('d/'))
    expect(placeOf(after)).toEqual(placeOf(before))
    const flat = makeAtlas('sprites', more, { earlier: before.frames })
    expect(turnedIn(flat)).toEqual([])
    expectWhole(flat, more)
  })

  test('are turned at every scale of a shared layout', async () => {
    const scales = [1, 0.5]
    const aligned = alignSequences(mixed(), scales, sharedUnit(scales)!)
    const large = makeAtlas('sprites', aligned, { rotate: true, align: 2 })
    const halves = await Promise.all(aligned.map((one) => scaleSequence(one, 0.5)))
    const small = shrinkAtlas(large, halves, 0.5)
    expect(turnedIn(small)).toEqual(turnedIn(large))
    expect(turnedIn(small).length).toBeGreaterThan(0)
    expectWhole(large, aligned)
    const pictures = new Map(halves.flatMap(({ frames }) => frames.map(({ name, bitmap }) => [name, bitmap] as const)))
    for (const frame of small.frames) {
      const [own, wanted] = [restored(small, frame), pictures.get(frame.name)!]
      for (let at = 0; at < own.data.length; at += 4)
        if (wanted.data[at + 3]! > 12) expect(own.data.subarray(at, at + 4), frame.name).toEqual(wanted.data.subarray(at, at + 4))
    }
  })

  test('leave sprites upright that an engine slices, and all that share their pages', () => {
    const borders = { left: 2, top: 2, right: 2, bottom: 2 }
    expect(turnedIn(makeAtlas('sprites', [...mixed(), painting('x/panel', { borders })], { rotate: true }))).toEqual([])
  })

  test('have the outlines of upright ones, and are cut upright by formats that make pictures of their own', () => {
    const sequences = mixed()
    const [flat, atlas] = [false, true].map((rotate) => withOutlines(makeAtlas('sprites', sequences, { rotate }), 8)) as [Atlas, Atlas]
    expect(atlas.frames.map(({ hull }) => hull)).toEqual(flat.frames.map(({ hull }) => hull))
    const files = framesFormat.write([{ atlas, pages: [] }])
    for (const { frames } of sequences)
      for (const { name, bitmap } of frames) expect(decodePng(files.find(({ file }) => file === `${name}.png`)!.bytes)).toEqual(bitmap)
  })
})
