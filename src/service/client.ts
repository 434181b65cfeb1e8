import canonicalize from 'canonicalize'
import { type Credits, parseCredits } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import type { Clock } from '../host/clock.ts'
import type { Disk } from '../host/disk.ts'
import type { Net } from '../host/net.ts'
import type { Random } from '../host/random.ts'
import { sha256 } from '../host/sha256.ts'
import { refuseKeyInAddress, searchFor } from '../key-search.ts'
import { parseServiceAddress, toSegment } from './address.ts'
import { createAnswer } from './answer.ts'
import { createCancel, createDeletion } from './conversation.ts'
import { type Bucket, createAskedPauses } from './http/asked-pauses.ts'
import { anyType, createDownload } from './http/download.ts'
import { createFreeExchange, createFreeRequest, type FreeRequest } from './http/free-request.ts'
import { toRequestPort } from './http/request-port.ts'
import { createRetryBudget } from './http/retry.ts'
import { tellPauses } from './http/told-pauses.ts'
import { createTransport, parseApiKey, type WireRequest } from './http/transport.ts'
import { rawMember } from './json.ts'
import { createLimiter, type Limiter, type Limits, resolveLimits } from './limits/limits.ts'
import { createSharedLimiter } from './limits/shared-limits.ts'
import { tellWaits } from './limits/told-waits.ts'
import { guarded, notFromProfile, type Profile, resolveProfile } from './profile.ts'
import { readCapabilities, readEstimate, readExecution } from './replies.ts'
import { streamEvents } from './stream.ts'
import type { AnswerSubmission, ReferenceFile, Submission } from './submission.ts'
import { createSubmit } from './submit.ts'
import type { Cancellation, Capabilities, Estimate, Execution, ServiceEvent, SubmissionOutcome } from './wire.ts'

export type { AnswerSubmission, ImageSubmission, ReferenceFile, SheetSubmission, Submission } from './submission.ts'

/**
 * The service, with one method for each endpoint. The client retries free requests (rate limits, lost
 * connections). A submission or an answer is sent once in a call.
 *
 * On abort, a method rejects with the signal's reason. Exceptions: `events` ends, and `submit` and `answer`
 * run to their end once they have sent.
 *
 * Every method except `submit` and `answer` throws `SW_UNREACHABLE`, `SW_KEY_REFUSED`, `SW_REFUSED` (facts:
 * `status`, `reason`, `retryable`, `requestId`, `details`) or `SW_WIRE`.
 */
export interface ServiceClient {
  /** Host and path of the base URL, a part of every request's identity. */
  readonly host: string
  /**
   * Returns a fingerprint of the API key, salted by `salt`. The fingerprint shows a changed key, but does not
   * reveal the key.
   */
  keyTag(salt: string): string
  capabilities(signal?: AbortSignal): Promise<Capabilities>
  /** Available credits, without those that are held. */
  balance(signal?: AbortSignal): Promise<Credits>
  estimate(frames: number, background: 'remove' | 'keep', signal?: AbortSignal): Promise<Estimate>
  /** Uploads a reference and returns its id. Free. */
  uploadReference(file: ReferenceFile, signal?: AbortSignal): Promise<string>
  /** The canonical bytes of a submission's body (RFC 8785). Pure. */
  submissionBody(submission: Submission): Uint8Array
  /**
   * The `max_credits` of a body. Pure. Returns undefined if the body has no such field: a single picture, or
   * another shape of the profile.
   */
  maxCreditsOf(body: Uint8Array): Credits | undefined
  /**
   * Sends one submission, once. Paid: only `job/purchase.ts` calls it.
   *
   * @param record Called after the wait for the service's limits and right before the POST. If it rejects,
   * nothing is sent.
   */
  submit(
    submission: { readonly key: string; readonly body: Uint8Array },
    record: () => Promise<void>,
    signal?: AbortSignal,
  ): Promise<SubmissionOutcome>
  /**
   * Answers a question, once. The answer starts a new execution, which the outcome names. Paid like a
   * submission. The same answer under the same key may be sent again.
   *
   * @param record As for `submit`.
   */
  answer(answer: AnswerSubmission, record: () => Promise<void>, signal?: AbortSignal): Promise<SubmissionOutcome>
  execution(executionId: string, signal?: AbortSignal): Promise<Execution>
  /**
   * Cancels an image execution. The service may refuse, even if `isCancellable` returns true.
   */
  cancel(executionId: string, signal?: AbortSignal): Promise<Cancellation>
  /**
   * N8: whether an image execution may be cancelled now, by the profile. Sprites can never be cancelled, by
   * the interface itself (C11).
   */
  isCancellable(execution: Execution, operation: Submission['operation']): boolean
  /** Deletes a conversation at the service for ever. Downloaded files stay. */
  deleteConversation(conversationId: string, signal?: AbortSignal): Promise<void>
  /**
   * The events of an execution after `lastEventId`. Ends when the connection ends or on abort. Abort the call
   * to leave a silent stream. Throws if no stream can be opened. At most four streams are open at once; a
   * fifth stream waits.
   */
  events(executionId: string, lastEventId: string | null, signal: AbortSignal): AsyncIterable<ServiceEvent>
  /**
   * Follows the owned `download_url` to its signed URL without credentials and reads the file. Requests a new
   * redirect if the signed URL has expired.
   */
  download(downloadUrl: string, signal?: AbortSignal): Promise<{ readonly bytes: Uint8Array; readonly contentType: string | null }>
  /** Waits until releases of shared slots are on disk, and closes idle connections. */
  close(): Promise<void>
}

