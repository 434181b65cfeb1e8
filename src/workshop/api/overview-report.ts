import type { Credits } from '../../credit/credits.ts'
import type { SpritewrightError } from '../../errors.ts'
import type { PlanItem, PlanState, PlanStep, Quote, Standing } from '../../project/plan.ts'
import type { AnimationQuality } from '../../sheets/quality.ts'
import type { BuiltSheets } from '../../sheets/sheet.ts'
import type { FieldEdit } from '../../spec/edit/edit.ts'
import type { PaidRequest } from '../../spec/request.ts'
import type { SpriteSpec } from '../../spec/spec.ts'

/** Where everything stands, for a page that shows it all. Broken specs are left out and told. */
export interface Overview {
  /** By sprite name and in the order of the spec. */
  readonly items: readonly OverviewItem[]
  readonly steps: readonly PlanStep[]
  /** What no spec asks for any more as it is now, may have been paid, and is not here: its prompt was edited, its sprite renamed, deleted or broken. */
  readonly orphans: readonly OverviewOrphan[]
  /** Ids whose approval is not yours, or was given in another checkout: only `approve` with `adopt` takes them over. */
  readonly others: ReadonlySet<string>
  /** SHA-256 of each spec file, by its absolute path, no newer than what was read of it. */
  readonly digests: ReadonlyMap<string, string>
  readonly errors: readonly SpritewrightError[]
  readonly warnings: readonly string[]
  /** Whether anything new may be bought here: neither CI nor `build.generate: 'never'` forbids it. */
  readonly mayBuy: boolean
  readonly service: OverviewService
}

/** What is known of the service without asking it. */
export interface OverviewService {
  readonly kind: 'embedded' | 'remote' | 'none'
  readonly host?: string
  /** Whether it could be asked: an address and a key are there, or it is embedded. */
  readonly canAsk: boolean
}

/** A request as an earlier version of a spec made it. */
export interface OverviewOrphan extends Standing {
  /** As it was called when it was sent; others may have the same. */
  readonly id: string
  readonly hash: string
  /** As far as the lock file remembers it. */
  readonly request: PaidRequest
}

/** An animation with its takes. */
export interface OverviewItem extends PlanItem {
  /** Those that the lock file knows of the same request, and the one that the spec names; ascending. */
  readonly takes: readonly { readonly take: number; readonly state: PlanState }[]
}

/** What this checkout may go on with, since a person has approved it here. */
export interface PendingReport {
  readonly orders: readonly PendingPurchase[]
  /** See {@link Overview}. */
  readonly mayBuy: boolean
  /** See {@link OverviewService}. */
  readonly canAsk: boolean
}

/** An animation that is approved here and not sent, or in flight, or lost and to be fetched again. */
export interface PendingPurchase {
  /** `sprite.animation` */
  readonly id: string
  readonly state: 'approved' | 'running' | 'lost'
  /** Changes when a person has decided anew, or something has happened at the service: what failed under one mark fails again under it. */
  readonly mark: string
  /** Changes when a person approves it anew, or a step that it waits for. */
  readonly approved: string
  readonly ceiling?: Credits
}

/** Today's prices of all that is not bought, and what the account has. */
export interface PriceList {
  /** The price of a request; undefined where none of its kind was asked for. */
  of(request: PaidRequest): Quote | undefined
  readonly balance: Credits
  readonly service: { readonly host: string; readonly keyMode: 'test' | 'live' }
  /** Milliseconds since the Unix epoch. */
  readonly at: number
}

/** All frames of one take of an animation, in the order of the delivery; of a placeholder where it is not bought. */
export interface DeliveredFrames {
  readonly take: number
  /** One atlas of one animation, at scale 1. */
  readonly sheets: BuiltSheets
  readonly quality?: AnimationQuality
}

/** A change of free fields in a spec file. */
export interface SpecEditRequest {
  /** Name of the sprite. */
  readonly sprite: string
  /** SHA-256 of the file that the change was decided on. */
  readonly digest: string
  /** Says what to write, by the spec as it stands. */
  readonly edit: (spec: SpriteSpec) => readonly FieldEdit[]
}

/** A spec file that was written. */
export interface SpecEditReport {
  /** Absolute. */
  readonly file: string
  /** SHA-256 of the file now. */
  readonly digest: string
}
