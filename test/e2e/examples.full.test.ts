import { spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Disclosure } from '../../src/workshop.ts'
import { isOffered } from '../kit/extras.ts'
import { testWith } from '../kit/needs.ts'
import { patienceMs } from '../kit/patience.ts'
import { openProject, runCli } from '../kit/project.ts'
import { level } from '../level.ts'
import { openBrowser, visit } from './browser.ts'
import { readExpected } from './delivered.ts'
import { addProbes, bundle, linkPackages, repository, serveDev } from './game.ts'
import { examine } from './probe.ts'
import { serveFolder } from './site.ts'

const specs = {
  phaser: ['sprites/hero.sprite.json', 'sprites/slime.sprite.json', 'sprites/coin.sprite.json'],
  pixi: ['sprites/fox.sprite.json', 'sprites/ghost.sprite.json', 'sprites/crystal.sprite.json'],
  prebuild: ['sprites/bat.sprite.json', 'sprites/mushroom.sprite.json', 'sprites/robot.sprite.json'],
}

interface Rectangle {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** Milliseconds, for a slow and busy machine. */
const patience = 300_000

let folder: string
let browser: Browser
let firstRun: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-examples-')))
  await linkPackages(folder)
  await cp(join(repository, 'examples'), join(folder, 'examples'), {
    recursive: true,
    // Only the files of a fresh clone.
    filter: (path) => !/[\\/](?:node_modules|dist|\.spritewright|sprites\.lock\.json|vendor|public[\\/]sprites)$/.test(path),
  })
  if (level !== 'long') await shrinkReferences()
  browser = await openBrowser()
  firstRun = await demo()
}, patience)

afterAll(async () => {
  await browser?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

/**
 * Shrinks the reference pictures. A delivered frame is as large as the sent picture, and the time of every
 * step from the artist to the engine grows with its pixels.
 */
async function shrinkReferences(): Promise<void> {
  const paths = await readdir(join(folder, 'examples'), { recursive: true })
  // The pictures of the village are small, and most of them are own art. The squad's have cells of six pixels.
  const references = paths.filter((one) => one.endsWith('.png') && !/^(?:village|squad)/.test(one))
  for (const path of references.map((one) => join(folder, 'examples', one))) {
    const { width } = await sharp(path).metadata()
    await writeFile(
      path,
      await sharp(await readFile(path))
        .resize(Math.round(width / 2))
        .png()
        .toBuffer(),
    )
  }
}

/**
 * Runs the demo on the copy, as `npm run demo` does.
 *
 * @param only Names of games; all if there are none.
 */
function demo(...only: readonly string[]): Promise<string> {
  const child = spawn(
    process.execPath,
    [join(repository, 'scripts/demo.mjs'), '--in', join(folder, 'examples'), ...only.flatMap((name) => ['--only', name])],
    {
      env: { ...process.env, CI: 'true', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const parts: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => void parts.push(part))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      const output = Buffer.concat(parts).toString()
      if (code === 0) resolve(output)
      else reject(new Error(`The demo ended with ${code}:\n${output}`))
    })
  })
}

/** How many different colours a screenshot has. An empty page has one, drawn scenery a few hundred. */
async function colours(page: Page): Promise<number> {
  const { data } = PNG.sync.read(await page.screenshot())
  const seen = new Set<number>()
  for (let at = 0; at < data.length; at += 4) seen.add(data.readUInt32BE(at))
  return seen.size
}

describe('the demo', () => {
  test(
    'buys all five games for what they cost, and nothing the second time',
    async () => {
      expect(firstRun).toContain('6 animations to buy, 14.4 credits')
      expect(firstRun).toContain('1 animation and 4 pictures to buy, 6.4 credits')
      // Eight directions in four colours, of which five are bought in one.
      expect(firstRun).toContain('32 animations shown, 5 bought: 8 credits, not 51.2')
      expect(firstRun).toMatch(/Together \d+(\.\d+)? credits of play money/)
      // A second run: of one game, and in the long run of the whole demo.
      const again = await demo('prebuild')
      expect(again.match(/bought nothing/g)).toHaveLength(1)
      expect(again).toContain('Nothing was paid')
      if (level === 'long') expect((await demo()).match(/bought nothing/g)).toHaveLength(5)
    },
    patience,
  )
})

