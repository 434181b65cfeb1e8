import type { PublicError, Question } from '../../service/wire.ts'
import type { RecordBodies } from './record.ts'
import type { Stray } from './strays.ts'

/** One POST of the current attempt and what came back. */
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

/** A person's word that what was sent is to be sent again, with the place it has among the POSTs. */
export interface ReplayDecision {
  readonly at: number
  readonly mono: number
  /** How many POSTs came before it. */
  readonly sends: number
  /** From 1: each such decision may have led to a charge of its own. */
  readonly count: number
}

/** Everything the records of one request say together. */
export interface Submission {
  /** The current attempt, from 1; 0 before anything was frozen. */
  readonly attempt: number
  /** How many executions of this request have failed under the approval of the current attempt. */
  readonly failures: number
  /** Every execution that was ever accepted for this request, oldest first. */
  readonly executions?: readonly string[]
  readonly frozen?: RecordBodies['frozen']
  /** The history holds records that somebody else wrote, or an earlier version: they can stop a POST, never lead to one. */
  readonly isForeign?: true
  /** POSTs of the current attempt, in order. */
  readonly sends: readonly Send[]
  /** How often the share that was reserved for the current attempt has been given back. */
  readonly withdrawals?: number
  /** A person's decision to send again. */
  readonly replay?: ReplayDecision
  /** A person gave the attempt up. */
  readonly abandoned?: { readonly about: 'submission' | 'execution'; readonly approvedAt: string | null }
  readonly accepted?: RecordBodies['accepted']
  /** The question of the current execution, as it was last seen. */
  readonly question?: Question
  /** The answer to it, from its freezing until the service has taken it. */
  readonly answer?: { readonly frozen: RecordBodies['answerFrozen']; readonly sends: readonly Send[]; readonly replay?: ReplayDecision }
  /** How many answers a person gave up; each further one needs a key of its own. */
  readonly answersAbandoned?: number
  /** Attempts that a person gave up and others have followed: what they may have cost counts as spent for ever. */
  readonly abandonedAttempts?: readonly number[]
  /** Executions of attempts that were given up, of which an answer came later all the same. */
  readonly strays?: readonly Stray[]
  readonly completed?: RecordBodies['completed']
  readonly failed?: RecordBodies['failed']
  readonly stored?: RecordBodies['stored']
}

/** The state before the first record. */
export const noSubmission: Submission = { attempt: 0, failures: 0, sends: [] }
