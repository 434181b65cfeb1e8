import { cp, readdir, rename, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { InlineConfig } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { LockFile } from '../../src/vault/lockfile.ts'
import { type Dev, type HotMessage, isUpdateOf, startDev } from './server.ts'
import { configOf, type Game, key, openShelf, pluginOf, type Shelf, spec, type TestPlugin, testOfNewest, vites } from './world.ts'

let shelf: Shelf
const open: Dev[] = []
beforeAll(async () => {
  shelf = await openShelf()
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
afterAll(() => shelf.close())

const env = { SPRITEWRIGHT_API_KEY: key }

async function start(
  load: (typeof vites)[number][1],
  game: Game,
  more: InlineConfig = {},
  plugin = pluginOf(game, { env }),
): Promise<Dev & { readonly plugin: TestPlugin }> {
  const dev = await startDev(await load(), game, plugin, more)
  open.push(dev)
  return { ...dev, plugin }
}

const fpsOf = (message: HotMessage, name: string, animation: string): number | undefined =>
  message.data?.sprites?.find((sprite) => sprite.name === name)?.atlases[0]?.animations[animation]?.fps
const isError = ({ type }: HotMessage): boolean => type === 'error'
const isReload = ({ type }: HotMessage): boolean => type === 'full-reload'
const ours = (url: string): boolean => url.includes('__x00__spritewright/')

describe.each(vites)('the dev server of %s', (version, load) => {
  const testNewest = testOfNewest(version)
  testNewest.each([
    ['8.7.3', 'pixi', 1],
    ['8.8.0', 'pixi', 0],
    ['8.7.3', 'phaser', 0],
    // Another game of the workspace may use it.
    ['8.7.3', undefined, 0],
  ] as const)(
    'PixiJS %s with the engine %s: says %i times at its start that every change reloads the page',
    async (version, engine, times) => {
      const game = await shelf.game()
      await game.write('node_modules/pixi.js/package.json', JSON.stringify({ name: 'pixi.js', version }))
      const { log } = await start(load, game, {}, pluginOf(game, { env, options: { engine } }))
      expect(log.all.filter((line) => line.includes(`PixiJS ${version} reloads the page for every change`))).toHaveLength(times)
    },
  )

  test.each([['/'], ['/game/']])('base %s: gives whole chains of modules, pages among them, and nothing of this machine', async (base) => {
    const game = await shelf.game()
    const { get, crawl, log } = await start(load, game, { base })
    const modules = await crawl(`${base}src/main.js`)
    expect([...modules.keys()].filter(ours)).toHaveLength(5)
    for (const [url, code] of modules) {
      if (url.includes('/@vite/')) continue
      expect(code).not.toMatch(/["']virtual:/)
      expect(code).not.toContain(game.root)
      expect(code).not.toContain(key)
      expect(url).not.toContain(game.root)
    }
    const atlases = [...modules].filter(([url]) => url.includes('/atlas/'))
    expect(atlases).toHaveLength(2)
    for (const [, code] of atlases) {
      const url = /"url":\s*"([^"]+)"/.exec(code)?.[1] ?? ''
      expect(url.startsWith(`${base}@spritewright/`)).toBe(true)
      expect(await get(url)).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } })
    }
    expect(log.all.filter((line) => /error|warn|fail/i.test(line))).toEqual([])
  })

  testNewest('gives a page by its content: ETag, 304, HEAD, no-cache; 404 and 405 for the rest', async () => {
    const { get, crawl } = await start(load, await shelf.game())
    const atlas = [...(await crawl('/src/main.js'))].find(([url]) => url.includes('/atlas/'))?.[1] ?? ''
    const url = /"url":\s*"([^"]+)"/.exec(atlas)?.[1] ?? ''
    const page = await get(url)
    expect(page.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-length': String(page.body.length) })
    expect(page.body.subarray(1, 4).toString()).toBe('PNG')
    const etag = String(page.headers.etag)
    expect(url).toContain(etag.replaceAll('"', ''))
    expect(await get(url, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304, text: '' })
    expect(await get(`${url}?v=1`)).toMatchObject({ status: 200 })
    expect(await get(url, { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': String(page.body.length) },
    })
    expect(await get(url, { method: 'POST' })).toMatchObject({ status: 405 })
    expect(await get(`/@spritewright/${'0'.repeat(64)}.png`)).toMatchObject({ status: 404 })
    expect(await get('/@spritewright/')).toMatchObject({ status: 404 })
  })

  test('a free edit is told as one update of the one sprite, and new pages get it', async () => {
    const game = await shelf.game()
    const { told, crawl } = await start(load, game)
    await crawl('/src/main.js')
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 30 }))
    const update = await told.next(isUpdateOf('hero'))
    expect(update.data?.sprites.map(({ name }) => name)).toEqual(['hero'])
    expect(fpsOf(update, 'hero', 'hero/walk')).toBe(30)
    expect(JSON.stringify(told.all)).not.toContain(game.root)
    expect(JSON.stringify(told.all)).not.toContain(key)
    const code = [...(await crawl('/src/main.js'))].find(([url]) => url.includes('/atlas/hero'))?.[1]
    expect(code).toContain('"fps":30')
    // A late reload would arrive before the end of one more edit.
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 31 }))
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 32 }))
    await told.next((message) => fpsOf(message, 'hero', 'hero/walk') === 32)
    await game.write('sprites/.hero.tmp', spec({}, { fps: 33 }))
    await rename(game.path('sprites/.hero.tmp'), game.path('sprites/hero.sprite.json'))
    await told.next((message) => fpsOf(message, 'hero', 'hero/walk') === 33)
    // A file that is written in two steps may be read in between, and reported as broken and mended. A reload
    // or an update of Vite's own must never come.
    const kinds = new Set(told.all.map(({ type, event }) => event ?? type))
    expect([...kinds].filter((kind) => kind !== 'error' && kind !== 'spritewright:mended')).toEqual(['spritewright:update'])
  })

  testNewest('the file that others are told of may be in any order: a result arrives, with its entry before it or after it', async () => {
    for (const order of [
      ['sprites.lock.json', '.spritewright'],
      ['.spritewright', 'sprites.lock.json'],
    ]) {
      const bought = await shelf.game()
      const game = await shelf.game({}, false)
      const { told, crawl } = await start(load, game)
      expect([...(await crawl('/src/main.js')).values()].filter((code) => code.includes('"isPlaceholder":true'))).toHaveLength(2)
      for (const name of order) await cp(bought.path(name), game.path(name), { recursive: true })
      const waiting = new Set(['hero', 'coin'])
      while (waiting.size > 0) {
        const { data } = await told.next(isUpdateOf())
        for (const sprite of data?.sprites ?? []) if (!sprite.isPlaceholder) waiting.delete(sprite.name)
      }
      expect(told.all.filter(isReload)).toEqual([])
    }
  })

  test('a broken spec is told with its place, once mended the page goes on', async () => {
    const game = await shelf.game()
    const { told, crawl } = await start(load, game)
    await crawl('/src/main.js')
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 'fast' }))
    const { err } = await told.next(isError)
    const file = game.path('sprites/hero.sprite.json')
    expect(err).toMatchObject({ plugin: 'spritewright', stack: '', id: file, loc: { file, line: 7, column: 14 } })
    expect(err?.message).toContain('fps')
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 12 }))
    await told.next(({ event }) => event === 'spritewright:mended')
    await told.next(isUpdateOf('hero'))
    expect(told.all.filter(isReload)).toEqual([])
  })

  testNewest('a page that a broken spec kept from starting is loaded again when it is mended', async () => {
    const game = await shelf.game({ 'sprites/hero.sprite.json': spec({}, { fps: 'fast' }) })
    const { told, get } = await start(load, game)
    const main = await get('/src/main.js')
    const url = /"([^"]+hero\.sprite\.json[^"]*)"/.exec(main.text)?.[1] ?? ''
    expect(await get(url)).toMatchObject({ status: 500 })
    const { err } = await told.next(isError)
    expect(err).toMatchObject({ loc: { line: 7, column: 14 } })
    await game.write('sprites/hero.sprite.json', spec())
    await told.next(isReload)
    expect(await get(url)).toMatchObject({ status: 200 })
  })

  testNewest('two specs of one name are told by that, not as a file of nobody', async () => {
    const game = await shelf.game({ 'other/hero.sprite.yaml': 'reference: ../sprites/figure.png\nprompt: x\nanimations: {a: {}}\n' })
    const { get, told } = await start(load, game)
    const url = /"([^"]+hero\.sprite\.json[^"]*)"/.exec((await get('/src/main.js')).text)?.[1] ?? ''
    expect(await get(url)).toMatchObject({ status: 500 })
    expect((await told.next(isError)).err?.message).toContain('Expected one spec for the name "hero"')
  })

  test('specs come, go and change their names', async () => {
    const game = await shelf.game({ 'src/main.js': "import { sprites } from 'virtual:spritewright'\nglobalThis.sprites = sprites" })
    const { told, crawl } = await start(load, game)
    const all = async (): Promise<readonly unknown[]> => {
      const code = [...(await crawl('/src/main.js'))].find(([url]) => url.endsWith('spritewright/all'))?.[1] ?? ''
      return [...code.matchAll(/atlas\/(\w+)/g)].map(([, name]) => name)
    }
    expect(await all()).toEqual(['coin', 'hero'])
    await game.write('sprites/tree.sprite.json', spec())
    expect((await told.next(isUpdateOf('tree'))).data?.sprites).toHaveLength(1)
    expect(await all()).toEqual(['coin', 'hero', 'tree'])
    await rename(game.path('sprites/hero.sprite.json'), game.path('sprites/knight.sprite.json'))
    await told.next(isUpdateOf('knight'))
    await game.remove('sprites/tree.sprite.json')
    await game.write('sprites/knight.sprite.json', spec({}, { fps: 3 }))
    await told.next((message) => fpsOf(message, 'knight', 'knight/walk') === 3)
    expect(await all()).toEqual(['coin', 'knight'])
    expect(told.all.filter(isReload)).toEqual([])
  })

  testNewest('writes typings beside the specs and nothing else', async () => {
    const game = await shelf.game({}, false)
    const before = await game.list()
    const { crawl, told } = await start(load, game)
    await crawl('/src/main.js')
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 30 }))
    await told.next(isUpdateOf('hero'))
    expect((await game.list()).filter((name) => !before.includes(name))).toEqual([
      'sprites/coin.sprite.d.yaml.ts',
      'sprites/hero.sprite.d.json.ts',
    ])
  })

  testNewest('a spec behind a link is imported by either path, and its save reaches the page (kind: one file, several names)', async () => {
    const game = await shelf.game()
    const shared = `${game.root}-shared`
    await rename(game.path('sprites'), shared)
    await symlink(shared, game.path('art'), 'dir')
    try {
      await game.write('src/main.js', "import hero from '../art/hero.sprite.json'\nglobalThis.sprites = { hero }\n")
      const { crawl, told } = await start(load, game)
      const codes = async (): Promise<string> => [...(await crawl('/src/main.js')).values()].join()
      expect(await codes()).toContain('"fps":8')
      await game.write('art/hero.sprite.json', spec({}, { fps: 31 }))
      await told.next(isUpdateOf('hero'))
      expect(await codes()).toContain('"fps":31')
      await game.write('art/hero.sprite.json', '{')
      expect(JSON.stringify(await told.next(isError))).toContain('hero.sprite.json')
    } finally {
      await rm(shared, { recursive: true, force: true })
    }
  })

  testNewest('code on the server has the sprites too, fresh after an edit', async () => {
    const game = await shelf.game({ 'src/main.js': "export { default as hero } from '../sprites/hero.sprite.json'" })
    const { server, told } = await start(load, game)
    expect((await server.ssrLoadModule('/src/main.js')).hero).toMatchObject({ name: 'hero', animations: { walk: { fps: 8 } } })
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 30 }))
    await told.next(isUpdateOf('hero'))
    expect((await server.ssrLoadModule('/src/main.js')).hero).toMatchObject({ animations: { walk: { fps: 30 } } })
  })

  testNewest('a URL of pages leads to this server where another one serves the page', async () => {
    const { crawl } = await start(load, await shelf.game(), { server: { origin: 'http://127.0.0.1:9' } })
    const atlas = [...(await crawl('/src/main.js'))].find(([url]) => url.includes('/atlas/'))?.[1] ?? ''
    expect(atlas).toContain('"url":"http://127.0.0.1:9/@spritewright/')
  })

  testNewest('names with spaces, percent signs and other scripts are names like all others', async () => {
    const name = 'sprites/ein Bär 100%~é/hero.sprite.json'
    const game = await shelf.game({ 'src/main.js': `import hero from ${JSON.stringify(`/${name}`)}\nglobalThis.sprites = { hero }` }, false)
    await game.remove('sprites/hero.sprite.json')
    await game.write(name, spec({ reference: '../figure.png' }))
    const { crawl, told } = await start(load, game)
    const modules = (): Promise<ReadonlyMap<string, string>> => crawl('/src/main.js')
    expect([...(await modules()).values()].some((code) => code.includes('"fps":12'))).toBe(true)
    await game.write(name, spec({ reference: '../figure.png' }, { fps: 29 }))
    await told.next(isUpdateOf('hero'))
    expect([...(await modules()).values()].some((code) => code.includes('"fps":29'))).toBe(true)
  })

  test('starts anew by itself when its configuration changes, and by hand; closing ends all', async () => {
    const game = await shelf.game()
    const dev = await start(load, game)
    await dev.crawl('/src/main.js')
    expect(dev.plugin.open()).toBe(1)
    await dev.server.restart()
    expect([dev.plugin.made(), dev.plugin.open()]).toEqual([2, 1])
    await dev.log.next((line) => line.includes('server restarted'))
    await dev.watching()
    await game.write('spritewright.config.json', '{"specs":"sprites/*"}')
    await dev.log.next((line) => line.includes('[spritewright] its configuration changed'))
    await dev.log.next((line) => line.includes('server restarted'))
    expect([dev.plugin.made(), dev.plugin.open()]).toEqual([3, 1])
    await dev.crawl('/src/main.js')
    open.splice(0)
    await dev.close()
    expect(dev.plugin.open()).toBe(0)
  })
})

