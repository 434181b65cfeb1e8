import { spawn } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { type EmbeddedService, startEmbeddedService } from 'spritewright/service'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { isOffered } from '../kit/extras.ts'
import { freePort } from '../kit/listen.ts'
import { rememberedMakers } from '../kit/remembered-makers.ts'
import { staleAsks } from '../plugin/panel-client.ts'
import { openBrowser, visit } from './browser.ts'
import { readExpected } from './delivered.ts'
import { bundledEngines, createGame, type Game, repository } from './game.ts'
import { dropPicture } from './panel-room.ts'
import { largestDifference } from './probe.ts'

/** The only sprite of a page of `test/fixtures/live`, as the page reports it, and its pixels. */
interface Look {
  readonly isSame: boolean
  readonly isPlaying: boolean
  readonly frame: string
  readonly width: number
  readonly height: number
  readonly ring: number
  readonly rgba: string
}

declare global {
  var live: { step(ms: number): void; isReal(): boolean; look(): Look } | undefined
}

const engines = (
  [
    { title: 'Phaser 4', page: 'phaser', engine: 'phaser' },
    { title: 'Phaser 3.90', page: 'phaser', engine: 'phaser3' },
    { title: 'PixiJS 8', page: 'pixi', engine: 'pixi.js' },
    // The oldest version that a swap can change in place.
    { title: 'PixiJS 8.8', page: 'pixi', engine: 'pixi8.8' },
  ] as const
).filter(({ engine }) => isOffered(engine))

/** In pixels. */
const window = { width: 480, height: 360 }
const frameMs = 100
/** Folder for pictures for the docs: `SPRITEWRIGHT_PICTURES=docs npx vitest run test/e2e/live.full.test.ts`. */
const pictures = process.env.SPRITEWRIGHT_PICTURES
/** Side of the reference pictures, in pixels. Drawing and packing grow with its square. */
const side = pictures === undefined ? 96 : 192

let browser: Browser
const open: { close(): Promise<unknown> }[] = []
beforeAll(async () => {
  browser = await openBrowser()
})
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})
afterAll(async () => {
  await browser?.close()
})

/**
 * Makes a game's folder and starts its dev server as a person does, because CI and test runners never buy.
 */
