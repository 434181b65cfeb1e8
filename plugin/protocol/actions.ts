/**
 * The actions that the panel asks the dev server for; see `protocol.ts` for the transport.
 *
 * @module
 */
import type { PanelError, PanelPaid, PanelSprite, PanelUndecided } from './protocol.ts'

/** Request and response of each action. A refusal is a {@link PanelRefusal} with a status of 400 or above. */
export interface PanelActions {
  /**
   * Asks the service for balance and prices, which is free. The panel sends this action when it is opened.
   * The server then sends an event.
   */
  readonly quote: { readonly asks: Record<string, never>; readonly answers: Done }
  /**
   * Returns what an approval would contain now, with fresh prices. The panel shows it before `approve`.
   * Writes nothing.
   */
  readonly offer: { readonly asks: OfferRequest; readonly answers: PanelOffer }
  /**
   * Approves an offer that was shown. If any part of the offer has changed since, nothing is written, and the
   * refusal contains a new `offer`. After an approval the purchase starts by itself.
   */
  readonly approve: { readonly asks: ApproveRequest; readonly answers: Done }
  /** Takes back what was approved and not used, with the steps that it needs. Returns what became of it, in words. */
  readonly revoke: { readonly asks: PaidTarget; readonly answers: Done & { readonly words: string } }
  readonly answer: { readonly asks: AnswerRequest; readonly answers: Done }
  /**
   * Writes the next number into the spec's `take`, and returns it. The take is bought once it is approved.
   */
  readonly take: { readonly asks: SpecTarget; readonly answers: Edited & { readonly take: number } }
  /** Writes a take into the spec. */
  readonly 'choose-take': { readonly asks: SpecTarget & { readonly take: number }; readonly answers: Edited }
  /**
   * Writes which delivered frames are played, and in which order; null for all. Frames that stay keep their
   * `durations`.
   */
  readonly use: { readonly asks: SpecTarget & { readonly use: readonly number[] | null }; readonly answers: Edited }
  /** Writes free fields. */
  readonly edit: { readonly asks: EditRequest; readonly answers: Edited }
  /** Writes paid fields, which makes another request. The bought animation is shown until that is bought. */
  readonly reword: { readonly asks: RewordRequest; readonly answers: Edited }
  /** Writes another animation into a spec. It is bought once it is approved. */
  readonly add: { readonly asks: AddRequest; readonly answers: Edited & { readonly id: string } }
  /** Undoes the last edit of a spec that this server made, byte for byte. */
  readonly undo: { readonly asks: { readonly sprite: string; readonly digest: string }; readonly answers: Edited }
  /** Writes a spec with one animation, and its picture. */
  readonly create: { readonly asks: CreateRequest; readonly answers: Done & { readonly id: string } }
  /**
   * Applies a decision to the part of a request that is `undecided`, and to nothing else. `replay` may buy.
   */
  readonly recover: { readonly asks: RecoverRequest; readonly answers: Done }
  /**
   * Cancels a picture that is being made; sprite executions cannot be cancelled. Returns the current status
   * at the service, because the picture may have been finished first.
   */
  readonly cancel: { readonly asks: PaidTarget; readonly answers: Done & { readonly status: string } }
}

/** The action is done. */
export interface Done {
  /** A state that shows the result has at least this revision. */
  readonly revision: number
}

/** A spec was written. */
export interface Edited extends Done {
  /** SHA-256 of the spec file after the edit. The next edit sends it, even before a new state arrives. */
  readonly digest: string
}

/** An animation whose spec file is to be written. */
export interface SpecTarget {
  /** `hero.walk`. */
  readonly id: string
  /** {@link PanelSprite.digest} of the state that the person saw. */
  readonly digest: string
}

/** The request that the person saw. The action is refused if the id names another request meanwhile. */
export interface PaidTarget {
  /** {@link PanelPaid.id}, for messages alone. */
  readonly id: string
  /** {@link PanelPaid.hash}. */
  readonly hash: string
}

/** A decision about the undecided purchase that the person saw. */
export interface RecoverRequest extends PaidTarget {
  readonly decision: 'replay' | 'abandon'
  /** {@link PanelPaid.attempt}. */
  readonly attempt: number
  /** {@link PanelPaid.undecided}. */
  readonly about: PanelUndecided
  /** {@link PanelPaid.executionId}, if the decision is about an execution or an answer. */
  readonly executionId?: string
}

