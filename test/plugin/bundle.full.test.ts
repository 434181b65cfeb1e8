import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { BuildOptions, InlineConfig } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlugins } from '../../plugin/index.ts'
import type { SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { nodeNet } from '../../src/host/net.ts'
import { configOf, type Game, hostOf, key, noNet, openShelf, pluginOf, type Shelf, spec, vites } from './world.ts'

let shelf: Shelf
let page: Uint8Array
beforeAll(async () => {
  shelf = await openShelf()
  const game = await shelf.game()
  const { build } = await vites[0]![1]()
  await build(configOf(game, pluginOf(game)))
  page = await readFile(game.path((await game.list('dist')).find((name) => name.endsWith('.png')) ?? ''))
})
afterAll(() => shelf.close())

/** Imports a page twice: as that of a sprite, and as an asset of the game. Both files have one name and content. */
const both = "import hero from '../sprites/hero.sprite.json'\nimport own from './sprites-0.png'\nglobalThis.sprites = { hero, own }\n"

function newGame(files: Readonly<Record<string, string>> = {}): Promise<Game> {
  return shelf.game({ 'src/main.js': `${both}export { hero, own }\n`, 'src/sprites-0.png': page, ...files })
}

/** Runs a built script as if it were at that address. Returns the URLs of the two imports. */
function run(script: string): { readonly hero: string | undefined; readonly own: string | undefined } {
  const at = 'https://site.example/deep/assets/main.js'
  const document = { baseURI: 'https://site.example/deep/', currentScript: { src: at, tagName: 'SCRIPT' } }
  const code = script.replaceAll('import.meta.url', 'at').replace(/\bexport ?\{[^}]*\};?/, '')
  const seen: { sprites?: { hero: SpriteModule; own: string } } = {}
  const cdn = (name: string): string => `https://cdn.example/${name}`
  const self = { location: new URL(at) }
  new Function('at', 'document', 'globalThis', 'cdn', 'exports', 'self', code)(at, document, seen, cdn, {}, self)
  return { hero: seen.sprites?.hero.atlases[0]?.pages[0]?.url, own: seen.sprites?.own }
}

const withWorker = (query: string): string => `import Made from './worker.js${query}'\nnew Made()`
const es: InlineConfig = { worker: { format: 'es' } }

