import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  alignSequences,
  type Bitmap,
  blit,
  createBitmap,
  crop,
  type FrameSequence,
  makeAtlas,
  resize,
  scaleSequence,
  sharedUnit,
  shrinkAtlas,
} from '../../atlas/index.ts'
import { withOutlines } from '../../atlas/outlines.ts'

/** Soft discs at different places of frames of odd sides. */
function discs(name: string, width: number, height: number, count: number, pixelArt = false): FrameSequence {
  const frames = Array.from({ length: count }, (_, index) => {
    const bitmap = createBitmap(width, height)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const far = Math.hypot(x - width * (0.3 + 0.06 * index), y - height / 2) / Math.min(width, height)
        bitmap.data.set([200, 30 * index, 90, Math.max(0, Math.min(255, Math.round(2000 * (0.25 - far))))], (y * width + x) * 4)
      }
    return { name: `${name}/000${index}`, bitmap, durationMs: 80 }
  })
  const play = frames.map((frame) => frame.name)
  return { name, sprite: name.split('/')[0]!, frames, play, fps: 12, loop: true, yoyo: false, trim: true, extrude: 1, padding: 2, pixelArt }
}

async function variants(sequences: readonly FrameSequence[], scales: readonly number[]) {
  const unit = sharedUnit(scales)!
  const aligned = alignSequences(sequences, scales, unit)
  const at = (scale: number): Promise<FrameSequence[]> => Promise.all(aligned.map((one) => scaleSequence(one, scale)))
  const large = makeAtlas('sprites', await at(scales[0]!), { scale: scales[0]!, align: unit })
  const all = [large]
  for (const scale of scales.slice(1)) all.push(shrinkAtlas(large, await at(scale), scale))
  return { all, aligned }
}

function isVisible(bitmap: Bitmap, at: number): boolean {
  return bitmap.data[at + 3]! > 12
}

test('scales share a unit where they have one', () => {
  expect(sharedUnit([1])).toBe(1)
  expect(sharedUnit([1, 0.5])).toBe(2)
  expect(sharedUnit([2, 1])).toBe(2)
  expect(sharedUnit([1, 0.75, 0.5])).toBe(4)
  expect(sharedUnit([1, 0.33])).toBeUndefined()
})

