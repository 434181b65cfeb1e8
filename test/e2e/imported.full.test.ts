import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import { toOutput } from '../../src/sheets/output/output.ts'
import { importProjects } from '../../src/workshop/import/import.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { packerCorpus } from '../atlas/corpus.ts'
import { isOffered, packageFolder } from '../kit/extras.ts'
import { openBrowser } from './browser.ts'
import type { DeliveredFrame } from './delivered.ts'
import { addProbes, createGame, type Game } from './game.ts'
import { examine } from './probe.ts'
import { serveFolder } from './site.ts'

const engines = [
  { engine: 'Phaser 4', from: 'phaser', page: 'pack-phaser', vendor: 'phaser.min.js', version: /^4\./ },
  { engine: 'Phaser 3.90', from: 'phaser3', page: 'pack-phaser', vendor: 'phaser.min.js', version: /^3\.90/ },
  { engine: 'the newest PixiJS', from: 'pixi.js', page: 'pack-pixi', vendor: 'pixi.min.mjs', version: /^8\.\d\d/ },
  { engine: 'PixiJS 8.8', from: 'pixi8.8', page: 'pack-pixi', vendor: 'pixi.min.mjs', version: /^8\.8\./ },
  { engine: 'PixiJS 8.0', from: 'pixi8.0', page: 'pack-pixi', vendor: 'pixi.min.mjs', version: /^8\.0\.0$/ },
].filter(({ from }) => isOffered(from))

const corpus = packerCorpus()
let browser: Browser
let game: Game
let frames: readonly DeliveredFrame[]

beforeAll(async () => {
  if (corpus === undefined) return
  browser = await openBrowser()
  game = await createGame()
  const raw = join(corpus, 'bubbo-bubbo/raw-assets/images')
  const images = join(game.root, 'images')
  await cp(raw, images, { recursive: true })
  const host = nodeHost()
  await importProjects(host, { root: game.root, paths: [images], isDryRun: false })
  await host.net.close()
  const workshop = await createWorkshop({ root: game.root })
  const { sheets } = await workshop.build()
  await workshop.close()
  for (const { file, bytes } of await toOutput(sheets, ['phaser', 'pixi'], [])) {
    const path = join(game.root, 'sprites', file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
  frames = await readPictures(raw)
})

afterAll(async () => {
  await browser?.close()
  await game?.remove()
})

/** The pictures in all sheets, read by another library, with their names in the game. */
async function readPictures(raw: string): Promise<readonly DeliveredFrame[]> {
  const files = (await readdir(raw, { recursive: true })).filter((name) => /\{tps\}.*\.png$/.test(name))
  return Promise.all(
    files.map(async (file) => {
      const { width, height, data } = PNG.sync.read(await readFile(join(raw, file)))
      return {
        name: file
          .replaceAll('\\', '/')
          .replace(/(?:\{\w+\})+/, '')
          .replace('.png', ''),
        width,
        height,
        data,
      }
    }),
  )
}

test.skipIf(corpus === undefined).each(engines)(
  'a game that leaves AssetPack has every picture in $engine as it was drawn',
  async ({ page, from, vendor, version }) => {
    // On a stage with an odd side, not every engine draws on whole pixels.
    const stage = 64 * Math.ceil((Math.max(...frames.flatMap(({ width, height }) => [width, height])) + 8) / 64)
    const script = vendor.endsWith('.mjs')
      ? `<script type="importmap">{"imports":{"pixi.js":"./vendor/${vendor}"}}</script>`
      : `<script src="./vendor/${vendor}"></script>`
    await cp(join(packageFolder(from), 'dist', vendor), join(game.root, 'vendor', vendor))
    await addProbes(game.root, [page], `<script>window.stageSide = ${stage}</script>${script}`)
    const site = await serveFolder(game.root)
    try {
      expect(frames.length).toBeGreaterThan(20)
      const drawn = await examine(browser, `${site.url}${page}.html`, frames, [])
      expect(drawn.version).toMatch(version)
      expect(Object.entries(drawn.differences).filter(([, difference]) => difference > 0)).toEqual([])
    } finally {
      await site.close()
    }
  },
)
