import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, decodePng, resize } from '../../atlas/index.ts'
import { inspectQuality } from '../../atlas/quality/quality.ts'
import type { QualityFault } from '../../atlas/quality/report.ts'
import { animate } from '../../src/embedded/artist/artist.ts'
import { paint } from '../../src/embedded/painter/painter.ts'
import { byLevel } from '../level.ts'
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

/** A doll on a canvas of 40 × 48: a head, a body of two colours, a foot, and an arm that turns about its shoulder. */
function doll(more: Partial<{ x: number; y: number; size: number; arm: number; dye: number; alpha: number; rim: number }> = {}): Bitmap {
  const { x = 0, y = 0, size = 1, arm = 0, dye = 0, alpha = 255, rim } = more
  const pixels = new Uint32Array(40 * 48)
  const put = (left: number, top: number, width: number, height: number, colour: readonly number[]): void => {
    const [red = 0, green = 0, blue = 0] = colour.map((value) => Math.min(255, value + dye))
    const pixel = (alpha * 2 ** 24 + (blue << 16) + (green << 8) + red) >>> 0
    const first = Math.round(20 + x + left * size)
    const [start, end] = [Math.max(0, first), Math.max(0, Math.min(40, first + Math.round(width * size)))]
    for (let row = 0; row < Math.round(height * size); row++) {
      const from = 40 * (Math.round(44 + y + top * size) + row)
      if (from < 0) continue
      pixels.fill(pixel, from + start, from + end)
      if (rim !== undefined) pixels[from + start] = rim
    }
  }
  put(-6, -12, 12, 12, [60, 60, 120])
  put(-8, -24, 16, 12, [150, 40, 40])
  put(-5, -32, 10, 8, [220, 170, 140])
  put(6, -23 + arm, 9, 3, [150, 40, 40])
  return createBitmap(40, 48, new Uint8Array(pixels.buffer))
}

test('each fault of a doll has this very figure and its frames, and what is none has neither', () => {
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
    'leaves on the right': dance((at) => ({ x: at > 4 ? 9 : 0 })),
    'leaves at the top': only(4, { y: -14 }),
    'stands on the edge': dance(() => ({ y: 4 })),
    'is cut short': dance((at) => ({ arm: 2 * at, y: -at }), 6),
    'has three frames': dance((at) => ({ y: at === 1 ? -5 : 0 }), 3),
  }
  const open = ['jumps aside', 'creeps down', 'runs in two beats', 'is dyed', 'repeats a picture', 'fades', 'is cut short']
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
    return `${name}: ${shown.join(' ')}${flags.map(({ fault, frames: at, limit }) => `; ${fault} ${at.join()} over ${limit.toFixed(3)}`).join('')}`
  })
  expect(told).toMatchInlineSnapshot(`
    [
      "clean: 0 0 0 0.847 0 0 0 0 0 0",
      "jumps up: 3 0 0 0.26 0 0 0 0 0 0; foot-line 3 over 1.500",
      "jumps aside: 0 4 0 1 0 0 0 0 0 0; body-anchor 0 over 1.500",
      "slips by a pixel: 1 1 0 0.299 0 0 0 0 0 0",
      "creeps down: 5 0 0 2.389 0 0 0 0 0 0; foot-line 7 over 1.500; loop-seam 0,7 over 1.150",
      "creeps aside: 0 5 0 2.631 0 0 0 0 0 0; body-anchor 7 over 1.500; loop-seam 0,7 over 1.150",
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
      "leaves on the right: 0 8.649 0 1.015 0 0 0 0.017 0 3; body-anchor 7 over 1.500; cut-off 5,6,7 over 3.000",
      "leaves at the top: 13.056 0 0.019 0.082 0 0 0 0.057 0 10; foot-line 4 over 1.500; cut-off 4 over 3.000",
      "stands on the edge: 0 0 0 0.883 0 0 0 0.068 0 0",
      "is cut short: 6 0 0 4.376 0 0 0 0 0 0; foot-line 5 over 1.500; loop-seam 0,5 over 1.150",
      "has three frames: 5 0 0 0 0 0 0 0 0 0; foot-line 1 over 1.500",
      "jumps aside, once: 0 0 0 0 0 0 0 0 0 0",
      "creeps down, once: 0 0 0 0 0 0 0 0 0 0",
      "runs in two beats, once: 4 0 0 0 0 0 0 0 0 0; foot-line 1,5 over 1.500",
      "is dyed, once: 0 0 0 0 0 44 0 0 0 0; palette 2 over 6.000",
      "repeats a picture, once: 0 0 0 0 0 0 0 0.017 0 3; cut-off 4,5 over 3.000",
      "fades, once: 0 0 0 0 0 0 0 0 0 0",
      "is cut short, once: 0 0 0 0 0 0 0 0 0 0",
      "creeps down, and back: 0 0 0 0 0 0 0 0 0 0",
      "has a white rim, which is meant: 0 0 0 0.701 0 0 0 0 0 0",
      "keeps its background, which is meant: 0 0 0.405 1 0 0 0 0 0 0; scale 7 over 0.040",
      "leaves at the top, which is meant: 13.056 0 0.019 0.082 0 0 0 0 0 0; foot-line 4 over 1.500",
    ]
  `)
})

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
