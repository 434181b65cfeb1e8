import { afterEach, describe, expect, test } from 'vitest'
import { createBitmap, decodePng, encodePng } from '../../atlas/index.ts'
import { parseCredits } from '../../src/credit/credits.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { level } from '../level.ts'
import { type Caller, callerOf, closeAll, eventsOf, start } from './fixtures.ts'
import { finish, until } from './waiting.ts'

afterEach(closeAll)

const wizard = { operation: 'text_to_image', prompt: 'a wizard', reference_asset_id: undefined }

async function download(me: Caller, execution: { image_job: { public_job_id: string } }): Promise<Response> {
  const reply = await me.call(`/v1/image-jobs/${execution.image_job.public_job_id}/asset`)
  return fetch(reply.headers.get('location')!)
}

async function picture(me: Caller, execution: { image_job: { public_job_id: string } }): Promise<ReturnType<typeof decodePng>> {
  const response = await download(me, execution)
  expect(response.headers.get('content-type')).toBe('image/png')
  return decodePng(new Uint8Array(await response.arrayBuffer()))
}

async function uploadOf(me: Caller, width: number, height: number): Promise<string> {
  const body = encodePng(createBitmap(width, height))
  return (await me.call('/v1/reference-assets', { method: 'POST', headers: { 'content-type': 'image/png' }, body })).json.asset_id
}

describe('image operations', () => {
  test.each([
    ['text_to_image', 512],
    ['image_to_image', 32],
    ['background_remove', 32],
    ['upscale', 64],
  ])('C34, C37: %s delivers a PNG with sides of %i that finished_assets describes', async (operation, side) => {
    const { me } = await start()
    const reference = operation === 'text_to_image' ? { reference_asset_id: undefined } : {}
    const execution = await me.buy('first', { operation, prompt: 'a red knight', ...reference })
    expect(execution.status).toBe('completed')
    expect(execution.image_job.frame_review).toBeNull()
    expect(execution.image_job.finished_assets).toMatchObject([{ content_type: 'image/png', width: side, height: side }])
    const { width, height, data } = await picture(me, execution)
    expect([width, height]).toEqual([side, side])
    expect(data.some((value, at) => at % 4 === 3 && value === 255)).toBe(true)
  })

  test('C16: capabilities list all five operations and the price of an image; an account may have fewer', async () => {
    const accounts = [{ name: 'all' }, { name: 'few', operations: ['upscale'] as const, keys: [{ key: 'key-of-the-few' }] }]
    const service = await start({ accounts })
    const { json } = await service.me.call('/v1/capabilities')
    expect(json.operations).toEqual(['text_to_image', 'image_to_image', 'background_remove', 'upscale', 'sprite_sheet'])
    expect(json).toMatchObject({ live_charge_credits_per_image: 1, interactive_questions: true })
    const few = callerOf(service, 'key-of-the-few')
    expect((await few.call('/v1/capabilities')).json.operations).toEqual(['upscale'])
    const reply = await few.submit('none', { body: wizard })
    expect([reply.status, reply.json.error.reason]).toEqual([403, 'feature_unavailable'])
  })

  test('C33: a reference above 2048 pixels is not upscaled; one of 2048 is', async () => {
    const { me } = await start()
    const reply = await me.submit(await uploadOf(me, 2049, 4), { body: { operation: 'upscale' } })
    expect(reply.status).toBe(422)
    expect(reply.json.error).toMatchObject({
      reason: 'invalid_request',
      details: { field: 'reference_asset_id', maximum_dimension: 2048 },
    })
    expect((await me.submit(await uploadOf(me, 2048, 4), { body: { operation: 'upscale' } })).status).toBe(202)
  })

  test.each([
    ['text_to_image', 'a reference', {}],
    ['image_to_image', 'no reference', { reference_asset_id: undefined }],
    ['background_remove', 'no reference', { reference_asset_id: undefined }],
    ['upscale', 'no prompt', { prompt: undefined }],
  ])('C27: %s with %s is refused and nothing starts', async (operation, _, body) => {
    const service = await start()
    const reply = await service.me.submit(await service.me.upload(), { body: { operation, ...body } })
    expect([reply.status, reply.json.error.reason]).toEqual([422, 'invalid_request'])
    expect(service.charges()).toEqual([])
  })

  if (level !== 'quick')
    test('C34: a painted picture is a good reference: cut out, doubled and made into a sprite', async () => {
      const service = await start()
      let bytes = new Uint8Array(await (await download(service.me, await service.me.buy('painted', wizard))).arrayBuffer())
      for (const operation of ['background_remove', 'upscale', 'sprite_sheet']) {
        const upload = { method: 'POST', headers: { 'content-type': 'image/png' }, body: bytes }
        const reference = (await service.me.call('/v1/reference-assets', upload)).json.asset_id
        const body = { operation, prompt: 'idle', animation: { frame_count: 7, background: 'remove' } }
        const accepted = await service.me.submit(reference, { key: operation, body })
        await (await service.me.stream(accepted.json.execution_id)).text()
        const { json } = await service.me.call(`/v1/executions/${accepted.json.execution_id}`)
        expect([operation, json.status]).toEqual([operation, 'completed'])
        bytes = new Uint8Array(await (await download(service.me, json)).arrayBuffer())
      }
      expect(service.charges().map(({ credits }) => credits)).toEqual(['1', '1', '1', '1.6'].map((text) => parseCredits(text)))
    })

  test('C21: the events of an image come in order up to done', async () => {
    const { me } = await start()
    const { execution_id: id } = await me.buy('first', wizard)
    const kinds = eventsOf(await (await me.stream(id)).text()).map(({ kind }) => kind)
    expect(kinds).toEqual(['started', 'thinking', 'progress', 'progress', 'progress', 'progress', 'job', 'asset', 'done'])
  })
})

