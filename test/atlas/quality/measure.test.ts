import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap } from '../../../atlas/bitmap.ts'
import { type FrameMeasure, measureFrames } from '../../../atlas/quality/measure.ts'
import { difference } from '../../../atlas/quality/samples.ts'
import { seeded } from '../drawn.ts'

/** A filled box: its place, its size, and the colour of its pixels. */
type Filled = readonly [x: number, y: number, width: number, height: number, colour?: readonly [number, number, number, number]]

function drawn(width: number, height: number, ...boxes: readonly Filled[]): Bitmap {
  const bitmap = createBitmap(width, height)
  for (const [left, top, wide, high, colour = [90, 60, 30, 255]] of boxes)
    for (let y = top; y < top + high; y++) for (let x = left; x < left + wide; x++) bitmap.data.set(colour, 4 * (y * width + x))
  return bitmap
}

function measured(width: number, height: number, ...boxes: readonly Filled[]): FrameMeasure {
  return measureFrames([drawn(width, height, ...boxes)])[0]!
}

const rounded = (value: number): number => Number(value.toFixed(3))

/** All that is measured, numbers with three digits, the thumbnail as its total and a hash. */
function told({ colours, thumb, ...measure }: FrameMeasure): string {
  const plain = (values: Int32Array | Float32Array | Float64Array): string => Array.from(values, rounded).join(' ')
  const figures = Object.entries(measure).map(([name, value]) => `${name} ${typeof value === 'number' ? rounded(value) : value}`)
  const cells = createHash('sha256').update(plain(thumb.cells)).digest('hex').slice(0, 8)
  return `${figures.join(', ')}, colours ${plain(colours.bins)} | ${plain(colours.counts)} | ${plain(colours.means)}, thumb ${rounded(thumb.total)} ${cells}`
}

/** A figure with a head, a body, two legs and an arm, some dust beside it, with noise in colour and alpha. */
function figure(width: number, height: number, seed: number): Bitmap {
  const chance = seeded(seed)
  const bitmap = createBitmap(width, height)
  const inside = (x: number, y: number): boolean =>
    Math.hypot(x - 0.52, (y - 0.2) * 1.1) < 0.14 ||
    (x > 0.36 && x < 0.71 && y > 0.3 && y < 0.72) ||
    ((Math.abs(x - 0.42) < 0.05 || Math.abs(x - 0.61) < 0.06) && y > 0.5) ||
    (x >= 0.7 && Math.abs(y - 0.4) < 0.04)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (!inside(x / width, y / height) && chance() > 0.01) continue
      const alpha = chance() < 0.15 ? Math.floor(chance() * 256) : 255
      const light = Math.floor(chance() * 40)
      bitmap.data.set([y < height / 3 ? 190 + light : 40 + light, 70 + light, x > width / 2 ? 200 : 60, alpha], 4 * (y * width + x))
    }
  return bitmap
}

