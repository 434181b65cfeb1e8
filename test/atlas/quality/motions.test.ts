import { describe, expect, test } from 'vitest'
import { inspectQuality } from '../../../atlas/quality/quality.ts'
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