describe('the money of images', () => {
  test('C13: an image is one credit, charged on delivery and not before', async () => {
    const clock = new ManualClock()
    const service = await start({ jobMs: 1000 }, { clock })
    const { json } = await service.me.submit('none', { body: wizard })
    await until(() => clock.sleepers > 0)
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '100' })
    expect([service.holds(), service.charges()]).toEqual([[], []])
    const reading = await service.me.stream(json.execution_id)
    await finish(clock, reading.text())
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '99' })
    expect(service.charges()).toMatchObject([{ executionId: json.execution_id, credits: parseCredits('1') }])
  })

  test('C13: a failed image costs nothing', async () => {
    const service = await start()
    const execution = await service.me.buy('first', { ...wizard, prompt: 'a wizard [fail generation_failed]' })
    expect(execution).toMatchObject({ status: 'failed', error: null, image_job: { sanitized_error: { reason: 'generation_failed' } } })
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '100' })
  })

  test('C13, C20: nothing starts with the credit that a running image will cost, though the balance still shows it', async () => {
    const clock = new ManualClock()
    const service = await start({ accounts: [{ name: 'poor', credits: '1.5' }], jobMs: 1000 }, { clock })
    const first = await service.me.submit('none', { body: wizard })
    await until(() => clock.sleepers > 0)
    const second = await service.me.submit('none', { key: 'second', body: wizard })
    await (await service.me.stream(second.json.execution_id)).text()
    const refused = (await service.me.call(`/v1/executions/${second.json.execution_id}`)).json
    expect(refused).toMatchObject({ status: 'failed', error: { reason: 'insufficient_credits' } })
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '1.5' })
    const reading = await service.me.stream(first.json.execution_id)
    await finish(clock, reading.text())
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '0.5' })
  })
})

describe('cancelling', () => {
  test('C11: a running image is cancelled, costs nothing and stays so', async () => {
    const clock = new ManualClock()
    const service = await start({ jobMs: 1000 }, { clock })
    const { json: accepted } = await service.me.submit('none', { body: wizard })
    await until(() => clock.sleepers > 0)
    const reply = await service.me.call(`/v1/executions/${accepted.execution_id}/cancel`, { method: 'POST' })
    expect(reply.json).toEqual({
      execution_id: accepted.execution_id,
      conversation_id: accepted.conversation_id,
      status: 'cancelled',
    })
    const events = eventsOf(await (await service.me.stream(accepted.execution_id)).text())
    expect(events.at(-1)).toMatchObject({ kind: 'done', data: { status: 'cancelled' } })
    await clock.advance(5000)
    expect((await service.me.call(`/v1/executions/${accepted.execution_id}`)).json.status).toBe('cancelled')
    expect([service.charges(), service.mistakes()]).toEqual([[], []])
  })

  test('C11: a queued image and a waiting one are cancelled; a delivered one stays delivered', async () => {
    const service = await start({}, { clock: new ManualClock() })
    const cancel = async (id: string): Promise<string> =>
      (await service.me.call(`/v1/executions/${id}/cancel`, { method: 'POST' })).json.status
    const queued = await service.me.submit('none', { key: 'a', body: { ...wizard, prompt: '[busy 9] a wizard' } })
    expect(await cancel(queued.json.execution_id)).toBe('cancelled')
    const waiting = await service.me.submit('none', { key: 'b', body: { ...wizard, prompt: '[ask] a wizard' } })
    while ((await service.me.call(`/v1/executions/${waiting.json.execution_id}`)).json.question === null);
    expect(await cancel(waiting.json.execution_id)).toBe('cancelled')
    expect((await service.me.call(`/v1/executions/${waiting.json.execution_id}`)).json.question).toBeNull()
    const { execution_id: delivered } = await service.me.buy('c', wizard)
    expect(await cancel(delivered)).toBe('completed')
    expect(service.charges()).toHaveLength(1)
  })

  test('C11, C1: an execution of another account is not cancelled', async () => {
    const accounts = [{ name: 'studio' }, { name: 'other', keys: [{ key: 'key-of-the-other' }] }]
    const service = await start({ accounts }, { clock: new ManualClock() })
    const { json } = await service.me.submit('none', { body: { ...wizard, prompt: '[busy 9] a wizard' } })
    const reply = await callerOf(service, 'key-of-the-other').call(`/v1/executions/${json.execution_id}/cancel`, { method: 'POST' })
    expect([reply.status, reply.json.error.reason]).toEqual([403, 'access_denied'])
  })

  test('C2: cancelling wants Service-Version: 1', async () => {
    const { me } = await start()
    const { execution_id: id } = await me.buy('first', wizard)
    const reply = await me.call(`/v1/executions/${id}/cancel`, { method: 'POST', headers: { 'service-version': undefined } })
    expect([reply.status, reply.json.error.details.field]).toEqual([422, 'Service-Version'])
  })
})
