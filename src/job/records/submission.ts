import type { NewestApproval } from '../../credit/approval.ts'
import type { PublicError, Question } from '../../service/wire.ts'
import type { RecordBodies } from './record.ts'
import type { Stray } from './strays.ts'

/** One POST of the current attempt and its answer. */
export interface Send {
  readonly send: number
  readonly at: number
  readonly mono: number
  readonly keyTag: string
  /** `none`: the process ended before an answer was recorded. */
  readonly answer:
    | { readonly kind: 'none' }
    | { readonly kind: 'unknown'; readonly status: number | null; readonly message: string }
    | { readonly kind: 'refused'; readonly status: number; readonly error: PublicError }
}

/** A person's decision to replay, with its position among the POSTs. */
export interface ReplayDecision {
  readonly at: number
  readonly mono: number
  /** Number of POSTs before the decision. */
  readonly sends: number
  /** Number of decisions to replay, from 1. Each of them may have led to another charge. */
  readonly count: number
}

/** The state of one request, folded from its records. */
export interface Submission {
  /** The current attempt, from 1; 0 before anything was frozen. */
  readonly attempt: number
  /** How many executions of this request have failed under the approval of the current attempt. */
  readonly failures: number
  /** Every execution that was ever accepted for this request, oldest first. */
  readonly executions?: readonly string[]
  readonly frozen?: RecordBodies['frozen']
  /** The newest approval that was given or used, or the time at which approvals were taken back. */
  readonly newest?: NewestApproval
  /**
   * Set if the history has records that somebody else or an earlier version wrote. They can stop a POST, but never
   * cause one.
   */
  readonly isForeign?: true
  /** POSTs of the current attempt, in order. */
  readonly sends: readonly Send[]
  /** How often the share of the current attempt was released. */
  readonly withdrawals?: number
  /** A person's decision to replay. */
  readonly replay?: ReplayDecision
  /** A person gave up the attempt. */
  readonly abandoned?: { readonly about: 'submission' | 'execution'; readonly approvedAt: string | null }
  readonly accepted?: RecordBodies['accepted']
  /** The question of the current execution, from the last read. */
  readonly question?: Question
  /** The answer to the question, from its freezing until the service has accepted it. */
  readonly answer?: { readonly frozen: RecordBodies['answerFrozen']; readonly sends: readonly Send[]; readonly replay?: ReplayDecision }
  /** How many answers a person gave up. Each further answer needs its own key. */
  readonly answersAbandoned?: number
  /**
   * Attempts that a later attempt, or an execution of another machine, has replaced. A person gave each attempt up, or
   * it may be charged. Their possible cost counts as spent for ever.
   */
  readonly abandonedAttempts?: readonly number[]
  /** Executions that became known after their attempt was replaced. */
  readonly strays?: readonly Stray[]
  readonly completed?: RecordBodies['completed']
  readonly failed?: RecordBodies['failed']
  readonly stored?: RecordBodies['stored']
}

/**
 * Whether an execution ended only because the account had too many active jobs, and the service allows another
 * attempt. No job was started, so the attempt does not count as a failure.
 */
export function isTurnedAway({ status, error }: Pick<RecordBodies['failed'], 'status' | 'error'>): boolean {
  return status === 'failed' && error?.reason === 'too_many_active_jobs' && error.retryable
}

/** Whether no POST was sent, or the service certainly refused every POST, so that it can have no execution of them. */
export function isUnsent(sends: readonly Send[]): boolean {
  return sends.every(({ answer }) => answer.kind === 'refused')
}

/** The state before the first record. */
export const noSubmission: Submission = { attempt: 0, failures: 0, sends: [] }
