import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../kit/manual-clock.ts'
import { closeAll, eventsOf, start } from './fixtures.ts'
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
