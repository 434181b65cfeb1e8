import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { toServiceEvent } from '../../src/service/events.ts'
import { parseJson, rawMember } from '../../src/service/json.ts'
import { defaultProfile } from '../../src/service/profile.ts'
import { readCapabilities, readEnvelope, readEstimate, readExecution } from '../../src/service/replies.ts'
import type { Capabilities } from '../../src/service/wire.ts'
import { testWith } from '../kit/needs.ts'
import { scriptedNet } from '../kit/scripted-net.ts'
import { canary, capabilitiesBody, corpus, errorOf, estimateBody, executionId, testClient } from './fixtures.ts'

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const readCapabilitiesOf = (value: unknown): Capabilities => readCapabilities({ text: JSON.stringify(value), value })

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof SpritewrightError) return error.code
    throw error
  }
  return 'no error'
}

describe('JSON', () => {
  test('a body nested deeper than 64, one of bad UTF-8, one above 1 MiB and an empty one are SW_WIRE', () => {
    const bad = [
      toBytes('['.repeat(65) + ']'.repeat(65)),
      new Uint8Array([0x22, 0xff, 0x22]),
      new Uint8Array(1024 * 1024 + 1).fill(0x20),
      toBytes(''),
    ]
    for (const bytes of bad) expect(codeOf(() => parseJson(bytes, 'it'))).toBe('SW_WIRE')
    expect(parseJson(toBytes('['.repeat(64) + ']'.repeat(64)), 'it').value).toHaveLength(1)
  })

  test('a member called __proto__ is dropped and changes no prototype', () => {
    const { value } = parseJson(toBytes('{"__proto__": {"polluted": true}, "a": {"__proto__": 1}}'), 'it')
    expect(Object.keys(value as object)).toEqual(['a'])
    expect((value as { polluted?: boolean }).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  test('the raw text of a member is what JSON.parse reads as its value', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (rest, name, number) => {
          const text = JSON.stringify({ ...rest, [name]: number }, null, 1)
          const value = (JSON.parse(text) as Record<string, unknown>)[name]
          expect(JSON.parse(rawMember(text, name) ?? 'null')).toEqual(typeof value === 'object' ? null : value)
        },
      ),
    )
  })

  const folder = corpus('json')
  testWith(folder !== null, 'corpora')(
    'every file of the JSON corpus as a response body gives a value or SW_WIRE, never another error',
    async () => {
      const index = JSON.parse(readFileSync(`${folder}/index.json`, 'utf8')) as { files: { file: string; expect: string }[] }
      expect(index.files.length).toBeGreaterThan(300)
      for (const { file, expect: expected } of index.files) {
        const body = new Uint8Array(readFileSync(`${folder}/${file}`))
        const code = codeOf(() => parseJson(body, 'it'))
        if (expected === 'reject') expect(`${file} ${code}`).toBe(`${file} SW_WIRE`)
        if (expected === 'accept') expect(`${file} ${code}`).toBe(`${file} no error`)
        const net = scriptedNet(() => ({ status: 200, body }))
        const { client, clock } = testClient(net)
        const error = await errorOf(clock.run(client.execution(executionId)))
        expect(`${file} ${error.code}`).toBe(`${file} SW_WIRE`)
        expect(await clock.run(client.submit({ key: 'k', body }, async () => {}))).toMatchObject({ kind: 'unknown' })
      }
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    },
  )
})

