import { z } from 'zod'
import { type Credits, parseCredits } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import { toOneLine } from '../host/terminal.ts'
import { isSegment } from './address.ts'
import { type JsonBody, rawMember } from './json.ts'
import type { Capabilities, Estimate, Execution, FinishedAsset, PublicError } from './wire.ts'

/** An identifier of the service: visible ASCII that fits into one segment of a path when encoded. */
const identifier = z
  .string()
  .refine((id) => /^[\x21-\x7e]+$/.test(id) && isSegment(id), 'expected 1 to 200 visible ASCII characters that name one part of a path')
const text = z.string()
/** A field that may be missing, which reads as null. If it is present, its type must match. */
const maybe = <T extends z.ZodType>(schema: T): z.ZodDefault<z.ZodNullable<T>> =>
  schema.nullable().default(null as never) as z.ZodDefault<z.ZodNullable<T>>
/**
 * A field for display only. With a wrong type it counts as missing, so that it cannot stop a paid delivery.
 */
const shown = <T extends z.ZodType>(schema: T): z.ZodCatch<z.ZodDefault<z.ZodNullable<T>>> => maybe(schema).catch(null as never)
const indices = z.array(z.int().nonnegative()).catch([])

const capabilities = z.object({
  api_version: maybe(text),
  key_mode: maybe(z.enum(['test', 'live'])),
  operations: maybe(z.array(text)),
  live_charge_credits_per_image: maybe(z.union([z.number(), text])),
  maximum_input_bytes: maybe(z.int()),
  maximum_input_dimension: maybe(z.int()),
  maximum_source_input_bytes: maybe(z.int()),
  supported_input_extensions: maybe(z.array(text)),
  server_sent_events: maybe(z.boolean()),
  managed_execute: maybe(z.boolean()),
  interactive_questions: maybe(z.boolean()),
  staged_input_uploads: maybe(z.boolean()),
  test_mode_uses_credits: maybe(z.boolean()),
  sprite_pricing: maybe(z.object({ minimum_frames: maybe(z.int()), maximum_frames: maybe(z.int()) })),
})

/** The operations of an account if the service does not list them. */
const allOperations = ['text_to_image', 'image_to_image', 'background_remove', 'upscale', 'sprite_sheet']

/**
 * Reads `GET /v1/capabilities`. Unused fields are ignored (C39). Only `key_mode` is required, because no other
 * field shows whether a purchase is a test.
 *
 * @throws `SW_WIRE`
 */
export function readCapabilities(body: JsonBody): Capabilities {
  const read = check(capabilities, body.value, 'the capabilities')
  if (read.key_mode === null) throw noKeyMode()
  return {
    apiVersion: read.api_version ?? '1',
    keyMode: read.key_mode,
    operations: read.operations ?? allOperations,
    assumed: [...(read.api_version === null ? ['api_version'] : []), ...(read.operations === null ? ['operations'] : [])],
    imageCredits: read.live_charge_credits_per_image === null ? null : readImageCredits(body),
    maximumInputBytes: read.maximum_input_bytes,
    maximumInputDimension: read.maximum_input_dimension,
    maximumSourceInputBytes: read.maximum_source_input_bytes,
    supportedInputExtensions: read.supported_input_extensions,
    serverSentEvents: read.server_sent_events,
    managedExecute: read.managed_execute,
    interactiveQuestions: read.interactive_questions,
    stagedInputUploads: read.staged_input_uploads,
    testModeUsesCredits: read.test_mode_uses_credits,
    minimumFrames: read.sprite_pricing?.minimum_frames ?? null,
    maximumFrames: read.sprite_pricing?.maximum_frames ?? null,
  }
}

/**
 * The price from the number's text, so that no float rounds it. `parseCredits` refuses forms such as `1e1`.
 */
function readImageCredits(body: JsonBody): Credits {
  const raw = rawMember(body.text, 'live_charge_credits_per_image') ?? ''
  return parseCredits(raw.startsWith('"') ? (JSON.parse(raw) as string) : raw, 'the credits of an image (live_charge_credits_per_image)')
}

function noKeyMode(): SpritewrightError {
  return new SpritewrightError('SW_WIRE', {
    message:
      'Expected key_mode as "test" or "live" in the capabilities, found none. Without it, test and live results cannot be distinguished, so nothing is bought; report it to the service.',
    facts: { what: 'the capabilities', field: 'key_mode' },
  })
}

const estimate = z.strictObject({
  price_version: text,
  frame_count: z.int().min(7).max(100),
  background: z.enum(['remove', 'keep']),
  credits: z.string().regex(/^\d+(\.\d{1,4})?$/, 'expected a decimal text with at most four places'),
  reference_usd: z.string().regex(/^\d+\.\d{2}$/, 'expected a decimal text with two places'),
  reference_credit_cents: z.int().min(1),
  binding: z.literal(false),
})

/**
 * Reads `GET /v1/sprite-pricing`: exactly its seven fields (C18). Any `price_version` is accepted; the caller
 * compares it with the approval.
 *
 * @throws `SW_WIRE`
 */
export function readEstimate(value: unknown): Estimate {
  const read = check(estimate, value, 'the estimate')
  return {
    priceVersion: read.price_version,
    frameCount: read.frame_count,
    background: read.background,
    credits: parseCredits(read.credits, "the estimate's credits"),
    referenceUsd: read.reference_usd,
    referenceCreditCents: read.reference_credit_cents,
  }
}

