import { type BuiltSheets, createWorkshop, type Options, type Workshop } from '../src/index.ts'

/** What Vite has resolved, as far as we need it. */
export interface Surroundings {
  /** Project root, absolute. */
  readonly root: string
  /** Public base path, e.g. `/`, `/game/`, `./`. */
  readonly base: string
  readonly mode: string
  readonly envPrefix: string | readonly string[]
  readonly isBuild: boolean
}

/** One project as the plugin works with it: opened when it is first needed, sheets made once a build. */
export interface PluginSession {
  readonly surroundings: Surroundings
  workshop(): Promise<Workshop>
  /** The sheets of this build: buys what is approved, fails where something is not. Made once until {@link PluginSession.renew}. */
  sheets(): Promise<BuiltSheets>
  /** The next call of `sheets` makes them anew (`build --watch`). */
  renew(): void
  close(): Promise<void>
}

/** Makes a workshop; a seam for tests. */
export type MakeWorkshop = typeof createWorkshop

/** Remembers what to open; opens nothing yet. */
export function createSession(surroundings: Surroundings, options: Options, makeWorkshop: MakeWorkshop = createWorkshop): PluginSession {
  let opened: Promise<Workshop> | undefined
  let made: Promise<BuiltSheets> | undefined
  const workshop = (): Promise<Workshop> => {
    const { root, mode, envPrefix } = surroundings
    opened ??= makeWorkshop({ root, mode, envPrefix, options })
    return opened
  }
  return {
    surroundings,
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
    close: async () => {
      const open = opened
      opened = undefined
      made = undefined
      await (await open?.catch(() => undefined))?.close()
    },
  }
}
