import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AtlasData, FrameRow, SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { isOffered } from '../kit/extras.ts'
import { openBrowser } from './browser.ts'
import { openRuntime, type RuntimePage, spriteOf } from './runtime-page.ts'

type Box = readonly [x: number, y: number, width: number, height: number]

const walk = ['hero/walk/0000', 'hero/walk/0001'] as const
const left = 'hero/left/0000'
const turned = 'hero/turned/0000'

/** A row of page pixels: a part of the page, trimmed from a frame of 60 × 50 pixels. */
function row(x: number, y: number, w: number, h: number, ox: number, oy: number, anchor?: readonly [number, number]): FrameRow {
  return anchor ? [0, x, y, w, h, ox, oy, 60, 50, ...anchor] : [0, x, y, w, h, ox, oy, 60, 50]
}

/**
 * A sprite whose box is the green square of each frame. Pages 3 and 4 of the test have one: at 16, 0 of 16 pixels, and
 * at 30, 30 of 24 pixels.
 */
function sprite(
  page: 3 | 4,
  { anchor, scale = 1, canTurn = false }: { anchor?: readonly [number, number]; scale?: number; canTurn?: boolean } = {},
): SpriteModule {
  const rows =
    page === 3
      ? [row(8, 0, 40, 40, 5, 7, anchor), row(10, 0, 40, 30, 2, 3, anchor)]
      : [row(20, 20, 44, 40, 1, 2, anchor), row(24, 28, 30, 30, 20, 15, anchor)]
  const [x, y, size] = page === 3 ? [16, 0, 16] : [30, 30, 24]
  const places = rows.map(([, px, py, , , ox, oy]): Box => [ox + x - px, oy + y - py, size, size])
  const [first, second] = rows as [FrameRow, FrameRow]
  const [, px, py, w, h, ox, oy, sw, sh] = first
  const mirrored = [0, px, py, w, h, sw - ox - w, oy, sw, sh, ...(anchor ? [1 - anchor[0], anchor[1]] : [])] as unknown as FrameRow
  const [bx, by] = places[0] as Box
  // A frame that is turned clockwise on its page: its upper left corner is at its upper right there.
  const around = page === 3 ? [8, 0, 30, 40] : [26, 20, 30, 40]
  const [tx = 0, ty = 0, th = 0, tw = 0] = around
  const upright: Box = [4 + (y - ty), 6 + th - (x - tx) - size, size, size]
  const atlas: Partial<AtlasData> = {
    version: String(page),
    scale,
    pixelArt: true,
    pages: [{ url: `pages/${page}.png`, width: 64, height: 64, format: 'png' }],
    frames: {
      [walk[0]]: first,
      [walk[1]]: second,
      [left]: mirrored,
      ...(canTurn ? { [turned]: [0, tx, ty, tw, th, 4, 6, 60, 50] } : {}),
    },
    mirrored: [left],
    ...(canTurn ? { turned: [turned] } : {}),
    boxes: {
      [walk[0]]: { body: [places[0] as Box] },
      [walk[1]]: { body: [places[1] as Box] },
      [left]: { body: [[60 - bx - size, by, size, size]] },
      ...(canTurn ? { [turned]: { body: [upright] } } : {}),
    },
  }
  return spriteOf('hero', 2, atlas)
}

interface Look {
  readonly drawn: Box
  readonly boxes: readonly Box[]
  readonly none: number
  readonly body: Box
  readonly place: readonly number[]
  readonly frame: string
}

/** Frames at whole pixels are drawn exactly; turned ones may miss a pixel at an edge. */
function expectAt(box: Box | undefined, drawn: Box, slackPx: number): void {
  expect(box).toBeDefined()
  for (const [at, side] of (box as Box).entries())
    expect(Math.abs(side - (drawn[at] as number)), `${box} is drawn at ${drawn}`).toBeLessThanOrEqual(slackPx)
}

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const views = [
  ['plain', {}],
  ['scaled', { scale: [3, 2] }],
  ['with an origin', { origin: [0.25, 1] }],
  ['flipped by its scale', { scale: [-2, 2], origin: [0.25, 1] }],
  ['upside down by its scale', { scale: [2, -2] }],
  ['turned by a quarter', { angle: 90, scale: [2, 2] }],
] as const

