import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ball, render } from '../atlas/solids.ts'
import { isOffered } from '../kit/extras.ts'
import { patienceMs } from '../kit/patience.ts'
import { openBrowser, visit } from './browser.ts'
import { addProbes, bundle, createGame, type Game, repository } from './game.ts'
import { serveFolder } from './site.ts'

interface Sides {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

declare global {
  var shine: ((frame: string, toLight: readonly [number, number], change?: object) => Sides) | undefined
}

/** A ball of one grey, so that only a light can make its sides differ. The left half of `half` is missing. */
function grey(isHalf: boolean): Buffer {
  const { width, height, data } = render(ball(20))
  const picture = new PNG({ width, height })
  for (let at = 0; at < data.length; at += 4) {
    const x = (at / 4) % width
    picture.data.set([200, 200, 200, isHalf && x < width / 2 - 4 ? 0 : data[at + 3]!], at)
  }
  return PNG.sync.write(picture)
}

let browser: Browser
let game: Game

beforeAll(async () => {
  const docs = await readFile(join(repository, 'docs/light.md'), 'utf8')
  const filter = /```ts\n(import \{\s+Filter[\s\S]*?)\n```/.exec(docs)![1]!
  game = await createGame({
    'vite.config.js': "import spritewright from 'spritewright/vite'\nexport default { base: './', plugins: [spritewright()] }",
    'probes/ball.sprite.json': JSON.stringify({
      source: './ball',
      normals: { soften: 0 },
      mirror: { left: 'right' },
      variants: { red: [{ from: ['#c8c8c8'], to: ['#f00'] }] },
      animations: { right: {} },
    }),
    'probes/ball/whole.png': grey(false),
    'probes/ball/right_0.png': grey(true),
    'probes/ball/right_1.png': grey(true),
    'probes/light-filter.ts': filter,
  })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await game?.remove()
})

const engines = [
  { engine: 'phaser', page: 'light-phaser', version: /^4\./ },
  { engine: 'phaser3', page: 'light-phaser3', version: /^3\.90/ },
  { engine: 'pixi.js', page: 'light-pixi', version: /^8\.\d\d/ },
  { engine: 'pixi8.8', page: 'light-pixi', version: /^8\.8\./ },
  { engine: 'pixi8.0', page: 'light-pixi', version: /^8\.0\.0$/ },
] as const

test.each(engines.filter(({ engine }) => isOffered(engine)))(
  '$engine: the side of a sprite and of its variant that faces the light is brighter, however the sprite is turned',
  async ({ engine, page, version }) => {
    const isPixi = engine.startsWith('pixi')
    await game.write(
      'spritewright.config.json',
      JSON.stringify(isPixi ? { engine: 'pixi', atlas: { rotate: true } } : { engine: 'phaser' }),
    )
    await addProbes(game.root, ['light-sides', 'light-stage', page])
    await bundle(game.root, [page], { build: { outDir: 'dist' } }, isPixi ? (engine as 'pixi.js') : 'pixi.js')
    const site = await serveFolder(join(game.root, 'dist'))
    const seen = await visit(browser, `${site.url}${page}.html`)
    try {
      await seen.page.waitForFunction(() => globalThis.shine !== undefined, undefined, { timeout: patienceMs })
      expect(await seen.page.evaluate(() => globalThis.version)).toMatch(version)
      const shine = (frame: string, toLight: readonly [number, number], change = {}): Promise<Sides> =>
        seen.page.evaluate(([name, to, more]) => globalThis.shine!(name, to, more), [frame, toLight, change] as const)
      for (const frame of ['ball/whole', 'ball.red/whole'])
        for (const change of [{}, { rotation: 0.7 }, { rotation: Math.PI }]) {
          const at = { frame, change }
          const left = await shine(frame, [-1, 0], change)
          expect({ at, isBrighter: left.left > 1.5 * left.right }).toEqual({ at, isBrighter: true })
          const right = await shine(frame, [1, 0], change)
          expect({ at, isBrighter: right.right > 1.5 * right.left }).toEqual({ at, isBrighter: true })
          const top = await shine(frame, [0, 1], change)
          expect({ at, isBrighter: top.top > 1.5 * top.bottom }).toEqual({ at, isBrighter: true })
        }
      // The mirror image of a half ball is lit like a half ball that was drawn on the other side.
      const [half, image] = [await shine('ball/right/0000', [1, 0]), await shine('ball/left/0000', [-1, 0])]
      expect(Math.abs(half.right - image.left)).toBeLessThan(8)
      expect(half.right).toBeGreaterThan(1.2 * (await shine('ball/right/0000', [-1, 0])).right)
      expect(seen.complaints).toEqual([])
    } finally {
      await seen.page.close()
      await site.close()
    }
  },
)
