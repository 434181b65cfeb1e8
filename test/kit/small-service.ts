import { createHash } from 'node:crypto'
import { formatCredits, isCreditsText, parseCredits } from '../../src/credit/credits.ts'
import { binary, conflict, envelope, invalid, json, type SmallRequest, type SmallResponse } from './small-wire.ts'

/** How an execution ends when its time has come. */
export type Fate = 'completes' | 'fails, may be tried again' | 'fails for good'

/** One execution. Its status at a moment follows from the clock alone. */
export interface SmallExecution {
  readonly id: string
  readonly conversationId: string
  readonly jobId: string
  readonly key: string
  readonly bodySha256: string
  readonly prompt: string
  readonly frames: number
  readonly background: string
  readonly price: bigint
  /** When the service accepted it, in the service's own milliseconds. */
  readonly at: number
  readonly fate: Fate | 'no credits'
}

/** The whole memory of the service. It is plain data that never changes in place, so a copy costs nothing. */
export interface SmallState {
  /** Current price of a sheet, in ten-thousandths of a credit. */
  readonly price: bigint
  /** How many reference pictures were uploaded. Each has an id of its own, even if its bytes are equal. */
  readonly uploads: number
  readonly executions: readonly SmallExecution[]
  /** Accepted submissions by `Idempotency-Key`. */
  readonly keys: Readonly<Record<string, { readonly bodySha256: string; readonly execution: number; readonly at: number }>>
}

/** The service's rules. */
export interface SmallRules {
  readonly apiOrigin: string
  readonly assetsOrigin: string
  readonly apiKey: string
  readonly credits: bigint
  readonly priceVersion: string
  readonly frames: { readonly minimum: number; readonly maximum: number }
  /** How long a job takes, in milliseconds. */
  readonly jobMs: number
  /** How long a key is remembered, in milliseconds. */
  readonly retentionMs: number
  /** How long a signed link is valid, in milliseconds. */
  readonly linkMs: number
  /** How the n-th execution ends, from 0. */
  readonly fate: (index: number) => Fate
  /** What an event stream of a running execution does. `lies`: it sends `done` at once. */
  readonly stream: 'ends' | 'lies' | 'is missing'
  /** The delivered bytes. */
  readonly zip: Uint8Array
}

/** The state of a service that has done nothing yet. */
export function emptyService(price: bigint): SmallState {
  return { price, uploads: 0, executions: [], keys: {} }
}

/** Status and money of an execution at a moment. */
export function viewSmall(
  execution: SmallExecution,
  rules: SmallRules,
  now: number,
): { readonly status: 'running' | 'completed' | 'failed'; readonly money: 'none' | 'held' | 'settled' | 'restored' } {
  if (execution.fate === 'no credits') return { status: 'failed', money: 'none' }
  if (now - execution.at < rules.jobMs) return { status: 'running', money: 'held' }
  return execution.fate === 'completes' ? { status: 'completed', money: 'settled' } : { status: 'failed', money: 'restored' }
}

/** An answer, and the state after it. */
export interface SmallTurn {
  readonly state: SmallState
  readonly response: SmallResponse
}

/**
 * Answers one request to either origin. Pure.
 *
 * @param now The service's time, in milliseconds.
 */
export function answerSmall(rules: SmallRules, state: SmallState, request: SmallRequest, now: number): SmallTurn {
  const { method, url, headers } = request
  if (url.startsWith(`${rules.assetsOrigin}/`)) return { state, response: serveFile(rules, state, request, now) }
  const path = url.slice(rules.apiOrigin.length)
  const refusal = refuseCaller(rules, headers.authorization)
  if (refusal) return { state, response: refusal }
  if (method === 'POST' && path === '/v1/reference-assets') return takeUpload(state)
  if (method === 'POST' && path === '/v1/execute') return execute(rules, state, request, now)
  return { state, response: method === 'GET' ? read(rules, state, path, headers, now) : envelope('resource_not_found') }
}

function refuseCaller(rules: SmallRules, authorization: string | undefined): SmallResponse | undefined {
  if (authorization === undefined) return invalid('Authorization')
  return authorization === `Bearer ${rules.apiKey}` ? undefined : envelope('authentication_failed')
}