describe('atlases of several scales', () => {
  test.each([[[1, 0.5]], [[2, 1]], [[1, 0.75, 0.25]]])(
    '%j: every number is that of the largest times the ratio, whole, and inside its page',
    async (scales) => {
      const { all } = await variants([discs('a/walk', 31, 27, 5), discs('b/walk', 18, 41, 3)], scales)
      const [large] = all
      for (const [index, atlas] of all.entries()) {
        const ratio = scales[index]! / scales[0]!
        for (const [i, frame] of atlas.frames.entries()) {
          const from = large!.frames[i]!
          for (const key of ['x', 'y', 'width', 'height', 'offsetX', 'offsetY', 'sourceWidth', 'sourceHeight'] as const)
            expect(frame[key], key).toBe(from[key] * ratio)
          const page = atlas.pages[frame.page]!.bitmap
          expect(frame.x + frame.width).toBeLessThanOrEqual(page.width)
          expect(frame.offsetX + frame.width).toBeLessThanOrEqual(frame.sourceWidth)
          expect(frame.offsetY + frame.height).toBeLessThanOrEqual(frame.sourceHeight)
        }
        for (const [i, page] of atlas.pages.entries()) expect(page.bitmap.width).toBe(large!.pages[i]!.bitmap.width * ratio)
      }
    },
  )

  test('each frame, put back, is the whole frame at its scale', async () => {
    const sequences = [discs('a/walk', 31, 27, 5), discs('b/walk', 18, 41, 3)]
    const scales = [1, 0.5]
    const { all, aligned } = await variants(sequences, scales)
    for (const [index, atlas] of all.entries())
      for (const frame of atlas.frames) {
        const source = aligned.flatMap((one) => one.frames).find(({ name }) => name === frame.name)!.bitmap
        const wanted = await resize(source, frame.sourceWidth, frame.sourceHeight, 'lanczos')
        const whole = createBitmap(frame.sourceWidth, frame.sourceHeight)
        blit(whole, crop(atlas.pages[frame.page]!.bitmap, frame.x, frame.y, frame.width, frame.height), frame.offsetX, frame.offsetY)
        for (let at = 0; at < whole.data.length; at += 4)
          if (isVisible(wanted, at))
            expect(whole.data.subarray(at, at + 4), `${frame.name} × ${scales[index]}`).toEqual(wanted.data.subarray(at, at + 4))
      }
  })

  test.each([[[1, 0.5]], [[1, 0.75, 0.25]]])('%j: a trimmed frame fades out inside of its rectangle at every scale', async (scales) => {
    // Hard edges between the pixels of the smaller scales, which cause Lanczos rings.
    const bitmap = createBitmap(40, 32)
    for (let y = 9; y < 22; y++) for (let x = 7; x < 33; x++) bitmap.data.set([255, 255, 255, 255], (y * 40 + x) * 4)
    const boxes = discs('a/walk', 40, 32, 1)
    const { all } = await variants([{ ...boxes, frames: [{ ...boxes.frames[0]!, bitmap }] }], scales)
    for (const { frames, pages } of all) {
      const [{ x, y, width, height }] = frames as [(typeof frames)[0]]
      const picture = crop(pages[0]!.bitmap, x, y, width, height)
      for (let at = 0; at < width * height; at++) {
        const isAtEdge = at % width === 0 || at % width === width - 1 || at < width || at >= width * (height - 1)
        if (isAtEdge) expect(picture.data[at * 4 + 3], `${width} × ${height}, pixel ${at}`).toBe(0)
      }
    }
  })

  test('an anchor stays on its point when frames are enlarged to a multiple', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 40 }), fc.double({ min: 0, max: 1, noNaN: true }), (width, x) => {
        const sequence = { ...discs('a/walk', width, 9, 1), anchor: { x, y: 1 } }
        const [aligned] = alignSequences([sequence], [1, 0.25], 4)
        expect(aligned!.anchor!.x * aligned!.frames[0]!.bitmap.width).toBeCloseTo(x * width)
        expect(aligned!.frames[0]!.bitmap.width % 4).toBe(0)
      }),
      { numRuns: 40 },
    )
  })

  test('rings and gaps of the largest size stay within their limits, so that the atlas can be made', () => {
    const [aligned] = alignSequences([{ ...discs('a/walk', 31, 27, 1), extrude: 16, padding: 64 }], [1, 0.5], 2)
    expect(aligned).toMatchObject({ extrude: 16, padding: 64 })
    expect(makeAtlas('sprites', [aligned!], { align: 2 }).frames).toHaveLength(1)
  })

  test('boxes are those of each scale, and the outlines of the largest go with no other', async () => {
    const sequence = { ...discs('a/walk', 32, 32, 1), extrude: 2, padding: 2 }
    const frames = sequence.frames.map((frame) => ({ ...frame, boxes: { body: [[4, 6, 10, 12]] as const } }))
    const large = withOutlines(makeAtlas('sprites', [{ ...sequence, frames }], { align: 2 }), 8)
    const small = shrinkAtlas(large, [await scaleSequence({ ...sequence, frames }, 0.5)], 0.5)
    expect(large.frames[0]!.hull).toBeDefined()
    expect(small.frames[0]!.hull).toBeUndefined()
    expect(small.frames[0]!.boxes).toEqual({ body: [[2, 3, 5, 6]] })
  })

  test('at the smallest scale rings and gaps are what was asked for', () => {
    const [aligned] = alignSequences([discs('a/walk', 31, 27, 1)], [1, 0.5], 2)
    expect(aligned).toMatchObject({ extrude: 2, padding: 4 })
  })
})

describe('scaling', () => {
  /** A soft-edged white disc whose clear pixels are red. */
  function redUnderClear(side: number): Bitmap {
    const bitmap = createBitmap(side, side)
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++) {
        const alpha = Math.max(0, Math.min(255, Math.round(60 * (side / 3 - Math.hypot(x - side / 2, y - side / 2)))))
        bitmap.data.set(alpha === 0 ? [255, 0, 0, 0] : [255, 255, 255, alpha], (y * side + x) * 4)
      }
    return bitmap
  }

  test.each([24, 32, 100, 128])('the colour of clear pixels does not bleed into soft edges, scaled from 64 to %i pixels', async (side) => {
    const { data } = await resize(redUnderClear(64), side, side, 'lanczos')
    let seen = 0
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3]! < 8) continue
      seen++
      // The rest is rounding of faint pixels.
      expect(255 - data[at + 1]!).toBeLessThanOrEqual(Math.ceil(255 / data[at + 3]!) + 2)
    }
    expect(seen).toBeGreaterThan(100)
  })
})
