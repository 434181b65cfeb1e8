import type { AskedFields } from '../../vault/lockfile.ts'
import type { LedgerLine } from '../ledger/report.ts'

/** The pixels of one frame, untrimmed. */
export interface DisclosedPixels {
  readonly width: number
  readonly height: number
  /**
   * SHA-256, lower-case hex, of the text `WIDTH HEIGHT` with a line feed, and then straight RGBA8, row by row from the
   * top left. A pixel with alpha 0 counts as four zeros, because nobody sees its colour.
   */
  readonly sha256: string
}

/** One shipped frame. */
export interface DisclosedFrame {
  /** Its name in the game: `hero/walk/0003`. */
  readonly frame: string
  /** Index of the delivered or drawn frame. */
  readonly index: number
  /** The frame of which a free field made it, as a mirror image or a variant. */
  readonly madeOf?: string | undefined
  /** The file that replaces the delivered frame, touched up by hand. Relative to the project, with forward slashes. */
  readonly touchedUp?: string | undefined
  /** The frame as it was delivered, or as it is in the file of own art. */
  readonly delivered: DisclosedPixels
  /** The frame on its page, at the largest scale. */
  readonly shipped: DisclosedPixels
}

/** A purchase, by the lock file and the ledger. `given` is missing if the approval's signature does not show it. */
export interface DisclosedPurchase
  extends Pick<LedgerLine, 'hash' | 'executionId' | 'credits' | 'given' | 'shell' | 'result' | 'service' | 'origin'> {
  readonly asked: AskedFields
  /** When it was settled, ISO 8601; for a purchase of another checkout, when it was approved. */
  readonly at?: string | undefined
  /** Fingerprint of the approver's key, as in the lock file. */
  readonly approvedBy?: string | undefined
  readonly approvedAt?: string | undefined
}

/** An animation or a picture with the origin of its frames. */
export interface DisclosedAnimation {
  /** `hero.walk`. */
  readonly id: string
  readonly origin: 'bought' | 'drawn'
  readonly purchase?: DisclosedPurchase
  /** Bought pictures from which it was made, first one first. */
  readonly madeFrom?: readonly DisclosedPurchase[]
  /** The picture of the spec with which it begins; missing if the spec has changed since the purchase. */
  readonly picture?: string | undefined
  /** Files of own art. Paths are relative to the project, with forward slashes. */
  readonly files?: readonly string[]
  readonly frames: readonly DisclosedFrame[]
}

/** The origins of all frames that a build of the project ships. */
export interface Disclosure {
  /** Bought ones by sprite, then own art by sprite, each in the order of the spec. */
  readonly animations: readonly DisclosedAnimation[]
  /** Frames, or picture files, without an origin, and why. */
  readonly unexplained: readonly { readonly name: string; readonly why: string }[]
  /** The number of compared pictures; missing if no output folder was compared. */
  readonly compared?: number
  readonly warnings: readonly string[]
}
