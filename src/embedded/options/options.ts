import type { ServedRequest, ServedResponse } from '../../host/server.ts'
import { defaultShapes, type Shapes } from '../http/shapes.ts'
import { makeImage, makeSheet } from '../images/making.ts'
import type { Failure, Operation } from '../store/records.ts'
import type { FaultPlan } from './fault-plan.ts'
import { defaultPricing, type SpritePricing } from './pricing.ts'
import { readPromptWords } from './prompt-words.ts'

/** The key under which `spritewright serve` and `service: 'embedded'` know their play money: always the same, and good for nothing else. */
export const playMoneyKey: string = 'sw_test_embedded_play_money'

/** A key of an account, as it is handed in. The service keeps only its hash. */
export interface EmbeddedKey {
  /** 8 to 200 visible ASCII characters. */
  readonly key: string
  /** @default 'test' */
  readonly mode?: 'test' | 'live'
  /** Answers 401 from now on. @default false */
  readonly isRevoked?: boolean
}

/** An account of the embedded service, found again by its name after a restart. */
export interface EmbeddedAccount {
  readonly name: string
  /** All credits ever given to it, as a decimal text. What it spent earlier in the same folder stays spent. @default '100' */
  readonly credits?: string
  readonly keys?: readonly EmbeddedKey[]
  /** What it may use. @default all five */
  readonly operations?: readonly Operation[]
}

/** Limits of the interface. `Infinity` switches one off. */
export interface EmbeddedLimits {
  /** Length of the sliding windows, milliseconds. @default 60000 */
  readonly windowMs: number
  /** POST and DELETE requests a window, per key and per account. @default 10 */
  readonly post: number
  /** GET requests a window but downloads, per key and per account. @default 120 */
  readonly get: number
  /** Asset requests a window, per key and per account. @default 20 */
  readonly download: number
  /** Running executions an account. @default 2 */
  readonly activeJobs: number
  /** Open event streams a key. @default 4 */
  readonly streams: number
}

/** The limits of the interface. */
const defaultLimits: EmbeddedLimits = { windowMs: 60_000, post: 10, get: 120, download: 20, activeJobs: 2, streams: 4 }

/** What {@link EmbeddedOptions.verdict} is asked about. */
export interface VerdictQuestion {
  /** `admission`: after the 202, before anything is held. `job`: after the hold, before anything is drawn. */
  readonly stage: 'admission' | 'job'
  /** From 1; counts the tries of admission. */
  readonly attempt: number
  readonly executionId: string
  readonly prompt: string
  readonly operation: Operation
}

/** What {@link EmbeddedOptions.ask} is asked about: an execution that was admitted and is about to be drawn. */
export interface AskQuestion {
  readonly executionId: string
  readonly operation: Operation
  readonly prompt: string
  /** Answers that its conversation has given already, oldest first. */
  readonly answers: readonly string[]
}

/** A question to put to whoever submitted. */
export interface AskedQuestion {
  readonly text: string
  /** Whether the answer must come with an uploaded picture. @default false */
  readonly requiresAsset?: boolean
}

/** A request as the hooks see it. */
export interface HookedRequest extends ServedRequest {
  readonly origin: 'api' | 'assets'
  /** Running number over both origins, from 1. */
  readonly number: number
}

/** One request that was answered. */
export interface RequestNote {
  readonly number: number
  readonly origin: 'api' | 'assets'
  readonly method: string
  /** As sent; without the query on the assets origin, where it is a secret. */
  readonly path: string
  /** Status of the answer, also where a hook cut it off. */
  readonly status: number
  /** Wall clock at its arrival, milliseconds since the Unix epoch. */
  readonly at: number
}

/** The makers of results: one for sheets, one for pictures. */
export interface Makers {
  readonly sheet: typeof makeSheet
  readonly image: typeof makeImage
}

