import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { pixi } from '../../atlas/formats/pixi.ts'
import { type Bitmap, type EncodedAtlas, encodePages, type FrameSequence, makeAtlas, type PageEncoding } from '../../atlas/index.ts'
import { sheetModule, toSheetData } from '../../plugin/module.ts'
import type { BuiltAtlas } from '../../src/index.ts'
import { premultiply } from './delivered.ts'
import { repository } from './game.ts'

/** A PixiJS project of one group: its atlas at each scale, in several encodings. */
export interface EncodedGame {
  readonly atlases: readonly EncodedAtlas[]
  /** Whole frames at scale 1, by name. */
  readonly pictures: ReadonlyMap<string, Bitmap>
}

/**
 * Packs sequences and encodes their pages. Other scales than 1 have the same pixels, because no test draws
 * them.
 */
export async function encodeGame(
  sequences: readonly FrameSequence[],
  [first = { format: 'png' }, ...also]: readonly PageEncoding[],
  scales: readonly number[] = [1],
  rotate = false,
): Promise<EncodedGame> {
  return {
    atlases: await Promise.all(scales.map((scale) => encodePages(makeAtlas('sprites', sequences, { scale, rotate }), { ...first, also }))),
    pictures: new Map(sequences.flatMap(({ frames }) => frames.map(({ name, bitmap }) => [name, bitmap] as const))),
  }
}

/**
 * The requests of a page of the game, and the difference between its frames and the packed ones,
 * premultiplied, 0 to 255.
 */
export interface ShownGame {
  /** Pages and their data, sorted. */
  readonly asked: readonly string[]
  readonly largest: number
  /** Mean over all visible pixels. */
  readonly mean: number
}

/** How a page loads. */
export interface LoadChoice {
  /**
   * The encodings that may be chosen.
   *
   * @default what the browser shows
   */
  readonly formats?: readonly string[]
  /** @default 1 */
  readonly resolution?: number
  /**
   * Whether pictures are loaded as image elements.
   *
   * @default false
   */
  readonly isExact?: boolean
  /**
   * Whether PixiJS has been taught to load KTX2.
   *
   * @default false
   */
  readonly hasKtx2?: boolean
}

type Loader = (given: LoadChoice) => Promise<void>

/** Loads the written files with PixiJS's own `Assets`. */
export async function showWritten(browser: Browser, game: EncodedGame, choice: LoadChoice = {}): Promise<ShownGame> {
  const files = [...pixi.write(game.atlases), ...game.atlases.flatMap(pagesOf)]
  const load = (page: Page): Promise<void> =>
    page.evaluate((given) => (globalThis as unknown as { loadManifest: Loader }).loadManifest(given), choice)
  return show(browser, new Map(files.map(({ file, bytes }) => [file, bytes])), load, game)
}

/** Loads a module that the plugin makes, with the plugin's runtime. */
export async function showModule(browser: Browser, game: EncodedGame, choice: LoadChoice = {}): Promise<ShownGame> {
  const hero = { name: 'hero', file: '/hero.sprite.json', atlas: 'sprites', width: 1, height: 1, pixelArt: false, isPlaceholder: false }
  // The URL of a page is its file; see toBuilt.
  const code = sheetModule(toSheetData(game.atlases.map(toBuilt), [{ ...hero, animations: [] }], ({ sha256 }) => sha256))
  const files = new Map(game.atlases.flatMap(pagesOf).map(({ file, bytes }) => [file, bytes]))
  files.set('sheet.js', new TextEncoder().encode(code))
  const load = (page: Page): Promise<void> =>
    page.evaluate((given) => (globalThis as unknown as { loadModule: Loader }).loadModule(given), choice)
  return show(browser, files, load, game)
}

function pagesOf({ pages, alternates = [] }: EncodedAtlas): EncodedAtlas['pages'] {
  return [pages, ...alternates].flat()
}

