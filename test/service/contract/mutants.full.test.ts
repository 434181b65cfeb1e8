import { afterAll, describe, expect, test } from 'vitest'
import { runContract } from '../../../src/contract/suite.ts'
import { formatCredits, parseCredits, sumCredits } from '../../../src/credit/credits.ts'
import { type EmbeddedService, startEmbeddedService } from '../../../src/embedded/service.ts'
import { nodeClock } from '../../../src/host/clock.ts'
import { nodeNet } from '../../../src/host/net.ts'
import { nodeRandom } from '../../../src/host/random.ts'
import type { ServedRequest, ServedResponse } from '../../../src/host/server.ts'
import { heldJob, otherId } from './held-job.ts'
import { type ProxyDeeds, startProxy, type WholeResponse, withJson } from './proxy.ts'

const net = nodeNet()
afterAll(() => net.close())

const unlimited = { post: 1_000_000, get: 1_000_000, download: 1_000_000 }

/** How long a mutant may hold its job, in milliseconds. Few take that long: those of which nobody asks to cancel. */
const mutantMs = 30_000

/** A service that breaks one promise: the embedded one behind a proxy that changes only this. */
interface Mutant {
  readonly clause: string
  readonly what: string
  readonly deeds: (service: EmbeddedService) => ProxyDeeds
}

type Change = (request: ServedRequest, response: WholeResponse) => WholeResponse
const answering =
  (change: Change): (() => ProxyDeeds) =>
  () => ({ response: async (request, response) => change(request, response) })
