import type { Credits } from '../credit/credits.ts'

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

/** A person's answer to a question of an execution. */
export interface QuestionAnswer {
  readonly conversationId: string
  readonly text: string
  /** Id of an uploaded asset, where the question asks for one. */
  readonly assetId?: string
  /** Stable key of this answer: it starts a new execution and must not start two. */
  readonly idempotencyKey: string
}
