import type { ServedRequest, ServedResponse } from '../../host/server.ts'
import { defaultShapes, type Shapes } from '../http/shapes.ts'
import { makeImage, makeSheet } from '../images/making.ts'
import type { Failure, Operation } from '../store/records.ts'
import type { FaultPlan } from './fault-plan.ts'
import { defaultPricing, type SpritePricing } from './pricing.ts'
import { failureIn, questionIn } from './prompt-words.ts'

/**
 * The fixed key of `spritewright serve` and `service: 'embedded'`. It pays with play money and is valid
 * nowhere else.
 */
export const playMoneyKey: string = 'sw_test_embedded_play_money'

/** A key of an account, in plain text. The service keeps only its hash. */
export interface EmbeddedKey {
  /** 8 to 200 visible ASCII characters. */
  readonly key: string
  /** @default 'test' */
  readonly mode?: 'test' | 'live'
  /** Whether requests with this key are answered with 401. @default false */
  readonly isRevoked?: boolean
}

/** An account of the embedded service. After a restart its name finds it again. */
export interface EmbeddedAccount {
  readonly name: string
  /**
   * All credits ever given to it, a decimal text. Credits that it has spent in the same folder stay spent.
   * @default '100'
   */
  readonly credits?: string
  readonly keys?: readonly EmbeddedKey[]
  /** Operations that it may use. @default all five */
  readonly operations?: readonly Operation[]
}

/** Limits like {@link defaultLimits}. `Infinity` switches a limit off. */
export type EmbeddedLimits = Readonly<typeof defaultLimits>

/** The limits of the interface. */
const defaultLimits = {
  /** Length of the sliding windows, milliseconds. @default 60000 */
  windowMs: 60_000,
  /** POST and DELETE requests in a window, per key and per account. @default 10 */
  post: 10,
  /** GET requests in a window except downloads, per key and per account. @default 120 */
  get: 120,
  /** Asset requests in a window, per key and per account. @default 20 */
  download: 20,
  /** Running executions of an account. @default 2 */
  activeJobs: 2,
  /** Open event streams of a key. @default 4 */
  streams: 4,
}

/** The argument of {@link EmbeddedOptions.verdict}. */
export interface VerdictQuestion {
  /** `admission`: after the 202, before credits are held. `job`: after the hold, before the drawing. */
  readonly stage: 'admission' | 'job'
  /** Counts the attempts of admission, from 1. */
  readonly attempt: number
  readonly executionId: string
  readonly prompt: string
  readonly operation: Operation
}

/** The argument of {@link EmbeddedOptions.ask}: an execution that was admitted and is not drawn yet. */
export interface AskQuestion {
  readonly executionId: string
  readonly operation: Operation
  readonly prompt: string
  /** Earlier answers in its conversation, oldest first. */
  readonly answers: readonly string[]
}

/** A question to the customer. */
export interface AskedQuestion {
  readonly text: string
  /** Whether the answer must come with an uploaded picture. @default false */
  readonly requiresAsset?: boolean
}

/** A request, as hooks receive it. */
export interface HookedRequest extends ServedRequest {
  readonly origin: 'api' | 'assets'
  /** Running number over both origins, from 1. */
  readonly number: number
}

/** An answered request. */
export interface RequestNote {
  readonly number: number
  readonly origin: 'api' | 'assets'
  readonly method: string
  /** As it was sent. The assets origin leaves out the query, which is a secret. */
  readonly path: string
  /** Status of the answer, even if a hook cut the answer off. */
  readonly status: number
  /** Wall clock at arrival, milliseconds since the Unix epoch. */
  readonly at: number
}

/** The makers of results: one for sheets, one for images. */
export interface Makers {
  readonly sheet: typeof makeSheet
  readonly image: typeof makeImage
}

