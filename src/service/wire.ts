import type { Credits } from '../credit/credits.ts'

/** `GET /v1/capabilities`, as far as it is used. A missing field is null (clause C39), but for the two that `assumed` names. */
export interface Capabilities {
  /** `1` where the service does not say (N18): it is the version that every managed request asks for. */
  readonly apiVersion: string
  /** The one field that must be there: test and live results are told apart by it. */
  readonly keyMode: 'test' | 'live'
  /** All five operations where the service does not say (N18): it refuses by itself what the account may not use. */
  readonly operations: readonly string[]
  /** Names of fields that the service left out and that stand here by assumption: `api_version`, `operations`. For warnings. */
  readonly assumed: readonly string[]
  /** `live_charge_credits_per_image`, exactly as it is written; null where the service does not say. */
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

/** A public failure: an execution's `error`, an image job's `sanitized_error`, or the envelope of an HTTP error. */
export interface PublicError {
  /** One of the public reasons, or one that this version does not know. */
  readonly reason: string
  readonly message: string
  readonly retryable: boolean
  readonly requestId: string | null
  /** Sanitized detail of a validation failure. */
  readonly details: Readonly<Record<string, unknown>> | null
}

/** A file that an execution has finished. */
export interface FinishedAsset {
  readonly assetId: string | null
  readonly downloadUrl: string
  readonly contentType: string | null
  readonly width: number | null
  readonly height: number | null
}

/** The service's own review of a sprite's frames; indices from 0. */
export interface FrameReview {
  readonly frameCount: number | null
  readonly background: string | null
  readonly keptBackgroundFrames: readonly number[]
  readonly inspectionFrames: readonly number[]
  readonly sourceShiftedFrames: readonly number[]
}

/** An outstanding question of an execution. */
export interface Question {
  readonly questionId: string
  readonly text: string
  readonly requiresAsset: boolean
}

/** `GET /v1/executions/{id}`: the truth about an execution. */
export interface Execution {
  readonly executionId: string
  readonly conversationId: string | null
  /** `queued`, `running`, `needs_input`, `completed`, `failed`, `cancelled`, or a status that this version does not know. */
  readonly status: string
  /** `image_job.status`: opaque text, for display. */
  readonly jobStatus: string | null
  readonly publicJobId: string | null
  readonly assets: readonly FinishedAsset[]
  readonly review: FrameReview | null
  readonly question: Question | null
  /** The execution's `error`, else the image job's `sanitized_error`. */
  readonly error: PublicError | null
}

/** What one POST of a submission led to. */
export type SubmissionOutcome =
  /** 202: an execution exists. Acceptance only. */
  | { readonly kind: 'accepted'; readonly executionId: string; readonly conversationId: string | null }
  /** A readable error envelope with a 4xx status: this POST started nothing. */
  | { readonly kind: 'refused'; readonly status: number; readonly error: PublicError }
  /** No answer, a 5xx, or an answer that cannot be read: whether an execution exists is unknown. */
  | { readonly kind: 'unknown'; readonly status: number | null; readonly message: string }

/** One event of an execution's stream: a hint, never the truth. */
export interface ServiceEvent {
  /** `started`, `thinking`, `progress`, `job`, `question`, `asset`, `done`, or a kind that this version does not know. */
  readonly kind: string
  /** Identifier to resume from, where it is fit to be sent back. */
  readonly id: string | null
  readonly status: string | null
  /** 0 to 1. */
  readonly progress: number | null
  readonly message: string | null
  /** Wait before a new connection that the stream has asked for so far, within 500 and 60000 ms; null or missing where it has not. */
  readonly retryMs?: number | null
}

/** What a cancellation came to. */
export interface Cancellation {
  readonly executionId: string
  readonly conversationId: string | null
  /** Status of the execution; not always `cancelled`, since the service may have been faster. */
  readonly status: string
}
