import { readFile, rename, rm, symlink } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { LogLevel } from 'vite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { nodeNet } from '../../src/host/net.ts'
import type { Options } from '../../src/options/options.ts'
import { configOf, type Game, keptLog, key, openShelf, pluginOf, type Shelf, spec, testOfNewest, vites } from './world.ts'

let shelf: Shelf
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(() => shelf.close())

interface Failure {
  readonly message: string
  readonly code?: string
  readonly pluginCode?: string
  readonly id?: string
  readonly loc?: { readonly file?: string; readonly line: number; readonly column: number }
}

/** The error of a failed build. */
async function failureOf(build: Promise<unknown>): Promise<Failure> {
  const error = await build.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error === undefined) throw new Error('Expected the build to fail, it did not.')
  // Rolldown wraps an error that a plugin threw.
  return ((error as { errors?: unknown[] }).errors?.[0] ?? error) as Failure
}

/** Runs the built game's one script, as a page at `base` would, and returns its sprites. */
async function runBuilt(game: Game): Promise<{ hero: SpriteModule; coin: SpriteModule; at: string }> {
  const script = (await game.list('dist')).find((name) => /(index|main)[^/]*\.js$/.test(name)) ?? ''
  const at = pathToFileURL(game.path(script)).href
  await import(/* @vite-ignore */ at)
  return { ...(globalThis as unknown as { sprites: { hero: SpriteModule; coin: SpriteModule } }).sprites, at }
}

async function bytesOf(game: Game): Promise<Record<string, string>> {
  const names = await game.list('dist')
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await readFile(game.path(name))).toString('base64')])))
}

const pageName = /^dist\/assets\/sprites-0-[\w-]{8}\.png$/

