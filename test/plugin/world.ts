import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import type { InlineConfig, Logger } from 'vite'
import { test } from 'vitest'
import { createPlugins } from '../../plugin/index.ts'
import { startEmbeddedService } from '../../src/embedded/service.ts'
import { type Host, nodeHost } from '../../src/host/host.ts'
import type { Options } from '../../src/options/options.ts'
import { createWorkshop, type Workshop, type WorkshopInit } from '../../src/workshop.ts'
import { isOffered } from '../kit/extras.ts'
import { acceptCeilings } from '../kit/keys.ts'
import { figurePng } from '../kit/project.ts'
import { level } from '../level.ts'

/** Vite, in each major version that the package supports. */
export type Vite = typeof import('vite')

const packages = [
  ['Vite 8', 'vite'],
  ['Vite 7', 'vite7'],
  ['Vite 6', 'vite6'],
] as const

/**
 * By major version. Their typings differ only in parts that no test uses. The quick level has only the newest.
 */
export const vites: readonly (readonly [name: string, load: () => Promise<Vite>])[] = packages
  .filter(([, name]) => isOffered(name))
  .map(([version, name]) => [version, () => import(name) as Promise<Vite>])

/**
 * A test that depends little on Vite's major version. It is there only with the newest, and at the long level with
 * all.
 */
export function testOfNewest(name: string): typeof test {
  return level === 'long' || name === vites[0]?.[0] ? test : absent
}

const absent = Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof test

/** The key under which the sprites of these tests are bought. */
export const key = 'sw_test_key_of_the_plugin_tests'

/** A spec of one animation of seven frames. */
export function spec(more: object = {}, animation: object = {}): string {
  return JSON.stringify(
    { reference: './figure.png', prompt: 'a small figure', animations: { walk: { frames: 7, ...animation } }, ...more },
    null,
    2,
  )
}

/** Folders at the root that hold no sources. */
const others = /^(node_modules|\.spritewright|\.state)$/

/** The files of a game: two sprites of one group and a page that imports them. */
const files: Readonly<Record<string, string | Uint8Array>> = {
  'package.json': '{"name":"game","private":true,"type":"module"}',
  'index.html': '<!doctype html><script type="module" src="/src/main.js"></script>',
  'src/main.js':
    "import hero from '../sprites/hero.sprite.json'\nimport coin from '../sprites/coin.sprite.yaml'\nglobalThis.sprites = { hero, coin }\n",
  'sprites/figure.png': figurePng(),
  'sprites/hero.sprite.json': spec({}, { fps: 8 }),
  'sprites/coin.sprite.yaml': 'reference: ./figure.png\nprompt: a coin\nanimations:\n  spin:\n    frames: 7\n',
}

/** A game in a folder of its own. */
export interface Game {
  readonly root: string
  path(name: string): string
  write(name: string, content: string | Uint8Array): Promise<void>
  read(name: string): Promise<string>
  /** Paths from the root, with forward slashes, sorted, without the files that tools keep for themselves. */
  list(folder?: string): Promise<string[]>
  remove(name?: string): Promise<void>
}

