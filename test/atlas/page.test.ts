import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, crop, pixelsOf, turn, turnBack } from '../../atlas/bitmap.ts'
import { drawPage, type PagePicture } from '../../atlas/compose.ts'
import { AtlasError } from '../../atlas/errors.ts'
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

describe('a picture in memory', () => {
  const refused = (run: () => unknown): AtlasError => {
    try {
      run()
    } catch (error) {
      if (error instanceof AtlasError) return error
    }
    throw new Error('Expected a refusal, found none.')
  }
  const of = (width: number, height: number): Bitmap =>
    createBitmap(
      width,
      height,
      new Uint8Array(width * height * 4).map((_, at) => at + 1),
    )

  test.each([
    [0, 1],
    [1, 0],
    [1.5, 2],
    [2, 1.5],
    [-1, -1],
  ])('has no sides of %f × %f', (width, height) => {
    const { code, facts } = refused(() => createBitmap(width, height))
    expect([code, facts]).toEqual(['SW_FRAME_SIZE', { width, height, bytes: undefined }])
  })

  test('has as many bytes as pixels need', () => {
    expect(refused(() => createBitmap(2, 3, new Uint8Array(25))).facts).toEqual({ width: 2, height: 3, bytes: 25 })
    expect(createBitmap(2, 3)).toEqual({ width: 2, height: 3, data: new Uint8Array(24) })
  })

  test('is turned, turned back, cut and pasted pixel by pixel', () => {
    const firsts = ({ data }: Bitmap): readonly number[] => [...data].filter((_, at) => at % 4 === 0).map((value) => (value - 1) / 4)
    const turned = turn(of(3, 2))
    expect([turned.width, turned.height, firsts(turned)]).toEqual([2, 3, [3, 0, 4, 1, 5, 2]])
    expect(turnBack(turned)).toEqual(of(3, 2))
    const cut = crop(of(3, 3), 1, 1, 2, 2)
    expect(firsts(cut)).toEqual([4, 5, 7, 8])
    const target = of(4, 3)
    blit(target, cut, 2, 1)
    expect(firsts(target)).toEqual([0, 1, 2, 3, 4, 5, 4, 5, 8, 9, 7, 8])
    expect([...cut.data.subarray(0, 4)]).toEqual([17, 18, 19, 20])
  })

  test('has pixels as numbers, and 0 for a clear one', () => {
    expect([...pixelsOf(createBitmap(3, 1, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 255)))]).toEqual([0x04030201, 0, 0xff000000])
  })
})
