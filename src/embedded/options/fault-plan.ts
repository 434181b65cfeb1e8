import { z } from 'zod'
import { SpritewrightError } from '../../errors.ts'

const whole = (minimum: number, maximum: number): z.ZodNumber => {
  const error = `a whole number from ${minimum} to ${maximum}`
  return z.int({ error }).min(minimum, { error }).max(maximum, { error })
}

/** An object of these members alone. Its error names them. */
function objectOf<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, { error: `an object: ${Object.keys(shape).join(', ')}` })
}

function oneOf<const Words extends readonly string[]>(...words: Words): z.ZodEnum<z.core.util.ToEnum<Words[number]>> {
  const quoted = words.map((word) => `"${word}"`)
  return z.enum(words, { error: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}` })
}

const when = objectOf({
  number: whole(1, 1_000_000_000).optional(),
  origin: oneOf('api', 'assets').optional(),
  method: z.string({ error: 'a method like "POST"' }).optional(),
  path: z.string({ error: 'a path like "/v1/executions/*", * standing for anything' }).optional(),
  nth: whole(1, 1_000_000_000).optional(),
  times: whole(1, 1_000_000_000).optional(),
})

const moment = oneOf('before', 'after')
const flag = z.boolean({ error: 'true or false' })

const deed = objectOf({
  delayMs: whole(0, 86_400_000).optional(),
  drop: moment.optional(),
  status: whole(400, 599).optional(),
  moment: moment.optional(),
  retryAfter: whole(0, 86_400).optional(),
  cutBodyAt: whole(0, 1_000_000_000).optional(),
  garbage: flag.optional(),
  file: oneOf('damaged', 'half', 'damaged-frame', 'odd-frame').optional(),
  addUnknownFields: flag.optional(),
  dropOptionalFields: flag.optional(),
  unknownStatus: z.string({ error: 'a status that the interface does not have' }).optional(),
  stream: oneOf('cut', 'silent', 'duplicated', 'reordered').optional(),
  afterEvents: whole(0, 1_000_000).optional(),
})
  .refine(({ moment: at, status }) => at === undefined || status !== undefined, { error: '"moment" beside "status" only' })
  .refine(({ retryAfter, status }) => retryAfter === undefined || status !== undefined, { error: '"retryAfter" beside "status" only' })
  .refine(({ afterEvents, stream }) => afterEvents === undefined || stream !== undefined, { error: '"afterEvents" beside "stream" only' })

const plan = objectOf({ rules: z.array(objectOf({ when: when.optional(), do: deed }), { error: 'a list of rules' }) })

/** The requests that a rule applies to. All members must match. */
export interface FaultMatch {
  /** Running number of the request over both origins, from 1. */
  readonly number?: number | undefined
  /** @default both */
  readonly origin?: 'api' | 'assets' | undefined
  /** `GET`, `POST` or `DELETE`. @default all */
  readonly method?: string | undefined
  /** Path without the query; `*` matches any characters, slashes too. @default all */
  readonly path?: string | undefined
  /** The rule applies from the n-th request that matches the other members, from 1. @default 1 */
  readonly nth?: number | undefined
  /** The rule applies to at most so many requests. @default all */
  readonly times?: number | undefined
}

/** What happens to a request. Several members can be set. */
export interface FaultDeed {
  /** Milliseconds before the service sees the request. */
  readonly delayMs?: number | undefined
  /** The connection ends without an answer, before or after the service handles the request. */
  readonly drop?: 'before' | 'after' | undefined
  /** Answers with this status, 400 to 599, and the error envelope that the service has for it. */
  readonly status?: number | undefined
  /** Whether `status` comes before or after the service handles the request. @default 'before' */
  readonly moment?: 'before' | 'after' | undefined
  /** Seconds of a `Retry-After` header beside `status`. */
  readonly retryAfter?: number | undefined
  /** The connection ends after so many bytes of the body. */
  readonly cutBodyAt?: number | undefined
  /** A body that does not fit its content type. */
  readonly garbage?: boolean | undefined
  /**
   * A downloaded file has flipped bytes and its right length, or is half of it in a whole answer, or has one
   * frame with flipped bytes in a whole archive, or one that is smaller than the others.
   */
  readonly file?: 'damaged' | 'half' | 'damaged-frame' | 'odd-frame' | undefined
  /**
   * Adds unknown members to every object of a successful JSON answer and of an event, but not to an estimate,
   * which allows none.
   */
  readonly addUnknownFields?: boolean | undefined
  /** Removes all optional members of a response (N18). */
  readonly dropOptionalFields?: boolean | undefined
  /** Replaces the status of an execution. */
  readonly unknownStatus?: string | undefined
  /** An event stream is cut, falls silent, sends every event twice, or swaps every two. */
  readonly stream?: 'cut' | 'silent' | 'duplicated' | 'reordered' | undefined
  /** Events that a stream sends before it is cut or falls silent. @default 1 */
  readonly afterEvents?: number | undefined
}

/** One rule of a plan. */
export interface FaultRule {
  /** @default every request */
  readonly when?: FaultMatch | undefined
  readonly do: FaultDeed
}

/**
 * What goes wrong on the wire of an embedded service, and when: `{"rules": [{"when": {"method": "POST",
 * "path": "/v1/execute", "times": 1}, "do": {"drop": "after"}}]}`. Each rule counts its own requests. If
 * several rules apply to one request, all of them act; if two set the same member, the earlier rule wins.
 */
export interface FaultPlan {
  readonly rules: readonly FaultRule[]
}

/**
 * Reads a fault plan.
 *
 * @param file Its name, for errors.
 * @throws `SW_CONFIG` for text that is no JSON or no plan, with the place (`line` and `column`, or `path`
 *   like `rules[0].do.status`).
 */
export function parseFaultPlan(text: string, file: string): FaultPlan {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw refused(file, `Expected JSON, found a text that is none: ${(cause as Error).message}`, { cause: (cause as Error).message })
  }
  const read = plan.safeParse(value)
  if (read.success) return read.data
  const issue = read.error.issues[0]!
  const path = toPath(issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path)
  const expected = issue.code === 'unrecognized_keys' ? 'nothing by this name' : issue.message
  throw refused(file, `Expected ${expected} at ${path || 'the top'}.`, { path })
}

function toPath(path: readonly PropertyKey[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`)).join('')
}

function refused(file: string, message: string, facts: Readonly<Record<string, unknown>>): SpritewrightError {
  return new SpritewrightError('SW_CONFIG', {
    message: `${file}: ${message} A plan of faults is {"rules": [{"when": {…}, "do": {…}}]}.`,
    facts: { file, ...facts },
  })
}
