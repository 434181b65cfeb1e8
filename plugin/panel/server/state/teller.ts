import type { BuiltSheets, Overview, Preview, Workshop } from '../../../../src/index.ts'
import type { GuardedRequest } from '../../../http/guard.ts'
import type { PanelState, PanelUpdate, StateEvent } from '../../../protocol/protocol.ts'
import { createPapers } from '../ledger.ts'
import { createStateLog } from './log.ts'
import type { StateParts } from './parts.ts'
import type { SpriteMemo } from './sprite.ts'
import { toPanelState } from './state.ts'

/** What the state of a panel is made with. */
export interface StatePorts {
  readonly workshop: Pick<Workshop, 'overview' | 'ledger' | 'host'>
  /** What the game is shown now, and a few sprites more that it has not asked for, until they are all. */
  readonly shown: (more: number) => Promise<{ readonly preview: Pick<Preview, 'sheets' | 'errors'>; readonly isComplete: boolean }>
  /** Tells pages that there is a new state. */
  readonly tell: (event: StateEvent) => void
  /** All that is not read from papers, as it is now. */
  readonly partsOf: (request: GuardedRequest, mayBuy: boolean) => Omit<StateParts, 'revision' | 'overview' | 'sheets' | 'errors' | 'ledger'>
}

/** Answers what the panel shows: all of it, or what of it has changed. */
export interface StateTeller {
  /** Something has changed; answers the revision of the state that shows it. @param paths Files, absolute, nothing having happened at the service. @default anything may have happened */
  changed(paths?: readonly string[]): number
  /** The same of what no paper says: prices, progress. */
  announce(): number
  /** Where everything stands by the papers, as far as is known here. */
  overview(): Promise<Overview>
  /** @param query `since`: the revision that the page knows. */
  state(request: GuardedRequest, query: URLSearchParams): Promise<PanelState | PanelUpdate>
}

/** Sprites that are made for the panel in one go: a spec that is saved meanwhile waits for no more. */
const fewSprites = 16

const noSheets: BuiltSheets = { sprites: [], atlases: [] }

/** Tells nothing yet. */
export function createStateTeller({ workshop, shown, tell, partsOf }: StatePorts): StateTeller {
  const papers = createPapers(workshop)
  // Beyond all that a server has told whose place this one takes: its pages know that they know nothing of this one.
  let revision = workshop.host.clock.wall()
  const raise = (): number => ++revision
  const log = createStateLog(raise)
  const memo: SpriteMemo = new Map()
  const announce = (): number => {
    tell({ revision: raise() })
    return revision
  }
  const look = async (request: GuardedRequest, isWhole: boolean): Promise<PanelState> => {
    const at = revision
    const [{ overview, ledger, errors }, { preview, isComplete }] = await Promise.all([
      papers.read(isWhole),
      shown(fewSprites).catch((error: unknown) => ({ preview: { sheets: noSheets, errors: [error] }, isComplete: true })),
    ])
    const sheets = { sheets: preview.sheets, errors: [...preview.errors, ...errors] }
    const state = toPanelState({ ...partsOf(request, overview.mayBuy), ...sheets, revision: at, overview, ledger }, memo)
    const isOvertaken = revision > at
    const noted = log.note(state)
    // Whoever shows it asks for what it lacks by and by.
    if (!isComplete || (isOvertaken && noted > at)) announce()
    // What was found unawares is news to all others.
    else if (noted > at) tell({ revision: noted })
    return { ...state, revision: noted }
  }
  let looking: Promise<unknown> = Promise.resolve()
  return {
    changed: (paths) => {
      papers.changed(paths)
      return announce()
    },
    announce,
    overview: async () => (await papers.read(false)).overview,
    state: (request, query) => {
      const given = query.get('since') ?? ''
      const since = /^\d{1,15}$/.test(given) ? Number.parseInt(given, 10) : undefined
      // One after another: what is noted later is no older.
      const run = looking.then(async () => {
        const now = await look(request, since === undefined)
        return (since === undefined ? undefined : log.since(since)) ?? now
      })
      looking = run.catch(() => undefined)
      return run
    },
  }
}