describe.each(vites)('the store with %s', (_name, load) => {
  test('no file of it is watched by itself; a result that is moved away, or comes back, is seen', async () => {
    const game = await shelf.game()
    const { server, crawl, told } = await start(load, game)
    await crawl('/src/main.js')
    const results = game.path('.spritewright/results')
    const watched = Object.entries(server.watcher.getWatched()).flatMap(([folder, names]) => names.map((name) => join(folder, name)))
    expect(watched).toContain(game.path('sprites.lock.json'))
    expect(watched.filter((path) => path.startsWith(game.path('.spritewright/')))).toEqual([])
    const lock = JSON.parse(await game.read('sprites.lock.json')) as LockFile
    const [bought] = Object.values(lock.animations['hero.walk'] ?? {})
    const file = join(results, `${bought?.result?.sha256}.zip`)
    await rename(file, game.path('elsewhere.zip'))
    await told.next(isUpdateOf('hero'))
    await rename(game.path('elsewhere.zip'), file)
    await told.next(isUpdateOf('hero'))
  })

  test('a watcher that is turned off stays off, and what a user ignores stays ignored', async () => {
    const { resolveConfig } = await load()
    const game = await shelf.game()
    const watchOf = async (watch: { readonly ignored: string } | null): Promise<unknown> =>
      (await resolveConfig(configOf(game, pluginOf(game), { server: { watch } }), 'serve')).server.watch
    expect(await watchOf(null)).toBeNull()
    expect(await watchOf({ ignored: 'music/**' })).toMatchObject({ ignored: ['music/**', expect.any(RegExp)] })
  })
})

