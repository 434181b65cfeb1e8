import type { Credits } from '../credit/credits.ts'

/** A sprite sheet to submit. The profile turns it into the JSON body. */
export interface SheetSubmission {
  readonly operation: 'sprite_sheet'
  readonly prompt: string
  readonly referenceId: string
  readonly frames: number
  readonly background: 'remove' | 'keep'
  readonly options?: Readonly<Record<string, unknown>>
  /** The most credits that the service may hold; never above the approved ceiling. */
  readonly maxCredits: Credits
}

/** A picture to submit. Its price is in the capabilities, not in the body. */
export interface ImageSubmission {
  readonly operation: 'text_to_image' | 'image_to_image' | 'background_remove' | 'upscale'
  readonly prompt: string
  /** Id of the uploaded reference. Every operation except `text_to_image` needs one. */
  readonly referenceId?: string
}

/** A paid request: a sheet or a picture. */
export type Submission = SheetSubmission | ImageSubmission

/** A file to upload as a reference picture. */
export interface ReferenceFile {
  readonly bytes: Uint8Array
  /** `image/png`, `image/jpeg` or `image/webp`. */
  readonly contentType: string
}

/** A person's answer to a question of an execution, in the form for a profile. */
export interface QuestionAnswer {
  /** The execution that asks. */
  readonly executionId: string
  readonly conversationId: string
  readonly text: string
  /** Id of an uploaded asset, if the question requires one. */
  readonly assetId?: string | undefined
  /** Stable key of this answer, so that the answer starts only one new execution. The client adds the key. */
  readonly idempotencyKey: string
}

/** A person's answer to a question, in the form for the client. */
export interface AnswerSubmission {
  /** The execution that asks. */
  readonly executionId: string
  readonly conversationId: string
  readonly questionId: string
  readonly text: string
  /** Id of an uploaded asset, if the question requires one. */
  readonly assetId?: string
  /** Idempotency key: 1 to 255 visible ASCII characters, created and stored before the first try. */
  readonly key: string
}
