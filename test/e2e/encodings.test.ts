import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pixi } from '../../atlas/formats/pixi.ts'
import { type EncodedAtlas, encodePages, makeAtlas, type PageEncoding } from '../../atlas/index.ts'
import { atlasModule } from '../../plugin/module.ts'
import type { BuiltAtlas } from '../../src/index.ts'
import { painting } from '../atlas/formats/project.ts'
import { openBrowser } from './browser.ts'
import { premultiply } from './delivered.ts'
import { repository } from './game.ts'

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
})

/** Speckles of every colour and alpha: whatever a codec changes shows. */
const sequences = [painting('hero/walk', { width: 48, height: 40 }), painting('hero/idle', { width: 40, height: 56 })]
const whole = new Map(sequences.flatMap(({ frames }) => frames.map(({ name, bitmap }) => [name, bitmap] as const)))

function encode(scale: number, first: PageEncoding, ...also: readonly PageEncoding[]): Promise<EncodedAtlas> {
  return encodePages(makeAtlas('sprites', sequences, { scale }), { ...first, also })
}

function toBuilt({ atlas, pages, alternates = [] }: EncodedAtlas): BuiltAtlas {
  const list = (some: EncodedAtlas['pages']): BuiltAtlas['pages'] =>
    some.map(({ file, ...page }) => {
      const extension = file.split('.').pop() as 'png'
      return { ...page, extension, contentType: `image/${extension}`, sha256: file }
    })
  return { ...atlas, pages: list(pages), alternates: alternates.map(list) }
}

/** A page of the game: what was asked for, and how far each frame is from what was packed, premultiplied, 0 to 255. */
interface Shown {
  readonly asked: readonly string[]
  readonly difference: number
}

const modules: Readonly<Record<string, string>> = {
  'pixi.js': 'node_modules/pixi.js/dist/pixi.min.mjs',
  'encodings-pixi.js': 'test/fixtures/e2e/encodings-pixi.js',
  'pixi-probe.js': 'test/fixtures/e2e/pixi-probe.js',
  'phaser-probe.js': 'test/fixtures/e2e/phaser-probe.js',
}

async function show(files: ReadonlyMap<string, Uint8Array>, load: (page: Page) => Promise<void>, isDrawn = true): Promise<Shown> {
  const page = await browser.newPage()
  const asked: string[] = []
  await page.route('http://game.test/**', async (route) => {
    const file = decodeURIComponent(new URL(route.request().url()).pathname.slice(1))
    const script = modules[file] ?? (file.startsWith('runtime/') ? `dist/plugin/${file}` : undefined)
    if (file === '')
      return route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><script type="importmap">{"imports":{"pixi.js":"./pixi.js"}}</script><script type="module" src="./encodings-pixi.js"></script>`,
      })
    if (script !== undefined) return route.fulfill({ contentType: 'text/javascript', body: await readFile(`${repository}/${script}`) })
    asked.push(file)
    const bytes = files.get(file)
    const contentType = file.endsWith('.js') ? 'text/javascript' : 'application/octet-stream'
    return bytes === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ body: Buffer.from(bytes), contentType })
  })
  await page.goto('http://game.test/')
  await page.waitForFunction(() => 'loadModule' in globalThis)
  await load(page)
  let difference = 0
  for (const [name, bitmap] of isDrawn ? whole : []) {
    const drawn = await page.evaluate((frame) => globalThis.probe!.draw(frame), name)
    expect([drawn.width, drawn.height]).toEqual([bitmap.width, bitmap.height])
    const canvas = Buffer.from(drawn.rgba, 'base64')
    const wanted = premultiply(bitmap)
    const [stride, ring] = [4 * (bitmap.width + 2 * drawn.ring), drawn.ring]
    for (const [at, value] of wanted.entries()) {
      const [x, y] = [at % (4 * bitmap.width), Math.floor(at / (4 * bitmap.width))]
      difference = Math.max(difference, Math.abs(value - canvas[(y + ring) * stride + 4 * ring + x]!))
    }
  }
  await page.close()
  return { asked: asked.filter((file) => !/\.js$|^manifest|ico$/.test(file)).sort(), difference }
}

/** The written files of a PixiJS project, loaded by `Assets`. */
async function showManifest(
  encoded: readonly EncodedAtlas[],
  choice: { readonly formats?: readonly string[]; readonly resolution?: number; readonly isExact?: boolean } = {},
): Promise<Shown> {
  const files = [...pixi.write(encoded), ...encoded.flatMap(({ pages, alternates = [] }) => [pages, ...alternates].flat())]
  return show(
    new Map(files.map(({ file, bytes }) => [file, bytes])),
    (page) =>
      page.evaluate((given) => (globalThis as unknown as { loadManifest(given: object): Promise<void> }).loadManifest(given), choice),
    // Other scales are drawn in other sizes.
    encoded.length === 1,
  )
}

test('PixiJS takes the best encoding that the browser shows at the scale that it is to take, and no other', async () => {
  const grid = await Promise.all([1, 0.5].map((scale) => encode(scale, { format: 'png' }, { format: 'webp' }, { format: 'avif' })))
  expect((await showManifest(grid)).asked).toEqual(['sprites-0.avif', 'sprites-0.avif.json'])
  const small = await showManifest(grid, { formats: ['webp', 'png'], resolution: 0.5 })
  expect(small.asked).toEqual(['sprites-0@0.5x.webp', 'sprites-0@0.5x.webp.json'])
})

test('frames of a written project are exact as PNG, and 1 of 255 off at most as WebP, which PixiJS loads over ImageBitmaps', async () => {
  const both = [await encode(1, { format: 'webp' }, { format: 'png', level: 9 })]
  expect(await showManifest(both, { formats: ['png'] })).toEqual({ asked: ['sprites-0.png', 'sprites-0.png.json'], difference: 0 })
  expect((await showManifest(both, { formats: ['webp'] })).difference).toBeLessThanOrEqual(1)
  expect((await showManifest(both, { formats: ['webp'], isExact: true })).difference).toBe(0)
})

test("the plugin's runtime takes the best encoding too, and draws every frame exactly", async () => {
  const encoded = await encode(1, { format: 'png' }, { format: 'webp' })
  const urls = (list: EncodedAtlas['pages']): readonly string[] => list.map(({ file }) => JSON.stringify(file))
  const code = atlasModule([toBuilt(encoded)], [urls(encoded.pages)], [encoded.alternates!.map(urls)])
  const files = new Map([...encoded.pages, ...encoded.alternates!.flat()].map(({ file, bytes }) => [file, bytes]))
  files.set('atlas.js', new TextEncoder().encode(code))
  const shown = await show(files, (page) => page.evaluate(() => (globalThis as unknown as { loadModule(): Promise<void> }).loadModule()))
  expect(shown).toEqual({ asked: ['sprites-0.webp'], difference: 0 })
})
