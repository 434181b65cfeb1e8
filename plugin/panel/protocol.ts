/**
 * What the panel and the dev server say to each other. Types alone: the server fills them in `plugin/state.ts` and `plugin/actions.ts`, the panel draws them.
 *
 * All paths are relative to the panel's own page, `<base>__spritewright/`. Its built files lie in `dist/plugin/panel/`: `index.html`, and whatever it names by relative
 * addresses (build it with `base: './'`). The page is served under a Content-Security-Policy: scripts, styles, pictures and requests of this origin alone, `data:` and `blob:`
 * pictures besides; no inline script, no inline `<style>` (styles set by script are fine).
 *
 * | request            | what                                                                                                     |
 * | ------------------ | -------------------------------------------------------------------------------------------------------- |
 * | `GET api/state`    | {@link PanelState}. With the token's header `access.mayAct` says whether this page may act.              |
 * | `GET api/events`   | Server-sent events: `event: state` with {@link StateEvent}, `event: progress` with {@link PanelProgress}. |
 * | `GET api/frames`   | `?animation=hero.walk&take=2` (`take` may be left out): {@link PanelFrames}, all that was delivered.      |
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

/** Header of the token, in every action, and in `GET api/state` to learn whether it is right. */
export type TokenHeader = 'x-spritewright-token'

