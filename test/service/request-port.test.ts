import { expect, test } from 'vitest'
import { toWireRequest } from '../../src/service/http/request-port.ts'

const read = (path: string): unknown => toWireRequest({ method: 'GET', path }, 'uploadReference', 'the upload')

test.each([
  '/v1',
  '/v2/references',
  'v1/references',
  '/v1/../v2/references',
  '/v1/references/..',
  '/v1/./references',
  '/v1/references/%2e%2E/execute',
  '/v1/references/.%2e?a=b',
  '/v1/x/../execute',
  '/v1/execute',
  '/v1/execute/',
  '/v1/execute?again=1',
  'https://other.example.com/v1/references',
])('a profile sends nothing to %s', (path) => {
  expect(() => read(path)).toThrow(
    expect.objectContaining({ code: 'SW_CONFIG', facts: expect.objectContaining({ part: 'uploadReference' }) }),
  )
})

test.each(['/v1/references', '/v1/references/a..b', '/v1/references?name=..', '/v1/executions/e/events', '/v1/execute/e'])(
  'a profile may ask %s',
  (path) => {
    expect(read(path)).toMatchObject({ method: 'GET', path })
  },
)

test('a request of a profile is sent with what it says, and with nothing else', () => {
  const request = {
    method: 'POST',
    path: '/v1/references',
    body: new Uint8Array(1),
    contentType: 'image/png',
    idempotencyKey: 'k',
  } as const
  const sent = toWireRequest({ ...request, isManaged: true }, 'uploadReference', 'the upload')
  expect(sent).toEqual({ ...request, isManaged: true, what: 'the upload', deadlineMs: 300_000 })
  const bare = { method: 'GET', path: '/v1/a' } as const
  expect(toWireRequest(bare, 'x', 'y')).toEqual({ ...bare, what: 'y', deadlineMs: 300_000 })
})