async function startGame(
  page: string,
  engine: keyof typeof bundledEngines,
): Promise<{ game: Game; service: EmbeddedService; url: string; panelUrl: string }> {
  const service = await startEmbeddedService({ jobMs: 0, makers: rememberedMakers })
  open.push(service)
  const alias = { [engine.startsWith('pixi') ? 'pixi.js' : 'phaser']: bundledEngines[engine] }
  const game = await createGame({
    'index.html':
      '<!doctype html><link rel="icon" href="data:,"><style>body{margin:0;overflow:hidden;background:#bfe3d0}</style><script type="module" src="/live/page.js"></script>',
    'vite.config.js': `import spritewright from 'spritewright/vite'
export default {
  plugins: [spritewright()],
  server: { host: '127.0.0.1', port: ${await freePort()}, fs: { allow: ${JSON.stringify(['.', repository])} } },
  optimizeDeps: { noDiscovery: true },
  resolve: { alias: ${JSON.stringify(alias)} },
}`,
    'sprites/hero.png': await sharp(join(repository, 'examples/phaser/sprites/hero.png')).resize(side).png().toBuffer(),
    'sprites/hero.sprite.json': JSON.stringify({
      reference: './hero.png',
      prompt: 'a small knight',
      animations: { walk: { prompt: 'walks briskly', frames: 12, fps: 1000 / frameMs } },
    }),
    '.env.local': `SPRITEWRIGHT_BASE_URL=${service.url}\nSPRITEWRIGHT_API_KEY=${service.key}\n`,
  })
  open.push({ close: () => game.remove() })
  const fixtures = join(repository, 'test', 'fixtures')
  await cp(join(fixtures, 'live', `${page}.js`), join(game.root, 'live', 'page.js'))
  await cp(join(fixtures, 'e2e', 'phaser-probe.js'), join(game.root, 'e2e', 'phaser-probe.js'))
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [join(repository, 'node_modules/vite/bin/vite.js')], {
    cwd: game.root,
    env: { PATH, HOME, NO_COLOR: '1', XDG_STATE_HOME: join(game.root, '.state') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  open.push({
    close: () => {
      child.kill()
      return ended
    },
  })
  let said = ''
  const panelUrl = await new Promise<string>((resolve, reject) => {
    const listen = (part: Buffer): void => {
      said += part.toString()
      const found = /https?:\S+#token=\S+/.exec(said)?.[0]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    void ended.then(() => reject(new Error(`Expected the address of the panel among what the dev server prints:\n${said}`)))
  })
  return { game, service, url: /Local:\s+(http:\S+)/.exec(said)?.[1] ?? '', panelUrl }
}

/**
 * Tries what a module of the game might try, knowing the panel's address: every action without a token and with a
 * wrong one, with and without asking the server first. Returns each readable answer, and every text in which it could
 * search for the token.
 */
function tryToSpend(page: Page, panel: string): Promise<{ answers: readonly string[]; texts: string }> {
  return page.evaluate(
    async ({ actions, panel }) => {
      const read = async (url: string, init?: RequestInit): Promise<string> =>
        fetch(url, init).then(
          (response) => response.text(),
          () => '',
        )
      const answers: string[] = []
      const body = JSON.stringify({ ids: [], lines: [{ id: 'hero.walk', credits: '2.4' }], sum: '2.4' })
      for (const action of actions)
        for (const init of [
          { headers: { 'content-type': 'application/json' } },
          { headers: { 'content-type': 'application/json', 'x-spritewright-token': 'A'.repeat(43) } },
          { mode: 'no-cors' },
        ] as RequestInit[])
          answers.push(await read(`${panel}api/${action}`, { ...init, method: 'POST', body }))
      for (const name of ['', 'api/state', 'api/events']) answers.push(await read(panel + name))
      const places = [
        '/',
        '/@vite/client',
        '/live/page.js',
        '/sprites/hero.sprite.json?import',
        '/@id/__x00__spritewright/atlas/hero',
        '/__spritewright/',
        '/__spritewright/api/state',
      ]
      const texts = await Promise.all(places.map((place) => read(place)))
      return { answers, texts: [...texts, document.cookie, JSON.stringify([{ ...localStorage }, { ...sessionStorage }])].join('\n') }
    },
    { actions: Object.keys(staleAsks), panel },
  )
}

/** Approves the open animation as a person does. Returns a picture of the question to that person. */
async function approveInPanel(page: Page, name = 'hero.walk', credits = '2.4'): Promise<Uint8Array> {
  await page.getByRole('button', { name: `Approve ${credits} credits…`, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`${credits} credits will be held for ${name}`, { exact: false }).waitFor()
  const picture = await page.screenshot()
  await dialog.getByRole('button', { name: `Approve ${credits} credits` }).click()
  await page.locator('.detail-head .state', { hasText: /^bought$/ }).waitFor()
  return picture
}

test.each(engines)('$title: a placeholder walks, somebody approves in the panel, and the real art goes on', async ({ page, engine }) => {
  const { game, service, url, panelUrl } = await startGame(page, engine)
  const { page: shown, complaints } = await visit(browser, url, window)
  open.push(shown)
  await shown.waitForFunction(() => globalThis.live !== undefined)
  await shown.evaluate(() => {
    globalThis.isTheSamePage = true
  })
  const look = (): Promise<Look> => shown.evaluate(() => globalThis.live?.look() as Look)
  const step = (ms: number): Promise<void> => shown.evaluate((by) => globalThis.live?.step(by), ms)

  await step(2.5 * frameMs)
  const before = await look()
  expect(before).toMatchObject({ isSame: true, isPlaying: true, frame: 'hero/walk/0002' })
  const placeholder = await shown.screenshot()
  expect(service.charges()).toEqual([])

  const address = new URL(panelUrl)
  const { answers, texts } = await tryToSpend(shown, address.origin + address.pathname)
  expect(new Set(answers)).toEqual(new Set(['']))
  expect(texts).toContain('hero/walk')
  expect(texts).not.toContain(address.hash.slice('#token='.length))
  expect(complaints.splice(0).length).toBeGreaterThan(answers.length)
  expect(service.charges()).toEqual([])
  const panel = await browser.newPage({
    viewport: { width: 1000, height: 2 * window.height },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  open.push(panel)
  await panel.goto(`${address.origin}${address.pathname}?show=hero.walk${address.hash}`)
  const asked = await approveInPanel(panel)
  await shown.waitForFunction(() => globalThis.live?.isReal())

  // Nothing has been reloaded. It is the same object, and it plays on from its position.
  expect(await shown.evaluate(() => globalThis.isTheSamePage)).toBe(true)
  const { frames } = await readExpected(game.root, ['sprites/hero.sprite.json'])
  const seen: string[] = []
  for (let index = 0; index < 10; index++) {
    const { rgba, ring, ...now } = await look()
    const delivered = frames.find(({ name }) => name === now.frame)
    if (!delivered) throw new Error(`${now.frame} was not delivered`)
    expect(now).toMatchObject({ isSame: true, isPlaying: true, width: delivered.width, height: delivered.height })
    expect({ frame: now.frame, difference: largestDifference(Buffer.from(rgba, 'base64'), ring, delivered) }).toEqual({
      frame: now.frame,
      difference: 0,
    })
    expect(rgba).not.toBe(before.rgba)
    seen.push(now.frame)
    await step(frameMs)
  }
  expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => `hero/walk/${String(index + 2).padStart(4, '0')}`))
  expect(complaints).toEqual([])
  expect(service.charges().map(({ credits }) => credits)).toEqual([24_000n])
  if (pictures !== undefined)
    await writeFile(join(pictures, `live-${engine.replace('.js', '')}.png`), await join3(placeholder, await shown.screenshot(), asked))
})

/** The game before and after, one above the other, beside the question to the person. */
async function join3(before: Uint8Array, after: Uint8Array, asked: Uint8Array): Promise<Uint8Array> {
  const gap = 8
  const { width, height } = window
  return sharp({ create: { width: width + gap + 1000, height: 2 * height + gap, channels: 3, background: '#ffffff' } })
    .composite([
      { input: Buffer.from(before), left: 0, top: 0 },
      { input: Buffer.from(after), left: 0, top: height + gap },
      { input: Buffer.from(asked), left: width + gap, top: 0 },
    ])
    .png({ palette: true, colours: 128, effort: 10 })
    .toBuffer()
}

const testWithLowest = test.skipIf(!isOffered('pixi8.0'))
testWithLowest('PixiJS 8.0: the page reloads with the real art, because sprites of that version keep what they drew', async () => {
  const { game, url, panelUrl } = await startGame('pixi', 'pixi8.0')
  const { page: shown, complaints } = await visit(browser, url, window)
  open.push(shown)
  await shown.waitForFunction(() => globalThis.live?.isReal() === false)
  await shown.evaluate(() => {
    globalThis.isTheSamePage = true
  })
  const panel = await browser.newPage({ viewport: { width: 1000, height: 2 * window.height }, reducedMotion: 'reduce' })
  open.push(panel)
  await panel.goto(panelUrl.replace('#', '?show=hero.walk#'))
  await approveInPanel(panel)
  await shown.waitForFunction(() => globalThis.isTheSamePage === undefined && globalThis.live !== undefined)
  const { rgba, ring, frame } = await shown.evaluate(() => globalThis.live?.look() as Look)
  const { frames } = await readExpected(game.root, ['sprites/hero.sprite.json'])
  const delivered = frames.find(({ name }) => name === frame)!
  expect(largestDifference(Buffer.from(rgba, 'base64'), ring, delivered)).toBe(0)
  expect(complaints).toEqual([expect.stringContaining('PixiJS 8.0.0 cannot swap it in place')])
})

test('a picture dropped in the panel becomes a sprite, moves in the game as a placeholder, and is replaced by bought art', async () => {
  const { game, service, url, panelUrl } = await startGame('pixi', 'pixi.js')
  const panel = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  open.push(panel)
  await panel.goto(panelUrl)
  await panel.getByRole('button', { name: 'New sprite…' }).click()
  await panel.getByRole('heading', { name: 'A new sprite' }).waitFor()
  await dropPicture(panel, 'fox.png', await sharp(join(repository, 'examples/pixi/sprites/fox.png')).resize(side).png().toBuffer())
  await panel.getByRole('textbox', { name: 'What it is, in words' }).fill('a red fox')
  await panel.getByRole('button', { name: 'Make it' }).click()
  await panel.getByRole('heading', { name: 'fox.idle', level: 1 }).waitFor()

  // At its delivered size, pixels can be compared.
  const { size: _, ...spec } = JSON.parse(await readFile(join(game.root, 'sprites/fox.sprite.json'), 'utf8'))
  await game.write('sprites/fox.sprite.json', JSON.stringify(spec))
  const code = await readFile(join(game.root, 'live/page.js'), 'utf8')
  await game.write('live/page.js', code.replace('hero.sprite.json', 'fox.sprite.json').replace("create('walk')", "create('idle')"))
  const { page: shown, complaints } = await visit(browser, url, window)
  open.push(shown)
  await shown.waitForFunction(() => globalThis.live?.isReal() === false)
  await shown.evaluate(() => {
    globalThis.isTheSamePage = true
  })
  await approveInPanel(panel, 'fox.idle', '1.6')
  await shown.waitForFunction(() => globalThis.live?.isReal())
  const { rgba, ring, frame } = await shown.evaluate(() => globalThis.live?.look() as Look)
  const { frames } = await readExpected(game.root, ['sprites/fox.sprite.json'])
  expect(largestDifference(Buffer.from(rgba, 'base64'), ring, frames.find(({ name }) => name === frame)!)).toBe(0)
  expect(await shown.evaluate(() => globalThis.isTheSamePage)).toBe(true)
  expect(service.charges()).toHaveLength(1)
  expect(complaints).toEqual([])
})
