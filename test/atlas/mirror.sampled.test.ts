import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Atlas,
  alignSequences,
  cutSequence,
  type FrameSequence,
  makeAtlas,
  scaleSequence,
  sharedUnit,
  shrinkAtlas,
} from '../../atlas/index.ts'
import { drawArt } from '../e2e/random-case.ts'
import { byLevel } from '../level.ts'

const numRuns = byLevel({ quick: 20, full: 300, long: 5000 })

const sequences: fc.Arbitrary<FrameSequence> = fc
  .record({
    width: fc.integer({ min: 1, max: 30 }),
    height: fc.integer({ min: 1, max: 30 }),
    kinds: fc.array(fc.constantFrom('disc', 'box', 'noise', 'dot', 'blank'), { minLength: 1, maxLength: 4 }),
    anchor: fc.option(fc.record({ x: fc.constantFrom(0, 0.25, 0.5, 0.8), y: fc.constantFrom(0, 1) }), { nil: undefined }),
    borders: fc.option(fc.constant({ left: 3, top: 1, right: 5, bottom: 2 }), { nil: undefined }),
    trim: fc.boolean(),
  })
  .map(({ width, height, kinds, anchor, borders, trim }) => ({
    name: 'hero/right',
    sprite: 'hero',
    frames: kinds.map((kind, seed) => ({ name: `hero/right/000${seed}`, bitmap: drawArt({ kind, seed }, width, height), durationMs: 100 })),
    play: kinds.map((_, seed) => `hero/right/000${kinds.length - 1 - seed}`),
    fps: 10,
    loop: true,
    yoyo: false,
    ...(anchor ? { anchor } : {}),
    ...(borders ? { borders } : {}),
    trim,
    extrude: 1,
    padding: 2,
    pixelArt: false,
    mirrors: ['hero/left'],
  }))

/** The visible pixels of a frame in its untrimmed size, by `x y`, read from its page. */
function shown({ frames, pages }: Atlas, name: string): ReadonlyMap<string, string> {
  const { page, x, y, width, height, offsetX, offsetY, isTurned = false } = frames.find((frame) => frame.name === name)!
  const { data, width: across } = pages[page]!.bitmap
  const pixels = new Map<string, string>()
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      // A turned frame has its upper left corner at its upper right.
      const [px, py] = isTurned ? [x + height - 1 - row, y + column] : [x + column, y + row]
      const at = (py * across + px) * 4
      if (data[at + 3] !== 0) pixels.set(`${offsetX + column} ${offsetY + row}`, data.subarray(at, at + 4).join())
    }
  return pixels
}

function mirrored(pixels: ReadonlyMap<string, string>, width: number): ReadonlyMap<string, string> {
  return new Map(
    [...pixels].map(([place, colour]) => {
      const [x, y] = place.split(' ').map(Number) as [number, number]
      return [`${width - 1 - x} ${y}`, colour] as const
    }),
  )
}

function expectMirrored(atlas: Atlas): void {
  for (const frame of atlas.frames.filter(({ name }) => name.startsWith('hero/right/'))) {
    const image = atlas.frames.find(({ name }) => name === frame.name.replace('right', 'left'))!
    expect(shown(atlas, image.name)).toEqual(mirrored(shown(atlas, frame.name), frame.sourceWidth))
    expect([image.sourceWidth, image.sourceHeight]).toEqual([frame.sourceWidth, frame.sourceHeight])
    expect(image.anchor).toEqual(frame.anchor && { x: 1 - frame.anchor.x, y: frame.anchor.y })
    expect(image.borders).toEqual(frame.borders && { ...frame.borders, left: frame.borders.right, right: frame.borders.left })
  }
}