test('of a small, a wide and a high frame, these very numbers are measured', () => {
  const frames = [figure(30, 26, 1), figure(211, 140, 2), figure(130, 260, 3)]
  expect(frames.flatMap((frame) => measureFrames([frame]).map(told))).toMatchInlineSnapshot(`
    [
      "width 30, height 26, area 207, core 16.118, centreX 16.396, centreY 13.493, spread 4.899, head 3, foot 25, left 11, right 23, rim 0, contacts 1,2,4,0, border 0.089, isHard false, isFaint false, colours 3683 3420 3155 3692 3436 3139 3411 3148 2883 3164 3427 2892 579 835 851 1123 588 860 1132 1107 844 1116 | 4 3 7 3 4 3 4 5 2 6 2 3 20 5 23 17 20 40 33 1 1 1 | 226.5 106.5 60 211.333 91.333 200 204.286 84.286 60 226.667 106.667 200 219.75 99.75 200 194.667 74.667 60 212.75 92.75 60 194.6 74.6 200 190.5 70.5 60 202.833 82.833 200 218.5 98.5 60 190.667 70.667 200 43.95 73.95 60 48.4 78.4 60 55.652 85.652 60 72.706 102.706 60 43.55 73.55 200 56.325 86.325 200 72.212 102.212 200 64 94 60 49 79 200 65 95 200, thumb 95694.113 4a1739b4",
      "width 211, height 140, area 8024, core 110.756, centreX 116.916, centreY 73.016, spread 31.592, head 2, foot 139, left 1, right 210, rim 0, contacts 1,9,25,0, border 0.091, isHard false, isFaint false, colours 2892 3436 3420 3139 3155 3692 3148 3164 3411 2883 3427 3683 1107 851 579 1123 588 1116 1132 860 835 844 | 10 46 44 47 47 34 56 57 27 11 40 19 31 210 126 198 169 52 344 358 33 47 | 190.5 70.5 200 219.543 99.543 200 212.159 92.159 200 195.553 75.553 60 203.213 83.213 60 226.118 106.118 200 195.232 75.232 200 202.772 82.772 200 211.963 91.963 60 190.455 70.455 60 219.1 99.1 60 226.211 106.211 60 64.323 94.323 60 56.738 86.738 60 43.627 73.627 60 72.914 102.914 60 43.686 73.686 200 64.462 94.462 200 72.57 102.57 200 56.575 86.575 200 48.636 78.636 60 48.596 78.596 200, thumb 97194.17 562289e1",
      "width 130, height 260, area 9392, core 68.405, centreX 72.092, centreY 134.759, spread 33.572, head 10, foot 259, left 1, right 129, rim 0.01, contacts 1,21,13,1, border 0.074, isHard false, isFaint false, colours 3148 2892 3683 2883 3411 3164 3155 3139 3420 3436 3427 3692 1123 835 851 1132 860 588 1116 579 1107 844 | 65 10 35 11 52 57 52 41 55 65 47 46 251 43 238 383 386 207 64 151 37 52 | 195.369 75.369 200 190.6 70.6 200 226.771 106.771 60 190.455 70.455 60 211.904 91.904 60 203.316 83.316 200 203.25 83.25 60 196.195 76.195 60 211.127 91.127 200 219.492 99.492 200 218.851 98.851 60 226.5 106.5 200 72.454 102.454 60 48.512 78.512 60 56.395 86.395 60 72.235 102.235 200 56.544 86.544 200 43.604 73.604 200 64.469 94.469 200 43.543 73.543 60 64.514 94.514 60 48.558 78.558 200, thumb 99583.091 372052c7",
    ]
  `)
})

test('a frame is measured by itself, once for all that are equal to it', () => {
  const [one, other] = [figure(20, 20, 4), figure(20, 20, 5)]
  const [first, second, again, last] = measureFrames([one, other, { ...one, data: one.data.slice() }, drawn(20, 20)])
  expect([told(first!), told(second!)]).toEqual([told(measureFrames([one])[0]!), told(measureFrames([other])[0]!)])
  expect([again === first, last === first]).toEqual([true, false])
})

test('in a blank frame everything is 0, and it is neither hard nor faint', () => {
  expect(told(measured(9, 7))).toMatchInlineSnapshot(
    `"width 9, height 7, area 0, core 0, centreX 0, centreY 0, spread 0, head 0, foot 0, left 0, right 0, rim 0, contacts 0,0,0,0, border 0, isHard false, isFaint false, colours  |  | , thumb 0 48b25f21"`,
  )
})

describe('the ends of a figure', () => {
  const ends = ({ left, head, right, foot }: FrameMeasure): readonly number[] => [left, head, right, foot]

  test.each<[string, readonly [number, number], readonly Filled[], readonly number[]]>([
    ['a figure', [20, 16], [[4, 3, 9, 8]], [4, 3, 12, 10]],
    ['a figure that fills its frame', [8, 6], [[0, 0, 8, 6]], [0, 0, 7, 5]],
    ['a large figure, to the pixel', [200, 150], [[33, 17, 100, 76]], [33, 17, 132, 92]],
    ['a larger one, to the pixel', [400, 300], [[31, 18, 101, 79]], [31, 18, 131, 96]],
    [
      'sparks of two pixels',
      [20, 20],
      [
        [6, 6, 6, 6],
        [8, 2, 2, 1],
        [8, 17, 2, 1],
        [1, 8, 1, 2],
        [18, 8, 1, 2],
      ],
      [6, 6, 11, 11],
    ],
    [
      'parts of three pixels',
      [20, 20],
      [
        [6, 6, 6, 6],
        [8, 2, 3, 1],
        [8, 17, 3, 1],
        [1, 8, 1, 3],
        [18, 8, 1, 3],
      ],
      [1, 2, 18, 17],
    ],
    [
      'parts of three half-clear pixels',
      [20, 20],
      [
        [6, 6, 6, 6],
        [8, 2, 3, 1, [9, 9, 9, 127]],
        [18, 8, 1, 3, [9, 9, 9, 128]],
      ],
      [6, 6, 18, 11],
    ],
    [
      'nothing but sparks',
      [20, 20],
      [
        [3, 3, 2, 2],
        [12, 12, 2, 2],
      ],
      [0, 0, 0, 0],
    ],
    ['three pixels of a row', [20, 20], [[5, 7, 3, 1]], [0, 7, 0, 7]],
  ])('of %s are told', (_, [width, height], boxes, expected) => {
    expect(ends(measured(width, height, ...boxes))).toEqual(expected)
  })
})

