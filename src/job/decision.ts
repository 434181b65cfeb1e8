import type { PublicError } from '../service/wire.ts'
import { isTakenOver } from './records/record.ts'
import type { ReplayDecision, Send, Submission } from './records/submission.ts'

/** The next step for a request, by its records. */
export type Step =
  /** Check prices, freeze bytes if needed, send for the first time in this attempt. */
  | { readonly do: 'prepare'; readonly attempt: number }
  /** Send the recorded bytes again under the recorded key. */
  | { readonly do: 'replay'; readonly pause: 'none' | 'fault' | 'limit' | 'conflict' }
  | { readonly do: 'follow'; readonly executionId: string }
  /** Send the recorded answer to a question again, under its own key. */
  | { readonly do: 'answer'; readonly pause: 'none' | 'fault' | 'limit' | 'conflict' }
  | { readonly do: 'download'; readonly downloadUrl: string }
  | { readonly do: 'done'; readonly sha256: string }
  | { readonly do: 'stop'; readonly why: StopReason }

/** The reason why nothing more may be sent without a person's decision. */
export type StopReason =
  /** A refusal that started nothing. */
  | { readonly kind: 'refused'; readonly status: number; readonly error: PublicError }
  /** The last execution failed for good. */
  | { readonly kind: 'failed'; readonly status: string; readonly error: PublicError | null }
  /** The service knows the key with other bytes. */
  | { readonly kind: 'conflict' }
  /** A person gave up the attempt. */
  | { readonly kind: 'abandoned' }
  /** It is unknown whether something was bought, and a replay is no longer safe. */
  | { readonly kind: 'uncertain'; readonly since: number; readonly because: UncertainBecause }

/**
 * The reason why nobody can know: the submission is too old, a clock went back, the API key has changed, a
 * repetition was refused, or records are not the user's own.
 */
export type UncertainBecause = 'window' | 'clock' | 'key' | 'refused' | 'records'

/** The facts for a decision, in addition to the records. */
export interface DecisionFacts {
  /** Both clocks, in milliseconds. */
  readonly wall: number
  readonly mono: number
  /** Time after the first unanswered send in which a replay is safe, in milliseconds. */
  readonly windowMs: number
  /** Fingerprint of today's API key. */
  readonly keyTag: string
  /** `at` of today's approval. */
  readonly approvedAt: string | undefined
  /**
   * Attempt of the bytes in the lock file. Everyone who builds this commit continues from it.
   *
   * @default 1
   */
  readonly lockedAttempt?: number | undefined
}

/** Most failed executions of one approval that still allow another attempt. */
const failuresAllowed = 2

/**
 * Decides the next step. Pure: this is the recovery table.
 *
 * The replay window starts at the first unanswered send and is measured by both clocks. A clock that went
 * back counts as too old.
 */
export function decide(submission: Submission, facts: DecisionFacts): Step {
  const step = decideByRecords(submission, facts)
  const isPost = step.do === 'prepare' || step.do === 'replay' || step.do === 'answer'
  if (!isPost || !submission.isForeign) return step
  return { do: 'stop', why: { kind: 'uncertain', since: submission.sends[0]?.at ?? facts.wall, because: 'records' } }
}

function decideByRecords(submission: Submission, facts: DecisionFacts): Step {
  const { stored, completed, failed, accepted, abandoned, attempt } = submission
  if (abandoned) return isApprovedAnew(submission, facts) ? prepare(attempt + 1, facts) : { do: 'stop', why: { kind: 'abandoned' } }
  if (stored) return { do: 'done', sha256: stored.sha256 }
  if (completed) return { do: 'download', downloadUrl: completed.downloadUrl }
  if (failed) {
    // An execution that was taken over comes from the lock file, which anybody may edit. Its failure proves
    // nothing about this attempt.
    const isOurs = accepted === undefined || !isTakenOver(accepted)
    const mayTryAgain = isOurs && failed.status === 'failed' && failed.error?.retryable === true && submission.failures <= failuresAllowed
    if (isApprovedAnew(submission, facts) || mayTryAgain) return prepare(attempt + 1, facts)
    return { do: 'stop', why: { kind: 'failed', status: failed.status, error: failed.error } }
  }
  if (accepted) return decideAnswer(submission, facts) ?? { do: 'follow', executionId: accepted.executionId }
  if (!submission.frozen || submission.sends.length === 0) return prepare(attempt, facts)
  return decideSent(submission.sends, submission.replay, facts) ?? decideRefused(submission, facts)
}

/**
 * Prepares the next attempt. Its number is never below the attempt in the lock file, because others who build
 * this commit may have used the key of an earlier attempt.
 */
function prepare(attempt: number, { lockedAttempt }: DecisionFacts): Step {
  return { do: 'prepare', attempt: Math.max(attempt, lockedAttempt ?? 1, 1) }
}

/**
 * Whether today's approval is later than the approval of an attempt that ended. Each attempt needs its own
 * approval, and an older lock file may bring back an older approval.
 */
function isApprovedAnew({ frozen, accepted, abandoned }: Submission, { approvedAt }: DecisionFacts): boolean {
  const before = abandoned ? abandoned.approvedAt : (frozen?.approvedAt ?? accepted?.approvedAt)
  return approvedAt !== undefined && before !== undefined && (before === null || approvedAt > before)
}

/**
 * Decides in two cases: at least one POST may have started an execution, or a person has decided to replay.
 * POSTs before that decision no longer count. Returns `undefined` if all POSTs were certainly refused and no
 * person has decided to replay.
 */