/** Every script of a build by its name, also those that are text in another script. */
async function scriptsOf(game: Game): Promise<ReadonlyMap<string, string>> {
  const names = (await game.list('dist')).filter((name) => /\.c?js$/.test(name))
  const scripts = await Promise.all(names.map(async (name) => [basename(name), await game.read(name)] as const))
  const inner = scripts.flatMap(([name, text]) => {
    const [, quoted] = /jsContent = (("|`)(?:\\.|(?!\2).)*\2)/s.exec(text) ?? []
    return quoted === undefined ? [] : [[`inline-${name}`, new Function(`return ${quoted}`)() as string] as const]
  })
  return new Map([...scripts, ...inner])
}

async function pagesOf(game: Game): Promise<string[]> {
  return (await game.list('dist')).filter((name) => name.endsWith('.png'))
}

const cdn = (name: string, { hostType }: { hostType: string }): { runtime: string } | undefined =>
  hostType === 'js' ? { runtime: `cdn(${JSON.stringify(name)})` } : undefined
const lib = (...formats: ('es' | 'umd')[]): BuildOptions => ({
  lib: { entry: 'src/main.js', formats, name: 'game', fileName: 'main' },
})
const output = (options: object): BuildOptions => ({ rollupOptions: { output: options } })

const options: readonly (readonly [string, InlineConfig])[] = [
  ['base /', {}],
  ['base ./', { base: './' }],
  ['base of a CDN', { base: 'https://cdn.example/x y/' }],
  ['base ./ and assets beside the page', { base: './', build: { assetsDir: '' } }],
  ['base ./ in a classic script', { base: './', build: output({ format: 'iife' }) }],
  ['base ./ in UMD', { base: './', build: output({ format: 'umd', name: 'game' }) }],
  ['a name with spaces and letters', { build: output({ assetFileNames: 'bild ü/[name][extname]' }) }],
  ['a minified script', { base: './', build: { minify: true } }],
  ['a server', { build: { ssr: 'src/main.js' } }],
  ['a server with base ./', { base: './', build: { ssr: 'src/main.js' } }],
  ['a server with base of a CDN', { base: 'https://cdn.example/', build: { ssr: 'src/main.js' } }],
  ['a server that emits assets', { build: { ssr: 'src/main.js', ssrEmitAssets: true } }],
  ['renderBuiltUrl that gives text', { experimental: { renderBuiltUrl: (name) => `https://cdn.example/${name}?v=1` } }],
  ['renderBuiltUrl that gives code', { experimental: { renderBuiltUrl: cdn } }],
  ['renderBuiltUrl that gives relative URLs', { experimental: { renderBuiltUrl: () => ({ relative: true }) } }],
  ['renderBuiltUrl for a server', { experimental: { renderBuiltUrl: cdn }, build: { ssr: 'src/main.js' } }],
  ["Vite's usual limit", { build: { assetsInlineLimit: 4096 } }],
  ['a limit above the page', { build: { assetsInlineLimit: 1e8 } }],
  ['a function that inlines', { build: { assetsInlineLimit: (file) => file.endsWith('/sprites-0.png') } }],
  ['a function that does not inline', { build: { assetsInlineLimit: () => false } }],
  ['a function without an opinion', { build: { assetsInlineLimit: () => undefined } }],
  ['a function of the content', { build: { assetsInlineLimit: (_, content) => content.toString('latin1').startsWith('\x89PNG') } }],
  ['a server that inlines', { build: { ssr: 'src/main.js', assetsInlineLimit: 1e8 } }],
  ['a library', { build: lib('es') }],
  ['a library in UMD', { build: lib('umd') }],
]

/** Imports that start a worker, and the worker's script if it is not `both`. */
const workers: readonly (readonly [string, string, { readonly worker?: string; readonly config?: InlineConfig }])[] = [
  ['new Worker', "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })", {}],
  ['new Worker of a classic script', "new Worker(new URL('./worker.js', import.meta.url))", {}],
  ['new Worker, ES', "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })", { config: es }],
  ['new SharedWorker', "new SharedWorker(new URL('./worker.js', import.meta.url), { type: 'module' })", {}],
  ['?worker', withWorker('?worker'), {}],
  ['?worker, ES', withWorker('?worker'), { config: es }],
  ['?worker with base ./', withWorker('?worker'), { config: { base: './' } }],
  ['?worker with base ./, ES', withWorker('?worker'), { config: { ...es, base: './' } }],
  ['?worker with small pages inlined', withWorker('?worker'), { config: { build: { assetsInlineLimit: 1e8 } } }],
  ['?worker from a CDN', withWorker('?worker'), { config: { experimental: { renderBuiltUrl: cdn } } }],
  ['?sharedworker', withWorker('?sharedworker'), {}],
  ['?worker&url', "import url from './worker.js?worker&url'\nconsole.log(url)", {}],
  ['?worker&inline', withWorker('?worker&inline'), {}],
  ['?worker&inline, ES', withWorker('?worker&inline'), { config: es }],
  ['a worker of a worker', "import Made from './outer.js?worker'\nnew Made()", {}],
  [
    'virtual:spritewright',
    withWorker('?worker'),
    { worker: both.replace(/import hero.*/, "import { sprites } from 'virtual:spritewright'\nconst { hero } = sprites") },
  ],
]

describe.each(vites)('a build with %s', (version, load) => {
  test.each(options)("URLs of pages go the way of Vite's own assets: %s", async (_what, config) => {
    const { build } = await load()
    const game = await newGame()
    await build(configOf(game, pluginOf(game), config))
    const [script = ''] = (await scriptsOf(game)).values()
    const { hero, own } = run(script)
    expect(hero).toBeTypeOf('string')
    expect(hero).toBe(own)
    expect((await pagesOf(game)).length).toBeLessThan(2)
  })

  test("URLs of pages go the way of Vite's own assets in an environment of a server, and in its manifest", async () => {
    const { createBuilder } = await load()
    const game = await newGame()
    const server = { consumer: 'server', build: { outDir: 'dist', rollupOptions: { input: game.path('src/main.js') } } } as const
    const builder = await createBuilder(configOf(game, pluginOf(game), { environments: { server }, build: { manifest: 'manifest.json' } }))
    await builder.build(builder.environments.server!)
    const { hero, own } = run((await scriptsOf(game)).get('main.js') ?? '')
    expect(hero).toMatch(/^\/assets\/sprites-0-[\w-]+\.png$/)
    expect(hero).toBe(own)
    await builder.build(builder.environments.client!)
    const manifest = JSON.parse(await game.read('dist/manifest.json')) as Record<string, { assets?: string[] }>
    expect(manifest['index.html']?.assets).toEqual([hero?.slice(1)])
  })

  test.each(workers)('a sprite in a web worker is the sprite of the page: %s', async (_what, main, { worker = both, config = {} }) => {
    const { build } = await load()
    const outer = "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })\n"
    const game = await newGame({ 'src/worker.js': `${worker}self.found = 1\n`, 'src/outer.js': outer, 'src/main.js': `${both}${main}\n` })
    const plugin = pluginOf(game)
    await build(configOf(game, plugin, config))
    const scripts = await scriptsOf(game)
    const name = [...scripts.keys()].find(
      (other) => scripts.get(other)?.includes('self.found') && !scripts.get(other)?.includes('jsContent'),
    )
    const { hero, own } = run(scripts.get(name ?? '') ?? '')
    expect(hero).toBeTypeOf('string')
    expect(hero).toBe(own)
    expect([...scripts.values()].filter((text) => text.includes('a small figure'))).toEqual([])
    expect(await pagesOf(game)).toHaveLength(hero?.startsWith('data:') ? 0 : 1)
    expect([plugin.made(), plugin.open()]).toEqual([1, 0])
  })

  test('a sprite in a web worker keeps the plugins that the game has for workers, also this one', async () => {
    const { build } = await load()
    const worker = "import { mine } from 'virtual:mine'\nself.found = mine\n"
    const game = await newGame({
      'src/worker.js': `${both}${worker}`,
      'src/main.js': "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })\n",
    })
    const mine = {
      name: 'mine',
      resolveId: (id: string) => (id === 'virtual:mine' ? '\0mine' : undefined),
      load: (id: string) => (id === '\0mine' ? 'export const mine = "found-mine"' : undefined),
    }
    const own = (): ReturnType<typeof createPlugins> => createPlugins({}, { host: hostOf(game, {}, { net: noNet() }) })
    await build(configOf(game, pluginOf(game), { worker: { plugins: () => [mine, own()] } }))
    const script = [...(await scriptsOf(game)).values()].find((text) => text.includes('found-mine')) ?? ''
    expect(run(script).hero).toBe(run(script).own)
    expect(await pagesOf(game)).toHaveLength(1)
  })

  test('a sprite in a web worker is bought once, though the page has it too', async () => {
    const { build } = await load()
    const alone = "import hero from '../sprites/hero.sprite.json'\nglobalThis.sprites = { hero }\n"
    const prompt = `a small figure for workers of ${version}`
    const game = await newGame({
      'sprites/hero.sprite.json': spec({ prompt }),
      'src/worker.js': alone,
      'src/main.js': `${alone}${withWorker('?worker')}\n`,
    })
    const setup = await shelf.workshop(game)
    await setup.approve({ names: ['hero'], confirm: async () => true })
    await setup.close()
    const before = shelf.requests().length
    const env = { SPRITEWRIGHT_BASE_URL: shelf.url, SPRITEWRIGHT_API_KEY: key }
    await build(configOf(game, pluginOf(game, { env, net: nodeNet() })))
    const posts = shelf
      .requests()
      .slice(before)
      .flatMap(({ method, path }) => (method === 'POST' ? [path] : []))
    expect(posts).toEqual(['/v1/execute'])
    expect([...(await scriptsOf(game)).values()].filter((text) => text.includes(prompt))).toEqual([])
    expect(await pagesOf(game)).toHaveLength(1)
  })

  test.each(['?worker', '?worker&inline', '?sharedworker'])('refuses to ship the key in a web worker: %s', async (query) => {
    const { build } = await load()
    const game = await newGame({
      'src/worker.js': `${both}console.log(LEAK)\n`,
      'src/main.js': withWorker(query),
    })
    const plugin = pluginOf(game, { env: { SPRITEWRIGHT_API_KEY: key } })
    const built = build(configOf(game, plugin, { define: { LEAK: JSON.stringify(key) } }))
    await expect(built).rejects.toThrow('would ship the API key')
    expect((await game.list('.')).filter((name) => name.startsWith('dist/'))).toEqual([])
  })
})