describe.each(
  (
    [
      ['Phaser 4', 'phaser'],
      ['Phaser 3.90', 'phaser3'],
    ] as const
  ).filter(([, engine]) => isOffered(engine)),
)('%s: boxes are where their pixels are drawn', (_, engine) => {
  let page: RuntimePage
  const start = async (of: SpriteModule): Promise<void> => {
    await page.reload()
    await page.call('start', of)
  }
  beforeAll(async () => {
    page = await openRuntime(browser, 'phaser-boxes', engine)
  })
  afterAll(() => page?.close())

  test.each([
    ['without an anchor', undefined],
    ['with an anchor', [0.3, 0.9] as const],
  ])('%s: of every frame, flipped or not; the body too', async (_, anchor) => {
    const flips = [
      ['flipped', { flip: [true, false] }],
      ['flipped both ways, scaled', { flip: [true, true], scale: [2, 3] }],
      ['flipped twice', { flip: [true, false], scale: [-2, 2] }],
    ] as const
    for (const [words, view] of [...views, ...flips]) {
      await start(sprite(3, anchor ? { anchor } : {}))
      await page.call('show', walk[1], anchor && 'origin' in view ? { ...view, origin: undefined } : view)
      for (const frame of [...walk, left]) {
        await page.call('setFrame', frame)
        const seen = await page.call<Look>('look')
        expect(seen.boxes, words).toHaveLength(1)
        expect(seen.none).toBe(0)
        expectAt(seen.boxes[0], seen.drawn, 'angle' in view ? 1 : 0.01)
        // Arcade bodies do not turn.
        if (!('angle' in view)) expectAt(seen.body, seen.drawn, 0.01)
        expect(seen.place, words).toEqual([200, 200])
      }
    }
  })

  test('a body follows frames, animations and swaps, and does not move its object', async () => {
    await start(sprite(3))
    const first = await page.call<Look>('show', walk[0], { scale: [2, 2] })
    await page.call('setFrame', walk[1])
    const second = await page.call<Look>('look')
    expect(second.body).not.toEqual(first.body)
    expectAt(second.body, second.drawn, 0.01)
    await page.call('swap', sprite(4))
    const swapped = await page.call<Look>('look')
    expect(swapped.body.slice(2)).toEqual([48, 48])
    expectAt(swapped.body, swapped.drawn, 0.01)
    await page.call('play', 'hero/walk')
    const seen = new Set<string>()
    for (let step = 0; step < 20; step++) {
      const look = await page.call<Look>('look')
      seen.add(look.frame)
      expectAt(look.body, look.drawn, 0.01)
      expect(look.place).toEqual([200, 200])
    }
    expect([...seen].sort()).toEqual([...walk])
  })
})

describe.each(
  (
    [
      ['PixiJS 8', 'pixi.js', true],
      ['PixiJS 8.8', 'pixi8.8', true],
      ['PixiJS 8.0', 'pixi8.0', false],
    ] as const
  ).filter(([, engine]) => isOffered(engine)),
)('%s: boxes are where their pixels are drawn', (_, engine, canSwap) => {
  let page: RuntimePage
  beforeAll(async () => {
    page = await openRuntime(browser, 'pixi-boxes', engine)
  })
  afterAll(() => page?.close())

  test.each([
    ['at scale 1', 1, undefined],
    ['at scale 2, with an anchor', 2, [0.3, 0.9] as const],
  ])('%s: trimmed, turned and mirrored frames', async (_, scale, anchor) => {
    await page.reload()
    await page.call('start', sprite(3, { scale, canTurn: true, ...(anchor ? { anchor } : {}) }))
    for (const [words, view] of views)
      for (const frame of [...walk, left, turned]) {
        const seen = await page.call<Look>('show', frame, view)
        expect(seen.boxes, `${words} ${frame}`).toHaveLength(1)
        expect(seen.none).toBe(0)
        expectAt(seen.boxes[0], seen.drawn, 'angle' in view || scale === 2 ? 1 : 0.01)
      }
  })

  test.skipIf(!canSwap)('a swap moves them', async () => {
    await page.reload()
    await page.call('start', sprite(3, { canTurn: true }))
    for (const frame of [...walk, left, turned]) {
      await page.call('show', frame, { scale: [2, 2] })
      await page.call('swap', sprite(4, { canTurn: true }))
      const seen = await page.call<Look>('look')
      expect(seen.drawn.slice(2)).toEqual([48, 48])
      expectAt(seen.boxes[0], seen.drawn, 0.01)
      await page.call('swap', sprite(3, { canTurn: true }))
    }
  })
})
