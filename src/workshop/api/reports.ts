import type { Credits } from '../../credit/credits.ts'
import type { TouchAnswer, TouchChallenge } from '../../credit/touch.ts'
import type { SpritewrightError } from '../../errors.ts'
import type { ProgressListener } from '../../job/order.ts'
import type { ShownDecision } from '../../job/recover.ts'
import type { PlanItem, PlanStep } from '../../project/plan.ts'
import type { AnimationQuality } from '../../sheets/quality.ts'
import type { BuiltSheets } from '../../sheets/sheet.ts'
import type { PaidRequest } from '../../sprite-spec/request.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import type { BalanceEvidence } from '../ledger/report.ts'
import type { MirroredItem } from '../mirrored.ts'

/** The animations of the project with their states, and the cost of those that are not bought. */
export interface PlanReport {
  /** All animations, by sprite name and in the order of the spec. */
  readonly items: readonly PlanItem[]
  /** Sprites of own art, sorted by name: they have no price. */
  readonly own: readonly SpriteSpec[]
  /** Mirror images, which cost nothing, in the order of their sources. Missing if there are none. */
  readonly mirrored?: readonly MirroredItem[]
  /** Paid steps of reference chains: steps that a purchase still needs, and bought steps. */
  readonly steps: readonly PlanStep[]
  /** Sum of the quotes of everything that must be bought. */
  readonly total: Credits
  /** `total` in USD, a decimal text, not binding; undefined if no price has a reference. */
  readonly usd?: string | undefined
  /** Available credits; undefined if the service was not asked because nothing is missing. */
  readonly balance?: Credits
  /** The service to buy from; undefined if it was not asked. */
  readonly service?: { readonly host: string; readonly keyMode: 'test' | 'live' }
  /** The quality of the bought frames; only in the report of `status`. */
  readonly quality?: readonly AnimationQuality[]
  /** Why nothing has a price: no worker answers. The states come from the records of this machine. */
  readonly failure?: SpritewrightError
  /** Warnings as text, e.g. about another API version. */
  readonly warnings: readonly string[]
}

/** The options of `review`. */
export interface ReviewOptions {
  /**
   * Of one animation or picture: all frames of these takes, one below the other.
   *
   * @default the frames that the game plays
   */
  readonly takes?: readonly number[] | undefined
  /**
   * Limits of the picture, which then is a lossy WebP.
   *
   * @default a PNG without limits
   */
  readonly within?: { readonly sidePx: number; readonly bytes: number }
}

/** Bought frames for a person's review. */
export interface ReviewReport {
  readonly name: string
  /** Bought animations whose results are here, in the order of the picture. */
  readonly animations: readonly AnimationQuality[]
  /** Ids of the animations under that name that have no bought result here. */
  readonly missing: readonly string[]
  /** PNG or WebP: frames in rows, flagged ones with a red border, and as an onion skin. */
  readonly picture: Uint8Array
  readonly warnings: readonly string[]
}

/** A picture as a file: its path, and its bytes. */
export interface FrameFile {
  /** A bought frame has its path in the sprite's folder of overrides, with forward slashes: `walk/0003.png`. */
  readonly file: string
  readonly bytes: Uint8Array
}

/** Pictures of one changed animation, for a person who reviews the change. */
export interface PlanPictures {
  /** `hero.walk`. */
  readonly id: string
  /**
   * A WebP that plays, side by side: `before`, the last purchase before the change; `after`, the present one; and
   * `onion`, the present frames over the earlier ones in red. Missing if nothing of it is bought.
   */
  readonly change?: FrameFile & { readonly shows: readonly ('before' | 'after' | 'onion')[] }
  /** The reference, or the first picture of its chain, as it is. Only if it is not bought, and its chain begins with a picture. */
  readonly reference?: FrameFile
}

