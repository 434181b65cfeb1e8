import { afterEach, describe, expect, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import { createClient } from '../../src/service/client.ts'
import { figurePng } from '../kit/project.ts'
import { json, type Reply, refused, scriptedNet } from '../kit/scripted-net.ts'
import { executionId, testClient } from './fixtures.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const submit = async (reply: Reply) => {
  const net = scriptedNet(() => reply)
  const { client, clock } = testClient(net, { initialStream: true })
  const outcome = await clock.run(client.submit({ key: 'k', body: new Uint8Array([1]) }, async () => {}))
  expect(net.requests).toHaveLength(1)
  expect(net.requests[0]?.headers.accept).toBe('text/event-stream')
  return outcome
}
const stream = (body: string, more: object = {}): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body,
  ...more,
})
const named = `data: {"execution_id": "${executionId}", "status": "queued"}\n\n`

describe('a submission that asks for the initial stream', () => {
  test('C5: is accepted by the first event that names the execution, also where others come before it or the stream breaks after it', async () => {
    const accepted = { kind: 'accepted', executionId, conversationId: null }
    expect(await submit(stream(named))).toEqual(accepted)
    expect(await submit(stream(`: hi\n\nevent: thinking\ndata: hm\n\ndata: {}\n\n${named}data: {`))).toEqual(accepted)
    expect(await submit({ status: 202, headers: { 'content-type': 'text/event-stream' }, body: named })).toEqual(accepted)
  })

  test('C5: is unknown where the stream ends or breaks before that, and is never sent again by itself', async () => {
    expect(await submit(stream(''))).toMatchObject({ kind: 'unknown', status: 200 })
    expect(await submit(stream('data: {"status": "queued"}\n\n'))).toMatchObject({ kind: 'unknown', status: 200 })
    for (let cut = 0; cut < named.length - 1; cut += 5) {
      expect(await submit(stream(named, { cutAfter: cut }))).toMatchObject({ kind: 'unknown', status: null })
    }
    expect(await submit('silence')).toMatchObject({ kind: 'unknown', status: null })
  })

  test('C5, C4: is accepted and refused as JSON too, where the service answers so', async () => {
    expect(await submit(json(202, { execution_id: executionId }))).toMatchObject({ kind: 'accepted' })
    expect(await submit(refused(429, 'rate_limited', { retryable: true }))).toMatchObject({ kind: 'refused', status: 429 })
    expect(await submit(json(200, { execution_id: executionId }))).toMatchObject({ kind: 'unknown' })
  })

  test('C5, C23: works with the embedded service, and the closed connection ends no job', async () => {
    const service: EmbeddedService = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 } })
    open.push(() => service.close())
    const { net, clock, random } = nodeHost()
    const client = createClient({ net, clock, random }, { baseUrl: service.url, key: service.key, initialStream: true })
    open.push(() => client.close())
    const referenceId = await client.uploadReference({ bytes: figurePng(), contentType: 'image/png' })
    const { credits } = await client.estimate(7, 'remove')
    const sheet = { operation: 'sprite_sheet', prompt: 'p', referenceId, frames: 7, background: 'remove', maxCredits: credits } as const
    const outcome = await client.submit({ key: 'sw1-initial', body: client.submissionBody(sheet) }, async () => {})
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
    const kinds: string[] = []
    for await (const event of client.events(outcome.executionId, null, new AbortController().signal)) kinds.push(event.kind)
    expect(kinds.at(-1)).toBe('done')
    expect((await client.execution(outcome.executionId)).status).toBe('completed')
    expect(service.charges()).toHaveLength(1)
  })
})
