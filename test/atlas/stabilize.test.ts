import { beforeAll, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap } from '../../atlas/index.ts'
import { inspectQuality } from '../../atlas/quality/quality.ts'
import { stabilize } from '../../atlas/quality/stabilize.ts'
import { type Drawn, drawAll, seeded } from './drawn.ts'
import { moved, roomy } from './faulty.ts'
import { doll, fourfold, thin } from './quality/shapes.ts'

let clean: readonly Drawn[] = []
beforeAll(async () => {
  clean = await drawAll(['a knight with a red plume and a sword', 'a cat', 'a pink slime', 'a robot'])
})

const loop = { loop: true }

function walk(): readonly Bitmap[] {
  return roomy(clean.find(({ name }) => name.startsWith('a robot, walk 8'))!.frames, 30)
}

test('clean motions come back as they were: bobs, leaps, lunges and the beat of a run stay', () => {
  for (const { name, frames } of clean) expect(stabilize(frames, loop).frames === frames, name).toBe(true)
})

test('frames that slipped by whole pixels go back to within a pixel or two of their place, the others stay', () => {
  const chance = seeded(11)
  for (const { name, motion, frames: drawn } of clean) {
    if (motion !== 'idle') continue
    const frames = roomy(drawn, 30)
    for (const [x, y] of [
      [9, 0],
      [0, -7],
      [-12, 6],
      [8, 8],
    ] as const) {
      const at = 1 + Math.floor(chance() * (frames.length - 2))
      const { moves } = stabilize(
        frames.map((frame, i) => (i === at ? moved(frame, x, y) : frame)),
        loop,
      )
      expect(Math.abs(moves[at]!.x + x), name).toBeLessThanOrEqual(2)
      expect(Math.abs(moves[at]!.y + y), name).toBeLessThanOrEqual(2)
      expect(moves.filter((_, i) => i !== at).every((move) => move.x === 0 && move.y === 0)).toBe(true)
    }
  }
})

test('several frames that slipped different ways go back', () => {
  const frames = roomy(clean.find(({ motion }) => motion === 'idle')!.frames, 30)
  const slips = new Map([
    [2, 8],
    [3, -7],
    [8, 9],
  ])
  const { moves } = stabilize(
    frames.map((frame, at) => moved(frame, slips.get(at) ?? 0, 0)),
    loop,
  )
  for (const [at, { x, y }] of moves.entries()) {
    expect(Math.abs(x + (slips.get(at) ?? 0))).toBeLessThanOrEqual(3)
    expect(y).toBe(0)
  }
})

test('a creep over the loop is taken out, the first frame staying where it is', () => {
  const frames = roomy(clean.find(({ motion }) => motion === 'idle')!.frames, 30)
  const last = frames.length - 1
  const { moves } = stabilize(
    frames.map((frame, at) => moved(frame, 0, Math.round((12 * at) / last))),
    loop,
  )
  expect(moves[0]).toEqual({ x: 0, y: 0 })
  for (const [at, { y }] of moves.entries()) expect(Math.abs(y + (12 * at) / last)).toBeLessThanOrEqual(1.5)
})

test('frames that the service moved are put between those that it did not move', () => {
  const frames = walk().map((frame, at) => (at === 3 || at === 4 ? moved(frame, 20, 0) : frame))
  const { moves } = stabilize(frames, { loop: true, shifted: [3, 4] })
  expect(moves.map(({ x }) => x !== 0)).toEqual([false, false, false, true, true, false, false, false])
  for (const at of [3, 4]) expect(Math.abs(moves[at]!.x + 20)).toBeLessThanOrEqual(8)
})

test('where the service moved more than half of the frames, there is nothing to hold on to, and they stay', () => {
  const frames = walk()
  expect(stabilize(frames, { loop: true, shifted: [0, 1, 2, 3, 4] }).frames).toBe(frames)
})

