import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, decodePng, figureSide, scaleFrames } from '../../atlas/index.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { cutAnimation, readPlayed, untrimmed } from '../../src/sheets/frames.ts'
import type { BuiltSheets, SheetOptions } from '../../src/sheets/model.ts'
import type { Overrides } from '../../src/sheets/overrides/overrides.ts'
import { makeSheets } from '../../src/sheets/sheet.ts'
import type { FrameSource, SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { figurePng } from '../kit/project.ts'
import { byLevel } from '../level.ts'
import { memoryCache } from './memory-cache.ts'

const names = { frame: (index: number) => `frames/frame_${index}.png`, sheet: 'sheet.png', atlas: 'atlas.json', preview: 'preview.gif' }
const figure = decodePng(figurePng())

interface Delivered {
  /** Side of the figure's picture in the delivery, which the service has drawn larger or smaller. */
  readonly side: number
  /** Clear space around it, in pixels. */
  readonly room: readonly [left: number, top: number, right: number, bottom: number]
}

const room = fc.nat(150)
const deliveries = fc.record({ side: fc.integer({ min: 48, max: 200 }), room: fc.tuple(room, room, room, room) })

async function sourceOf({ side, room }: Delivered): Promise<FrameSource> {
  const [drawn] = await scaleFrames([figure], { kind: 'longest', px: side }, false)
  const [left, top, right, bottom] = room
  const frame = createBitmap(left + side + right, top + side + bottom)
  blit(frame, drawn!, left, top)
  const { zip } = await packDelivery(new Array<Bitmap>(7).fill(frame), names)
  return { kind: 'result', sha256: sha256(zip), read: async () => zip }
}

const placeholder: FrameSource = { kind: 'placeholder', sha256: 'a', read: async () => figurePng(), prompt: 'x', isMarked: true }

/** The frames in the game, untrimmed. */
async function framesOf(source: FrameSource, size: unknown): Promise<readonly Bitmap[]> {
  const text = JSON.stringify({ reference: './hero.png', prompt: 'x', size, animations: { walk: { frames: 7 } } })
  const spec = parseSpec(text, '/game/hero.sprite.json')
  const input = { spec, animation: spec.animations[0]!, source }
  return untrimmed(await cutAnimation(input, await readPlayed(input, { isJudged: false }))).frames.map(({ bitmap }) => bitmap)
}

describe('"size": { "figure": … }', () => {
  test('law: the figure keeps its size when it is bought, whatever scale and room the delivery has', async () => {
    const shown = figureSide(await framesOf({ ...placeholder, isMarked: false } as FrameSource, { figure: 96 }))
    expect(Math.abs(shown - 96)).toBeLessThanOrEqual(1)
    await fc.assert(
      fc.asyncProperty(deliveries, async (delivered) => {
        const bought = figureSide(await framesOf(await sourceOf(delivered), { figure: 96 }))
        // The soft edges of a picture that is scaled twice are two pixels on each side.
        expect(Math.abs(bought - 96)).toBeLessThanOrEqual(4)
      }),
      { numRuns: byLevel({ quick: 8, full: 30, long: 30 }) },
    )
  })

  test('the mark of a placeholder is no part of the figure', async () => {
    const sizes = [true, false].map(async (isMarked) => {
      const [frame] = await framesOf({ ...placeholder, isMarked } as FrameSource, { figure: 96 })
      return [frame!.width, frame!.height]
    })
    const [marked, plain] = await Promise.all(sizes)
    expect(marked).toEqual(plain)
  })

  test('with a number, the room in the delivery decides: the reason for the other form', async () => {
    const wide = await sourceOf({ side: 64, room: [96, 0, 96, 0] })
    const shown = figureSide(await framesOf({ ...placeholder, isMarked: false } as FrameSource, 96))
    expect(figureSide(await framesOf(wide, 96))).toBeLessThan(shown / 2)
  })
})

const options: SheetOptions = { maxSize: 1024, encodings: ['png'], level: 6, ktx2: 'uastc' }

describe('the animations of one sprite', () => {
  /** The sizes of the whole frames of each, and of their figures, as a build makes them. */
  async function build(all: readonly Delivered[], more: object = {}): Promise<readonly (readonly [number, number, number])[]> {
    const animations = Object.fromEntries(all.map((_, at) => [`a${at}`, { frames: 7 }]))
    const text = JSON.stringify({ reference: './hero.png', prompt: 'x', size: { figure: 96 }, ...more, animations })
    const spec = parseSpec(text, '/game/hero.sprite.json')
    const inputs: SheetInput[] = []
    for (const [at, delivered] of all.entries())
      inputs.push({ spec, animation: spec.animations[at]!, source: await sourceOf(delivered), bases: [...inputs] })
    const cache = memoryCache()
    const make = (): Promise<BuiltSheets> => makeSheets(inputs, 'group', options, { cache, warn: () => {} })
    const { atlases } = await make()
    expect((await make()).atlases).toEqual(atlases)
    return all.map((_, at) => {
      const { sourceWidth, sourceHeight, width, height } = atlases[0]!.frames.find((frame) => frame.name === `hero/a${at}/0000`)!
      return [sourceWidth, sourceHeight, Math.max(width, height)]
    })
  }

  /** A figure of `side` pixels on a canvas of 250 pixels, or another size. */
  const onCanvas = (side: number, canvas = 250): Delivered => ({ side, room: [20, 15, canvas - side - 20, canvas - side - 15] })

  test('law: share one scale, whatever their poses, if their deliveries have frames of one size', async () => {
    const poses = fc.array(fc.tuple(fc.integer({ min: 48, max: 200 }), fc.constantFrom(250, 300)), { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(poses, async (all) => {
        const built = await build(all.map(([side, canvas]) => onCanvas(side, canvas)))
        for (const [at, [, canvas]] of all.entries()) {
          const first = all.findIndex((other) => other[1] === canvas)
          expect(built[at]!.slice(0, 2)).toEqual(built[first]!.slice(0, 2))
        }
      }),
      { numRuns: byLevel({ quick: 2, full: 5, long: 5 }) },
    )
  })

  test('law: pixel art has one factor in all of them, whatever their poses and frames', async () => {
    const poses = fc.array(fc.tuple(fc.integer({ min: 24, max: 80 }), fc.integer({ min: 130, max: 200 })), { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(poses, async (all) => {
        const built = await build(
          all.map(([side, canvas]) => onCanvas(side, canvas)),
          { pixelArt: true },
        )
        const factors = built.map(([width], at) => width / all[at]![1])
        for (const factor of factors) expect(Math.abs(factor - factors[0]!)).toBeLessThan(0.01)
      }),
      { numRuns: byLevel({ quick: 2, full: 5, long: 5 }) },
    )
  })

  test('are measured one by one, if one was delivered with frames of another size', async () => {
    const [first, second] = await build([onCanvas(100, 250), onCanvas(180, 300)])
    expect(Math.abs(second![2] - first![2])).toBeLessThanOrEqual(4)
  })
})

describe('figureSide', () => {
  const dot = (side: number, width = 100): Bitmap => {
    const frame = createBitmap(width, 50)
    blit(frame, createBitmap(side, side, new Uint8Array(side * side * 4).fill(255)), 3, 2)
    return frame
  }

  test.each([
    ['the first frame', [20, 30, 10], 20],
    ['the largest one, if the first has less than half of it', [4, 30, 10], 30],
    ['the canvas, if nothing is visible', [0, 0], 100],
  ] as const)('is measured in %s', (_, sides, expected) => {
    expect(figureSide(sides.map((side) => (side === 0 ? createBitmap(100, 50) : dot(side))))).toBe(expected)
  })

  test('leaves out what is faint, and no frame becomes larger than 4096 pixels', async () => {
    const frame = dot(20)
    frame.data.set([0, 0, 0, 16], 4 * 99)
    expect(figureSide([frame])).toBe(20)
    const [scaled] = await scaleFrames([createBitmap(100, 1)], { kind: 'figure', px: 4096, side: 1 }, false)
    expect([scaled!.width, scaled!.height]).toEqual([4096, 41])
  })
})

test.each([
  { what: 'of the figure', size: { figure: 96 }, pixelArt: undefined },
  { what: 'of the figure and of the pixels', size: { figure: 96 }, pixelArt: { grid: 'find' } },
])('a touched-up frame that does not fit is told once, and the measure $what is then taken without it', async ({ size, pixelArt }) => {
  const animations = { idle: { frames: 7 }, walk: { frames: 7 } }
  const spec = parseSpec(JSON.stringify({ reference: './hero.png', prompt: 'x', size, pixelArt, animations }), '/game/hero.sprite.json')
  const source = await sourceOf({ side: 64, room: [8, 8, 8, 8] })
  const fault = new SpritewrightError('SW_OVERRIDE', { message: 'Expected another size.', facts: {} })
  const overrides: Overrides = { key: [[0, 'a', null]], read: () => Promise.reject(fault) }
  const peers: SheetInput[] = []
  // As the workshop does it: bases and peers name the inputs, and an input is a peer of itself.
  for (const [at, animation] of spec.animations.entries())
    peers.push({ spec, animation, source, peers, bases: [...peers], overrides: at === 0 ? overrides : undefined })
  const told: unknown[] = []
  const onOverrideFault = (error: SpritewrightError): number => told.push(error)
  const { atlases } = await makeSheets(peers.slice(1), 'sprite', options, { cache: memoryCache(), warn: () => {}, onOverrideFault })
  expect(told).toEqual([fault])
  expect(atlases[0]?.frames).toHaveLength(7)
})
