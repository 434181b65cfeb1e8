import { describe, expect, test } from 'vitest'
import { commonJumps, commonShift, isTravel, jumpsOf, quantile, seamStep, withoutBeat } from '../../../atlas/quality/course.ts'
import { inspectQuality } from '../../../atlas/quality/quality.ts'
import { createRim, lightOf } from '../../../atlas/quality/rim.ts'
import { stabilize } from '../../../atlas/quality/stabilize.ts'
import { seeded } from '../drawn.ts'
import { drawClean } from './clean.ts'
import { ball, createLook, walker } from './figures.ts'
import { drawFrames, drawPlanted } from './planted.ts'
import { draw, move, pixels, type Style, vectors } from './shapes.ts'
import { checkTable } from './table.ts'

const sets = [1, 2]

test('in pixel art of 48 px at most 3 of 29 clean animations are flagged, and at least 24 of 28 faults found', () => {
  const { flagged, missed } = checkTable(2, pixels)
  expect(flagged.length, flagged.join('; ')).toBeLessThanOrEqual(3)
  expect(missed.length, missed.join('; ')).toBeLessThanOrEqual(4)
})

test.each([
  'spin',
  'bouncing jump',
  'bat flap',
  'rainbow',
  'death that holds its last frame',
  'shake',
  'red blink',
  'walk across the canvas',
])('a %s is a motion, not a fault', (name) => {
  for (const style of [vectors, pixels]) {
    const clean = drawClean(1).find((one) => one.name === name)!
    expect(inspectQuality(drawFrames(clean, style), { loop: clean.isLoop }).flags, style.name).toEqual([])
  }
})

describe('stabilize', () => {
  const named = (seed: number, name: string, style: Style) => {
    const clean = drawClean(seed).find((one) => one.name === name)!
    return { frames: drawFrames(clean, style), options: { loop: clean.isLoop } }
  }

  test.each([
    'bouncing jump',
    'shake',
    'spin',
    'jump',
    'climb',
    'octopus, swim',
    'jelly, hop',
    'animal, gallop',
    'walk across the canvas',
    'death that holds its last frame',
  ])('leaves every frame of a %s where it is', (name) => {
    for (const seed of sets) {
      const { frames, options } = named(seed, name, pixels)
      expect(
        stabilize(frames, options).moves.filter(({ x, y }) => x !== 0 || y !== 0),
        `${name}, set ${seed}`,
      ).toEqual([])
    }
    const { frames, options } = named(1, name, vectors)
    expect(stabilize(frames, options).frames === frames, name).toBe(true)
  })

  test('leaves a ball that bounces in six frames, and a shake of four frames', () => {
    const look = createLook(seeded(77))
    const bounce = Array.from({ length: 6 }, (_, at) => move(ball(look, 0), 0, -1.4 * (at / 6) * (1 - at / 6)))
    const shake = Array.from({ length: 10 }, (_, at) => move(walker(look, {}), at < 3 || at > 6 ? 0 : at % 2 === 0 ? -0.03 : 0.03, 0))
    for (const scenes of [bounce, shake])
      for (const style of [vectors, pixels]) {
        const frames = scenes.map((scene) => draw(scene, style, 'outlined'))
        expect(stabilize(frames, { loop: true }).frames === frames, style.name).toBe(true)
        expect(inspectQuality(frames, { loop: true }).flags, style.name).toEqual([])
      }
  })

  test('puts at least eight of ten slips of two and three hard pixels back', () => {
    const slips = sets
      .flatMap((seed) => drawPlanted(seed, pixels))
      .filter(({ fault, at }) => ['foot-line', 'body-anchor'].includes(fault) && at.length === 1)
      .filter(({ name }) => !name.includes('creep'))
    const back = slips.filter(({ fault, frames, at, isLoop }) => {
      const { x, y } = stabilize(frames, { loop: isLoop }).moves[at[0]!]!
      return (fault === 'foot-line' ? y : x) !== 0
    })
    expect(slips).toHaveLength(12)
    expect(back.length).toBeGreaterThanOrEqual(10)
  })
})

