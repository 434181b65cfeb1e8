import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { patienceMs } from '../kit/patience.ts'
import { cliBin } from '../kit/project.ts'
import { openBrowser, visit } from './browser.ts'
import { createGame, repository } from './game.ts'
import { serveFolder } from './site.ts'
import { filesOfPage } from './start-pages.ts'
import { runViteBuild } from './vite-process.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

/** The configuration of Vite below a heading of docs/publish.md. */
async function configBelow(heading: string): Promise<string> {
  const page = await readFile(join(repository, 'docs/publish.md'), 'utf8')
  const [, code] = /```ts\n([\s\S]*?)```/.exec(page.slice(page.indexOf(`\n## ${heading}\n`))) ?? []
  if (code === undefined) throw new Error(`Expected a configuration below "${heading}" in docs/publish.md, found none.`)
  return code
}

test.each([
  { how: 'in a folder of a site', heading: 'A folder of a site: itch.io and others', engine: 'phaser', guide: 'start-phaser.md' },
  { how: 'in a folder of a site', heading: 'A folder of a site: itch.io and others', engine: 'pixi.js', guide: 'start-pixi.md' },
  { how: 'from a file', heading: '`file://`, Electron, Capacitor', engine: 'phaser', guide: 'start-phaser.md' },
  { how: 'from a file', heading: '`file://`, Electron, Capacitor', engine: 'pixi.js', guide: 'start-pixi.md' },
])('a game on $engine that is built as docs/publish.md says runs $how', async ({ how, heading, engine, guide }) => {
  const game = await createGame({
    'package.json': JSON.stringify({ name: 'meadow', private: true, type: 'module', dependencies: { [engine]: '*' } }),
    'spritewright.config.mjs': "export default { service: 'embedded', build: { unbought: 'placeholder' } }",
    ...filesOfPage(guide),
    'vite.config.ts': await configBelow(heading),
  })
  const site = await serveFolder(join(game.root, 'dist'), '/html/123/')
  try {
    await promisify(execFile)(process.execPath, [cliBin, 'init'], { cwd: game.root })
    const built = await runViteBuild(game.root)
    expect(built.code, built.stderr).toBe(0)
    const url = how === 'from a file' ? pathToFileURL(join(game.root, 'dist/index.html')).href : site.url
    const { page, complaints } = await visit(browser, url, { width: 500, height: 400 })
    const colours = async (): Promise<number> => {
      const data = await sharp(await page.locator('canvas').screenshot())
        .removeAlpha()
        .raw()
        .toBuffer()
      return new Set(Array.from({ length: data.length / 3 }, (_, at) => data.readUIntBE(at * 3, 3))).size
    }
    await expect.poll(colours, { timeout: patienceMs, interval: 300 }).toBeGreaterThan(8)
    expect(complaints).toEqual([])
    await page.close()
  } finally {
    await site.close()
    await game.remove()
  }
})