/** A ceiling that was written, or would be. */
export interface ApprovalLine {
  readonly id: string
  readonly operation: PaidRequest['operation']
  /** Request hash. The hash of a sheet also changes with each step of its chain. */
  readonly hash: string
  /** The prompt that is sent. */
  readonly prompt: string
  readonly quote: Credits
  /** `quote` in USD, a decimal text, not binding; undefined if no price has a reference. */
  readonly usd?: string | undefined
  readonly ceiling: Credits
  /** What a person should know before agreeing, e.g. that the reference is empty. */
  readonly warning?: string
}

/** The options of `approve`. */
export interface ApproveRequest {
  /** `sprite` or `sprite.animation`; empty for everything that is missing. */
  readonly names: readonly string[]
  /** Ceiling for each animation instead of its estimate. */
  readonly max?: Credits
  /** Refuses if the sum of the ceilings is above this. */
  readonly total?: Credits
  /**
   * Adopts approvals that do not count here: unsigned ones, and those of keys that the user does not trust.
   */
  readonly adopt?: boolean
  /**
   * How the person approves: by a touch of an authenticator, at a question in a terminal, by a click in the panel,
   * or without a question. The signature covers it.
   *
   * @default 'unattended'
   */
  readonly given?: 'touched' | 'typed' | 'clicked' | 'unattended'
  /**
   * Called once with every line. Nothing is written unless it returns `true`.
   *
   * @param worker Missing if this machine asked the service itself.
   */
  readonly confirm: (lines: readonly ApprovalLine[], balance: Credits, worker?: WorkerWord) => Promise<boolean>
  /** Needed for `touched`: called after `confirm`. Nothing is written unless it returns the answer of an enrolled key. */
  readonly touch?: (challenge: TouchChallenge) => Promise<TouchAnswer>
  /** Called when the approvals are in the lock file, before pictures are uploaded for their submissions. */
  readonly onWritten?: () => void
}

/** For what a worker says that it asks prices and buys. This machine cannot check it. */
export interface WorkerWord {
  /** Host of the service. */
  readonly host: string
  readonly keyMode: 'test' | 'live'
  /** Without duplicates. */
  readonly priceVersions: readonly string[]
}

/** The result of `approve`. */
export interface ApproveReport {
  readonly approved: readonly ApprovalLine[]
  /**
   * Ids that got no new approval: they are bought, have an approval that still fits, or belong to another
   * checkout.
   */
  readonly untouched: readonly string[]
  /**
   * Ids in `untouched` that are not bought and have an approval that does not count here, e.g. from another
   * checkout. Only `adopt` takes them over.
   */
  readonly others: readonly string[]
  /** Ids in `untouched` that need a person's decision first. */
  readonly undecided: readonly string[]
  /** False if `confirm` declined. */
  readonly confirmed: boolean
}

/** The options of `build`. */
export interface BuildRequest {
  /**
   * Sprites or animations. They restrict what is bought, and what must be there. The sheets are always those of
   * the whole project.
   *
   * @default all
   */
  readonly names?: readonly string[]
  /**
   * Buys nothing, and fails with `SW_MISSING` if anything would have to be bought. A bought result that is not here
   * is fetched all the same: that is free.
   */
  readonly frozen?: boolean
  /** Buys without making an atlas. */
  readonly buyOnly?: boolean
  /**
   * Buys only requests that were approved by name. Standing approvals do not count. Unapproved or broken
   * sprites are left out and do not fail the run.
   */
  readonly approvedOnly?: boolean
  /**
   * Whether the sheets are for imports, whose runtimes draw mirrored frames. The files of `write` need mirror images with
   * pixels of their own.
   *
   * @default false
   */
  readonly canMirror?: boolean
  readonly onProgress?: ProgressListener
  /** Ends the wait. Paid work continues at the service, and the next run watches it. */
  readonly signal?: AbortSignal
}

