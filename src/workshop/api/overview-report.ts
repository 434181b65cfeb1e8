import type { Credits } from '../../credit/credits.ts'
import type { SpritewrightError } from '../../errors.ts'
import type { PlanItem, PlanState, PlanStep, Quote, Standing } from '../../project/plan.ts'
import type { OwnAnimation } from '../../project/wanted.ts'
import type { AnimationQuality } from '../../sheets/quality.ts'
import type { BuiltSheets } from '../../sheets/sheet.ts'
import type { FieldEdit } from '../../sprite-spec/edit/edit.ts'
import type { PaidRequest } from '../../sprite-spec/request.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'

/**
 * All requests with their states, for a page that lists them. Broken specs are left out and listed in
 * `errors`.
 */
export interface Overview {
  /** By sprite name and in the order of the spec. */
  readonly items: readonly OverviewItem[]
  /** Own art, by sprite name and in the order of the source. It has no price. */
  readonly own: readonly OwnAnimation[]
  readonly steps: readonly PlanStep[]
  /**
   * Requests that may have been paid, have no result here, and that no current spec asks for. Either the
   * prompt was edited, or the sprite was renamed, deleted or is broken.
   */
  readonly orphans: readonly OverviewOrphan[]
  /** SHA-256 of each spec file, by absolute path. A digest is never newer than the content that was read. */
  readonly digests: ReadonlyMap<string, string>
  readonly errors: readonly SpritewrightError[]
  readonly warnings: readonly string[]
  /** Whether anything new may be bought here: neither CI nor `build.generate: 'never'` forbids it. */
  readonly mayBuy: boolean
  readonly service: OverviewService
}

/** Facts about the service that need no request. */
export interface OverviewService {
  readonly kind: 'embedded' | 'remote' | 'none'
  readonly host?: string
  /** Whether the service can be contacted: an address and a key are present, or it is embedded. */
  readonly canAsk: boolean
}

/** A request as an earlier version of a spec made it. */
export interface OverviewOrphan extends Standing {
  /** Its id when it was sent. Others may have the same id. */
  readonly id: string
  readonly hash: string
  /** The parts of the request that the lock file has. */
  readonly request: PaidRequest
}

/** An animation with its takes. */
export interface OverviewItem extends PlanItem {
  /** The takes of the same request in the lock file, and the take of the spec; ascending. */
  readonly takes: readonly { readonly take: number; readonly state: PlanState }[]
}

/** The pending purchases of this checkout. */
export interface PendingReport {
  readonly orders: readonly PendingPurchase[]
  /** See {@link Overview}. */
  readonly mayBuy: boolean
  /** See {@link OverviewService}. */
  readonly canAsk: boolean
}

/** A purchase that is approved here and not sent, or in flight, or lost and to be fetched again. */
export interface PendingPurchase {
  /** `sprite.animation` */
  readonly id: string
  readonly state: 'approved' | 'running' | 'lost'
  /**
   * Changes after a new decision of a person, or after an event at the service. A purchase that failed under
   * one mark would fail again under the same mark.
   */
  readonly mark: string
  /** Changes when a person approves the animation again, or a step that it needs. */
  readonly approved: string
  readonly ceiling?: Credits
}

/** Today's prices of everything that is not bought, and the account's balance. */
export interface PriceList {
  /** The price of a request; undefined if no price of its kind was requested. */
  of(request: PaidRequest): Quote | undefined
  /** The sum of prices in USD, a decimal text, not binding; `undefined` if no price has a reference. */
  usd(prices: readonly Pick<Quote, 'credits' | 'referenceUsd'>[]): string | undefined
  /** Price of the animation that `createSprite` writes, and what decides it. */
  readonly newSprite: { readonly frames: number; readonly background: 'remove' | 'keep'; readonly credits: Credits }
  readonly balance: Credits
  readonly service: { readonly host: string; readonly keyMode: 'test' | 'live' }
  /** Milliseconds since the Unix epoch. */
  readonly at: number
}

/**
 * All frames of one take of an animation, in the order of the delivery. They are a placeholder's if the take
 * is not bought.
 */
export interface DeliveredFrames {
  readonly take: number
  /** One atlas of one animation, at scale 1. */
  readonly sheets: BuiltSheets
  readonly quality?: AnimationQuality
}

/** The spec file that a person saw. */
export interface SpecFileTarget {
  /** Name of the sprite. */
  readonly sprite: string
  /** SHA-256 of the file content on which the change is based. */
  readonly digest: string
}

/** A change of free fields in a spec file. */
export interface SpecEditRequest extends SpecFileTarget {
  /** Returns the edits for the current spec. */
  readonly edit: (spec: SpriteSpec) => readonly FieldEdit[]
  /** PNG, JPEG or WebP: becomes the reference, in a new file beside the spec. The file before it stays. */
  readonly picture?: Uint8Array
}

/** A sprite that does not exist yet. */
export interface NewSpriteRequest {
  /** Its name, which is also that of its files. */
  readonly name: string
  /** What the sprite is. */
  readonly prompt: string
  /** PNG, JPEG or WebP. */
  readonly picture: Uint8Array
  /**
   * Further fields. If an animation is among them, it takes the place of the first animation, `idle`.
   *
   * @default none
   */
  readonly edits?: readonly FieldEdit[]
}

/** The files of a new sprite, absolute. */
export interface NewSprite {
  readonly file: string
  readonly picture: string
}

/** A spec file that was written. */
export interface SpecEditReport {
  /** Absolute. */
  readonly file: string
  /** SHA-256 of the file now. */
  readonly digest: string
}
