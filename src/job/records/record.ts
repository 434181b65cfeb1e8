import type { Approval } from '../../credit/approval.ts'
import type { FrameReview, PublicError, Question } from '../../service/wire.ts'
import type { ChainedRecord } from './file.ts'

/** Where a person's decision was given. */
export interface InShell {
  /** In the shell of a coding agent, by its environment. Missing elsewhere, and in records of earlier versions. */
  readonly shell?: 'agent'
}

/** The body of a record, by type. Amounts of money are decimal texts. */
export interface RecordBodies {
  /** An approval was given at the time `at`. After this record, no earlier approval starts a submission. */
  readonly approved: { readonly attempt: number; readonly at: string } & InShell
  /** Every approval until this time was taken back. */
  readonly revoked: { readonly attempt: number; readonly at: string }
  /** The bytes and the key of the next POST, fixed before it. */
  readonly frozen: {
    readonly attempt: number
    readonly key: string
    readonly body: string
    readonly bodySha256: string
    readonly maxCredits: string
    readonly ceiling: string
    readonly priceVersion: string
    /** `at` of the approval for this attempt. After an attempt has ended, the next attempt needs another approval. */
    readonly approvedAt: string
    /**
     * The other fields of this approval, with its signature. A replay may rely on this approval, even if the lock file
     * has another one by then. Missing in records of earlier versions.
     */
    readonly approvedBy?: Pick<Approval, 'buyer' | 'given' | 'checkout' | 'project' | 'expires' | 'publicKey' | 'signature' | 'touch'>
    /**
     * The service's id of the uploaded picture in the body. Missing if the body has no picture, and in records of
     * earlier versions.
     */
    readonly referenceId?: string
    /** Available credits right before, as evidence for a person. Missing in records of earlier versions. */
    readonly balance?: string
  }
  /** A POST is about to be sent. `send` counts the POSTs of this attempt from 1. */
  readonly sent: {
    readonly attempt: number
    readonly send: number
    /**
     * Fingerprint of the API key, salted by the request's hash. It is the same on all machines, and cannot be compared
     * across requests.
     */
    readonly keyTag: string
  }
  /**
   * The share of the attempt was released, since nothing had been sent. This record takes the number of a `sent` that
   * another process may be about to write. That process then reads again and reserves again.
   */
  readonly withdrawn: { readonly attempt: number }
  /** A POST was refused by a readable answer. */
  readonly refused: { readonly attempt: number; readonly send: number; readonly status: number; readonly error: PublicError }
  /** A POST got no answer, a 5xx, or an answer that cannot be read. */
  readonly unknown: { readonly attempt: number; readonly send: number; readonly status: number | null; readonly message: string }
  /** The service accepted the submission. After this record, only GET requests are sent for it. */
  readonly accepted: {
    readonly attempt: number
    readonly executionId: string
    readonly conversationId: string | null
    /**
     * Present only if the execution was taken over from the lock file: the time of this takeover, ISO 8601. Only a
     * later approval starts another attempt. In records of earlier versions it is `at` of the approval, or `null`.
     */
    readonly approvedAt?: string | null
  }
  /** The execution waits for an answer. */
  readonly asked: { readonly attempt: number; readonly executionId: string; readonly question: Question }
  /** The words and the key of an answer, fixed before it is sent; one record for each question. */
  readonly answerFrozen: {
    readonly attempt: number
    readonly executionId: string
    readonly conversationId: string
    readonly questionId: string
    readonly key: string
    readonly text: string
    readonly assetId: string | null
    /**
     * Number of POSTs of earlier answers to this question, which is part of the key. Missing if there are
     * none.
     */
    readonly tries?: number
  }
  /** A POST of the answer is about to be sent. */
  readonly answerSent: { readonly attempt: number; readonly send: number; readonly keyTag: string }
  readonly answerRefused: { readonly attempt: number; readonly send: number; readonly status: number; readonly error: PublicError }
  readonly answerUnknown: { readonly attempt: number; readonly send: number; readonly status: number | null; readonly message: string }
  /** The service accepted the answer and continues in a new execution. */
  readonly answerAccepted: { readonly attempt: number; readonly executionId: string; readonly conversationId: string | null }
  /** The execution delivered its result. */
  readonly completed: {
    readonly attempt: number
    readonly executionId?: string
    readonly downloadUrl: string
    readonly contentType: string | null
    /** Width in pixels, from the finished asset. Missing in records of earlier versions. */
    readonly width?: number | null
    readonly height?: number | null
    readonly review: FrameReview | null
  }
  /** The execution failed or was cancelled; its hold is restored. */
  readonly failed: {
    readonly attempt: number
    readonly executionId?: string
    readonly status: string
    readonly error: PublicError | null
  }
  /**
   * A person's decision about an unknown outcome.
   *
   * - `replay` sends the same bytes again, although earlier POSTs may have been charged.
   * - `abandon` gives up the attempt, or the answer.
   *
   * `about: 'execution'` means an execution that the service no longer knows.
   */
  readonly decided: {
    readonly attempt: number
    readonly about: 'submission' | 'answer' | 'execution'
    /** The execution, if the decision is about an execution. Missing in records of earlier versions. */
    readonly executionId?: string
    readonly decision: 'replay' | 'abandon'
    /** `at` of the approval at the time of the decision. A purchase after giving up needs another approval. */
    readonly approvedAt: string | null
  } & InShell
  /** The result's bytes are in the vault. */
  readonly stored: { readonly attempt: number; readonly executionId?: string; readonly sha256: string; readonly bytes: number }
}

export type RecordType = keyof RecordBodies

/** One record of a submission's journal. */
export type JournalRecord = {
  readonly [T in RecordType]: ChainedRecord & { readonly type: T; readonly body: RecordBodies[T] }
}[RecordType]

/** Whether an execution was taken over from the lock file, and is no answer to a POST of this checkout. */
export function isTakenOver({ approvedAt }: Pick<RecordBodies['accepted'], 'approvedAt'>): boolean {
  return approvedAt !== undefined
}
