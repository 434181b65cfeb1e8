import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, crop, pixelsOf, turn, turnBack } from '../../atlas/bitmap.ts'
import { drawPage, type PagePicture } from '../../atlas/compose.ts'
import { bleedColours } from '../../atlas/encode/bleed.ts'
import { encodePage } from '../../atlas/encode/codec.ts'
import { countPixels, findPalette, reduceColours } from '../../atlas/encode/reduce.ts'
import { encodeTexture } from '../../atlas/encode/texture.ts'
import { borderColour, clearBackdrop, neighboursOf } from '../../atlas/frames/backdrop.ts'
import { type PackedPage, packPages } from '../../atlas/packing/packer.ts'
import { seeded } from './drawn.ts'
import { refusal } from './refusal.ts'

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
    const { code, facts } = refusal(() => createBitmap(width, height))
    expect([code, facts]).toEqual(['SW_FRAME_SIZE', { width, height, bytes: undefined }])
  })

  test('has as many bytes as pixels need', () => {
    expect(refusal(() => createBitmap(2, 3, new Uint8Array(25))).facts).toEqual({ width: 2, height: 3, bytes: 25 })
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

describe('a page for a compressed texture', () => {
  /** Each letter is a visible pixel of its own colour; a dot is clear. */
  const lettered = (...rows: readonly string[]): Bitmap =>
    createBitmap(
      rows[0]!.length,
      rows.length,
      new Uint8Array([...rows.join('')].flatMap((letter) => (letter === '.' ? [0, 0, 0, 0] : [letter.charCodeAt(0), 1, 2, 200]))),
    )
  /** The colours of all pixels as letters, without their alpha. */
  const letters = ({ width, height, data }: Bitmap): readonly string[] =>
    Array.from({ length: height }, (_, y) =>
      Array.from({ length: width }, (__, x) => String.fromCharCode(data[(y * width + x) * 4] || 46)).join(''),
    )

  test.each([
    [1, ['AA......', 'A....B..', '....BBB.', '.C...B..', 'CCC....D', 'EC....DD', 'EE.....D']],
    [2, ['AAA..B..', 'AA..BBB.', 'AC.BBBBB', 'CCC.BBBD', 'CCCC.BDD', 'ECC..DDD', 'EEE...DD']],
    [16, ['AAABBBBB', 'AAABBBBB', 'ACCBBBBB', 'CCCBBBBD', 'CCCCBBDD', 'ECCCDDDD', 'EEECDDDD']],
  ])('lends its colours to clear pixels up to %i pixels away, from the nearest', (reach, expected) => {
    const page = lettered('A.......', '........', '.....B..', '........', '.C......', '.......D', 'E.......')
    const before = page.data.slice()
    const bled = bleedColours(page, reach)
    expect(letters(bled)).toEqual(expected)
    expect(bled.data.filter((_, at) => at % 4 === 3)).toEqual(before.filter((_, at) => at % 4 === 3))
    expect(page.data).toEqual(before)
    if (reach === 16) expect(bleedColours(page)).toEqual(bled)
  })

  test('lends nothing farther than 16 pixels unless it is told to', () => {
    const wide = createBitmap(40, 1)
    wide.data.set([65, 0, 0, 255], 80)
    expect(letters(bleedColours(wide))).toEqual([`....${'A'.repeat(33)}...`])
    expect(letters(bleedColours(wide, 17))).toEqual([`...${'A'.repeat(35)}..`])
  })

  const sizeGiven = (width: number, height: number) =>
    encodeTexture(createBitmap(width, height), async (given) => Uint8Array.of(given.width, given.height))

  test.each([
    [1, 1, 4, 4],
    [4, 4, 4, 4],
    [8, 5, 8, 8],
    [5, 8, 8, 8],
    [9, 4, 12, 4],
  ])('of %i × %i pixels has %i × %i', async (width, height, wide, high) => {
    expect([...(await sizeGiven(width, height))]).toEqual([wide, high])
  })

  test('has its pixels in their places, with the colours of clear ones, when it is encoded', async () => {
    const codec = async (given: Bitmap) => new TextEncoder().encode(letters(given).join())
    const encoded = await encodeTexture(lettered('..AB.', '.....'), codec)
    expect(new TextDecoder().decode(encoded)).toBe('AAABBBBB,AAABBBBB,AAABBBBB,AAABBBBB')
  })

  test('is refused without a codec, and with a pixel more than encoders accept', async () => {
    await expect(encodeTexture(createBitmap(1, 1), undefined)).rejects.toMatchObject({
      code: 'SW_ATLAS_OPTION',
      message: expect.stringContaining('codec'),
    })
    const large = { width: 12 * 1024 + 1, height: 1024, data: new Uint8Array() }
    await expect(encodeTexture(large, async () => new Uint8Array())).rejects.toMatchObject({
      ...{ code: 'SW_ATLAS_OPTION', facts: { width: 12_289, height: 1024, most: 12_582_912 } },
      message: expect.stringContaining('found 12289 × 1024. Set atlas.maxSize to 3547 or less.'),
    })
  })
})

describe('the backdrop of a picture', () => {
  const kinds: Readonly<Record<string, readonly number[]>> = {
    ...{
      w: [200, 210, 220, 255],
      n: [224, 186, 244, 255],
      f: [225, 210, 220, 255],
      d: [9, 9, 9, 255],
      s: [200, 210, 220, 254],
      '.': [0, 0, 0, 0],
    },
  }
  const drawn = (...rows: readonly string[]): Bitmap =>
    createBitmap(rows[0]!.length, rows.length, new Uint8Array([...rows.join('')].flatMap((kind) => kinds[kind]!)))

  test.each<[string, readonly string[], readonly string[] | undefined]>([
    ['round a figure', ['wwwww', 'wdddw', 'wdddw', 'wwwww'], ['.....', '.ddd.', '.ddd.', '.....']],
    ['with a hole', ['wwwww', 'wdddw', 'wdwdw', 'wdddw', 'wwwww'], ['.....', '.ddd.', '.dwd.', '.ddd.', '.....']],
    ['with a bay and a corner', ['wwwww', 'wdwdw', 'wdwnw', 'wdddw', 'wwwww'], ['.....', '.d.d.', '.d...', '.ddd.', '.....']],
    ['past a corner only', ['wwwww', 'wdwdw', 'wwdww', 'wwwww'], ['.....', '.d.d.', '..d..', '.....']],
    ['nearly of one colour', ['wnwnw', 'nwdwn', 'wnwnw'], ['.....', '..d..', '.....']],
    ['with a figure at a fifth of its border', ['wwwww', 'wwdww', 'wdddw', 'wdddw'], undefined],
    ['with a figure at less', ['wwwwww', 'wwddww', 'wwddww', 'wwddww'], ['......', '..dd..', '..dd..', '..dd..']],
    ['too far from one colour', ['wfwfw', 'fwdwf', 'wfwfw'], undefined],
    ['of one colour without a figure', ['www', 'www'], undefined],
    ['that is not opaque', ['wwws', 'wddw', 'wwww'], undefined],
  ])('%s is cleared from the border inwards', (_, rows, cleared) => {
    const picture = drawn(...rows)
    const before = picture.data.slice()
    const found = clearBackdrop(picture)
    if (cleared === undefined) expect(found).toBe(picture)
    else expect(found).toEqual(drawn(...cleared))
    expect(picture.data).toEqual(before)
  })

  test('is cleared in every turn of a spiral, and with exactly four fifths of the border', () => {
    const spiral = ['wwwwwwwww', 'wdddddddw', 'wdwwwwwdw', 'wdwdddwdw', 'wdwwwdwdw', 'wdddddwdw', 'wwwwwwwdw', 'wdddddddw', 'wwwwwwwww']
    const turned = [...spiral].reverse().map((row) => [...row].reverse().join(''))
    for (const rows of [spiral, turned, ['wdd', 'wdw', 'www', 'www']])
      expect(clearBackdrop(drawn(...rows))).toEqual(drawn(...rows.map((row) => row.replaceAll('w', '.'))))
  })

  test('is followed to the pixels beside, above and below, inside the picture', () => {
    const [wide, square] = [createBitmap(3, 2), createBitmap(3, 3)]
    expect([0, 1, 2, 3, 4, 5].map((at) => neighboursOf(at, wide))).toEqual([
      [1, 3],
      [0, 2, 4],
      [1, 5],
      [4, 0],
      [3, 5, 1],
      [4, 2],
    ])
    expect(neighboursOf(4, square)).toEqual([3, 5, 1, 7])
  })

  test('has the median of each channel along the border', () => {
    expect(borderColour(drawn('wnd', 'ndd', 'dww'))).toEqual([200, 186, 220])
    expect(borderColour(drawn('w'))).toEqual([200, 210, 220])
  })
})

test('the close palette of one picture is always this one: opaque and half-clear slopes, a small detail, and clear pixels of any colour', () => {
  const bitmap = createBitmap(12, 16)
  for (let at = 0; at < 192; at++) {
    const [x, y] = [at % 12, Math.floor(at / 12)]
    bitmap.data.set(y < 8 ? [20 + 6 * x, 200 - 8 * y, 60, 255] : y < 14 ? [90, 4 * x, 240 - 3 * y, 30 + 18 * x] : [x, y, 9, 0], 4 * at)
  }
  bitmap.data.set([255, 0, 255, 255], 4 * 30)
  const { bitmap: fewer, colours, error } = reduceColours(bitmap)
  const hex = [...new Set(pixelsOf(fewer))].sort((a, b) => a - b).map((colour) => colour.toString(16).padStart(8, '0'))
  expect([colours, hex.join(' '), Object.values(error).map((value) => value.toFixed(4))]).toMatchInlineSnapshot(`
    [
      24,
      "00000000 1ed1005a 30d1045a 42d1085a 54d10c5a 66d1105a 78d1145a 8ad1185a 9cd11c5a aed1205a c0d1245a d2d1285a e4d12c5a ff3c9029 ff3c944d ff3c9829 ff3ca026 ff3ca04a ff3ca835 ff3cb035 ff3cb835 ff3cc035 ff3cc835 ffff00ff",
      [
        "0.0064",
        "0.0225",
        "0.0239",
      ],
    ]
  `)
  const counts = countPixels(pixelsOf(bitmap).filter((colour) => colour >= 0xff000000))
  expect([1, 2, 5].map((most) => findPalette(counts, most).map((colour) => colour.toString(16)))).toMatchInlineSnapshot(`
    [
      [
        "ff3eaa37",
      ],
      [
        "ff3cbc35",
        "ff409939",
      ],
      [
        "ff3c9435",
        "ff3ca435",
        "ff3cb435",
        "ff3cc435",
        "ffff00ff",
      ],
    ]
  `)
})

test('what is not said of an encoding is the documented default: level 6, lossless WebP, quality 80, and 50 for AVIF', async () => {
  const bitmap = createBitmap(12, 12)
  for (let at = 0; at < 144; at++) bitmap.data.set([at % 251, (at * 7) % 256, (at >> 2) % 256, 255], 4 * at)
  const lossy = { format: 'webp', lossless: false } as const
  const pages = [
    [{ format: 'png' }, { format: 'png', level: 6 }, { format: 'png', level: 1 }],
    [{ format: 'webp' }, { format: 'webp', lossless: true, quality: 10 }, lossy],
    [lossy, { ...lossy, quality: 80 }, { ...lossy, quality: 95 }],
    [{ format: 'avif' }, { format: 'avif', quality: 50, lossless: true }, { format: 'avif', quality: 80 }],
    [
      { format: 'png', effort: 'best' },
      { format: 'png', effort: 'best', level: 1, palette: 'exact' },
      { format: 'png', level: 1 },
    ],
  ] as const
  for (const [silent, said, other] of pages) {
    const [first, same, different] = await Promise.all([silent, said, other].map((encoding) => encodePage(bitmap, encoding)))
    expect(same, JSON.stringify(silent)).toEqual(first)
    expect(different, JSON.stringify(silent)).not.toEqual(first)
  }
})
