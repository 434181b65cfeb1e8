import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { NetRequest } from '../../src/host/net.ts'
import { follow } from '../../src/job/delivery/follow.ts'
import { createEventReader } from '../../src/service/events.ts'
import type { Execution, ServiceEvent } from '../../src/service/wire.ts'
import { describeWith } from '../kit/needs.ts'
import { json, type Reply, scriptedNet } from '../kit/scripted-net.ts'
import { byLevel } from '../level.ts'
import { corpus, executionId, testClient } from './fixtures.ts'

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const stream = (body: Uint8Array, cutAfter?: number): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body,
  ...(cutAfter === undefined ? {} : { cutAfter }),
})

/** The service's answers to the reads of an execution, in order. The last one stays. */
const truth = ['queued', 'running', 'completed'].map((status) => ({
  execution_id: executionId,
  status,
  image_job: {
    public_job_id: 'job',
    status: `~${status}`,
    finished_assets: status === 'completed' ? [{ download_url: '/v1/image-jobs/job/asset' }] : [],
  },
}))

/** Follows an execution whose stream is answered by `events`, or that has no stream if `events` is null. */
async function followed(events: Reply | null): Promise<Execution> {
  let reads = 0
  const net = scriptedNet((request) => {
    if (request.url.endsWith('/events')) return events ?? { status: 404, body: '' }
    return json(200, truth[Math.min(reads++, truth.length - 1)])
  })
  const { client, clock } = testClient(net, { limits: { get: 1000 } })
  return clock.run(follow({ client, clock }, executionId))
}

interface Entry {
  readonly file: string
  readonly http: { readonly contentType: string }
}
const folder = corpus('sse')
const files: readonly string[] =
  folder === null
    ? []
    : (JSON.parse(readFileSync(`${folder}/index.json`, 'utf8')) as { files: Entry[] }).files
        .filter((entry) => entry.http.contentType.startsWith('text/event-stream'))
        .map((entry) => entry.file)
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(`${folder}/${file}`))

/** The bytes of a stream after which an event is complete. Only a cut there changes what was received. */
function eventEnds(bytes: Uint8Array): number[] {
  const reader = createEventReader()
  const ends: number[] = []
  for (let at = 0; at < bytes.length; at++) if (reader.push(bytes.subarray(at, at + 1)).length > 0) ends.push(at + 1)
  return ends
}

describeWith(folder !== null, 'corpora')('every stream of the corpus', () => {
  test('C21: cut at any byte into two pieces it gives the same events as whole', () => {
    for (const file of files) {
      const bytes = bytesOf(file)
      const readIn = (cut: number): unknown => {
        const reader = createEventReader()
        return [[...reader.push(bytes.subarray(0, cut)), ...reader.push(bytes.subarray(cut))], reader.lastEventId, reader.retryMs]
      }
      const whole = readIn(bytes.length)
      // Long streams are cut at every byte around the ends of events, and at strides in between. The long run
      // cuts at every byte.
      const ends =
        bytes.length <= byLevel({ quick: 20, full: 2000, long: Number.POSITIVE_INFINITY })
          ? null
          : new Set(eventEnds(bytes).flatMap((end) => [end - 2, end - 1, end, end + 1]))
      for (let cut = 0; cut < bytes.length; cut++) {
        if (ends !== null && !ends.has(cut) && cut % 101 !== 0) continue
        expect(readIn(cut), `${file} cut at ${cut}`).toEqual(whole)
      }
    }
  }, 1_800_000)

  test('C22, C23: lost after any byte, it leads to the same final state as polling alone', async () => {
    const alone = await followed(null)
    expect(alone.status).toBe('completed')
    let cuts = 0
    for (const file of files) {
      const bytes = bytesOf(file)
      const places = new Set(
        bytes.length <= byLevel({ quick: 0, full: 250, long: Number.POSITIVE_INFINITY })
          ? bytes.keys()
          : eventEnds(bytes)
              .flatMap((end) => [end - 1, end])
              .filter((_, index) => index % byLevel({ quick: 4, full: 1, long: 1 }) === 0),
      )
      for (const cut of [...places, bytes.length]) {
        cuts++
        expect(await followed(stream(bytes, cut)), `${file} lost after ${cut}`).toEqual(alone)
      }
    }
    expect(cuts).toBeGreaterThan(byLevel({ quick: 100, full: 1500, long: 1500 }))
  }, 1_800_000)
})

