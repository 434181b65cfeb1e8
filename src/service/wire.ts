import type { Credits } from '../credit/credits.ts'

/**
 * The fields of `GET /v1/capabilities` that are used. A missing field is null (clause C39), except for the two
 * that `assumed` can name.
 */
export interface Capabilities {
  /** `1` if the service names no version (N18): every managed request asks for version 1. */
  readonly apiVersion: string
  /** The only required field. It separates test results from live results. */
  readonly keyMode: 'test' | 'live'
  /**
   * All five operations if the service lists none (N18). The service refuses operations that the account may not
   * use.
   */
  readonly operations: readonly string[]
  /**
   * Names of fields that the service left out and that have an assumed value here: `api_version`,
   * `operations`. For warnings.
   */
  readonly assumed: readonly string[]
  /** `live_charge_credits_per_image`, exactly as it is written; null if the field is missing. */
  readonly imageCredits: Credits | null
  readonly maximumInputBytes: number | null
  readonly maximumInputDimension: number | null
  readonly maximumSourceInputBytes: number | null
  readonly supportedInputExtensions: readonly string[] | null
  readonly serverSentEvents: boolean | null
  readonly managedExecute: boolean | null
  readonly interactiveQuestions: boolean | null
  readonly stagedInputUploads: boolean | null
  readonly testModeUsesCredits: boolean | null
  readonly minimumFrames: number | null
  readonly maximumFrames: number | null
}

/** `GET /v1/sprite-pricing`: not binding, never kept on disk. */
export interface Estimate {
  readonly priceVersion: string
  readonly frameCount: number
  readonly background: 'remove' | 'keep'
  readonly credits: Credits
  /** As the service writes it, e.g. `0.24`; for display only. */
  readonly referenceUsd: string
  readonly referenceCreditCents: number
}

/**
 * A public failure: an execution's `error`, an image job's `sanitized_error`, or the envelope of an HTTP
 * error.
 */
export interface PublicError {
  /** One of the public reasons, or a reason that this version does not know. */
  readonly reason: string
  readonly message: string
  readonly retryable: boolean
  readonly requestId: string | null
  /** Sanitized details of a validation failure. */
  readonly details: Readonly<Record<string, unknown>> | null
}

/** A finished file of an execution. */
export interface FinishedAsset {
  readonly assetId: string | null
  readonly downloadUrl: string
  readonly contentType: string | null
  readonly width: number | null
  readonly height: number | null
}

/** The service's own review of a sprite's frames. Indices start at 0. */
export interface FrameReview {
  readonly frameCount: number | null
  readonly background: string | null
  readonly keptBackgroundFrames: readonly number[]
  readonly inspectionFrames: readonly number[]
  readonly sourceShiftedFrames: readonly number[]
}

/** An open question of an execution. */
export interface Question {
  readonly questionId: string
  readonly text: string
  readonly requiresAsset: boolean
}

/** `GET /v1/executions/{id}`: the authoritative state of an execution. */
export interface Execution {
  readonly executionId: string
  readonly conversationId: string | null
  /**
   * `queued`, `running`, `needs_input`, `completed`, `failed`, `cancelled`, or a status that this version
   * does not know.
   */
  readonly status: string
  /** `image_job.status`: opaque text, for display. */
  readonly jobStatus: string | null
  readonly publicJobId: string | null
  readonly assets: readonly FinishedAsset[]
  readonly review: FrameReview | null
  readonly question: Question | null
  /** The execution's `error`, or the image job's `sanitized_error` if there is none. */
  readonly error: PublicError | null
}

/** The outcome of one POST of a submission. */
export type SubmissionOutcome =
  /** 202: an execution exists. It may still fail. */
  | { readonly kind: 'accepted'; readonly executionId: string; readonly conversationId: string | null }
  /** A readable error envelope with a 4xx status: this POST started nothing. */
  | { readonly kind: 'refused'; readonly status: number; readonly error: PublicError; readonly retryAfterMs?: number }
  /**
   * No answer, a 5xx, or an unreadable answer: it is unknown whether an execution exists.
   *
   * `isUnread`: the service accepted, but the profile found no execution in its JSON.
   */
  | {
      readonly kind: 'unknown'
      readonly status: number | null
      readonly message: string
      readonly retryAfterMs?: number
      readonly isUnread?: boolean
    }

/** One event of an execution's stream. It is a hint; a read of the execution is authoritative. */
export interface ServiceEvent {
  /**
   * `started`, `thinking`, `progress`, `job`, `question`, `asset`, `done`, or a kind that this version does
   * not know.
   */
  readonly kind: string
  /** Id to resume from; null if it must not be sent back. */
  readonly id: string | null
  readonly status: string | null
  /** 0 to 1. */
  readonly progress: number | null
  readonly message: string | null
  /**
   * The stream's last requested wait before a new connection, from 500 to 60000 ms; null or missing if the
   * stream requested no wait.
   */
  readonly retryMs?: number | null
}

/** The result of a cancellation. */
export interface Cancellation {
  readonly executionId: string
  readonly conversationId: string | null
  /** Status of the execution. May differ from `cancelled`, if the execution ended before the cancellation. */
  readonly status: string
}