/** Everything that the panel shows. */
export interface PanelState {
  /** Of this protocol. */
  readonly version: 1
  /** Grows with every change; events name it. */
  readonly revision: number
  /** Name of the project: of its folder. */
  readonly project: string
  readonly access: PanelAccess
  readonly service: PanelService
  /** By name. Sprites whose spec is broken are missing here and stand in `errors`. */
  readonly sprites: readonly PanelSprite[]
  /** Paid steps of reference chains: those that something still to be bought needs, and those that were bought. */
  readonly steps: readonly PanelStep[]
  readonly totals: PanelTotals
  readonly ledger: PanelLedger
  /** What is wrong now, the gravest first. Gone when mended. */
  readonly errors: readonly PanelError[]
  /** Sentences for a person. */
  readonly warnings: readonly string[]
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

/** Where something stands. See `PlanState` of the workshop. `adoptable` is `approved` by another checkout, whose turn it is. */
export type PanelStanding = 'bought' | 'lost' | 'approved' | 'adoptable' | 'running' | 'question' | 'uncertain' | 'failed' | 'missing'

/** One sprite: one spec file. */
export interface PanelSprite {
  readonly name: string
  /** Its spec, from the project's root, with forward slashes. */
  readonly file: string
  /** SHA-256 of the spec file as it was read. Edits send it back; they are refused where the file has changed since. */
  readonly digest: string
  readonly prompt: string
  readonly background: 'remove' | 'keep'
  /** The reference in words: `./hero.png`, or `4 steps`. */
  readonly reference: string
  /** Name of the atlas group it is packed into by a build. */
  readonly atlas: string
  /** As the spec has it; null where frames keep the size in which they are delivered. */
  readonly size: number | { readonly width: number; readonly height: number } | null
  /** Untrimmed frame at scale 1, pixels, as it is shown now. */
  readonly frame: { readonly width: number; readonly height: number }
  /** As the spec has it; null where it has none. */
  readonly anchor: { readonly x: number; readonly y: number } | null
  readonly pixelArt: boolean
  /** Whether any of it is a placeholder. */
  readonly isPlaceholder: boolean
  /** Pages of the sprite's own dev atlas, largest scale. */
  readonly pages: readonly PanelPage[]
  /** In the order of the spec. */
  readonly animations: readonly PanelAnimation[]
}

/** One packed picture. */
export interface PanelPage {
  /** Absolute path on this server, with the hash of the content in it. */
  readonly url: string
  readonly width: number
  readonly height: number
}

/** One frame and where it lies on a page. */
export interface PanelFrame {
  /** Which delivered frame it is, from 0. */
  readonly index: number
  /** Index into `pages`. */
  readonly page: number
  /** Cut-out on the page, pixels. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Where the cut-out lies on the untrimmed frame. */
  readonly offsetX: number
  readonly offsetY: number
  /** The untrimmed frame. */
  readonly sourceWidth: number
  readonly sourceHeight: number
}

/** A paid thing, an animation or a step of a chain. */
export interface PanelPaid {
  /** `hero.walk`, or `hero#2` for a step. The name in every action. */
  readonly id: string
  readonly standing: PanelStanding
  /** One plain sentence of where it stands and what is to be done. */
  readonly words: string
  /** What the animation does; of a step, its text. */
  readonly prompt: string
  /** What it would cost, by the last `quote`; missing where nothing is to be bought, or nobody has asked. Not binding. */
  readonly price?: PanelPrice
  /** The approved maximum. */
  readonly ceiling?: string
  /** What it has cost so far in all its attempts, by the ledger. */
  readonly spent?: string
  readonly executionId?: string
  /** How far it is; only while this server or another process follows it. */
  readonly progress?: PanelProgress
  readonly question?: PanelQuestion
}

/** A price before; not binding. */
export interface PanelPrice {
  readonly credits: string
  readonly priceVersion: string
  /** As the service writes it, e.g. `0.24`. */
  readonly referenceUsd?: string
  /** "2.4 credits will be held." or, for a single picture, "1 credit will be charged on delivery." */
  readonly words: string
}

/** A question of the service. */
export interface PanelQuestion {
  readonly text: string
  /** The answer has to come with a picture. */
  readonly needsAsset: boolean
}

/** One animation. */
export interface PanelAnimation extends PanelPaid {
  /** Key in the spec: `walk`. */
  readonly name: string
  /** Frames asked for. */
  readonly frames: number
  /** Which take the spec names. */
  readonly take: number
  /** All takes that are bought, approved or under way, and the one that the spec names; ascending. */
  readonly takes: readonly PanelTake[]
  /** Paid fields that changed since the last purchase, e.g. `prompt`. */
  readonly changed: readonly string[]
  /** Defaults filled in. */
  readonly fps: number
  readonly loop: boolean
  readonly yoyo: boolean
  /** Milliseconds of each played frame; wins over `fps`. */
  readonly durations?: readonly number[]
  /** As the spec has it; missing where all delivered frames are played in their order. */
  readonly use?: readonly number[]
  /** Whether what is shown is a placeholder. */
  readonly isPlaceholder: boolean
  /** What is played: frames with their times, without the way back of a `yoyo`. Pages are the sprite's. */
  readonly played: readonly (PanelFrame & { readonly durationMs: number })[]
  /** What a person should look at. */
  readonly flags: readonly PanelFlag[]
}

/** Another go at the same request. */
export interface PanelTake {
  readonly take: number
  readonly standing: PanelStanding
  /** Whether the spec names it. */
  readonly isChosen: boolean
}

/** Something about frames that a person should look at. */
export interface PanelFlag {
  /** E.g. `jump`, `seam`, `background`, `inspect`, `shifted`; see `docs/quality.md`. */
  readonly fault: string
  /** Our own figures, or the service's `frame_review`. */
  readonly from: 'frames' | 'service'
  /** Indices of delivered frames, ascending. */
  readonly frames: readonly number[]
  /** What it is, in a few words. */
  readonly words: string
}

/** One paid step of a reference chain. */
export interface PanelStep extends PanelPaid {
  /** `text_to_image`, `image_to_image`, `background_remove`, `upscale`. */
  readonly operation: string
  /** Names of the sprites whose chain has it. */
  readonly sprites: readonly string[]
}

/** How far a purchase is. The data of `event: progress`. */
export interface PanelProgress {
  readonly id: string
  readonly phase: 'checking' | 'uploading' | 'submitting' | 'queued' | 'running' | 'waiting' | 'downloading' | 'bought' | 'failed'
  /** 0 to 1 while `running`, where the service says so. */
  readonly progress?: number
  /** The service's words, or why it waits. */
  readonly message?: string
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

/** All frames of one take, as they were delivered: `use` and `durations` left aside. */
export interface PanelFrames {
  readonly id: string
  readonly take: number
  readonly isPlaceholder: boolean
  readonly pages: readonly PanelPage[]
  /** In the order of the delivery. */
  readonly frames: readonly PanelFrame[]
  readonly flags: readonly PanelFlag[]
}
