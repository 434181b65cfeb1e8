import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap } from '../../atlas/bitmap.ts'
import { aseprite } from '../../atlas/formats/aseprite.ts'
import type { EngineFormat } from '../../atlas/formats/format.ts'
import { strip } from '../../atlas/formats/strip.ts'
import { texturepacker } from '../../atlas/formats/texturepacker.ts'
import { writeAseprite } from '../../atlas/source/aseprite/write.ts'
import { makeProject, painting } from '../atlas/formats/project.ts'
import { hasExtras } from '../kit/extras.ts'
import { openBrowser } from './browser.ts'
import { repository } from './game.ts'

// The readers of docs/formats.md that are not Phaser or PixiJS, each as its package has it. The quick level leaves them out.
const scripts: Readonly<Record<string, string>> = {
  'melonjs.js': 'melonjs/dist/melonjs.module.js',
  'kaplay.js': 'kaplay/dist/kaplay.js',
  'excalibur.js': 'excalibur/build/dist/excalibur.min.js',
  'excalibur-aseprite.js': '@excaliburjs/plugin-aseprite/build/umd/excalibur-aseprite.min.js',
}

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
})

/** Pixels of a canvas, by frame. */
type Drawn = Readonly<Record<string, { readonly width: number; readonly height: number; readonly data: readonly number[] }>>

const untrimmed = { trim: false, width: 30, height: 20 }
const sequences = [
  painting('hero/walk', { ...untrimmed, count: 4, use: [3, 0, 0, 2], durations: [50, 120, 80, 30] }),
  painting('hero/idle', { ...untrimmed, yoyo: true }),
]
const anchored = [painting('hero/walk', { trim: false, width: 40, height: 40, count: 4, anchor: { x: 0.25, y: 1 } })]

function written(format: EngineFormat, project: ReturnType<typeof makeProject>): ReadonlyMap<string, Uint8Array> {
  return new Map(
    [...project.atlases.flatMap(({ pages }) => pages), ...format.write(project.atlases)].map(({ file, bytes }) => [file, bytes]),
  )
}

