import type { BuiltSheets, Overview, Preview, Workshop } from '../../../../src/index.ts'
import type { GuardedRequest } from '../../../http/guard.ts'
import type { PanelState, PanelUpdate, StateEvent } from '../../../protocol/protocol.ts'
import { createRecordReader } from '../ledger.ts'
import { createStateLog } from './log.ts'
import type { StateParts } from './parts.ts'
import type { SpriteMemo } from './sprite.ts'
import { toPanelState } from './state.ts'

/** The dependencies of a panel's state. */
export interface StatePorts {
  readonly workshop: Pick<Workshop, 'overview' | 'ledger' | 'host'>
  /**
   * Returns the sprites that the game shows now. Each call adds a few sprites that the game has not requested,
   * until all are made.
   */
  readonly shown: () => Promise<{ readonly preview: Pick<Preview, 'sheets' | 'errors'>; readonly isComplete: boolean }>
  /** Notifies pages that there is a new state. */
  readonly publish: (event: StateEvent) => void
  /** Returns the current parts that are not read from records. */
  readonly partsOf: (request: GuardedRequest, mayBuy: boolean) => Omit<StateParts, 'revision' | 'overview' | 'sheets' | 'errors' | 'ledger'>
}

/** Returns the panel's state, or its changes. */
export type StatePublisher = ReturnType<typeof createStatePublisher>

const noSheets: BuiltSheets = { sprites: [], atlases: [] }

/** Creates the publisher. It sends nothing yet. */
export function createStatePublisher({ workshop, shown, publish, partsOf }: StatePorts) {
  const records = createRecordReader(workshop)
  // Revisions start at the clock's time, which is above all revisions of earlier servers. So no page takes an
  // old revision for one of this server.
  let revision = workshop.host.clock.wall()
  const raise = (): number => ++revision
  const log = createStateLog(raise)
  const memo: SpriteMemo = new Map()
  /** Notes a change outside the records: prices, progress. Returns the revision of the state that shows it. */
  const announce = (): number => {
    publish({ revision: raise() })
    return revision
  }
  const look = async (request: GuardedRequest, isWhole: boolean): Promise<PanelState> => {
    const at = revision
    const [{ overview, ledger, errors }, { preview, isComplete }] = await Promise.all([
      records.read(isWhole),
      shown().catch((error: unknown) => ({ preview: { sheets: noSheets, errors: [error] }, isComplete: true })),
    ])
    const sheets = { sheets: preview.sheets, errors: [...preview.errors, ...errors] }
    const state = toPanelState({ ...partsOf(request, overview.mayBuy), ...sheets, revision: at, overview, ledger }, memo)
    const isOvertaken = revision > at
    const noted = log.note(state)
    // The page requests the missing sprites bit by bit.
    if (!isComplete || (isOvertaken && noted > at)) announce()
    // A change that this read has found is new to all other pages.
    else if (noted > at) publish({ revision: noted })
    return { ...state, revision: noted }
  }
  let looking: Promise<unknown> = Promise.resolve()
  return {
    /**
     * Notes a change. Returns the revision of the state that shows it.
     *
     * @param paths Changed files, absolute, or `atService` of the buyer.
     * @default anything may have happened
     */
    changed: (paths?: readonly string[]): number => {
      records.changed(paths)
      return announce()
    },
    announce,
    /** The states of all requests by the records, as far as they are known here. */
    overview: async (): Promise<Overview> => (await records.read(false)).overview,
    /**
     * Returns the state, or the changes since a revision.
     *
     * @param query `since`: the revision that the page knows.
     */
    state: (request: GuardedRequest, query: URLSearchParams): Promise<PanelState | PanelUpdate> => {
      const given = query.get('since') ?? ''
      const since = /^\d{1,15}$/.test(given) ? Number.parseInt(given, 10) : undefined
      // States are made one after another, so that a later one is never older.
      const run = looking.then(async () => {
        const now = await look(request, since === undefined)
        return (since === undefined ? undefined : log.since(since)) ?? now
      })
      looking = run.catch(() => undefined)
      return run
    },
  }
}