test.each<[string, readonly Filled[], number]>([
  ['a box', [[4, 3, 9, 8]], 8],
  ['a box of even width', [[4, 3, 8, 8]], 7.5],
  [
    'columns of less than six tenths of the tallest',
    [
      [2, 0, 5, 10],
      [7, 0, 8, 5],
    ],
    4,
  ],
  [
    'columns of six tenths of the tallest',
    [
      [2, 0, 5, 10],
      [7, 0, 8, 6],
    ],
    6.4,
  ],
  [
    'two towers',
    [
      [2, 2, 2, 9],
      [12, 2, 3, 9],
    ],
    12,
  ],
])('the body of %s is at its median column', (_, boxes, core) => {
  expect(rounded(measured(20, 20, ...boxes).core)).toBe(core)
})

test('the edges of the canvas are touched by the longest run of solid pixels, and covered by all that are hardly clear', () => {
  const half = [9, 9, 9, 127] as const
  const { contacts, border } = measured(
    ...([20, 10] as const),
    ...([
      [1, 0, 3, 1],
      [6, 0, 5, 1],
      [13, 0, 4, 1],
      [19, 1, 1, 2, half],
      [19, 4, 1, 3],
      [0, 9, 9, 1],
      [10, 9, 7, 1, half],
    ] as Filled[]),
    ...([
      [0, 1, 1, 2],
      [0, 5, 1, 1, [9, 9, 9, 8]],
      [0, 7, 1, 1, [9, 9, 9, 7]],
    ] as Filled[]),
  )
  expect([contacts, rounded(border * 60)]).toEqual([[5, 3, 9, 2], 12 + 5 + 16 + 4])
  expect(measured(8, 6, [0, 0, 8, 6])).toMatchObject({ contacts: [8, 6, 8, 6], border: 1 })
})

test.each<[number, number, boolean, boolean]>([
  [0, 255, true, false],
  [0, 249, true, false],
  [1, 249, false, false],
  [1, 250, true, false],
  [1, 16, false, false],
  [1, 15, true, false],
  [80, 200, false, false],
  [81, 200, false, true],
  [100, 200, false, true],
])('a figure of 100 pixels, %i of them with an alpha of %i, is hard: %s, and faint: %s', (count, alpha, isHard, isFaint) => {
  const solid = 100 - (alpha < 128 ? 0 : count)
  const boxes = Array.from({ length: count }, (_, at): Filled => [at % 20, 12 + Math.floor(at / 20), 1, 1, [9, 9, 9, alpha]])
  const found = measured(20, 20, ...boxes, ...Array.from({ length: solid }, (_, at): Filled => [at % 20, Math.floor(at / 20), 1, 1]))
  expect([found.area, found.isHard, found.isFaint]).toEqual([100, isHard, isFaint])
})

test('two frames differ by the share of their content that is in one of them', () => {
  const [left, right, both, none] = measureFrames([
    ...[drawn(32, 32, [0, 0, 4, 4]), drawn(32, 32, [8, 0, 4, 4]), drawn(32, 32, [0, 0, 4, 4], [8, 0, 4, 4]), drawn(32, 32)],
  ]).map(({ thumb }) => thumb)
  expect(
    [
      difference(left!, left!),
      difference(left!, right!),
      difference(both!, right!),
      difference(none!, right!),
      difference(none!, none!),
    ].map(rounded),
  ).toEqual([0, 200, 66.667, 200, 0])
})
