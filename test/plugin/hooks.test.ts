import { join } from 'node:path'
import type { Plugin, ResolvedConfig } from 'vite'
import { describe, expect, test } from 'vitest'
import spritewright, { createPlugins } from '../../plugin/index.ts'
import type { Workshop } from '../../src/index.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

const png = { sha256: 'a'.repeat(64), bytes: new Uint8Array([1]), contentType: 'image/png', extension: 'png', width: 4, height: 4 }
const sheets = {
  sprites: [{ name: 'hero', file: '/game/hero.sprite.json', atlas: 'sprites', width: 4, height: 4, animations: [] }],
  atlases: [{ name: 'sprites', scale: 1, pixelArt: false, pages: [png], frames: [], animations: [] }],
}

/** The plugins of a build, the project that they open, and everything that they do. */
function opened(own: object = {}, options: Parameters<typeof createPlugins>[0] = {}) {
  const calls: unknown[] = []
  const disk = new MemoryDisk()
  const workshop = {
    options: { engine: 'pixi', notes: ['a note'] },
    build: async () => {
      calls.push('build')
      return { sheets, bought: [], failures: [], warnings: [] }
    },
    writeTypings: async () => void calls.push('typings'),
    containsKey: (bytes: Uint8Array) => new TextDecoder().decode(bytes).includes('KEY'),
    close: async () => void calls.push('close'),
    ...own,
  }
  const plugins = createPlugins(options, {
    host: { disk } as never,
    makeWorkshop: async () => {
      calls.push('open')
      return workshop as unknown as Workshop
    },
  })
  const config = { root: '/game', command: 'build', build: { outDir: 'dist' }, worker: {}, logger: { info: () => {}, warn: () => {} } }
  const [project, modules, guard] = plugins as [Plugin, Plugin, Plugin]
  const resolved = config as unknown as ResolvedConfig
  ;(project.configResolved as (given: ResolvedConfig) => void)(resolved)
  const context = {
    environment: { getTopLevelConfig: () => resolved, config: { build: { assetsInlineLimit: 0 } } },
    meta: { watchMode: false },
    addWatchFile: (file: string) => void calls.push(`watch ${file}`),
    emitFile: ({ name }: { name: string }) => {
      calls.push(`emit ${name}`)
      return 'mark'
    },
    info: (words: string) => void calls.push(`info ${words}`),
    error: (failure: { readonly message: string }): never => {
      throw Object.assign(new Error(typeof failure === 'string' ? failure : failure.message), { of: 'the hook' })
    },
    resolve: async (source: string, importer: string, how: object) => {
      calls.push(['resolve', source, importer, how])
      return { id: join('/game/src', source) }
    },
  }
  /** Runs a hook of a plugin as a bundler does. */
  const run = async (plugin: Plugin, hook: string, ...given: unknown[]): Promise<unknown> => {
    const found = plugin[hook as 'load'] as unknown as { handler?: (...all: unknown[]) => unknown }
    const own = (found.handler ?? found) as (...all: unknown[]) => unknown
    return own.call(context, ...given)
  }
  return { plugins, project, modules, guard, run, calls, disk, context }
}

/** A plugin without its functions. */
const plain = (plugin: object): object =>
  Object.fromEntries(
    Object.entries(plugin).map(([name, value]) => [
      name,
      typeof value === 'function'
        ? 'a function'
        : value !== null && typeof value === 'object' && !(value instanceof RegExp) && !Array.isArray(value)
          ? plain(value)
          : value,
    ]),
  )

test('the plugins run in their places, and are asked only for what is theirs', () => {
  expect(opened().plugins.map(plain)).toMatchInlineSnapshot(`
    [
      {
        "buildStart": {
          "handler": "a function",
          "sequential": true,
        },
        "closeBundle": {
          "handler": "a function",
          "order": "post",
        },
        "closeWatcher": "a function",
        "config": "a function",
        "configResolved": "a function",
        "configureServer": "a function",
        "devtools": {
          "setup": "a function",
        },
        "enforce": "pre",
        "name": "spritewright",
      },
      {
        "enforce": "pre",
        "load": {
          "filter": {
            "id": /\\^\\\\0spritewright\\\\//,
          },
          "handler": "a function",
        },
        "name": "spritewright:modules",
        "resolveId": {
          "filter": {
            "id": [
              /\\^virtual:spritewright/,
              /\\\\\\.\\(\\?:sprite\\\\\\.\\(\\?:json\\|yaml\\|yml\\)\\|aseprite\\|ase\\|sprites\\)\\$/,
            ],
          },
          "handler": "a function",
        },
      },
      {
        "apply": "build",
        "enforce": "post",
        "generateBundle": "a function",
        "name": "spritewright:key",
      },
      {
        "apply": "serve",
        "enforce": "pre",
        "load": "a function",
        "name": "spritewright:files",
      },
    ]
  `)
  expect(spritewright().map(({ name }) => name)).toEqual(opened().plugins.map(({ name }) => name))
})

