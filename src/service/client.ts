import type { Credits } from '../credit/credits.ts'
import type { Capabilities, Estimate, Execution, ServiceEvent, SubmissionOutcome } from './wire.ts'

/** What a submission asks for; the profile turns it into the JSON body. */
export interface SheetSubmission {
  readonly operation: 'sprite_sheet'
  readonly prompt: string
  readonly referenceId: string
  readonly frames: number
  readonly background: 'remove' | 'keep'
  readonly options?: Readonly<Record<string, unknown>>
  /** The price that may be held: never above the approved ceiling. */
  readonly maxCredits: Credits
}

/** A file to upload as a reference picture. */
export interface ReferenceFile {
  readonly bytes: Uint8Array
  /** `image/png`, `image/jpeg` or `image/webp`. */
  readonly contentType: string
}

/**
 * The service, one method an endpoint. Free requests are retried inside (rate limits, lost connections); a submission is sent once a call.
 *
 * Every method but `submit` throws `SW_UNREACHABLE`, `SW_KEY_REFUSED`, `SW_REFUSED` (facts: `status`, `reason`, `retryable`, `requestId`, `details`) or `SW_WIRE`.
 */
export interface ServiceClient {
  /** Host and path of the base URL: a part of every request's identity. */
  readonly host: string
  /** A fingerprint of the API key, salted by `salt`, that does not lead back to it: tells whether the key has changed. */
  keyTag(salt: string): string
  capabilities(signal?: AbortSignal): Promise<Capabilities>
  /** Available credits, holds taken off. */
  balance(signal?: AbortSignal): Promise<Credits>
  estimate(frames: number, background: 'remove' | 'keep', signal?: AbortSignal): Promise<Estimate>
  /** Uploads a reference and answers its id. Free. */
  uploadReference(file: ReferenceFile, signal?: AbortSignal): Promise<string>
  /** The canonical bytes of a submission's body (RFC 8785). Pure. */
  submissionBody(submission: SheetSubmission): Uint8Array
  /**
   * Sends one submission, once. Paid: only `job/purchase.ts` calls it.
   *
   * @param record Called after the wait for the service's limits and right before the POST; when it rejects, nothing is sent.
   */
  submit(
    submission: { readonly key: string; readonly body: Uint8Array },
    record: () => Promise<void>,
    signal?: AbortSignal,
  ): Promise<SubmissionOutcome>
  execution(executionId: string, signal?: AbortSignal): Promise<Execution>
  /** The execution's event stream from after `lastEventId`. Ends when the connection ends; throws where none can be had. */
  events(executionId: string, lastEventId: string | null, signal: AbortSignal): AsyncIterable<ServiceEvent>
  /** Follows the owned `download_url` to its signed URL without credentials and reads the file. Asks for a new redirect when the signed URL has expired. */
  download(downloadUrl: string, signal?: AbortSignal): Promise<{ readonly bytes: Uint8Array; readonly contentType: string | null }>
  /** Frees idle connections. */
  close(): Promise<void>
}
