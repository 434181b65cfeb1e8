import { describe, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, crop, turn, turnBack } from '../../atlas/bitmap.ts'
import { makeContactSheet } from '../../atlas/drawing/contact-sheet.ts'
import { LETTER_HEIGHT, LETTER_WIDTH, write } from '../../atlas/drawing/font.ts'
import { drawOnionSkins } from '../../atlas/drawing/onion.ts'
import { makeReviewSheet, type ReviewedAnimation } from '../../atlas/drawing/review-sheet.ts'
import { shrink } from '../../atlas/frames/shrink.ts'

type Colour = readonly [red: number, green: number, blue: number, alpha: number]

const flat = (width: number, height: number, colour: Colour): Bitmap =>
  createBitmap(
    width,
    height,
    new Uint8Array(width * height * 4).map((_, at) => colour[at % 4]!),
  )
const pixel = ({ width, data }: Bitmap, x: number, y: number): readonly number[] => [
  ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
]
/** Each pixel has its own colour. */
const numbered = (width: number, height: number): Bitmap =>
  createBitmap(
    width,
    height,
    new Uint8Array(width * height * 4).map((_, at) => (at * 7 + 3) % 256),
  )
const rows = ({ width, height, data }: Bitmap): readonly string[] =>
  Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4).join()).join(' '),
  )

describe('a picture', () => {
  test('is cut and copied pixel by pixel, and nothing beside it', () => {
    const whole = numbered(5, 4)
    const cut = crop(whole, 1, 2, 3, 2)
    for (let y = 0; y < 2; y++) for (let x = 0; x < 3; x++) expect(pixel(cut, x, y)).toEqual(pixel(whole, x + 1, y + 2))
    const target = createBitmap(5, 4)
    blit(target, cut, 1, 2)
    for (let y = 0; y < 4; y++)
      for (let x = 0; x < 5; x++) expect(pixel(target, x, y)).toEqual(x >= 1 && x < 4 && y >= 2 ? pixel(whole, x, y) : [0, 0, 0, 0])
  })

  test('turned clockwise has its left column on top, and turned back it is the same', () => {
    const upright = numbered(3, 2)
    const turned = turn(upright)
    expect([turned.width, turned.height]).toEqual([2, 3])
    for (let y = 0; y < 2; y++) for (let x = 0; x < 3; x++) expect(pixel(turned, 1 - y, x)).toEqual(pixel(upright, x, y))
    expect(turnBack(turned)).toEqual(upright)
  })

  test.each([
    [0, 1, undefined],
    [1, 0, undefined],
    [-1, -1, undefined],
    [1.5, 2, undefined],
    [2, 1.5, undefined],
    [2, 2, new Uint8Array(15)],
    [2, 2, new Uint8Array(17)],
  ])('of %j × %j pixels is refused with its size', (width, height, data) => {
    const facts = { width, height, bytes: data?.length }
    expect(() => createBitmap(width, height, data)).toThrow(expect.objectContaining({ code: 'SW_FRAME_SIZE', facts }))
  })
})

describe('a smaller picture', () => {
  test('has the mean of the covered pixels, weighted by their alpha', () => {
    const four = createBitmap(2, 2, new Uint8Array([200, 0, 0, 255, 0, 100, 0, 255, 0, 0, 40, 0, 0, 0, 0, 0]))
    expect(pixel(shrink(four, 1, 1), 0, 0)).toEqual([100, 50, 0, 128])
    const soft = createBitmap(2, 1, new Uint8Array([200, 10, 0, 60, 100, 20, 0, 180]))
    expect(pixel(shrink(soft, 1, 1), 0, 0)).toEqual([125, 18, 0, 120])
  })

  test('takes each pixel once, uneven shares too', () => {
    const wide = createBitmap(5, 1, new Uint8Array([10, 20, 30, 40, 50].flatMap((red) => [red, 0, 0, 255])))
    const small = shrink(wide, 2, 1)
    expect([pixel(small, 0, 0)[0], pixel(small, 1, 0)[0]]).toEqual([15, 40])
    const tall = createBitmap(1, 5, wide.data)
    expect(shrink(tall, 1, 2).data).toEqual(small.data)
    expect(shrink(wide, 5, 1)).toEqual(wide)
  })

  test('has the means of all rows and columns in their places, in every channel', () => {
    const colours = Array.from({ length: 35 }, (_, at) => [at, 2 * at, 255 - 3 * at, at % 6 === 0 ? 0 : 40 + 5 * at])
    expect([...shrink(createBitmap(5, 7, new Uint8Array(colours.flat())), 2, 3).data]).toEqual([
      ...[3, 7, 245, 28, 6, 12, 237, 68],
      ...[13, 27, 215, 105, 16, 32, 207, 79],
      ...[25, 50, 180, 136, 29, 58, 168, 162],
    ])
  })

  test('of clear pixels is clear, whatever colour they have', () => {
    expect(shrink(flat(4, 4, [200, 200, 200, 0]), 2, 2)).toEqual(createBitmap(2, 2))
  })
})

