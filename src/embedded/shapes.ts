import { type Credits, formatCredits, isCreditsText } from '../credit/credits.ts'
import { Refusal } from './http.ts'
import { type EventRecord, type ExecutionRecord, operations, type SheetRequest, type UploadRecord } from './records.ts'

/**
 * The service's side of everything that its interface does not show. These are the assumptions N1 to N12, in one object, so that a test can play a
 * service that differs in every part.
 */
export interface Shapes {
  /** N1: path of the upload, a POST with the picture's bytes as its body. */
  readonly uploadPath: string
  /** N1: the record of an upload. */
  readonly upload: (upload: UploadRecord) => unknown
  /** N2: reads the body of a submission that is JSON. @throws {Refusal} `invalid_request`, or `feature_unavailable` for an operation that is not there. */
  readonly readSubmission: (body: unknown) => SheetRequest
  /** N3: the body of a 202. */
  readonly accepted: (execution: ExecutionRecord) => unknown
  /** N5: the balance. */
  readonly balance: (available: Credits) => unknown
  /** N6: identifier of an execution's event, by its number from 1. */
  readonly eventId: (number: number) => string
  /** N6: the number that an identifier names; 0 for one that is not ours, which replays everything. */
  readonly eventNumber: (id: string) => number
  /** N6: payload of an event. */
  readonly event: (execution: ExecutionRecord, event: EventRecord) => unknown
  /** N7: status of the image job. */
  readonly jobStatus: (execution: ExecutionRecord) => string
  /** N12: names inside the result ZIP. `frame` counts from 0. */
  readonly names: { readonly frame: (index: number) => string; readonly sheet: string; readonly atlas: string; readonly preview: string }
}

/** Longest prompt, characters (N14). */
const MAXIMUM_PROMPT = 4000

/** The assumptions as they stand in the project's list. */
export const defaultShapes: Shapes = {
  uploadPath: '/v1/reference-assets',
  upload: ({ id, contentType, width, height, bytes }) => ({ asset_id: id, content_type: contentType, width, height, bytes }),
  readSubmission: readSheetSubmission,
  accepted: ({ id, conversationId }) => ({ execution_id: id, conversation_id: conversationId, status: 'queued' }),
  balance: (available) => ({ credits: formatCredits(available) }),
  eventId: (number) => `event-${number}`,
  eventNumber: (id) => (/^event-\d{1,9}$/.test(id) ? Number(id.slice(6)) : 0),
  event: (execution, { status, progress, message, failure }) => ({
    execution_id: execution.id,
    status,
    ...(progress === null ? {} : { progress }),
    ...(message === null ? {} : { message }),
    ...(failure === null ? {} : { error: failure }),
  }),
  jobStatus: ({ status }) =>
    ({ needs_input: 'waiting', queued: 'waiting', running: 'drawing', completed: 'delivered', failed: 'failed', cancelled: 'cancelled' })[
      status
    ],
  names: {
    frame: (index) => `frames/frame_${String(index).padStart(3, '0')}.png`,
    sheet: 'sheet.png',
    atlas: 'atlas.json',
    preview: 'preview.gif',
  },
}

function readSheetSubmission(body: unknown): SheetRequest {
  if (!isRecord(body)) throw invalid('body', 'a JSON object')
  const { operation, prompt, reference_asset_id: referenceId, max_credits: maxCredits, animation } = body
  if (!operations.some((known) => known === operation)) throw invalid('operation', `one of ${operations.join(', ')}`)
  if (operation !== 'sprite_sheet') throw new Refusal('feature_unavailable', 'This operation is not available to this account.')
  if (typeof prompt !== 'string' || prompt.trim() === '' || prompt.length > MAXIMUM_PROMPT)
    throw invalid('prompt', `a text of 1 to ${MAXIMUM_PROMPT} characters`)
  if (typeof referenceId !== 'string' || !isUuid(referenceId)) throw invalid('reference_asset_id', 'the id of an uploaded reference')
  if (typeof maxCredits !== 'string' || !isCreditsText(maxCredits))
    throw invalid('max_credits', 'a decimal text with at most four places, the approved ceiling')
  if (!isRecord(animation)) throw invalid('animation', 'an object')
  const { frame_count: frames, background } = animation
  if (typeof frames !== 'number' || !Number.isInteger(frames)) throw invalid('animation.frame_count', 'an integer')
  if (background !== 'remove' && background !== 'keep') throw invalid('animation.background', 'remove or keep')
  return { operation, prompt, referenceId, frames, background, maxCredits }
}

/** A refused field of a submission: its name and its rule, never its value. */
export function invalid(field: string, expected: string): Refusal {
  return new Refusal('invalid_request', `Expected ${field} as ${expected}.`, { field, expected })
}

/** Whether a text is a UUID of any version. */
function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
