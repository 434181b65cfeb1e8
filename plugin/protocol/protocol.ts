/**
 * The protocol between the panel and the dev server. The server fills its types in
 * `plugin/panel/server/state/state.ts` and `plugin/panel/server/actions.ts`, and the panel renders them.
 *
 * The panel has an origin of its own, `plugin/panel/server/origin.ts`. All paths are relative to its page,
 * `http://127.0.0.1:PORT/NAME/`. Its built files are in `dist/plugin/panel/`: `index.html`, and the files that it names
 * by relative addresses (it is built with `base: './'`). A Content-Security-Policy limits the page to scripts, styles, pictures and requests of this
 * origin, and allows `data:` and `blob:` pictures besides. It forbids inline scripts and inline `<style>`;
 * styles that a script sets are fine.
 *
 * | request          | what                                                                                 |
 * | ---------------- | ------------------------------------------------------------------------------------ |
 * | `GET api/names`  | Names of all sprites, sorted. Known long before their states.                         |
 * | `GET api/state`  | {@link PanelState}, whole and small. With the token's header `access.mayAct` shows   |
 * |                  | if it may act. `?open=hero` adds the details of that sprite. `?whole` reads all      |
 * |                  | files again, also if nothing is known to have changed.                               |
 * | `GET api/events` | Server-sent events: `event: state` with {@link StateEvent}, `event: progress` with   |
 * |                  | `PanelProgress` of `sprites.ts`.                                                     |
 * | `GET api/sprite` | `?name=hero`: `PanelSprite` of `sprites.ts`, with its pictures made.                 |
 * | `GET api/ledger` | {@link PanelLedger}: all purchases.                                                  |
 * | `GET api/frames` | `?animation=hero.walk&take=2` (`take` is optional): `PanelFrames` of `sprites.ts`,   |
 * |                  | all delivered frames.                                                                |
 * | `GET api/atlases`| `PanelAtlases` of `sprites.ts`: the atlas groups as a build would pack them.         |
 * | `GET pages/NAME` | A packed page, by a `url` of the answers above.                                      |
 * | `POST api/NAME`  | An action: `asks` and `ActionAnswers` of `actions.ts` by NAME. JSON in, JSON out.    |
 *
 * An action needs `Content-Type: application/json` and the header {@link TokenHeader} with the token. The
 * token comes in the fragment of the address that the terminal prints, `…#token=…`. The panel removes the token from
 * the address and keeps it in `history.state`, which no other document can read. The token is never in storage, a
 * cookie or the page. All ports of a host share cookies, and another server may have the port later. Without the token
 * the panel is read-only. Links to the game get `rel="noopener"`.
 *
 * Credits are exact decimal strings ("2.4"); the server computes sums. Times are milliseconds since the Unix
 * epoch.
 *
 * @module
 */
import type { LedgerReport, LedgerSums } from '../../src/index.ts'
import type { Json, PanelOrphan, PanelSprite, PanelStep, ShownState, SpriteRow } from './sprites.ts'

export type * from './sprites.ts'

/** Header of the token. Every action sends it, and so does `GET api/state` to check it. */
export type TokenHeader = 'x-spritewright-token'

/** Everything that the panel shows. */
export interface PanelState {
  /** Version of this protocol. */
  readonly version: 1
  /** Grows with every change, and from one server to its successor. Events name it. */
  readonly revision: number
  /** Name of the project's folder. */
  readonly project: string
  /** Path of that folder from the server's working folder, with forward slashes; empty if it is that one. */
  readonly folder: string
  /** Engines that the game may use: the one of the options or the dependencies, or both if neither names one. */
  readonly engines: readonly ('phaser' | 'pixi')[]
  readonly access: PanelAccess
  readonly service: PanelService
  /** By name. A sprite with a broken spec is not here but in `errors`. */
  readonly sprites: readonly SpriteRow[]
  /** The details of the sprites that the request names in `open`. */
  readonly open: readonly PanelSprite[]
  /** Paid steps of reference chains: those that an unbought request needs, and bought ones. */
  readonly steps: readonly PanelStep[]
  /**
   * Requests that may have been paid and that no spec asks for any more. A person may decide or answer them,
   * and their results are fetched; they are never approved.
   */
  readonly orphans: readonly PanelOrphan[]
  readonly totals: PanelTotals
  /** The sums of the project's own records. */
  readonly ledger: Json<LedgerSums>
  /** Current errors, the gravest first. A fixed error is removed. */
  readonly errors: readonly PanelError[]
  /** Sentences for a person. */
  readonly warnings: readonly string[]
}

/** The permissions of this page. */
export interface PanelAccess {
  /** Whether actions are accepted from this page: it has the token, and uses an address of this server. */
  readonly mayAct: boolean
  /**
   * Whether the server accepts approvals, answers and decisions, and buys requests. This needs `mayAct`, and
   * a server that listens on loopback alone. CI and `build.generate: 'never'` forbid it. Free edits, prices
   * and offers work without this permission.
   */
  readonly mayBuy: boolean
  /** Why not, and what to do about it; empty if both are true. */
  readonly words: string
}

/** The service, as far as it was asked. It is asked only if the panel sends `quote`. */
export interface PanelService {
  /**
   * `embedded`: play money. `none`: no key or no address, see `words`. `unasked`: there is a key, but nothing
   * was asked yet.
   */
  readonly mode: 'live' | 'test' | 'embedded' | 'unasked' | 'none'
  /** Host of the service; missing if none is configured. */
  readonly host?: string | undefined
  /** Available credits, as of the last request for them. */
  readonly balance?: string | undefined
  /** Price of the animation that the action `create` writes, as of the last request, and what decides it. */
  readonly newSprite?: { readonly frames: number; readonly background: 'remove' | 'keep'; readonly credits: string } | undefined
  /** What to do if there is no key, or why the last request failed; empty if all is well. */
  readonly words: string
}

/** The data of `event: state`. A page fetches the state again if its own revision is older. */
export interface StateEvent {
  readonly revision: number
}

/** Sums over the project. */
export interface PanelTotals {
  /** Number of animations and steps in each state that occurs. */
  readonly counts: Readonly<Partial<Record<ShownState, number>>>
  /**
   * Price of everything that is not bought yet; missing if prices were not requested, or something has no
   * price.
   */
  readonly price?: string | undefined
}

/** The purchases of the project by its own records, oldest first, with their sums. */
export type PanelLedger = Json<Omit<LedgerReport, 'sprites'>>

/** An error, and what to do about it. */
export interface PanelError {
  /** A code of `docs/errors.md`. */
  readonly code: string
  /** What was expected, what was found, and what to do. */
  readonly message: string
  /** Its subject, `hero.walk`, if it is about one thing. */
  readonly id?: string
  /** Path from the project's root, with forward slashes. */
  readonly file?: string
  /** From 1. */
  readonly line?: number
  readonly column?: number
}
