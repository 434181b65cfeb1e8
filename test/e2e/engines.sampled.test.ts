import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { createWorkshop } from 'spritewright'
import { type EmbeddedService, startEmbeddedService } from 'spritewright/service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOffered, packageFolder } from '../kit/extras.ts'
import { figurePng, runCli } from '../kit/project.ts'
import { level } from '../level.ts'
import { openBrowser } from './browser.ts'
import { type Expected, readExpected } from './delivered.ts'
import { addProbes, bundle, createGame, type Game, repository, serveDev } from './game.ts'
import { examine } from './probe.ts'
import { serveFolder } from './site.ts'

const specs = ['sprites/knight.sprite.json', 'sprites/gem.sprite.json', 'sprites/pixel.sprite.json']

/**
 * Sprites as delivered, with every free field that changes playback. A page is so small that a sprite needs
 * more than one.
 */
const files = {
  'vite.config.js': `import spritewright from 'spritewright/vite'
export default { base: './', plugins: [spritewright()] }`,
  'sprites/knight.sprite.json': JSON.stringify({
    reference: './hero.png',
    prompt: 'a knight',
    anchor: [0.4, 1],
    mirror: { 'walk-left': 'walk' },
    animations: {
      walk: { frames: 8, fps: 12 },
      attack: { frames: 7, loop: false, durations: [40, 60, 80, 120, 200, 90, 50] },
    },
  }),
  'sprites/gem.sprite.json': JSON.stringify({
    reference: './crystal.png',
    prompt: 'a crystal',
    animations: {
      glow: { frames: 7, fps: 10, yoyo: true },
      shake: { frames: 7, fps: 25, use: [0, 2, 5, 2], yoyo: true, loop: false },
    },
  }),
  'sprites/pixel.sprite.json': JSON.stringify({
    reference: './figure.png',
    prompt: 'a figure',
    pixelArt: true,
    mirror: { left: 'walk' },
    animations: { walk: { frames: 7, fps: 7 } },
  }),
}

let service: EmbeddedService
let browser: Browser
let game: Game
let expected: Expected

beforeAll(async () => {
  service = await startEmbeddedService({ jobMs: 0, limits: { post: Infinity, get: Infinity, download: Infinity } })
  browser = await openBrowser()
  game = await createGame({
    ...files,
    'sprites/hero.png': await shrunk('examples/phaser/sprites/hero.png'),
    'sprites/crystal.png': await shrunk('examples/pixi/sprites/crystal.png'),
    'sprites/figure.png': figurePng(),
    '.env.local': `SPRITEWRIGHT_BASE_URL=${service.url}\nSPRITEWRIGHT_API_KEY=${service.key}\n`,
    'spritewright.config.mjs': `export default { atlas: { maxSize: 400 }, limits: { post: 1000, download: 1000 } }`,
  })
  const workshop = await createWorkshop({ root: game.root })
  await workshop.approve({ names: [], confirm: async () => true })
  const { sheets } = await workshop.build()
  await workshop.close()
  expect(sheets.atlases.map(({ name, pages }) => [name, pages.length > 1])).toEqual([
    ['sprites', true],
    ['sprites-pixel', false],
  ])
  expected = await readExpected(game.root, specs)
})

afterAll(async () => {
  await browser?.close()
  await service?.close()
  await game?.remove()
})

/**
 * A picture of this repository, 128 pixels wide. A delivered frame is as large as the sent picture, and every
 * engine draws every pixel of it.
 */
function shrunk(path: string): Promise<Uint8Array> {
  return sharp(join(repository, path)).resize(128).png().toBuffer()
}

/** The frames that are drawn differently from their delivery. */
function wrong(differences: Readonly<Record<string, number>>): string[] {
  return Object.entries(differences).flatMap(([name, difference]) => (difference > 0 ? [`${name}: ${difference}`] : []))
}

/** The quick level draws with the newest version of each engine, in a built game. */
const isQuick = level === 'quick'
const engines = [
  { page: 'phaser', version: /^4\./ },
  { page: 'phaser3', version: /^3\.90/ },
  { page: 'pixi', version: /^8\.\d\d/ },
].filter(({ page }) => isOffered(page))
const pages = engines.map(({ page }) => page)

