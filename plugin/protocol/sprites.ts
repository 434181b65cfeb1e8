/**
 * Sprites and paid requests, as the panel receives them; see `protocol.ts` for the transport.
 *
 * @module
 */

import type { ShownState, StateFacts, StateMeaning } from '../../src/project/states.ts'

export type { ShownState }

/** A state with its words and its colour. */
export type PanelLook = Pick<StateMeaning, 'state' | 'word' | 'tone'>

/** One sprite: one spec file. */
export interface PanelSprite {
  readonly name: string
  /** Path of its spec from the project's root, with forward slashes. */
  readonly file: string
  /**
   * SHA-256 of the spec file as it was read. An edit sends this digest back. The server refuses the edit if
   * the file has changed since.
   */
  readonly digest: string
  readonly prompt: string
  readonly background: 'remove' | 'keep'
  /** The reference as a text: `./hero.png`, or `4 steps`. */
  readonly reference: string
  /** Name of the atlas group that a build packs it into. */
  readonly atlas: string
  /** As in the spec; null if frames keep their delivered size. */
  readonly size: number | { readonly width: number; readonly height: number } | { readonly figure: number } | null
  /** Size of an untrimmed frame at scale 1, in pixels, as it is shown now. */
  readonly frame: { readonly width: number; readonly height: number }
  /** As in the spec; null if it has none. */
  readonly anchor: { readonly x: number; readonly y: number } | null
  readonly pixelArt: boolean
  /** Whether any part of it is a placeholder. */
  readonly isPlaceholder: boolean
  /** Pages of the sprite's own dev atlas at its largest scale. */
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

/** One frame and its place on a page. */
export interface PanelFrame {
  /** Number of the delivered frame, from 0. */
  readonly index: number
  /** Index into `pages`. */
  readonly page: number
  /** Cut-out, in pixels: its place on the page, and its size before it is turned. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /**
   * Whether it is turned by 90° clockwise on the page, and covers `height` × `width` there.
   *
   * @default false
   */
  readonly isTurned?: boolean
  /** Place of the cut-out on the untrimmed frame. */
  readonly offsetX: number
  readonly offsetY: number
  /** Size of the untrimmed frame. */
  readonly sourceWidth: number
  readonly sourceHeight: number
}

/** A paid request: an animation or a step of a chain. */
export interface PanelPaid extends StateMeaning {
  /** `hero.walk`, or `hero#2` for a step. Every action uses this name. */
  readonly id: string
  /**
   * Request hash. Actions about one purchase send it back. Missing if the service that would sell the request
   * is unknown.
   */
  readonly hash?: string
  /** The attempt that counts, from 1; missing if nothing was ever about to be sent. */
  readonly attempt?: number
  /** One plain sentence: its state, and what to do. */
  readonly words: string
  /** Description of the animation; for a step, its text. */
  readonly prompt: string
  /**
   * Its price by the last `quote`, not binding. Missing if the request need not be bought, or if prices were
   * not requested.
   */
  readonly price?: PanelPrice
  /** The approved maximum. */
  readonly ceiling?: string
  /** Who approved it, and how, in a few words; only until it is bought. */
  readonly approved?: string
  /** Its cost so far over all attempts, by the ledger. */
  readonly spent?: string
  /** The credits that the service holds for it, by the ledger. */
  readonly held?: string
  /** When it was approved. */
  readonly approvedAt?: number
  /** When its latest attempt here ended, bought or not. */
  readonly endedAt?: number
  readonly executionId?: string
  /** Its progress; only while this server or another process watches its execution. */
  readonly progress?: PanelProgress
  readonly question?: PanelQuestion
  readonly undecided?: PanelUndecided
}

/**
 * What a person has to decide by `recover`:
 *
 * - `submission`, `answer`: it was sent, and its outcome is unknown.
 * - `conflict`: the service knows the key with other bytes.
 * - `execution`: the service does not know the execution any more. It can only be given up.
 */
export type PanelUndecided = NonNullable<StateFacts['undecided']>

/** A price before the purchase; not binding. */
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
  /** An answer sends it back. */
  readonly id: string
  readonly text: string
  /** Whether the answer must have a picture. */
  readonly needsAsset: boolean
}

