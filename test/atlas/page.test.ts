import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawPage, type PagePicture } from '../../atlas/compose.ts'
import { type Bitmap, createBitmap } from '../../atlas/index.ts'
import { type PackedPage, packPages } from '../../atlas/packing/packer.ts'
import { seeded } from './drawn.ts'

/** Grain, so that every pixel counts. */
function grain(width: number, height: number, seed: number): Bitmap {
  const chance = seeded(seed)
  return createBitmap(
    width,
    height,
    new Uint8Array(width * height * 4).map(() => Math.floor(chance() * 256)),
  )
}

const sizes = fc.array(
  fc.record({ width: fc.integer({ min: 1, max: 12 }), height: fc.integer({ min: 1, max: 12 }), extrude: fc.integer({ min: 0, max: 3 }) }),
  {
    minLength: 1,
    maxLength: 8,
  },
)

interface Drawn {
  readonly page: PackedPage
  readonly pictures: readonly PagePicture[]
}

/** Pictures on a page, some of them turned. */
const drawings: fc.Arbitrary<Drawn> = fc
  .record({ sizes, padding: fc.integer({ min: 0, max: 2 }), canTurn: fc.boolean() })
  .map(({ sizes: asked, padding, canTurn }) => {
    const pictures = asked.map(({ width, height, extrude }, at) => ({ bitmap: grain(width, height, at), extrude }))
    const packed = packPages(
      asked.map(({ width, height, extrude }) => ({ width: width + 2 * extrude, height: height + 2 * extrude })),
      [{ name: 'all', members: asked.map((_, at) => at) }],
      { maxSize: 512, padding, border: 1, unit: 1, canTurn },
    )
    return { page: packed[0] as PackedPage, pictures }
  })

/** The expected page, pixel by pixel: the nearest pixel of the picture that covers the place. */
function reference({ page, pictures }: Drawn): Uint8Array {
  const out = createBitmap(page.width, page.height)
  for (const [index, { x, y, isTurned }] of page.positions) {
    const { bitmap, extrude } = pictures[index] as PagePicture
    const [wide, high] = isTurned ? [bitmap.height, bitmap.width] : [bitmap.width, bitmap.height]
    for (let row = 0; row < high + 2 * extrude; row++)
      for (let column = 0; column < wide + 2 * extrude; column++) {
        const u = Math.min(Math.max(column - extrude, 0), wide - 1)
        const v = Math.min(Math.max(row - extrude, 0), high - 1)
        // Turned by 90° clockwise.
        const from = isTurned ? (bitmap.height - 1 - u) * bitmap.width + v : v * bitmap.width + u
        out.data.set(bitmap.data.subarray(4 * from, 4 * from + 4), 4 * ((y + row) * page.width + x + column))
      }
  }
  return out.data
}

test('a page has its pictures in their places, rings and turned pictures too', () => {
  fc.assert(
    fc.property(drawings, (drawn) => {
      expect(Buffer.compare(drawPage(drawn.page, drawn.pictures).data, reference(drawn))).toBe(0)
    }),
    { numRuns: 80 },
  )
})
