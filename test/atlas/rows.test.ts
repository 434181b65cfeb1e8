import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BitmapRows, type PagePicture, type PageRows, PlacedRows } from '../../atlas/compose.ts'
import { type Bitmap, createBitmap } from '../../atlas/index.ts'
import { type PackedPage, packPages } from '../../atlas/packer.ts'
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

/** Pixel by pixel: the nearest one of the picture that covers the place. */
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

/** Rows in strips of so many. */
function stripsOf(rows: PageRows, count: number): readonly (readonly [from: number, to: number])[] {
  return Array.from({ length: Math.ceil(rows.height / count) }, (_, at) => [at * count, Math.min(rows.height, (at + 1) * count)] as const)
}

describe('rows of a page', () => {
  test('are those of the whole page, rings and turned pictures too, however they are taken', () => {
    fc.assert(
      fc.property(drawings, fc.integer({ min: 1, max: 20 }), (drawn, count) => {
        const rows = new PlacedRows(drawn.page, drawn.pictures)
        const whole = reference(drawn)
        const span = 4 * rows.width
        expect(Buffer.concat(stripsOf(rows, count).map(([from, to]) => rows.draw(from, to, 0))).equals(whole)).toBe(true)
        const taken = new BitmapRows(createBitmap(rows.width, rows.height, whole))
        for (const [from, to] of stripsOf(rows, count)) {
          const led = rows.draw(from, to, 1)
          expect(Buffer.compare(led, taken.draw(from, to, 1))).toBe(0)
          for (let row = 0; row < to - from; row++) {
            expect(led[row * (span + 1)]).toBe(0)
            const line = led.subarray(row * (span + 1) + 1, (row + 1) * (span + 1))
            expect(Buffer.compare(line, whole.subarray((from + row) * span, (from + row + 1) * span))).toBe(0)
          }
        }
      }),
      { numRuns: 80 },
    )
  })

  test('have another digest where a pixel of theirs is another, and there alone', () => {
    fc.assert(
      fc.property(drawings, fc.integer({ min: 1, max: 20 }), fc.nat(), (drawn, count, place) => {
        const index = place % drawn.pictures.length
        const pictures = drawn.pictures.map((picture, at) => {
          if (at !== index) return picture
          const { width, height, data } = picture.bitmap
          const other = data.slice()
          other[place % other.length]! ^= 1
          return { ...picture, bitmap: createBitmap(width, height, other) }
        })
        const [before, after] = [new PlacedRows(drawn.page, drawn.pictures), new PlacedRows(drawn.page, pictures)]
        const same = new PlacedRows(
          drawn.page,
          drawn.pictures.map(({ bitmap, extrude }) => ({ bitmap: { ...bitmap, data: bitmap.data.slice() }, extrude })),
        )
        const { bitmap, extrude } = drawn.pictures[index] as PagePicture
        const { y, isTurned } = drawn.page.positions.get(index) as { y: number; isTurned: boolean }
        const end = y + (isTurned ? bitmap.width : bitmap.height) + 2 * extrude
        for (const [from, to] of stripsOf(before, count)) {
          expect(same.digest(from, to)).toBe(before.digest(from, to))
          const isTouched = y < to && end > from
          expect(after.digest(from, to) !== before.digest(from, to)).toBe(isTouched)
          if (!isTouched) expect(Buffer.compare(after.draw(from, to, 0), before.draw(from, to, 0))).toBe(0)
        }
      }),
      { numRuns: 80 },
    )
  })
})