describe('replies', () => {
  test('C16: capabilities are read, unknown fields passed over, missing ones null', () => {
    expect(readCapabilitiesOf({ ...capabilitiesBody, new_field: [1] })).toMatchObject({
      apiVersion: '1',
      keyMode: 'test',
      minimumFrames: 7,
      maximumFrames: 100,
    })
    const bare = readCapabilitiesOf({ api_version: '1', key_mode: 'live', operations: [] })
    expect(bare).toMatchObject({ maximumInputBytes: null, supportedInputExtensions: null, serverSentEvents: null, minimumFrames: null })
    expect(codeOf(() => readCapabilitiesOf({ ...capabilitiesBody, key_mode: 'other' }))).toBe('SW_WIRE')
  })

  test('C18: an estimate has exactly its seven fields, each within its rule', () => {
    expect(readEstimate(estimateBody)).toEqual({
      priceVersion: 'sprite-base-frame-20261017-v1',
      frameCount: 12,
      background: 'remove',
      credits: 24_000n,
      referenceUsd: '0.24',
      referenceCreditCents: 10,
    })
    for (const name of Object.keys(estimateBody)) {
      const { [name]: _, ...rest } = estimateBody
      expect(codeOf(() => readEstimate(rest))).toBe('SW_WIRE')
    }
    const changes = [
      { extra: 1 },
      { credits: 2.4 },
      { credits: '2.40001' },
      { credits: '-1' },
      { frame_count: 6 },
      { frame_count: 7.5 },
      { binding: true },
      { reference_usd: '1' },
      { reference_credit_cents: 0 },
    ]
    for (const change of changes) expect(codeOf(() => readEstimate({ ...estimateBody, ...change }))).toBe('SW_WIRE')
  })

  test('C19: another price version is read as it is, for the caller to stop at', () => {
    expect(readEstimate({ ...estimateBody, price_version: 'v2' }).priceVersion).toBe('v2')
  })

  test('C27: an envelope has one key; a second beside it makes it unreadable, a new field inside does not', () => {
    const error = { code: 'X', reason: 'conflict', message: 'm', category: 'Y', retryable: false, request_id: 'r', details: { field: 'a' } }
    expect(readEnvelope({ error })).toEqual({ reason: 'conflict', message: 'm', retryable: false, requestId: 'r', details: { field: 'a' } })
    expect(readEnvelope({ error: { ...error, hint: 1 } })?.reason).toBe('conflict')
    for (const bad of [{ error, more: 1 }, { error: 'no' }, { error: { ...error, retryable: 'yes' } }, [], null, 'x'])
      expect(readEnvelope(bad)).toBeNull()
  })

  test('C6, C9, C39: an execution needs only its id and status; an unknown status and reason pass', () => {
    expect(readExecution({ execution_id: executionId, status: 'paused' })).toEqual({
      executionId,
      conversationId: null,
      status: 'paused',
      jobStatus: null,
      publicJobId: null,
      assets: [],
      review: null,
      question: null,
      error: null,
    })
    expect(readExecution({ execution_id: 'a', status: 'failed', error: { reason: 'new_reason' } }).error).toMatchObject({
      reason: 'new_reason',
      retryable: false,
    })
    for (const bad of [
      { execution_id: 'a' },
      { status: 'queued' },
      { execution_id: '..', status: 'queued' },
      { execution_id: 'a', status: 'queued', question: {} },
    ]) {
      expect(codeOf(() => readExecution(bad))).toBe('SW_WIRE')
    }
  })

  test('C27: of two errors, that of the execution counts before that of its job', () => {
    const errorOfBoth = (error: unknown, own: unknown): unknown =>
      readExecution({ execution_id: 'a', status: 'failed', error, image_job: { sanitized_error: own } }).error?.reason
    const [first, second] = ['content_refused', 'generation_failed'].map((reason) => ({ reason }))
    expect([errorOfBoth(first, second), errorOfBoth(null, second), errorOfBoth(first, null)]).toEqual([
      'content_refused',
      'generation_failed',
      'content_refused',
    ])
  })

  test('an id has 1 to 200 visible characters, and no dots alone between its slashes at any encoding', () => {
    const isTaken = (id: string): boolean => codeOf(() => readExecution({ execution_id: id, status: 'queued' })) === 'no error'
    expect(['a', 'a'.repeat(200), 'a.b', '...', 'a/b', '%41'].map(isTaken)).toEqual([true, true, true, true, true, true])
    const bad = ['', 'a'.repeat(201), '.', '..', 'a/..', '%2e%2E', 'a%2f..', '%252e.', 'a b', 'a\n', 'é', 'a\\..']
    expect(bad.filter(isTaken)).toEqual([])
  })

  test('C35, C36, C37: a job is read whole, and a display field of a wrong type loses no asset', () => {
    const job = {
      public_job_id: 'j',
      status: 'anything',
      finished_assets: [
        { asset_id: 'a', download_url: 'https://x/y', content_type: 'application/zip', width: '64', height: 64 },
        { asset_id: 'b' },
      ],
      sanitized_error: { code: 'C', reason: 'generation_failed', message: 'm', retryable: true, request_id: 'r' },
      frame_review: {
        frame_count: 8,
        background: 'keep',
        kept_background_frames: [1],
        inspection_frames: [],
        source_shifted_frames: [2, 3],
      },
    }
    const read = readExecution({ execution_id: 'a', status: 'completed', error: null, image_job: job })
    expect(read.assets).toEqual([{ assetId: 'a', downloadUrl: 'https://x/y', contentType: 'application/zip', width: null, height: 64 }])
    expect(read.review).toEqual({
      frameCount: 8,
      background: 'keep',
      keptBackgroundFrames: [1],
      inspectionFrames: [],
      sourceShiftedFrames: [2, 3],
    })
    expect(read.error).toMatchObject({ reason: 'generation_failed', requestId: 'r' })
  })

  test('C35: a review of another shape is none, and loses no asset', () => {
    const read = (frame_review: unknown) => {
      const image_job = { finished_assets: [{ asset_id: 'a', download_url: 'https://x/y' }], frame_review }
      const { assets, review } = readExecution({ execution_id: 'a', status: 'completed', image_job })
      return [assets.length, review?.inspectionFrames]
    }
    expect(['sound', 7, [], { inspection_frames: 'all' }].map(read)).toEqual([
      [1, undefined],
      [1, undefined],
      [1, undefined],
      [1, []],
    ])
  })
})

