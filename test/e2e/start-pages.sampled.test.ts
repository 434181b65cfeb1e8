import { execFile, spawn } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { hasExtras, isOffered, packageFolder } from '../kit/extras.ts'
import { freePort } from '../kit/listen.ts'
import { patienceMs } from '../kit/patience.ts'
import { cliBin } from '../kit/project.ts'
import { level } from '../level.ts'
import { openBrowser, type Visit, visit } from './browser.ts'
import { createGame, type Game, repository } from './game.ts'
import { serveFolder } from './site.ts'
import { filesOfPage } from './start-pages.ts'
import { runViteBuild } from './vite-process.ts'

// The guide as a reader follows it: the files of a page, the commands of the package, a browser.
const run = promisify(execFile)

let browser: Browser
const open: { close(): Promise<unknown> }[] = []
beforeAll(async () => {
  browser = await openBrowser()
})
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})
afterAll(() => browser?.close())

declare global {
  /** The colours of at least so many pixels that the canvas of {@link visitGame} shows now. */
  var shownColours: (least: number) => readonly number[]
}

/** What the templates of the frameworks have in `tsconfig.json`. */
const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'dom'],
  module: 'esnext',
  moduleResolution: 'bundler',
  jsx: 'react-jsx',
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['vite/client', ...['svelte'].filter(isOffered)],
}

/** Packages of the frameworks. They are linked, as the engines are. The quick level has none. */
const frameworks = [
  'react',
  'react-dom',
  '@types/react',
  '@types/react-dom',
  '@vitejs/plugin-react',
  'svelte',
  '@sveltejs/vite-plugin-svelte',
].filter(isOffered)

/**
 * A project as a template makes it, in which the reader has run `init` and answered with "This machine".
 *
 * @param at Folder of the game in the project.
 */
async function begin(files: Readonly<Record<string, string>>, dependencies: readonly string[], at = '.'): Promise<Game & { home: string }> {
  const game = await createGame()
  open.push({ close: () => game.remove() })
  for (const name of frameworks) {
    await mkdir(dirname(join(game.root, 'node_modules', name)), { recursive: true })
    await symlink(packageFolder(name), join(game.root, 'node_modules', name), 'dir')
  }
  const write = (path: string, text: string): Promise<void> => game.write(join(at, path), text)
  const wanted = Object.fromEntries(dependencies.map((name) => [name, '*']))
  await write('package.json', JSON.stringify({ name: 'meadow', private: true, type: 'module', dependencies: wanted }))
  if (files['vite.config.ts'] !== undefined) await write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'] }))
  for (const [path, text] of Object.entries(files)) await write(path, text)
  const home = join(game.root, at)
  await cli(home, 'init')
  const config = join(home, files['vite.config.ts'] === undefined ? 'spritewright.config.mjs' : 'spritewright.config.ts')
  await writeFile(config, (await readFile(config, 'utf8')).replace("// service: 'embedded'", "service: 'embedded'"))
  return { ...game, home }
}

function environment(root: string): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, NO_COLOR: '1', XDG_STATE_HOME: join(root, '.state') }
}

async function cli(root: string, ...args: string[]): Promise<string> {
  return (await run(process.execPath, [cliBin, ...args], { cwd: root, env: environment(root) })).stdout
}

