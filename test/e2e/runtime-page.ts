import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Browser, Route } from 'playwright-core'
import sharp from 'sharp'
import { createServer } from 'vite'
import type { AtlasData, SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { listenAnywhere } from '../kit/listen.ts'
import { patienceMs } from '../kit/patience.ts'
import { type Visit, visit } from './browser.ts'
import { bundledEngines, createGame, repository } from './game.ts'

/** Side of each page and of its only frame, in pixels. */
export const side = 16

/** Each page has a colour of its own. */
export const colours = [
  [200, 0, 0],
  [0, 200, 0],
  [0, 0, 200],
] as const

/** A frame on a page of {@link moved}. */
interface Spot {
  readonly x: number
  readonly y: number
  readonly size: number
  readonly colour: number
}

/** Further pages, 64 × 64 and black beside their frames: the same frames at other places, of another size and colour. */
const spots: readonly (readonly Spot[])[] = [
  [
    { x: 0, y: 0, size: 16, colour: 0 },
    { x: 16, y: 0, size: 16, colour: 1 },
  ],
  [
    { x: 30, y: 30, size: 24, colour: 1 },
    { x: 2, y: 34, size: 24, colour: 2 },
  ],
]

/**
 * A sprite of two frames of 16 pixels, or the same sprite after a change: two frames of 24 pixels at other places.
 *
 * @param more Replaces fields of the atlas.
 */
export function moved(state: 'before' | 'after', more: Partial<AtlasData> = {}): SpriteModule {
  const number = state === 'before' ? 0 : 1
  const frames = ['hero/walk/0000', 'hero/walk/0001']
  const rows = (spots[number] ?? []).map(({ x, y, size }) => [0, x, y, size, size, 0, 0, size, size] as const)
  const sprite = spriteOf('hero', 2, {
    pages: [{ url: `pages/${colours.length + number}.png`, width: 64, height: 64, format: 'png' }],
    frames: Object.fromEntries(frames.map((frame, at) => [frame, rows[at] as AtlasData['frames'][string]])),
    ...more,
  })
  return { ...sprite, width: number === 0 ? 16 : 24, height: number === 0 ? 16 : 24 }
}

function toPng(width: number, height: number, blocks: readonly Spot[]): Promise<Buffer> {
  const bytes = Buffer.alloc(width * height * 4)
  for (let at = 3; at < bytes.length; at += 4) bytes[at] = 255
  for (const { x, y, size, colour } of blocks)
    for (let row = y; row < y + size; row++)
      for (let column = x; column < x + size; column++) bytes.set(colours[colour] ?? [], (row * width + column) * 4)
  return sharp(bytes, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer()
}

/** A sprite with as many frames as pages, one on each. */
export function spriteOf(name: string, pages: number, more: Partial<AtlasData> = {}): SpriteModule {
  const frames = Array.from({ length: pages }, (_, index) => `${name}/walk/000${index}`)
  const walk = { frames: frames.map((frame) => [frame, 100] as const), fps: 10, loop: true, yoyo: false }
  const atlas: AtlasData = {
    key: name,
    scale: 1,
    pixelArt: false,
    version: '1',
    pages: frames.map((_, index) => ({ url: `pages/${index}.png`, width: side, height: side, format: 'png' })),
    frames: Object.fromEntries(frames.map((frame, index) => [frame, [index, 0, 0, side, side, 0, 0, side, side]])),
    animations: { [`${name}/walk`]: walk },
    ...more,
  }
  const animation = { name: `${name}/walk`, frames, durations: frames.map(() => 100), fps: 10, loop: true, yoyo: false }
  return {
    name,
    texture: name,
    width: side,
    height: side,
    pixelArt: false,
    isPlaceholder: false,
    animations: { walk: animation },
    pictures: {},
    order: ['walk'],
    frames,
    atlases: [atlas],
    variants: {},
  }
}

/** A page that has an engine and the runtime, and the pictures that it asks for. */
export interface RuntimePage extends Visit {
  /** Numbers of the pictures that the page has asked for, in order. */
  readonly asked: number[]
  /** Answers the next requests for a picture, one after the other: with a status, or when the promise ends. */
  readonly answers: Map<number, (number | Promise<void>)[]>
  /** Calls a function of the page's `kit`. */
  call<T>(method: string, ...args: readonly unknown[]): Promise<T>
  /** Loads the page anew. */
  reload(): Promise<void>
  /** Forgets what was asked for, the answers that are left, and complaints. */
  forget(): void
  close(): Promise<void>
}

/**
 * Opens a page of `test/fixtures/loading`.
 *
 * @param bundle Another bundle of the engine, beside the usual one.
 */
export async function openRuntime(
  browser: Browser,
  name: `phaser${string}` | `pixi${string}`,
  engine: keyof typeof bundledEngines,
  bundle?: string,
): Promise<RuntimePage> {
  const game = await createGame({
    'index.html': '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
  })
  await cp(join(repository, 'test', 'fixtures', 'loading'), game.root, { recursive: true })
  await cp(join(game.root, `${name}.js`), join(game.root, 'page.js'))
  await cp(join(repository, 'test', 'fixtures', 'e2e', 'phaser-probe.js'), join(game.root, 'phaser-probe.js'))
  const server = await createServer({
    root: game.root,
    configFile: false,
    logLevel: 'error',
    resolve: {
      alias: [
        { find: 'runtime', replacement: join(repository, 'plugin', 'runtime') },
        {
          find: name.startsWith('phaser') ? /^phaser$/ : /^pixi\.js$/,
          replacement: bundle ? join(dirname(bundledEngines[engine]), bundle) : bundledEngines[engine],
        },
      ],
    },
    server: { host: '127.0.0.1', fs: { allow: [game.root, repository] } },
    optimizeDeps: { noDiscovery: true },
  })
  await listenAnywhere(server)
  const seen = await visit(browser, server.resolvedUrls?.local[0] ?? '')
  const asked: number[] = []
  const answers: RuntimePage['answers'] = new Map()
  const pictures = await Promise.all([
    ...colours.map((_, colour) => toPng(side, side, [{ x: 0, y: 0, size: side, colour }])),
    ...spots.map((blocks) => toPng(64, 64, blocks)),
  ])
  await seen.page.context().route('**/pages/**', async (route: Route) => {
    const number = Number(/(\d)\.\w+$/.exec(new URL(route.request().url()).pathname)?.[1])
    asked.push(number)
    const answer = answers.get(number)?.shift()
    if (typeof answer === 'number') return route.fulfill({ status: answer })
    await answer
    return route.fulfill({ body: pictures[number] as Buffer, contentType: 'image/png' })
  })
  const hasKit = async (): Promise<void> =>
    void (await seen.page.waitForFunction(() => globalThis.kit !== undefined, undefined, { timeout: patienceMs }))
  await hasKit()
  return {
    ...seen,
    asked,
    answers,
    call: (method, ...args) => seen.page.evaluate(([name, list]) => kit[name](...list), [method, args] as const),
    reload: async () => {
      await seen.page.reload()
      await hasKit()
    },
    forget: () => {
      asked.splice(0)
      answers.clear()
      seen.complaints.splice(0)
    },
    close: async () => {
      await seen.page.close()
      await server.close()
      await game.remove()
    },
  }
}

declare global {
  // biome-ignore lint/suspicious/noExplicitAny: the page has no types
  var kit: any
}
