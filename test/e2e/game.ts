import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer, type InlineConfig, build as viteBuild } from 'vite'
import { isOffered, packageFolder } from '../kit/extras.ts'
import { listenAnywhere } from '../kit/listen.ts'

/** Folder of this repository. */
export const repository: string = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/**
 * A game in a folder of its own. It can import the packages of this repository, and spritewright itself by
 * its name.
 */
export interface Game {
  readonly root: string
  write(path: string, content: string | Uint8Array): Promise<void>
  remove(): Promise<void>
}

/**
 * Engines, bundler and this package are linked one by one, so that the game's `node_modules` has its own
 * caches.
 */
const packages = ['phaser', 'phaser3', 'pixi.js', 'vite'].filter(isOffered)

/** Makes a game's folder. */
export async function createGame(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Game> {
  // Vite names files by their real path, and some temporary folders are links.
  const root = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-game-')))
  const game: Game = {
    root,
    write: async (path, content) => {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content)
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
  await linkPackages(root)
  await game.write('package.json', '{"name":"game","private":true,"type":"module"}')
  for (const [path, content] of Object.entries(files)) await game.write(path, content)
  return game
}

/** Links engines, bundler and this package into a folder's `node_modules`. */
export async function linkPackages(root: string): Promise<void> {
  await mkdir(join(root, 'node_modules'), { recursive: true })
  for (const name of packages) await symlink(await realpath(packageFolder(name)), join(root, 'node_modules', name), 'dir')
  await symlink(repository, join(root, 'node_modules', 'spritewright'), 'dir')
}

/** Copies a page of `test/fixtures/e2e` for each name, with an HTML file that runs it. */
export async function addProbes(root: string, names: readonly string[], head = ''): Promise<void> {
  await mkdir(join(root, 'probes'), { recursive: true })
  const fixtures = join(repository, 'test', 'fixtures', 'e2e')
  for (const name of ['phaser-probe', 'pixi-probe', ...names]) await cp(join(fixtures, `${name}.js`), join(root, 'probes', `${name}.js`))
  for (const name of names) {
    const html = `<!doctype html><html><head><link rel="icon" href="data:,">${head}</head><body><script type="module" src="./probes/${name}.js"></script></body></html>`
    await writeFile(join(root, `${name}.html`), html)
  }
}

/**
 * Engines as their makers bundled them, instead of their packages. They have a fifth of the text, and Vite
 * need not prepare them. The examples test what Vite makes of the packages themselves.
 */
export const bundledEngines = {
  phaser: bundledIn('phaser', 'phaser.esm.min.js'),
  phaser3: bundledIn('phaser3', 'phaser.esm.min.js'),
  'pixi.js': bundledIn('pixi.js', 'pixi.min.mjs'),
  /** The oldest that the package promises. */
  'pixi8.0': bundledIn('pixi8.0', 'pixi.min.mjs'),
  /** The oldest in which art is swapped in place. */
  'pixi8.8': bundledIn('pixi8.8', 'pixi.min.mjs'),
} as const

function bundledIn(name: string, file: string): string {
  return join(packageFolder(name), 'dist', file)
}

/** A version of PixiJS by the name of its package here. */
export type Pixi = 'pixi.js' | 'pixi8.0' | 'pixi8.8'

function aliasesWith(pixi: Pixi): { find: RegExp; replacement: string }[] {
  return [
    { find: /^phaser$/, replacement: bundledEngines.phaser },
    { find: /^phaser3$/, replacement: bundledEngines.phaser3 },
    { find: /^pixi\.js$/, replacement: bundledEngines[pixi] },
  ]
}

/** Builds pages of a game with Vite, in this process. */
export async function bundle(root: string, pages: readonly string[], config: InlineConfig = {}, pixi: Pixi = 'pixi.js'): Promise<void> {
  await viteBuild({
    root,
    logLevel: 'error',
    ...config,
    resolve: { alias: aliasesWith(pixi) },
    build: {
      // The probes use top-level await, and nobody reads this output.
      target: 'esnext',
      minify: false,
      emptyOutDir: true,
      ...config.build,
      rolldownOptions: { input: Object.fromEntries(pages.map((page) => [page, join(root, `${page}.html`)])) },
    },
  })
}

/** A dev server of a game. */
export interface DevServer {
  /** Ends with a slash. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Starts Vite's dev server on loopback.
 *
 * @param engines Packages that Vite prepares before the first page, because it would reload a page on which
 * it discovered them. Without them, engines come as their makers bundled them.
 */
export async function serveDev(root: string, engines?: readonly string[], pixi: Pixi = 'pixi.js'): Promise<DevServer> {
  const server = await createServer({
    root,
    logLevel: 'error',
    server: { host: '127.0.0.1', fs: { allow: [root, repository] }, watch: null },
    ...(engines
      ? { optimizeDeps: { include: [...engines] } }
      : { optimizeDeps: { noDiscovery: true }, resolve: { alias: aliasesWith(pixi) } }),
  })
  await listenAnywhere(server)
  return { url: server.resolvedUrls?.local[0] ?? '', close: () => server.close() }
}
