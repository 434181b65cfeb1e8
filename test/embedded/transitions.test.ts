import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import type { MakingTools } from '../../src/embedded/images/making.ts'
import type { EmbeddedOptions, Makers } from '../../src/embedded/options/options.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { closeAll, eventsOf, inProcess, jsonOf, knight, start } from './fixtures.ts'
import { until } from './waiting.ts'

let dir: string | undefined
afterEach(async () => {
  await closeAll()
  if (dir !== undefined) await rm(dir, { recursive: true, force: true })
  dir = undefined
})

const wizard = { operation: 'text_to_image', prompt: 'a wizard', reference_asset_id: undefined }

/** The interface's table, and the transitions that it leaves to the service. */
const moves: Readonly<Record<string, readonly string[]>> = {
  queued: ['queued', 'running', 'failed', 'cancelled'],
  running: ['running', 'needs_input', 'completed', 'failed', 'cancelled'],
  needs_input: ['needs_input', 'cancelled'],
}

describe('states', () => {
  test.each([
    ['a knight', ['queued', 'running', 'completed']],
    ['a knight [fail content_refused]', ['queued', 'failed']],
    ['a knight [fail generation_failed]', ['queued', 'running', 'failed']],
  ])('C6: "%s" goes through %j, as its events tell', async (prompt, expected) => {
    const { me } = await start()
    for (const [key, body] of [
      ['sheet', { prompt }],
      ['image', { ...wizard, prompt }],
    ] as const) {
      const { execution_id: id, status } = await me.buy(key, body)
      const told = eventsOf(await (await me.stream(id)).text()).map(({ data }) => data.status as string)
      expect([...new Set(told)]).toEqual(expected)
      expect(status).toBe(expected.at(-1))
      for (const [index, to] of told.slice(1).entries()) {
        // The last two events both report the end.
        if (to !== told[index]) expect(moves[told[index]!]).toContain(to)
      }
    }
  })

  test('C6, C10: a waiting one is answered into another execution, or cancelled; it never runs again itself', async () => {
    const { me } = await start()
    const { json } = await me.submit('none', { body: { ...wizard, prompt: 'a wizard?' } })
    const read = async () => (await me.call(`/v1/executions/${json.execution_id}`)).json
    while ((await read()).question === null);
    await me.call(`/v1/executions/${json.execution_id}/cancel`, { method: 'POST' })
    const told = eventsOf(await (await me.stream(json.execution_id)).text()).map(({ data }) => data.status)
    expect([...new Set(told)]).toEqual(['queued', 'running', 'needs_input', 'cancelled'])
    expect((await read()).status).toBe('cancelled')
  })

  test('C42: video is no operation', async () => {
    const { me } = await start()
    expect((await me.call('/v1/capabilities')).json.operations).not.toContain('video')
    const reply = await me.submit('none', { body: { ...wizard, operation: 'video' } })
    expect([reply.status, reply.json.error.details.field]).toEqual([422, 'operation'])
  })
})

