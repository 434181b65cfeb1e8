import fc from 'fast-check'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Atlas, encodePages, type FrameSequence } from '../../atlas/index.ts'
import { toSheetData } from '../../plugin/module.ts'
import type { SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { readSheet } from '../../plugin/runtime/shared/sheet.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { BuiltAtlas, BuiltSprite } from '../../src/index.ts'
import { isOffered } from '../kit/extras.ts'
import { byLevel } from '../level.ts'
import { openBrowser } from './browser.ts'
import { layOut, toSequence } from './random-atlas.ts'
import { type AtlasCase, atlasCases } from './random-case.ts'
import { openRuntime, type RuntimePage } from './runtime-page.ts'

const count = byLevel({ quick: 1, full: 4, long: 40 })
const seed = Number(process.env.SPRITEWRIGHT_SEED ?? 1)

/** A random atlas with a mirror image of each animation: drawn by the engine, and with pixels of its own. */
interface Pair {
  readonly drawn: readonly SpriteModule[]
  readonly baked: readonly SpriteModule[]
  /** Names of the sources and of their mirror images. */
  readonly frames: readonly { readonly name: string; readonly image: string }[]
}

async function makePairs(asked: AtlasCase, name: string): Promise<readonly Pair[]> {
  const sequences = asked.animations.map((one, index) => toSequence(one, `${name}-${index}/play`, asked.pixelArt))
  const withImages = sequences.map((sequence) => ({ ...sequence, mirrors: [imageOf(sequence.name)] }))
  const [drawn, baked] = [await layOut(name, sequences, asked), await layOut(name, withImages, asked)]
  return Promise.all(
    drawn.map(async ({ atlas, shown }, at) => ({
      drawn: await toModules({ ...atlas, name: `${name} ${at}` }, sequences, true),
      baked: await toModules({ ...baked[at]!.atlas, name: `${name} ${at} baked` }, sequences, false),
      frames: shown.flatMap(({ frames }) => frames.map(({ name }) => ({ name, image: imageOf(name) }))),
    })),
  )
}

function imageOf(name: string): string {
  return name.replace('/play', '/image')
}

async function toModules(atlas: Atlas, sequences: readonly FrameSequence[], isDrawn: boolean): Promise<readonly SpriteModule[]> {
  const { pages } = await encodePages(atlas, { format: 'png' })
  const built = {
    ...atlas,
    pages: pages.map((page) => ({ ...page, sha256: sha256(page.bytes), contentType: 'image/png', extension: 'png' })),
    ...(isDrawn ? { mirrors: Object.fromEntries(sequences.map(({ name }) => [imageOf(name), name])) } : {}),
  } as BuiltAtlas
  const sprites = sequences.map(({ sprite, pixelArt }) => {
    return { name: sprite, file: '', atlas: atlas.name, width: 1, height: 1, pixelArt, isPlaceholder: false, animations: ['play', 'image'] }
  }) as readonly BuiltSprite[]
  return readSheet(toSheetData([built], sprites, ({ bytes }) => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`))
}

const engines = (
  [
    { name: 'Phaser 4', page: 'phaser-mirror', engine: 'phaser' },
    { name: 'Phaser 3.90', page: 'phaser-mirror', engine: 'phaser3' },
    { name: 'PixiJS 8', page: 'pixi-mirror', engine: 'pixi.js' },
    { name: 'PixiJS 8.8', page: 'pixi-mirror', engine: 'pixi8.8' },
    { name: 'PixiJS 8.0', page: 'pixi-mirror', engine: 'pixi8.0' },
  ] as const
).filter(({ engine }) => isOffered(engine))

/**
 * Ways in which a game draws a frame, beside the plain one. Meshes of PixiJS and, with WebGL, tile sprites of Phaser 3
 * draw mirror images as their sources.
 */
const ways = {
  phaser: ['flipped', 'cropped', 'flipped and cropped', 'cropped, then flipped', 'blitter', 'tile'],
  pixi: ['flipped', 'tiling', 'graphics'],
}

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

describe.each(engines)('$name', ({ page: fixture, engine }) => {
  const isPhaser = fixture === 'phaser-mirror'
  let page: RuntimePage
  beforeAll(async () => {
    page = await openRuntime(browser, fixture, engine)
  })
  afterAll(() => page?.close())
  const waysOf = (renderer: string): readonly string[] =>
    isPhaser ? ways.phaser.filter((way) => way !== 'tile' || engine === 'phaser' || renderer === 'CANVAS') : ways.pixi

  test.each(isPhaser ? ['WEBGL', 'CANVAS'] : ['WEBGL'])(
    'draws mirror images by %s like mirrored pixels, however a game flips, crops or repeats them',
    async (renderer) => {
      const cases = fc.sample(atlasCases, { numRuns: count, seed })
      let frames = 0
      for (const [at, asked] of cases.entries())
        for (const rotate of isPhaser ? [false] : [false, true])
          for (const pair of await makePairs({ ...asked, rotate }, `${renderer}${at}${rotate}`)) {
            await page.call('start', [...pair.drawn, ...pair.baked], renderer)
            // Other objects than sprites draw turned frames turned, and pixels between frames if these are enlarged.
            expect(await differences(page, pair, rotate || pair.drawn[0]!.atlases[0]!.scale !== 1 ? [] : waysOf(renderer))).toEqual([])
            frames += pair.frames.length
          }
      console.log(`${engine}, ${renderer}, seed ${seed}: ${cases.length} atlases, ${frames} frames`)
      expect(page.complaints).toEqual([])
    },
    600_000,
  )

  test.skipIf(engine === 'pixi8.0')('swaps mirrored pixels for a mirror image in the running game, and back', async () => {
    const [asked] = fc.sample(atlasCases, { numRuns: 1, seed }) as [AtlasCase]
    const [pair] = (await makePairs(asked, 'swapped')) as [Pair]
    const key = pair.drawn[0]!.texture
    const baked = pair.baked.map((sprite) => ({ ...sprite, texture: key, atlases: sprite.atlases.map((atlas) => ({ ...atlas, key })) }))
    await page.reload()
    await page.call('start', pair.drawn, 'WEBGL')
    const look = (): Promise<string[]> =>
      page.call(
        'draw',
        pair.frames.flatMap(({ name, image }) => [
          [key, name, 'image'],
          [key, image, 'image'],
          [key, image, 'flipped'],
        ]),
      )
    const before = await look()
    await page.call('swap', baked)
    expect(await look()).toEqual(before)
    await page.call('swap', pair.drawn)
    expect(await look()).toEqual(before)
  })
})

/** Mirror images that are drawn in another way than baked ones, or that are not their source when the game flips them. */
async function differences(page: RuntimePage, { drawn, baked, frames }: Pair, more: readonly string[]): Promise<readonly string[]> {
  const [a, b] = [drawn[0]!.texture, baked[0]!.texture]
  const pairs = frames.flatMap(({ name, image }) => [
    ...['image', ...more].map((way) => [
      [a, image, way],
      [b, image, way],
    ]),
    [
      [a, image, 'flipped'],
      [a, name, 'image'],
    ],
  ])
  const pixels = await page.call<string[]>('draw', pairs.flat())
  return pairs.flatMap(([job], at) => (pixels[2 * at] === pixels[2 * at + 1] ? [] : [job!.join()]))
}
