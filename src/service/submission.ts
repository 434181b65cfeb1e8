import type { Credits } from '../credit/credits.ts'

/** A sprite sheet to be submitted; the profile turns it into the JSON body. */
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

/** A picture to be submitted; its price stands in the capabilities, not in the body. */
export interface ImageSubmission {
  readonly operation: 'text_to_image' | 'image_to_image' | 'background_remove' | 'upscale'
  readonly prompt: string
  /** Id of the uploaded reference: every operation but `text_to_image` takes one. */
  readonly referenceId?: string
}

/** What a submission asks for. */
export type Submission = SheetSubmission | ImageSubmission

/** A file to upload as a reference picture. */
export interface ReferenceFile {
  readonly bytes: Uint8Array
  /** `image/png`, `image/jpeg` or `image/webp`. */
  readonly contentType: string
}

/** A person's answer to a question of an execution, as a profile is handed it. */
export interface QuestionAnswer {
  readonly conversationId: string
  readonly text: string
  /** Id of an uploaded asset, where the question asks for one. */
  readonly assetId?: string
  /** Stable key of this answer: it starts a new execution and must not start two. The client sends it by itself. */
  readonly idempotencyKey: string
}

/** A person's answer to a question, as the client is handed it. */
export interface AnswerSubmission {
  readonly conversationId: string
  readonly questionId: string
  readonly text: string
  /** Id of an uploaded asset, where the question asks for one. */
  readonly assetId?: string
  /** Idempotency key: 1 to 255 visible ASCII characters, made and stored before the first try. */
  readonly key: string
}
