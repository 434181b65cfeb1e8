import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, decodePng, resize } from '../../atlas/index.ts'
import { inspectQuality } from '../../atlas/quality/quality.ts'
import type { QualityFault } from '../../atlas/quality/report.ts'
import { animate } from '../../src/embedded/artist/artist.ts'
import { paint } from '../../src/embedded/painter/painter.ts'
import { byLevel, level } from '../level.ts'
import { type Drawn, drawAll, figureOf, prompts, seeded } from './drawn.ts'
import { spoils } from './faulty.ts'

/** Motions and prompts that were not used to choose the limits. */
const further = {
  prompts: ['a skeleton', 'a goblin', 'a fish'],
  motions: [
    ['bounce', 8],
    ['float', 10],
    ['fly', 8],
    ['dance', 12],
  ],
} as const

/**
 * All sequences in the long run; otherwise every motion of a third of the figures, or of the first and the last one,
 * which is pixel art.
 */
const some = (words: readonly string[]): readonly string[] =>
  words.filter((_, index) => index % byLevel({ quick: 9, full: 3, long: 1 }) === 0)

let clean: readonly Drawn[] = []
let unseen: readonly Drawn[] = []
beforeAll(async () => {
  clean = await drawAll(some(prompts))
  unseen = await drawAll(some(further.prompts), further.motions)
})

const faults = Object.keys(spoils) as QualityFault[]

test('of faults that were put into drawn animations, at least 95 of 100 are found by their name and place', async () => {
  const chance = seeded(5)
  const missed: string[] = []
  const tally = new Map(faults.map((fault) => [fault, { put: 0, found: 0, others: 0 }]))
  for (const drawn of clean)
    for (const fault of faults)
      for (const strength of twoOf(spoils[fault].strengths, chance)) {
        const faulty = await spoils[fault].spoil(drawn, strength, chance)
        if (faulty === undefined) continue
        const { flags, figures } = inspectQuality(faulty.frames, { loop: true })
        const line = tally.get(fault)!
        line.put++
        line.others += flags.filter((flag) => flag.fault !== fault).length
        if (flags.some((flag) => flag.fault === fault && flag.frames.some((at) => faulty.at.includes(at)))) line.found++
        else missed.push(`${fault} × ${strength} in ${drawn.name} at ${faulty.at.join(', ')}: ${figures[fault].toFixed(3)}`)
      }
  const put = [...tally.values()].reduce((sum, line) => sum + line.put, 0)
  const found = [...tally.values()].reduce((sum, line) => sum + line.found, 0)
  const lines = [...tally].map(([fault, line]) => `  ${fault.padEnd(12)} ${line.found} of ${line.put}, other flags: ${line.others}`)
  console.log(
    `Found ${found} of ${put} faults (${((100 * found) / put).toFixed(1)} %).\n${lines.join('\n')}\nMissed:\n  ${missed.join('\n  ')}`,
  )
  expect(found / put).toBeGreaterThanOrEqual(0.95)
  for (const [fault, line] of tally) expect(line.found / line.put, fault).toBeGreaterThanOrEqual(0.9)
})

/** Two strengths of each fault for each animation, so that all of them occur. */
function twoOf(strengths: readonly number[], chance: () => number): readonly number[] {
  const first = Math.floor(chance() * strengths.length)
  return [strengths[first]!, strengths[(first + 1) % strengths.length]!]
}

test('of clean animations at most 5 of 100 are flagged', () => {
  const all = [...clean, ...unseen]
  const flagged = all.flatMap(({ name, frames }) => {
    const { flags } = inspectQuality(frames, { loop: true })
    return flags.length === 0 ? [] : [`${name}: ${flags.map((flag) => flag.fault).join(', ')}`]
  })
  const share = flagged.length / all.length
  console.log(`Flagged ${flagged.length} of ${all.length} clean animations (${(100 * share).toFixed(1)} %).\n  ${flagged.join('\n  ')}`)
  expect(share).toBeLessThanOrEqual(0.05)
})

test('a kept background is no fault, and neither are figures that it lets touch the edge', () => {
  const [drawn] = clean
  const frames = drawn!.frames.map((frame) => {
    const data = frame.data.slice()
    for (let at = 0; at < data.length; at += 4) if (data[at + 3]! < 128) data.set([90, 140, 220, 255], at)
    return createBitmap(frame.width, frame.height, data)
  })
  expect(inspectQuality(frames, { loop: true }).flags.map(({ fault }) => fault)).toContain('background')
  const faults = inspectQuality(frames, { loop: true, background: 'keep' }).flags.map(({ fault }) => fault)
  for (const fault of ['background', 'halo', 'cut-off']) expect(faults).not.toContain(fault)
})