/** One animation. */
export interface PanelAnimation extends PanelPaid {
  /** Key in the spec: `walk`. */
  readonly name: string
  /** Number of requested frames. */
  readonly frames: number
  /** The take that the spec names. */
  readonly take: number
  /** All takes that are bought, approved or running, and the one that the spec names; ascending. */
  readonly takes: readonly PanelTake[]
  /** Paid fields that changed since the last purchase, e.g. `prompt`. */
  readonly changed: readonly string[]
  /** With its default filled in, like `loop` and `yoyo`. */
  readonly fps: number
  readonly loop: boolean
  readonly yoyo: boolean
  /** Milliseconds of each played frame; they override `fps`. */
  readonly durations?: readonly number[]
  /** As in the spec; missing if all delivered frames are played in their order. */
  readonly use?: readonly number[]
  /** Remarks of the quality check that the spec calls meant. */
  readonly meant: readonly string[]
  /** Delivered frames that a picture touched up by hand replaces. */
  readonly touchedUp: readonly number[]
  /** Whether a placeholder is shown. */
  readonly isPlaceholder: boolean
  /** Whether the result from before a change of the animation is shown, until the new result is bought. */
  readonly isSuperseded: boolean
  /** The played frames with their times, without the way back of a `yoyo`. Their pages are the sprite's. */
  readonly played: readonly (PanelFrame & { readonly durationMs: number })[]
  /** Possible faults that a person should check. */
  readonly flags: readonly PanelFlag[]
}

/** Another result for the same request, bought beside the others. */
export interface PanelTake extends PanelLook {
  readonly take: number
  /** Whether the spec names it. */
  readonly isChosen: boolean
}

/** A possible fault of frames that a person should check. */
export interface PanelFlag {
  /** For example `jump`, `seam`, `background`, `inspect`, `shifted`; see `docs/quality.md`. */
  readonly fault: string
  /** Found by our own figures, or by the service's `frame_review`. */
  readonly from: 'frames' | 'service'
  /** Indices of delivered frames, ascending. */
  readonly frames: readonly number[]
  /** The fault in a few words. */
  readonly words: string
}

/** One paid step of a reference chain. */
export interface PanelStep extends PanelPaid {
  /** `text_to_image`, `image_to_image`, `background_remove`, `upscale`. */
  readonly operation: string
  /** Names of the sprites whose chain contains it. */
  readonly sprites: readonly string[]
}

/** A request of an earlier version of a spec. It has an `id` of its own: `hero.walk@1a2b3c4d`. */
export interface PanelOrphan extends PanelPaid {
  /** Its id when it was sent. Another request may have that id now. */
  readonly was: string
}

/** Progress of a purchase. The data of `event: progress`. */
export interface PanelProgress {
  readonly id: string
  readonly phase: 'checking' | 'uploading' | 'submitting' | 'queued' | 'running' | 'waiting' | 'downloading' | 'bought' | 'failed'
  /** 0 to 1 while `running`, if the service reports it. */
  readonly progress?: number
  /** Message of the service, or why it waits. */
  readonly message?: string
}

/** The atlas groups as a build would pack them. */
export interface PanelAtlases {
  /** Sorted by name, then by scale, largest first. */
  readonly atlases: readonly PanelAtlas[]
}

/** One atlas at one scale. */
export interface PanelAtlas {
  readonly name: string
  readonly scale: number
  /** `bytes`: size of the encoded picture. `filled`: share of its pixels that frames cover, 0 to 1. */
  readonly pages: readonly (PanelPage & { readonly bytes: number; readonly filled: number })[]
  readonly frames: readonly PanelAtlasFrame[]
}

/** One frame as it lies on its page. All coordinates are pixels of the page. */
export interface PanelAtlasFrame {
  /** `hero/walk/0000`. */
  readonly name: string
  readonly page: number
  readonly x: number
  readonly y: number
  /** Covered size, turned if the frame is. */
  readonly width: number
  readonly height: number
  readonly isTurned: boolean
  /** Corners of its outline, if the build makes outlines. */
  readonly hull?: readonly { readonly x: number; readonly y: number }[]
  /** Lines of its nine-slice: two from top to bottom, two from left to right. */
  readonly slices?: { readonly x: readonly [number, number]; readonly y: readonly [number, number] }
}

/** All frames of one take as delivered, without `use` and `durations`. */
export interface PanelFrames {
  readonly id: string
  readonly take: number
  readonly isPlaceholder: boolean
  readonly pages: readonly PanelPage[]
  /** In the order of the delivery. */
  readonly frames: readonly PanelFrame[]
  readonly flags: readonly PanelFlag[]
}
