import { type ApprovalVerdict, judgePrice } from '../credit/approval.ts'
import { approverWords } from '../credit/approval-words.ts'
import { creditsWords } from '../credit/credits.ts'
import type { PaidRequest } from '../sprite-spec/request.ts'
import { isStepId } from '../vault/lockfile.ts'
import type { PlanItem, PlanState, PlanStep, Standing, StandingApproval } from './plan.ts'

/**
 * A state that a person sees: a {@link PlanState}, or one of these in place of `approved`.
 *
 * - `adoptable`: its approval does not count here. `approve` with `adopt` takes the approval over.
 * - `outpriced`: its approval does not cover today's price: the price is above the ceiling, or has another
 *   version. Nothing is sent before the new price is approved.
 * - `own`: own art, which has no price.
 */
export type ShownState = PlanState | 'adoptable' | 'outpriced' | 'own'

/** The colour of a state. `none`: no decision was made yet. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'none'

/**
 * The next step of a request.
 *
 * - `nothing`: the request is bought.
 * - `build`: a build that may buy sends the request, follows its execution or fetches its result.
 * - `approve`, `adopt`: a person approves the request, or takes over an approval that does not count here.
 * - `answer`: a person answers its question.
 * - `decide`: a person decides by `recover`.
 */
export type NextStep = 'nothing' | 'build' | 'approve' | 'adopt' | 'answer' | 'decide'

/** The facts that decide the meaning of a state. A {@link Standing} has all facts from the records. */
export interface StateFacts extends Pick<Standing, 'state' | 'ceiling' | 'approval' | 'quote'> {
  /** In addition to the reasons in the records, `execution`: the service no longer knows the execution. */
  readonly undecided?: Standing['undecided'] | 'execution' | undefined
  /**
   * Whether a purchase has just stopped because of another price version.
   *
   * @default false
   */
  readonly isRefusedPrice?: boolean | undefined
}

/** The meaning of a state for a person. */
export interface StateMeaning {
  readonly state: ShownState
  /** The state in one to three words. */
  readonly word: string
  readonly tone: Tone
  readonly next: NextStep
  /** Whether a person may approve the request. A request that waits for a decision must be decided first. */
  readonly canBeApproved: boolean
  /** Whether the request has an unused approval that counts here, and that can be taken back. */
  readonly canBeRevoked: boolean
  /** Whether the request waits for a person, so that no build continues it. */
  readonly wantsPerson: boolean
}

type Look = Pick<StateMeaning, 'word' | 'tone' | 'next'>

const looks: Readonly<Record<ShownState, Look>> = {
  bought: { word: 'bought', tone: 'good', next: 'nothing' },
  lost: { word: 'result missing', tone: 'warn', next: 'build' },
  approved: { word: 'approved', tone: 'busy', next: 'build' },
  adoptable: { word: 'approved elsewhere', tone: 'warn', next: 'adopt' },
  outpriced: { word: 'price changed', tone: 'warn', next: 'approve' },
  running: { word: 'in work', tone: 'busy', next: 'build' },
  question: { word: 'question', tone: 'warn', next: 'answer' },
  uncertain: { word: 'outcome unknown', tone: 'bad', next: 'decide' },
  failed: { word: 'failed', tone: 'bad', next: 'approve' },
  missing: { word: 'not bought', tone: 'none', next: 'approve' },
  own: { word: 'own art', tone: 'good', next: 'nothing' },
}

/** The meaning of the state of own art: no step is needed. */
export const ownMeaning: StateMeaning = { ...looks.own, state: 'own', canBeApproved: false, canBeRevoked: false, wantsPerson: false }

/**
 * Returns the meaning of a request's state: what a build would do, and what a person has to do. `purchase` decides
 * the same from the same facts. Pure.
 *
 * Without a `quote`, every approval counts as covering the price.
 */