describe('a contact sheet', () => {
  const dot = flat(10, 6, [9, 8, 7, 255])

  test('has as many columns as rows, or one less row, and as many as were asked for', () => {
    const sizeOf = (count: number, columns?: number): readonly number[] => {
      const { width, height } = makeContactSheet(
        Array.from({ length: count }, () => dot),
        columns === undefined ? {} : { columns },
      )
      return [(width - 4) / 14, (height - 4) / 10]
    }
    expect([1, 2, 4, 5, 9, 10].map((count) => sizeOf(count))).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
      [3, 2],
      [3, 3],
      [4, 3],
    ])
    expect([sizeOf(5, 5), sizeOf(5, 2), sizeOf(2, 5)]).toEqual([
      [5, 1],
      [2, 3],
      [2, 1],
    ])
  })

  test('has each frame in its cell, over a checkerboard, and is opaque', () => {
    const sheet = makeContactSheet([dot, createBitmap(10, 10), flat(10, 6, [100, 50, 0, 51])], { columns: 2 })
    expect([pixel(sheet, 4, 4), pixel(sheet, 13, 9), pixel(sheet, 3, 4), pixel(sheet, 4, 3)]).toEqual([
      [9, 8, 7, 255],
      [9, 8, 7, 255],
      [40, 40, 40, 255],
      [40, 40, 40, 255],
    ])
    // A square of the board has eight pixels; the second cell begins 14 pixels farther right.
    expect([18, 25, 26].map((x) => pixel(sheet, x, 4)[0])).toEqual([204, 204, 255])
    expect([4, 11, 12].map((y) => pixel(sheet, 18, y)[0])).toEqual([204, 204, 255])
    expect(pixel(sheet, 26, 12)[0]).toBe(204)
    // A fifth of the colour over 204.
    expect(pixel(sheet, 4, 18)).toEqual([183, 173, 163, 255])
    expect(sheet.data.filter((_, at) => at % 4 === 3).every((alpha) => alpha === 255)).toBe(true)
  })

  test('shrinks larger frames to the cell, on their longest side, and no smaller one', () => {
    const sizeOf = (frame: Bitmap, cell?: number): readonly number[] => {
      const { width, height } = makeContactSheet([frame], cell === undefined ? {} : { cell })
      return [width - 8, height - 8]
    }
    expect(sizeOf(flat(256, 64, [0, 0, 0, 255]))).toEqual([128, 32])
    expect(sizeOf(flat(64, 256, [0, 0, 0, 255]))).toEqual([32, 128])
    expect(sizeOf(flat(128, 100, [0, 0, 0, 255]))).toEqual([128, 100])
    expect(sizeOf(flat(40, 30, [0, 0, 0, 255]), 20)).toEqual([20, 15])
    expect(sizeOf(flat(400, 1, [0, 0, 0, 255]), 20)).toEqual([20, 1])
  })

  test('has a red border of two pixels round each flagged frame, and round no other', () => {
    const sheet = makeContactSheet([dot, dot], { flagged: [1] })
    const isRed = (x: number, y: number): boolean => pixel(sheet, x, y).join() === '230,40,40,255'
    expect([15, 16, 17, 18].map((x) => isRed(x, 5))).toEqual([false, true, true, false])
    expect([27, 28, 29, 30].map((x) => isRed(x, 5))).toEqual([false, true, true, false])
    expect([1, 2, 3, 4].map((y) => isRed(20, y))).toEqual([false, true, true, false])
    expect([9, 10, 11, 12].map((y) => isRed(20, y))).toEqual([false, true, true, false])
    expect(
      sheet.data.reduce(
        (count, _, at) => count + (at % 4 === 0 && isRed((at / 4) % sheet.width, Math.floor(at / 4 / sheet.width)) ? 1 : 0),
        0,
      ),
    ).toBe(14 * 10 - 10 * 6)
  })

  test('of nothing is refused', () => {
    expect(() => makeContactSheet([])).toThrow(expect.objectContaining({ code: 'SW_ATLAS_OPTION' }))
    expect(() => makeReviewSheet([])).toThrow(expect.objectContaining({ code: 'SW_ATLAS_OPTION' }))
  })
})

