import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Dev, startDev } from './server.ts'
import { type Game, noNet, openSource, pluginOf, vites } from './world.ts'

let game: Game
const open: Dev[] = []
beforeAll(async () => {
  game = await openSource({
    'index.html': '<!doctype html><script type="module">import "/main.js"</script>',
    'main.js': 'export {}',
    'inner/index.js': 'export {}',
    'public/worker.js': '',
  })
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
afterAll(() => game.remove())

/** A plugin with a virtual service worker, as plugins for progressive web apps have. */
const madeUp = {
  name: 'test:worker',
  resolveId: (id: string) => (id === '/dev-sw.js' ? id : undefined),
  load: (id: string) => (id === '/dev-sw.js' ? 'export {}' : undefined),
}

async function start(load: (typeof vites)[number][1], more: Parameters<typeof startDev>[3] = {}): Promise<Dev> {
  const plugin = pluginOf(game, { net: noNet() })
  const dev = await startDev(await load(), game, { ...plugin, plugins: [...plugin.plugins, madeUp] }, more)
  open.push(dev)
  return dev
}

/** The status of a path for a page, and for a request that wants a service worker. */
async function both({ get }: Dev, path: string): Promise<readonly [string, number, number]> {
  const plain = await get(path, { headers: { accept: '*/*' } })
  const worker = await get(path, { headers: { accept: '*/*', 'service-worker': 'script' } })
  return [path, plain.status, worker.status]
}

test.each(vites)(
  'modules that reach the panel are no service workers for %s; others, and what is meant for one, are',
  async (_name, load) => {
    const dev = await start(load)
    await dev.get('/', { headers: { accept: 'text/html' } })
    const panel = /src="\.\/([^"]+)"/.exec((await dev.get('/__spritewright/')).text)?.[1]
    for (const path of [
      '/main.js',
      '/main.js?x',
      '/main',
      '/m%61in.js',
      '/inner',
      '/index.html?html-proxy&index=0.js',
      `/__spritewright/${panel}`,
    ])
      expect(await both(dev, path)).toEqual([path, 200, 403])
    for (const path of ['/src/main.js', '/worker.js', '/dev-sw.js']) expect(await both(dev, path)).toEqual([path, 200, 200])
    expect(dev.log.all.filter((line) => line.includes('/main.js is a module of the game'))).toHaveLength(1)
  },
)

test('under a base, and where the server lets them reach further than their folder', async () => {
  const [, load] = vites[0]!
  const under = await start(load, { base: '/game/' })
  expect(await both(under, '/game/main.js')).toEqual(['/game/main.js', 200, 403])
  expect(await both(under, '/game/src/main.js')).toEqual(['/game/src/main.js', 200, 200])
  const wide = await start(load, { server: { headers: { 'Service-Worker-Allowed': '/' } } })
  expect(await both(wide, '/src/main.js')).toEqual(['/src/main.js', 200, 403])
  expect(await both(wide, '/worker.js')).toEqual(['/worker.js', 200, 200])
})
