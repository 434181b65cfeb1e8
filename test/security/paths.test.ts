import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toSegment } from '../../src/service/address.ts'
import { json, scriptedNet } from '../kit/scripted-net.ts'
import { errorOf, executionId, testClient } from '../service/fixtures.ts'

const hostile: readonly string[] = [
  '',
  '.',
  '..',
  '%2e%2e',
  '.%2E',
  '%252e%252e',
  '%25252e.',
  '%u002e%u002e',
  '../execute',
  'a/../b',
  'a%2f..%2fb',
  'a\\..\\b',
  'a%5c%2e%2e',
  './a',
  'a\u0000',
  'a\r\nb',
  'a%0d%0ab',
  'a%00',
  '\u0085',
  '\ud800',
  'a'.repeat(201),
  `%${'25'.repeat(98)}2e`,
]

const answer = { executionId: 'exec-1', questionId: 'q', text: 'left', key: 'k' }
const nothing = async (): Promise<void> => {}

describe('an id in a path', () => {
  test.each(hostile)('L6: %j is refused as the id of a conversation and of an execution, and nothing is sent', async (id) => {
    const net = scriptedNet(() => json(200, {}))
    const { client } = testClient(net)
    let records = 0
    const record = async (): Promise<void> => void records++
    const listen = async (): Promise<unknown> => client.events(id, null, new AbortController().signal)[Symbol.asyncIterator]().next()
    const refusals = [
      await errorOf(client.answer({ ...answer, conversationId: id }, record)),
      await errorOf(client.deleteConversation(id)),
      await errorOf(client.execution(id)),
      await errorOf(client.cancel(id)),
      await errorOf(listen()),
    ].map(({ code }) => code)
    expect(refusals).toEqual(['SW_WIRE', 'SW_WIRE', 'SW_WIRE', 'SW_WIRE', 'SW_WIRE'])
    expect([net.requests, records]).toEqual([[], 0])
  })

  test.each(hostile.filter((id) => id !== ''))('L6: %j in a reply names no execution', async (id) => {
    const net = scriptedNet(() => json(202, { execution_id: id }))
    const outcome = await testClient(net).client.submit({ key: 'k', body: new Uint8Array([1]) }, nothing)
    expect(outcome.kind).toBe('unknown')
  })

  test.each(['..', '.', '%2e%2e', '%2E.'])('L6: a profile that puts %s into a path itself sends nothing', async (id) => {
    const net = scriptedNet(() => json(202, { execution_id: executionId }))
    const { client } = testClient(net, {
      profile: {
        answer: async (request) => {
          await request({ method: 'POST', path: `/v1/conversations/${id}/answers` })
          return { executionId }
        },
        uploadReference: async (request) => (await request({ method: 'POST', path: `/v1/files/${id}` })).body.text,
      },
    })
    const file = { bytes: new Uint8Array([1]), contentType: 'image/png' } as const
    expect((await errorOf(client.answer({ ...answer, conversationId: 'c' }, nothing))).code).toBe('SW_CONFIG')
    expect((await errorOf(client.uploadReference(file))).code).toBe('SW_CONFIG')
    expect(net.requests).toEqual([])
  })

  test('L6: a job id of more than 200 characters in a download_url is refused, and nothing is sent', async () => {
    const net = scriptedNet(() => json(200, {}))
    const url = (id: string): string => `https://api.example.com/v1/image-jobs/${id}/asset`
    expect((await errorOf(testClient(net).client.download(url('j'.repeat(201))))).code).toBe('SW_WIRE')
    expect(net.requests).toEqual([])
  })

  test('L6: whatever the id, it is refused or is exactly one segment, also after a proxy has decoded it', () => {
    const parts = fc.constantFrom('.', '..', '/', '\\', '%', '%2e', '%2f', '25', 'a', '~', '\u0000', 'é', '?', '#')
    const ids = fc.oneof(
      fc.string(),
      fc.array(parts, { maxLength: 8 }).map((all) => all.join('')),
    )
    const taken: string[] = []
    fc.assert(
      fc.property(ids, (id) => {
        let segment: string
        try {
          segment = toSegment('the execution', id)
        } catch {
          return
        }
        taken.push(id)
        const of = (path: string): string[] => new URL(`https://h/v1/x/${path}/y`).pathname.split('/')
        expect(of(segment)).toEqual(['', 'v1', 'x', segment, 'y'])
        // A proxy that decodes once before it resolves dots must not leave the folder either.
        expect(of(decodeURIComponent(segment).replace(/[?#]/g, '_')).slice(0, 3)).toEqual(['', 'v1', 'x'])
      }),
      { numRuns: 2000 },
    )
    expect(taken.length).toBeGreaterThan(200)
  })
})