describe('the stream of an execution', () => {
  const told = [
    { kind: 'started', status: 'running', progress: null, message: null },
    { kind: 'thinking', status: null, progress: null, message: 'über 🦊' },
    { kind: 'progress', status: null, progress: 0.5, message: null },
    { kind: 'brand_new_kind', status: null, progress: null, message: 'x' },
    { kind: 'asset', status: 'running', progress: null, message: null },
    { kind: 'done', status: 'completed', progress: null, message: null },
  ]
  const text = (from: number): string =>
    told
      .map(({ kind, ...hint }, index) => `id: e-${index + 1}\r\nevent: ${kind}\r\ndata: ${JSON.stringify(hint)}\r\n\r\n`)
      .slice(from)
      .join(': beat\n')
  const resumed = (request: NetRequest): number => Number(/^e-(\d+)$/.exec(request.headers['last-event-id'] ?? '')?.[1] ?? 0)

  test('C22: lost after any byte and resumed, it tells every event once, in order', async () => {
    const whole = toBytes(text(0))
    for (let cut = 0; cut <= whole.length; cut++) {
      const net = scriptedNet((request, number) => (number === 0 ? stream(whole, cut) : stream(toBytes(text(resumed(request))))))
      const { client, clock } = testClient(net)
      const all: ServiceEvent[] = []
      const collect = async (): Promise<void> => {
        for (let connection = 0; connection < 2; connection++) {
          const last = all.at(-1)?.id ?? null
          for await (const event of client.events(executionId, last, new AbortController().signal)) all.push(event)
        }
      }
      await clock.run(collect())
      expect(all, `cut after ${cut}`).toEqual(told.map((hint, index) => ({ ...hint, id: `e-${index + 1}` })))
    }
  })

  test('C24: a stream that is refused, missing, garbage or of another type is read around', async () => {
    const alone = await followed(null)
    const refusals: Reply[] = [
      { status: 429, body: '' },
      { status: 204, body: '' },
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      stream(toBytes(`<html>\n${'x'.repeat(2_000_000)}`)),
      new Error('connect ECONNREFUSED'),
      { status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' },
    ]
    for (const reply of refusals) expect(await followed(reply)).toEqual(alone)
  })

  test('C6, C21, C28: an unknown status is waited out, an unknown event kind passes, an unknown reason is shown as it is', async () => {
    const statuses = ['queued', 'warming_up', 'running', 'polishing', 'failed']
    let reads = 0
    const shown: string[] = []
    const net = scriptedNet((request) => {
      if (request.url.endsWith('/events')) return stream(toBytes('event: brand_new\ndata: {"status": "warming_up"}\n\n'))
      const status = statuses[Math.min(reads++, statuses.length - 1)]
      const error = { reason: 'moon_phase', message: 'wait for the new moon', retryable: false, request_id: 'r-1', extra: [1] }
      return json(200, { execution_id: executionId, status, ...(status === 'failed' ? { error } : {}) })
    })
    const { client, clock } = testClient(net)
    const kinds: string[] = []
    const end = await clock.run(
      follow({ client, clock }, executionId, {
        onExecution: (execution) => void shown.push(execution.status),
        onEvent: (event) => void kinds.push(event.kind),
      }),
    )
    expect(shown).toEqual(statuses)
    expect([...new Set(kinds)]).toEqual(['brand_new'])
    expect(end.error).toEqual({ reason: 'moon_phase', message: 'wait for the new moon', retryable: false, requestId: 'r-1', details: null })
  })
})
