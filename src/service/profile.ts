import { formatCredits } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import { toSegment } from './address.ts'
import { type JsonBody, parseJsonText, rawMember } from './json.ts'
import { readAcceptedBody, readUploadBody } from './replies.ts'
import type { QuestionAnswer, ReferenceFile, SheetSubmission, Submission } from './submission.ts'
import type { Execution, Question } from './wire.ts'

/**
 * A request that a profile may send. The client adds authorization, limits and retries. A profile never sees
 * the key.
 */
export interface ProfileRequest {
  readonly method: 'GET' | 'POST'
  /**
   * Path below the base URL, starting with `/v1/`. Not `/v1/execute`, because only `submit` sends submissions.
   */
  readonly path: string
  readonly body?: Uint8Array
  readonly contentType?: string
  readonly idempotencyKey?: string
  /**
   * Sends `Service-Version: 1`, like managed execution and conversation requests.
   *
   * @default false
   */
  readonly isManaged?: boolean
}

/** A successful answer (any 2xx). Other answers are thrown as typed errors before the profile sees them. */
export interface ProfileReply {
  readonly status: number
  readonly body: JsonBody
}

/** The client's own transport, as a profile gets it. */
export type RequestPort = (request: ProfileRequest) => Promise<ProfileReply>

/** The names in the body of a 202. */
export interface Accepted {
  readonly executionId: string
  readonly conversationId?: string | null
}

/** One block of an event stream. */
export interface StreamEvent {
  /** Name of the event; `message` if the stream names none. */
  readonly event: string
  readonly data: string
  /** The stream's last event id after this block; empty if there is none. */
  readonly lastEventId: string
}

/** Facts from an event's payload. */
export interface EventHint {
  readonly status: string | null
  /** 0 to 1. */
  readonly progress: number | null
  readonly message: string | null
}

/** The role of each entry of a result ZIP, by name. */
export interface DeliveryLayout {
  /** Names of the frames' entries, in order. */
  readonly frames: readonly string[]
  readonly sheet?: string
  readonly atlas?: string
  readonly preview?: string
}

/**
 * Every assumption about parts that the service's interface does not show, in one object. The configuration
 * can replace any part.
 */
export interface Profile {
  /** N1: uploads a reference picture and returns its id. It may be called again after a lost answer. */
  uploadReference(request: RequestPort, file: ReferenceFile): Promise<string>
  /** N2: the JSON body of a submission. Pure: equal submissions give equal bodies. */
  executeBody(submission: Submission): Readonly<Record<string, unknown>>
  /** N3: the names in the body of a 202. Throws if the body cannot be read. */
  readAccepted(body: JsonBody): Accepted
  /**
   * N4: answers a question with exactly one POST and reads the NEW execution from its reply. Equal answers must
   * give equal bytes, because a lost answer is repeated. `request` sends under the answer's own key and refuses
   * a second request.
   */
  answer(request: RequestPort, question: Pick<Question, 'questionId'>, answer: QuestionAnswer): Promise<Accepted>
  /** N5: available credits as a decimal text that has not passed through a float. */
  readBalance(body: JsonBody): string
  /** N6: facts from an event. Returns null for an unknown payload, which is no error. */
  readEvent(event: StreamEvent): EventHint | null
  /** N12: names the parts of a result ZIP. Without this function, the parts are found by name and shape. */
  readDelivery?(entries: readonly { readonly name: string; readonly bytes: Uint8Array }[]): DeliveryLayout
  /**
   * N8: whether an image execution may be cancelled now. Sprites can never be cancelled, by the interface
   * itself.
   */
  cancellable(execution: Execution): boolean
}

/**
 * The assumed shapes, until the real ones are known. Other gaps of the interface need no shape here:
 * N7 (job status) is opaque text, N9 (deletion) is any 2xx, N10 and N11 arrive as error envelopes.
 */
