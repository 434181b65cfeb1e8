import { type Credits, formatCredits, isCreditsText } from '../../credit/credits.ts'
import {
  type EventRecord,
  type ExecutionRecord,
  type ExecutionRequest,
  operations,
  type SheetRequest,
  type Status,
  type UploadRecord,
} from '../store/records.ts'
import { invalid } from './http.ts'

/** An uploaded picture: its media type and its bytes. */
export interface UploadBody {
  readonly contentType: string | undefined
  readonly bytes: Uint8Array
}

/** The assumptions N1 to N12, of which a test can replace each one. */
export type Shapes = Readonly<typeof defaultShapes>

/** Longest prompt, characters (N14). */
const MAXIMUM_PROMPT = 4000

const jobStatuses: Readonly<Record<Status, string>> = {
  needs_input: 'waiting',
  queued: 'waiting',
  running: 'drawing',
  completed: 'delivered',
  failed: 'failed',
  cancelled: 'cancelled',
}

/**
 * The assumptions N1 to N12 as the project's list states them: everything that the interface does not show, from
 * the service's side. They are one object, so a test can play a service that differs in each of them.
 */
export const defaultShapes = {
  /** N1: path of the upload (POST). */
  uploadPath: '/v1/reference-assets',
  /**
   * N1: finds the picture in the body of an upload.
   *
   * @throws {Refusal} `invalid_request` if there is none.
   */
  readUpload: (contentType: string | undefined, bytes: Uint8Array): UploadBody | Promise<UploadBody> => ({ contentType, bytes }),
  /** N1: the answer to an upload. */
  upload: ({ id, contentType, width, height, bytes }: UploadRecord): unknown => ({
    asset_id: id,
    content_type: contentType,
    width,
    height,
    bytes,
  }),
  /**
   * N2: reads the JSON body of a submission.
   *
   * @throws {Refusal} `invalid_request`, or `feature_unavailable` for an unknown operation.
   */
  readSubmission,
  /** N3: the body of a 202. */
  accepted: ({ id, conversationId }: ExecutionRecord): unknown => ({
    execution_id: id,
    conversation_id: conversationId,
    status: 'queued',
  }),
  /** N4: path of an answer (POST). `*` is the conversation's id. */
  answerPath: '/v1/conversations/*/answers',
  /**
   * N4: reads the JSON body of an answer. `assetId` names an uploaded picture, or is null.
   *
   * @throws {Refusal} `invalid_request`.
   */
  readAnswer,
  /** N5: the balance. */
  balance: (available: Credits): unknown => ({ credits: formatCredits(available) }),
  /** N6: identifier of an execution's event, by its number from 1. */
  eventId: (number: number): string => `event-${number}`,
  /** N6: the number that an identifier names; 0 for an unknown one, which replays all events. */
  eventNumber: (id: string): number => (/^event-\d{1,9}$/.test(id) ? Number(id.slice(6)) : 0),
  /** N6: the payload of an event. */
  event: (execution: ExecutionRecord, { status, progress, message, failure }: EventRecord): unknown => ({
    execution_id: execution.id,
    status,
    ...(progress === null ? {} : { progress }),
    ...(message === null ? {} : { message }),
    ...(failure === null ? {} : { error: failure }),
  }),
  /** N7: the status of the image job. */
  jobStatus: ({ status }: ExecutionRecord): string => jobStatuses[status],
  /** N12: names inside the result ZIP. `frame` counts from 0. */
  names: {
    frame: (index: number): string => `frames/frame_${String(index).padStart(3, '0')}.png`,
    sheet: 'sheet.png',
    atlas: 'atlas.json',
    preview: 'preview.gif',
  },
}

function readSubmission(body: unknown): ExecutionRequest {
  if (!isRecord(body)) throw invalid('body', 'a JSON object')
  const { prompt, reference_asset_id: referenceId } = body
  const operation = operations.find((known) => known === body.operation)
  if (operation === undefined) throw invalid('operation', `one of ${operations.join(', ')}`)
  if (typeof prompt !== 'string' || prompt.trim() === '' || prompt.length > MAXIMUM_PROMPT)
    throw invalid('prompt', `a text of 1 to ${MAXIMUM_PROMPT} characters`)
  if (operation === 'text_to_image') {
    if (referenceId !== undefined && referenceId !== null)
      throw invalid('reference_asset_id', 'not given: text_to_image takes no reference')
    return { operation, prompt, referenceId: null }
  }
  if (typeof referenceId !== 'string' || !isUuid(referenceId)) throw invalid('reference_asset_id', 'the id of an uploaded reference')
  return operation === 'sprite_sheet' ? readSheet(body, prompt, referenceId) : { operation, prompt, referenceId }
}

function readSheet({ max_credits: maxCredits, animation }: Record<string, unknown>, prompt: string, referenceId: string): SheetRequest {
  if (typeof maxCredits !== 'string' || !isCreditsText(maxCredits))
    throw invalid('max_credits', 'a decimal text with at most four places, the approved ceiling')
  if (!isRecord(animation)) throw invalid('animation', 'an object')
  const { frame_count: frames, background } = animation
  if (typeof frames !== 'number' || !Number.isInteger(frames)) throw invalid('animation.frame_count', 'an integer')
  if (background !== 'remove' && background !== 'keep') throw invalid('animation.background', 'remove or keep')
  return { operation: 'sprite_sheet', prompt, referenceId, frames, background, maxCredits }
}

function readAnswer(body: unknown) {
  if (!isRecord(body)) throw invalid('body', 'a JSON object')
  const { question_id: questionId, text, asset_id: assetId = null } = body
  if (typeof questionId !== 'string' || !isUuid(questionId)) throw invalid('question_id', 'the id of the question')
  if (typeof text !== 'string' || text.trim() === '' || text.length > MAXIMUM_PROMPT)
    throw invalid('text', `a text of 1 to ${MAXIMUM_PROMPT} characters`)
  if (assetId !== null && (typeof assetId !== 'string' || !isUuid(assetId))) throw invalid('asset_id', 'the id of an uploaded reference')
  return { questionId, text, assetId }
}

/** Whether a text is a UUID of any version. */
function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
