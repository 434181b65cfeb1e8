/**
 * Sprites, and whatever can be paid for, as the panel is told of them; see `protocol.ts` for how.
 *
 * @module
 */

/**
 * Where something stands. See `PlanState` of the workshop. `adoptable` is `approved` by another checkout, whose turn it is; `outpriced` is `approved` under a price that holds no more:
 * nothing is sent before the new one is approved.
 */
export type PanelStanding =
  | 'bought'
  | 'lost'
  | 'approved'
  | 'adoptable'
  | 'outpriced'
  | 'running'
  | 'question'
  | 'uncertain'
  | 'failed'
  | 'missing'

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
  /** Of the request: actions that are about one purchase send it back. Missing where nobody knows at which service it would be bought. */
  readonly hash?: string
  /** The attempt that stands for it, from 1; missing where nothing was ever about to be sent. */
  readonly attempt?: number
  readonly standing: PanelStanding
  /** One plain sentence of where it stands and what is to be done. */
  readonly words: string
  /** What the animation does; of a step, its text. */
  readonly prompt: string
  /** What it would cost, by the last `quote`; missing where nothing is to be bought, or nobody has asked. Not binding. */
  readonly price?: PanelPrice
  /** The approved maximum. */
  readonly ceiling?: string
  /** Who approved it, and how, in a few words; only while it is not bought. */
  readonly approved?: string
  /** What it has cost so far in all its attempts, by the ledger. */
  readonly spent?: string
  readonly executionId?: string
  /** How far it is; only while this server or another process follows it. */
  readonly progress?: PanelProgress
  readonly question?: PanelQuestion
  readonly undecided?: PanelUndecided
}

/**
 * What a person has to decide about, by `recover`: a submission or an answer that was sent and never answered; a key under which the service knows other bytes than ours; or an
 * `execution` that it does not know any more, which can only be given up.
 */
export type PanelUndecided = 'submission' | 'answer' | 'conflict' | 'execution'

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
  /** What an answer sends back. */
  readonly id: string
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

/** A request as an earlier version of a spec made it. Its `id` is its own: `hero.walk@1a2b3c4d`. */
export interface PanelOrphan extends PanelPaid {
  /** As it was called when it was sent; another request may be called so now. */
  readonly was: string
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