test.each([
  // The third frame fills its canvas. Its neighbours are narrower or lower and stand at one edge, so it moves
  // beyond that edge.
  ['left', { x: 0, y: 2 }, { width: 10, height: 16 }, { width: 20, height: 16 }, { x: -5, y: 0 }],
  ['right', { x: 10, y: 2 }, { width: 10, height: 16 }, { width: 20, height: 16 }, { x: 5, y: 0 }],
  ['up', { x: 2, y: 0 }, { width: 16, height: 10 }, { width: 16, height: 20 }, { x: 0, y: -10 }],
] as const)(
  'nothing is cut off: a frame that moves %s makes the canvas grow on both sides, and keeps its pixels',
  (_way, at, small, large, move) => {
    const [figure, filling] = [createBitmap(small.width, small.height), createBitmap(large.width, large.height)]
    figure.data.fill(255)
    filling.data.fill(255)
    const put = (picture: Bitmap, x: number, y: number): Bitmap => {
      const frame = createBitmap(20, 20)
      blit(frame, picture, x, y)
      return frame
    }
    const standing = put(figure, at.x, at.y)
    const broad = put(filling, move.x === 0 ? at.x : 0, move.y === 0 ? at.y : 0)
    const frames = [standing, standing, broad, standing, createBitmap(20, 20), standing]
    const { frames: steady, moves, origin } = stabilize(frames, { loop: true, shifted: [2] })
    expect(moves.map(({ x, y }) => [x, y])).toEqual(frames.map((_, index) => (index === 2 ? [move.x, move.y] : [0, 0])))
    expect(origin).toEqual({ x: Math.abs(move.x), y: Math.abs(move.y) })
    for (const [index, frame] of steady.entries()) {
      const whole = createBitmap(20 + 2 * origin.x, 20 + 2 * origin.y)
      blit(whole, frames[index]!, origin.x + moves[index]!.x, origin.y + moves[index]!.y)
      expect(frame).toEqual(whole)
    }
  },
)

test('blank frames stay blank and do not count as neighbours', () => {
  const blank = createBitmap(walk()[0]!.width, walk()[0]!.height)
  const frames = walk().map((frame, at) => (at === 2 ? blank : frame))
  expect(stabilize(frames, loop).frames).toBe(frames)
})

/** A still figure of one size on a roomy canvas, several times. */
function still(width: number, height: number, count = 6): readonly Bitmap[] {
  const canvas = createBitmap(width + 60, height + 60)
  blit(canvas, createBitmap(width, height, new Uint8Array(width * height * 4).fill(255)), 30, 30)
  return Array.from({ length: count }, () => canvas)
}

test.each([
  // Four percent of 24 pixels are less than a pixel. This is rounding, for which the limit in pixels applies.
  ['a small figure', 24, 24, 1, 2],
  // Four percent of 300 pixels are twelve: a slip of five is no fault of a large figure.
  ['a large figure', 300, 300, 5, 12],
] as const)('%s goes back from a slip over both limits, and stays under either', (_name, width, height, under, over) => {
  const slipped = (by: number) => still(width, height).map((frame, at) => (at === 2 ? moved(frame, 0, by) : frame))
  expect(stabilize(slipped(under), loop).moves.every(({ x, y }) => x === 0 && y === 0)).toBe(true)
  expect(stabilize(slipped(over), loop).moves[2]).toEqual({ x: 0, y: -over })
})

test.each([
  [3, 0],
  [4, -12],
])('of %i frames, one that slipped by 12 pixels moves by %i', (count, by) => {
  const frames = still(40, 40, count).map((frame, at) => (at === 1 ? moved(frame, 0, 12) : frame))
  expect(stabilize(frames, loop).moves.map(({ x, y }) => [x, y])).toEqual(frames.map((_, at) => [0, at === 1 ? by : 0]))
})

