import { beforeAll, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap } from '../../atlas/index.ts'
import { stabilize } from '../../atlas/quality/stabilize.ts'
import { type Drawn, drawAll, seeded } from './drawn.ts'
import { moved, roomy } from './faulty.ts'

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