describe('an onion skin', () => {
  /** One column for each frame in which it alone is seen. */
  const frames = [0, 1, 2].map((own) => {
    const frame = createBitmap(4, 1)
    frame.data.set([10, 20, 30, 255], own * 4)
    return frame
  })
  const [red, blue, none]: readonly (readonly number[])[] = [
    [235, 50, 50, 128],
    [40, 90, 235, 128],
    [0, 0, 0, 0],
  ]
  const own = [10, 20, 30, 184]
  const look = (skin: Bitmap): readonly (readonly number[])[] => [0, 1, 2, 3].map((x) => pixel(skin, x, 0))

  test('has the frame before in red and the one after in blue; the ends of a loop are neighbours', () => {
    expect(drawOnionSkins(frames, true).map(look)).toEqual([
      [own, blue, red, none],
      [red, own, blue, none],
      [blue, red, own, none],
    ])
    expect(drawOnionSkins(frames, false).map(look)).toEqual([
      [own, blue, none, none],
      [red, own, blue, none],
      [none, red, own, none],
    ])
  })

  test('lays the frame over its neighbours, the one after over the one before', () => {
    const same = flat(1, 1, [10, 20, 30, 255])
    // 0.5 red, 0.5 blue over it, 0.72 of the frame over both.
    const [skin] = drawOnionSkins([same, same], true)
    expect(pixel(skin!, 0, 0)).toEqual([32, 33, 62, 237])
    expect(pixel(drawOnionSkins([same], false)[0]!, 0, 0)).toEqual([10, 20, 30, 184])
    expect(pixel(drawOnionSkins([flat(1, 1, [10, 20, 30, 128])], false)[0]!, 0, 0)).toEqual([10, 20, 30, 92])
  })
})

describe('text', () => {
  const paper = (text: string, maxWidth = 400, x = 0, y = 0): Bitmap => {
    const target = flat(420, 16, [0, 0, 0, 255])
    write(target, text, x, y, [255, 1, 2], maxWidth)
    return target
  }
  const isInk = (target: Bitmap, x: number, y: number): boolean => pixel(target, x, y).join() === '255,1,2,255'
  /** The dots of the letter at a place, five rows of three. */
  const glyph = (target: Bitmap, at: number): string =>
    [0, 1, 2, 3, 4]
      .map((row) => [0, 1, 2].map((column) => (isInk(target, at * LETTER_WIDTH + 2 * column, 2 * row) ? '#' : '.')).join(''))
      .join('/')

  test('has a shape of its own for each letter and digit, upper case as lower case', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz0123456789.,-_'
    const shapes = [...letters].map((_, at) => glyph(paper(letters), at))
    // The letter o and the digit 0, s and 5 are close to each other, but differ.
    expect(new Set(shapes).size).toBe(letters.length)
    expect(rows(paper(letters.toUpperCase()))).toEqual(rows(paper(letters)))
    expect(glyph(paper('l'), 0)).toBe('#../#../#../#../###')
    expect(glyph(paper('7'), 0)).toBe('###/..#/..#/..#/..#')
    expect(glyph(paper(' é'), 0)).toBe('.../.../.../.../...')
  })

  test('is drawn in dots of two pixels, at its place, in its colour alone', () => {
    const target = paper('i', 400, 3, 2)
    const ink = Array.from({ length: 420 * 16 }, (_, at) => [at % 420, Math.floor(at / 420)] as const).filter(([x, y]) =>
      isInk(target, x, y),
    )
    expect(ink).toHaveLength(9 * 4)
    expect([Math.min(...ink.map(([x]) => x)), Math.max(...ink.map(([x]) => x))]).toEqual([3, 8])
    expect([Math.min(...ink.map(([, y]) => y)), Math.max(...ink.map(([, y]) => y))]).toEqual([2, 2 + LETTER_HEIGHT - 1])
    const others = target.data.filter((_, at) => at % 4 === 0).filter((value) => value !== 0 && value !== 255)
    expect(others).toHaveLength(0)
  })

  test('is cut off where it does not fit, and at the edge of the picture', () => {
    const widthOf = (maxWidth: number): number => [0, 1, 2, 3].filter((at) => glyph(paper('8888', maxWidth), at).includes('#')).length
    expect([-5, 5, 6, 13, 14, 22].map(widthOf)).toEqual([0, 0, 1, 1, 2, 3])
    const small = flat(4, 4, [0, 0, 0, 255])
    write(small, '88', 1, 1, [255, 1, 2], 400)
    expect(small.data).toHaveLength(64)
    expect(pixel(small, 3, 3)[3]).toBe(255)
  })
})