describe('the configuration of Vite', () => {
  const configured = async (given: object, dependencies: object = {}, options = {}) => {
    const { project, modules, run, disk } = opened({}, options)
    disk.files.set('/game/package.json', new TextEncoder().encode(JSON.stringify({ dependencies })))
    const { worker, ...made } = (await run(project, 'config', given)) as { worker: { plugins(): unknown[] } }
    expect(worker.plugins()).toEqual([modules])
    return made
  }

  test('has one PixiJS if the game uses it, and does not watch the store', async () => {
    const ignored = [expect.anything()]
    const watch = { server: { watch: { ignored } } }
    expect(await configured({ root: '/game' }, { 'pixi.js': '8' })).toEqual({ resolve: { dedupe: ['pixi.js'] }, ...watch })
    expect(await configured({ root: '/game' }, { phaser: '4' })).toEqual({ resolve: { dedupe: [] }, ...watch })
    expect(await configured({ root: '/game' }, { 'pixi.js': '8' }, { engine: 'phaser' })).toEqual({ resolve: { dedupe: [] }, ...watch })
    expect(await configured({ root: '/none', server: { watch: null } })).toEqual({ resolve: { dedupe: [] } })
  })
})

describe('a build', () => {
  test('makes its sheets at the start, gives out their modules, and closes the project at the end', async () => {
    const { project, modules, run, calls } = opened()
    await run(project, 'buildStart')
    const hero = await run(modules, 'resolveId', './hero.sprite.json', '/game/src/main.ts')
    expect(await run(modules, 'resolveId', 'virtual:spritewright', undefined)).toBe('\0spritewright/all')
    const load = async (id: string) => run(modules, 'load', id)
    expect(hero).toBe('\0spritewright/sprite/src/hero.sprite.json/module')
    expect([await load('\0spritewright/all'), await load('\0spritewright/hot'), await load('\0other')]).toMatchInlineSnapshot(`
      [
        {
          "code": "import { spritesByName } from "virtual:spritewright/sheet"
      import { sprites as s0 } from "virtual:spritewright/atlas/sprites"
      export const sprites = /* @__PURE__ */ spritesByName([s0])
      export default sprites
      ",
          "moduleSideEffects": false,
          "moduleType": "js",
        },
        {
          "code": "export {}
      ",
          "moduleSideEffects": true,
          "moduleType": "js",
        },
        undefined,
      ]
    `)
    await load('\0spritewright/atlas/sprites')
    await run(project, 'closeBundle')
    expect(calls).toMatchInlineSnapshot(`
      [
        "open",
        "build",
        "typings",
        "info a note",
        [
          "resolve",
          "./hero.sprite.json",
          "/game/src/main.ts",
          {
            "skipSelf": true,
          },
        ],
        "watch /game/hero.sprite.json",
        "watch /game/hero.frames",
        "watch /game/sprites.lock.json",
        "watch /game/sprites.lock",
        "watch /game/hero.sprite.json",
        "watch /game/hero.frames",
        "watch /game/sprites.lock.json",
        "watch /game/sprites.lock",
        "watch /game/hero.sprite.json",
        "watch /game/hero.frames",
        "watch /game/sprites.lock.json",
        "watch /game/sprites.lock",
        "emit sprites-0.png",
        "close",
      ]
    `)
  })

  test('that fails ends its hook with the error', async () => {
    const { project, modules, run } = opened({ build: () => Promise.reject(new Error('no art')) })
    const failure = { message: 'no art', of: 'the hook' }
    await expect(run(project, 'buildStart')).rejects.toMatchObject(failure)
    await expect(run(modules, 'load', '\0spritewright/all')).rejects.toMatchObject(failure)
  })

  test('that would ship the key fails, and any other does not', async () => {
    const { guard, run } = opened()
    const file = { fileName: 'a.js', type: 'chunk', code: 'KEY' }
    await expect(run(guard, 'generateBundle', {}, { 'a.js': file })).rejects.toMatchObject({
      of: 'the hook',
      message: expect.stringMatching(/^SW_KEY_EXPOSED: a\.js would ship the API key to every player\./),
    })
    await run(guard, 'generateBundle', {}, { 'a.js': { ...file, code: 'export {}' } })
  })

  test('under a watch stays open until the watch ends', async () => {
    const { project, run, calls, context } = opened()
    context.meta.watchMode = true
    await run(project, 'buildStart')
    await run(project, 'closeBundle')
    expect(calls).not.toContain('close')
    await run(project, 'closeWatcher')
    expect(calls.at(-1)).toBe('close')
  })
})