describe.each(vites)('what is ours stays ours with %s', (_name, load) => {
  test('results, journal and cache are not given out, in any spelling; .env stays as Vite has it', async () => {
    const game = await shelf.game({ '.env': 'SECRET=1', 'src/deep/x.js': '' })
    const result = (await readdir(game.path('.spritewright/results'), { recursive: true, withFileTypes: true })).find((entry) =>
      entry.isFile(),
    )
    const cached = (await readdir(game.path('node_modules/.cache/spritewright'), { recursive: true, withFileTypes: true })).find((entry) =>
      entry.isFile(),
    )
    const path = (entry: typeof result): string => `${entry?.parentPath}/${entry?.name}`.slice(game.root.length + 1)
    const secrets = ['.spritewright/ledger.jsonl', path(result), path(cached)]
    const { get } = await start(load, game, { resolve: { alias: { '@': game.path('src/deep') } } })
    const given: string[] = []
    for (const secret of secrets) {
      const contents = await game.read(secret)
      for (const url of spellings(game.root, secret)) {
        const { status, text } = await get(url)
        // Vite answers with the game's page if nothing is found. That answer is not the plugin's, and reveals
        // nothing.
        if (status !== 404 || text.includes(contents.slice(0, 40))) given.push(`${status} ${url}`)
      }
      for (const query of ['?raw', '?import&raw', '?url&raw', '?inline']) {
        const { status, text } = await get(`/@id/@/../../${secret}${query}`)
        if (status === 200 && text.includes(contents.slice(0, 20))) given.push(`alias ${query}`)
      }
    }
    expect(given).toEqual([])
    expect(await get('/.env')).toMatchObject({ status: 403 })
    expect(await get('/src/main.js')).toMatchObject({ status: 200 })
  })
})

