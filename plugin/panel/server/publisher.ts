import { oneByOne } from '../../../src/host/one-by-one.ts'
import type { BuiltSheets, LedgerReport, Overview, Preview, Workshop } from '../../../src/index.ts'
import type { GuardedRequest } from '../../http/guard.ts'
import type { PanelSprite, PanelState, StateEvent } from '../../protocol/protocol.ts'
import type { StateParts } from '../../protocol/state/parts.ts'
import { toOpenSprite, toPanelState } from '../../protocol/state/state.ts'
import { createRecordReader } from './ledger.ts'

/** The dependencies of a panel's state. */
export interface StatePorts {
  readonly workshop: Pick<Workshop, 'overview' | 'ledger' | 'host' | 'requests'>
  /**
   * Returns the sprites that the game shows now. Each call adds these sprites, and a few that the game has not
   * requested, until all are made.
   */
  readonly shown: (
    names: readonly string[],
  ) => Promise<{ readonly preview: Pick<Preview, 'sheets' | 'errors'>; readonly isComplete: boolean }>
  /** Notifies pages that there is a new state. */
  readonly publish: (event: StateEvent) => void
  /** Returns the current parts that are not read from records. */
  readonly partsOf: (
    request: GuardedRequest,
    mayBuy: boolean,
  ) => Omit<StateParts, 'revision' | 'open' | 'overview' | 'sheets' | 'errors' | 'ledger' | 'requests'>
}

/** Returns the panel's state. */
export type StatePublisher = ReturnType<typeof createStatePublisher>

const noSheets: BuiltSheets = { sprites: [], atlases: [] }

/** Creates the publisher. It sends nothing yet. */
export function createStatePublisher({ workshop, shown, publish, partsOf }: StatePorts) {
  const records = createRecordReader(workshop)
  // Revisions start at the clock's time, which is above all revisions of earlier servers. So no page takes an
  // old revision for one of this server.
  let revision = workshop.host.clock.wall()
  /** The last state as a text, without what differs for each page. */
  let last: { readonly revision: number; readonly text: string } | undefined
  /** Notes a change outside the records: prices, progress. Returns the revision of the state that shows it. */
  const announce = (): number => {
    publish({ revision: ++revision })
    return revision
  }
  /** Finds a change of which no file and no event has told. It is new to all other pages. */
  const findChange = (state: PanelState): number => {
    const text = JSON.stringify({ ...state, revision: 0, access: {}, open: [] })
    const isFound = last?.revision === revision && state.revision === revision && last.text !== text
    last = { revision: isFound ? announce() : state.revision, text }
    return last.revision
  }
  const look = async (request: GuardedRequest, query: URLSearchParams): Promise<PanelState> => {
    const at = revision
    const open = query.getAll('open')
    const [{ overview, ledger, errors }, requests, { preview, isComplete }] = await Promise.all([
      records.read(query.has('whole')),
      workshop.requests.list().catch(() => []),
      shown(open).catch((error: unknown) => ({ preview: { sheets: noSheets, errors: [error] }, isComplete: true })),
    ])
    const state = toPanelState({
      ...{ ...partsOf(request, overview.mayBuy), overview, ledger, requests, revision: at, open },
      ...{ sheets: preview.sheets, errors: [...preview.errors, ...errors] },
    })
    const found = findChange(state)
    // The page requests the missing sprites bit by bit.
    if (!isComplete) announce()
    return { ...state, revision: found }
  }
  const inOrder = oneByOne()
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
    /** The ledger, as far as it is known here. */
    ledger: async (): Promise<LedgerReport> => (await records.read(false)).ledger,
    /** The details of a sprite, with pictures of these sheets; `undefined` if there is no such sprite. */
    sprite: async (request: GuardedRequest, name: string, sheets: BuiltSheets): Promise<PanelSprite | undefined> => {
      const { overview, ledger } = await records.read(false)
      const parts = { ...partsOf(request, overview.mayBuy), overview, ledger, sheets, requests: [], revision, open: [], errors: [] }
      return toOpenSprite(parts, name)
    },
    /**
     * Returns the state.
     *
     * @param query `open`: names of sprites whose details are added. `whole`: all files are read again.
     */
    // States are made one after another, so that a later one is never older.
    state: (request: GuardedRequest, query: URLSearchParams): Promise<PanelState> => inOrder(() => look(request, query)),
  }
}
