/**
 * What the panel asks the dev server to do; see `protocol.ts` for how.
 *
 * @module
 */
import type { PanelError, PanelPaid, PanelSprite, PanelUndecided } from './protocol.ts'

/** What an action asks and answers. A refusal is a {@link PanelRefusal} with a status of 400 or above. */
export interface PanelActions {
  /** Asks the service for balance and prices; the panel does so when it is opened. Free. Then comes an event. */
  readonly quote: { readonly asks: Record<string, never>; readonly answers: Done }
  /** What an approval would hold right now, asked freshly; what is shown before `approve`. Writes nothing. */
  readonly offer: { readonly asks: OfferRequest; readonly answers: PanelOffer }
  /** Approves what an offer showed. Where anything of it has changed since, nothing is written, and the refusal brings a new `offer`. Buying starts by itself. */
  readonly approve: { readonly asks: ApproveRequest; readonly answers: Done }
  readonly answer: { readonly asks: AnswerRequest; readonly answers: Done }
  /** Writes the next number into the spec's `take`; it is bought once it is approved. Answers which. */
  readonly take: { readonly asks: SpecTarget; readonly answers: Edited & { readonly take: number } }
  /** Writes a take into the spec. */
  readonly 'choose-take': { readonly asks: SpecTarget & { readonly take: number }; readonly answers: Edited }
  /** Writes which delivered frames are played, in which order; null for all. `durations` are kept for the frames that stay. */
  readonly use: { readonly asks: SpecTarget & { readonly use: readonly number[] | null }; readonly answers: Edited }
  /** Writes free fields. */
  readonly edit: { readonly asks: EditRequest; readonly answers: Edited }
  /** Decides about what is `undecided`: about that alone. `replay` may buy. */
  readonly recover: { readonly asks: RecoverRequest; readonly answers: Done }
  /** Cancels a picture that is being made; sprite executions cannot be cancelled. Answers what the service says of it now: it may have been finished first. */
  readonly cancel: { readonly asks: PaidTarget; readonly answers: Done & { readonly status: string } }
}

/** It is done. */
export interface Done {
  /** The state that shows it has at least this revision. */
  readonly revision: number
}

/** A spec was written. */
export interface Edited extends Done {
  /** SHA-256 of the spec file now: what the next edit sends, also before a new state is here. */
  readonly digest: string
}

/** An animation of a spec file that is to be written. */
export interface SpecTarget {
  /** `hero.walk`. */
  readonly id: string
  /** {@link PanelSprite.digest} of what the person saw. */
  readonly digest: string
}

/** The very request that the person saw: where it is another one by now, the action is refused. */
export interface PaidTarget {
  /** {@link PanelPaid.id}, for words alone. */
  readonly id: string
  /** {@link PanelPaid.hash}. */
  readonly hash: string
}

/** A decision about the one thing that the person saw as undecided. */
export interface RecoverRequest extends PaidTarget {
  readonly decision: 'replay' | 'abandon'
  /** {@link PanelPaid.attempt}. */
  readonly attempt: number
  /** {@link PanelPaid.undecided}. */
  readonly about: PanelUndecided
  /** {@link PanelPaid.executionId}, where it is about an execution or an answer. */
  readonly executionId?: string
}

/** What is to be approved. */
export interface OfferRequest {
  /** Sprites or animations, whose steps come with them; empty for everything that is missing. */
  readonly ids: readonly string[]
  /** Ceiling for each instead of its price. */
  readonly ceiling?: string
  /** Takes over what another checkout was to buy, after a person has made sure that it was not bought there. */
  readonly adopt?: boolean
}

/** What an approval would hold. */
export interface PanelOffer {
  /** Steps of chains that are needed are among them. */
  readonly lines: readonly PanelOfferLine[]
  /** Sum of the prices. */
  readonly sum: string
  /** Sum of the ceilings. */
  readonly ceilings: string
  /** Available credits. */
  readonly balance: string
  /** "4.8 credits will be held for 2 animations; at most 6 may be spent. 120 are available." */
  readonly words: string
  /** Ids that were asked for and need no approval, or may not get one from here. */
  readonly untouched: readonly string[]
}

/** One line of an offer. */
export interface PanelOfferLine extends ApprovedLine {
  /** The words that are sent. */
  readonly prompt: string
}

/** What of a line is agreed to. */
export interface ApprovedLine {
  readonly id: string
  /** Of the request; that of a sheet changes with its words, its picture, and each step of its chain. */
  readonly hash: string
  readonly price: string
  readonly ceiling: string
}

/** What the person saw and agreed to: the request of an offer, with its lines and its sum. */
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

/** Free fields of a sprite and its animations. A field that is left out stays; null takes it out of the spec, so that its default holds. */
export interface EditRequest {
  readonly sprite: string
  /** {@link PanelSprite.digest} of what the person saw. */
  readonly digest: string
  readonly size?: number | { readonly width: number; readonly height: number } | null
  readonly anchor?: { readonly x: number; readonly y: number } | null
  /** By their keys in the spec. */
  readonly animations?: Readonly<Record<string, AnimationEdit>>
}

/** Free fields of one animation. */
export interface AnimationEdit {
  readonly fps?: number | null
  readonly loop?: boolean | null
  readonly yoyo?: boolean | null
  readonly durations?: readonly number[] | null
}

/** Why an action was not taken. */
export interface PanelRefusal {
  readonly error: PanelError
  /** Where a price or what is to be bought has changed since it was shown: how it is now. */
  readonly offer?: PanelOffer
}