function takeUpload(state: SmallState): SmallTurn {
  const uploads = state.uploads + 1
  return { state: { ...state, uploads }, response: json(201, { asset_id: idOf('a', uploads), content_type: 'image/png' }) }
}

function execute(rules: SmallRules, state: SmallState, request: SmallRequest, now: number): SmallTurn {
  const key = request.headers['idempotency-key']
  if (request.headers['service-version'] !== '1') return { state, response: invalid('Service-Version') }
  if (key === undefined) return { state, response: invalid('Idempotency-Key') }
  const bodySha256 = createHash('sha256').update(request.body).digest('hex')
  const known = Object.hasOwn(state.keys, key) ? state.keys[key] : undefined
  if (known && now - known.at < rules.retentionMs) {
    const response = known.bodySha256 === bodySha256 ? accepted(state.executions[known.execution] as SmallExecution) : conflict()
    return { state, response }
  }
  const asked = readBody(rules, state, request.body)
  if ('status' in asked) return { state, response: asked }
  const index = state.executions.length
  const left = rules.credits - state.executions.reduce((sum, other) => sum + takenBy(other, rules, now), 0n)
  const execution: SmallExecution = {
    ...asked,
    id: idOf('e', index + 1),
    conversationId: idOf('c', index + 1),
    jobId: idOf('b', index + 1),
    key,
    bodySha256,
    price: state.price,
    at: now,
    fate: left < state.price ? 'no credits' : rules.fate(index),
  }
  const keys = { ...state.keys, [key]: { bodySha256, execution: index, at: now } }
  return { state: { ...state, executions: [...state.executions, execution], keys }, response: accepted(execution) }
}

function accepted({ id, conversationId }: SmallExecution): SmallResponse {
  return json(202, { execution_id: id, conversation_id: conversationId, status: 'queued' })
}

function takenBy(execution: SmallExecution, rules: SmallRules, now: number): bigint {
  const { money } = viewSmall(execution, rules, now)
  return money === 'held' || money === 'settled' ? execution.price : 0n
}

/** The content of a submission, or its refusal. */
function readBody(
  rules: SmallRules,
  state: SmallState,
  bytes: Uint8Array,
): Pick<SmallExecution, 'prompt' | 'frames' | 'background'> | SmallResponse {
  let body: Record<string, unknown>
  try {
    body = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>
  } catch {
    return invalid('body')
  }
  const { operation, prompt, reference_asset_id: reference, max_credits: maxCredits } = body
  if (operation !== 'sprite_sheet') return invalid('operation')
  if (typeof prompt !== 'string' || prompt.trim() === '') return invalid('prompt')
  const upload = typeof reference === 'string' ? /^a0000000-0000-4000-8000-(\d{12})$/.exec(reference) : null
  if (!upload) return invalid('reference_asset_id')
  if (typeof maxCredits !== 'string' || !isCreditsText(maxCredits)) return invalid('max_credits')
  const { frame_count: frames, background } = (body.animation ?? {}) as Record<string, unknown>
  if (typeof frames !== 'number') return invalid('animation.frame_count')
  if (background !== 'remove' && background !== 'keep') return invalid('animation.background')
  if (frames < rules.frames.minimum || frames > rules.frames.maximum) return invalid('animation.frame_count')
  if (Number.parseInt(upload[1] as string, 10) > state.uploads) return invalid('reference_asset_id')
  if (state.price > parseCredits(maxCredits)) return invalid('max_credits', { current_credits: formatCredits(state.price) })
  return { prompt, frames, background }
}

function read(rules: SmallRules, state: SmallState, path: string, headers: SmallRequest['headers'], now: number): SmallResponse {
  if (path === '/v1/capabilities') return json(200, capabilitiesOf(rules))
  if (path === '/v1/balance') {
    const taken = state.executions.reduce((sum, execution) => sum + takenBy(execution, rules, now), 0n)
    return json(200, { credits: formatCredits(rules.credits > taken ? rules.credits - taken : 0n) })
  }
  const estimate = /^\/v1\/sprite-pricing\?frame_count=(\d+)&background=(remove|keep)$/.exec(path)
  if (estimate) return readEstimate(rules, state, Number.parseInt(estimate[1] as string, 10), estimate[2] as string)
  const [, place, id, leaf] = /^\/v1\/(executions|image-jobs)\/([^/]+)(\/events|\/asset)?$/.exec(path) ?? []
  const execution = state.executions.find((one) => (place === 'executions' ? one.id : one.jobId) === id)
  if (place === 'executions' && leaf === undefined && headers['service-version'] !== '1') return invalid('Service-Version')
  if (!execution) return envelope('resource_not_found')
  if (place === 'executions' && leaf === undefined) return json(200, describe(execution, rules, now))
  if (place === 'executions' && leaf === '/events') return streamOf(execution, rules, now)
  if (place !== 'image-jobs' || leaf !== '/asset' || viewSmall(execution, rules, now).status !== 'completed')
    return envelope('resource_not_found')
  const location = `${rules.assetsOrigin}/deliveries/${execution.id}?expires=${now + rules.linkMs}`
  return { status: 302, headers: { location, 'content-length': '0' }, body: new Uint8Array() }
}

