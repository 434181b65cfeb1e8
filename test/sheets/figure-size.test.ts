import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, decodePng, figureSide, scaleFrames } from '../../atlas/index.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { cutAnimation, readPlayed, untrimmed } from '../../src/sheets/frames.ts'
import type { BuiltSheets, SheetOptions } from '../../src/sheets/model.ts'
import { makeSheets } from '../../src/sheets/sheet.ts'
import type { FrameSource, SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/spec/parser.ts'
import type { AnimationSpec } from '../../src/spec/spec.ts'
import { sha256 } from '../../src/vault/objects.ts'
import { figurePng } from '../kit/project.ts'
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
      { numRuns: 30 },
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
  const spec = parseSpec(
    JSON.stringify({
      reference: './hero.png',
      prompt: 'x',
      size: { figure: 96 },
      animations: { idle: { frames: 7 }, walk: { frames: 7 } },
    }),
    '/game/hero.sprite.json',
  )
  const [idle, walk] = spec.animations as [AnimationSpec, AnimationSpec]

  /** The sizes of the whole frames of both, and of their figures, as a build makes them. */
  async function build(idleAs: Delivered, walkAs: Delivered): Promise<readonly [readonly number[], readonly number[]]> {
    const base = { spec, animation: idle, source: await sourceOf(idleAs) }
    const inputs: readonly SheetInput[] = [base, { spec, animation: walk, source: await sourceOf(walkAs), base }]
    const cache = memoryCache()
    const make = (): Promise<BuiltSheets> => makeSheets(inputs, 'group', options, { cache, warn: () => {} })
    const { atlases } = await make()
    expect((await make()).atlases).toEqual(atlases)
    const frames = atlases[0]!.frames
    const sizes = ['idle', 'walk'].map((name) => {
      const { sourceWidth, sourceHeight, width, height } = frames.find((frame) => frame.name === `hero/${name}/0000`)!
      return [sourceWidth, sourceHeight, Math.max(width, height)]
    })
    return sizes as unknown as readonly [readonly number[], readonly number[]]
  }

  test('have frames of one size and figures of one scale, if the deliveries have frames of one size', async () => {
    const [first, second] = await build({ side: 100, room: [50, 50, 50, 50] }, { side: 110, room: [45, 40, 45, 50] })
    expect(second.slice(0, 2)).toEqual(first.slice(0, 2))
    expect(second[2]! / first[2]!).toBeCloseTo(1.1, 1)
  })

  test.each([
    ['frames of another size', { side: 110, room: [50, 50, 50, 50] }],
    ['a figure of quite another size', { side: 180, room: [10, 10, 10, 10] }],
  ] as const)('are measured one by one, if one was delivered with %s', async (_, other) => {
    const [first, second] = await build({ side: 100, room: [50, 50, 50, 50] }, other)
    expect(Math.abs(second[2]! - first[2]!)).toBeLessThanOrEqual(4)
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
