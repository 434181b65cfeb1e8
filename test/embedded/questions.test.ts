import { afterEach, describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { questionIn } from '../../src/embedded/options/prompt-words.ts'
import type { EmbeddedService } from '../../src/embedded/service.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { type Caller, callerOf, closeAll, eventsOf, type Reply, start } from './fixtures.ts'

afterEach(closeAll)

const wizard = { operation: 'text_to_image', prompt: 'a wizard', reference_asset_id: undefined }

/** Submits, and reads the execution until it has a question. */
async function asked(me: Caller, body: Record<string, unknown>, key = 'first'): Promise<Reply['json']> {
  const accepted = await me.submit(await me.upload(), { key, body })
  for (;;) {
    const { json } = await me.call(`/v1/executions/${accepted.json.execution_id}`)
    if (json.question !== null) return json
  }
}

function answer(me: Caller, asking: Reply['json'], body: Record<string, unknown> = {}, key = 'an-answer'): Promise<Reply> {
  return me.call(`/v1/conversations/${asking.conversation_id}/answers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ question_id: asking.question.question_id, text: 'the tall one', ...body }),
  })
}

async function ended(me: Caller, id: string): Promise<Reply['json']> {
  await (await me.stream(id)).text()
  return (await me.call(`/v1/executions/${id}`)).json
}

describe('questions', () => {
  test.each(['an ambiguous wizard', 'a wizard or a witch?', '[ask] a wizard'])(
    'C9: "%s" asks, and says so by its question',
    async (prompt) => {
      const { me } = await start()
      const asking = await asked(me, { ...wizard, prompt })
      expect(asking).toMatchObject({ status: 'needs_input', error: null })
      expect(asking.question).toEqual({ question_id: expect.any(String), text: expect.any(String), requires_asset: false })
    },
  )

  test('C10, C9: the answer starts a new execution of the conversation; the old one stays needs_input without a question', async () => {
    const service = await start()
    const asking = await asked(service.me, { ...wizard, prompt: 'a wizard?' })
    const reply = await answer(service.me, asking)
    expect(reply.status).toBe(202)
    expect(reply.json.execution_id).not.toBe(asking.execution_id)
    expect(reply.json.conversation_id).toBe(asking.conversation_id)
    expect(await ended(service.me, reply.json.execution_id)).toMatchObject({ status: 'completed', conversation_id: asking.conversation_id })
    expect((await service.me.call(`/v1/executions/${asking.execution_id}`)).json).toMatchObject({ status: 'needs_input', question: null })
    expect(service.charges().map(({ executionId }) => executionId)).toEqual([reply.json.execution_id])
  })

  test('C21: the stream of an asking execution tells the question and ends when it is answered', async () => {
    const { me } = await start()
    const asking = await asked(me, { ...wizard, prompt: 'a wizard?' })
    const stream = await me.stream(asking.execution_id)
    await answer(me, asking)
    const events = eventsOf(await stream.text())
    expect(events.map(({ kind }) => kind)).toEqual(['started', 'thinking', 'question', 'done'])
    expect(events[2]!.data).toMatchObject({ status: 'needs_input', message: asking.question.text })
  })

  test('C14: the hold of a sprite that asks stays, moves on with the answer and is settled once', async () => {
    const service = await start()
    const asking = await asked(service.me, { prompt: 'a knight or a squire?' })
    const holdsNow = (): unknown[] => service.holds().map(({ executionId, credits }) => [executionId, credits])
    expect(holdsNow()).toEqual([[asking.execution_id, parseCredits('2.4')]])
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '97.6' })
    const reply = await answer(service.me, asking)
    expect((await ended(service.me, reply.json.execution_id)).status).toBe('completed')
    expect(holdsNow()).toEqual([])
    expect(service.charges().map(({ executionId }) => executionId)).toEqual([reply.json.execution_id])
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '97.6' })
  })

  test('C14: an answered sprite that is then refused at admission gets its hold back', async () => {
    const refusal = { reason: 'content_refused', message: 'No.', retryable: false } as const
    let isStrict = false
    const service = await start({ verdict: ({ stage }) => (isStrict && stage === 'admission' ? refusal : undefined) })
    const asking = await asked(service.me, { prompt: 'a knight or a squire?' })
    isStrict = true
    const reply = await answer(service.me, asking)
    expect(await ended(service.me, reply.json.execution_id)).toMatchObject({ status: 'failed', error: { reason: 'content_refused' } })
    expect([service.holds(), service.charges()]).toEqual([[], []])
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '100' })
  })

  test('C3: the same answer under the same key is the same 202; another under it is 409; another key is 409 too', async () => {
    const service = await start()
    const asking = await asked(service.me, { ...wizard, prompt: 'a wizard?' })
    const first = await answer(service.me, asking)
    expect((await answer(service.me, asking)).text).toBe(first.text)
    const other = await answer(service.me, asking, { text: 'the short one' })
    const again = await answer(service.me, asking, {}, 'another-key')
    expect([other.status, other.json.error.reason]).toEqual([409, 'conflict'])
    expect([again.status, again.json.error.reason]).toEqual([409, 'conflict'])
    await ended(service.me, first.json.execution_id)
    expect(service.charges()).toHaveLength(1)
  })

  test('C10: a question that wants a picture takes no answer without one', async () => {
    const { me } = await start()
    const asking = await asked(me, { operation: 'upscale', prompt: 'larger [ask asset]' })
    expect(asking.question.requires_asset).toBe(true)
    const refused = await answer(me, asking)
    expect([refused.status, refused.json.error.details.field]).toEqual([422, 'asset_id'])
    const unknown = await answer(me, asking, { asset_id: '00000000-0000-4000-8000-000000000000' })
    expect([unknown.status, unknown.json.error.details.field]).toEqual([422, 'asset_id'])
    const reply = await answer(me, asking, { asset_id: await me.upload() })
    expect((await ended(me, reply.json.execution_id)).status).toBe('completed')
  })

  test('the option ask sees the answers so far and may ask again', async () => {
    const seen: (readonly string[])[] = []
    const service = await start({
      ask: ({ answers }) => {
        seen.push(answers)
        return answers.length < 2 ? { text: `Question ${answers.length + 1}` } : undefined
      },
    })
    const first = await asked(service.me, wizard)
    const second = await answer(service.me, first, { text: 'one' }, 'k1')
    let asking: Reply['json']
    do asking = (await service.me.call(`/v1/executions/${second.json.execution_id}`)).json
    while (asking.question === null)
    expect(asking.question.text).toBe('Question 2')
    const third = await answer(service.me, asking, { text: 'two' }, 'k2')
    expect((await ended(service.me, third.json.execution_id)).status).toBe('completed')
    expect(seen).toEqual([[], ['one'], ['one', 'two']])
  })

  test('C27: a wrong answer is refused with the field, and the question stays', async () => {
    const { me } = await start()
    const asking = await asked(me, { ...wizard, prompt: 'a wizard?' })
    for (const [field, body] of [
      ['question_id', { question_id: '00000000-0000-4000-8000-000000000000' }],
      ['text', { text: ' ' }],
      ['asset_id', { asset_id: 7 }],
    ] as const) {
      const reply = await answer(me, asking, body, `wrong-${field}`)
      expect([reply.status, reply.json.error.details.field]).toEqual([422, field])
    }
    expect((await me.call(`/v1/executions/${asking.execution_id}`)).json.question).not.toBeNull()
  })

  test('C1: nobody else answers', async () => {
    const service = await start({ accounts: [{ name: 'studio' }, { name: 'other', keys: [{ key: 'key-of-the-other' }] }] })
    const asking = await asked(service.me, { ...wizard, prompt: 'a wizard?' })
    expect((await answer(callerOf(service, 'key-of-the-other'), asking)).status).toBe(404)
  })
})

describe('deleting a conversation', () => {
  const remove = (me: Caller, id: string): Promise<Reply> => me.call(`/v1/conversations/${id}`, { method: 'DELETE' })
  const none = '00000000-0000-4000-8000-000000000000'

  test('C12: a deleted conversation is gone with its executions and files, and what it cost stays paid', async () => {
    const service = await start()
    const { me } = service
    const bought = await me.buy()
    const link = (await me.call(`/v1/image-jobs/${bought.image_job.public_job_id}/asset`)).headers.get('location')!
    expect((await remove(me, bought.conversation_id)).status).toBe(204)
    const statuses = [
      await me.call(`/v1/executions/${bought.execution_id}`),
      await me.call(`/v1/executions/${bought.execution_id}/events`),
      await me.call(`/v1/image-jobs/${bought.image_job.public_job_id}/asset`),
      await remove(me, bought.conversation_id),
      await fetch(link),
    ].map(({ status }) => status)
    expect(statuses).toEqual([404, 404, 404, 404, 404])
    expect((await me.call('/v1/balance')).json).toEqual({ credits: '97.6' })
    expect(service.charges()).toHaveLength(1)
  })

  test('C12: a conversation of another account, or of nobody, is 404 and stays', async () => {
    const service = await start({ accounts: [{ name: 'studio' }, { name: 'other', keys: [{ key: 'key-of-the-other' }] }] })
    const bought = await service.me.buy()
    expect((await remove(callerOf(service, 'key-of-the-other'), bought.conversation_id)).status).toBe(404)
    expect((await remove(service.me, none)).status).toBe(404)
    expect((await service.me.call(`/v1/executions/${bought.execution_id}`)).status).toBe(200)
  })

  test('C12, C14: a waiting sprite gives its hold back; a running one keeps its conversation', async () => {
    const service: EmbeddedService & { me: Caller } = await start({ jobMs: 1000 }, { clock: new ManualClock() })
    const asking = await asked(service.me, { prompt: 'a knight or a squire?' })
    expect((await remove(service.me, asking.conversation_id)).status).toBe(204)
    expect(service.holds()).toEqual([])
    const running = await service.me.submit(await service.me.upload(), { key: 'second' })
    expect((await remove(service.me, running.json.conversation_id)).status).toBe(409)
  })

  test('C2: deleting wants Service-Version: 1', async () => {
    const { me } = await start()
    const reply = await me.call(`/v1/conversations/${none}`, { method: 'DELETE', headers: { 'service-version': '2' } })
    expect([reply.status, reply.json.error.details.field]).toEqual([422, 'Service-Version'])
  })
})

test.each([
  ['a knight', undefined],
  ['a knight?', false],
  ['a knight? \n', false],
  ['a knight? yes', undefined],
  ['an AMBIGUOUS knight', false],
  ['an unambiguous knight', undefined],
  ['[ask] a knight', false],
  ['[ask asset] a knight?', true],
])('the prompt %j asks, and wants a picture: %s', (prompt, requiresAsset) => {
  expect(questionIn(prompt)?.requiresAsset).toBe(requiresAsset)
})
