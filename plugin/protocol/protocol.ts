/**
 * What the panel and the dev server say to each other. Types alone: the server fills them in `plugin/panel/server/state/state.ts` and `plugin/panel/server/actions.ts`, the panel draws them.
 *
 * All paths are relative to the panel's own page, `<base>__spritewright/`. Its built files lie in `dist/plugin/panel/`: `index.html`, and whatever it names by relative
 * addresses (build it with `base: './'`). The page is served under a Content-Security-Policy: scripts, styles, pictures and requests of this origin alone, `data:` and `blob:`
 * pictures besides; no inline script, no inline `<style>` (styles set by script are fine).
 *
 * | request            | what                                                                                                     |
 * | ------------------ | -------------------------------------------------------------------------------------------------------- |
 * | `GET api/state`    | {@link PanelState}. With the token's header `access.mayAct` says whether this page may act.              |
 * |                    | `?since=12`: {@link PanelUpdate}, what is not as it was in that revision; all of it where nobody knows that one.    |
 * | `GET api/events`   | Server-sent events: `event: state` with {@link StateEvent}, `event: progress` with `PanelProgress` of `sprites.ts`. |
 * | `GET api/frames`   | `?animation=hero.walk&take=2` (`take` may be left out): `PanelFrames` of `sprites.ts`, all that was delivered.      |
 * | `POST api/NAME`    | An action: `PanelActions` of `actions.ts` by NAME. JSON in, JSON out.                                               |
 *
 * An action needs `Content-Type: application/json` and the header {@link TokenHeader} with the token. The token comes in the fragment of the address that the terminal prints,
 * `…/__spritewright/#token=…`. The panel takes it out of the address and keeps it in `history.state`, which no other document can read: never in storage, a cookie or the page, since the game runs on
 * the same origin, and `navigation.entries()` tells it the addresses that its tab has shown. Without it the panel is read-only. Links to the game get `rel="noopener"`.
 *
 * Credits are decimal texts ("2.4"), exact; sums come from the server. Times are milliseconds since the Unix epoch.
 *
 * @module
 */
import type { PanelOrphan, PanelSprite, PanelStanding, PanelStep } from './sprites.ts'

export type * from './sprites.ts'

/** Header of the token, in every action, and in `GET api/state` to learn whether it is right. */
export type TokenHeader = 'x-spritewright-token'

/** Everything that the panel shows. */
export interface PanelState {
  /** Of this protocol. */
  readonly version: 1
  /** Grows with every change, and from one server to the one that takes its place; events name it. */
  readonly revision: number
  /** Name of the project: of its folder. */
  readonly project: string
  readonly access: PanelAccess
  readonly service: PanelService
  /** By name. Sprites whose spec is broken are missing here and stand in `errors`. */
  readonly sprites: readonly PanelSprite[]
  /** Paid steps of reference chains: those that something still to be bought needs, and those that were bought. */
  readonly steps: readonly PanelStep[]
  /** What may have been paid and no spec asks for any more: it is decided about, answered, or fetched, and never approved. */
  readonly orphans: readonly PanelOrphan[]
  readonly totals: PanelTotals
  readonly ledger: PanelLedger
  /** What is wrong now, the gravest first. Gone when mended. */
  readonly errors: readonly PanelError[]
  /** Sentences for a person. */
  readonly warnings: readonly string[]
}

/** What of a state is told by itself. */
export type PanelParts = Omit<PanelState, 'version' | 'revision' | 'access' | 'sprites'>

/** What has changed from one state to another. Parts that are missing are as they were. */
export interface PanelUpdate extends Partial<PanelParts> {
  readonly version: 1
  readonly revision: number
  /** The revision from which it leads on. */
  readonly since: number
  readonly access: PanelAccess
  /** Those that have come or are not as they were. */
  readonly sprites: readonly PanelSprite[]
  /** Of all sprites, in their order, where some have come or gone. */
  readonly names?: readonly string[]
}

/** What this page may do. */
export interface PanelAccess {
  /** Whether actions are taken from this page: it has the token, and asks by an address of this server. */
  readonly mayAct: boolean
  /** Whether approvals, answers and decisions are taken, and bought: `mayAct`, the server listens on loopback alone, and neither CI nor `build.generate: 'never'` forbids it. Free edits, prices and offers go on without it. */
  readonly mayBuy: boolean
  /** Why not, and what to do about it; empty where both are true. */
  readonly words: string
}

/** The service as far as it was asked. Without the panel's `quote` it is not asked at all. */
export interface PanelService {
  /** `embedded`: play money; `none`: no key or no address, see `words`. `unasked`: a key is there, nothing was asked yet. */
  readonly mode: 'live' | 'test' | 'embedded' | 'unasked' | 'none'
  /** Host of the service; missing where none is configured. */
  readonly host?: string
  /** Available credits, when they were asked for last. */
  readonly balance?: string
  /** When balance and prices were asked for. */
  readonly askedAt?: number
  /** What is to be done where there is no key, or why the last question failed; empty where all is well. */
  readonly words: string
}

/** The data of `event: state`: fetch the state again where its revision is older. */
export interface StateEvent {
  readonly revision: number
}

/** Sums over the project. */
export interface PanelTotals {
  /** Animations and steps in each standing that occurs. */
  readonly counts: Readonly<Partial<Record<PanelStanding, number>>>
  /** What all that is still to be bought would cost; missing where nobody has asked, or something has no price. */
  readonly price?: string
}

/** The money of the project, by its own papers. */
export interface PanelLedger {
  readonly held: string
  readonly settled: string
  readonly restored: string
  /** Worst case of what may or may not have been bought. */
  readonly uncertain: string
  /** What other checkouts have had held or settled. */
  readonly elsewhere: string
  /** Oldest first. */
  readonly entries: readonly PanelLedgerEntry[]
}

/** One attempt and what became of its money. */
export interface PanelLedgerEntry {
  readonly id: string
  readonly attempt: number
  readonly state: 'held' | 'settled' | 'restored' | 'uncertain'
  readonly credits: string
  /** Of the last change; 0 where nobody wrote it down. */
  readonly at: number
  readonly origin: 'here' | 'elsewhere'
  /** How it was approved: `typed`, `clicked`, `unattended` or `standing`. */
  readonly given?: string
  readonly executionId?: string
  /** Settled credits of this and all entries before it, `elsewhere` left out: the chart. */
  readonly settledSoFar: string
}

/** What is wrong, and what to do. */
export interface PanelError {
  /** A code of `docs/errors.md`. */
  readonly code: string
  /** Expected what, found what, what to do. */
  readonly message: string
  /** What it is about: `hero.walk`, where it is one thing. */
  readonly id?: string
  /** From the project's root, with forward slashes. */
  readonly file?: string
  /** From 1. */
  readonly line?: number
  readonly column?: number
}
