import type { ServedRequest, ServedResponse } from '../../host/server.ts'
import { type Caller, requireOperation } from '../accounts/accounts.ts'
import { capabilitiesOf } from '../accounts/capabilities.ts'
import type { Bucket, Windows } from '../accounts/windows.ts'
import { cancelExecution, deleteConversation } from '../executions/conversations.ts'
import { viewOf } from '../executions/execution-view.ts'
import type { Ground } from '../executions/ground.ts'
import type { Jobs } from '../executions/jobs.ts'
import type { Submission, Submissions, TakenIn } from '../executions/submissions.ts'
import { invalid, jsonResponse, Refusal, splitPath, toEnvelope } from '../http/http.ts'
import type { Shapes } from '../http/shapes.ts'
import { estimateOf, readEstimateQuery } from '../options/pricing.ts'
import type { Assets } from './assets.ts'
import type { Streams } from './streams.ts'
import { takeUpload } from './uploads.ts'

/** The parts that the endpoints use. */
export interface ApiGround extends Ground {
  readonly submissions: Submissions
  readonly jobs: Jobs
  readonly streams: Streams
  readonly windows: Windows
  readonly assets: Assets
  /** Origin of links if a request names no host. */
  readonly apiUrl: string
}

/** A request with its endpoint. */
interface Call {
  readonly caller: Caller
  readonly request: ServedRequest
  readonly query: URLSearchParams
  /** The variable parts of the path, in order. */
  readonly ids: readonly string[]
  readonly requestId: string
}

interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Segments; `*` stands for an id. */
  readonly path: string
  readonly bucket: Bucket
  /** Whether the request must have `Service-Version: 1`. */
  readonly isManaged?: boolean
  readonly answer: (ground: ApiGround, call: Call) => ServedResponse | Promise<ServedResponse>
}

const privately = { 'cache-control': 'private, no-store' }

function endpointsOf({ uploadPath, answerPath }: Shapes): readonly Endpoint[] {
  return [
    { method: 'GET', path: '/v1/capabilities', bucket: 'get', answer: capabilities },
    { method: 'GET', path: '/v1/balance', bucket: 'get', answer: balance },
    { method: 'GET', path: '/v1/sprite-pricing', bucket: 'get', answer: spritePricing },
    { method: 'POST', path: uploadPath, bucket: 'post', answer: upload },
    { method: 'POST', path: '/v1/execute', bucket: 'post', isManaged: true, answer: execute },
    { method: 'GET', path: '/v1/executions/*', bucket: 'get', isManaged: true, answer: execution },
    { method: 'GET', path: '/v1/executions/*/events', bucket: 'get', answer: events },
    { method: 'POST', path: '/v1/executions/*/cancel', bucket: 'post', isManaged: true, answer: cancel },
    { method: 'GET', path: '/v1/image-jobs/*/asset', bucket: 'download', answer: asset },
    { method: 'DELETE', path: '/v1/conversations/*', bucket: 'post', isManaged: true, answer: remove },
    { method: 'POST', path: answerPath, bucket: 'post', isManaged: true, answer: reply },
  ]
}

/**
 * Creates the API origin. It sends an answer only after the answer's contents are durable. Every answer has
 * an `X-Request-ID`, and every refusal is an error envelope.
 */
export function createApi(ground: ApiGround): (request: ServedRequest) => Promise<ServedResponse> {
  return async (request) => {
    const requestId = ground.random.uuid()
    try {
      const response = await dispatch(ground, request, requestId).catch((error: unknown) => {
        if (error instanceof Refusal) return toEnvelope(error, requestId)
        throw error
      })
      await ground.store.flushed()
      return { ...response, headers: { ...response.headers, 'x-request-id': requestId } }
    } catch (error) {
      // An error of the service or a full disk. `mistakes` records it; the client learns only that the
      // outcome is unknown.
      ground.onMistake(error)
      return toEnvelope(new Refusal('temporarily_unavailable', 'The service cannot answer now. Try the same request again.'), requestId)
    }
  }
}