describe('over a restart', () => {
  const accounts = [{ name: 'studio', keys: [{ key: 'key-of-the-studio' }] }]

  test('C9, C14: a waiting sprite still waits with its question and its hold, and is answered', async () => {
    dir = await mkdtemp(join(tmpdir(), 'embedded-'))
    const first = await start({ dir, accounts })
    const accepted = await first.me.submit(await first.me.upload(), { body: { prompt: 'a knight or a squire?' } })
    const path = `/v1/executions/${accepted.json.execution_id}`
    let asking = (await first.me.call(path)).json
    while (asking.question === null) asking = (await first.me.call(path)).json
    await first.close()
    const second = await start({ dir, accounts })
    expect((await second.me.call(path)).json).toEqual({ ...asking, image_job: expect.anything() })
    expect(second.holds()).toHaveLength(1)
    const reply = await second.me.call(`/v1/conversations/${asking.conversation_id}/answers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'an-answer' },
      body: JSON.stringify({ question_id: asking.question.question_id, text: 'the knight' }),
    })
    await (await second.me.stream(reply.json.execution_id)).text()
    expect([second.holds().length, second.charges().length]).toEqual([0, 1])
  })

  test('C13: an image that was under way is finished and charged once', async () => {
    dir = await mkdtemp(join(tmpdir(), 'embedded-'))
    const clock = new ManualClock()
    const first = await start({ dir, accounts, jobMs: 1000 }, { clock })
    const { json } = await first.me.submit('none', { body: wizard })
    await until(() => clock.sleepers > 0)
    await first.close()
    const second = await start({ dir, accounts })
    await (await second.me.stream(json.execution_id)).text()
    expect(second.charges()).toHaveLength(1)
    expect((await second.me.call('/v1/balance')).json).toEqual({ credits: '99' })
  })

  test('C12: what was deleted stays deleted, and paid', async () => {
    dir = await mkdtemp(join(tmpdir(), 'embedded-'))
    const first = await start({ dir, accounts })
    const bought = await first.me.buy('first', wizard)
    await first.me.call(`/v1/conversations/${bought.conversation_id}`, { method: 'DELETE' })
    await first.close()
    const second = await start({ dir, accounts })
    expect((await second.me.call(`/v1/executions/${bought.execution_id}`)).status).toBe(404)
    expect((await second.me.call('/v1/balance')).json).toEqual({ credits: '99' })
  })
})

describe('what is told of an execution, whole', () => {
  const review = { frameCount: 8, background: 'keep', keptBackgroundFrames: [1], inspectionFrames: [2], sourceShiftedFrames: [3] } as const
  const post = { 'content-type': 'application/json', host: 'sprites.test:80' }

  /** A service whose results are the knight, and a client of it. `tell` gives an execution with all its events, ids by their order. */
  async function world(options: EmbeddedOptions = {}) {
    const made: unknown[] = []
    const make = async (request: unknown, words: string, tools: MakingTools): Promise<void> => {
      made.push({ request, words, earlier: tools.earlier, jobMs: tools.jobMs, picture: (await tools.readPicture())?.length })
      await tools.onStep(0.5, 0)
    }
    const sheet: Makers['sheet'] = async (...asked) => {
      await make(...asked)
      return { bytes: knight, contentType: 'application/zip', width: 64, height: 96, review }
    }
    const image: Makers['image'] = async (...asked) => {
      await make(...asked)
      return { bytes: knight, contentType: 'image/png', width: 32, height: 48, review: null }
    }
    const service = await inProcess({ makers: { sheet, image }, ...options })
    const ids = new Map<string, string>()
    const named = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value).replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
          ids.set(id, ids.get(id) ?? `id-${ids.size + 1}`)
          return ids.get(id)!
        }),
      )
    const submit = async (key: string, body: Readonly<Record<string, unknown>>, path = '/v1/execute') => {
      const reply = await service.send('POST', path, { ...post, 'idempotency-key': key }, JSON.stringify(body))
      return jsonOf(reply)
    }
    const read = async (id: string) => jsonOf(await service.send('GET', `/v1/executions/${id}`, post))
    const eventsTold = async (id: string) => {
      let text = ''
      const { body } = await service.send('GET', `/v1/executions/${id}/events`)
      for await (const part of body as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(part)
      return eventsOf(text).map(({ kind, id: event, data: { execution_id: of, ...data } }) => ({ kind, event, own: of === id, ...data }))
    }
    const upload = async (): Promise<string> =>
      jsonOf(await service.send('POST', '/v1/reference-assets', { 'content-type': 'image/png' }, knight)).asset_id
    return { ...service, made, named, submit, read, eventsTold, upload }
  }
  const message = expect.any(String)
  const event = (number: number, kind: string, status: string, rest: object = {}): object => ({
    kind,
    event: `event-${number}`,
    own: true,
    status,
    ...rest,
  })
  const delivered = [
    event(1, 'started', 'queued', { message }),
    event(2, 'thinking', 'running', { message }),
    event(3, 'progress', 'running', { progress: 0.5 }),
    event(4, 'job', 'running', { message }),
    event(5, 'asset', 'completed', { message }),
    event(6, 'done', 'completed'),
  ]

  test('a sprite with its files, its review and its money', async () => {
    const { charges, eventsTold, holds, made, named, read, requests, send, submit, upload } = await world()
    const sprite = {
      operation: 'sprite_sheet',
      prompt: 'a knight\nwalk',
      reference_asset_id: await upload(),
      max_credits: '9.5',
      animation: { frame_count: 8, background: 'keep' },
    }
    const { execution_id: id, ...accepted } = await submit('one', sprite)
    const told = await eventsTold(id)
    expect(told).toEqual(delivered)
    expect(named([id, accepted, await read(id)])).toEqual([
      'id-1',
      { conversation_id: 'id-2', status: 'queued' },
      {
        execution_id: 'id-1',
        conversation_id: 'id-2',
        status: 'completed',
        image_job: {
          public_job_id: 'id-3',
          status: 'delivered',
          finished_assets: [
            {
              asset_id: 'id-4',
              download_url: 'http://sprites.test:80/v1/image-jobs/id-3/asset',
              content_type: 'application/zip',
              width: 64,
              height: 96,
            },
          ],
          sanitized_error: null,
          frame_review: {
            frame_count: 8,
            background: 'keep',
            kept_background_frames: [1],
            inspection_frames: [2],
            source_shifted_frames: [3],
          },
        },
        question: null,
        error: null,
      },
    ])
    const { animation: _, max_credits: maxCredits, reference_asset_id: referenceId, ...same } = sprite
    const request = { ...same, referenceId, frames: 8, background: 'keep', maxCredits }
    expect(made).toEqual([{ request, words: 'a knight\nwalk', earlier: 0, jobMs: 0, picture: knight.length }])
    const bodySha256 = sha256(new TextEncoder().encode(JSON.stringify(sprite)))
    expect([holds(), charges()]).toEqual([
      [],
      [{ executionId: id, account: 'demo', prompt: 'a knight\nwalk', bodySha256, credits: parseCredits('1') }],
    ])
    const away = await send('GET', '/v1/executions/none')
    expect(requests().map(({ number, origin, method, status }) => [number, origin, method, status])).toEqual([
      [1, 'api', 'POST', 201],
      [2, 'api', 'POST', 202],
      [3, 'api', 'GET', 200],
      [4, 'api', 'GET', 200],
      [5, 'api', 'GET', 404],
    ])
    expect(away.headers['x-request-id']).toBe(jsonOf(away).error.request_id)
  })

  test('an image that asks: it waits without a debt, and its answer goes on in its conversation with its words and its picture', async () => {
    const { charges, eventsTold, holds, made, named, read, send, submit, upload } = await world()
    const { execution_id: id, conversation_id: conversation } = await submit('one', { operation: 'text_to_image', prompt: 'a wizard?' })
    let asking = await read(id)
    while (asking.question === null) asking = await read(id)
    const job = { finished_assets: [], sanitized_error: null, frame_review: null }
    const question = { question_id: 'id-4', text: expect.stringContaining('?'), requires_asset: false }
    const waiting = { execution_id: 'id-1', conversation_id: 'id-2', status: 'needs_input', question, error: null }
    expect(named([id, conversation, asking])).toEqual([
      'id-1',
      'id-2',
      { ...waiting, image_job: { public_job_id: 'id-3', status: 'waiting', ...job } },
    ])
    expect([holds(), charges()]).toEqual([[], []])
    const answer = { question_id: asking.question.question_id, text: 'a tall one', asset_id: await upload() }
    const { execution_id: next, ...accepted } = await submit('two', answer, `/v1/conversations/${conversation}/answers`)
    expect(named([next, accepted])).toEqual(['id-5', { conversation_id: 'id-2', status: 'queued' }])
    expect(await eventsTold(next)).toEqual(delivered)
    expect(await eventsTold(id)).toEqual([
      event(1, 'started', 'queued', { message }),
      event(2, 'thinking', 'running', { message }),
      event(3, 'question', 'needs_input', { message: asking.question.text }),
      event(4, 'done', 'needs_input', { message }),
    ])
    expect(named(await read(id))).toMatchObject({ ...waiting, question: null })
    const download = `http://sprites.test:80/v1/image-jobs/id-6/asset`
    const asset = { asset_id: 'id-7', download_url: download, content_type: 'image/png', width: 32, height: 48 }
    expect(named(await read(next))).toEqual({
      ...{ execution_id: 'id-5', conversation_id: 'id-2', status: 'completed', question: null, error: null },
      image_job: { public_job_id: 'id-6', status: 'delivered', ...job, finished_assets: [asset] },
    })
    const request = { operation: 'text_to_image', prompt: 'a wizard?', referenceId: null }
    expect(made).toEqual([{ request, words: 'a wizard?\na tall one', earlier: 0, jobMs: 0, picture: knight.length }])
    const bodySha256 = sha256(new TextEncoder().encode(JSON.stringify(answer)))
    expect(charges()).toEqual([{ executionId: next, account: 'demo', prompt: 'a wizard?', bodySha256, credits: parseCredits('1') }])
    const cancel = await send('POST', `/v1/executions/${id}/cancel`)
    expect([cancel.status, jsonOf(cancel).error]).toMatchObject([409, { reason: 'conflict', details: { field: 'execution_id' } }])
    const late = await submit('three', answer, `/v1/conversations/${conversation}/answers`)
    expect(late.error).toMatchObject({ reason: 'conflict', details: { field: 'question_id' } })
  })

  test.each([
    ['[fail generation_failed retryable]', 'none', { reason: 'generation_failed', retryable: true }],
    ['[fail quota_exceeded]', { reason: 'quota_exceeded', retryable: false }, 'none'],
    ['[fail conflict at job]', 'none', { reason: 'conflict', retryable: false }],
    ['[fail insufficient_frames at admission]', { reason: 'insufficient_frames', retryable: false }, 'none'],
    ['[fail of nothing]', 'none', 'none'],
    ['[fail weather]', { reason: 'invalid_request', retryable: false }, 'none'],
  ])('%s: it fails at admission by %j and at its job by %j, in its view and its last event', async (prompt, admission, atJob) => {
    const { eventsTold, read, send, submit } = await world()
    const { execution_id: id } = await submit('one', { operation: 'text_to_image', prompt })
    const told = (await eventsTold(id)).at(-1)!
    const { image_job: job, error, ...view } = await read(id)
    const failure = [admission, atJob].find((each) => each !== 'none') as { readonly reason: string } | undefined
    expect(error).toEqual(admission === 'none' ? null : { ...failure, message })
    const code = failure?.reason.toUpperCase()
    expect(job.sanitized_error).toEqual(
      atJob === 'none' ? null : { ...failure, code, message, request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    )
    const status = failure ? 'failed' : 'completed'
    expect(told).toEqual({ kind: 'done', event: told.event, own: true, status, ...(failure && { error: { ...failure, message } }) })
    expect([view.status, job.status]).toEqual([status, failure ? 'failed' : 'delivered'])
    expect(jsonOf(await send('GET', '/v1/balance'))).toEqual({ credits: failure ? '100' : '99' })
  })

  test('an error of the service while it makes a sprite: the hold is back, and the next is made', async () => {
    let isBroken = true
    const failing: Makers['sheet'] = async () => {
      if (isBroken) throw new Error('out of paint')
      return { reason: 'insufficient_frames', message: 'Two.', retryable: false }
    }
    const image: Makers['image'] = async () => ({ reason: 'content_refused', message: 'No.', retryable: false })
    const { charges, eventsTold, holds, mistakes, read, submit, upload } = await world({ makers: { sheet: failing, image } })
    const animation = { frame_count: 7, background: 'remove' }
    const sprite = { operation: 'sprite_sheet', prompt: 'walk', reference_asset_id: await upload(), max_credits: '1.6', animation }
    const first = await submit('one', sprite)
    expect((await eventsTold(first.execution_id)).at(-1)).toMatchObject({
      status: 'failed',
      error: { reason: 'generation_failed', retryable: false },
    })
    expect(mistakes()).toEqual([new Error('out of paint')])
    isBroken = false
    const second = await submit('two', sprite)
    await eventsTold(second.execution_id)
    expect((await read(second.execution_id)).image_job.sanitized_error).toMatchObject({ reason: 'insufficient_frames', message: 'Two.' })
    expect([holds(), charges(), mistakes().length]).toEqual([[], [], 1])
  })

  test('the same words with the same picture are counted, and so is the same motion of a sprite; others are not', async () => {
    const { eventsTold, made, submit, upload } = await world()
    const [one, other] = [await upload(), await upload()]
    let key = 0
    const buy = async (operation: string, prompt: string, reference?: string): Promise<unknown> => {
      const animation = { frame_count: 7, background: 'remove' }
      const body = { operation, prompt, reference_asset_id: reference, max_credits: '9', animation }
      const { execution_id: id } = await submit(`key-${++key}`, body)
      await eventsTold(id)
      return (made.at(-1) as { readonly earlier: number }).earlier
    }
    expect([
      await buy('sprite_sheet', 'a knight walks', one),
      await buy('sprite_sheet', 'a squire walks', other),
      await buy('sprite_sheet', 'a knight jumps', one),
      await buy('sprite_sheet', 'a knight walks [fail generation_failed]', one),
      await buy('sprite_sheet', 'a knight walks', one),
      await buy('text_to_image', 'a knight walks'),
      await buy('image_to_image', 'a knight walks', one),
      await buy('text_to_image', 'a squire walks'),
      await buy('text_to_image', 'a knight walks'),
    ]).toEqual([0, 1, 0, 0, 2, 0, 0, 0, 1])
  })
})
