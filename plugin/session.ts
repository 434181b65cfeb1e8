import type { ResolvedConfig } from 'vite'
import { realPath } from '../src/host/real-path.ts'
import { type BuiltSheets, createWorkshop, type Options, type Workshop } from '../src/index.ts'
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
}

/** The sprites of a running dev server. */
export interface DevSprites {
  /** The code of a module of ours, as things stand now. @throws what is wrong with the spec behind it. */
  moduleOf(id: SpriteId): Promise<string>
  /** Whether a module's id names a file that no page may read: paid results, the journal, the cache. */
  isOwnFile(id: string): boolean
}

/** One project as the plugin works with it: opened when it is first needed, sheets made once a build. */
export interface PluginSession {
  readonly surroundings: Surroundings
  /** Set while a dev server runs. */
  dev: DevSprites | undefined
  workshop(): Promise<Workshop>
  /** The sheets of this build: buys what is approved, fails where something is not. Made once until {@link PluginSession.renew}. */
  sheets(): Promise<BuiltSheets>
  /** The next call of `sheets` makes them anew (`build --watch`). */
  renew(): void
  /** A build of this project begins. Several may run at once, one an environment. */
  enter(): void
  /** A build has ended; the last one closes the project. */
  leave(): Promise<void>
  close(): Promise<void>
}

/** Makes a workshop; a seam for tests. */
export type MakeWorkshop = typeof createWorkshop

/** Remembers what to open; opens nothing yet. */
export function createSession(surroundings: Surroundings, options: Options, makeWorkshop: MakeWorkshop = createWorkshop): PluginSession {
  let opened: Promise<Workshop> | undefined
  let made: Promise<BuiltSheets> | undefined
  let builds = 0
  const workshop = (): Promise<Workshop> => {
    const { root, mode, envDir, envPrefix } = surroundings
    opened ??= makeWorkshop({ root, mode, envDir, envPrefix, options })
    return opened
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
    sheets: () => {
      made ??= workshop().then(async (open) => {
        const { sheets } = await open.build()
        await open.writeTypings(sheets)
        return sheets
      })
      return made
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
export function keepSessions(options: Options, makeWorkshop?: MakeWorkshop): PluginSessions {
  const sessions = new WeakMap<ResolvedConfig, PluginSession>()
  let latest: PluginSession | undefined
  const ofConfig = (config: ResolvedConfig | undefined): PluginSession => {
    const session = (config && sessions.get(config)) ?? latest
    if (!session) throw new Error('Expected Vite to resolve its configuration before it uses the plugin spritewright.')
    return session
  }
  return {
    add: (config) => {
      latest = createSession(toSurroundings(config), options, makeWorkshop)
      sessions.set(config, latest)
    },
    of: (context) => ofConfig(context.environment?.getTopLevelConfig()),
    ofConfig,
  }
}

function toSurroundings(config: ResolvedConfig): Surroundings {
  return {
    root: realPath(config.root),
    base: config.base,
    mode: config.mode,
    envDir: config.envDir,
    envPrefix: config.envPrefix ?? 'VITE_',
    isBuild: config.command === 'build',
  }
}
