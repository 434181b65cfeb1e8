import { z } from 'zod'
import { formatCredits, isCreditsText, parseCredits } from '../credit/credits.ts'
import { type ErrorCode, errorCodes, SpritewrightError } from '../errors.ts'
import type { JobProgress } from '../job/order.ts'
import type { Capabilities, Estimate } from '../service/wire.ts'

/** Id of the only job of the queue that is the lease. */
export const leaseId = 'lease'

/** A printable text. A person who can write to the queue must not control a terminal. */
const text = z
  .string()
  .max(500)
  .refine((words) => words === plain(words))
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const credits = z
  .string()
  .refine(isCreditsText)
  .transform((amount) => parseCredits(amount))

/** A path inside the project, with forward slashes, in the form that git reads. */
const projectPath = z
  .string()
  .max(1000)
  .refine((path) => !/[\\:\p{Cc}]/u.test(path) && path.split('/').every((part) => !['', '.', '..', '.git'].includes(part)))

/**
 * An order of a client to a worker. An order names a commit and has no authority: the worker reads the spec, the
 * picture and the approval from the commit.
 */
export type OrderMessage = z.output<typeof orderMessage>

/** The only reader of an order. */
export const orderMessage = z.strictObject({
  /** `sprite.animation`, or `sprite` for a picture with its name. */
  id: z.string().regex(/^[\w-]{1,200}(?:\.[\w-]{1,200})?$/),
  /** Request hash. */
  hash: sha256,
  commit: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
  /** The spec's file, relative to the root of the project. */
  file: projectPath,
  /** SHA-256 of the reference picture; missing if the first step is a text. */
  reference: sha256.optional(),
  /** The project's name, for people. Clients of earlier versions send none. */
  project: text.optional(),
  /** Where the project is in its repository; missing if it is the root. */
  folder: projectPath.optional(),
})

/** A question of a client about account or prices. The worker sends one GET request for each. */
export type InquiryMessage = z.output<typeof inquiryMessage>

/** The only reader of an inquiry. */
export const inquiryMessage = z.union([
  z.strictObject({ ask: z.enum(['capabilities', 'balance']) }),
  z.strictObject({ ask: z.literal('estimate'), frames: z.int().min(1).max(1000), background: z.enum(['remove', 'keep']) }),
])

const number = z.number().nullable()
const flag = z.boolean().nullable()
const capabilities: z.ZodType<Capabilities> = z.strictObject({
  apiVersion: text,
  keyMode: z.enum(['test', 'live']),
  operations: z.array(text).max(100),
  assumed: z.array(text).max(100),
  imageCredits: credits.nullable(),
  maximumInputBytes: number,
  maximumInputDimension: number,
  maximumSourceInputBytes: number,
  supportedInputExtensions: z.array(text).max(100).nullable(),
  serverSentEvents: flag,
  managedExecute: flag,
  interactiveQuestions: flag,
  stagedInputUploads: flag,
  testModeUsesCredits: flag,
  minimumFrames: number,
  maximumFrames: number,
})
const estimate: z.ZodType<Estimate> = z.strictObject({
  priceVersion: text,
  frameCount: z.number(),
  background: z.enum(['remove', 'keep']),
  credits,
  referenceUsd: text,
  referenceCreditCents: z.int().min(1),
})

/** The answers of a worker. */
export type Answers = { readonly [Ask in keyof typeof answers]: z.output<(typeof answers)[Ask]> }

/** The only readers of answers. `host` is the service's name in the identity of requests. */
export const answers = {
  capabilities: z.strictObject({ host: text, capabilities }),
  balance: z.strictObject({ credits }),
  estimate,
}

/** The only reader of progress that a worker reports. */
export const progressMessage: z.ZodType<JobProgress> = z.strictObject({
  id: text,
  phase: z.enum(['checking', 'uploading', 'submitting', 'queued', 'running', 'waiting', 'downloading', 'bought', 'failed']),
  progress: z.number().min(0).max(1).exactOptional(),
  message: z
    .string()
    .transform((words) => plain(words).slice(0, 500))
    .exactOptional(),
  held: credits.exactOptional(),
  settled: credits.exactOptional(),
})

/** The note of the lease's holder. */
export type LeaseNote = z.output<typeof leaseNote>

/** A valid time of a date. A person who can write to the queue can write any number. */
const time = z.int().min(0).max(8.64e15)

/** The only reader of a note. */
export const leaseNote = z.object({
  /** `free`: nobody has held the lease. `held`: its holder is active or has died. `released`: its holder ended in order. */
  state: z.enum(['free', 'held', 'released']),
  /** Name of the machine and number of the process. */
  by: text.optional(),
  /** Times of taking and of the last renewal, by the clock of the holder. */
  since: time.optional(),
  seen: time.optional(),
})

/** Turns a value into JSON for a queue. Credits become their decimal text. */
export function toMessage(value: object): object {
  return JSON.parse(JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? formatCredits(one) : one)))
}

/** The text of a failure for a client. */
export function formatFailure(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return JSON.stringify({ code: isCode(code) ? code : 'SW_ORDER', message: plain(String(message)).slice(0, 4000) })
}

/**
 * The error that a worker reports. A text in another form becomes `SW_ORDER`.
 *
 * @param facts Facts that the error gets.
 */
export function parseFailure(failure: string, facts: Readonly<Record<string, unknown>> = {}): SpritewrightError {
  const { code, message } = readFailure(failure)
  return new SpritewrightError(code, { message, facts: { ...facts, from: 'worker' } })
}

function readFailure(failure: string): { readonly code: ErrorCode; readonly message: string } {
  try {
    const { code, message } = JSON.parse(failure) as { code?: unknown; message?: unknown }
    if (isCode(code) && typeof message === 'string') return { code, message: plain(message) }
  } catch {
    // The text is a message of the queue itself.
  }
  return { code: 'SW_ORDER', message: `The worker could not handle the order: ${plain(failure).slice(0, 500)}` }
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code)
}

/** Replaces characters that would control a terminal. */
function plain(words: string): string {
  return words.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
}