function decideSent(sends: readonly Send[], replay: ReplayDecision | undefined, facts: DecisionFacts): Step | undefined {
  const later = replay ? sends.slice(replay.sends) : sends
  const open = later.find(isUnanswered)
  if (open) return decideUnanswered(later, open, facts)
  return replay && decideAgain(sends, later, replay, facts)
}

function isUnanswered(send: Send): boolean {
  return send.answer.kind !== 'refused'
}

/**
 * Chooses the next step after a person has decided to replay. Since then no POST was sent, or the service
 * certainly refused each POST. The decision is valid for one replay window. An unknown outcome of an earlier POST
 * stays unknown, because the refusal of a later POST proves nothing about the earlier one.
 */
function decideAgain(sends: readonly Send[], later: readonly Send[], replay: ReplayDecision, facts: DecisionFacts): Step {
  const last = later.at(-1)
  const since = sends.find(isUnanswered)?.at ?? replay.at
  const age = ageOf(replay, facts)
  if (age === undefined || age > facts.windowMs)
    return { do: 'stop', why: { kind: 'uncertain', since, because: age === undefined ? 'clock' : 'window' } }
  if (!last) return { do: 'replay', pause: 'none' }
  if (last.answer.kind === 'refused' && last.answer.status === 429) return { do: 'replay', pause: 'limit' }
  if (last.answer.kind === 'refused' && last.answer.status === 409) return decideConflict(later)
  return { do: 'stop', why: { kind: 'uncertain', since, because: 'refused' } }
}

/**
 * At least one POST may have started an execution. Only the same bytes may be sent, under the same key, and
 * only inside the window.
 */
function decideUnanswered(sends: readonly Send[], open: Send, facts: DecisionFacts): Step {
  const uncertain = (because: UncertainBecause): Step => ({
    do: 'stop',
    why: { kind: 'uncertain', since: open.at, because },
  })
  if (open.keyTag !== facts.keyTag) return uncertain('key')
  const age = ageOf(open, facts)
  if (age === undefined) return uncertain('clock')
  if (age > facts.windowMs) return uncertain('window')
  const last = sends.at(-1) ?? open
  if (last.answer.kind !== 'refused') return { do: 'replay', pause: last.answer.kind === 'none' ? 'none' : 'fault' }
  if (last.answer.status === 429) return { do: 'replay', pause: 'limit' }
  if (last.answer.status === 409) return decideConflict(sends)
  return uncertain('refused')
}

/**
 * Treats an answer that was sent and not accepted yet like a submission: the same words under the same key,
 * inside the window. After a refusal, except by a rate limit, a person has to answer again.
 */
function decideAnswer({ answer }: Submission, facts: DecisionFacts): Step | undefined {
  const sends = answer?.sends ?? []
  const step = decideSent(sends, answer?.replay, facts)
  if (step) return step.do === 'replay' ? { do: 'answer', pause: step.pause } : step
  const last = sends.at(-1)
  return last?.answer.kind === 'refused' && last.answer.status === 429 ? { do: 'answer', pause: 'limit' } : undefined
}

/** Decides if every POST was certainly refused, so that nothing exists at the service. */
function decideRefused(submission: Submission, facts: DecisionFacts): Step {
  const first = submission.sends[0]
  const last = submission.sends.at(-1)
  if (!first || last?.answer.kind !== 'refused') return prepare(submission.attempt, facts)
  const { status, error } = last.answer
  const isKeyKnown = submission.sends.some((send) => send.answer.kind === 'refused' && send.answer.status === 409)
  if (isApprovedAnew(submission, facts) && !isKeyKnown) return prepare(submission.attempt + 1, facts)
  if (status === 429) return { do: 'replay', pause: 'limit' }
  if (status === 409) {
    // The service knows the key, so it may have an execution under the key. The window applies as for an
    // unanswered send.
    const age = ageOf(first, facts)
    if (age === undefined || age > facts.windowMs) return { do: 'stop', why: { kind: 'conflict' } }
    return decideConflict(submission.sends)
  }
  if (status === 401 || status === 403) return { do: 'replay', pause: 'none' }
  // If the service knows the key and has refused a later POST, a new approval alone must not start another
  // attempt. A person has to decide.
  return { do: 'stop', why: isKeyKnown ? { kind: 'conflict' } : { kind: 'refused', status, error } }
}

/** Shortest time that every window allows between the record of a first POST and its sending, in milliseconds. */
const shortestDepartureMs = 60_000

/**
 * Whether a POST may still be sent after its record was written. A slow store or a sleeping machine may have
 * taken longer than the window, and other machines may have sent the same POST meanwhile.
 */
export function mayStillLeave({ sends, replay }: Submission, facts: DecisionFacts): boolean {
  const later = replay ? sends.slice(replay.sends) : sends
  const open = later.find(isUnanswered)
  const age = open && ageOf(open, facts)
  return age !== undefined && age <= (later.length > 1 ? facts.windowMs : Math.max(facts.windowMs, shortestDepartureMs))
}

function decideConflict(sends: readonly Send[]): Step {
  const conflicts = sends.filter((send) => send.answer.kind === 'refused' && send.answer.status === 409).length
  return conflicts < 2 ? { do: 'replay', pause: 'conflict' } : { do: 'stop', why: { kind: 'conflict' } }
}

/**
 * Age of a record in milliseconds, by the clock that shows more. Returns `undefined` if a clock went back
 * (also over a restart of the machine).
 */
function ageOf(send: { readonly at: number; readonly mono: number }, facts: DecisionFacts): number | undefined {
  const wall = facts.wall - send.at
  const mono = facts.mono - send.mono
  return wall < 0 || mono < 0 ? undefined : Math.max(wall, mono)
}