test('each fault of a doll has this very figure, its frames and its moves, and what is none has none of them', () => {
  const swing = [0, 3, 6, 9, 12, 9, 6, 3]
  const far = [-9, -4, 0, 4, 9, 5, 1, -4]
  const dance = (change: (at: number) => Parameters<typeof doll>[0], count = 8): Bitmap[] =>
    Array.from({ length: count }, (_, at) => doll({ arm: swing[at % 8]!, ...change(at) }))
  const only = (frame: number, change: Parameters<typeof doll>[0]) => dance((at) => (at === frame ? change : {}))
  const clear = createBitmap(40, 48)
  const filled = createBitmap(40, 48, new Uint8Array(40 * 48 * 4).fill(200))
  const round = (at: number): number => Math.sin((at / 8) * 2 * Math.PI)
  const cases: Readonly<Record<string, readonly Bitmap[]>> = {
    clean: dance(() => ({})),
    'jumps up': only(3, { y: -3 }),
    'jumps aside': only(0, { x: 4 }),
    'slips by a pixel': only(3, { x: 1, y: -1 }),
    'creeps down': dance((at) => ({ y: Math.round(at / 2) - 3 })),
    'creeps aside': dance((at) => ({ x: Math.round(at / 2) - 3 })),
    crosses: dance((at) => ({ x: 4 * at - 14 })),
    'runs in two beats': dance((at) => ({ y: at % 4 === 1 ? -4 : 0 })),
    shakes: dance((at) => ({ x: [0, 3, 0, 3, 0, 0, 0, 0][at]! })),
    'bobs round': dance((at) => ({ y: Math.round(4 * round(at)) - 4 })),
    grows: only(5, { size: 1.2 }),
    'grows slowly': dance((at) => ({ size: 1 + at / 40 })),
    'is dyed': only(2, { dye: 30 }),
    'pulses in colour': dance((at) => ({ dye: Math.round(9 + 9 * round(at)) })),
    'has a white rim': only(6, { rim: 0xfffafafa }),
    'has a green rim': dance(() => ({ rim: 0xff0af00a })),
    'has a dark rim': dance(() => ({ rim: 0xff0a0a0a })),
    'keeps its background': [...only(1, {}).slice(0, 7), filled],
    'repeats a picture': dance((at) => ({ x: far[at === 2 ? 1 : at]!, arm: 0 })),
    'repeats a picture in other colours': dance((at) => ({ x: far[at === 2 ? 1 : at]!, arm: 0, dye: at === 2 ? 12 : 0 })),
    'holds half of its pictures': dance((at) => ({ arm: swing[at - (at % 2)]! })),
    'is blank once': [...dance(() => ({})).slice(0, 4), clear, ...dance(() => ({})).slice(5)],
    fades: dance((at) => ({ alpha: Math.max(0, 240 - 40 * at) })),
    appears: dance((at) => ({ alpha: Math.min(240, 40 * at) })),
    'is gone at once': [...dance(() => ({})).slice(0, 6), clear, clear],
    'is there at once': [clear, clear, ...dance(() => ({})).slice(2)],
    'leaves on the right': dance((at) => ({ x: at > 4 ? 9 : 0 })),
    'leaves at the top': only(4, { y: -14 }),
    'stands on the edge': dance(() => ({ y: 4 })),
    'is cut short': dance((at) => ({ arm: 2 * at, y: -at }), 6),
    'is blank first and jumps later': [clear, ...only(5, { x: 4, y: -3 }).slice(1)],
    'sways in two beats': dance((at) => ({ x: at % 4 === 1 ? -4 : 0 })),
    'jumps at the end': only(7, { y: -3 }),
    'creeps down and jumps': dance((at) => ({ y: Math.round(at / 2) - 3 - (at === 3 ? 6 : 0) })),
    'creeps aside and grows': dance((at) => ({ x: Math.round(at / 2) - 3, arm: 0, size: 1 + at / 60 })),
    'grows slowly and once': dance((at) => ({ size: 1 + at / 60 + (at === 3 ? 0.25 : 0) })),
    explodes: dance((at) => ({ size: [0.4, 0.7, 1, 1.3, 0.5, 0.9, 1.2, 0.6][at]! })),
    falls: dance((at) => ({ y: 2 * at - 14 })),
    'repeats a soft picture': dance((at) => ({ alpha: 245, arm: swing[at === 2 ? 1 : at]! })),
    'repeats its last picture': dance((at) => ({ x: far[at === 7 ? 6 : at]! })),
    'repeats its first picture at the end': dance((at) => ({ x: far[at === 7 ? 0 : at]! })),
    'repeats three pictures': dance((at) => ({ x: far[[0, 0, 2, 2, 4, 4, 6, 7][at]!]! })),
    'is large and slips a little': [
      ...dance(() => ({}))
        .slice(0, 7)
        .map((frame) => fourfold(frame)),
      moved(fourfold(doll()), 5, -4),
    ],
    'is large and slips': [
      ...dance(() => ({}))
        .slice(0, 7)
        .map((frame) => fourfold(frame)),
      moved(fourfold(doll()), 8, -6),
    ],
    'shows a flash': only(4, { dye: 150 }),
    'is dyed half of the time': dance((at) => ({ dye: at % 2 === 0 ? 30 : 0 })),
    'is thin once': [...dance(() => ({})).slice(0, 6), thin(doll()), doll()],
    'has two frames': dance((at) => ({ y: at === 1 ? -5 : 0 }), 2),
    'has four frames': dance((at) => ({ y: at === 1 ? -5 : 0, arm: 3 * at }), 4),
    'has three frames': dance((at) => ({ y: at === 1 ? -5 : 0 }), 3),
  }
  const open = [
    'jumps aside',
    'creeps down',
    'runs in two beats',
    'is dyed',
    'repeats a picture',
    'fades',
    'appears',
    'is gone at once',
    'is there at once',
    'is cut short',
  ]
  const told = [
    ...Object.entries(cases).map(([name, frames]) => ({ name, frames, options: { loop: true } })),
    ...open.map((name) => ({ name: `${name}, once`, frames: cases[name]!, options: { loop: false } })),
    { name: 'creeps down, and back', frames: cases['creeps down']!, options: { loop: true, yoyo: true } },
    ...['has a white rim', 'keeps its background', 'leaves at the top'].map((name) => {
      return { name: `${name}, which is meant`, frames: cases[name]!, options: { loop: true, background: 'keep' as const } }
    }),
  ].map(({ name, frames, options }) => {
    const { figures, flags } = inspectQuality(frames, options)
    const shown = Object.values(figures).map((value) => Number(value.toFixed(3)))
    const moves = stabilize(frames, options).moves.flatMap(({ x, y }, at) => (x === 0 && y === 0 ? [] : [`${at} by ${x}, ${y}`]))
    return `${name}: ${shown.join(' ')}${flags.map(({ fault, frames: at, limit }) => `; ${fault} ${at.join()} over ${limit.toFixed(3)}`).join('')}${moves.length === 0 ? '' : ` | moves ${moves.join('; ')}`}`
  })
  expect(told).toMatchInlineSnapshot(`
    [
      "clean: 0 0 0 0.847 0 0 0 0 0 0",
      "jumps up: 3 0 0 0.26 0 0 0 0 0 0; foot-line 3 over 1.500 | moves 3 by 0, 3",
      "jumps aside: 0 4 0 1 0 0 0 0 0 0; body-anchor 0 over 1.500 | moves 0 by -4, 0",
      "slips by a pixel: 1 1 0 0.299 0 0 0 0 0 0",
      "creeps down: 5 0 0 2.389 0 0 0 0 0 0; foot-line 7 over 1.500; loop-seam 0,7 over 1.150 | moves 1 by 0, -1; 2 by 0, -1; 3 by 0, -2; 4 by 0, -2; 5 by 0, -3; 6 by 0, -4; 7 by 0, -4",
      "creeps aside: 0 5 0 2.631 0 0 0 0 0 0; body-anchor 7 over 1.500; loop-seam 0,7 over 1.150 | moves 1 by -1, 0; 2 by -1, 0; 3 by -2, 0; 4 by -2, 0; 5 by -3, 0; 6 by -4, 0; 7 by -4, 0",
      "crosses: 0 0 0 0 0 0 0 0.136 0 24; cut-off 0,5,6,7 over 3.000",
      "runs in two beats: 0 0 0 0.21 0 0 0 0 0 0",
      "shakes: 0 0 0 0.176 0 0 0 0 0 0",
      "bobs round: 0 0 0 0.724 0 0 0 0 0 0",
      "grows: 0 0 0.16 0.173 0 0 0 0 0 0; scale 5 over 0.040",
      "grows slowly: 0 0 0.169 1.971 0 0 0 0 0 0; scale 7 over 0.040; loop-seam 0,7 over 1.150",
      "is dyed: 0 0 0 0.519 0 44 0 0 0 0; palette 2 over 6.000",
      "pulses in colour: 0 0 0 0.869 0 0 0 0 0 0",
      "has a white rim: 0 0 0 0.701 0 0 0.5 0 0 0; halo 6 over 0.300",
      "has a green rim: 0 0 0 0.852 0 0 0.5 0 0 0; halo 0,1,2,3,4,5,6,7 over 0.300",
      "has a dark rim: 0 0 0 0.875 0 0 0 0 0 0",
      "keeps its background: 0 0 0 0 0 0 0 1 0 0; background 7 over 0.200",
      "repeats a picture: 0 0 0 0.625 1 0 0 0.017 0 3; duplicate 2 over 1.000; cut-off 4,5 over 3.000",
      "repeats a picture in other colours: 0 0 0 0.619 0 20.785 0 0.017 0 3; palette 2 over 6.000; cut-off 4,5 over 3.000",
      "holds half of its pictures: 0 0 0 0.881 0 0 0 0 0 0",
      "is blank once: 0 0 0 0.957 0 0 0 0 1 0; blank 4 over 1.000",
      "fades: 0 0 0 0 0 0 0 0 2 0; blank 6,7 over 1.000",
      "appears: 0 0 0 0 0 0 0 0 1 0; blank 0 over 1.000",
      "is gone at once: 0 0 0 0 0 0 0 0 2 0; blank 6,7 over 1.000",
      "is there at once: 0 0 0 0 0 0 0 0 2 0; blank 0,1 over 1.000",
      "leaves on the right: 0 8.649 0 1.015 0 0 0 0.017 0 3; body-anchor 7 over 1.500; cut-off 5,6,7 over 3.000 | moves 1 by -1, 0; 2 by -2, 0; 3 by -3, 0; 4 by -4, 0; 5 by -5, 0; 6 by -6, 0; 7 by -8, 0",
      "leaves at the top: 13.056 0 0.019 0.082 0 0 0 0.057 0 10; foot-line 4 over 1.500; cut-off 4 over 3.000 | moves 4 by 0, 14",
      "stands on the edge: 0 0 0 0.883 0 0 0 0.068 0 0",
      "is cut short: 6 0 0 4.376 0 0 0 0 0 0; foot-line 5 over 1.500; loop-seam 0,5 over 1.150 | moves 1 by 0, 1; 2 by 0, 2; 3 by 0, 3; 4 by 0, 4; 5 by 0, 5",
      "is blank first and jumps later: 3 4 0 0 0 0 0 0 1 0; foot-line 5 over 1.500; body-anchor 5 over 1.500; blank 0 over 1.000 | moves 5 by -4, 3",
      "sways in two beats: 0 4 0 0.139 0 0 0 0 0 0; body-anchor 1,5 over 1.500 | moves 1 by 4, 0; 5 by 4, 0",
      "jumps at the end: 3 0 0 0.735 0 0 0 0 0 0; foot-line 7 over 1.500 | moves 7 by 0, 3",
      "creeps down and jumps: 5 0 0 0.713 0 0 0 0 0 0; foot-line 3 over 1.500 | moves 1 by 0, -1; 2 by 0, -1; 3 by 0, 3; 4 by 0, -2; 5 by 0, -3; 6 by 0, -4; 7 by 0, -4",
      "creeps aside and grows: 0 4.692 0.093 2.509 0 0 0 0 0 0; body-anchor 7 over 1.500; scale 7 over 0.040; loop-seam 0,7 over 1.150 | moves 1 by -1, 0; 2 by -1, 0; 3 by -2, 0; 4 by -2, 0; 5 by -3, 0; 6 by -4, 0; 7 by -4, 0",
      "grows slowly and once: 0 0 0.194 0.53 0 0 0 0.023 0 4; scale 3 over 0.040; cut-off 3 over 3.000",
      "explodes: 0 0 0 0.564 0 0 0 0.023 0 4; cut-off 3 over 3.000",
      "falls: 16 0 0.017 4.214 0 0 0 0.057 0 10; foot-line 7 over 1.500; loop-seam 0,7 over 1.150; cut-off 0,1 over 3.000 | moves 1 by 0, -2; 2 by 0, -4; 3 by 0, -6; 4 by 0, -8; 5 by 0, -10; 6 by 0, -12; 7 by 0, -14",
      "repeats a soft picture: 0 0 0 0.847 1 0 0 0 0 0; duplicate 2 over 1.000",
      "repeats its last picture: 0 12.5 0 1.873 0 0 0 0.017 0 3; body-anchor 7 over 1.500; loop-seam 0,7 over 1.150; cut-off 4,5 over 3.000 | moves 1 by -2, 0; 2 by -3, 0; 3 by -5, 0; 4 by -6, 0; 5 by -8, 0; 6 by -9, 0; 7 by -11, 0",
      "repeats its first picture at the end: 0 0 0 0.062 0 0 0 0.017 0 3; cut-off 4,5 over 3.000",
      "repeats three pictures: 0 0 0 0.575 0 0 0 0.017 0 3; cut-off 4,5 over 3.000",
      "is large and slips a little: 4 4 0 0.824 0 0 0 0 0 0",
      "is large and slips: 6 8 0 0.927 0 0 0 0 0 0; foot-line 7 over 4.341; body-anchor 7 over 5.426 | moves 7 by -8, 6",
      "shows a flash: 0 0 0 0.22 0 0 0 0 0 0",
      "is dyed half of the time: 0 0 0 0.916 0 0 0 0 0 0",
      "is thin once: 0 0 0 0 0 0 0 0 0 0",
      "has two frames: 0 0 0 0 0 0 0 0 0 0",
      "has four frames: 5 0 0 0.186 0 0 0 0 0 0; foot-line 1 over 1.500 | moves 1 by 0, 5",
      "has three frames: 5 0 0 0 0 0 0 0 0 0; foot-line 1 over 1.500",
      "jumps aside, once: 0 0 0 0 0 0 0 0 0 0",
      "creeps down, once: 0 0 0 0 0 0 0 0 0 0",
      "runs in two beats, once: 4 0 0 0 0 0 0 0 0 0; foot-line 1,5 over 1.500 | moves 1 by 0, 4; 5 by 0, 4",
      "is dyed, once: 0 0 0 0 0 44 0 0 0 0; palette 2 over 6.000",
      "repeats a picture, once: 0 0 0 0 0 0 0 0.017 0 3; cut-off 4,5 over 3.000",
      "fades, once: 0 0 0 0 0 0 0 0 0 0",
      "appears, once: 0 0 0 0 0 0 0 0 0 0",
      "is gone at once, once: 0 0 0 0 0 0 0 0 2 0; blank 6,7 over 1.000",
      "is there at once, once: 0 0 0 0 0 0 0 0 2 0; blank 0,1 over 1.000",
      "is cut short, once: 0 0 0 0 0 0 0 0 0 0",
      "creeps down, and back: 0 0 0 0 0 0 0 0 0 0",
      "has a white rim, which is meant: 0 0 0 0.701 0 0 0 0 0 0",
      "keeps its background, which is meant: 0 0 0.405 1 0 0 0 0 0 0; scale 7 over 0.040",
      "leaves at the top, which is meant: 13.056 0 0.019 0.082 0 0 0 0 0 0; foot-line 4 over 1.500 | moves 4 by 0, 14",
    ]
  `)
})