test('a hit, a spin and a fade are motions, not faults of single frames', async () => {
  const still = (await drawAll(['a knight with a red plume and a sword'], [['walk', 16]]))[0]!.frames
  const changed = (frame: Bitmap, change: (value: number, channel: number) => number): Bitmap =>
    createBitmap(frame.width, frame.height, frame.data.map((value, at) => change(value, at % 4)) as Uint8Array)
  const faded = (frame: Bitmap, share: number): Bitmap =>
    changed(frame, (value, channel) => (channel === 3 ? Math.round(value * share) : value))
  const lit = (frame: Bitmap): Bitmap =>
    changed(frame, (value, channel) => (channel === 3 ? value : Math.round(value + (255 - value) * 0.9)))
  const faultsOf = (frames: readonly Bitmap[], loop: boolean): readonly string[] =>
    inspectQuality(frames, { loop }).flags.map(({ fault }) => fault)
  const count = still.length
  // A fade to nothing, a fade from nothing, and a hit that flashes three times.
  expect(
    faultsOf(
      still.map((frame, at) => faded(frame, Math.max(0, 1 - at / (count - 3)))),
      false,
    ),
  ).toEqual([])
  expect(
    faultsOf(
      still.map((frame, at) => faded(frame, Math.max(0, (at - 2) / (count - 3)))),
      false,
    ),
  ).toEqual([])
  expect(
    faultsOf(
      still.map((frame, at) => (at % 4 < 2 ? lit(frame) : frame)),
      false,
    ),
  ).toEqual([])
  // A coin about its upright axis. Seen from its edge it is a line.
  const coin = figureOf('coin')
  const turns = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      const frame = createBitmap(120, 120)
      const width = Math.max(6, Math.round(100 * Math.abs(Math.cos((at / 12) * 2 * Math.PI))))
      blit(frame, await resize(coin, width, 100, 'lanczos'), Math.round((120 - width) / 2), 10)
      return frame
    }),
  )
  expect(faultsOf(turns, true)).toEqual([])
  // A flash of one frame, all of whose colours go towards white.
  expect(
    faultsOf(
      still.map((frame, at) => (at === 5 ? lit(frame) : frame)),
      false,
    ),
  ).toEqual([])
  // One frame in other colours, an abrupt end, and a blank frame in a loop are faults as before.
  const dyed = (frame: Bitmap): Bitmap =>
    createBitmap(
      frame.width,
      frame.height,
      frame.data.map((_, at, all) => all[at % 4 === 3 ? at : at - (at % 4) + (((at % 4) + 1) % 3)]!) as Uint8Array,
    )
  expect(
    faultsOf(
      still.map((frame, at) => (at === 5 ? dyed(frame) : frame)),
      false,
    ),
  ).toEqual(['palette'])
  expect(
    faultsOf(
      still.map((frame, at) => (at < count - 4 ? frame : faded(frame, 0))),
      false,
    ),
  ).toEqual(['blank'])
  expect(
    faultsOf(
      still.map((frame, at) => faded(frame, Math.max(0, 1 - at / (count - 3)))),
      true,
    ),
  ).toContain('blank')
})

if (level !== 'quick')
  test('a light that swells and fades once, and a glow around the figure, are no faults', async () => {
    const mage = await paint('a mage')
    const coin = decodePng(readFileSync(new URL('../../examples/phaser/sprites/coin.png', import.meta.url)))
    for (const [reference, prompt] of [
      [mage, 'a mage\ncasts a spell'],
      [coin, 'a gold coin with a star, thick outlines, cel shading\ngleams, light passing over it'],
    ] as const) {
      const frames = await animate({ reference, prompt, frames: 12, background: 'remove' })
      for (const loop of [true, false]) expect(inspectQuality(frames, { loop }).flags).toEqual([])
      // Colours that do not come back are another thing.
      expect(inspectQuality(frames.slice(0, 7), { loop: false }).flags.map(({ fault }) => fault)).toContain('palette')
    }
  })

test('an animation that plays once, or there and back, has no seam', () => {
  const half = clean.find(({ motion, frames }) => motion === 'walk' && frames.length === 16)!.frames.slice(0, 6)
  expect(inspectQuality(half, { loop: true }).flags.map(({ fault }) => fault)).toContain('loop-seam')
  expect(inspectQuality(half, { loop: false }).flags).toEqual([])
  expect(inspectQuality(half, { loop: true, yoyo: true }).flags).toEqual([])
})

test('one frame, two frames and nothing but blank frames are looked at without a word too many', () => {
  const { frames } = clean[0]!
  expect(inspectQuality(frames.slice(0, 1), { loop: true }).flags).toEqual([])
  expect(inspectQuality(frames.slice(0, 2), { loop: true }).flags).toEqual([])
  const blank = createBitmap(8, 8)
  expect(inspectQuality([blank, blank, blank], { loop: true }).flags).toEqual([{ fault: 'blank', frames: [0, 1, 2], value: 3, limit: 1 }])
})

test('figures and places are those of the frames that were given', () => {
  const { frames } = clean.find(({ motion }) => motion === 'idle')!
  const before = frames.map(({ data }) => data.slice())
  const { figures } = inspectQuality(frames, { loop: true })
  expect(Object.keys(figures).sort()).toEqual([...faults].sort())
  expect(frames.map(({ data }) => data)).toEqual(before)
})

test('a figure that stands on the lower edge is not cut off, also if frames before its end are blank', () => {
  const standing = createBitmap(40, 40)
  blit(standing, createBitmap(16, 30, new Uint8Array(16 * 30 * 4).fill(200)), 12, 10)
  const frames = Array.from({ length: 9 }, (_, at) => (at < 5 ? standing : createBitmap(40, 40)))
  expect(inspectQuality(frames, { loop: true }).flags.map(({ fault }) => fault)).toEqual(['blank'])
})

test('the places of a fault are in the order of the frames, of more than ten too', () => {
  const blank = Array.from({ length: 12 }, () => createBitmap(8, 8))
  const [flag] = inspectQuality(blank, { loop: true }).flags
  expect(flag?.frames).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
})