/** Opens an empty page of a game with these files and the readers beside it. */
async function open(files: ReadonlyMap<string, Uint8Array>): Promise<Page> {
  const page = await browser.newPage()
  await page.route('http://game.test/**', async (route) => {
    const file = decodeURIComponent(new URL(route.request().url()).pathname.slice(1))
    if (file === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html><body></body>' })
    const script = scripts[file]
    const body = script === undefined ? files.get(file) : await readFile(join(repository, 'test/node_modules', script))
    if (body === undefined) return route.fulfill({ status: 404 })
    return route.fulfill({ body: Buffer.from(body), ...(script === undefined ? {} : { contentType: 'text/javascript' }) })
  })
  await page.goto('http://game.test/')
  return page
}

function expectPictures(drawn: Drawn, expected: ReadonlyMap<string, Bitmap>): void {
  expect(Object.keys(drawn).sort()).toEqual([...expected.keys()].sort())
  for (const [name, frame] of Object.entries(drawn)) expect(difference(frame, expected.get(name)!), name).toBeLessThan(2)
}

/** Largest difference of premultiplied channels, which a canvas has. */
function difference(actual: Drawn[string], expected: Bitmap): number {
  if (actual.width !== expected.width || actual.height !== expected.height) return Number.POSITIVE_INFINITY
  const seen = createBitmap(actual.width, actual.height, Uint8Array.from(actual.data))
  const of = ({ data }: Bitmap, at: number): number => (at % 4 === 3 ? data[at]! : (data[at]! * data[at - (at % 4) + 3]!) / 255)
  return expected.data.reduce((most, _, at) => Math.max(most, Math.abs(of(seen, at) - of(expected, at))), 0)
}

describe.skipIf(!hasExtras)('melonJS', () => {
  test('texturepacker: TextureAtlas draws untrimmed frames with their anchor', async () => {
    const project = makeProject({ sequences: anchored })
    const page = await open(written(texturepacker, project))
    await page.addScriptTag({ type: 'module', content: "import * as me from '/melonjs.js'; globalThis.me = me" })
    await page.waitForFunction(() => 'me' in globalThis)
    const drawn = await page.evaluate(async () => {
      // biome-ignore lint/suspicious/noExplicitAny: the page has no types
      const { me } = globalThis as any
      const json = await (await fetch('/sprites-0.json')).json()
      const image = new Image()
      image.src = '/sprites-0.png'
      await image.decode()
      me.video.init(40, 40, { renderer: me.video.CANVAS, transparent: true })
      const { renderer } = me.video
      const atlas = new me.TextureAtlas(json, image)
      const found: Record<string, { width: number; height: number; data: number[] }> = {}
      for (const { filename } of json.frames) {
        const sprite = atlas.createSpriteFromName(filename)
        // The anchor of these frames.
        sprite.pos.set(10, 40)
        const context = renderer.getContext()
        context.clearRect(0, 0, 40, 40)
        sprite.preDraw(renderer)
        sprite.draw(renderer)
        sprite.postDraw(renderer)
        found[filename] = { width: 40, height: 40, data: [...context.getImageData(0, 0, 40, 40).data] }
      }
      return found
    })
    expectPictures(drawn, project.pictures.get(1)!)
    await page.close()
  })
})

describe.skipIf(!hasExtras)('KAPLAY', () => {
  /** Draws each frame of a loaded sprite. Runs in the browser. */
  const drawAll = async (calls: string): Promise<{ anims: unknown; frames: Drawn[string][] }> => {
    // biome-ignore lint/suspicious/noExplicitAny: the page has no types
    const k = (globalThis as any).kaplay({ global: false, width: 30, height: 20, scale: 1, background: [0, 0, 0, 0] })
    const data = await new Function('k', `return ${calls}`)(k)
    let frame = 0
    k.onDraw(() => k.drawSprite({ sprite: 'sprites', frame, pos: k.vec2(0, 0) }))
    const copy = document.createElement('canvas')
    copy.width = 30
    copy.height = 20
    const context = copy.getContext('2d')!
    const frames: { width: number; height: number; data: number[] }[] = []
    for (; frame < data.frames.length; frame++) {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      context.clearRect(0, 0, 30, 20)
      context.drawImage(k.canvas, 0, 0)
      frames.push({ width: 30, height: 20, data: [...context.getImageData(0, 0, 30, 20).data] })
    }
    return { anims: data.anims, frames }
  }

  test('aseprite: loadAseprite draws untrimmed frames and has the tags, all at speed 10', async () => {
    const project = makeProject({ sequences })
    const files = written(aseprite, project)
    const names = (JSON.parse(new TextDecoder().decode(files.get('sprites-0.json'))) as { frames: { name: string }[] }).frames
    const page = await open(files)
    await page.addScriptTag({ url: 'http://game.test/kaplay.js' })
    const { anims, frames } = await page.evaluate(drawAll, "k.loadAseprite('sprites', '/sprites-0.png', '/sprites-0.json')")
    expectPictures(Object.fromEntries(names.map(({ name }, index) => [name, frames[index]!])), project.pictures.get(1)!)
    expect(anims).toEqual({
      'hero/idle': { from: 0, to: 2, speed: 10, loop: true, pingpong: true },
      'hero/walk': { from: 3, to: 6, speed: 10, loop: true, pingpong: false },
    })
    await page.close()
  })

  test('strip: loadSprite with sliceX draws each frame', async () => {
    const project = makeProject({ sequences: [painting('hero/walk', { ...untrimmed, count: 4 })] })
    const page = await open(written(strip, project))
    await page.addScriptTag({ url: 'http://game.test/kaplay.js' })
    const { frames } = await page.evaluate(drawAll, "k.loadSprite('sprites', '/hero/walk.png', { sliceX: 4 })")
    const names = [...project.pictures.get(1)!.keys()]
    expectPictures(Object.fromEntries(names.map((name, index) => [name, frames[index]!])), project.pictures.get(1)!)
    await page.close()
  })
})

/** Draws each frame of the animations of a file. Runs in the browser. */
const playExcalibur = async ({ path, names }: { readonly path: string; readonly names: readonly string[] }) => {
  // biome-ignore lint/suspicious/noExplicitAny: the page has no types
  const { ex } = globalThis as any
  const resource = new ex.Plugin.Aseprite.AsepriteResource(path)
  await resource.load()
  const canvasElement = document.createElement('canvas')
  canvasElement.width = 30
  canvasElement.height = 20
  const graphics = new ex.ExcaliburGraphicsContext2DCanvas({ canvasElement })
  return names.map((name: string) => {
    const { strategy, frames } = resource.getAnimation(name)
    return {
      strategy,
      // biome-ignore lint/suspicious/noExplicitAny: the page has no types
      frames: frames.map(({ graphic, duration }: any) => {
        const context = canvasElement.getContext('2d')!
        context.clearRect(0, 0, 30, 20)
        graphic.draw(graphics, 0, 0)
        return { duration, width: 30, height: 20, data: [...context.getImageData(0, 0, 30, 20).data] }
      }),
    }
  })
}

describe.skipIf(!hasExtras)('Excalibur', () => {
  test('aseprite: the plugin draws untrimmed frames, each for its own time', async () => {
    const project = makeProject({ sequences })
    const page = await open(written(aseprite, project))
    await page.addScriptTag({ url: 'http://game.test/excalibur.js' })
    await page.addScriptTag({ url: 'http://game.test/excalibur-aseprite.js' })
    const animations = await page.evaluate(playExcalibur, { path: '/sprites-0.json', names: ['hero/walk', 'hero/idle'] })
    const played = { 'hero/walk': [3, 0, 0, 2], 'hero/idle': [0, 1, 2] }
    for (const [at, [name, indices]] of Object.entries(played).entries()) {
      const { frames } = animations[at]!
      expect(frames).toHaveLength(indices.length)
      for (const [place, index] of indices.entries())
        expect(difference(frames[place], project.pictures.get(1)!.get(`${name}/000${index}`)!), `${name} ${place}`).toBeLessThan(2)
    }
    expect(animations.map(({ strategy }) => strategy)).toEqual(['loop', 'pingpong'])
    expect(animations[0]!.frames.map(({ duration }: { duration: number }) => duration)).toEqual([50, 120, 80, 30])
    await page.close()
  })

  test('a written Aseprite file: the plugin draws its frames, each for its time, and has its tags', async () => {
    const frames = [...makeProject({ sequences }).pictures.get(1)!.values()].map((bitmap, at) => ({ bitmap, durationMs: 50 + at }))
    const tags = [
      { name: 'all', from: 0, to: frames.length - 1, direction: 'forward', repeat: 0 },
      { name: 'back', from: 1, to: 2, direction: 'pingpong', repeat: 0 },
    ] as const
    const bytes = writeAseprite({ width: 30, height: 20, frames, tags, slices: [{ name: 'box', keys: [] }] })
    const page = await open(new Map([['hero.aseprite', bytes]]))
    await page.addScriptTag({ url: 'http://game.test/excalibur.js' })
    await page.addScriptTag({ url: 'http://game.test/excalibur-aseprite.js' })
    const animations = await page.evaluate(playExcalibur, { path: '/hero.aseprite', names: ['all', 'back'] })
    expect(animations.map(({ strategy, frames }) => [strategy, frames.length])).toEqual([
      ['loop', frames.length],
      ['pingpong', 2],
    ])
    for (const [at, { bitmap, durationMs }] of frames.entries()) {
      expect(animations[0]!.frames[at].duration).toBe(durationMs)
      expect(difference(animations[0]!.frames[at], bitmap), String(at)).toBeLessThan(2)
    }
    await page.close()
  })
})