test('every frame of the demo has an origin, and one pixel changed by hand is found', { timeout: patience }, async () => {
  const disclose = async (
    name: string,
  ): Promise<{ readonly code: number | null; readonly shipped: number; readonly without: readonly string[] }> => {
    const { code, stdout } = await runCli(openProject(join(folder, 'examples', name)), ['disclose', '--json'])
    const { animations, unexplained } = JSON.parse(stdout) as Disclosure
    return { code, shipped: animations.flatMap(({ frames }) => frames).length, without: unexplained.map((one) => one.name) }
  }
  for (const name of ['phaser', 'pixi', 'prebuild', 'village']) {
    const found = await disclose(name)
    expect([name, found.code, found.without]).toEqual([name, 0, []])
    expect(found.shipped).toBeGreaterThan(40)
  }
  const out = join(folder, 'examples/prebuild/public/sprites')
  const { frames } = JSON.parse(await readFile(join(out, 'sprites.json'), 'utf8')) as { frames: Record<string, { frame: Rectangle }> }
  const [name, { frame }] = Object.entries(frames).find(([one]) => one.startsWith('robot/walk'))!
  const written = await readFile(join(out, 'sprites-0.png'))
  const page = PNG.sync.read(written)
  const alpha = 4 * (page.width * (frame.y + Math.floor(frame.h / 2)) + frame.x + Math.floor(frame.w / 2)) + 3
  page.data[alpha] = page.data[alpha] === 0 ? 1 : 0
  await writeFile(join(out, 'sprites-0.png'), PNG.sync.write(page))
  expect(await disclose('prebuild')).toMatchObject({ code: 1, without: [name] })
  await writeFile(join(out, 'sprites-0.png'), written)
})

test('the demo opens a game beside the panel with --dev', { timeout: patience }, async () => {
  const args = ['--dev', 'pixi', '--port', '0', '--in', join(folder, 'examples')]
  const env = { ...process.env, NO_COLOR: '1', BROWSER: 'none' }
  const child = spawn(process.execPath, [join(repository, 'scripts/demo.mjs'), ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.on('close', resolve))
  try {
    let said = ''
    const panel = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (part: Buffer) => {
        said += part.toString()
        const found = /https?:\S+#token=\S+/.exec(said)?.[0]
        if (found !== undefined) resolve(found)
      })
      void ended.then(() => reject(new Error(`Expected the address of the panel, found:\n${said}`)))
    })
    const { page, complaints } = await visit(browser, panel, { width: 960, height: 540 })
    await page.getByRole('region', { name: 'fox' }).waitFor()
    await page.goto(/Local:\s+(http:\S+)/.exec(said)?.[1] ?? '')
    await page.waitForFunction('window.app?.stage.children.length === 4', undefined, { timeout: patienceMs })
    expect(complaints).toEqual([])
    await page.close()
  } finally {
    child.kill()
    await ended
  }
})

describe.each([
  { name: 'phaser', kind: 'built', isReady: 'window.game?.scene.isActive("level")' },
  { name: 'phaser', kind: 'in dev', isReady: 'window.game?.scene.isActive("level")' },
  { name: 'pixi', kind: 'built', isReady: 'window.app?.stage.children.length === 4' },
  { name: 'pixi', kind: 'in dev', isReady: 'window.app?.stage.children.length === 4' },
  { name: 'squad', kind: 'built', isReady: 'window.game?.scene.isActive("squad")' },
  { name: 'prebuild', kind: 'written by the command line', isReady: 'window.game?.scene.isActive("default")' },
] as const)('the example $name, $kind', ({ name, kind, isReady }) => {
  testWith(level === 'long' || name !== 'phaser' || kind !== 'in dev', 'the long level')(
    'starts without a complaint and shows its sprites',
    async () => {
      const root = join(folder, 'examples', name)
      const engine = name === 'pixi' ? 'pixi.js' : 'phaser'
      const site =
        kind === 'in dev'
          ? await serveDev(root, [engine])
          : await serveFolder(join(root, kind === 'built' ? 'dist' : 'public'), '/games/it/')
      const { page, complaints } = await visit(browser, site.url, { width: 960, height: 540 })
      try {
        await page.waitForFunction(isReady, undefined, { timeout: patienceMs })
        // After two frames it is drawn.
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
        expect(complaints).toEqual([])
        expect(await colours(page)).toBeGreaterThan(1000)
      } finally {
        await page.close()
        await site.close()
      }
    },
  )
})