/** Options of the embedded service. `resolveOptions` alone has the defaults. */
export interface EmbeddedOptions {
  /**
   * Folder of the service's state, created if it is missing. Only one process can use it. Without a folder
   * the state ends with the process.
   */
  readonly dir?: string
  /** Port of the API origin on loopback; 0 takes a free one. @default 0 */
  readonly port?: number
  /** Port of the assets origin on loopback; 0 takes a free one. @default 0 */
  readonly assetsPort?: number
  /** Accounts to add to those of the folder. @default one, `demo`, with 100 credits */
  readonly accounts?: readonly EmbeddedAccount[]
  /** Time of a job in addition to its real work, milliseconds, spread over its frames. @default 600 */
  readonly jobMs?: number
  readonly limits?: Partial<EmbeddedLimits>
  /** Prices. @default 2.4 credits for twelve frames */
  readonly pricing?: Partial<SpritePricing>
  /** Price of an image, a decimal text, charged on delivery. @default '1' */
  readonly imageCredits?: string
  /** How long the service remembers an `Idempotency-Key`, milliseconds. @default 86400000 */
  readonly retentionMs?: number
  /** Validity of a signed asset link, milliseconds. @default 900000 */
  readonly linkMs?: number
  /** Silence in an event stream before the service sends a comment line, milliseconds. @default 15000 */
  readonly heartbeatMs?: number
  /** Wait before the next attempt of admission after a retryable failure, milliseconds. @default 1000 */
  readonly admissionRetryMs?: number
  /** Largest reference picture, bytes. @default 10485760 */
  readonly maximumInputBytes?: number
  /** Longest side of a reference picture, pixels. @default 4096 */
  readonly maximumInputDimension?: number
  /** Everything that the interface does not show. @default the default profile's shapes */
  readonly shapes?: Partial<Shapes>
  /**
   * Decides whether an execution fails: a failure, or undefined to let it pass. After a retryable failure at
   * admission the execution stays queued, and this is called again. @default what the words of the
   * prompt say
   */
  readonly verdict?: (question: VerdictQuestion) => Failure | undefined
  /**
   * Decides whether an execution asks a question before it is drawn. It is called again for the execution
   * that an answer starts. @default what the words of the prompt say, once
   */
  readonly ask?: (about: AskQuestion) => AskedQuestion | undefined
  /** Faults on the wire, see `parseFaultPlan`. They act before `before` and after `after`. @default none */
  readonly faults?: FaultPlan
  /**
   * Makers of the results. A simulator passes makers that take no real time. @default the artist and the
   * painter of the embedded service
   */
  readonly makers?: Makers
  /**
   * Receives every request first. If it returns an answer, the service does not see the request; `cutAfter:
   * 0` drops the connection.
   */
  readonly before?: (request: HookedRequest) => Promise<ServedResponse | undefined>
  /** Receives every answer last, when its contents are durable. It may change, delay or drop the answer. */
  readonly after?: (request: HookedRequest, response: ServedResponse) => Promise<ServedResponse>
  /** Called for every answered request. */
  readonly onRequest?: (note: RequestNote) => void
}

/** {@link EmbeddedOptions} with all defaults. */
export type ResolvedEmbeddedOptions = Readonly<ReturnType<typeof resolveOptions>>

/** Fills in the defaults. */
export function resolveOptions(options: EmbeddedOptions) {
  return {
    accounts: options.accounts ?? [{ name: 'demo' }],
    jobMs: options.jobMs ?? 600,
    limits: { ...defaultLimits, ...options.limits },
    pricing: { ...defaultPricing, ...options.pricing },
    retentionMs: options.retentionMs ?? 24 * 60 * 60_000,
    linkMs: options.linkMs ?? 15 * 60_000,
    heartbeatMs: options.heartbeatMs ?? 15_000,
    admissionRetryMs: options.admissionRetryMs ?? 1000,
    maximumInputBytes: options.maximumInputBytes ?? 10 * 1024 * 1024,
    maximumInputDimension: options.maximumInputDimension ?? 4096,
    shapes: { ...defaultShapes, ...options.shapes },
    imageCredits: options.imageCredits ?? '1',
    verdict: options.verdict ?? (({ stage, attempt, prompt }) => failureIn(prompt, stage, attempt)),
    ask: options.ask ?? (({ prompt, answers }) => (answers.length === 0 ? questionIn(prompt) : undefined)),
    faults: options.faults ?? { rules: [] },
    makers: options.makers ?? { sheet: makeSheet, image: makeImage },
    before: options.before ?? (async () => undefined),
    after: options.after ?? (async (_request, response) => response),
    onRequest: options.onRequest ?? (() => {}),
  }
}