/** Starts `vite`, as `npm run dev` does. */
async function startVite(root: string): Promise<string> {
  // Packages are links here; a reader's are in the project.
  const config = join(root, 'vite.test.config.ts')
  await writeFile(
    config,
    `import { mergeConfig } from 'vite'
import own from './vite.config.ts'
export default mergeConfig(own, { server: { host: '127.0.0.1', port: ${await freePort()}, fs: { allow: [${JSON.stringify(repository)}, '.'] } } })
`,
  )
  const child = spawn(process.execPath, [join(repository, 'node_modules/vite/bin/vite.js'), '--config', config], {
    cwd: root,
    env: environment(root),
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
  return new Promise((resolve, reject) => {
    const listen = (part: Buffer): void => {
      said += part.toString()
      const found = /Local:\s+(http:\S+)/.exec(said)?.[1]
      if (found !== undefined && said.includes('#token=')) resolve(new URL('/', found).href)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    void ended.then(() => reject(new Error(`Expected the address of the panel among what the dev server prints:\n${said}`)))
  })
}

/**
 * Opens a game. Its canvas can be read at any time, and the display shows some eight pictures a second: engines
 * draw as often as that, and without a graphics card drawing is what a game costs.
 */
async function visitGame(url: string): Promise<Visit> {
  const seen = await visit(browser, url, { width: 500, height: 400 }, () => {
    const { getContext } = HTMLCanvasElement.prototype
    Object.assign(HTMLCanvasElement.prototype, {
      getContext(kind: string, options?: object) {
        return Reflect.apply(getContext, this, [kind, { ...options, preserveDrawingBuffer: true }])
      },
    })
    globalThis.shownColours = (least) => {
      const canvas = document.querySelector('canvas')
      if (!canvas?.width) return []
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })!
      copy.drawImage(canvas, 0, 0)
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
      const pixels = new Map<number, number>()
      for (let at = 0; at < data.length; at += 4) {
        const colour = (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!
        pixels.set(colour, (pixels.get(colour) ?? 0) + 1)
      }
      return [...pixels].flatMap(([colour, count]) => (count >= least ? [colour] : []))
    }
    const onNextFrame = globalThis.requestAnimationFrame.bind(globalThis)
    const waiting = new Set<number>()
    let last = 0
    globalThis.cancelAnimationFrame = (id) => void waiting.delete(id)
    globalThis.requestAnimationFrame = (draw) => {
      const id = ++last
      waiting.add(id)
      const show = (now: number): void => {
        if (waiting.delete(id)) draw(now)
      }
      setTimeout(() => onNextFrame(show), 120)
      return id
    }
  })
  open.push(seen.page)
  return seen
}

/** The colours in a screenshot of the game. */
async function coloursInShot(page: Page): Promise<ReadonlySet<number>> {
  const shot = await page.locator('canvas').screenshot()
  const data = await sharp(shot).removeAlpha().raw().toBuffer()
  const colours = new Set<number>()
  for (let at = 0; at < data.length; at += 3) colours.add((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!)
  return colours
}

/** Waits until there is one game, and it draws a sprite. The ground alone is one colour, pixel art has a dozen. */
async function showsSprite(page: Page): Promise<void> {
  const isShown = (): boolean => document.querySelectorAll('canvas').length === 1 && globalThis.shownColours(1).length > 8
  await page.waitForFunction(isShown, undefined, { timeout: patienceMs, polling: 200 })
}

/** The colours that the game shows in each of 16 frames, which are more than one loop. */
function steadyColours(page: Page): Promise<readonly number[]> {
  return page.evaluate(async () => {
    let steady = globalThis.shownColours(4)
    for (let frame = 0; frame < 16; frame++) {
      await new Promise(requestAnimationFrame)
      const shown = new Set(globalThis.shownColours(1))
      steady = steady.filter((colour) => shown.has(colour))
    }
    return steady
  })
}

/** Waits until the game shows a sprite that has some of these colours in none of 16 frames, and returns them. */
function goneColours(page: Page, known: readonly number[]): Promise<readonly number[]> {
  return page.evaluate(async (known) => {
    for (;;) {
      let gone = known
      for (let frame = 0; frame < 16 && gone.length > 0; frame++) {
        await new Promise(requestAnimationFrame)
        const shown = new Set(globalThis.shownColours(1))
        gone = shown.size > 8 ? gone.filter((colour) => !shown.has(colour)) : []
      }
      if (gone.length > 0) return gone
    }
  }, known)
}

/**
 * Waits until shots of the screen lack colours that were in every frame: a placeholder has stripes in the corner, the
 * bought art has none. On a busy machine 16 frames may all be one phase of an animation, so one look is not enough.
 */
async function showsOtherArt(page: Page, before: readonly number[]): Promise<void> {
  for (;;) {
    const gone = await goneColours(page, before)
    const shots = [await coloursInShot(page), await coloursInShot(page), await coloursInShot(page)]
    const isGone = (colour: number): boolean => shots.every((shot) => shot.size > 8 && !shot.has(colour))
    if (gone.some(isGone)) return
  }
}

// Each page is in the sample, with one engine or one framework.
const framed = [
  { title: 'Phaser', pages: ['start-phaser.md'], engine: 'phaser', onlyLong: true },
  { title: 'PixiJS', pages: ['start-pixi.md'], engine: 'pixi.js', onlyLong: true },
  { title: 'React with Phaser', pages: ['start-phaser.md', 'start-react.md'], engine: 'phaser', isMounted: true },
  { title: 'React with PixiJS', pages: ['start-pixi.md', 'start-react.md'], engine: 'pixi.js', isMounted: true, onlyLong: true },
  { title: 'Svelte with Phaser', pages: ['start-phaser.md', 'start-svelte.md'], engine: 'phaser', isMounted: true, onlyLong: true },
  { title: 'Svelte with PixiJS', pages: ['start-pixi.md', 'start-svelte.md'], engine: 'pixi.js', isMounted: true },
].filter(({ title, onlyLong, isMounted }) =>
  level === 'quick' ? title === 'Phaser' : (level === 'long' || !onlyLong) && (hasExtras || !isMounted),
)

test.each(framed)(
  '$title: types, placeholder, live art and build, as the guide says',
  { timeout: 3 * patienceMs },
  async ({ pages, engine, isMounted }) => {
    const files = Object.assign({}, ...pages.map(filesOfPage)) as Record<string, string>
    if (files['src/main.tsx'] !== undefined) delete files['src/main.ts']
    const { home } = await begin(files, [engine])
    expect(await readFile(join(home, 'vite.config.ts'), 'utf8')).toBe(files['vite.config.ts'])
    await run(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-p', home], { cwd: home })

    const { page, complaints } = await visitGame(await startVite(home))
    await showsSprite(page)
    expect(await page.locator('canvas').count()).toBe(1)
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
    if (isMounted) {
      await page.getByRole('button', { name: 'Leave' }).click()
      await page.locator('canvas').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Play' }).click()
      await showsSprite(page)
    }
    const before = await steadyColours(page)
    const shot = await coloursInShot(page)
    // What the page reads of its canvas is what a person sees; the shot may show another frame of the animation.
    expect(before.filter((colour) => shot.has(colour)).length).toBeGreaterThan(8)
    const newPicture = page.waitForResponse((response) => response.request().resourceType() === 'image', { timeout: 2 * patienceMs })
    await cli(home, 'approve', '--yes')
    await newPicture
    await showsOtherArt(page, before)
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true)
    expect(await page.locator('canvas').count()).toBe(1)
    expect(complaints).toEqual([])
    await page.close()

    const built = await runViteBuild(home, { SPRITEWRIGHT_API_KEY: '' })
    expect(built.code, built.stderr).toBe(0)
    const site = await serveFolder(join(home, 'dist'))
    open.push(site)
    const game = await visitGame(site.url)
    await showsSprite(game.page)
    expect((await coloursInShot(game.page)).size).toBeGreaterThan(20)
    expect(game.complaints).toEqual([])
  },
)

if (level !== 'quick') {
  test.each([
    { engine: 'phaser', file: 'phaser.min.js', at: '' },
    { engine: 'pixi.js', file: 'pixi.min.mjs', at: 'pixi.html' },
    { engine: 'no engine', file: undefined, at: 'canvas.html' },
  ])('no bundler, $engine: an approved sprite plays on a plain page', async ({ engine, file, at }) => {
    const { home } = await begin(filesOfPage('start-plain.md'), file === undefined ? [] : [engine])
    await cli(home, 'approve', '--yes')
    await cli(home, 'build')
    await mkdir(join(home, 'public/vendor'))
    if (file !== undefined) await copyFile(join(repository, 'node_modules', engine, 'dist', file), join(home, 'public/vendor', file))
    const site = await serveFolder(join(home, 'public'))
    open.push(site)
    const { page, complaints } = await visitGame(`${site.url}${at}`)
    await showsSprite(page)
    expect((await coloursInShot(page)).size).toBeGreaterThan(20)
    expect(complaints).toEqual([])
  })

  test('a monorepo: the game of a workspace begins in its own folder, and the root says where it is', async () => {
    const { 'apps/meadow/spritewright.config.ts': config = '', ...rest } = filesOfPage('start-monorepo.md')
    expect(rest).toEqual({})
    const { home, root, write } = await begin(filesOfPage('start-phaser.md'), ['phaser'], 'apps/meadow')
    await write('package.json', '{ "private": true, "workspaces": ["apps/*"] }')
    expect(await readFile(join(home, 'sprites/hero.sprite.json'), 'utf8')).toContain('"../../../node_modules/spritewright/schemas/')
    await expect(cli(root, 'plan')).rejects.toMatchObject({ stderr: expect.stringContaining('--root "apps/meadow"') })
    await write('apps/meadow/spritewright.config.ts', config.replace('store', "service: 'embedded', store"))
    await cli(home, 'approve', '--yes')
    await cli(home, 'build', '--buy-only')
    expect((await readdir(join(root, 'sprite-results'))).length).toBeGreaterThan(0)
    const built = await runViteBuild(home)
    expect(built.code, built.stderr).toBe(0)
  })
}