/** The ports of the world that a client uses. */
export interface ClientPorts {
  readonly net: Net
  readonly clock: Clock
  readonly random: Random
  /** Needed for `limitsFolder` only. */
  readonly disk?: Disk
}

/** How to reach a service. */
export interface ClientOptions {
  /** `https://host` or `https://host/path`; plain `http` on loopback only. */
  readonly baseUrl: string
  /** The API key: visible ASCII. White space around it is removed. */
  readonly key: string
  /** Parts of the profile that differ from the default. */
  readonly profile?: Partial<Profile>
  /** Limits that differ from those of the interface. */
  readonly limits?: Partial<Limits>
  /**
   * Whether a submission requests the initial event stream instead of a JSON answer. Its first event names
   * the execution.
   *
   * @default false
   */
  readonly initialStream?: boolean
  /**
   * Absolute path of a folder of this user, in which all processes with the same key share the limits. Needs
   * the port `disk`.
   *
   * @default the limits apply to this client alone
   */
  readonly limitsFolder?: string
  /**
   * Receives a sentence for a person when requests wait some seconds for the limits, or before another try.
   *
   * @default the sentence is dropped
   */
  readonly onWait?: (sentence: string) => void
  /**
   * Name of the service in the identity of requests.
   *
   * @default host and path of `baseUrl`
   */
  readonly host?: string
}

/**
 * Creates a client of the service. Nothing is sent before a method is called. Only closures hold the key, so
 * printing the client or any of its errors does not show it.
 *
 * @throws `SW_CONFIG` for a base URL or a limit that cannot be used, `SW_NO_KEY` for a key that cannot be
 * sent in a header.
 */
export function createClient(ports: ClientPorts, options: ClientOptions): ServiceClient {
  const { net, clock, random } = ports
  const key = parseApiKey(options.key)
  refuseKeyInAddress(searchFor(key), options.baseUrl, "the service's base URL", { option: 'service.baseUrl' })
  const address = parseServiceAddress(options.baseUrl)
  const profile = resolveProfile(options.profile)
  const pauses = createAskedPauses(ports, options.limitsFolder, { baseUrl: options.baseUrl, key })
  const limiter = pauses.over(toLimiter(ports, options, key))
  const onPause = options.onWait && tellPauses(clock, options.onWait)
  const tools = { clock, random, budget: createRetryBudget(), onPause }
  const transport = createTransport(net, clock, address, key, async (request, ms) => {
    const bucket = bucketOf(request)
    if (bucket !== undefined) await pauses.note(bucket, ms)
  })
  const exchange = createFreeExchange(transport, limiter, tools)
  const free = createFreeRequest(transport, exchange)
  const reads = createReads(free, profile)
  const cancel = createCancel({ transport, exchange, execution: reads.execution })
  const remove = createDeletion({ transport, exchange, execution: reads.execution })
  return Object.freeze({
    host: options.host ?? address.host,
    keyTag: (salt) => sha256(salt, key).slice(0, 16),
    ...reads,
    uploadReference: async (file, signal) => {
      const id = await profile.uploadReference(toRequestPort(free, 'uploadReference', 'the reference upload', signal), file)
      if (typeof id === 'string' && id !== '') return id
      throw notFromProfile('uploadReference', 'the id of the uploaded reference as a text')
    },
    submissionBody: (submission) => toBody(profile, submission),
    maxCreditsOf: readMaxCredits,
    submit: createSubmit({ transport, limiter, profile }, options.initialStream ?? false),
    answer: createAnswer({ transport, limiter, profile }),
    cancel: async (executionId, signal) => cancel(executionId, executionPath(executionId), signal),
    isCancellable: (execution, operation) => operation !== 'sprite_sheet' && !isOver(execution) && profile.cancellable(execution),
    deleteConversation: async (conversationId, signal) =>
      remove(`/v1/conversations/${toSegment('the conversation', conversationId)}`, signal),
    events: (executionId, lastEventId, signal) =>
      streamEvents({ transport, limiter, profile }, `${executionPath(executionId)}/events`, lastEventId, signal),
    download: createDownload({ net, clock, transport, limiter, tools }),
    close: async () => {
      await limiter.settled()
      await net.close()
    },
  } satisfies ServiceClient)
}

