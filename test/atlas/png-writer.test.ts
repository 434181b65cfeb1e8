import fc from 'fast-check'
import { PNG } from 'pngjs'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { type Bitmap, createBitmap, decodePng } from '../../atlas/index.ts'
import { encodePngAsync } from '../../atlas/png/write.ts'
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

async function expectReadable(bitmap: Bitmap, level: number): Promise<void> {
  const bytes = await encodePngAsync(bitmap, level)
  expect(Buffer.compare(decodePng(bytes).data, bitmap.data)).toBe(0)
  expect(Buffer.compare(PNG.sync.read(Buffer.from(bytes)).data, bitmap.data)).toBe(0)
  expect(Buffer.compare(await sharp(bytes, { failOn: 'warning' }).raw().toBuffer(), bitmap.data)).toBe(0)
  expect(Buffer.compare(await encodePngAsync(bitmap, level), bytes)).toBe(0)
}

test('a page holds every pixel, for three readers, whatever its size and level, and twice the same bytes', async () => {
  const size = { width: fc.integer({ min: 1, max: 60 }), height: fc.integer({ min: 1, max: 40 }) }
  await fc.assert(
    fc.asyncProperty(fc.record(size), fc.nat(), fc.integer({ min: 0, max: 9 }), ({ width, height }, seed, level) =>
      expectReadable(picture(width, height, seed), level),
    ),
    { numRuns: 60 },
  )
})

test.each([0, 1, 6, 9])('so does a page that is compressed in several steps, at level %i', (level) =>
  expectReadable(picture(700, 900, 7), level),
)