async function dispatch(ground: ApiGround, request: ServedRequest, requestId: string): Promise<ServedResponse> {
  const caller = ground.accounts.authenticate(request.headers.authorization)
  const { segments, query } = splitPath(request.path)
  const endpoint = endpointsOf(ground.options.shapes).find(
    ({ method, path }) => method === request.method && matches(path.split('/').slice(1), segments),
  )
  ground.windows.enter(endpoint?.bucket ?? (request.method === 'GET' ? 'get' : 'post'), caller)
  if (endpoint === undefined) throw new Refusal('resource_not_found', 'There is no such endpoint.')
  if (endpoint.isManaged && request.headers['service-version'] !== '1') throw invalid('Service-Version', '1')
  const pattern = endpoint.path.split('/').slice(1)
  const ids = segments.filter((_, index) => pattern[index] === '*')
  return endpoint.answer(ground, { caller, request, query, ids, requestId })
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.length === segments.length && pattern.every((part, index) => part === '*' || part === segments[index])
}

function capabilities({ options, pricing }: ApiGround, { caller }: Call): ServedResponse {
  return jsonResponse(200, capabilitiesOf(caller, options, pricing()), privately)
}

function balance({ accounts, options }: ApiGround, { caller }: Call): ServedResponse {
  return jsonResponse(200, options.shapes.balance(accounts.available(caller.account.id)), privately)
}

function spritePricing({ pricing }: ApiGround, { caller, query }: Call): ServedResponse {
  const { frames, background } = readEstimateQuery(query, pricing())
  requireOperation(caller, 'sprite_sheet')
  return jsonResponse(200, estimateOf(pricing(), frames, background), privately)
}

async function upload(ground: ApiGround, { caller, request }: Call): Promise<ServedResponse> {
  const { shapes } = ground.options
  const body = await shapes.readUpload(request.headers['content-type'], request.body)
  return jsonResponse(201, shapes.upload(await takeUpload(ground, caller, body)), privately)
}

function execute(ground: ApiGround, call: Call): ServedResponse {
  return takeIn(ground, call, (submission) => ground.submissions.accept(submission))
}

function reply(ground: ApiGround, call: Call): ServedResponse {
  return takeIn(ground, call, (submission) => ground.submissions.answer(call.ids[0]!, submission))
}

function takeIn({ jobs, options, streams }: ApiGround, call: Call, take: (submission: Submission) => TakenIn): ServedResponse {
  const { caller, request, requestId } = call
  const { headers, body, signal } = request
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) throw invalid('Content-Type', 'application/json')
  const wantsStream = /\btext\/event-stream\b/i.test(headers.accept ?? '')
  if (wantsStream) streams.checkRoom(caller)
  const { execution, isNew } = take({ caller, idempotencyKey: headers['idempotency-key'], body, requestId })
  if (isNew) jobs.start(execution.id)
  return wantsStream
    ? streams.open(caller, execution.id, undefined, signal)
    : jsonResponse(202, options.shapes.accepted(execution), privately)
}

function execution({ apiUrl, executions, options }: ApiGround, { caller, ids, request }: Call): ServedResponse {
  const host = request.headers.host ?? ''
  const origin = /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : apiUrl
  return jsonResponse(200, viewOf(executions.owned(caller, ids[0]!), options.shapes, origin), privately)
}

function events({ executions, streams }: ApiGround, { caller, ids, request }: Call): ServedResponse {
  const { id } = executions.owned(caller, ids[0]!)
  return streams.open(caller, id, request.headers['last-event-id'], request.signal)
}

function cancel(ground: ApiGround, { caller, ids }: Call): ServedResponse {
  const { id, conversationId, status } = cancelExecution(ground, caller, ids[0]!)
  return jsonResponse(200, { execution_id: id, conversation_id: conversationId, status }, privately)
}

function remove(ground: ApiGround, { caller, ids }: Call): ServedResponse {
  deleteConversation(ground, caller, ids[0]!)
  return { status: 204, headers: privately, body: new Uint8Array() }
}

function asset({ assets, executions }: ApiGround, { caller, ids }: Call): ServedResponse {
  const location = assets.link(executions.ownedByJob(caller, ids[0]!))
  return { status: 302, headers: { location, 'content-length': '0', 'cache-control': 'no-store' }, body: new Uint8Array() }
}
