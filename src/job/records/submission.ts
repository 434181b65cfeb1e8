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

/** A person's decision to replay, and its position among the POSTs. */
export interface ReplayDecision {
  readonly at: number
  readonly mono: number
  /** How many POSTs came before it. */
  readonly sends: number
  /** From 1. Each such decision may have led to a charge of its own. */
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
  /** The newest approval that was given or used, or the moment at which approvals were taken back. */
  readonly newest?: NewestApproval
  /**
   * The history has records that somebody else or an earlier version wrote. They can stop a POST, never lead
   * to one.
   */
  readonly isForeign?: true
  /** POSTs of the current attempt, in order. */
  readonly sends: readonly Send[]
  /** How often the share that was reserved for the current attempt has been given back. */
  readonly withdrawals?: number
  /** A person's decision to replay. */
  readonly replay?: ReplayDecision
  /** A person gave up the attempt. */
  readonly abandoned?: { readonly about: 'submission' | 'execution'; readonly approvedAt: string | null }
  readonly accepted?: RecordBodies['accepted']
  /** The question of the current execution, as it was last read. */
  readonly question?: Question
  /** The answer to it, from its freezing until the service has accepted it. */
  readonly answer?: { readonly frozen: RecordBodies['answerFrozen']; readonly sends: readonly Send[]; readonly replay?: ReplayDecision }
  /** How many answers a person gave up. Each further one needs a key of its own. */
  readonly answersAbandoned?: number
  /**
   * Attempts that a later attempt, or an execution of another machine, has replaced. A person gave each of
   * them up, or it may be charged. Their possible cost counts as spent for ever.
   */
  readonly abandonedAttempts?: readonly number[]
  /** Executions that became known after their attempt was replaced. */
  readonly strays?: readonly Stray[]
  readonly completed?: RecordBodies['completed']
  readonly failed?: RecordBodies['failed']
  readonly stored?: RecordBodies['stored']
}

/**
 * Whether an execution ended only because the account ran as many jobs as it may, and the service allows another
 * attempt. Nothing was started, so the attempt does not count as a failure.
 */
export function isTurnedAway({ status, error }: Pick<RecordBodies['failed'], 'status' | 'error'>): boolean {
  return status === 'failed' && error?.reason === 'too_many_active_jobs' && error.retryable
}

/** Whether the service certainly refused every POST, or none was sent: nothing of them can be at the service. */
export function isUnsent(sends: readonly Send[]): boolean {
  return sends.every(({ answer }) => answer.kind === 'refused')
}

/** The state before the first record. */
export const noSubmission: Submission = { attempt: 0, failures: 0, sends: [] }
