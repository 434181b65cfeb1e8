import fc from 'fast-check'
import { PNG } from 'pngjs'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { BitmapRows } from '../../atlas/compose.ts'
import { type Bitmap, createBitmap, decodePng } from '../../atlas/index.ts'
import { encodeStriped, stripsOf } from '../../atlas/png-strips.ts'
import { seeded } from './drawn.ts'

/** Stretches of one colour and some grain. */
function picture(width: number, height: number, seed: number): Bitmap {
  const chance = seeded(seed)
  const bitmap = createBitmap(width, height)
  let colour = [0, 0, 0, 0]
  for (let at = 0; at < bitmap.data.length; at += 4) {
    if (chance() < 0.2) colour = [0, 0, 0, 0].map(() => Math.floor(chance() * 256))
    bitmap.data.set(colour, at)
  }
  return bitmap
}

const anyPicture = fc.record({ width: fc.integer({ min: 1, max: 60 }), height: fc.integer({ min: 1, max: 40 }), seed: fc.nat() })
const levels = fc.integer({ min: 0, max: 9 })

describe('a PNG in strips', () => {
  test('holds every pixel, for three readers, whatever its size, its level and its strips are', async () => {
    await fc.assert(
      fc.asyncProperty(anyPicture, levels, fc.integer({ min: 1, max: 4000 }), async ({ width, height, seed }, level, stripBytes) => {
        const bitmap = picture(width, height, seed)
        const { bytes, strips } = await encodeStriped(new BitmapRows(bitmap), level, { stripBytes })
        expect(strips).toHaveLength(Math.ceil(height / Math.max(1, Math.floor(stripBytes / (4 * width + 1)))))
        expect(decodePng(bytes)).toEqual(bitmap)
        expect(Buffer.compare(PNG.sync.read(Buffer.from(bytes)).data, Buffer.from(bitmap.data))).toBe(0)
        expect(Buffer.compare(await sharp(bytes, { failOn: 'warning' }).raw().toBuffer(), Buffer.from(bitmap.data))).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  test('is the same with strips of an earlier page, which are not compressed again', async () => {
    await fc.assert(
      fc.asyncProperty(anyPicture, levels, fc.nat(), async ({ width, height, seed }, level, place) => {
        const before = picture(width, height, seed)
        const after = createBitmap(width, height, before.data.slice())
        after.data[place % after.data.length]! ^= 1
        const stripBytes = 3 * (4 * width + 1)
        const known = new Map(
          stripsOf(await encodeStriped(new BitmapRows(before), level, { stripBytes })).map((strip) => [strip.digest, strip]),
        )
        const found = new Set<string>()
        const watched = Object.assign(new Map(known), {
          get: (digest: string) => {
            if (known.has(digest)) found.add(digest)
            return known.get(digest)
          },
        })
        const taken = await encodeStriped(new BitmapRows(after), level, { known: watched, stripBytes })
        expect(taken).toEqual(await encodeStriped(new BitmapRows(after), level, { stripBytes }))
        const fresh = taken.strips.filter(({ digest }) => !found.has(digest))
        expect(fresh).toHaveLength(1)
      }),
      { numRuns: 60 },
    )
  })

  test('takes nothing over that was compressed at another level', async () => {
    const bitmap = picture(40, 30, 1)
    const low = await encodeStriped(new BitmapRows(bitmap), 1)
    const known = new Map(stripsOf(low).map((strip) => [strip.digest, strip]))
    expect((await encodeStriped(new BitmapRows(bitmap), 9, { known })).bytes).toEqual(
      (await encodeStriped(new BitmapRows(bitmap), 9)).bytes,
    )
  })
})
