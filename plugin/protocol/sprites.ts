/**
 * Sprites and paid requests, as the panel receives them; see `protocol.ts` for the transport.
 *
 * @module
 */

import type { AnimationQuality, BuiltAtlas, BuiltPage, JobProgress, OverviewItem, PlanStep } from '../../src/index.ts'
import type { ShownState, StateFacts, StateMeaning } from '../../src/project/states.ts'

type Spec = OverviewItem['spec']
type Question = NonNullable<OverviewItem['question']>
type Quote = NonNullable<OverviewItem['quote']>

export type { ShownState }

/** The JSON form of a value: credits are decimal strings. */
export type Json<T> = T extends bigint
  ? string
  : T extends readonly (infer One)[]
    ? readonly Json<One>[]
    : T extends object
      ? { readonly [Key in keyof T]: Json<T[Key]> }
      : T

/** A state with its words and its colour. */
export type PanelLook = Pick<StateMeaning, 'state' | 'word' | 'tone'>

/** One sprite in the list. */
export interface SpriteRow extends Pick<Spec, 'name' | 'background'> {
  /** Path of its spec from the project's root, with forward slashes. */
  readonly file: string
  /**
   * SHA-256 of the spec file as it was read. An edit sends this digest back. The server refuses the edit if
   * the file has changed since.
   */
  readonly digest: string
  /** Changes when its pages do; empty until they are made. */
  readonly art: string
  /** In the order of the spec. */
  readonly animations: readonly AnimationRow[]
}

/** One animation in the list: what decides its place, its state and its price. */
export interface AnimationRow extends RequestRow, Pick<PanelAnimation, 'name' | 'take' | 'frames' | 'isPlaceholder' | 'isSuperseded'> {
  /** Number of possible faults that a person should check. */
  readonly faults: number
}

/** A paid request in the list. */
export type RequestRow = StateMeaning &
  Pick<PanelPaid, 'id' | 'price' | 'ceiling' | 'spent' | 'held' | 'approvedAt' | 'endedAt' | 'progress'>

/** One sprite with all its details: one spec file. */
export interface PanelSprite extends Omit<SpriteRow, 'animations'>, Pick<Spec, 'prompt' | 'atlas' | 'pixelArt'> {
  /** The reference as a text: `./hero.png`, or `4 steps`. */
  readonly reference: string
  /** As in the spec; null if frames keep their delivered size. */
  readonly size: number | { readonly width: number; readonly height: number } | { readonly figure: number } | null
  /** Size of an untrimmed frame at scale 1, in pixels, as it is shown now. */
  readonly frame: { readonly width: number; readonly height: number }
  /** As in the spec; null if it has none. */
  readonly anchor: { readonly x: number; readonly y: number } | null
  /** Whether any part of it is a placeholder. */
  readonly isPlaceholder: boolean
  /** Pages of the sprite's own dev atlas at its largest scale. */
  readonly pages: readonly PanelPage[]
  /** In the order of the spec. */
  readonly animations: readonly PanelAnimation[]
}

/** One packed picture. */
export interface PanelPage extends Pick<BuiltPage, 'width' | 'height'> {
  /** Absolute path on this server, with the hash of the content in it. */
  readonly url: string
}

/** One frame and its place on a page of {@link PanelSprite.pages} or {@link PanelFrames.pages}. */
export interface PanelFrame extends Omit<BuiltAtlas['frames'][number], 'name' | 'anchor' | 'borders' | 'hull'> {
  /** Number of the delivered frame, from 0. */
  readonly index: number
}

/** A paid request: an animation or a step of a chain. */
export interface PanelPaid extends StateMeaning {
  /** `hero.walk`, or `hero#2` for a step. Every action uses this name. */
  readonly id: string
  /**
   * Request hash. Actions about one purchase send it back. Missing if the service that would sell the request
   * is unknown.
   */
  readonly hash?: string | undefined
  /** The attempt that counts, from 1; missing if nothing was ever about to be sent. */
  readonly attempt?: number | undefined
  /** One plain sentence: its state, and what to do. */
  readonly words: string
  /** Description of the animation; for a step, its text. */
  readonly prompt: string
  /**
   * Its price by the last `quote`, not binding. Missing if the request need not be bought, or if prices were
   * not requested.
   */
  readonly price?: PanelPrice | undefined
  /** The approved maximum. */
  readonly ceiling?: string | undefined
  /** Who approved it, and how, in a few words; only until it is bought. */
  readonly approved?: string | undefined
  /** Its cost so far over all attempts, by the ledger. */
  readonly spent?: string | undefined
  /** The credits that the service holds for it, by the ledger. */
  readonly held?: string | undefined
  /** When it was approved. */
  readonly approvedAt?: number | undefined
  /** When its latest attempt here ended, bought or not. */
  readonly endedAt?: number | undefined
  readonly executionId?: string | undefined
  /** Its progress; only while this server or another process watches its execution. */
  readonly progress?: PanelProgress | undefined
  readonly question?: Question | undefined
  readonly undecided?: PanelUndecided | undefined
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
export interface PanelPrice extends Omit<Quote, 'credits'> {
  readonly credits: string
  /** "2.4 credits will be held." or, for a single picture, "1 credit will be charged on delivery." */
  readonly words: string
}

/** One animation, with the fields of its spec. */
export interface PanelAnimation extends PanelPaid, Omit<OverviewItem['animation'], 'meant' | 'options' | 'steps'> {
  /** All takes that are bought, approved or running, and the one that the spec names; ascending. */
  readonly takes: readonly PanelTake[]
  /** Paid fields that changed since the last purchase, e.g. `prompt`. */
  readonly changed: readonly string[]
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
export type PanelFlag = AnimationQuality['flags'][number]

/** One paid step of a reference chain. */
export interface PanelStep extends PanelPaid, Pick<PlanStep, 'sprites' | 'ids'> {
  /** `text_to_image`, `image_to_image`, `background_remove`, `upscale`. */
  readonly operation: string
}

/** A request of an earlier version of a spec. It has an `id` of its own: `hero.walk@1a2b3c4d`. */
export interface PanelOrphan extends PanelPaid {
  /** Its id when it was sent. Another request may have that id now. */
  readonly was: string
}

/** Progress of a purchase. The data of `event: progress`. */
export type PanelProgress = Omit<JobProgress, 'held' | 'settled'>

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
