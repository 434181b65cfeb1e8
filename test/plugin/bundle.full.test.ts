import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { BuildOptions, InlineConfig } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { configOf, type Game, openShelf, pluginOf, type Shelf, vites } from './world.ts'

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

async function scriptsOf(game: Game): Promise<ReadonlyMap<string, string>> {
  const names = (await game.list('dist')).filter((name) => /\.c?js$/.test(name))
  return new Map(await Promise.all(names.map(async (name) => [basename(name), await game.read(name)] as const)))
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

describe.each(vites)('a build with %s', (_version, load) => {
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
})
