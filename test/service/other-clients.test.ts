import { EventSource } from 'eventsource'
import { createEventSource } from 'eventsource-client'
import { afterEach, describe, expect, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import { createClient, type ServiceClient } from '../../src/service/client.ts'
import { figurePng } from '../kit/project.ts'

const open: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** The part of a stream's event that every reader returns. */
interface Seen {
  readonly kind: string
  readonly id: string
  readonly data: string
}

const kinds = ['started', 'thinking', 'progress', 'job', 'question', 'asset', 'done'] as const

/** An execution of the embedded service that has ended, with the URL of its stream. */
async function ended(): Promise<{ service: EmbeddedService; client: ServiceClient; executionId: string; url: string }> {
  const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 } })
  open.push(() => service.close())
  const { net, clock, random } = nodeHost()
  const client = createClient({ net, clock, random }, { baseUrl: service.url, key: service.key })
  open.push(() => client.close())
  const referenceId = await client.uploadReference({ bytes: figurePng(), contentType: 'image/png' })
  const { credits } = await client.estimate(7, 'remove')
  const sheet = { operation: 'sprite_sheet', prompt: 'p', referenceId, frames: 7, background: 'remove', maxCredits: credits } as const
  const outcome = await client.submit({ key: 'sw1-others', body: client.submissionBody(sheet) }, async () => {})
  if (outcome.kind !== 'accepted') throw new Error(outcome.kind)
  const { executionId } = outcome
  for await (const event of client.events(executionId, null, new AbortController().signal)) if (event.kind === 'done') break
  return { service, client, executionId, url: `${service.url}/v1/executions/${executionId}/events` }
}

const headersOf = (service: EmbeddedService, lastEventId: string | null): Record<string, string> => ({
  authorization: `Bearer ${service.key}`,
  'service-version': '1',
  ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
})

/** The package `eventsource`: the browser's own interface. */
function byEventSource(url: string, service: EmbeddedService, lastEventId: string | null): Promise<Seen[]> {
  const all: Seen[] = []
  return new Promise((resolve) => {
    const source = new EventSource(url, {
      fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headersOf(service, lastEventId) } }),
    })
    for (const kind of kinds) {
      source.addEventListener(kind, (event) => {
        all.push({ kind, id: event.lastEventId, data: String(event.data) })
        if (kind !== 'done') return
        source.close()
        resolve(all)
      })
    }
  })
}

/** The package `eventsource-client`. */
async function byEventSourceClient(url: string, service: EmbeddedService, lastEventId: string | null): Promise<Seen[]> {
  const all: Seen[] = []
  const source = createEventSource({
    url,
    headers: headersOf(service, null),
    ...(lastEventId === null ? {} : { initialLastEventId: lastEventId }),
  })
  for await (const { event, id, data } of source) {
    all.push({ kind: event ?? 'message', id: id ?? '', data })
    if (event === 'done') break
  }
  source.close()
  return all
}

/** The package's own reader. Its hints have no payload, so only kinds and ids are compared. */
async function byOurs(client: ServiceClient, executionId: string, lastEventId: string | null): Promise<Omit<Seen, 'data'>[]> {
  const all: Omit<Seen, 'data'>[] = []
  for await (const { kind, id } of client.events(executionId, lastEventId, new AbortController().signal)) all.push({ kind, id: id ?? '' })
  return all
}

describe('the stream of the embedded service', () => {
  test('C21, C22: readers of others and ours see the same events, from the start and from every identifier on', async () => {
    const { service, client, executionId, url } = await ended()
    const whole = await byEventSource(url, service, null)
    expect(whole.length).toBeGreaterThan(3)
    expect(whole.at(-1)?.kind).toBe('done')
    expect(new Set(whole.map((seen) => seen.id)).size).toBe(whole.length)
    for (const seen of whole) expect(() => JSON.parse(seen.data)).not.toThrow()
    // After the last event, nothing is left to send, and only the package's own reader would stop asking.
    for (let from = -1; from < whole.length - 1; from++) {
      const lastEventId = whole[from]?.id ?? null
      const rest = whole.slice(from + 1)
      expect(await byEventSource(url, service, lastEventId)).toEqual(rest)
      expect(await byEventSourceClient(url, service, lastEventId)).toEqual(rest)
      expect(await byOurs(client, executionId, lastEventId)).toEqual(rest.map(({ kind, id }) => ({ kind, id })))
    }
  })
})
