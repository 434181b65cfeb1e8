import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { LauncherEntry } from '../../plugin/dev/devtools.ts'
import type { Options } from '../../src/options/options.ts'
import { startDev } from './server.ts'
import { configOf, openSource, pluginOf, type TestPlugin, vites } from './world.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

function projectOf({ plugins }: TestPlugin): { readonly devtools: { setup(context: object): void } } {
  return plugins.find(({ name }) => name === 'spritewright') as never
}

const manifest = async (): Promise<Record<string, Record<string, unknown>>> =>
  JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'))

describe.each(vites)('with %s', (_version, load) => {
  test.each<[string, string, Options, boolean, Readonly<Record<string, string>>?, string?]>([
    ['no engine', '{}', {}, false],
    ['Phaser', '{"dependencies":{"phaser":"^4.0.0"}}', {}, false],
    ['PixiJS', '{"dependencies":{"pixi.js":"^8.0.0"}}', {}, true],
    ['PixiJS for development', '{"devDependencies":{"pixi.js":"^8.0.0"}}', {}, true],
    ['both engines', '{"dependencies":{"phaser":"^4.0.0","pixi.js":"^8.0.0"}}', {}, true],
    ['PixiJS by an option', '{}', { engine: 'pixi' }, true],
    ['Phaser by an option, and both engines', '{"dependencies":{"phaser":"^4.0.0","pixi.js":"^8.0.0"}}', { engine: 'phaser' }, false],
    ['a broken package.json', '{', {}, false],
    ['PixiJS by the config file', '{}', {}, true, { 'spritewright.config.json': '{"engine":"pixi"}' }],
    ['a broken config file', '{}', {}, false, { 'spritewright.config.mjs': 'throw new Error()' }],
    ['PixiJS of the folder above', '{"dependencies":{"pixi.js":"^8.0.0"}}', {}, true, {}, 'src'],
    ['nothing of the folder above', '{"dependencies":{"pixi.js":"^8.0.0"}}', {}, false, { 'src/package.json': '{}' }, 'src'],
  ])('only a project with PixiJS gets its pixi.js alone: %s', async (_what, text, options, isDeduped, files = {}, root = '.') => {
    const { resolveConfig } = await load()
    const game = await openSource({ 'package.json': text, ...files })
    open.push({ close: () => game.remove() })
    const config = configOf(game, pluginOf(game, { options }), { root: game.path(root), resolve: { dedupe: ['other'] } })
    const { resolve } = await resolveConfig(config, 'serve')
    expect([...resolve.dedupe].sort()).toEqual(isDeduped ? ['other', 'pixi.js'] : ['other'])
  })

  test("the dock of Vite's DevTools prints the panel's address in the terminal, and has no address itself", async () => {
    const game = await openSource()
    open.push({ close: () => game.remove() })
    const plugin = pluginOf(game)
    const dev = await startDev(await load(), game, plugin)
    open.unshift(dev)
    const commands: { id: string; title: string; handler: () => unknown }[] = []
    const docks: LauncherEntry[] = []
    const context = {
      viteConfig: dev.server.config,
      viteServer: dev.server,
      commands: { register: (one: (typeof commands)[number]) => commands.push(one) },
      docks: { register: (one: LauncherEntry) => docks.push(one) },
    }
    projectOf(plugin).devtools.setup(context)
    expect(docks).toMatchObject([{ id: 'spritewright', type: 'launcher', launcher: { command: commands[0]?.id } }])
    expect(JSON.stringify([docks, commands])).not.toMatch(/http|token/)
    expect(dev.log.all.filter((line) => line.includes('#token='))).toEqual([])
    commands[0]?.handler()
    expect(dev.log.all.filter((line) => line.includes('#token='))).toEqual([
      expect.stringMatching(/➜ {2}Sprites: http:\/\/127\.0\.0\.1:\d+\/.+#token=.+/),
    ])
  })
})

test("a build has no dock in Vite's DevTools", async () => {
  const game = await openSource()
  open.push({ close: () => game.remove() })
  const docks: unknown[] = []
  const host = { register: (one: unknown) => docks.push(one) }
  projectOf(pluginOf(game)).devtools.setup({ viteConfig: {}, commands: host, docks: host })
  expect(docks).toEqual([])
})

test('the registry of Vite plugins reads the versions of Vite that the package allows', async () => {
  const { compatiblePackages, peerDependencies } = await manifest()
  expect(compatiblePackages).toMatchObject({
    schemaVersion: 1,
    vite: { type: 'compatible', versions: peerDependencies?.vite },
    rollup: { type: 'incompatible' },
    rolldown: { type: 'incompatible' },
  })
})