/** The result of `build`. */
export interface BuildReport {
  /** Empty with `buyOnly`. */
  readonly sheets: BuiltSheets
  /** Ids bought in this run, with their cost. */
  readonly bought: readonly { readonly id: string; readonly credits: Credits }[]
  /** Ids bought before whose results were not here, and were fetched again for free. */
  readonly fetched: readonly string[]
  /** Number of animations that were already in the vault. */
  readonly fromVault: number
  /** The account's balance before and after a run that sent something; undefined if nothing was sent. */
  readonly balance?: BalanceEvidence
  /**
   * Errors of purchases that left the build going, since `build.unbought` is `'placeholder'`: the sheets have a
   * placeholder, or the superseded art, in that place. Otherwise such errors are thrown.
   */
  readonly failures: readonly unknown[]
  readonly warnings: readonly string[]
}

/** A person's answer to an open question. */
export interface AnswerRequest {
  /** `sprite`, `sprite.animation` or `sprite#2`. */
  readonly name: string
  readonly text: string
  /** A picture, if the question requires one. */
  readonly asset?: { readonly path: string; readonly bytes: Uint8Array } | undefined
  /**
   * The exact question that the person saw. An answer to any other question is refused.
   *
   * @default the question that waits under that name
   */
  readonly shown?: { readonly hash: string; readonly questionId: string }
  /** Receives why the answer waits before it is sent. */
  readonly onProgress?: ProgressListener
}

/** A person's decision about an unknown outcome. */
export interface RecoverRequest {
  /** `sprite`, `sprite.animation` or `sprite#2`. */
  readonly name: string
  /**
   * `replay`: sends the same bytes under the same key again, whatever happened to the earlier ones.
   * `abandon`: gives the attempt up; its possible cost counts as spent.
   */
  readonly decision: 'replay' | 'abandon'
  /**
   * The exact case that the person decided, if it was shown. A decision about any other case is refused.
   *
   * @default all that is undecided under that name
   */
  readonly shown?: ShownDecision & { /** Request hash. */ readonly hash: string }
  readonly onProgress?: ProgressListener
}

/** The result of `recover`. */
export interface RecoverReport {
  readonly decided: readonly {
    readonly id: string
    /** `execution`: the service no longer knows it. */
    readonly about: 'submission' | 'answer' | 'execution'
    /** The possible cost of the attempt; missing if another machine bought it. */
    readonly ceiling?: Credits
    /** Available credits before the submission. */
    readonly balanceBefore?: Credits
  }[]
  /**
   * Available credits now; missing if the service could not be asked. The decision is written in either case.
   */
  readonly balance?: Credits
  /** The purchases of a replay. */
  readonly bought: readonly { readonly id: string; readonly credits: Credits }[]
}

/** One check of `doctor`. */
export interface DoctorFinding {
  readonly check: string
  readonly verdict: 'good' | 'warning' | 'bad'
  readonly found: string
  /** The action to take; empty if the verdict is good. */
  readonly advice: string
}

/** The options of `doctor --contract`. */
export interface ContractRequest {
  /**
   * The most credits that one execution may cost, which the remaining checks need. Without it nothing is
   * submitted.
   */
  readonly spend?: Credits
  /** Called before each check. */
  readonly onCheck?: (check: { readonly clause: string; readonly title: string }) => void
}

/** A clause of the interface with the result of its check. */
export interface ContractFinding {
  /** `C1` to `C42`, or `N1` and so on for an assumption. */
  readonly clause: string
  readonly title: string
  /** `not checked`: the suite has no check for it, or none without spending. */
  readonly verdict: 'kept' | 'broken' | 'not checkable' | 'not checked'
  readonly words: string
  /** Part of `service.profile` to change; empty if that would not help. */
  readonly profilePart: string
}

/** The sprites that a dev server shows. */
export interface Preview {
  /** All valid specs, sorted by name. An unchanged spec is the same object as before. */
  readonly specs: readonly SpriteSpec[]
  /** One atlas for each sprite that was asked for and could be made. */
  readonly sheets: BuiltSheets
  /**
   * Faults of specs, and of references, results and overrides of the sprites that were asked for. Each names
   * its file.
   */
  readonly errors: readonly SpritewrightError[]
}