/** The lines that this process prints meanwhile. */
async function printing(work: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = []
  const keep = (...parts: unknown[]): boolean => lines.push(String(parts[0])) > 0
  const spies = [
    ...(['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(keep)),
    ...[process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(keep)),
  ]
  try {
    await work()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return lines
}

describe.each(vites)('a build with %s', (version, load) => {
  const testNewest = testOfNewest(version)
  // The template of Phaser has 'warning', which Vite does not know.
  test.each(['info', 'warn', 'error', 'warning'] as readonly LogLevel[])(
    'tells purchases, held credits and the balance before and after, with logLevel %s',
    async (logLevel) => {
      const { build } = await load()
      const prompt = `a figure, with ${version} and ${logLevel}`
      const game = await shelf.game({ 'sprites/hero.sprite.json': spec({ prompt }) }, false)
      const setup = await shelf.workshop(game)
      await setup.approve({ names: ['hero'], confirm: async () => true })
      await setup.close()
      const options: Options = { build: { unbought: 'placeholder' } }
      const env = { SPRITEWRIGHT_BASE_URL: shelf.url, SPRITEWRIGHT_API_KEY: key }
      const printed = await printing(() => build(configOf(game, pluginOf(game, { options, env, net: nodeNet() }), { logLevel })))
      const told = printed.filter((line) => line.includes('[spritewright]')).join('\n')
      expect(told).toMatch(/hero\.walk: .*1\.6 credits held\./)
      expect(told).toContain('hero.walk: bought for 1.6 credits.')
      expect(told.match(/Ctrl-C is safe: paid work goes on at the service/g)).toHaveLength(1)
      expect(told).toMatch(/balance \d[\d.]* → \d[\d.]*: /)
      const again = await printing(() => build(configOf(game, pluginOf(game, { options }), { logLevel })))
      expect(again.join('\n')).not.toMatch(/hero\.walk: bought|held|balance|Ctrl-C/)
    },
  )

  testNewest('tells which frames are older than their spec, where placeholders may stay', async () => {
    const { build } = await load()
    const game = await shelf.game({ 'sprites/hero.sprite.json': spec({ prompt: 'a figure of a later day' }) })
    const { logger, lines } = keptLog()
    await build(configOf(game, pluginOf(game, { options: { build: { unbought: 'placeholder' } } }), { customLogger: logger }))
    expect(lines.all.filter((line) => line.includes('has changed since it was bought'))).toEqual([
      expect.stringContaining('hero.walk has changed since it was bought. The bundle has the bought frames.'),
    ])
  })

  test('needs no service and no key where all is bought, and gives the same bytes again', async () => {
    const { build } = await load()
    const game = await shelf.game()
    const plugin = pluginOf(game)
    await build(configOf(game, plugin))
    const first = await bytesOf(game)
    await game.remove('dist')
    await game.remove('node_modules')
    await build(configOf(game, pluginOf(game)))
    expect(await bytesOf(game)).toEqual(first)
    expect(plugin.open()).toBe(0)
  })

  test('emits one page and one atlas for sprites of one group, hashed by content', async () => {
    const { build } = await load()
    const game = await shelf.game()
    await build(configOf(game, pluginOf(game)))
    const names = await game.list('dist')
    expect(names.filter((name) => name.endsWith('.png'))).toEqual([expect.stringMatching(pageName)])
    const { hero, coin } = await runBuilt(game)
    expect(hero.atlases).toBe(coin.atlases)
    expect(hero).toMatchObject({
      name: 'hero',
      texture: 'sprites',
      isPlaceholder: false,
      animations: { walk: { name: 'hero/walk', fps: 8 } },
    })
    expect(hero.frames).toHaveLength(7)
    expect(coin.frames[0]).toBe('coin/spin/0000')
  })

  testNewest('ships every encoding to PixiJS, the one that Phaser draws alone to Phaser, and says so', async () => {
    const { build } = await load()
    const game = await shelf.game()
    const shipped = async (engine: 'phaser' | 'pixi'): Promise<{ pages: unknown; files: string[]; said: string }> => {
      const { logger, lines } = keptLog()
      const plugin = pluginOf(game, { options: { engine, atlas: { format: ['webp', 'png'] } } })
      await build(configOf(game, plugin, { customLogger: logger, logLevel: 'info' }))
      const { hero } = await runBuilt(game)
      const files = (await game.list('dist')).flatMap((name) => /\.(png|webp)$/.exec(name)?.[1] ?? []).sort()
      return { pages: hero.atlases[0]!.pages, files, said: lines.all.join('\n') }
    }
    const webp = expect.stringMatching(/assets\/sprites-0-[\w-]+\.webp$/)
    const png = expect.stringMatching(/assets\/sprites-0-[\w-]+\.png$/)
    const pixi = await shipped('pixi')
    expect(pixi.pages).toMatchObject([{ url: webp, format: 'webp', also: [{ url: png, format: 'png' }] }])
    expect(pixi.files).toEqual(['png', 'webp'])
    expect(pixi.said).not.toContain('atlas.format')
    const phaser = await shipped('phaser')
    expect(phaser.pages).toMatchObject([{ url: webp, format: 'webp' }])
    expect(phaser.files).toEqual(['webp'])
    expect(phaser.said).toContain('atlas.format: phaser gets webp, since only PixiJS chooses among encodings; png is not written.')
  })

  test.each([
    ['/', '/assets/'],
    ['/game/', '/game/assets/'],
    ['./', 'assets/'],
    ['https://cdn.example/x/', 'https://cdn.example/x/assets/'],
  ])('base %s: pages are where the scripts are', async (base) => {
    const { build } = await load()
    const game = await shelf.game()
    await build(configOf(game, pluginOf(game), { base }))
    const script = (await game.list('dist')).find((name) => name.endsWith('.js')) ?? ''
    const page = (await game.list('dist')).find((name) => pageName.test(name)) ?? ''
    const text = await game.read(script)
    const site = base.startsWith('https:') ? base : new URL(base, 'https://site.example/deep/').href
    const url = text.match(/"url": ?(.+?),\s*"width":/s)?.[1] ?? ''
    const shown = new Function('url', `return ${url.replaceAll('import.meta.url', 'url')}`)(new URL(script.slice(5), site).href) as string
    expect(new URL(shown, 'https://site.example/deep/').href).toBe(new URL(page.slice(5), site).href)
  })

  test('a sprite in a web worker is a sprite, and its pages are inlined if assets are', async () => {
    const { build } = await load()
    const start = "import Made from './worker.js?worker'\nnew Made()\n"
    const worker = "import hero from '../sprites/hero.sprite.json'\nself.sprites = { hero }\n"
    const game = await shelf.game({ 'src/main.js': start, 'src/worker.js': worker })
    const plugin = pluginOf(game)
    await build(configOf(game, plugin, { build: { assetsInlineLimit: 1e8 } }))
    const names = await game.list('dist')
    const text = await game.read(names.find((name) => name.includes('worker')) ?? '')
    expect(text).toContain('"data:image/png;base64,')
    expect(text).not.toContain('a small figure')
    expect(names.filter((name) => name.endsWith('.png'))).toEqual([])
    expect([plugin.made(), plugin.open()]).toEqual([1, 0])
  })

  test('leaves ?raw and ?url of a spec to Vite', async () => {
    const { build } = await load()
    const main =
      "import raw from '../sprites/hero.sprite.json?raw'\nimport url from '../sprites/hero.sprite.json?url'\nglobalThis.sprites = { hero: raw, coin: url }\n"
    const game = await shelf.game({ 'src/main.js': main })
    await build(configOf(game, pluginOf(game), { build: { assetsInlineLimit: 0 } }))
    const text = await game.read((await game.list('dist')).find((name) => name.endsWith('.js')) ?? '')
    expect(text).toContain('a small figure')
    expect(text).toMatch(/assets\/hero\.sprite-[\w-]+\.json/)
    expect(text).not.toContain('hero/walk')
    expect((await game.list('dist')).filter((name) => name.endsWith('.png'))).toEqual([])
  })

  test.each([
    ['from the root', "import hero from '/sprites/hero.sprite.json'"],
    ['by an alias', "import hero from '@/hero.sprite.json'"],
    ['by an absolute path', "import hero from 'ROOT/sprites/hero.sprite.json'"],
    ['all together', "import { sprites } from 'virtual:spritewright'\nconst hero = sprites.hero"],
    [
      'by a glob',
      "const found = import.meta.glob('../sprites/*.sprite.json', { eager: true })\nconst hero = Object.values(found)[0].default",
    ],
    ['later', "const hero = (await import('../sprites/hero.sprite.json')).default"],
  ])('takes a spec imported %s', async (_how, line) => {
    const { build } = await load()
    const game = await shelf.game()
    await game.write('src/main.js', `${line.replace('ROOT', game.root)}\nglobalThis.sprites = { hero }\n`)
    const alias = { '@': game.path('sprites') }
    await build(configOf(game, pluginOf(game), { resolve: { alias } }))
    expect((await runBuilt(game)).hero.frames).toHaveLength(7)
  })

  testNewest('leaves specs of packages alone, wherever they are imported', async () => {
    const { build } = await load()
    const game = await shelf.game({
      'node_modules/art/package.json': '{"name":"art","type":"module","exports":{".":"./index.js","./*":"./*"}}',
      'node_modules/art/index.js': "export { default } from './own.sprite.json'",
      'node_modules/art/own.sprite.json': '{"mine":1}',
      'src/main.js': "import own from 'art'\nimport direct from 'art/own.sprite.json'\nglobalThis.sprites = { hero: own, coin: direct }\n",
    })
    await build(configOf(game, pluginOf(game)))
    expect(await runBuilt(game)).toMatchObject({ hero: { mine: 1 }, coin: { mine: 1 } })
  })

  testNewest.each([
    ['a folder elsewhere, imported by the link', '../shared', 'art', './art/hero.sprite.json', false],
    ['a folder of the project, imported by the link', 'sprites', 'art', './art/hero.sprite.json', true],
    ['a folder of the project, imported by its real path', 'sprites', 'art', './sprites/hero.sprite.json', false],
  ])('a spec behind a link is one sprite: %s (kind: one file, several names)', async (_, to, link, path, preserveSymlinks) => {
    const { build } = await load()
    const game = await shelf.game()
    const shared = `${game.root}-shared`
    if (to === '../shared') await rename(game.path('sprites'), shared)
    await symlink(to === '../shared' ? shared : game.path(to), game.path(link), 'dir')
    try {
      await game.write('src/main.js', `import hero from '.${path}'\nglobalThis.sprites = { hero }\n`)
      await build(configOf(game, pluginOf(game), { resolve: { preserveSymlinks } }))
      expect((await runBuilt(game)).hero).toMatchObject({ name: 'hero', animations: { walk: { fps: 8 } } })
    } finally {
      await rm(shared, { recursive: true, force: true })
    }
  })

  testNewest('a spec that "specs" leaves out is refused by name', async () => {
    const { build } = await load()
    const game = await shelf.game({
      'other/ghost.sprite.json': spec(),
      'src/main.js': "import ghost from '../other/ghost.sprite.json'\nconsole.log(ghost)",
    })
    await game.write('other/figure.png', await readFile(game.path('sprites/figure.png')))
    const failure = await failureOf(build(configOf(game, pluginOf(game, { options: { specs: 'sprites/*' } }))))
    expect(failure).toMatchObject({ pluginCode: 'SW_SPEC' })
    expect(failure.message).toContain(
      'other/ghost.sprite.json is imported, but it is no spec of this project. Expected a file that is there and matches "specs"',
    )
  })

  test('fails on what is not approved, with table and command, and sends nothing', async () => {
    const { build } = await load()
    const game = await shelf.game({ 'src/main.js': 'console.log("no sprite here")' }, false)
    const before = shelf.requests().length
    const env = { SPRITEWRIGHT_BASE_URL: shelf.url, SPRITEWRIGHT_API_KEY: key }
    const plugin = pluginOf(game, { env, net: nodeNet() })
    const failure = await failureOf(build(configOf(game, plugin)))
    expect(failure).toMatchObject({ pluginCode: 'SW_APPROVAL' })
    expect(failure.message).toContain('hero.walk  1.6 credits')
    expect(failure.message).toContain('coin.spin  1.6 credits')
    expect(failure.message).toContain('npx spritewright approve coin hero')
    expect(failure.message).not.toMatch(/\n\s+at .+:\d+/)
    expect(
      shelf
        .requests()
        .slice(before)
        .filter(({ method }) => method === 'POST'),
    ).toEqual([])
    expect(plugin.open()).toBe(0)
    expect(await game.list('.')).not.toContain('dist/index.html')
  })

  test('fails after a failed purchase, with the bundle written and a placeholder in it where placeholders may stay', async () => {
    const { build } = await load()
    const animations = { jump: { frames: 7, prompt: `[fail generation_failed] for ${version}` } }
    const game = await shelf.game({ 'sprites/hero.sprite.json': spec({ animations }) })
    const workshop = await shelf.workshop(game)
    await workshop.approve({ names: [], confirm: async () => true })
    await workshop.close()
    const env = { SPRITEWRIGHT_BASE_URL: shelf.url, SPRITEWRIGHT_API_KEY: key }
    const plugin = pluginOf(game, { env, net: nodeNet(), options: { build: { unbought: 'placeholder' } } })
    expect(await failureOf(build(configOf(game, plugin)))).toMatchObject({ pluginCode: 'SW_FAILED' })
    const { hero, coin } = await runBuilt(game)
    expect([hero.isPlaceholder, coin.isPlaceholder]).toEqual([true, false])
    expect(plugin.open()).toBe(0)
  })

  testNewest('names file, line and column of what is wrong in a spec', async () => {
    const { build } = await load()
    const game = await shelf.game({ 'sprites/hero.sprite.json': spec({}, { fps: 'fast' }) })
    const plugin = pluginOf(game)
    const failure = await failureOf(build(configOf(game, plugin)))
    const file = game.path('sprites/hero.sprite.json')
    expect(failure).toMatchObject({ pluginCode: 'SW_SPEC', id: file, loc: { file, line: 7, column: 14 } })
    expect(failure.message).toContain('fps')
    expect(plugin.open()).toBe(0)
  })

  test('CI buys nothing, not even what is approved', async () => {
    const { build } = await load()
    const game = await shelf.game({}, false)
    const env = { SPRITEWRIGHT_BASE_URL: shelf.url, SPRITEWRIGHT_API_KEY: key, CI: 'true' }
    const before = shelf.requests().length
    const setup = { env, net: nodeNet(), options: { approval: { perSprite: '100' } } }
    expect(await failureOf(build(configOf(game, pluginOf(game, setup))))).toMatchObject({ pluginCode: 'SW_MISSING' })
    expect(
      shelf
        .requests()
        .slice(before)
        .filter(({ method }) => method === 'POST'),
    ).toEqual([])
  })

  test.each([
    ['a chunk', { 'src/main.js': 'console.log(LEAK)' }, { define: { LEAK: JSON.stringify(key) } }],
    ['the whole environment', { 'src/main.js': 'console.log(process.env)' }, { define: { 'process.env': JSON.stringify({ KEY: key }) } }],
    ['an asset', { 'src/main.js': "import url from './note.txt?url'\nconsole.log(url)", 'src/note.txt': `key: ${key}` }, {}],
    ['base64', { 'src/main.js': `console.log("${Buffer.from(`Bearer ${key}`).toString('base64')}")` }, {}],
    ['a map', { 'src/main.js': `// ${key}\nconsole.log(1)` }, { build: { sourcemap: true } }],
  ])('refuses to ship the key in %s', async (_where, sources, config) => {
    const { build } = await load()
    const game = await shelf.game(sources)
    const plugin = pluginOf(game, { env: { SPRITEWRIGHT_API_KEY: key } })
    const failure = await failureOf(
      build(configOf(game, plugin, { ...config, build: { assetsInlineLimit: 0, ...('build' in config ? config.build : {}) } })),
    )
    expect(failure).toMatchObject({ pluginCode: 'SW_KEY_EXPOSED' })
    expect(failure.message).not.toContain(key)
    expect((await game.list('.')).filter((name) => name.startsWith('dist/'))).toEqual([])
    expect(plugin.open()).toBe(0)
  })

  test('refuses an envPrefix that ships the key, at the start', async () => {
    const { build, createServer } = await load()
    const game = await shelf.game()
    const plugin = (): ReturnType<typeof pluginOf> => pluginOf(game, { env: { SPRITEWRIGHT_API_KEY: key } })
    const envPrefix = ['VITE_', 'SPRITE']
    expect(await failureOf(build(configOf(game, plugin(), { envPrefix })))).toMatchObject({ pluginCode: 'SW_KEY_EXPOSED' })
    const started = createServer(configOf(game, plugin(), { envPrefix, server: { middlewareMode: true, ws: false } }))
    await expect(started).rejects.toMatchObject({ code: 'SW_KEY_EXPOSED' })
  })

  testNewest("reads .env files where Vite's envDir says", async () => {
    const { build } = await load()
    const game = await shelf.game({ 'settings/.env': `VITE_SPRITEWRIGHT_API_KEY=${key}\n` })
    expect(await failureOf(build(configOf(game, pluginOf(game), { envDir: 'settings' })))).toMatchObject({ pluginCode: 'SW_KEY_EXPOSED' })
    await build(configOf(game, pluginOf(game), {}))
  })

  test('for a server, and for several environments at once, modules resolve', async () => {
    const { build, createBuilder } = await load()
    const game = await shelf.game()
    await build(configOf(game, pluginOf(game), { build: { ssr: 'src/main.js' } }))
    expect((await runBuilt(game)).hero.frames).toHaveLength(7)
    const plugin = pluginOf(game)
    const side = { build: { outDir: 'side', rollupOptions: { input: game.path('src/main.js') } } }
    const builder = await createBuilder(configOf(game, plugin, { environments: { client: {}, side } }))
    await Promise.all(
      Object.values(builder.environments).map((environment) => (environment.name === 'ssr' ? undefined : builder.build(environment))),
    )
    const pages = (await game.list('dist')).filter((name) => name.endsWith('.png'))
    expect(pages).toContainEqual(expect.stringMatching(pageName))
    expect((await game.list('side')).filter((name) => name.endsWith('.js'))).toHaveLength(1)
    expect(plugin.open()).toBe(0)
  })
})