function toBuilt({ atlas: { layers: _, ...atlas }, pages, alternates = [] }: EncodedAtlas): BuiltAtlas {
  const list = (some: EncodedAtlas['pages']): BuiltAtlas['pages'] =>
    some.map(({ file, ...page }) => {
      const extension = file.split('.').pop() as 'png'
      return { ...page, extension, contentType: `image/${extension}`, sha256: file }
    })
  return { ...atlas, pages: list(pages), alternates: alternates.map(list) }
}

const index = `<!doctype html><script type="importmap">{"imports":{"pixi.js":"./pixi.js","virtual:spritewright/sheet":"./runtime/shared/sheet.js"}}</script><script type="module" src="./encodings-pixi.js"></script>`
const parts: Readonly<Record<string, string>> = {
  'pixi.js': 'node_modules/pixi.js/dist/pixi.min.mjs',
  'libktx.js': 'node_modules/pixi.js/transcoders/ktx/libktx.js',
  'libktx.wasm': 'node_modules/pixi.js/transcoders/ktx/libktx.wasm',
  'encodings-pixi.js': 'test/fixtures/e2e/encodings-pixi.js',
  'pixi-probe.js': 'test/fixtures/e2e/pixi-probe.js',
  'phaser-probe.js': 'test/fixtures/e2e/phaser-probe.js',
}
const contentTypes: Readonly<Record<string, string>> = { js: 'text/javascript', wasm: 'application/wasm', json: 'application/json' }

async function show(
  browser: Browser,
  files: ReadonlyMap<string, Uint8Array>,
  load: (page: Page) => Promise<void>,
  { atlases, pictures }: EncodedGame,
): Promise<ShownGame> {
  const page = await browser.newPage()
  const asked: string[] = []
  await page.route('http://game.test/**', async (route) => {
    const file = decodeURIComponent(new URL(route.request().url()).pathname.slice(1))
    if (file === '') return route.fulfill({ contentType: 'text/html', body: index })
    const part = parts[file] ?? (file.startsWith('runtime/') ? `dist/plugin/${file}` : undefined)
    const bytes = part === undefined ? files.get(file) : await readFile(`${repository}/${part}`)
    if (part === undefined) asked.push(file)
    const contentType = contentTypes[file.split('.').pop() ?? ''] ?? 'application/octet-stream'
    return bytes === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ body: Buffer.from(bytes), contentType })
  })
  try {
    await page.goto('http://game.test/')
    await page.waitForFunction(() => 'loadModule' in globalThis)
    await load(page)
    const shown = asked.filter((file) => /^sprites/.test(file)).sort()
    // Other scales are drawn in other sizes, so they are not compared.
    return { asked: shown, ...(await compare(page, atlases.length === 1 ? pictures : new Map())) }
  } finally {
    await page.close()
  }
}

async function compare(page: Page, pictures: ReadonlyMap<string, Bitmap>): Promise<{ readonly largest: number; readonly mean: number }> {
  let [largest, sum, count] = [0, 0, 0]
  for (const [name, bitmap] of pictures) {
    const drawn = await page.evaluate((frame) => globalThis.probe?.draw(frame), name)
    if (!drawn) throw new Error(`Expected ${name} to be drawn.`)
    expect([drawn.width, drawn.height]).toEqual([bitmap.width, bitmap.height])
    const canvas = Buffer.from(drawn.rgba, 'base64')
    const stride = 4 * (bitmap.width + 2 * drawn.ring)
    for (const [at, value] of premultiply(bitmap).entries()) {
      const [x, y] = [at % (4 * bitmap.width), Math.floor(at / (4 * bitmap.width))]
      const difference = Math.abs(value - canvas[(y + drawn.ring) * stride + 4 * drawn.ring + x]!)
      largest = Math.max(largest, difference)
      if (bitmap.data[at | 3] === 0) continue
      sum += difference
      count++
    }
  }
  return { largest, mean: sum / Math.max(1, count) }
}
