import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AtlasAnimation } from '../../atlas/atlas.ts'
import { type Bitmap, createBitmap } from '../../atlas/bitmap.ts'
import { aseprite } from '../../atlas/formats/aseprite.ts'
import type { EngineFormat } from '../../atlas/formats/format.ts'
import { phaserPct } from '../../atlas/formats/phaser-pct.ts'
import { makeProject, painting } from '../atlas/formats/project.ts'
import { isOffered, packageFolder } from '../kit/extras.ts'
import { openBrowser } from './browser.ts'

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
})

const sequences = [
  painting('hero/walk', { width: 40, height: 40, count: 4, use: [3, 0, 0, 2], durations: [50, 120, 80, 30] }),
  painting('hero/idle', { width: 40, height: 40, yoyo: true, loop: false }),
  painting('orc/hit', { width: 40, height: 40, trim: false }),
]

/** The content of Phaser's texture manager and animation manager. */
interface Loaded {
  /** Pixels as a canvas has them, by frame. */
  readonly frames: Readonly<Record<string, { readonly width: number; readonly height: number; readonly data: readonly number[] }>>
  readonly animations: Readonly<
    Record<
      string,
      { readonly frames: readonly string[]; readonly durations: readonly number[]; readonly repeat: number; readonly yoyo: boolean }
    >
  >
}

/**
 * Boots a game that loads with the loader's own calls, and reads its content.
 *
 * @param calls Body of `preload` and `create` over `scene`.
 */
async function load(phaser: string, files: ReadonlyMap<string, Uint8Array>, calls: { preload: string; create: string }): Promise<Loaded> {
  const page: Page = await browser.newPage()
  await page.route('http://game.test/**', async (route) => {
    const file = decodeURIComponent(new URL(route.request().url()).pathname.slice(1))
    if (file === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html><body></body>' })
    if (file === 'phaser.js')
      return route.fulfill({
        contentType: 'text/javascript',
        body: await readFile(join(packageFolder(phaser), 'dist/phaser.min.js')),
      })
    const bytes = files.get(file)
    return bytes === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ body: Buffer.from(bytes) })
  })
  await page.goto('http://game.test/')
  await page.addScriptTag({ url: 'http://game.test/phaser.js' })
  const loaded = await page.evaluate(readGame, calls)
  await page.close()
  return loaded
}

/** Runs in the browser. */
async function readGame(calls: { preload: string; create: string }): Promise<Loaded> {
  const { Phaser } = globalThis as unknown as { Phaser: typeof import('phaser') }
  const run = (body: string): ((scene: object) => void) => new Function('scene', body) as (scene: object) => void
  const scene = await new Promise<Phaser.Scene>((resolve) => {
    new Phaser.Game({
      type: Phaser.CANVAS,
      width: 64,
      height: 64,
      audio: { noAudio: true },
      scene: {
        preload(this: Phaser.Scene) {
          run(calls.preload)(this)
        },
        create(this: Phaser.Scene) {
          run(calls.create)(this)
          resolve(this)
        },
      },
    })
  })
  const frames: Record<string, { width: number; height: number; data: number[] }> = {}
  for (const frame of Object.values(scene.textures.get('sprites').frames as unknown as Record<string, Phaser.Textures.Frame>)) {
    if (frame.name === '__BASE') continue
    const canvas = document.createElement('canvas')
    canvas.width = frame.realWidth
    canvas.height = frame.realHeight
    const context = canvas.getContext('2d')!
    const { cutX, cutY, cutWidth, cutHeight, x, y } = frame
    context.drawImage(frame.source.image as HTMLImageElement, cutX, cutY, cutWidth, cutHeight, x, y, cutWidth, cutHeight)
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
    frames[(frame.customData as { name?: string }).name ?? frame.name] = { width: canvas.width, height: canvas.height, data: [...data] }
  }
  const animations: Record<string, Loaded['animations'][string]> = {}
  for (const [key, animation] of Object.entries(
    (scene.anims as unknown as { anims: { entries: Record<string, Phaser.Animations.Animation> } }).anims.entries,
  )) {
    const names = animation.frames.map(({ frame }) => (frame.customData as { name?: string }).name ?? frame.name)
    const durations = animation.frames.map(({ duration }) => duration || animation.msPerFrame)
    animations[key] = { frames: names, durations, repeat: animation.repeat, yoyo: animation.yoyo }
  }
  return { frames, animations }
}

/** Largest difference of premultiplied channels, which a canvas has. */
function difference(actual: Loaded['frames'][string], expected: Bitmap): number {
  if (actual.width !== expected.width || actual.height !== expected.height) return Number.POSITIVE_INFINITY
  const seen = createBitmap(actual.width, actual.height, Uint8Array.from(actual.data))
  const of = ({ data }: Bitmap, at: number): number => (at % 4 === 3 ? data[at]! : (data[at]! * data[at - (at % 4) + 3]!) / 255)
  return expected.data.reduce((most, _, at) => Math.max(most, Math.abs(of(seen, at) - of(expected, at))), 0)
}

function filesOf(format: EngineFormat, maxSize: number) {
  const { atlases, pictures } = makeProject({ maxSize, sequences })
  const files = new Map([...atlases.flatMap(({ pages }) => pages), ...format.write(atlases)].map(({ file, bytes }) => [file, bytes]))
  return { files, pictures: pictures.get(1)!, pages: atlases[0]!.pages.length, animations: atlases[0]!.atlas.animations }
}

function expectFrames(loaded: Loaded, pictures: ReadonlyMap<string, Bitmap>): void {
  expect(Object.keys(loaded.frames).sort()).toEqual([...pictures.keys()].sort())
  for (const [name, frame] of Object.entries(loaded.frames)) expect(difference(frame, pictures.get(name)!), name).toBeLessThan(2)
}

function expectAnimation(played: Loaded['animations'][string], animation: AtlasAnimation): void {
  expect(played.frames).toEqual(animation.frames.map(({ name }) => name))
  expect(played.yoyo).toBe(animation.yoyo)
  for (const [at, durationMs] of played.durations.entries()) expect(Math.abs(durationMs - animation.frames[at]!.durationMs)).toBeLessThan(1)
}

describe("Phaser's own loader in Chromium", () => {
  test.each([
    ['one page', 2048],
    ['several pages', 96],
  ])('Phaser 4 loads the pack of phaser-pct: %s', async (_, maxSize) => {
    const { files, pictures, pages, animations } = filesOf(phaserPct, maxSize)
    expect(pages > 1).toBe(maxSize === 96)
    const loaded = await load('phaser', files, { preload: `scene.load.pack('pack', 'pack.json')`, create: '' })
    expectFrames(loaded, pictures)
    for (const animation of animations) {
      expectAnimation(loaded.animations[animation.name]!, animation)
      expect(loaded.animations[animation.name]!.repeat).toBe(animation.loop ? -1 : 0)
    }
  })

  test.each(['phaser', 'phaser3'].filter(isOffered))('%s loads aseprite and makes its animations', async (phaser) => {
    const { files, pictures, animations } = filesOf(aseprite, 2048)
    const loaded = await load(phaser, files, {
      preload: `scene.load.aseprite('sprites', 'sprites-0.png', 'sprites-0.json')`,
      create: `scene.anims.createFromAseprite('sprites')`,
    })
    expectFrames(loaded, pictures)
    expect(Object.keys(loaded.animations).sort()).toEqual(animations.map(({ name }) => name).sort())
    for (const animation of animations) expectAnimation(loaded.animations[animation.name]!, animation)
  })
})
