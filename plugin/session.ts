import { resolve } from 'node:path'
import type { ResolvedConfig } from 'vite'
import { realPath } from '../src/host/real-path.ts'
import { createProgressLines, formatCredits, type Options, type Workshop, type WorkshopInit } from '../src/index.ts'
import { type Bundling, toBundling } from './build/bundling.ts'
import { supersededIn } from './dev/changes.ts'
import type { SpriteId } from './ids.ts'
import { createLog, type PluginLog } from './log.ts'

/** The parts of Vite's resolved configuration that the plugin needs. */
export interface Surroundings {
  /** Project root, absolute. Its links are resolved, as Vite resolves them for the files in it. */
  readonly root: string
  /** Public base path, e.g. `/`, `/game/`, `./`. */
  readonly base: string
  readonly mode: string
  /** Folder of the `.env` files, absolute; false if Vite reads none. */
  readonly envDir: string | false
  readonly envPrefix: string | readonly string[]
  readonly isBuild: boolean
  /** Output folder of a build, absolute. */
  readonly outDir: string
  readonly log: PluginLog
}

/** The sprites of a running dev server. */
export interface DevSprites {
  /**
   * Returns the current code of a plugin module.
   *
   * @throws the error of the spec behind it.
   */
  moduleOf(id: SpriteId): Promise<string>
  /** Whether a module's id names a file that no page may read: paid results, the journal, the cache. */
  isOwnFile(id: string): boolean
  /** Prints the panel's address with its token, in the terminal alone. */
  printPanel(): void
  /**
   * Ends the work beside the game: purchases that are followed, and pages of the panel. Submissions continue
   * at the service.
   */
  close(): Promise<void>
}

/** One project of the plugin. It is opened when it is first needed, and its sheets are made once a build. */
export interface PluginSession {
  readonly surroundings: Surroundings
  /** Set while a dev server runs. */
  dev: DevSprites | undefined
  workshop(): Promise<Workshop>
  /**
   * Makes the bundle content of this build: buys approved requests, and fails if one is neither bought nor
   * approved. It runs once until {@link PluginSession.renew}.
   */
  bundling(): Promise<Bundling>
  /** Errors of purchases of the last build, whose places in the bundle have a placeholder. */
  readonly failures: readonly unknown[]
  /** Returns a function that checks whether bytes contain the API key. */
  keySearch(): Promise<(bytes: Uint8Array) => boolean>
  /** Makes the next call of `bundling` run again (`build --watch`). */
  renew(): void
  /** A build of this project begins. Several may run at once, one for each environment. */
  enter(): void
  /** A build has ended. The last one closes the project. */
  leave(): Promise<void>
  close(): Promise<void>
}

/** Makes a workshop. */
export type MakeWorkshop = (init: WorkshopInit) => Promise<Workshop>

/** The replaceable dependencies of a plugin; a seam for tests. */
export interface PluginSeam {
  /** @default this machine */
  readonly host?: WorkshopInit['host']
  /** @default the real one, loaded when it is first needed */
  readonly makeWorkshop?: MakeWorkshop
}

const makeRealWorkshop: MakeWorkshop = async (init) => (await import('../src/workshop.ts')).createWorkshop(init)

/** Vite ends at Ctrl-C without another word, so a person reads before it what that means. */
const stopWords = 'Ctrl-C is safe: paid work goes on at the service, and the next build picks it up and pays nothing twice.'

/** Prints some words once, before the first line. */
function firstly(print: (line: string) => void, words: string): (line: string) => void {
  let isPrinted = false
  return (line) => {
    if (!isPrinted) print(words)
    isPrinted = true
    print(line)
  }
}

/** Creates a session. It opens nothing yet. */
export function createSession(surroundings: Surroundings, options: Options, seam: PluginSeam = {}): PluginSession {
  const { root, mode, envDir, envPrefix, isBuild, log } = surroundings
  const { makeWorkshop = makeRealWorkshop } = seam
  let opened: Promise<Workshop> | undefined
  let made: Promise<Bundling> | undefined
  let builds = 0
  let failed: readonly unknown[] = []
  const workshop = (): Promise<Workshop> => {
    // A page of the dev server shows placeholders at once.
    const waits = isBuild ? { waitUntil: new AbortController().signal } : {}
    opened ??= makeWorkshop({ root, mode, envDir, envPrefix, options, onWait: log.money, host: seam.host, ...waits })
    return opened
  }
  const make = async (): Promise<Bundling> => {
    const open = await workshop()
    failed = []
    const { sheets, bought, balance, failures, warnings } = await open.build({
      canMirror: true,
      onProgress: createProgressLines(firstly(log.money, stopWords)),
    })
    failed = failures
    for (const { id, credits } of bought) log.money(`${id}: bought for ${formatCredits(credits)} credits.`)
    if (balance) log.money(balance.words)
    for (const warning of warnings) log.warn(warning)
    for (const id of supersededIn(sheets)) log.warn(`${id} has changed since it was bought. The bundle has the bought frames.`)
    await open.writeTypings()
    return toBundling(sheets, root, open.options)
  }
  const close = async (): Promise<void> => {
    const open = opened
    opened = undefined
    made = undefined
    // If the project could not be opened, its caller has the error, and nothing needs closing.
    await (await open?.catch(() => undefined))?.close()
  }
  return {
    surroundings,
    dev: undefined,
    get failures() {
      return failed
    },
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

/** The part of a hook's context that names the configuration of Vite it serves. */
export interface HookContext {
  readonly environment?: { getTopLevelConfig(): ResolvedConfig }
}

/**
 * The sessions of one plugin. The same plugin object may serve several configurations: a server and its
 * successor, or the environments of a build.
 */
export interface PluginSessions {
  add(config: ResolvedConfig): void
  /** The session that a hook belongs to. */
  of(context: HookContext): PluginSession
  ofConfig(config: ResolvedConfig): PluginSession
}

/** Keeps a session for each configuration that Vite resolves. */
export function createConnections(options: Options, seam: PluginSeam = {}): PluginSessions {
  // By a part of the configuration: for each worker, Vite makes a copy of the whole that shares its parts.
  const sessions = new WeakMap<ResolvedConfig['worker'], PluginSession>()
  let latest: PluginSession | undefined
  const ofConfig = (config: ResolvedConfig | undefined): PluginSession => {
    const session = (config && sessions.get(config.worker)) ?? latest
    if (!session) throw new Error('Expected Vite to resolve its configuration before it uses the plugin spritewright.')
    return session
  }
  return {
    add: (config) => {
      latest = createSession(toSurroundings(config), options, seam)
      sessions.set(config.worker, latest)
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
    log: createLog(config),
  }
}