test('a mirror image has every pixel of its source at the mirrored place, trimmed, turned, with anchor and borders', () => {
  const check = (sequence: FrameSequence, rotate: boolean): void => {
    const atlas = makeAtlas('sprites', [sequence], { rotate })
    expectMirrored(atlas)
    const [left, right] = atlas.animations
    expect(left!.frames).toEqual(right!.frames.map((frame) => ({ ...frame, name: frame.name.replace('right', 'left') })))
    expect(left).toMatchObject({ name: 'hero/left', sprite: 'hero', fps: 10, loop: true, yoyo: false })
  }
  fc.assert(fc.property(sequences, fc.boolean(), check), { numRuns })
})

test('a mirror image at a smaller scale, too, has every pixel of its source at the mirrored place', async () => {
  const check = async ({ borders: _, ...sequence }: FrameSequence): Promise<void> => {
    const scales = [1, 0.5]
    const unit = sharedUnit(scales)!
    const aligned = alignSequences([sequence], scales, unit)
    const large = makeAtlas('sprites', aligned, { align: unit })
    const small = shrinkAtlas(large, [await scaleSequence(aligned[0]!, 0.5)], 0.5)
    expectMirrored(large)
    expectMirrored(small)
  }
  await fc.assert(fc.asyncProperty(sequences, check), { numRuns: Math.ceil(numRuns / 4) })
})

test('a mirror image that looks like its source adds no pixels', () => {
  const bitmap = { width: 2, height: 1, data: new Uint8Array([9, 9, 9, 255, 9, 9, 9, 255]) }
  const frames = [{ name: 'hero/right/0000', bitmap, durationMs: 100 }]
  const play = { play: ['hero/right/0000'], fps: 10, loop: true, yoyo: false }
  const packing = { trim: true, extrude: 0, padding: 0, pixelArt: false }
  const sequence: FrameSequence = { name: 'hero/right', sprite: 'hero', frames, ...play, ...packing, mirrors: ['hero/left'] }
  const { frames: placed } = makeAtlas('sprites', [sequence])
  expect(placed.map(({ x, y }) => [x, y])).toEqual([placed[0], placed[0]].map((frame) => [frame!.x, frame!.y]))
})

test('a mirror image with the name of another sequence is refused', () => {
  const [one] = fc.sample(sequences, { numRuns: 1, seed: 1 }) as [FrameSequence]
  expect(() => makeAtlas('sprites', [{ ...one, mirrors: ['hero/right'] }])).toThrow(
    expect.objectContaining({ code: 'SW_ATLAS_OPTION', facts: { name: 'hero/right' } }),
  )
})

test('a box is at the mirrored place, also in a frame that was cut before', () => {
  const bitmap = drawArt({ kind: 'box', seed: 1 }, 10, 8)
  const boxes = { body: [[3, 2, 4, 5]] as const }
  const frames = [
    { name: 'hero/right/0000', bitmap: drawArt({ kind: 'box', seed: 2 }, 20, 12), durationMs: 100, boxes },
    { name: 'hero/right/0001', bitmap, canvas: { x: 1, y: 2, width: 20, height: 12 }, durationMs: 100, boxes },
  ]
  const [one] = fc.sample(sequences, { numRuns: 1, seed: 1 }) as [FrameSequence]
  const { borders: _, ...plain } = { ...one, frames, play: ['hero/right/0000'] }
  const atlas = makeAtlas('sprites', [plain])
  expect(atlas.frames.map((frame) => frame.boxes?.body)).toEqual([[[13, 2, 4, 5]], [[13, 2, 4, 5]], [[3, 2, 4, 5]], [[3, 2, 4, 5]]])
})

test('a mirror image of frames that were cut before is that of the whole frames', () => {
  const check = (sequence: FrameSequence): void => {
    expect(makeAtlas('sprites', [cutSequence(sequence)])).toEqual(makeAtlas('sprites', [sequence]))
  }
  // The pixel that stands for a wholly clear frame has no place of its own.
  const seen = sequences.filter(({ frames }) => frames.every(({ bitmap }) => bitmap.data.some((value, at) => at % 4 === 3 && value > 0)))
  fc.assert(fc.property(seen, check), { numRuns: Math.ceil(numRuns / 4) })
})