export const defaultProfile: Profile = {
  uploadReference: async (request, file) => {
    const reply = await request({ method: 'POST', path: '/v1/reference-assets', body: file.bytes, contentType: file.contentType })
    return readUploadBody(reply.body.value)
  },
  executeBody: (submission) => ({
    operation: submission.operation,
    prompt: submission.prompt,
    ...(submission.referenceId === undefined ? {} : { reference_asset_id: submission.referenceId }),
    ...(submission.operation === 'sprite_sheet' ? toSheetMembers(submission) : {}),
  }),
  readAccepted: (body) => readAcceptedBody(body.value),
  answer: async (request, question, answer) => {
    const body = { question_id: question.questionId, text: answer.text, asset_id: answer.assetId }
    const reply = await request({
      method: 'POST',
      path: `/v1/conversations/${toSegment('the conversation', answer.conversationId)}/answers`,
      body: new TextEncoder().encode(JSON.stringify(body)),
      contentType: 'application/json',
      idempotencyKey: answer.idempotencyKey,
      isManaged: true,
    })
    return readAcceptedBody(reply.body.value)
  },
  readBalance: (body) => readBalanceText(body),
  readEvent: (event) => readEventHint(event.data),
  cancellable: (execution) => ['queued', 'running', 'needs_input'].includes(execution.status),
}

/** Names of all parts. Each of them is a function. */
export const profileParts: readonly string[] = [...Object.keys(defaultProfile), 'readDelivery' satisfies keyof Profile]

/**
 * The default profile with some of its parts replaced. An undefined part keeps the default.
 *
 * @throws `SW_CONFIG` for an unknown part, and for one that is not a function.
 */
export function resolveProfile(parts: Partial<Profile> = {}): Profile {
  const given = Object.entries(parts).flatMap(([name, part]) => {
    if (part === undefined) return []
    if (profileParts.includes(name) && typeof part === 'function') return [[name, guarded(name, (part as () => unknown).bind(parts))]]
    throw notFromProfile(name, `functions named ${profileParts.join(', ')} alone`)
  })
  return Object.freeze({ ...defaultProfile, ...Object.fromEntries(given) })
}

/** Wraps a part so that its errors name it. Our own errors, e.g. of its requests, and interruptions are unchanged. */
export function guarded<A extends unknown[], R>(name: string, part: (...args: A) => R): (...args: A) => R {
  const refuse = (cause: unknown): never => {
    const isOurs = cause instanceof Error && ['SpritewrightError', 'AbortError'].includes(cause.name)
    throw isOurs ? cause : notFromProfile(name, 'an answer', String(cause), cause)
  }
  return (...args) => {
    try {
      const answer = part(...args)
      if (!(answer instanceof Promise)) return answer
      const named = answer.catch(refuse)
      // Nobody waits for the promise of a part that must answer at once.
      named.catch(() => {})
      return named as R
    } catch (cause) {
      return refuse(cause)
    }
  }
}

/** The `SW_CONFIG` error for a part of the profile that broke its contract. */
export function notFromProfile(part: string, expected: string, found = 'something else', cause?: unknown): SpritewrightError {
  return new SpritewrightError('SW_CONFIG', {
    message: `Expected ${expected} from the service profile's ${part}, found ${found}. Correct that part of service.profile.`,
    facts: { option: 'service.profile', part },
    cause,
  })
}

function toSheetMembers({ maxCredits, options, frames, background }: SheetSubmission): Readonly<Record<string, unknown>> {
  return { max_credits: formatCredits(maxCredits), animation: { ...options, frame_count: frames, background } }
}

function readBalanceText(body: JsonBody): string {
  const raw = rawMember(body.text, 'credits')
  // A text keeps its decimals. A number is read from its text, so 2.10 stays exact and `parseCredits` refuses
  // 1e1.
  if (raw !== null && /^["\d]/.test(raw)) return raw.startsWith('"') ? (JSON.parse(raw) as string) : raw
  throw new SpritewrightError('SW_WIRE', {
    message:
      'Expected the balance as {"credits": "12.5"}, found no such member. Name its real shape with readBalance in the service profile.',
    facts: { what: 'the balance', field: 'credits' },
  })
}

function readEventHint(data: string): EventHint | null {
  let value: unknown
  try {
    value = parseJsonText(data, 'an event')
  } catch {
    // Events are hints. An event that cannot be read is ignored, and the execution is read instead.
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { status, progress, message, error } = value as Record<string, unknown>
  const failure = typeof error === 'object' && error !== null ? (error as Record<string, unknown>).message : undefined
  return {
    status: typeof status === 'string' ? status : null,
    progress: typeof progress === 'number' && progress >= 0 && progress <= 1 ? progress : null,
    message: typeof message === 'string' ? message : typeof failure === 'string' ? failure : null,
  }
}
