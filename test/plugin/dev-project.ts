import { EventEmitter } from 'node:events'
import type { ViteDevServer } from 'vite'
import { createDevSprites } from '../../plugin/dev/dev.ts'
import type { DevSprites, PluginSession } from '../../plugin/session.ts'
import { SpritewrightError } from '../../src/errors.ts'
import type { Preview } from '../../src/index.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { askServer, type Middleware } from './panel/panel-project.ts'
import { openPanel, type PanelClient } from './panel-client.ts'
import type { Dev } from './server.ts'

/** The sprites of a project with their widths, above 8 with bought frames of before a change; null for a broken spec. */
type Scene = Readonly<Record<string, number | null>>

/** The sprites that were made so far. */
type Made = Map<string, { readonly spec: object; readonly sprite: object; readonly atlas: object }>

/** A sprite at a width. It is the same object each time, as long as nothing of it changes. */
function spriteOf(made: Made, name: string, width: number) {
  const key = `${name} ${width}`
  const file = `/game/${name}.sprite.json`
  const page = {
    sha256: (name.charCodeAt(0) * 100 + width).toString(16).padStart(64, '0'),
    bytes: new Uint8Array([width]),
    width,
    height: 1,
  }
  const known = made.get(key) ?? {
    spec: { name, file, animations: [{ name: 'walk' }] },
    sprite: {
      ...{ name, file, atlas: name, width, height: 1, animations: [], overridePaths: [`/game/${name}.frames`, `/art/${name}`] },
      ...{ picture: `/art/${name}.png`, superseded: width > 8 ? ['walk'] : [] },
    },
    atlas: {
      ...{ name, scale: 1, pixelArt: false, frames: [], animations: [] },
      pages: [{ ...page, contentType: 'image/png', extension: 'png' }],
    },
  }
  made.set(key, known)
  return known
}

function previewOf(made: Made, scene: Scene, names: ReadonlySet<string> | undefined): Preview {
  const whole = Object.entries(scene).flatMap(([name, width]) => (width === null ? [] : [spriteOf(made, name, width)]))
  const shown = Object.entries(scene).flatMap(([name, width]) =>
    width === null || names?.has(name) === false ? [] : [spriteOf(made, name, width)],
  )
  const broken = Object.keys(scene).filter((name) => scene[name] === null)
  return {
    specs: whole.map(({ spec }) => spec),
    sheets: { sprites: shown.map(({ sprite }) => sprite), atlases: shown.map(({ atlas }) => atlas) },
    errors: broken.map(
      (name) => new SpritewrightError('SW_SPEC', { message: `${name} is broken`, facts: { file: `/game/${name}.sprite.json` } }),
    ),
  } as unknown as Preview
}

/** A dev server of a project that answers from here, and all that it does, in order. */
export async function serve(
  first: Scene,
  { config = {}, disk = new MemoryDisk(), state = 'missing' }: { config?: object; disk?: MemoryDisk; state?: string } = {},
) {
  const did: string[] = []
  const made: Made = new Map()
  const clock = new ManualClock()
  let scene = first
  let held: Promise<void> | undefined
  const told: unknown[] = []
  const middlewares: Middleware[] = []
  const watcher = Object.assign(new EventEmitter(), {
    options: {},
    add: (files: string | readonly string[]) => files.length > 0 && did.push(`watch ${[files].flat()}`),
  })
  const print = (line: string): void => void did.push(line.replace('[spritewright] ', 'print '))
  const hot = {
    on: () => {},
    send: (event: string | { readonly type: string }, data?: unknown) => {
      told.push(data ?? event)
      did.push(`send ${typeof event === 'string' ? event : event.type}`)
    },
  }
  const moduleGraph = {
    getModuleById: (id: string) => ({ id, importers: [] }),
    invalidateModule: ({ id }: { id: string }) => did.push(`forget ${id.slice(1)}`),
  }
  const server = {
    ...{ watcher, httpServer: null, resolvedUrls: null, printUrls: () => {}, listen: async () => {} },
    middlewares: { use: (one: Middleware) => middlewares.push(one) },
    environments: { client: { hot, moduleGraph } },
    config: {
      ...{ root: '/game', base: '/', server: { watch: null }, inlineConfig: {}, experimental: {}, resolve: { dedupe: [] as string[] } },
      ...{ logLevel: 'info', logger: { info: print, warn: print, error: print } },
      ...config,
    },
  }
  const workshop = {
    options: { store: { dir: '/game/.spritewright' }, panel: {} },
    host: {
      clock,
      disk,
      terminal: { isOutputTerminal: true },
      random: { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) },
    },
    files: {
      results: '/game/.spritewright/results',
      roleOf: (path: string) => (path.endsWith('.sprite.json') ? 'spec' : undefined),
      isLock: (path: string) => path.endsWith('.lock.json'),
    },
    containsKey: () => false,
    preview: async (paths: readonly string[] | undefined, names: ReadonlySet<string> | undefined) => {
      did.push(`read ${paths?.join() ?? 'all'} for ${names ? [...names].join() : 'all'}`)
      await held
      return previewOf(made, scene, names)
    },
    writeTypings: async (specs: Preview['specs']) => void did.push(`typings ${specs.map(({ name }) => name)}`),
    overview: async () => ({
      items: Object.keys(scene).map((name) => ({ id: `${name}.walk`, state, request: { id: `${name}.walk`, operation: 'sprite_sheet' } })),
      errors: [],
    }),
    ledger: async () => ({}),
    pending: async (paths: readonly string[] | undefined) => {
      did.push(`look at ${paths ?? 'all'}`)
      return { orders: [], mayBuy: true, canAsk: true }
    },
    requests: { list: async () => [] },
    trust: { touchState: async () => undefined },
  }
  const session = { surroundings: { root: '/game', base: server.config.base }, workshop: async () => workshop } as unknown as PluginSession
  const sprites: DevSprites = await createDevSprites(server as unknown as ViteDevServer, session)
  return {
    ...{ clock, sprites, told },
    /** What the server has done since the last call. */
    since: () => did.splice(0),
    /** Saves files as this scene. Resolves when all that follows is done. */
    save: async (now: Scene, ...names: readonly string[]): Promise<string[]> => {
      scene = now
      for (const name of names) watcher.emit('all', 'change', `/game/${name}.sprite.json`)
      for (let turn = 0; turn < 10; turn++) await clock.advance(10)
      return did.splice(0)
    },
    ask: (url: string) => askServer(middlewares, url),
    /** Changes files so that nobody notices. */
    set: (now: Scene) => {
      scene = now
    },
    /** Lets no read end until the returned function is called. */
    hold: (): (() => void) => {
      let end = (): void => {}
      held = new Promise((resolve) => {
        end = resolve
      })
      return end
    },
    /** The panel, as the terminal gives its address. */
    openPanel: async (): Promise<PanelClient> => {
      sprites.printPanel()
      while (!did.some((line) => line.includes('Sprites:'))) await new Promise(setImmediate)
      return openPanel({ server, log: { all: did } } as unknown as Dev)
    },
    lock: () => watcher.emit('all', 'change', '/game/sprites.lock.json'),
  }
}
