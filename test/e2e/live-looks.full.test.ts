import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlugins } from '../../plugin/index.ts'
import { isOffered } from '../kit/extras.ts'
import { listenAnywhere } from '../kit/listen.ts'
import { openBrowser, visit } from './browser.ts'
import { bundledEngines, createGame, type Game, repository } from './game.ts'
import { largestDifference } from './probe.ts'

/** What is drawn at a place, and the pixels of that place. */
interface Look {
  readonly frame?: string
  readonly width: number
  readonly isPlaying?: boolean
  readonly rgba: string
}

type Place = 'hero' | 'red' | 'badge' | 'green'

declare global {
  var looks:
    | {
        readonly version: string
        step(ms: number): void
        variants(): readonly string[]
        add(name: string): Promise<void>
        look(place: Place): Look
        normals(): { readonly named: readonly (string | undefined)[]; readonly had: readonly (string | undefined)[] }
      }
    | undefined
}

type Colour = readonly [red: number, green: number, blue: number]

/** Side of a frame, in pixels. What a page reads has clear pixels right of it and below it. */
const side = 48
const ring = 8
const readSide = side + ring
const [cloth, shade] = [
  [60, 90, 190],
  [28, 47, 122],
] as const
/** Colours in the place of both. */
const teams = {
  hero: [cloth, shade],
  red: [
    [190, 60, 60],
    [122, 28, 28],
  ],
  wine: [
    [120, 20, 70],
    [70, 10, 40],
  ],
  green: [
    [60, 170, 70],
    [20, 90, 30],
  ],
} as const satisfies Record<string, readonly [Colour, Colour]>

/** A ball of cloth with a shaded stripe, at another place in each frame, so that frames are trimmed. */
function draw(index: number, [light, dark]: readonly [Colour, Colour] = teams.hero): Uint8Array {
  const data = new Uint8Array(side * side * 4)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      if (Math.hypot(x - 18 - 3 * index, y - 24) < 14) data.set([...(y % 9 < 4 ? dark : light), 255], (y * side + x) * 4)
  return data
}

function toPng(data: Uint8Array): Buffer {
  return PNG.sync.write(Object.assign(new PNG({ width: side, height: side }), { data: Buffer.from(data) }))
}

const hex = (colour: Colour): string => `#${Buffer.from(colour).toString('hex')}`
const rampTo = (team: keyof typeof teams): object[] => [
  { from: [cloth].map(hex), to: [hex(teams[team][0])], tolerance: 0 },
  { from: [shade].map(hex), to: [hex(teams[team][1])], tolerance: 0 },
]

/** A spec of the hero. */
function spec(variants: Readonly<Record<string, keyof typeof teams>>, normals: object | false = { soften: 0 }): string {
  const ramps = Object.fromEntries(Object.entries(variants).map(([name, team]) => [name, rampTo(team)]))
  return JSON.stringify({ source: './hero', animations: { walk: { fps: 10 } }, variants: ramps, normals })
}

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const engines = (
  [
    { title: 'Phaser 4', page: 'phaser', engine: 'phaser', version: /^4\./ },
    { title: 'Phaser 3.90', page: 'phaser', engine: 'phaser3', version: /^3\.90/ },
    { title: 'PixiJS 8', page: 'pixi', engine: 'pixi.js', version: /^8\.\d\d/ },
    // The oldest version that a swap can change in place.
    { title: 'PixiJS 8.8', page: 'pixi', engine: 'pixi8.8', version: /^8\.8\./ },
  ] as const
).filter(({ engine }) => isOffered(engine))