/** Options of the embedded service; defaults in {@link resolveOptions} and nowhere else. */
export interface EmbeddedOptions {
  /** Folder of the service's state, made where it is missing; one process a folder. Without it everything ends with the process. */
  readonly dir?: string
  /** Port of the API origin on loopback; 0 takes a free one. @default 0 */
  readonly port?: number
  /** Port of the assets origin on loopback; 0 takes a free one. @default 0 */
  readonly assetsPort?: number
  /** Accounts that there shall be, added to those of the folder. @default one, `demo`, with 100 credits */
  readonly accounts?: readonly EmbeddedAccount[]
  /** How long a job takes beside its real work, milliseconds, spread over its frames. @default 600 */
  readonly jobMs?: number
  readonly limits?: Partial<EmbeddedLimits>
  /** Prices. @default 2.4 credits for twelve frames */
  readonly pricing?: Partial<SpritePricing>
  /** What an image costs, a decimal text; charged on delivery. @default '1' */
  readonly imageCredits?: string
  /** How long an `Idempotency-Key` is remembered, milliseconds. @default 86400000 */
  readonly retentionMs?: number
  /** Validity of a signed asset link, milliseconds. @default 900000 */
  readonly linkMs?: number
  /** Silence in an event stream before a comment line is sent, milliseconds. @default 15000 */
  readonly heartbeatMs?: number
  /** Wait before admission is tried again after a retryable failure, milliseconds. @default 1000 */
  readonly admissionRetryMs?: number
  /** Largest reference picture, bytes. @default 10485760 */
  readonly maximumInputBytes?: number
  /** Longest side of a reference picture, pixels. @default 4096 */
  readonly maximumInputDimension?: number
  /** Everything that the interface does not show. @default the default profile's shapes */
  readonly shapes?: Partial<Shapes>
  /** Makes executions fail: a failure to give, or undefined to let it pass. A retryable one at admission leaves it queued and is asked again. @default what {@link readPromptWords} reads from the prompt */
  readonly verdict?: (question: VerdictQuestion) => Failure | undefined
  /** Makes executions ask before they are drawn. Asked again for the execution that an answer starts. @default what {@link readPromptWords} reads from the prompt, once */
  readonly ask?: (about: AskQuestion) => AskedQuestion | undefined
  /** What goes wrong on the wire, see `parseFaultPlan`. Stands outside of `before` and `after`. @default nothing */
  readonly faults?: FaultPlan
  /** Who draws. A simulator hands in makers whose work takes no real time. @default the artists of the embedded service */
  readonly makers?: Makers
  /** Sees every request first. An answer of its own keeps the request from the service; `cutAfter: 0` drops it. */
  readonly before?: (request: HookedRequest) => Promise<ServedResponse | undefined>
  /** Sees every answer last, when what it says is done and durable, and may change, delay or drop it. */
  readonly after?: (request: HookedRequest, response: ServedResponse) => Promise<ServedResponse>
  /** Told of every answered request. */
  readonly onRequest?: (note: RequestNote) => void
}

/** {@link EmbeddedOptions} with every default filled in. */
export interface ResolvedEmbeddedOptions {
  readonly accounts: readonly EmbeddedAccount[]
  readonly jobMs: number
  readonly limits: EmbeddedLimits
  readonly pricing: SpritePricing
  readonly retentionMs: number
  readonly linkMs: number
  readonly heartbeatMs: number
  readonly admissionRetryMs: number
  readonly maximumInputBytes: number
  readonly maximumInputDimension: number
  readonly shapes: Shapes
  readonly imageCredits: string
  readonly verdict: (question: VerdictQuestion) => Failure | undefined
  readonly ask: (about: AskQuestion) => AskedQuestion | undefined
  readonly faults: FaultPlan
  readonly makers: Makers
  readonly before: (request: HookedRequest) => Promise<ServedResponse | undefined>
  readonly after: (request: HookedRequest, response: ServedResponse) => Promise<ServedResponse>
  readonly onRequest: (note: RequestNote) => void
}

/** Fills in the defaults. */
export function resolveOptions(options: EmbeddedOptions): ResolvedEmbeddedOptions {
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
    verdict: options.verdict ?? verdictOfWords,
    ask: options.ask ?? questionOfWords,
    faults: options.faults ?? { rules: [] },
    makers: options.makers ?? { sheet: makeSheet, image: makeImage },
    before: options.before ?? (async () => undefined),
    after: options.after ?? (async (_request, response) => response),
    onRequest: options.onRequest ?? (() => {}),
  }
}

function verdictOfWords({ stage, attempt, prompt }: VerdictQuestion): Failure | undefined {
  const { busy, failure } = readPromptWords(prompt)
  if (stage === 'admission' && attempt <= busy)
    return { reason: 'temporarily_unavailable', message: 'The service is busy; it tries again by itself.', retryable: true }
  return failure?.stage === stage ? failure.failure : undefined
}

function questionOfWords({ answers, prompt }: AskQuestion): AskedQuestion | undefined {
  return answers.length === 0 ? readPromptWords(prompt).question : undefined
}