const isSubmission = ({ method, path }: ServedRequest): boolean => method === 'POST' && path === '/v1/execute'
const isRead = ({ method, path }: ServedRequest): boolean => method === 'GET' && /^\/v1\/executions\/[^/]+$/.test(path)
const isRefusal = ({ status }: WholeResponse): boolean => status >= 400
const without = (headers: WholeResponse['headers'], name: string): WholeResponse['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
const inError = (response: WholeResponse, change: (error: Record<string, unknown>) => Record<string, unknown>): WholeResponse =>
  withJson(response, (body) => ({ ...body, error: change(body.error as Record<string, unknown>) }))
const inJob = (response: WholeResponse, change: (job: Record<string, unknown>) => Record<string, unknown>): WholeResponse =>
  withJson(response, (body) => ({ ...body, image_job: change(body.image_job as Record<string, unknown>) }))

function conflictForgotten(): ProxyDeeds {
  let accepted: WholeResponse | undefined
  return {
    response: async (request, response) => {
      if (!isSubmission(request)) return response
      if (response.status === 202) accepted = response
      return response.status === 409 && accepted ? accepted : response
    },
  }
}

function keysForgotten(): ProxyDeeds {
  let count = 0
  return {
    response: async (request, response) =>
      isSubmission(request) && response.status === 202 && ++count === 2
        ? withJson(response, (body) => ({ ...body, execution_id: otherId }))
        : response,
  }
}

function fifthStreamOpen(service: EmbeddedService): ProxyDeeds {
  // The fifth one is opened under another key of the same account.
  let other: Promise<string> | undefined
  let open = 0
  return {
    request: async (request) => {
      if (!/\/events$/.test(request.path)) return request
      open++
      request.signal.addEventListener('abort', () => open--)
      if (open < 5) return request
      other ??= service.mintKey()
      return { ...request, headers: { ...request.headers, authorization: `Bearer ${await other}` } }
    },
  }
}

const mutants: readonly Mutant[] = [
  { clause: 'C3', what: 'other bytes under a used key get the first acceptance', deeds: conflictForgotten },
  { clause: 'C3', what: 'a repeated submission names another execution', deeds: keysForgotten },
  {
    clause: 'C4',
    what: 'a submission is refused with 402',
    deeds: answering((request, response) =>
      isSubmission(request) && response.status === 202
        ? {
            ...response,
            status: 402,
            headers: { ...response.headers, pragma: 'no-cache', 'cache-control': 'no-store' },
            body: new TextEncoder().encode(
              JSON.stringify({
                error: {
                  code: 'INSUFFICIENT_CREDITS',
                  reason: 'insufficient_credits',
                  message: 'No.',
                  category: 'BILLING',
                  retryable: false,
                  request_id: otherId,
                },
              }),
            ),
          }
        : response,
    ),
  },
  {
    clause: 'C1',
    what: 'a missing key is answered with 401',
    deeds: () => ({
      request: async (request) =>
        request.headers.authorization === undefined
          ? { ...request, headers: { ...request.headers, authorization: 'Bearer sw_test_nobody_has_this' } }
          : request,
    }),
  },
  {
    clause: 'C2',
    what: 'Service-Version is not asked for',
    deeds: () => ({ request: async (request) => ({ ...request, headers: { ...request.headers, 'service-version': '1' } }) }),
  },
  {
    clause: 'C18',
    what: 'an estimate has an eighth field',
    deeds: answering((request, response) =>
      request.path.startsWith('/v1/sprite-pricing') && response.status === 200
        ? withJson(response, (body) => ({ ...body, discount: '0.1' }))
        : response,
    ),
  },
  {
    clause: 'C18',
    what: 'an estimate may be stored',
    deeds: answering((request, response) =>
      request.path.startsWith('/v1/sprite-pricing') && response.status === 200
        ? { ...response, headers: without(response.headers, 'cache-control') }
        : response,
    ),
  },
  {
    clause: 'C18',
    what: 'an estimate is given for six frames',
    deeds: () => ({ request: async (request) => ({ ...request, path: request.path.replace(/frame_count=6$/, 'frame_count=12') }) }),
  },
  {
    clause: 'C19',
    what: 'the price has another version',
    deeds: answering((request, response) =>
      request.path.startsWith('/v1/sprite-pricing') && response.status === 200
        ? withJson(response, (body) => ({ ...body, price_version: 'sprite-base-frame-20270101-v2' }))
        : response,
    ),
  },
  {
    clause: 'C27',
    what: 'an error has a seventh field',
    deeds: answering((_request, response) => (isRefusal(response) ? inError(response, (error) => ({ ...error, hint: 'x' })) : response)),
  },
  {
    clause: 'C27',
    what: 'an error comes without X-Request-ID',
    deeds: answering((_request, response) =>
      isRefusal(response) ? { ...response, headers: without(response.headers, 'x-request-id') } : response,
    ),
  },
  {
    clause: 'C27',
    what: 'an error repeats what was submitted',
    deeds: answering((request, response) =>
      response.status === 422
        ? inError(response, (error) => ({ ...error, details: { field: 'query', found: decodeURIComponent(request.path) } }))
        : response,
    ),
  },
  {
    clause: 'C28',
    what: 'an error gives a reason that is not public',
    deeds: answering(unknownReason),
  },
  {
    clause: 'C29',
    what: 'a 429 is not retryable',
    deeds: answering((_request, response) =>
      response.status === 429 ? inError(response, (error) => ({ ...error, retryable: false })) : response,
    ),
  },
  {
    clause: 'C38',
    what: 'the API version is another',
    deeds: answering((request, response) =>
      request.path.startsWith('/v1/capabilities') && response.status === 200
        ? withJson(response, (body) => ({ ...body, api_version: '2' }))
        : response,
    ),
  },
  {
    clause: 'C16',
    what: 'a limit of the capabilities is a text',
    deeds: answering((request, response) =>
      request.path.startsWith('/v1/capabilities') && response.status === 200
        ? withJson(response, (body) => ({ ...body, maximum_input_bytes: '10485760' }))
        : response,
    ),
  },
  {
    clause: 'C14',
    what: 'the balance does not show holds',
    deeds: (service) => ({
      response: async (request, response) => {
        if (request.path !== '/v1/balance' || response.status !== 200) return response
        const held = sumCredits(service.holds().map(({ credits }) => credits))
        return withJson(response, ({ credits }) => ({ credits: formatCredits(parseCredits(String(credits)) + held) }))
      },
    }),
  },
  {
    clause: 'C15',
    what: 'the ceiling is forgotten',
    // The service gets an ample ceiling. A repeated key is still compared with its first bytes.
    deeds: () => ({
      request: async (request) =>
        isSubmission(request) && request.headers['idempotency-key']?.endsWith('-under')
          ? { ...request, body: new TextEncoder().encode(new TextDecoder().decode(request.body).replace('"0.0001"', '"9"')) }
          : request,
    }),
  },
  {
    clause: 'C11',
    what: 'a sprite seems to be cancelled',
    deeds: answering((request, response) =>
      request.path.endsWith('/cancel') && !request.path.includes(otherId)
        ? { ...response, status: 200, body: new TextEncoder().encode(JSON.stringify({ status: 'cancelled' })) }
        : response,
    ),
  },
  {
    clause: 'C22',
    what: 'a resumed stream begins at the start again',
    deeds: () => ({
      request: async (request) => {
        const { 'last-event-id': _from, ...headers } = request.headers
        return { ...request, headers }
      },
    }),
  },
  { clause: 'C24', what: 'a fifth stream is open', deeds: fifthStreamOpen },
  {
    clause: 'C25',
    what: 'an asset is served by the API itself, without a redirect',
    deeds: answering((request, response) =>
      request.path.endsWith('/asset') && response.status === 302
        ? { status: 200, headers: { 'content-type': 'application/zip' }, body: new Uint8Array([0x50, 0x4b]) }
        : response,
    ),
  },
  {
    clause: 'C6',
    what: 'an execution has a status of its own',
    deeds: answering((request, response) =>
      isRead(request) && response.status === 200
        ? withJson(response, (body) => (body.status === 'queued' || body.status === 'running' ? { ...body, status: 'dreaming' } : body))
        : response,
    ),
  },
  {
    clause: 'C9',
    what: 'a question stands on an execution that does not wait',
    deeds: answering((request, response) =>
      isRead(request) && response.status === 200
        ? withJson(response, (body) => ({ ...body, question: { question_id: otherId, text: 'Left or right?', requires_asset: false } }))
        : response,
    ),
  },
  {
    clause: 'C35',
    what: 'the review counts another number of frames',
    deeds: answering((request, response) =>
      isRead(request) && response.status === 200
        ? inJob(response, (job) =>
            job.frame_review ? { ...job, frame_review: { ...(job.frame_review as object), frame_count: 12 } } : job,
          )
        : response,
    ),
  },
  {
    clause: 'C37',
    what: 'a finished asset is said to be a PNG',
    deeds: answering((request, response) =>
      isRead(request) && response.status === 200
        ? inJob(response, (job) => ({
            ...job,
            finished_assets: (job.finished_assets as object[]).map((asset) => ({ ...asset, content_type: 'image/png' })),
          }))
        : response,
    ),
  },
  {
    clause: 'C40',
    what: 'an answer repeats the key',
    deeds: answering((request, response) =>
      request.path === '/v1/balance' && response.status === 200
        ? { ...response, headers: { ...response.headers, 'x-debug': request.headers.authorization ?? '' } }
        : response,
    ),
  },
]

function unknownReason(request: ServedRequest, response: WholeResponse): WholeResponse {
  // At a place where no other check reads the reason: a missing asset, requested without a key.
  return request.path.endsWith('/asset') && response.status === 422
    ? inError(response, (error) => ({ ...error, reason: 'gremlins' }))
    : response
}

describe('a promise that is broken on purpose is named by the suite:', () => {
  test.concurrent.each(mutants.map((mutant) => [`${mutant.clause}, where ${mutant.what}`, mutant] as const))(
    '%s',
    async (_name, { clause, deeds }) => {
      const service = await startEmbeddedService({ ...heldJob(mutantMs), limits: { ...unlimited, activeJobs: 2, streams: 4 } })
      const proxy = await startProxy(service.url, deeds(service))
      try {
        const options = { baseUrl: proxy.url, key: service.key, spend: parseCredits('10'), limits: unlimited, pollMs: 5 }
        const lines = await runContract({ net, clock: nodeClock(), random: nodeRandom() }, options)
        const broken = new Set(lines.filter(({ verdict }) => verdict === 'broken').map((line) => line.clause))
        expect([...broken]).toEqual([clause])
      } finally {
        await proxy.close()
        await service.close()
      }
    },
  )

  test('none is, where nothing is changed', async () => {
    const service = await startEmbeddedService({ limits: unlimited })
    const proxy = await startProxy(service.url, { request: async (request): Promise<ServedRequest | ServedResponse> => request })
    try {
      const lines = await runContract(
        { net, clock: nodeClock(), random: nodeRandom() },
        { baseUrl: proxy.url, key: service.key, limits: unlimited },
      )
      expect(lines.filter(({ verdict }) => verdict === 'broken')).toEqual([])
    } finally {
      await proxy.close()
      await service.close()
    }
  })
})