describe('a built game', () => {
  beforeAll(async () => {
    await addProbes(game.root, pages)
    // The game is in a folder of its server, so that a path from the server's root fails.
    await bundle(game.root, pages, { build: { outDir: 'dist' } })
  })

  test.each(engines)('$page draws every frame as delivered and plays every animation in time', async ({ page, version }) => {
    const site = await serveFolder(join(game.root, 'dist'), '/some/folder/')
    try {
      const drawn = await examine(browser, `${site.url}${page}.html`, expected.frames, expected.playbacks)
      expect(drawn.version).toMatch(version)
      expect(wrong(drawn.differences)).toEqual([])
    } finally {
      await site.close()
    }
  })
})

if (!isQuick) {
  test('the lowest PixiJS of the peer range draws every frame as delivered, in time, in a build and in the dev server', async () => {
    await addProbes(game.root, ['pixi'])
    await bundle(game.root, ['pixi'], { build: { outDir: 'dist-lowest' } }, 'pixi8.0')
    const site = await serveFolder(join(game.root, 'dist-lowest'))
    const server = await serveDev(game.root, undefined, 'pixi8.0')
    try {
      for (const { url } of [site, server]) {
        const drawn = await examine(browser, `${url}pixi.html`, expected.frames, expected.playbacks)
        expect(drawn.version).toBe('8.0.0')
        expect(wrong(drawn.differences)).toEqual([])
      }
    } finally {
      await site.close()
      await server.close()
    }
  })

  describe('the dev server', () => {
    test('gives every engine every frame as delivered, in time', async () => {
      await addProbes(game.root, pages)
      const server = await serveDev(game.root)
      try {
        for (const { page, version } of engines) {
          const drawn = await examine(browser, `${server.url}${page}.html`, expected.frames, expected.playbacks)
          expect(drawn.version).toMatch(version)
          expect({ page, wrong: wrong(drawn.differences) }).toEqual({ page, wrong: [] })
        }
      } finally {
        await server.close()
      }
    })
  })

  describe('files of the command line, on a page without a bundler', () => {
    const loaders = [
      { page: 'pack-phaser', engine: 'Phaser 4', from: 'phaser', vendor: 'phaser.min.js', version: /^4\./ },
      { page: 'pack-phaser', engine: 'Phaser 3.90', from: 'phaser3', vendor: 'phaser.min.js', version: /^3\.90/ },
      { page: 'pack-pixi', engine: 'PixiJS 8', from: 'pixi.js', vendor: 'pixi.min.mjs', version: /^8\.\d\d/ },
      { page: 'pack-pixi', engine: 'PixiJS 8.0', from: 'pixi8.0', vendor: 'pixi.min.mjs', version: /^8\.0\.0$/ },
    ]

    beforeAll(async () => {
      const built = await runCli(game, ['build', '--out', 'site/sprites'])
      expect(built).toMatchObject({ code: 0 })
      expect(built.stdout).toContain('nothing paid')
    })

    // random-atlases.test.ts reads its files with the same loaders.
    test.each((level === 'long' ? loaders : loaders.slice(-2)).filter(({ from }) => isOffered(from)))(
      '$engine loads what was written by its own loader and draws every frame as delivered, in time',
      async ({ page, from, vendor, version }) => {
        const root = join(game.root, 'site')
        await cp(join(packageFolder(from), 'dist', vendor), join(root, 'vendor', vendor))
        const script = vendor.endsWith('.mjs')
          ? `<script type="importmap">{"imports":{"pixi.js":"./vendor/${vendor}"}}</script>`
          : `<script src="./vendor/${vendor}"></script>`
        await addProbes(root, [page], script)
        const site = await serveFolder(root)
        try {
          const drawn = await examine(browser, `${site.url}${page}.html`, expected.frames, expected.playbacks)
          expect(drawn.version).toMatch(version)
          expect(wrong(drawn.differences)).toEqual([])
        } finally {
          await site.close()
        }
      },
    )
  })
}
