import type { Reason } from '../reasons.ts'

/** Operations of the service's interface. */
export type Operation = 'text_to_image' | 'image_to_image' | 'background_remove' | 'upscale' | 'sprite_sheet'

/** All of {@link Operation}, in the interface's order. */
export const operations: readonly Operation[] = ['text_to_image', 'image_to_image', 'background_remove', 'upscale', 'sprite_sheet']

/** A public failure of an execution. */
export interface Failure {
  readonly reason: Reason
  readonly message: string
  readonly retryable: boolean
}

/**
 * An account. Its credits are never stored: they are granted − settled − held, summed over its executions.
 */
export interface AccountRecord {
  readonly id: string
  readonly name: string
  /** All credits ever given, a decimal text. */
  readonly granted: string
  readonly operations: readonly Operation[]
}

/** A key. The store has only the SHA-256 of its text. */
export interface KeyRecord {
  readonly hash: string
  readonly accountId: string
  readonly mode: 'test' | 'live'
  readonly isRevoked: boolean
}

/** An uploaded reference picture. */
export interface UploadRecord {
  readonly id: string
  readonly accountId: string
  /** SHA-256 of its bytes. */
  readonly sha256: string
  readonly contentType: string
  readonly width: number
  readonly height: number
  readonly bytes: number
}

/** The request of a sprite. */
export interface SheetRequest {
  readonly operation: 'sprite_sheet'
  readonly prompt: string
  readonly referenceId: string
  readonly frames: number
  readonly background: 'remove' | 'keep'
  /** Decimal text. */
  readonly maxCredits: string
}

/** The request of an image. */
export interface ImageRequest {
  readonly operation: Exclude<Operation, 'sprite_sheet'>
  readonly prompt: string
  /** Null for `text_to_image`, which takes no picture. */
  readonly referenceId: string | null
}

/** The request of an execution. */
export type ExecutionRequest = SheetRequest | ImageRequest

/** A question that an execution asks. */
export interface QuestionRecord {
  readonly id: string
  readonly text: string
  readonly requiresAsset: boolean
}

/** An answer to a question. It belongs to the execution that it started. */
export interface AnswerRecord {
  readonly text: string
  /** The picture that came with the answer. */
  readonly referenceId: string | null
}

/** The service's review of delivered frames. Indices start at 0. */
export interface ReviewRecord {
  readonly frameCount: number
  readonly background: 'remove' | 'keep'
  readonly keptBackgroundFrames: readonly number[]
  readonly inspectionFrames: readonly number[]
  readonly sourceShiftedFrames: readonly number[]
}

/** A finished file. */
export interface DeliveryRecord {
  readonly assetId: string
  readonly sha256: string
  readonly contentType: string
  /** Size of the picture in pixels; for a ZIP, size of its sheet. */
  readonly width: number
  readonly height: number
  /** Null for an image. */
  readonly review: ReviewRecord | null
}

/** Execution states of the interface. */
export type Status = 'needs_input' | 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

/**
 * An execution. `money` changes in the same commit as the status.
 *
 * - A sprite: none → held → settled | restored. An answer moves the hold: `moved` here, `held` in the
 *   execution that follows.
 * - An image: none → due → settled | none. An image is charged on delivery, so its price is not held and the
 *   balance still shows it. But no other execution can start with it, so a delivered image can always be
 *   paid.
 */
export interface ExecutionRecord {
  readonly id: string
  readonly conversationId: string
  readonly accountId: string
  readonly jobId: string
  /** Id of the HTTP request that submitted it, shown in `sanitized_error`. */
  readonly requestId: string
  /** SHA-256 of the submitted body; if an answer started the execution, of the answer's body. */
  readonly bodySha256: string
  readonly request: ExecutionRequest
  /** All answers so far, oldest first. */
  readonly answers: readonly AnswerRecord[]
  /** The price at submission, a decimal text. It is held and charged. */
  readonly price: string
  readonly money: 'none' | 'held' | 'due' | 'settled' | 'restored' | 'moved'
  readonly status: Status
  /** Whether {@link failure} came from admission (no job started) or from the job. */
  readonly failedAt: 'admission' | 'job' | null
  readonly failure: Failure | null
  readonly delivery: DeliveryRecord | null
  /** The question that it asked, even if it is answered. */
  readonly question: QuestionRecord | null
  /** The execution that the answer started. */
  readonly followedBy: string | null
  /** Whether its conversation was deleted. Clients can no longer reach it, but its charge still counts. */
  readonly isDeleted: boolean
  /** Number of events so far. They are stored under `<execution>/<number>`, from 1. */
  readonly events: number
}

/** The execution that was accepted under an `Idempotency-Key`. */
export interface IdempotencyRecord {
  readonly bodySha256: string
  readonly executionId: string
  /** Wall clock, milliseconds since the Unix epoch. */
  readonly atMs: number
}

/** Event kinds of the interface. */
export type EventKind = 'started' | 'thinking' | 'progress' | 'job' | 'question' | 'asset' | 'done'

/** One event of an execution. */
export interface EventRecord {
  readonly kind: EventKind
  readonly status: Status
  /** 0 to 1. */
  readonly progress: number | null
  readonly message: string | null
  readonly failure: Failure | null
}

/** The records of the service, by kind. */
export interface Tables {
  /** One secret, `signing`, hexadecimal: it signs asset links. */
  readonly secret: { readonly value: string }
  readonly account: AccountRecord
  /** By hash. */
  readonly key: KeyRecord
  readonly upload: UploadRecord
  readonly execution: ExecutionRecord
  /** By `<account> <idempotency key>`. */
  readonly idempotency: IdempotencyRecord
  /** By `<execution>/<number>`. */
  readonly event: EventRecord
}

/** One record to store. It replaces an earlier one of the same kind and id. */
export type Put = { [Kind in keyof Tables]: readonly [kind: Kind, id: string, value: Tables[Kind]] }[keyof Tables]
