import type { Approval } from '../../credit/approval.ts'
import type { FrameReview, PublicError, Question } from '../../service/wire.ts'
import type { ChainedRecord } from './file.ts'

/** What a record can say, by type. Money is decimal text. */
export interface RecordBodies {
  /** The bytes and the key of the next POST, decided before it. */
  readonly frozen: {
    readonly attempt: number
    readonly key: string
    readonly body: string
    readonly bodySha256: string
    readonly maxCredits: string
    readonly ceiling: string
    readonly priceVersion: string
    /** `at` of the approval it rests on: an attempt that ended needs another one. */
    readonly approvedAt: string
    /** The rest of that approval, with its signature: a replay may rest on it, also once the lock file holds another. Missing in records of earlier versions. */
    readonly approvedBy?: Pick<Approval, 'buyer' | 'given' | 'checkout' | 'publicKey' | 'signature'>
    /** The service's id of the uploaded picture in the body; missing where there is none, and in records of earlier versions. */
    readonly referenceId?: string
    /** Available credits right before, as evidence for a person; missing in records of earlier versions. */
    readonly balance?: string
  }
  /** A POST is about to leave. `send` counts the POSTs of this attempt from 1. */
  readonly sent: {
    readonly attempt: number
    readonly send: number
    /** Fingerprint of the API key, salted by the request's hash: it stays whoever builds, and says nothing across requests. */
    readonly keyTag: string
  }
  /** What was reserved for the attempt has been given back, since nothing had been sent. It takes the place of the `sent` that somebody may be about to write: who was reads again and reserves anew. */
  readonly withdrawn: { readonly attempt: number }
  /** A POST was refused by a readable answer. */
  readonly refused: { readonly attempt: number; readonly send: number; readonly status: number; readonly error: PublicError }
  /** A POST got no answer, a 5xx, or one that cannot be read. */
  readonly unknown: { readonly attempt: number; readonly send: number; readonly status: number | null; readonly message: string }
  /** The service took the submission. From here on only GET. */
  readonly accepted: {
    readonly attempt: number
    readonly executionId: string
    readonly conversationId: string | null
    /** Only where the execution was taken over from the lock file: when that was, ISO 8601. Only a later approval starts another attempt. In records of earlier versions `at` of the approval, or null. */
    readonly approvedAt?: string | null
  }
  /** The execution waits for an answer. */
  readonly asked: { readonly attempt: number; readonly executionId: string; readonly question: Question }
  /** The words and the key of an answer, decided before it is sent; one a question. */
  readonly answerFrozen: {
    readonly attempt: number
    readonly executionId: string
    readonly conversationId: string
    readonly questionId: string
    readonly key: string
    readonly text: string
    readonly assetId: string | null
    /** POSTs of earlier answers to this question, which the key counts; missing for none. */
    readonly tries?: number
  }
  /** A POST of the answer is about to leave. */
  readonly answerSent: { readonly attempt: number; readonly send: number; readonly keyTag: string }
  readonly answerRefused: { readonly attempt: number; readonly send: number; readonly status: number; readonly error: PublicError }
  readonly answerUnknown: { readonly attempt: number; readonly send: number; readonly status: number | null; readonly message: string }
  /** The service took the answer and goes on in a new execution. */
  readonly answerAccepted: { readonly attempt: number; readonly executionId: string; readonly conversationId: string | null }
  /** The execution delivered. */
  readonly completed: {
    readonly attempt: number
    readonly executionId?: string
    readonly downloadUrl: string
    readonly contentType: string | null
    /** Pixels, as the finished asset says; missing in records of earlier versions. */
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
   * What a person decided where nobody can know: `replay` sends the same bytes again whatever became of the earlier ones, `abandon` gives the attempt (or the answer) up.
   * `execution` is one that the service does not know any more.
   */
  readonly decided: {
    readonly attempt: number
    readonly about: 'submission' | 'answer' | 'execution'
    /** Which one, where it is about an execution; missing in records of earlier versions. */
    readonly executionId?: string
    readonly decision: 'replay' | 'abandon'
    /** `at` of the approval of that day: buying after giving up needs another one. */
    readonly approvedAt: string | null
  }
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