/** A game in an empty folder. */
export async function openGame(): Promise<Game> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-plugin-')))
  const path = (name: string): string => join(root, name)
  return {
    root,
    path,
    write: async (name, content) => {
      await mkdir(dirname(path(name)), { recursive: true })
      await writeFile(path(name), content)
    },
    read: (name) => readFile(path(name), 'utf8'),
    list: async (folder = '.') => {
      // Folders that others fill and empty meanwhile are not read.
      const under = async (name: string): Promise<string[]> => {
        const entries = await readdir(path(name), { withFileTypes: true })
        const below = entries.filter((entry) => entry.isDirectory()).map((entry) => posix.join(name, entry.name))
        const own = entries.filter((entry) => entry.isFile()).map((entry) => posix.join(name, entry.name))
        return [...own, ...(await Promise.all(below.filter((at) => !others.test(at)).map(under))).flat()]
      }
      return (await under(folder)).sort()
    },
    remove: (name = '.') => rm(path(name), { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** A game without purchases. */
export async function openSource(more: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Game> {
  const game = await openGame()
  for (const [name, content] of Object.entries({ ...files, ...more })) await game.write(name, content)
  return game
}

/** A game whose sprites are bought, to be copied, and the service that sold them, which may be closed. */
export interface Shelf {
  readonly url: string
  /** All requests that the service has received. */
  requests(): readonly { readonly method: string; readonly path: string }[]
  /** A game of its own: with purchases, or only its sources. */
  game(more?: Readonly<Record<string, string | Uint8Array>>, isBought?: boolean): Promise<Game>
  /** A workshop of the game, as the CLI has it. */
  workshop(game: Game, options?: Options): Promise<Workshop>
  close(): Promise<void>
}

/** Buys once. */
export async function openShelf(): Promise<Shelf> {
  const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 }, accounts: [{ name: 'test', keys: [{ key }] }] })
  const bought = await openGame()
  const games: Game[] = [bought]
  for (const [name, content] of Object.entries(files)) await bought.write(name, content)
  const shelf: Shelf = {
    url: service.url,
    requests: () => service.requests(),
    game: async (more = {}, isBought = true) => {
      const game = await openGame()
      games.push(game)
      if (isBought) await cp(bought.root, game.root, { recursive: true })
      else for (const [name, content] of Object.entries(files)) await game.write(name, content)
      for (const [name, content] of Object.entries(more)) await game.write(name, content)
      return game
    },
    workshop: (game, options = {}) =>
      createWorkshop({ root: game.root, options, host: hostOf(game, { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: key }) }),
    close: async () => {
      for (const game of games) await game.remove()
      await service.close()
    },
  }
  const workshop = await shelf.workshop(bought, { approval: { perSprite: '100' } })
  await acceptCeilings(workshop)
  await workshop.build()
  await workshop.close()
  return shelf
}

/** Created once, because it listens to the standard streams. */
const machine = nodeHost()

/** This machine with an environment of its own. */
export function hostOf(game: Game, env: Readonly<Record<string, string>>, over: Partial<Host> = {}): Host {
  return { ...machine, env, stateFolder: join(game.root, '.state'), ...over }
}

/** A network on which every request is an error. */
export function noNet(): Host['net'] {
  return {
    request: async ({ method, url }) => {
      throw new Error(`Expected no request, found ${method} ${url}.`)
    },
    close: async () => {},
  }
}

/** Settings of a test's plugin. */
export interface PluginSetup {
  readonly options?: Options
  readonly env?: Readonly<Record<string, string>>
  readonly net?: Host['net']
  readonly clock?: Host['clock']
  readonly disk?: Host['disk'] | undefined
}

/** The plugin of a game, and how many workshops it has open. */
export interface TestPlugin {
  readonly plugins: ReturnType<typeof createPlugins>
  /** Number of workshops that were made and not closed. */
  open(): number
  made(): number
}

/**
 * The plugin as a user has it, in an environment of its own. Without `env` there is no service and no key.
 */
export function pluginOf(
  game: Game,
  { options = {}, env = {}, net = noNet(), clock = machine.clock, disk = machine.disk }: PluginSetup = {},
): TestPlugin {
  let open = 0
  let made = 0
  const makeWorkshop = async (init: WorkshopInit): Promise<Workshop> => {
    const workshop = await createWorkshop(init)
    open++
    made++
    return {
      ...workshop,
      close: async () => {
        open--
        await workshop.close()
      },
    }
  }
  const plugins = createPlugins(options, { host: hostOf(game, env, { net, clock, disk }), makeWorkshop })
  return { plugins, open: () => open, made: () => made }
}

/** A logger that stores its lines. */
export function keptLog(): { readonly logger: Logger; readonly lines: Happenings<string> } {
  const lines = createHappenings<string>()
  const keep = (line: string): void => lines.push(line)
  const logger: Logger = {
    info: keep,
    warn: keep,
    warnOnce: keep,
    error: keep,
    clearScreen: () => {},
    hasErrorLogged: () => false,
    hasWarned: false,
  }
  return { logger, lines }
}

/** Vite's configuration of a game. It reads no file, prints nothing, and inlines none of the small pages of these tests. */
export function configOf(game: Game, plugin: TestPlugin, more: InlineConfig = {}): InlineConfig {
  return {
    root: game.root,
    configFile: false,
    logLevel: 'silent',
    plugins: [plugin.plugins, ...(more.plugins ?? [])],
    ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'plugins' && name !== 'build')),
    build: { minify: false, target: 'esnext', modulePreload: false, assetsInlineLimit: 0, ...more.build },
  }
}

/** A queue of events, for tests that wait for events and never for time. */
export interface Happenings<T> {
  readonly all: readonly T[]
  push(one: T): void
  /**
   * Waits for the next fitting event after the last one that was waited for, and returns it. Earlier events
   * are skipped.
   */
  next(fits: (one: T) => boolean): Promise<T>
}

/** An empty queue. */
export function createHappenings<T>(): Happenings<T> {
  const all: T[] = []
  let at = 0
  let wake = (): void => {}
  return {
    all,
    push: (one) => {
      all.push(one)
      wake()
    },
    next: async (fits) => {
      for (;;) {
        while (at < all.length) {
          const one = all[at++] as T
          if (fits(one)) return one
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
