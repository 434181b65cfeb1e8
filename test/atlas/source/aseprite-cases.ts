import fc from 'fast-check'
import type { AsepriteFile, AsepriteRectangle, AsepriteSlice, AsepriteTag, Bitmap } from '../../../atlas/index.ts'

const name = fc.string({ unit: 'grapheme', maxLength: 6 })
const coordinate = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 }))
const side = fc.oneof(fc.nat(20), fc.nat(2 ** 32 - 1))

/** @param least Of a side. */
function rectangle(least: number): fc.Arbitrary<AsepriteRectangle> {
  return fc.record({
    x: coordinate,
    y: coordinate,
    width: side.map((value) => value || least),
    height: side.map((value) => value || least),
  })
}

/** Mostly clear pictures, so that cels are cut. Colours under alpha 0 are among them. */
function bitmap(width: number, height: number): fc.Arbitrary<Bitmap> {
  const value = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(0xffffffff) })
  return fc.array(value, { minLength: width * height, maxLength: width * height }).map((colours) => {
    const data = new Uint8Array(4 * width * height)
    const view = new DataView(data.buffer)
    for (const [at, colour] of colours.entries()) view.setUint32(4 * at, colour)
    return { width, height, data }
  })
}

function tag(frames: number): fc.Arbitrary<AsepriteTag> {
  const range = fc.tuple(fc.nat(frames - 1), fc.nat(frames - 1)).map((ends) => ends.sort((a, b) => a - b))
  const direction = fc.constantFrom('forward', 'reverse', 'pingpong', 'pingpong-reverse')
  return fc
    .record({ name, range, direction, repeat: fc.nat(65535) })
    .map(({ range: [from = 0, to = 0], ...more }) => ({ ...more, from, to }))
}

function slice(frames: number): fc.Arbitrary<AsepriteSlice> {
  const more = fc.record({ center: rectangle(1), pivot: fc.record({ x: coordinate, y: coordinate }) }, { requiredKeys: [] })
  const key = fc.tuple(fc.nat(frames - 1), rectangle(0), more).map(([frame, bounds, more]) => ({ frame, ...bounds, ...more }))
  return fc.record({ name, keys: fc.array(key, { maxLength: 3 }) })
}

/** Any file that can be written, up to 12 × 12 pixels and 4 frames. */
export const asepriteFiles: fc.Arbitrary<AsepriteFile> = fc
  .record({ width: fc.integer({ min: 1, max: 12 }), height: fc.integer({ min: 1, max: 12 }), count: fc.integer({ min: 1, max: 4 }) })
  .chain(({ width, height, count }) => {
    const frame = fc.record({ bitmap: bitmap(width, height), durationMs: fc.integer({ min: 1, max: 65535 }) })
    return fc.record({
      width: fc.constant(width),
      height: fc.constant(height),
      frames: fc.array(frame, { minLength: count, maxLength: count }),
      tags: fc.array(tag(count), { maxLength: 4 }),
      slices: fc.array(slice(count), { maxLength: 3 }),
    })
  })