/** The limit that counts a request. Streams have a separate limit (C24), and their reader falls back on reads. */
function bucketOf({ method, accept }: WireRequest): Bucket | undefined {
  if (method !== 'GET') return 'post'
  if (accept === 'text/event-stream') return undefined
  return accept === anyType ? 'download' : 'get'
}

function toLimiter(ports: ClientPorts, options: ClientOptions, key: string): Limiter {
  const limits = resolveLimits(options.limits)
  const limiter = toSilentLimiter(ports, options, limits, key)
  return options.onWait ? tellWaits(limiter, ports.clock, limits, options.onWait) : limiter
}

function toSilentLimiter({ clock, disk, random }: ClientPorts, options: ClientOptions, limits: Limits, key: string): Limiter {
  const own = createLimiter(clock, limits)
  if (options.limitsFolder === undefined) return own
  if (disk === undefined) {
    throw new SpritewrightError('SW_CONFIG', {
      message: 'Expected the port `disk` beside the option `limitsFolder`, found none. Pass it, or omit the option.',
      facts: { option: 'limitsFolder' },
    })
  }
  return createSharedLimiter(own, { disk, clock, random }, limits, options.limitsFolder, { baseUrl: options.baseUrl, key })
}

type Reads = Pick<ServiceClient, 'capabilities' | 'balance' | 'estimate' | 'execution'>

function createReads(free: FreeRequest, profile: Profile): Reads {
  const get = (path: string, what: string, signal: AbortSignal | undefined, isManaged = false) =>
    free({ method: 'GET', path, what, isManaged }, signal)
  return {
    capabilities: async (signal) => readCapabilities((await get('/v1/capabilities', 'the capabilities', signal)).body),
    balance: async (signal) => {
      const amount = profile.readBalance((await get('/v1/balance', 'the balance', signal)).body)
      if (typeof amount !== 'string') throw notFromProfile('readBalance', 'the credits as a decimal text')
      return parseCredits(amount, "the balance from the service profile's readBalance")
    },
    estimate: async (frames, background, signal) => {
      const path = `/v1/sprite-pricing?frame_count=${frames}&background=${background}`
      const estimate = readEstimate((await get(path, 'the estimate', signal)).body.value)
      if (estimate.frameCount === frames && estimate.background === background) return estimate
      const found = `${estimate.frameCount} frames, background ${estimate.background}`
      throw notAsked('the estimate', `${frames} frames, background ${background}`, found)
    },
    execution: async (executionId, signal) => {
      const execution = readExecution((await get(executionPath(executionId), 'the execution', signal, true)).body.value)
      if (execution.executionId === executionId) return execution
      throw notAsked('the execution', executionId, execution.executionId)
    },
  }
}

function toBody(profile: Profile, submission: Submission): Uint8Array {
  const make = guarded('executeBody', () => canonicalize(profile.executeBody(submission)))
  const text = make()
  // A promise, a map and the like have no members.
  if (text?.startsWith('{"') && text === make()) return new TextEncoder().encode(text)
  throw notFromProfile('executeBody', 'a JSON object with members, the same for equal submissions')
}

function readMaxCredits(body: Uint8Array): Credits | undefined {
  const raw = rawMember(new TextDecoder().decode(body), 'max_credits')
  return raw === null ? undefined : parseCredits(raw.startsWith('"') ? (JSON.parse(raw) as string) : raw, 'max_credits')
}

function isOver({ status }: Execution): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

function executionPath(executionId: string): string {
  return `/v1/executions/${toSegment('the execution', executionId)}`
}

function notAsked(what: string, asked: string, found: string): SpritewrightError {
  return new SpritewrightError('SW_WIRE', {
    message: `Expected ${what} of ${asked}, found ${found.slice(0, 200)}. The answer was ignored; if this repeats, report it to the service.`,
    facts: { what, asked, found: found.slice(0, 200) },
  })
}