export function meaningOf(one: StateFacts): StateMeaning {
  const state = shownState(one)
  const next = one.undecided !== undefined ? 'decide' : isAdoptable(one) ? 'adopt' : looks[state].next
  const canBeApproved = next === 'approve' || next === 'adopt'
  return {
    ...looks[state],
    state,
    next,
    canBeApproved,
    canBeRevoked: state === 'approved' || state === 'outpriced',
    wantsPerson: canBeApproved || next === 'answer' || next === 'decide',
  }
}

function shownState(one: StateFacts): Exclude<ShownState, 'own'> {
  if (one.state !== 'approved') return one.state
  if (isAdoptable(one)) return 'adoptable'
  return one.isRefusedPrice || priceTrouble(one) ? 'outpriced' : 'approved'
}

/** Why the approval does not cover the price. `undefined` if it does, or if approval or price is unknown. */
function priceTrouble({ approval, ceiling, quote }: StateFacts): 'ceiling' | 'priceVersion' | undefined {
  if (!approval || ceiling === undefined || !quote) return undefined
  const verdict = judgePrice({ ...approval, ceiling }, quote)
  return verdict.fits ? undefined : verdict.why
}

/** Whether the service has no submission of the request that could still give a result. */
export function isUnsent({ state }: Pick<StateFacts, 'state'>): boolean {
  return state === 'missing' || state === 'approved' || state === 'failed'
}

/** Whether a request needs a new submission, now or after an approval. Only such a request is shown with a price. */
export function isToBuy(one: Pick<StateFacts, 'state' | 'undecided'>): boolean {
  return isUnsent(one) && one.undecided === undefined
}

/**
 * Whether a build stops for a request before anything is sent: nobody has approved it, or the build must not buy.
 *
 * @param mayBuy False under `--frozen`, `generate: 'never'` or CI.
 */
export function isBarred(one: Pick<StateFacts, 'state'>, mayBuy: boolean): boolean {
  return mayBuy ? one.state === 'missing' : isUnsent(one)
}

/** Whether a build that may buy sends a request, follows its execution or fetches its result, without a person. */
export function isForBuild<T extends StateFacts>(one: T): one is T & { readonly state: 'approved' | 'running' | 'lost' } {
  return meaningOf(one).next === 'build'
}

/** An approval that does not count here. */
export type OthersApproval = StandingApproval & { readonly verdict: Exclude<ApprovalVerdict, 'valid'> }

/**
 * Whether a request's approval does not count here, so that a build without a worker stops before it sends anything.
 * While a submission under an approval may still give a result, the approval is not judged again.
 */
export function isAdoptable<T extends StateFacts>(one: T): one is T & { readonly approval: OthersApproval } {
  return isToBuy(one) && one.approval !== undefined && one.approval.verdict !== 'valid'
}

/**
 * The state in one or two sentences, and what to do.
 *
 * @param price A sentence about the price; empty if the price is not known.
 */
export function stateSentence(
  one: StateFacts & Pick<Standing, 'note' | 'isForeign'> & { readonly id: string; readonly changed?: readonly string[] },
  price: string,
): string {
  const { id, note, ceiling, undecided, changed = [] } = one
  const limit = ceiling === undefined ? '' : ` up to ${creditsWords(ceiling)}`
  const cost = price && ` ${price}`
  switch (shownState(one)) {
    case 'bought':
      return 'Bought.'
    case 'lost':
      return `Bought, but its result is not here${note === undefined ? '. It is fetched again for free' : `: ${note}`}.`
    case 'approved':
      return `Approved${limit}, not bought yet.`
    case 'adoptable':
      return `Approved${limit}, but not by you, so it is not bought here. Take it over if you are sure that it was not bought elsewhere.`
    case 'outpriced':
      return `Approved${limit}, but the price has changed since, so nothing is sent.${cost} Approve it again at the new price.`
    case 'running':
      return note === undefined ? 'Under way at the service.' : `Under way: ${note}.`
    case 'question':
      return 'The service has a question, and waits for the answer.'
    case 'uncertain':
      if (one.isForeign)
        return 'Its journal holds records that were not written with your key, so nothing is sent because of them. Give up the purchase that they describe, then approve it again.'
      if (undecided === 'answer')
        return 'An answer was sent and never confirmed: whether it arrived is unknown. Send it again, or take it back.'
      return `Sent and never answered: whether it was bought is unknown. Send it again, or give it up; ${id} may have cost${limit}.`
    case 'failed':
      if (undecided === 'conflict')
        return 'The service has other bytes under this key: another checkout has sent its own. Until you decide, nothing is sent, with or without an approval.'
      return `Failed${note === undefined ? '' : `: ${note}`}. Nothing more is sent without a new approval.${cost}`
    case 'missing':
      return `${changed.length > 0 ? `Changed since the last purchase: ${changed.join(', ')}. ` : ''}Not bought, and needs an approval.${cost}`
  }
}