function readEstimate(rules: SmallRules, state: SmallState, frames: number, background: string): SmallResponse {
  if (frames < rules.frames.minimum || frames > rules.frames.maximum) return invalid('frame_count')
  return json(200, {
    price_version: rules.priceVersion,
    frame_count: frames,
    background,
    credits: formatCredits(state.price),
    reference_usd: '0.60',
    reference_credit_cents: 25,
    binding: false,
  })
}

function capabilitiesOf(rules: SmallRules): object {
  const { minimum, maximum } = rules.frames
  return {
    api_version: '1',
    key_mode: 'test',
    operations: ['sprite_sheet'],
    live_charge_credits_per_image: 1,
    sprite_pricing: { minimum_frames: minimum, maximum_frames: maximum },
  }
}

/** The body of `GET /v1/executions/{id}`, with only the fields that the client reads. */
function describe(execution: SmallExecution, rules: SmallRules, now: number): object {
  const { status } = viewSmall(execution, rules, now)
  const { id, conversationId, jobId, fate, frames, background } = execution
  const failure = { code: 'FAILED', message: 'It failed.', request_id: id }
  const job = { ...failure, reason: 'generation_failed', retryable: fate === 'fails, may be tried again' }
  const url = `${rules.apiOrigin}/v1/image-jobs/${jobId}/asset`
  const asset = { asset_id: id, download_url: url, content_type: 'application/zip', width: 8, height: 8 }
  const indices = { kept_background_frames: [], inspection_frames: [], source_shifted_frames: [] }
  return {
    execution_id: id,
    conversation_id: conversationId,
    status,
    image_job: {
      public_job_id: jobId,
      status,
      finished_assets: status === 'completed' ? [asset] : [],
      sanitized_error: status === 'failed' && fate !== 'no credits' ? job : null,
      frame_review: status === 'completed' ? { frame_count: frames, background, ...indices } : null,
    },
    question: null,
    error: fate === 'no credits' ? { ...failure, reason: 'insufficient_credits', retryable: false } : null,
  }
}

/** The current events. Then the connection ends. */
function streamOf(execution: SmallExecution, rules: SmallRules, now: number): SmallResponse {
  const { status } = viewSmall(execution, rules, now)
  if (status === 'running' && rules.stream === 'is missing') return envelope('resource_not_found')
  const event = (kind: string, id: number, said: string): string =>
    `event: ${kind}\nid: event-${id}\ndata: ${JSON.stringify({ execution_id: execution.id, status: said })}\n\n`
  const isDone = status !== 'running' || rules.stream === 'lies'
  const text = `${event('started', 1, 'queued')}${isDone ? event('done', 2, status === 'running' ? 'completed' : status) : ''}`
  return { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body: Buffer.from(text) }
}

function serveFile(rules: SmallRules, state: SmallState, { url, headers }: SmallRequest, now: number): SmallResponse {
  if (headers.authorization !== undefined) return binary(400, 'text/plain', new Uint8Array())
  const [, id, expires] = /\/deliveries\/([^/?]+)\?expires=(\d+)$/.exec(url) ?? []
  const execution = state.executions.find((one) => one.id === id)
  if (!execution || now >= Number.parseInt(expires as string, 10)) return binary(403, 'text/plain', new Uint8Array())
  return binary(200, 'application/zip', rules.zip)
}

/** An id of the service's form that shows its kind and its number. */
function idOf(kind: 'a' | 'b' | 'c' | 'e', number: number): string {
  return `${kind}0000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}
