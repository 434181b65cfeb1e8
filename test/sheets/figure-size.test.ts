import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, decodePng, figureSide, scaleFrames } from '../../atlas/index.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { cutAnimation, readPlayed, untrimmed } from '../../src/sheets/frames.ts'
import type { FrameSource } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/spec/parser.ts'
import { sha256 } from '../../src/vault/objects.ts'
import { figurePng } from '../kit/project.ts'

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