const envelope = z.strictObject({
  error: z.object({
    reason: text,
    retryable: z.boolean(),
    message: text.catch('').transform(toOneLine),
    request_id: shown(text),
    details: shown(z.record(text, z.unknown())),
  }),
})

/**
 * Reads an error envelope: one key `error` and no other (C27), which contains `reason` and `retryable`.
 * Returns null for any other value.
 */
export function readEnvelope(value: unknown): PublicError | null {
  const read = envelope.safeParse(value)
  return read.success ? toPublicError(read.data.error) : null
}

/**
 * The error of an execution. The execution must be readable, so missing parts get cautious defaults:
 * `retryable` is false.
 */
const executionError = z.object({
  reason: text.catch('unknown'),
  retryable: z.boolean().catch(false),
  message: text.catch('').transform(toOneLine),
  request_id: shown(text),
  details: shown(z.record(text, z.unknown())),
})

function toPublicError(read: z.infer<typeof executionError>): PublicError {
  return { reason: read.reason, message: read.message, retryable: read.retryable, requestId: read.request_id, details: read.details }
}

const finishedAsset = z.object({
  asset_id: shown(text),
  download_url: shown(text),
  content_type: shown(text),
  width: shown(z.int()),
  height: shown(z.int()),
})

const execution = z.object({
  execution_id: identifier,
  status: text,
  conversation_id: maybe(identifier),
  question: maybe(z.object({ question_id: identifier, text: text.catch(''), requires_asset: z.boolean().catch(false) })),
  error: maybe(executionError),
  image_job: maybe(
    z.object({
      public_job_id: shown(text),
      status: shown(text),
      finished_assets: maybe(z.array(finishedAsset)),
      sanitized_error: maybe(executionError),
      frame_review: shown(
        z.object({
          frame_count: shown(z.int()),
          background: shown(text),
          kept_background_frames: indices,
          inspection_frames: indices,
          source_shifted_frames: indices,
        }),
      ),
    }),
  ),
})

/**
 * Reads `GET /v1/executions/{id}`. Only `execution_id` and `status` are required. An unknown status or reason
 * is kept as it is.
 *
 * @throws `SW_WIRE`
 */
export function readExecution(value: unknown): Execution {
  const read = check(execution, value, 'the execution')
  const job = read.image_job
  const error = read.error ?? job?.sanitized_error ?? null
  const review = job?.frame_review ?? null
  return {
    executionId: read.execution_id,
    conversationId: read.conversation_id,
    status: read.status,
    jobStatus: job?.status ?? null,
    publicJobId: job?.public_job_id ?? null,
    assets: (job?.finished_assets ?? []).flatMap(toFinishedAsset),
    review: review && {
      frameCount: review.frame_count,
      background: review.background,
      keptBackgroundFrames: review.kept_background_frames,
      inspectionFrames: review.inspection_frames,
      sourceShiftedFrames: review.source_shifted_frames,
    },
    question: read.question && {
      questionId: read.question.question_id,
      text: read.question.text,
      requiresAsset: read.question.requires_asset,
    },
    error: error && toPublicError(error),
  }
}

/** An asset without a `download_url` cannot be downloaded, so it does not count as finished. */
function toFinishedAsset(read: z.infer<typeof finishedAsset>): FinishedAsset[] {
  if (read.download_url === null) return []
  return [
    { assetId: read.asset_id, downloadUrl: read.download_url, contentType: read.content_type, width: read.width, height: read.height },
  ]
}

const accepted = z.object({ execution_id: identifier, conversation_id: shown(identifier) })

/**
 * Reads the body of a 202 (N3). Only `execution_id` is required.
 *
 * @throws `SW_WIRE`
 */
export function readAcceptedBody(value: unknown): { executionId: string; conversationId: string | null } {
  const read = check(accepted, value, 'the acceptance')
  return { executionId: read.execution_id, conversationId: read.conversation_id }
}

const cancellation = z.object({ execution_id: maybe(identifier), conversation_id: shown(identifier), status: maybe(text) })

/**
 * Reads the result of a cancellation. A missing member is null (N18).
 *
 * @throws `SW_WIRE`
 */
export function readCancellation(value: unknown): { executionId: string | null; conversationId: string | null; status: string | null } {
  const read = check(cancellation, value, 'the cancellation')
  return { executionId: read.execution_id, conversationId: read.conversation_id, status: read.status }
}

const upload = z.object({ asset_id: identifier })

/**
 * Reads the record of an uploaded reference (N1) and returns its `asset_id`.
 *
 * @throws `SW_WIRE`
 */
export function readUploadBody(value: unknown): string {
  return check(upload, value, 'the upload').asset_id
}

/** Parses a value. The error names the field and the rule. zod's messages quote no value. */
function check<T extends z.ZodType>(schema: T, value: unknown, what: string): z.infer<T> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const issue = read.error.issues[0]
  const field = issue?.path.join('.') || 'the whole body'
  throw new SpritewrightError('SW_WIRE', {
    message: `Expected ${what} in the form of the service's interface, found ${field.slice(0, 80)}: ${issue?.message.slice(0, 200) ?? 'no match'}. A newer version of spritewright may know it.`,
    facts: { what, field },
  })
}
