import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { compareOpenapi } from '../../../src/contract/openapi/openapi.ts'
import { resolveProfile } from '../../../src/service/profile.ts'
import { describedService, type Member, memberAt } from './description.ts'

type Change = (service: Member) => void

async function differences(change: Change = () => {}): Promise<{ where: string; words: string; matters: boolean; profilePart: string }[]> {
  const service = describedService()
  change(service)
  return [...(await compareOpenapi(JSON.stringify(service), 'service.json'))]
}

const schema = (service: Member, name: string): Member => memberAt(service, 'components', 'schemas', name)
const properties = (service: Member, name: string): Member => memberAt(schema(service, name), 'properties')
const operation = (service: Member, path: string, method: string): Member => memberAt(service, 'paths', path, method)

describe('a description of the service', () => {
  test('that is the interface itself differs in nothing, as JSON and as YAML', async () => {
    expect(await differences()).toEqual([])
    expect(await compareOpenapi(stringify(describedService()), 'service.yaml')).toEqual([])
  })

  test.each(['https://api.example.com/v1', 'https://api.example.com/v1/', '/sprites/v1/'])(
    'may leave /v1 to the address of its server, %s',
    async (url) => {
      const found = await differences((service) => {
        service.servers = [{ url }] as unknown as Member[]
        service.paths = Object.fromEntries(Object.entries(service.paths as Member).map(([path, item]) => [path.slice(3), item])) as Member
      })
      expect(found).toEqual([])
    },
  )

  test.each<[string, Change, string, RegExp, string]>([
    ['without a path', (service) => delete memberAt(service, 'paths')['/v1/balance'], 'GET /v1/balance', /not described/, ''],
    [
      'with another method',
      (service) => {
        memberAt(service, 'paths')['/v1/conversations/{id}'] = { post: { responses: { '200': {} } } }
      },
      'DELETE /v1/conversations/{}',
      /Expected DELETE, found POST/,
      '',
    ],
    [
      'with an upload elsewhere',
      (service) => {
        const paths = memberAt(service, 'paths')
        paths['/v1/uploads'] = paths['/v1/reference-assets'] as Member
        delete paths['/v1/reference-assets']
      },
      'POST /v1/reference-assets',
      /not described/,
      'uploadReference',
    ],
    [
      'with a header that we do not send',
      (service) => {
        operation(service, '/v1/balance', 'get').parameters = [{ name: 'X-Tenant', in: 'header', required: true }] as unknown as Member[]
      },
      'GET /v1/balance',
      /X-Tenant is required/,
      '',
    ],
    [
      'whose submission needs another member',
      (service) => {
        properties(service, 'Submission').style = { type: 'string' }
        schema(service, 'Submission').required = ['operation', 'prompt', 'style']
      },
      'POST /v1/execute',
      /style is required, ours lacks it/,
      'executeBody',
    ],
    [
      'whose ceiling is a number',
      (service) => {
        properties(service, 'Submission').max_credits = { type: 'number' }
      },
      'POST /v1/execute',
      /max_credits must be of type number, ours is a text/,
      'executeBody',
    ],
    [
      'whose submission has other names and no room for ours',
      (service) => {
        const known = properties(service, 'Submission')
        known.reference = known.reference_asset_id as Member
        delete known.reference_asset_id
        schema(service, 'Submission').additionalProperties = false
      },
      'POST /v1/execute',
      /reference_asset_id is not allowed/,
      'executeBody',
    ],
    [
      'whose submission is a choice of operations, none of which is ours',
      (service) => {
        schema(service, 'Submission').oneOf = [{ required: ['quote_id'] }, { required: ['seed'] }] as unknown as Member[]
      },
      'POST /v1/execute',
      /is required, ours lacks it/,
      'executeBody',
    ],
    [
      'whose acceptance nests the id',
      (service) => {
        memberAt(service, 'components', 'schemas').Accepted = {
          type: 'object',
          properties: { data: { type: 'object' } },
          required: ['data'],
        }
      },
      'POST /v1/execute',
      /cannot be read/,
      'readAccepted',
    ],
    [
      'that answers 200',
      (service) => {
        const { '202': accepted, ...rest } = operation(service, '/v1/execute', 'post').responses as Member
        operation(service, '/v1/execute', 'post').responses = { ...rest, '200': accepted as Member }
      },
      'POST /v1/execute',
      /Expected success as 202, found 200/,
      'readAccepted',
    ],
    [
      'whose balance is elsewhere',
      (service) => {
        const responses = memberAt(operation(service, '/v1/balance', 'get'), 'responses', '200', 'content', 'application/json')
        responses.schema = { type: 'object', properties: { available: { type: 'number' } }, required: ['available'] }
      },
      'GET /v1/balance',
      /cannot be read/,
      'readBalance',
    ],
    [
      'with an eighth field of the estimate',
      (service) => {
        properties(service, 'Estimate').discount = { type: 'string' }
      },
      'GET /v1/sprite-pricing',
      /discount is described/,
      '',
    ],
    [
      'whose key mode may be missing',
      (service) => {
        schema(service, 'Capabilities').required = ['api_version']
      },
      'GET /v1/capabilities',
      /required fields alone, cannot be read: .*key_mode/,
      '',
    ],
    [
      'whose status is a number',
      (service) => {
        properties(service, 'Execution').status = { type: 'integer' }
      },
      'GET /v1/executions/{}',
      /Expected status as string, found integer/,
      '',
    ],
    [
      'whose refusals are of another form',
      (service) => {
        schema(service, 'Envelope').properties = { message: { type: 'string' } }
        schema(service, 'Envelope').required = ['message']
      },
      'GET /v1/capabilities',
      /401, 422, 429 are not described as the error envelope/,
      '',
    ],
    [
      'that serves assets itself',
      (service) => {
        operation(service, '/v1/image-jobs/{job_id}/asset', 'get').responses = { '200': {} }
      },
      'GET /v1/image-jobs/{}/asset',
      /Expected success as 3xx, found 200/,
      '',
    ],
    [
      'without bearer keys',
      (service) => {
        memberAt(service, 'components').securitySchemes = { key: { type: 'apiKey', in: 'query', name: 'key' } }
      },
      'security',
      /bearer/,
      '',
    ],
  ])('%s is told so, with the part of the profile that would help', async (_name, change, where, words, profilePart) => {
    const matters = (await differences(change)).filter((one) => one.matters)
    const found = matters.filter((one) => one.where === where && words.test(one.words))
    expect(found).toMatchObject([{ profilePart }])
    // One change makes one difference, except that the envelope is everywhere.
    expect(matters.filter((one) => one.where !== where && !/envelope|readAccepted|Accepted|202|acceptance/.test(one.words))).toEqual([])
  })

  test('may add fields, statuses and endpoints: told, and nothing that matters', async () => {
    const found = await differences((service) => {
      properties(service, 'Execution').cost = { type: 'string' }
      properties(service, 'Execution').status = { enum: ['queued', 'running', 'completed', 'failed', 'paused'] }
      properties(service, 'Capabilities').colours = { type: 'integer' }
      memberAt(service, 'paths')['/v1/videos'] = { post: { responses: { '202': {} } } }
    })
    expect(found).toEqual([
      { where: 'GET /v1/executions/{}', words: expect.stringContaining('paused'), matters: false, profilePart: '' },
      { where: 'POST /v1/videos', words: expect.stringContaining('does not use'), matters: false, profilePart: '' },
    ])
  })

  test('is compared with the profile of the configuration', async () => {
    const service = describedService()
    const paths = memberAt(service, 'paths')
    paths['/v1/uploads'] = paths['/v1/reference-assets'] as Member
    delete paths['/v1/reference-assets']
    const profile = resolveProfile({
      uploadReference: async (request, { bytes }) => String((await request({ method: 'POST', path: '/v1/uploads', body: bytes })).status),
    })
    expect(await compareOpenapi(JSON.stringify(service), 'service.json', profile)).toEqual([])
  })

  test.each([
    ['{}', /without openapi and paths/],
    ['{"openapi":"2.0","paths":{}}', /version 2.0/],
    ['{"openapi":', /neither JSON nor YAML/],
    ['a: b: c', /neither JSON nor YAML/],
    ['', /without openapi and paths/],
  ])('%j is refused', async (text, words) => {
    await expect(compareOpenapi(text, 'service.yaml')).rejects.toMatchObject({ code: 'SW_USAGE', message: expect.stringMatching(words) })
  })

  test('with references that go in circles or nowhere is read to its end', async () => {
    const found = await differences((service) => {
      memberAt(service, 'components', 'schemas').Loop = { $ref: '#/components/schemas/Loop' }
      properties(service, 'Execution').parent = { $ref: '#/components/schemas/Execution' }
      properties(service, 'Execution').loop = { $ref: '#/components/schemas/Loop' }
      properties(service, 'Execution').away = { $ref: 'https://example.com/schema.json' }
    })
    expect(found.filter(({ matters }) => matters)).toEqual([])
  })
})
