import { resolve } from 'node:path'
import type { ResolvedConfig } from 'vite'
import { realPath } from '../src/host/real-path.ts'
import type { Options, Workshop, WorkshopInit } from '../src/index.ts'
import { type Bundling, toBundling } from './build/bundling.ts'
import type { SpriteId } from './ids.ts'

/** What Vite has resolved, as far as we need it. */
export interface Surroundings {
  /** Project root, absolute; links followed, as Vite follows them for the files in it. */
  readonly root: string
  /** Public base path, e.g. `/`, `/game/`, `./`. */
  readonly base: string
  readonly mode: string
  /** Where `.env` files lie, absolute; false: Vite reads none. */
  readonly envDir: string | false
  readonly envPrefix: string | readonly string[]
  readonly isBuild: boolean
  /** Where a build writes, absolute. */
  readonly outDir: string
}

/** The sprites of a running dev server. */
export interface DevSprites {
  /** The code of a module of ours, as things stand now. @throws what is wrong with the spec behind it. */
  moduleOf(id: SpriteId): Promise<string>
  /** Whether a module's id names a file that no page may read: paid results, the journal, the cache. */
  isOwnFile(id: string): boolean
  /** Ends what goes on beside the game: purchases that are followed, pages of the panel. What was sent goes on at the service. */
  close(): Promise<void>
}

/** One project as the plugin works with it: opened when it is first needed, sheets made once a build. */
export interface PluginSession {
  readonly surroundings: Surroundings
  /** Set while a dev server runs. */
  dev: DevSprites | undefined
  workshop(): Promise<Workshop>
  /** What this build puts into the bundle: buys what is approved, fails where something is not. Made once until {@link PluginSession.renew}. */
  bundling(): Promise<Bundling>
  /** Tells whether bytes hold the API key. */
  keySearch(): Promise<(bytes: Uint8Array) => boolean>
  /** The next call of `bundling` makes it anew (`build --watch`). */
  renew(): void
  /** A build of this project begins. Several may run at once, one an environment. */
  enter(): void
  /** A build has ended; the last one closes the project. */
  leave(): Promise<void>
  close(): Promise<void>
}

/** Makes a workshop. */
export type MakeWorkshop = (init: WorkshopInit) => Promise<Workshop>

/** What of the world a plugin is made with; a seam for tests. */
export interface PluginSeam {
  /** @default this machine */
  readonly host?: WorkshopInit['host']
  /** @default the real one, loaded when it is first needed */
  readonly makeWorkshop?: MakeWorkshop
}

const makeRealWorkshop: MakeWorkshop = async (init) => (await import('../src/workshop.ts')).createWorkshop(init)

/** Remembers what to open; opens nothing yet. */
export function createSession(surroundings: Surroundings, options: Options, seam: PluginSeam = {}): PluginSession {
  const { root, mode, envDir, envPrefix } = surroundings
  const { makeWorkshop = makeRealWorkshop } = seam
  let opened: Promise<Workshop> | undefined
  let made: Promise<Bundling> | undefined
  let builds = 0
  const workshop = (): Promise<Workshop> => {
    opened ??= makeWorkshop({ root, mode, envDir, envPrefix, options, ...(seam.host ? { host: seam.host } : {}) })
    return opened
  }
  const make = async (): Promise<Bundling> => {
    const open = await workshop()
    const { sheets } = await open.build()
    await open.writeTypings(sheets)
    return toBundling(sheets, root, open.options)
  }
  const close = async (): Promise<void> => {
    const open = opened
    opened = undefined
    made = undefined
    // One that could not be opened has told so to whoever asked for it, and has nothing to close.
    await (await open?.catch(() => undefined))?.close()
  }
  return {
    surroundings,
    dev: undefined,
    workshop,
    bundling: () => {
      made ??= make()
      return made
    },
    keySearch: async () => {
      const open = await workshop()
      return (bytes) => open.containsKey(bytes)
    },
    renew: () => {
      made = undefined
    },
    enter: () => void builds++,
    leave: async () => {
      builds = Math.max(0, builds - 1)
      if (builds === 0) await close()
    },
    close,
  }
}

/** What a hook is called on, as far as it says which of Vite's configurations it serves. */
export interface HookContext {
  readonly environment?: { getTopLevelConfig(): ResolvedConfig }
}

/** The sessions of one plugin. The same plugin object may serve several configurations: a server and the one that takes its place, the environments of a build. */
export interface PluginSessions {
  add(config: ResolvedConfig): void
  /** The session that a hook belongs to. */
  of(context: HookContext): PluginSession
  ofConfig(config: ResolvedConfig): PluginSession
}

/** Keeps a session for each configuration that Vite resolves. */
export function keepSessions(options: Options, seam: PluginSeam = {}): PluginSessions {
  const sessions = new WeakMap<ResolvedConfig, PluginSession>()
  let latest: PluginSession | undefined
  const ofConfig = (config: ResolvedConfig | undefined): PluginSession => {
    const session = (config && sessions.get(config)) ?? latest
    if (!session) throw new Error('Expected Vite to resolve its configuration before it uses the plugin spritewright.')
    return session
  }
  return {
    add: (config) => {
      latest = createSession(toSurroundings(config), options, seam)
      sessions.set(config, latest)
    },
    of: (context) => ofConfig(context.environment?.getTopLevelConfig()),
    ofConfig,
  }
}

function toSurroundings(config: ResolvedConfig): Surroundings {
  const root = realPath(config.root)
  return {
    root,
    base: config.base,
    mode: config.mode,
    envDir: config.envDir,
    envPrefix: config.envPrefix ?? 'VITE_',
    isBuild: config.command === 'build',
    outDir: resolve(root, config.build.outDir),
  }
}
