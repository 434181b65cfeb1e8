import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodePng } from '../../../atlas/png/read.ts'
import { runContract } from '../../../src/contract/suite.ts'
import { parseCredits } from '../../../src/credit/credits.ts'
import type { Clock } from '../../../src/host/clock.ts'
import { type Profile, type RequestPort, resolveProfile } from '../../../src/service/profile.ts'
import { ManualClock } from '../../kit/manual-clock.ts'
import { countingRandom } from '../../kit/memory-disk.ts'
import { json, type Reply, scriptedNet } from '../../kit/scripted-net.ts'
import { executed, paidId } from './executed.ts'
import { otherId } from './held-job.ts'
import { at, check, instead, key, origin, refuse, soundly } from './sound-service.ts'

/** A profile whose upload is of the test's own making. */
const uploading = (upload: Profile['uploadReference']): Profile => ({ ...resolveProfile(), uploadReference: upload })

test('the picture that is uploaded is a round creature of 96 pixels, as a PNG, and is uploaded once', async () => {
  const uploads: unknown[] = []
  const profile = uploading(async (_request, { bytes, contentType }) => {
    const { width, height, data } = decodePng(bytes)
    uploads.push([contentType, width, height, createHash('sha256').update(data).digest('hex').slice(0, 16)])
    return otherId
  })
  await check((_request, reply) => reply, { profile, spend: parseCredits('1.6') })
  expect(uploads).toMatchInlineSnapshot(`
    [
      [
        "image/png",
        96,
        96,
        "2512325b148ac14d",
      ],
    ]
  `)
})

test('a profile sends what it says: with a body, a type, a key and the version, or without', async () => {
  const answers: unknown[] = []
  const profile = uploading(async (request) => {
    const body = new TextEncoder().encode('picture')
    const whole = { method: 'POST', path: '/v1/whole', body, contentType: 'a/b', idempotencyKey: 'k', isManaged: true } as const
    for (const one of [whole, { method: 'GET', path: '/v1/bare' } as const]) answers.push(await request(one))
    return otherId
  })
  const { net } = await check(
    instead(({ url }) => /whole|bare/.test(url), json(299, { a: 1 })),
    { profile },
  )
  const sent = net.requests.filter(({ url }) => /whole|bare/.test(url))
  const authorization = `Bearer ${key}`
  expect(sent).toEqual([
    {
      ...{ method: 'POST', url: `${origin}/v1/whole`, body: new TextEncoder().encode('picture') },
      headers: { accept: 'application/json', authorization, 'service-version': '1', 'content-type': 'a/b', 'idempotency-key': 'k' },
    },
    { method: 'GET', url: `${origin}/v1/bare`, headers: { accept: 'application/json', authorization } },
  ])
  expect(answers).toMatchObject(Array(2).fill({ status: 299, body: { value: { a: 1 } } }))
})

test.each<[Reply, string]>([
  [json(300, {}), 'Expected POST /v1/x to be taken, found 300.'],
  [json(199, {}), 'Expected POST /v1/x to be taken, found 199.'],
  [refuse(403, 'x'.repeat(70)), `Expected POST /v1/x to be taken, found 403 ${'x'.repeat(60)}.`],
  [{ status: 200, body: '{' }, 'Expected a JSON document for the answer to POST /v1/x, found a body that is no JSON document.'],
])('an upload that is answered with %j fails with these words', async (reply, words) => {
  const upload = async (request: RequestPort): Promise<string> => {
    await request({ method: 'POST', path: '/v1/x' })
    return otherId
  }
  const { lines } = await check(
    instead(({ url }) => url.endsWith('/x'), reply),
    { profile: uploading(upload) },
  )
  const line = lines.find(({ clause }) => clause === 'N1')
  expect(line).toEqual({
    ...{ clause: 'N1', title: 'a picture can be uploaded, free of charge', verdict: 'broken', profilePart: 'uploadReference' },
    words: typeof reply === 'object' && 'body' in reply && reply.body === '{' ? expect.stringContaining(words) : words,
  })
})

test('the key is in no words of a check, and a request without an answer breaks its check alone', async () => {
  const operations = ['sprite_sheet', key]
  const { lines } = await check(at('/capabilities', (body) => ({ ...body, operations })))
  expect(lines.find(({ clause }) => clause === 'C42')?.words).toMatchInlineSnapshot(
    `"The account has [API key] too, which spritewright does not use."`,
  )
  const lost = await check(instead(({ method }) => method === 'DELETE', Object.assign(new Error('x'), { code: 'ECONNRESET' })))
  expect(lost.lines.filter(({ verdict }) => verdict === 'broken')).toMatchInlineSnapshot(`
    [
      {
        "clause": "C12",
        "profilePart": "",
        "title": "a conversation that is not ours cannot be deleted: 404 or 403",
        "verdict": "broken",
        "words": "Expected an answer to DELETE /v1/conversations/00000000-0000-4000-8000-000000000003, found none (ECONNRESET). Check the base URL and the network, then run the command again.",
      },
    ]
  `)
})

test('an interruption ends the suite with its reason, between two checks and within one', async () => {
  for (const clause of ['C2', 'N1']) {
    const stop = new AbortController()
    const begun: string[] = []
    const profile = uploading(async () => {
      stop.abort(new Error('Ctrl-C'))
      throw new Error('no upload')
    })
    const onCheck = (one: { readonly clause: string }): void => {
      begun.push(one.clause)
      if (clause === 'C2' && one.clause === 'C2') stop.abort(new Error('Ctrl-C'))
    }
    await expect(check((_request, reply) => reply, { profile, onCheck, signal: stop.signal })).rejects.toThrow('Ctrl-C')
    expect(begun.at(-1)).toBe(clause)
  }
})

test('if nobody says otherwise, the execution is read every two seconds, for half an hour', async () => {
  const manual = new ManualClock()
  let passedMs = 0
  const clock: Clock = {
    wall: () => manual.wall(),
    mono: () => manual.mono() + passedMs,
    sleep: (ms, signal) => manual.sleep(ms, signal),
  }
  const times: number[] = []
  const net = scriptedNet((request) => {
    if (!request.url.endsWith(`/v1/executions/${paidId}`) || request.headers['service-version'] === undefined) return soundly(request)
    times.push(clock.mono())
    if (times.length === 2) passedMs = 1_796_000
    return json(200, { ...executed, status: 'queued' })
  })
  const limits = { post: 10_000, get: 10_000, download: 10_000 }
  const options = { baseUrl: origin, key, limits, spend: parseCredits('1.6') }
  const lines = await manual.run(runContract({ net, clock, random: countingRandom() }, options))
  expect(times.map((time) => time - times[0]!)).toEqual([0, 2_000, 1_800_000, 1_802_000])
  const words = 'The execution did not end within 30 minutes; it goes on at the service.'
  expect(lines.filter((line) => line.words === words).map(({ clause }) => clause)).toMatchInlineSnapshot(`
    [
      "C5",
      "C2",
      "C11",
      "C14",
      "C14",
      "C21",
      "N6",
      "C22",
      "C23",
      "C24",
      "C25",
      "C26",
      "C34",
      "C35",
      "C37",
    ]
  `)
})
