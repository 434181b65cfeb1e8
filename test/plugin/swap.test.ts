import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlugins } from '../../plugin/index.ts'
import { openBrowser, visit } from '../e2e/browser.ts'
import { createGame, repository } from '../e2e/game.ts'
import { type FakeArt, fakeWorkshop } from './fake-art.ts'

/** What a page of `test/fixtures/swap` says of its objects. */
interface Look {
  readonly still: object
  /** A sprite that the game made, and one that the runtime did. */
  readonly own: Playing
  readonly made: Playing
}

interface Playing {
  readonly red: number
  readonly frames: number
  readonly isPlaying: boolean
  readonly width: number
}

declare global {
  var look: (() => Look) | undefined
  var loader: (() => readonly string[]) | undefined
  var isTheSamePage: boolean | undefined
}

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const engines = [
  { name: 'Phaser 4', page: 'phaser', engine: 'phaser', still: { frame: 'hero/walk/0002', texture: 'hero' } },
  { name: 'Phaser 3.90', page: 'phaser', engine: 'phaser3', still: { frame: 'hero/walk/0002', texture: 'hero' } },
  { name: 'PixiJS 8', page: 'pixi', engine: 'pixi.js', still: { isSame: true } },
]

/** A game that is played in dev. */
interface Played {
  readonly page: Page
  /** What went wrong on the page. */
  readonly complaints: string[]
  /** What the page shows. */
  look(): Promise<Look | undefined>
  /** Holds out other art, waits until the page plays it, and looks. */
  change(next: Partial<FakeArt>): Promise<Look | undefined>
  end(): Promise<void>
}

/** Serves a page of `test/fixtures/swap` and opens it. */
async function play(name: string, engine: string, art: FakeArt): Promise<Played> {
  const game = await createGame({
    'index.html': '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/swap/page.js"></script>',
    'hero.sprite.json': '{}',
  })
  const fixtures = join(repository, 'test', 'fixtures')
  await cp(join(fixtures, 'swap', `${name}.js`), join(game.root, 'swap', 'page.js'))
  await cp(join(fixtures, 'e2e', 'phaser-probe.js'), join(game.root, 'e2e', 'phaser-probe.js'))
  const server = await createServer({
    root: game.root,
    configFile: false,
    logLevel: 'error',
    plugins: [createPlugins({}, { makeWorkshop: fakeWorkshop(art, join(game.root, 'hero.sprite.json')) })],
    resolve: { alias: { runtime: join(repository, 'plugin', 'runtime'), ...(name === 'phaser' ? { phaser: engine } : {}) } },
    server: { host: '127.0.0.1', port: 0, fs: { allow: [game.root, repository] } },
    // Vite would reload a page on which it found the engine.
    optimizeDeps: { include: [engine] },
  })
  await server.listen()
  const { page, complaints } = await visit(browser, server.resolvedUrls?.local[0] ?? '')
  await page
    .waitForFunction(() => globalThis.look !== undefined, undefined, { timeout: 30_000 })
    .catch((error: unknown) => {
      throw new Error(`The page did not get ready:\n${complaints.join('\n')}`, { cause: error })
    })
  const look = (): Promise<Look | undefined> => page.evaluate(() => globalThis.look?.())
  return {
    page,
    complaints,
    look,
    change: async (next) => {
      Object.assign(art, next)
      await game.write('hero.sprite.json', JSON.stringify(next))
      const isPlayed = ({ red, frames }: FakeArt): boolean => {
        const shown = globalThis.look?.()
        return shown !== undefined && [shown.own, shown.made].every((one) => one.red === red && one.frames === frames)
      }
      await page.waitForFunction(isPlayed, { ...art }, { timeout: 20_000 })
      return look()
    },
    end: async () => {
      await page.close()
      await server.close()
      await game.remove()
    },
  }
}

describe.each(engines)('a game in dev, with $name', ({ page: name, engine, still }) => {
  test('goes on with other art, frames, sizes and pages, without a reload', async () => {
    const art: FakeArt = { red: 200, frames: 3, side: 16, maxSize: 2048 }
    const { page, complaints, look, change, end } = await play(name, engine, art)
    const shown = (): object => ({ red: art.red, frames: art.frames, isPlaying: true, width: art.side })
    const allShown = (): object => ({ still: { red: art.red, ...still }, own: shown(), made: shown() })
    try {
      await page.evaluate(() => {
        globalThis.isTheSamePage = true
      })
      expect(await look()).toEqual(allShown())
      expect(await change({ red: 50, frames: 6, side: 40 })).toEqual(allShown())
      expect(await change({ red: 90, maxSize: 128 })).toEqual(allShown())
      expect(complaints).toEqual([])

      // A frame that is shown goes, and comes back.
      expect(await change({ red: 120, frames: 2, side: 30, maxSize: 2048 })).toMatchObject({ own: shown(), made: shown() })
      expect(complaints.splice(0)).toEqual([expect.stringMatching(/^\[spritewright\] frames of "hero" are gone.*hero\/walk\/0002/)])
      expect(await change({ red: 160, frames: 4 })).toEqual(allShown())
      expect(complaints).toEqual([])

      expect(await page.evaluate(() => globalThis.isTheSamePage)).toBe(true)
      if (name === 'phaser') expect(await page.evaluate(() => globalThis.loader?.())).toEqual(['assets/', 'MINE.'])
    } finally {
      await end()
    }
  })
})