describe('the default profile', () => {
  const balance = (text: string): string => defaultProfile.readBalance({ text, value: JSON.parse(text) })

  test('C20, N5: a balance is taken as it is written, text or number, never through a float', () => {
    expect(balance('{"credits": "12.5"}')).toBe('12.5')
    expect(balance('{"other": {"credits": "1"}, "credits": 900719925474099.3001}')).toBe('900719925474099.3001')
    expect(parseCredits(balance('{"credits": 0.1000}'))).toBe(1000n)
    for (const bad of ['{}', '{"credits": null}', '{"credits": {"a": 1}}', '[]', '{"credits": -1}'])
      expect(codeOf(() => balance(bad))).toBe('SW_WIRE')
    expect(codeOf(() => parseCredits(balance('{"credits": 1e1}')))).toBe('SW_WIRE')
  })

  test('N6: an event payload that is not the expected one says nothing and breaks nothing', () => {
    const read = (data: string) => defaultProfile.readEvent({ event: 'progress', data, lastEventId: '' })
    expect(read('{"status": "running", "progress": 0.5, "message": "m"}')).toEqual({ status: 'running', progress: 0.5, message: 'm' })
    expect(read('{"error": {"message": "no credits"}}')).toEqual({ status: null, progress: null, message: 'no credits' })
    expect(read('{"progress": 2, "status": 1}')).toEqual({ status: null, progress: null, message: null })
    for (const bad of ['', '[]', 'null', '{"a"', '7']) expect(read(bad)).toBeNull()
  })

  test('C10, N4: an answer goes to the conversation under its own key and names the new execution', async () => {
    const seen: unknown[] = []
    const accepted = await defaultProfile.answer(
      async (request) => {
        seen.push({ ...request, body: JSON.parse(new TextDecoder().decode(request.body)) })
        return { status: 202, body: { text: '', value: { execution_id: 'new', conversation_id: 'c' } } }
      },
      { questionId: 'q' },
      { executionId: 'exec-1', conversationId: 'c/1', text: 'yes', idempotencyKey: 'k' },
    )
    expect(accepted).toEqual({ executionId: 'new', conversationId: 'c' })
    expect(seen).toEqual([
      {
        method: 'POST',
        path: '/v1/conversations/c%2F1/answers',
        contentType: 'application/json',
        idempotencyKey: 'k',
        isManaged: true,
        body: { question_id: 'q', text: 'yes' },
      },
    ])
  })

  test('a secret in any text of a body is replaced before anyone sees it, also when it is escaped', () => {
    const hide = (text: string): string => text.replaceAll(canary, '[API key]')
    const escaped = `"\\u0073${canary.slice(1)}"`
    const { value, text } = parseJson(toBytes(`{"a": "x ${canary}", "b": [${escaped}], "${canary}": 1}`), 'it', hide)
    expect(JSON.stringify(value)).not.toContain(canary)
    expect(text).not.toContain(canary)
  })
})

test('words of others are one line, so that none of them looks like a line of this program', () => {
  const said = 'No.\n✓ Bought hero.walk for 0 credits\r\n  error SW_OK'
  const one = 'No. ✓ Bought hero.walk for 0 credits error SW_OK'
  const error = { code: 'X', reason: 'refused', message: said, category: 'X', retryable: false, request_id: null }
  expect(readEnvelope({ error })?.message).toBe(one)
  const data = JSON.stringify({ status: 'running', message: said })
  const event = toServiceEvent({ event: 'progress', data, lastEventId: '' }, defaultProfile)
  expect(event.message).toBe(one)
})