describe('the course of a value over the frames', () => {
  const [open, closed] = [false, true]

  test.each<[readonly number[], boolean, 0 | 1, readonly number[]]>([
    [[0, 5, 0, 0], open, 0, [0, 5, 0, 0]],
    [[0, -5, 1, 1], open, 0, [0, -5, 0, 0]],
    [[0, 5, 5, 0], open, 0, [0, 0, 0, 0]],
    [[0, 1, 2, 3], open, 0, [0, 0, 0, 0]],
    [[9, 1, 2, 9], open, 0, [0, -1, 0, 0]],
    [[9, 1, 2, 3], closed, 0, [6, -1, 0, 0]],
    [[0, 0, 0, 7], closed, 0, [0, 0, 0, 7]],
    [[0, 9], closed, 0, [0, 0]],
    [[0, 9, 0], closed, 0, [0, 9, 0]],
    [[0, 4, 9, 4, 0], open, 1, [0, 0, 1, 0, 0]],
    [[0, 0, 9, 4, 0], open, 1, [0, 0, 1, 0, 0]],
    [[0, 0, 9, 0, 0], open, 1, [0, 0, 9, 0, 0]],
  ])('%j, closed or not (%s), jumps with a reach of %i by %j', (values, isClosed, reach, jumps) => {
    expect(jumpsOf({ values, isClosed }, reach).map((by) => by + 0)).toEqual(jumps)
  })

  test('several rows jump together by their smallest jump, unless they shake or leap', () => {
    const rows = (...all: readonly (readonly number[])[]) => all.map((values) => ({ values, isClosed: closed }))
    expect(commonJumps(rows([0, 0, 5, 0, 0, 0], [1, 1, 4, 1, 1, 1]), 0.5, 1)).toEqual([0, 0, 3, 0, 0, 0])
    expect(commonJumps(rows([0, 0, 5, 0, 0, 0], [1, 1, -4, 1, 1, 1]), 0.5, 1)).toEqual([0, 0, 0, 0, 0, 0])
    expect(commonJumps(rows([0, 4, 9, 4, 0, 0]), 0.5, 1)).toEqual([0, 0, 0, 0, 0, 0])
    expect(commonJumps(rows([0, 4, 9, 4, 0, 0]), 0.1, 1)).toEqual([0, 0, 5, 0, 0, 0])
    expect(commonJumps(rows([0, 4, -4, 4, 0, 0, 0]), 0, 1)).toEqual([0, 0, 0, 0, 0, 0, 0])
  })

  test('several rows shift together by the smallest, or by the median up to so many times the smallest', () => {
    const rows = [
      [2, -2, 1, 0],
      [3, -6, -1, 1],
      [8, -4, 1, 1],
    ]
    expect(commonShift(rows)).toEqual([2, -2, 0, 0])
    expect(commonShift(rows, 1.25)).toEqual([2.5, -2.5, 0, 0])
    expect(commonShift(rows, 9)).toEqual([3, -4, 0, 0])
  })

  test.each<[readonly number[], boolean, number]>([
    [[0, 1, 2, 3], closed, -4],
    [[3, 2, 1, 0], closed, 4],
    [[0, 1, 2, 3], open, 0],
    [[0, 1, 2], closed, 0],
    [[0, 3, 0, 3], closed, 0],
    [[0, 1, 0, 5], closed, 0],
    [[0, 2, 3, 6], closed, -8.5],
  ])('%j, closed or not (%s), has an extra step of %d at its seam', (values, isClosed, step) => {
    expect(seamStep({ values, isClosed })).toBe(step)
  })

  test.each<[readonly number[], number, boolean]>([
    [[0, 2, 2, 5], 5, true],
    [[0, 2, 2, 5], 6, false],
    [[5, 2, 2, 0], 5, true],
    [[0, 3, 2, 5], 5, false],
    [[5, 6, 2, 0], 5, false],
  ])('%j goes at least %i one way: %s', (values, far, expected) => {
    expect(isTravel(values, far)).toBe(expected)
  })

  test.each<[string, readonly number[], readonly number[], boolean, readonly number[]]>([
    ['even', [1, 4], [0, 3, 0, 0, 3, 0], closed, []],
    ['open', [1, 4], [0, 3, 0, 0, 3, 0], open, [1, 4]],
    ['alone', [1], [0, 3, 0, 0, 0, 0], closed, [1]],
    ['near one another', [1, 3], [0, 3, 0, 3], closed, [1, 3]],
    ['a frame aside', [1, 5], [0, 3, 0, 0, 0, 3, 0, 0], closed, []],
    ['two frames aside', [1, 8], [0, 3, 0, 0, 0, 0, 0, 0, 3, 0], closed, [1, 8]],
    ['twice as high', [1, 4], [0, 3, 0, 0, 6, 0], closed, []],
    ['more than twice as high', [1, 4], [0, 3, 0, 0, 7, 0], closed, [1, 4]],
    ['of two signs', [1, 4], [0, 3, 0, 0, -3, 0], closed, [1, 4]],
    ['beside one of another sign', [1, 2, 4], [0, -3, 9, 0, -3, 0], closed, [2]],
  ])('of beats that are %s, at %j in %j, closed or not (%s), %j are left', (_, places, heights, isClosed, left) => {
    expect(withoutBeat(places, heights, isClosed)).toEqual(left)
  })

  test('a share of the values lies below its quantile', () => {
    expect([0, 0.25, 0.5, 0.99, 1].map((share) => quantile([10, 9, 1, 2], share))).toEqual([1, 2, 9, 10, 10])
    expect(quantile([], 0.5)).toBe(0)
  })
})