const priceWords = { ceiling: '; above its ceiling', priceVersion: '; the service has changed its prices since' } as const

/** Why an animation or a step is not bought, in a few words; empty if it is bought. */
export function whyNotBought(one: PlanItem | PlanStep): string {
  const { state, note, question } = one
  if (state === 'lost') return `bought, not here; ${note ?? 'fetched again free of charge'}`
  if (note !== undefined) return note
  if (state === 'bought') return ''
  if (state === 'question') return question ? `asks: ${question.text}` : 'waits for an answer'
  if (state === 'uncertain') return 'sent, and never answered'
  if (state === 'running') return 'the service works on it'
  const reason = approvalWords(one.approval) ?? reasonOf(one)
  if (state === 'failed') return `the last attempt failed (${reason})`
  const trouble = priceTrouble(one)
  return trouble === undefined ? reason : `${reason}${priceWords[trouble]}`
}

/** The approver and the way of giving, in words; undefined without an approval. */
function approvalWords(approval: StandingApproval | undefined): string | undefined {
  if (approval === undefined) return undefined
  const { verdict, given } = approval
  if (verdict === 'valid') return given === undefined ? 'approved' : `approved (${given})`
  const words = `approved ${approverWords(approval, verdict)}`
  if (verdict === 'given') return `${words}, which approval.accept or SPRITEWRIGHT_APPROVALS does not allow here`
  return `${words}${verdict === 'other' ? ', not by you' : ''}; take it over with approve --adopt`
}

function reasonOf(one: PlanItem | PlanStep): string {
  if ('sprites' in one) return `${one.request.operation} for ${one.sprites.join(', ')}`
  if (one.changed.length === 0) return 'first purchase'
  const changed = `${one.changed.join(', ')} changed`
  return one.superseded ? `${changed}; the earlier purchase plays on` : changed
}

/** A request without a submission at the service. */
export interface UnsentRequest extends Pick<Standing, 'state' | 'note'> {
  readonly request: PaidRequest
  /** The paid fields that changed since the last purchase. */
  readonly changed?: readonly string[]
}

/** Why a build lacks an animation or a step, in a few words. */
export function missingWords({ state, note, request, changed = [] }: UnsentRequest): string {
  if (state === 'missing' && note !== undefined) return note
  if (changed.length > 0) return `changed since the last purchase: ${changed.join(', ')}`
  if (isStepId(request.id) && state === 'missing') return `new, a step: ${request.operation}`
  return state === 'failed' ? `failed: ${note ?? ''}` : state === 'approved' ? 'approved, not bought' : 'new'
}

/**
 * `1 frame`, `2 frames`.
 *
 * @param plural For nouns whose plural is not the noun with an s.
 */
export function count(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}

/**
 * `1 animation`, `3 pictures`, `2 animations and pictures`.
 *
 * @param all The counted items. Steps among them do not count.
 */
export function countItems(number: number, all: readonly { readonly request: Pick<PaidRequest, 'operation' | 'id'> }[]): string {
  const own = all.filter(({ request }) => !isStepId(request.id))
  const pictures = own.filter(({ request }) => request.operation !== 'sprite_sheet').length
  if (pictures > 0 && pictures < own.length) return `${number} animations and pictures`
  return count(number, pictures > 0 ? 'picture' : 'animation')
}