/** Frames of the village that take turns: bought ones, those of an Aseprite file and a GIF, and cells of a grid. */
const moving = [
  ...namesOf('hero/walk', 0, 12),
  ...namesOf('goblin/walk', 0, 6),
  ...namesOf('coin/all', 0, 6),
  ...namesOf('tiles/water', 4, 4),
]

/** Frames that stand still: bought pictures, a nine-slice, a folder and a grid. */
const still = ['icons/slime', 'icons/king', 'icons/mage', 'icons/scout', 'panel', 'scenery/house', 'tiles/ground/0000']

/** `shown` are the names of all frames on the stage. */
const villages = {
  phaser: {
    page: 'index.html',
    isReady: 'window.game?.scene.isActive("village")',
    shown: 'game.scene.scenes[0].children.list[0].list.map((one) => one.frame.name)',
  },
  pixi: {
    page: 'pixi.html',
    isReady: 'window.app?.stage.children.length === 1',
    shown: 'app.stage.children[0].children.map((one) => one.texture.label)',
  },
} as const

function namesOf(animation: string, first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${animation}/${String(first + index).padStart(4, '0')}`)
}

describe.each([
  { engine: 'phaser', kind: 'built' },
  { engine: 'pixi', kind: 'built' },
  { engine: 'phaser', kind: 'in dev' },
  { engine: 'pixi', kind: 'in dev' },
] as const)('the example village with $engine, $kind', ({ engine, kind }) => {
  testWith(level === 'long' || engine !== 'phaser' || kind !== 'in dev', 'the long level')(
    'shows bought and own art side by side, and every frame of what moves',
    async () => {
      const root = join(folder, 'examples', 'village')
      const site = kind === 'in dev' ? await serveDev(root, ['phaser', 'pixi.js']) : await serveFolder(join(root, 'dist'), '/games/it/')
      const { page: file, isReady, shown } = villages[engine]
      const { page, complaints } = await visit(browser, `${site.url}${file}`, { width: 960, height: 540 })
      try {
        await page.waitForFunction(isReady, undefined, { timeout: patienceMs })
        // Looks at the stage at every frame of the browser, until all of them were there.
        const look = `${JSON.stringify([...moving, ...still])}.every((name) => seen.has(name))`
        await page.waitForFunction(`(window.seen ??= new Set(), ${shown}.forEach((name) => seen.add(name)), ${look})`, undefined, {
          timeout: patienceMs,
          polling: 'raf',
        })
        expect(complaints).toEqual([])
        expect(await colours(page)).toBeGreaterThan(500)
      } finally {
        await page.close()
        await site.close()
      }
    },
  )
})

// engines.test.ts draws other sprites in every engine, built and in dev. The long run here checks the
// examples' own specs.
if (level === 'long')
  describe.each([
    { name: 'phaser', pages: ['phaser', 'phaser3'].filter(isOffered) },
    { name: 'pixi', pages: ['pixi'] },
  ] as const)('the sprites of the example $name', ({ name, pages }) => {
    test.each(['built', 'in dev'])(
      '%s, are drawn frame by frame as they were delivered, in time',
      async (kind) => {
        const root = join(folder, 'examples', name)
        const expected = await readExpected(root, specs[name])
        expect(expected.frames.length).toBeGreaterThan(60)
        await addProbes(root, pages)
        if (kind === 'built') await bundle(root, pages, { build: { outDir: 'dist-probes' } })
        const site = kind === 'built' ? await serveFolder(join(root, 'dist-probes')) : await serveDev(root)
        try {
          for (const page of pages) {
            const { differences } = await examine(browser, `${site.url}${page}.html`, expected.frames, expected.playbacks)
            expect({ page, wrong: Object.entries(differences).filter(([, difference]) => difference > 0) }).toEqual({ page, wrong: [] })
          }
        } finally {
          await site.close()
        }
      },
      patience,
    )
  })