describe('the rim of a figure', () => {
  const [dark, pale, white, green, magenta, clear] = [0xff303030, 0xffa0a0a0, 0xffffffff, 0xff20e020, 0xffe020e0, 0]
  const soft = (alpha: number): number => ((alpha << 24) | 0xffffff) >>> 0
  const inner = Array(8).fill(dark)
  /** The share of rims of a row whose left end has these pixels and whose right end is dark. */
  const shareOf = (...left: readonly number[]): number => {
    const row = Int32Array.from([clear, clear, clear, clear, ...left, ...inner, clear, clear, clear, clear])
    const first = row.findIndex((pixel) => pixel !== 0)
    const rim = createRim(row, 1)
    rim.addRow(first, row.length - 4, 0, row.length)
    return rim.share()
  }

  test.each<[string, readonly number[], number]>([
    ['dark', [], 0],
    ['white', [white], 0.5],
    ['pale', [pale], 0.5],
    ['a little darker than pale', [0xff9f9f9f], 0],
    ['pale, but of one colour', [0xffffa0a0], 0],
    ['of the green of a screen', [green], 0.5],
    ['of the magenta of a screen', [magenta], 0.5],
    ['white and soft', [soft(48)], 0.5],
    ['white behind two faint pixels', [soft(20), soft(40), white], 0.5],
    ['white behind three faint pixels', [soft(20), soft(30), soft(40), white], 0],
  ])('that is %s is told in its share', (_, left, share) => {
    expect(shareOf(...left)).toBe(share)
  })

  test('is not looked for in a row of less than six pixels, nor in no row at all', () => {
    const share = (count: number): number => {
      const rim = createRim(Int32Array.from([white, ...Array(count - 1).fill(dark)]), 1)
      rim.addRow(0, count, 0, count)
      return rim.share()
    }
    expect([share(5), share(6), createRim(new Int32Array(), 1).share()]).toEqual([0, 0.5, 0])
  })

  test('is as light as an eye sees it', () => {
    expect([0xff0000ff, 0xff00ff00, 0xffff0000, 0xffffffff, 0].map(lightOf)).toEqual([63, 159, 31, 255, 0])
  })
})
