import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toOutput } from '../../src/sheets/output/output.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { isOffered, packageFolder } from '../kit/extras.ts'
import { openBrowser } from './browser.ts'
import type { DeliveredFrame } from './delivered.ts'
import { addProbes, bundle, createGame, type Game, serveDev } from './game.ts'
import { examine } from './probe.ts'
import { serveFolder } from './site.ts'

const side = 48
const [cloth, shade, skin] = [
  [60, 90, 190],
  [28, 47, 122],
  [230, 180, 150],
] as const
const teams = {
  red: { [String(cloth)]: [190, 60, 60], [String(shade)]: [122, 28, 28] },
  green: { [String(cloth)]: [60, 170, 70] },
} as const satisfies Record<string, Record<string, readonly number[]>>

/** A figure in cloth, with soft edges. It is not in the middle, so frames are trimmed. */
function draw(index: number): Uint8Array {
  const data = new Uint8Array(side * side * 4)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const far = Math.hypot(x - 20 - 2 * index, y - 26)
      const alpha = Math.max(0, Math.min(255, Math.round(90 * (14 - far))))
      data.set([...(y < 20 ? skin : x % 7 < 3 ? shade : cloth), alpha], (y * side + x) * 4)
    }
  return data
}

function recoloured(data: Uint8Array, colours: Readonly<Record<string, readonly number[]>>): Uint8Array {
  const changed = data.slice()
  for (let at = 0; at < data.length; at += 4) changed.set(colours[String([...data.subarray(at, at + 3)])] ?? [], at)
  return changed
}

function toPng(data: Uint8Array): Buffer {
  return PNG.sync.write(Object.assign(new PNG({ width: side, height: side }), { data: Buffer.from(data) }))
}

const hex = (colour: readonly number[]): string => `#${Buffer.from(colour).toString('hex')}`
const variants = Object.fromEntries(
  Object.entries(teams).map(([team, colours]) => [
    team,
    Object.entries(colours).map(([from, to]) => ({ from: [hex(from.split(',').map(Number))], to: [hex(to)], tolerance: 0 })),
  ]),
)

const drawn = Array.from({ length: 5 }, (_, index) => draw(index))
const frameOf = (sprite: string, name: string, data: Uint8Array): DeliveredFrame => ({
  name: `${sprite}/${name}`,
  width: side,
  height: side,
  data,
})
const framesOf = (sprite: string, change: (data: Uint8Array) => Uint8Array): readonly DeliveredFrame[] => [
  ...drawn.slice(1).map((data, index) => frameOf(sprite, `walk/000${index}`, change(data))),
  frameOf(sprite, 'badge', change(drawn[0]!)),
]
const frames = [
  ...framesOf('hero', (data) => data),
  ...framesOf('orc', (data) => data),
  ...Object.entries(teams).flatMap(([team, colours]) => framesOf(`hero.${team}`, (data) => recoloured(data, colours))),
]
const playbacks = ['hero', 'hero.red'].map((sprite) => ({
  name: `${sprite}/walk`,
  round: [0, 1, 2, 3].map((index) => ({ name: `${sprite}/walk/000${index}`, ms: 100 })),
  loop: true,
}))

let browser: Browser
let game: Game

beforeAll(async () => {
  const art = Object.fromEntries(drawn.map((data, at) => [at === 0 ? 'badge.png' : `walk_${at}.png`, toPng(data)]))
  const inFolder = (folder: string): object =>
    Object.fromEntries(Object.entries(art).map(([name, bytes]) => [`sprites/${folder}/${name}`, bytes]))
  game = await createGame({
    'vite.config.js': "import spritewright from 'spritewright/vite'\nexport default { base: './', plugins: [spritewright()] }",
    'spritewright.config.json': JSON.stringify({ atlas: { maxSize: 128, rotate: false } }),
    'sprites/hero.sprite.json': JSON.stringify({ source: './hero', animations: { walk: { fps: 10 } }, variants }),
    'sprites/orc.sprite.json': JSON.stringify({ source: './orc', animations: { walk: { fps: 10 } } }),
    ...inFolder('hero'),
    ...inFolder('orc'),
  })
  const workshop = await createWorkshop({ root: game.root })
  const { sheets } = await workshop.build()
  await workshop.close()
  expect(sheets.atlases.map(({ pages, layers }) => [pages.length > 1, layers?.map(({ name }) => name)])).toEqual([[true, ['green', 'red']]])
  for (const { file, bytes } of await toOutput(sheets, ['phaser', 'pixi'], [])) {
    const path = join(game.root, 'site/sprites', file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await game?.remove()
})

async function expectDrawn(url: string, version: RegExp): Promise<void> {
  const seen = await examine(browser, url, frames, playbacks)
  expect(seen.version).toMatch(version)
  expect(Object.entries(seen.differences).filter(([, difference]) => difference > 0)).toEqual([])
}

const loaders = [
  { from: 'phaser', page: 'pack-phaser', vendor: 'phaser.min.js', version: /^4\./ },
  { from: 'phaser3', page: 'pack-phaser', vendor: 'phaser.min.js', version: /^3\.90/ },
  { from: 'pixi.js', page: 'pack-pixi', vendor: 'pixi.min.mjs', version: /^8\.\d\d/ },
  { from: 'pixi8.8', page: 'pack-pixi', vendor: 'pixi.min.mjs', version: /^8\.8\./ },
  { from: 'pixi8.0', page: 'pack-pixi', vendor: 'pixi.min.mjs', version: /^8\.0\.0$/ },
].filter(({ from }) => isOffered(from))

test.each(loaders)(
  '$from loads every variant by its own loader, and draws each frame in the colours of its team',
  async ({ from, page, vendor, version }) => {
    const root = join(game.root, 'site')
    await cp(join(packageFolder(from), 'dist', vendor), join(root, 'vendor', vendor))
    const script = vendor.endsWith('.mjs')
      ? `<script type="importmap">{"imports":{"pixi.js":"./vendor/${vendor}"}}</script>`
      : `<script src="./vendor/${vendor}"></script>`
    await addProbes(root, [page], script)
    const site = await serveFolder(root)
    try {
      await expectDrawn(`${site.url}${page}.html`, version)
    } finally {
      await site.close()
    }
  },
)

const engines = [
  { page: 'phaser', pixi: 'pixi.js', version: /^4\./ },
  { page: 'phaser3', pixi: 'pixi.js', version: /^3\.90/ },
  { page: 'pixi', pixi: 'pixi.js', version: /^8\.\d\d/ },
  { page: 'pixi', pixi: 'pixi8.0', version: /^8\.0\.0$/ },
] as const

test.each(engines.filter(({ page }) => isOffered(page)))(
  '$page ($pixi) imports the variants of a spec, in a build and in the dev server',
  async ({ page, pixi, version }) => {
    await addProbes(game.root, [page])
    await bundle(game.root, [page], { build: { outDir: 'dist' } }, pixi)
    const site = await serveFolder(join(game.root, 'dist'))
    const server = await serveDev(game.root, undefined, pixi)
    try {
      for (const { url } of [site, server]) await expectDrawn(`${url}${page}.html`, version)
    } finally {
      await site.close()
      await server.close()
    }
  },
)