/** The selection to be approved. */
export interface OfferRequest {
  /** Sprites or animations, whose steps are included; empty for everything that is missing. */
  readonly ids: readonly string[]
  /** Ceiling for each line instead of its price. */
  readonly ceiling?: string
  /** Takes over requests of another checkout, after a person has checked that it did not buy them. */
  readonly adopt?: boolean
}

/** What an approval would contain. */
export interface PanelOffer {
  /** The needed steps of chains are included. */
  readonly lines: readonly PanelOfferLine[]
  /** Sum of the prices. */
  readonly sum: string
  /** Sum of the ceilings. */
  readonly ceilings: string
  /** Available credits. */
  readonly balance: string
  /** For which service it is, if only a worker says so; missing if this machine asks the service itself. */
  readonly worker?: string
  /** Requested ids that need no approval, or cannot be approved here. */
  readonly untouched: readonly string[]
}

/** One line of an offer. */
export interface PanelOfferLine extends ApprovedLine {
  /** The prompt that is sent. */
  readonly prompt: string
  /** What a person should know before agreeing. */
  readonly warning?: string
}

/** The terms of a line that a person agrees to. */
export interface ApprovedLine {
  readonly id: string
  /**
   * Request hash. The hash of an animation changes with its prompt, its picture, and each step of its chain.
   */
  readonly hash: string
  readonly price: string
  readonly ceiling: string
}

/** The offer that the person saw and agreed to: its request, its lines and its sum. */
export interface ApproveRequest extends OfferRequest {
  readonly lines: readonly ApprovedLine[]
  readonly sum: string
}

/** An answer to a question. */
export interface AnswerRequest extends PaidTarget {
  /** `PanelQuestion.id` of the question that the person saw. */
  readonly questionId: string
  readonly text: string
  /** A PNG, JPEG or WebP picture of at most 8 MiB, in base64. */
  readonly asset?: { readonly name: string; readonly base64: string }
}

/**
 * Free fields of a sprite and its animations. A field that is left out stays. Null removes a field from the
 * spec, so that its default applies.
 */
export interface EditRequest {
  readonly sprite: string
  /** {@link PanelSprite.digest} of what the person saw. */
  readonly digest: string
  readonly size?: PanelSprite['size']
  readonly anchor?: { readonly x: number; readonly y: number } | null
  /** By their keys in the spec. */
  readonly animations?: Readonly<Record<string, AnimationEdit>>
}

/** Paid fields of a sprite and its animations. A field that is left out stays. */
export interface RewordRequest {
  readonly sprite: string
  /** {@link PanelSprite.digest} of what the person saw. */
  readonly digest: string
  readonly prompt?: string
  /**
   * A picture to begin with, in base64 as in {@link CreateRequest}. The picture is written beside the spec
   * under a new name, and the earlier picture stays.
   */
  readonly picture?: string
  /**
   * By their keys in the spec. Null removes the prompt of the animation, so only the sprite's prompt is left.
   */
  readonly animations?: Readonly<Record<string, { readonly prompt?: string | null; readonly frames?: number }>>
}

/** An animation that does not exist yet, of a sprite that does. */
export interface AddRequest {
  readonly sprite: string
  /** {@link PanelSprite.digest} of what the person saw. */
  readonly digest: string
  readonly name: string
  readonly prompt: string
  readonly frames: number
}

/** A sprite that does not exist yet. */
export interface CreateRequest {
  readonly name: string
  readonly prompt: string
  /** A PNG, JPEG or WebP picture of at most 8 MiB, in base64. */
  readonly picture: string
}

/** Free fields of one animation. */
export interface AnimationEdit {
  readonly fps?: number | null
  readonly loop?: boolean | null
  readonly yoyo?: boolean | null
  readonly durations?: readonly number[] | null
  /** Remarks of the quality check that are meant to be so. */
  readonly meant?: readonly string[] | null
}

/** Why an action was refused. */
export interface PanelRefusal {
  readonly error: PanelError
  /** The current offer, if a price or the selection has changed since it was shown. */
  readonly offer?: PanelOffer
}