/** Many ways to request one file. */
function spellings(root: string, secret: string): readonly string[] {
  const file = basename(secret)
  const encoded = encodeURIComponent(secret)
  const all = [...secret].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('')
  const plain = [
    `/${secret}`,
    `//${secret}`,
    `/./${secret}`,
    `/src/../${secret}`,
    `/src/..%2f${secret}`,
    `/${secret.replaceAll('/', '\\')}`,
    `/${secret.replaceAll('/', '%5c')}`,
    `/${encoded}`,
    `/${encodeURIComponent(encoded)}`,
    `/${all}`,
    `/${encodeURIComponent(all)}`,
    `/${secret.replace('.', '%2e')}`,
    `/${secret.replace(file, `./${file}`)}`,
    `/@fs/${root}/${secret}`,
    `/@fs//${root}/${secret}`,
    `/@fs${root}/src/../${secret}`,
    `/@fs${root}/${encoded}`,
    `/%40fs${root}/${secret}`,
    `/@fs${encodeURIComponent(`${root}/${secret}`)}`,
    `/@id${root}/${secret}`,
    `/@id/${root}/${secret}`,
    `/@id/${secret}`,
    `/@id/@fs${root}/${secret}`,
    `/@id/__x00__${root}/${secret}`,
    `${root}/${secret}`,
    `/${root}/${secret}`,
  ]
  return plain.flatMap((url) => ['', '?raw', '?url', '?import', '?import&raw', '?inline', '?raw??', '?v=1'].map((end) => url + end))
}
