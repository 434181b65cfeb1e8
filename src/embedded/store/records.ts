/** Operations that the service's interface names. */
export type Operation = 'text_to_image' | 'image_to_image' | 'background_remove' | 'upscale' | 'sprite_sheet'

/** All of {@link Operation}, in the interface's order. */
export const operations: readonly Operation[] = ['text_to_image', 'image_to_image', 'background_remove', 'upscale', 'sprite_sheet']

/** The public error reasons of the interface, in its order. */
export const reasons = [
  'invalid_request',
  'authentication_failed',
  'access_denied',
  'resource_not_found',
  'insufficient_credits',
  'conflict',
  'too_many_active_jobs',
  'rate_limited',
  'quota_exceeded',
  'content_refused',
  'temporarily_unavailable',
  'generation_failed',
  'insufficient_frames',
  'prompt_policy_blocked',
  'feature_unavailable',
] as const

/** One of {@link reasons}. */
export type Reason = (typeof reasons)[number]

/** A public failure of an execution. */
export interface Failure {
  readonly reason: Reason
  readonly message: string
  readonly retryable: boolean
}

/** An account. What it has left is never stored: it is granted − settled − held, summed over its executions. */
export interface AccountRecord {
  readonly id: string
  readonly name: string
  /** Decimal text: all credits ever given. */
  readonly granted: string
  readonly operations: readonly Operation[]
}

/** A key, known by the SHA-256 of its text only. */
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

/** What a sprite submission asks for. */
export interface SheetRequest {
  readonly operation: 'sprite_sheet'
  readonly prompt: string
  readonly referenceId: string
  readonly frames: number
  readonly background: 'remove' | 'keep'
  /** Decimal text. */
  readonly maxCredits: string
}

/** What an image submission asks for. */
export interface ImageRequest {
  readonly operation: Exclude<Operation, 'sprite_sheet'>
  readonly prompt: string
  /** Null for `text_to_image`, which takes none. */
  readonly referenceId: string | null
}

/** What an execution is to make. */
export type ExecutionRequest = SheetRequest | ImageRequest

/** A question of an execution. */
export interface QuestionRecord {
  readonly id: string
  readonly text: string
  readonly requiresAsset: boolean
}

/** What was answered to a question; it belongs to the execution that the answer started. */
export interface AnswerRecord {
  readonly text: string
  /** The picture that came with it. */
  readonly referenceId: string | null
}

/** The service's review of delivered frames; indices from 0. */
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
  /** Pixels of the picture, of the sheet for a ZIP. */
  readonly width: number
  readonly height: number
  /** Null for an image. */
  readonly review: ReviewRecord | null
}

/** Execution states of the interface. */
export type Status = 'needs_input' | 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'

/**
 * An execution. `money` moves in the same commit as the status.
 *
 * - A sprite: none → held → settled | restored. A hold moves on with an answer: `moved` here, `held` in the execution that follows.
 * - An image: none → due → settled | none. What is due is no hold and the balance still shows it, since an image is charged on delivery;
 *   but nothing else is started with it, so that a delivered image can always be paid.
 */
export interface ExecutionRecord {
  readonly id: string
  readonly conversationId: string
  readonly accountId: string
  readonly jobId: string
  /** Id of the HTTP request that submitted it, shown in `sanitized_error`. */
  readonly requestId: string
  /** SHA-256 of the submitted body: of the answer's for an execution that an answer started. */
  readonly bodySha256: string
  readonly request: ExecutionRequest
  /** Answers so far, oldest first. */
  readonly answers: readonly AnswerRecord[]
  /** Decimal text: the price at submission, which is what is held and charged. */
  readonly price: string
  readonly money: 'none' | 'held' | 'due' | 'settled' | 'restored' | 'moved'
  readonly status: Status
  /** Whether {@link failure} came from admission (no job was started) or from the job. */
  readonly failedAt: 'admission' | 'job' | null
  readonly failure: Failure | null
  readonly delivery: DeliveryRecord | null
  /** The question that it asked, also when it is answered. */
  readonly question: QuestionRecord | null
  /** The execution that the answer started. */
  readonly followedBy: string | null
  /** Whether its conversation was deleted: nothing of it can be reached any more, only what was paid is still counted. */
  readonly isDeleted: boolean
  /** Events so far; they are stored under `<execution>/<number>`, from 1. */
  readonly events: number
}

/** What was accepted under an `Idempotency-Key`. */
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

/** What the service stores, by kind. */
export interface Tables {
  /** One secret, `signing`: hexadecimal, signs asset links. */
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

/** One record to store; a later one of the same kind and id replaces it. */
export type Put = { [Kind in keyof Tables]: readonly [kind: Kind, id: string, value: Tables[Kind]] }[keyof Tables]