describe.each(engines)('a game in dev, with $title', ({ page: name, engine, version }) => {
  let game: Game
  let url: string
  let page: Page
  let complaints: string[]
  const open: { close(): Promise<unknown> }[] = []

  beforeAll(async () => {
    const docs = await readFile(join(repository, 'docs/light.md'), 'utf8')
    game = await createGame({
      'index.html': '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/looks/page.js"></script>',
      'hero.sprite.json': spec({ red: 'red' }),
      'hero/badge.png': toPng(draw(0)),
      ...Object.fromEntries([0, 1, 2, 3].map((index) => [`hero/walk_${index}.png`, toPng(draw(index))])),
      'looks/light-filter.ts': /```ts\n(import \{\s+Filter[\s\S]*?)\n```/.exec(docs)![1]!,
    })
    open.push({ close: () => game.remove() })
    const fixtures = join(repository, 'test', 'fixtures')
    await cp(join(fixtures, 'looks', `${name}.js`), join(game.root, 'looks', 'page.js'))
    await cp(join(fixtures, 'looks', 'stage.js'), join(game.root, 'looks', 'stage.js'))
    await cp(join(fixtures, 'e2e', 'phaser-probe.js'), join(game.root, 'e2e', 'phaser-probe.js'))
    const server = await createServer({
      root: game.root,
      configFile: false,
      logLevel: 'error',
      plugins: [createPlugins({})],
      resolve: {
        alias: [
          { find: /^spritewright\/(phaser|pixi)$/, replacement: join(repository, 'plugin', 'runtime', '$1.ts') },
          { find: name === 'phaser' ? /^phaser$/ : /^pixi\.js$/, replacement: bundledEngines[engine] },
        ],
      },
      server: { host: '127.0.0.1', fs: { allow: [game.root, repository] } },
      optimizeDeps: { noDiscovery: true },
    })
    open.push(server)
    await listenAnywhere(server)
    url = server.resolvedUrls?.local[0] ?? ''
    ;({ page, complaints } = await start())
    expect(await page.evaluate(() => globalThis.looks?.version)).toMatch(version)
    await page.evaluate(() => {
      globalThis.isTheSamePage = true
    })
  })

  afterAll(async () => {
    for (const one of open.splice(0).reverse()) await one.close()
  })

  async function start(): Promise<{ page: Page; complaints: string[] }> {
    const seen = await visit(browser, url)
    open.push(seen.page)
    await seen.page
      .waitForFunction(() => globalThis.looks !== undefined)
      .catch((error: unknown) => {
        throw new Error(`The page did not get ready:\n${seen.complaints.join('\n')}`, { cause: error })
      })
    return seen
  }

  const step = (ms: number): Promise<void> => page.evaluate((by) => globalThis.looks?.step(by), ms)
  const look = (place: Place, shown = page): Promise<Look> => shown.evaluate((at) => globalThis.looks!.look(at), place)

  /** Saves a spec, and waits until a place looks otherwise than before. */
  async function save(content: string, place: Place): Promise<void> {
    const { rgba } = await look(place)
    await game.write('hero.sprite.json', content)
    await page.waitForFunction(([at, before]) => globalThis.looks?.look(at).rgba !== before, [place, rgba] as const)
  }

  /** Expects a walker to show a frame in the colours of a team, and nothing else beside it. */
  async function expectWalking(place: 'hero' | 'red' | 'green', index: number, team: keyof typeof teams): Promise<void> {
    const { rgba, ...now } = await look(place)
    const sprite = place === 'hero' ? 'hero' : `hero.${place}`
    expect(now).toEqual({ frame: `${sprite}/walk/000${index}`, width: side, isPlaying: true })
    const wanted = { name: '', width: side, height: side, data: draw(index, teams[team]) }
    const read = Buffer.from(rgba, 'base64')
    const all = new Uint8Array((readSide + ring) ** 2 * 4)
    for (let y = 0; y < readSide; y++)
      all.set(read.subarray(y * readSide * 4, (y + 1) * readSide * 4), ((y + ring) * (readSide + ring) + ring) * 4)
    expect({ place, difference: largestDifference(all, ring, wanted) }).toEqual({ place, difference: 0 })
  }

  test('a shown variant gets the colours of another ramp, and walks on from the frame that it shows', async () => {
    await step(150)
    await expectWalking('hero', 1, 'hero')
    await expectWalking('red', 1, 'red')
    await save(spec({ red: 'wine' }), 'red')
    await expectWalking('red', 1, 'wine')
    await step(100)
    await expectWalking('red', 2, 'wine')
    await expectWalking('hero', 2, 'hero')
  })

  test('a new variant is there to be loaded', async () => {
    await game.write('hero.sprite.json', spec({ red: 'wine', green: 'green' }))
    await page.waitForFunction(() => globalThis.looks?.variants().includes('green'))
    await page.evaluate(() => globalThis.looks?.add('green'))
    await expectWalking('green', 0, 'green')
    await step(100)
    await expectWalking('green', 1, 'green')
    await expectWalking('red', 3, 'wine')
  })

  test.each([
    ['less depth', { soften: 0, depth: 4 }],
    ['luminance', { from: 'luminance', depth: 6 }],
    ['none', false],
    ['the whole shape', { soften: 0 }],
  ] as const)('a lit variant gets new normals, and looks as on a page that is loaded now: %s', async (_, normals) => {
    const before = await page.evaluate(() => globalThis.looks!.normals())
    await save(spec({ red: 'wine', green: 'green' }, normals), 'badge')
    const { named, had } = await page.evaluate(() => globalThis.looks!.normals())
    expect(named).not.toEqual(before.named)
    expect(named.map((url) => url !== undefined)).toEqual([normals !== false])
    expect(had).toEqual(named.map((url) => (url === undefined ? undefined : expect.stringContaining(url))))
    const { page: fresh } = await start()
    expect((await look('badge')).rgba).toBe((await look('badge', fresh)).rgba)
    await fresh.close()
  })

  test('a removed variant shows the missing-texture picture, and its art again when the variant is back', async () => {
    complaints.splice(0)
    await save(spec({ green: 'green' }), 'red')
    const { width, rgba } = await look('red')
    // The picture is a green frame on black.
    const pixel = (x: number, y: number): readonly number[] => [
      ...Buffer.from(rgba, 'base64')
        .subarray((y * readSide + x) * 4)
        .subarray(0, 4),
    ]
    expect([width, pixel(20, 10), pixel(40, 40)]).toEqual([32, [0, 0, 0, 255], [0, 0, 0, 0]])
    expect(complaints.splice(0)).toEqual([expect.stringContaining('frames of "hero.red" are gone')])
    await expectWalking('green', 1, 'green')
    await expectWalking('hero', 3, 'hero')

    await save(spec({ red: 'red', green: 'green' }), 'red')
    await expectWalking('red', 3, 'red')
    await step(100)
    await expectWalking('red', 0, 'red')
    expect(complaints).toEqual([])
    expect(await page.evaluate(() => globalThis.isTheSamePage)).toBe(true)
  })
})