describe('a review sheet', () => {
  const animation = (own: Partial<ReviewedAnimation> = {}): ReviewedAnimation => ({
    title: '',
    frames: [flat(20, 10, [1, 2, 3, 255]), flat(20, 10, [4, 5, 6, 255])],
    captions: [['0'], ['1']],
    flagged: [],
    isClosed: true,
    ...own,
  })
  const has = (sheet: Bitmap, colour: readonly number[]): boolean =>
    rows(sheet).some((row) => row.split(' ').includes([...colour, 255].join()))
  const [plain, red] = [
    [230, 230, 230],
    [255, 110, 100],
  ]

  test('has room for all animations, one under another, with a margin', () => {
    const one = makeReviewSheet([animation()])
    // Frames and onion skins in a row each, title and captions, eight pixels around.
    expect([one.width, one.height]).toEqual([2 * 24 + 4 + 16, 20 + 2 * 18 + 13 + 2 + 16])
    const two = makeReviewSheet([animation(), animation({ frames: [flat(20, 10, [7, 7, 7, 255])], captions: [[]] })])
    expect([two.width, two.height]).toEqual([one.width, one.height + 20 + 2 * 18 + 2 + 16])
    expect([has(two, [1, 2, 3]), has(two, [4, 5, 6]), has(two, [7, 7, 7])]).toEqual([true, true, true])
    const topOf = (sheet: Bitmap, colour: string): number => rows(sheet).findIndex((row) => row.split(' ').includes(colour))
    expect(topOf(two, '7,7,7,255')).toBe(one.height + topOf(one, '1,2,3,255'))
  })

  test('puts at most ten frames in a row', () => {
    const many = (count: number): ReviewedAnimation =>
      animation({
        frames: Array.from({ length: count }, () => flat(4, 4, [1, 2, 3, 255])),
        captions: Array.from({ length: count }, () => []),
      })
    const sizes = [9, 10, 11].map((count) => makeReviewSheet([many(count)])).map(({ width, height }) => [(width - 20) / 8, height])
    expect(sizes).toEqual([
      [9, 62],
      [10, 62],
      [10, 62 + 2 * 12 + 2],
    ])
  })

  test('writes title and captions in light grey, those of what is flagged in red', () => {
    const words = { title: 'walk', captions: [['0'], ['1']] }
    const calm = makeReviewSheet([animation(words)])
    expect([has(calm, plain!), has(calm, red!)]).toEqual([true, false])
    const flagged = makeReviewSheet([animation({ ...words, flagged: [1] })])
    expect([has(flagged, plain!), has(flagged, red!), has(flagged, [230, 40, 40])]).toEqual([true, true, true])
    const silent = makeReviewSheet([animation({ captions: [[], []] })])
    expect([has(silent, plain!), has(silent, red!)]).toEqual([false, false])
  })

  test('has the onion skins of the whole animation, and closes those of a loop', () => {
    const frames = [flat(4, 4, [1, 2, 3, 255]), createBitmap(4, 4), createBitmap(4, 4)]
    const blueOf = (isClosed: boolean): boolean => {
      const sheet = makeReviewSheet([animation({ frames, captions: [[], [], []], isClosed })])
      // Half blue over the light square of the board: the third frame is followed by the first one.
      return has(sheet, [122, 147, 220])
    }
    expect([blueOf(true), blueOf(false)]).toEqual([true, false])
  })
})
