import { afterEach, describe, expect, test } from 'vitest'
import { readArchive } from '../../atlas/delivery/archive.ts'
import { openArchive, readFrames } from '../../atlas/index.ts'
import { createFaultPlay } from '../../src/embedded/faults/play.ts'
import { type FaultDeed, type FaultMatch, type FaultPlan, parseFaultPlan } from '../../src/embedded/options/fault-plan.ts'
import { nodeRandom } from '../../src/host/random.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { closeAll, eventsOf, served, start } from './fixtures.ts'

afterEach(closeAll)

const submitting: FaultMatch = { method: 'POST', path: '/v1/execute' }
const streams: FaultMatch = { path: '/v1/executions/*/events' }
const one = (deed: FaultDeed, when: FaultMatch = submitting): { faults: FaultPlan } => ({ faults: { rules: [{ when, do: deed }] } })

describe('a plan of faults as text', () => {
  test('is read with every part', () => {
    const plan = {
      rules: [
        { when: { number: 3, origin: 'api', method: 'POST', path: '/v1/*', nth: 2, times: 1 }, do: { drop: 'after' } },
        { do: { delayMs: 5, status: 503, moment: 'after', retryAfter: 2 } },
        { do: { stream: 'cut', afterEvents: 3, cutBodyAt: 10, garbage: true, addUnknownFields: true, dropOptionalFields: true } },
        { do: { unknownStatus: 'resting', file: 'half' } },
      ],
    }
    expect(parseFaultPlan(JSON.stringify(plan), 'plan.json')).toEqual(plan)
  })

  test.each([
    ['{"rules":[{"do":{"status":200}}]}', 'rules[0].do.status'],
    ['{"rules":[{"do":{"drop":"never"}}]}', 'rules[0].do.drop'],
    ['{"rules":[{"do":{"file":"torn"}}]}', 'rules[0].do.file'],
    ['{"rules":[{"do":{}},{"when":{"methd":"GET"},"do":{}}]}', 'rules[1].when.methd'],
    ['{"rules":[{"when":{"nth":0},"do":{}}]}', 'rules[0].when.nth'],
    ['{"rules":[{"do":{"moment":"after"}}]}', 'rules[0].do'],
    ['{"rules":[{}]}', 'rules[0].do'],
    ['{"rules":7}', 'rules'],
    ['[]', ''],
  ])('%s is refused with its place', (text, path) => {
    expect(() => parseFaultPlan(text, 'plan.json')).toThrow(
      expect.objectContaining({ code: 'SW_CONFIG', facts: expect.objectContaining({ file: 'plan.json', path }) }),
    )
  })

  test('that is no JSON is refused', () => {
    expect(() => parseFaultPlan('{"rules":', 'plan.json')).toThrow(expect.objectContaining({ code: 'SW_CONFIG' }))
  })
})

describe('a fault', () => {
  test('drop before keeps the service from the request; drop after only the client from its answer', async () => {
    const before = await start(one({ drop: 'before' }))
    const reference = await before.me.upload()
    await expect(before.me.submit(reference)).rejects.toThrow()
    expect([...before.holds(), ...before.charges()]).toEqual([])
    const after = await start(one({ drop: 'after' }, { ...submitting, times: 1 }))
    const other = await after.me.upload()
    await expect(after.me.submit(other)).rejects.toThrow()
    const { json } = await after.me.submit(other)
    await (await after.me.stream(json.execution_id)).text()
    expect(after.charges()).toHaveLength(1)
  })

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('a 503 %s the service has acted leaves %i charges', async (moment, charges) => {
    const service = await start(one({ status: 503, moment }, { ...submitting, times: 1 }))
    const reference = await service.me.upload()
    const reply = await service.me.submit(reference)
    expect([reply.status, reply.json.error.reason, reply.json.error.retryable]).toEqual([503, 'temporarily_unavailable', true])
    // The same submission again, which shows whether the first has started something.
    const { json } = await service.me.submit(reference, { body: moment === 'after' ? {} : { prompt: 'others' } })
    await (await service.me.stream(json.execution_id)).text()
    expect(service.charges().filter(({ prompt }) => prompt !== 'others')).toHaveLength(charges)
  })

  test('C29: a 429 is worded as the interface words it, with Retry-After where the plan says so', async () => {
    const { me } = await start(one({ status: 429, retryAfter: 7 }, { path: '/v1/balance', nth: 2, times: 2 }))
    const replies = [await me.call('/v1/balance'), await me.call('/v1/balance'), await me.call('/v1/balance'), await me.call('/v1/balance')]
    expect(replies.map(({ status }) => status)).toEqual([200, 429, 429, 200])
    expect(replies[1]!.headers.get('retry-after')).toBe('7')
    expect(replies[1]!.json.error).toMatchObject({ code: 'RATE_LIMITED', category: 'RATE_LIMITED', retryable: true })
  })

  test.each([
    [404, 'resource_not_found', 'NOT_FOUND', false],
    [409, 'conflict', 'CONFLICT', false],
    [503, 'temporarily_unavailable', 'AVAILABILITY', true],
    [507, 'temporarily_unavailable', 'AVAILABILITY', true],
  ])('C27: status %i comes as %s, as the service words it', async (status, reason, category, retryable) => {
    const { me } = await start(one({ status }, { path: '/v1/balance' }))
    const reply = await me.call('/v1/balance')
    expect([reply.status, reply.json.error]).toEqual([status, expect.objectContaining({ reason, category, retryable })])
  })

  test('delay holds the request back for as long as it says', async () => {
    const clock = new ManualClock()
    const { me } = await start(one({ delayMs: 5000 }, { path: '/v1/balance' }), { clock })
    let isHere = false
    const reply = me.call('/v1/balance').then(({ status }) => {
      isHere = true
      return status
    })
    while (clock.sleepers === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(4999)
    expect(isHere).toBe(false)
    await clock.advance(1)
    expect(await reply).toBe(200)
  })

  test('cutBodyAt breaks the connection inside of the body; garbage keeps type and status', async () => {
    const cut = await start(one({ cutBodyAt: 5 }, { path: '/v1/balance' }))
    await expect(cut.me.call('/v1/balance')).rejects.toThrow()
    const { me } = await start(one({ garbage: true }, { path: '/v1/balance' }))
    await expect(me.call('/v1/balance')).rejects.toThrow(SyntaxError)
  })

  test('by number hits that request alone, also on the assets origin', async () => {
    const service = await start({ faults: { rules: [{ when: { number: 2 }, do: { status: 500 } }] } })
    const statuses = [await service.me.call('/v1/balance'), await fetch(`${service.assetsUrl}/x`), await service.me.call('/v1/balance')]
    expect(statuses.map(({ status }) => status)).toEqual([200, 500, 200])
  })

  test('C39: unknown fields are added everywhere but in estimates and envelopes', async () => {
    const { me } = await start(one({ addUnknownFields: true }, {}))
    const { execution_id: id, ...execution } = await me.buy()
    expect(execution).toMatchObject({ x_later: null, image_job: { x_later: null, finished_assets: [{ x_later: null }] } })
    expect(eventsOf(await (await me.stream(id)).text())[0]!.data).toHaveProperty('x_unknown')
    expect((await me.call('/v1/capabilities')).json.sprite_pricing).toHaveProperty('x_unknown')
    expect(Object.keys((await me.call('/v1/sprite-pricing')).json)).toHaveLength(7)
    expect(Object.keys((await me.call('/v1/nothing')).json)).toEqual(['error'])
  })

  test('C39: optional fields are left out, and an unknown status put in', async () => {
    const { me } = await start(one({ dropOptionalFields: true }, {}))
    const execution = await me.buy()
    expect(Object.keys(execution)).toEqual(['execution_id', 'status', 'image_job', 'question', 'error'])
    expect(execution.image_job.finished_assets).toEqual([{ asset_id: expect.any(String), download_url: expect.any(String) }])
    const other = await start(one({ unknownStatus: 'resting' }, { path: '/v1/executions/*' }))
    expect((await other.me.buy()).status).toBe('resting')
  })

  test('several rules act on one request, the earlier one first', async () => {
    const rules = [{ do: { unknownStatus: 'resting' } }, { do: { unknownStatus: 'asleep', addUnknownFields: true } }]
    const { me } = await start({ faults: { rules } })
    expect(await me.buy()).toMatchObject({ status: 'resting', x_later: null })
  })
})

describe('a file fault', () => {
  /** The bytes of a bought file, whose download has a fault, and those without. */
  const download = async (file: FaultDeed['file']): Promise<readonly [spoilt: Uint8Array, whole: Uint8Array]> => {
    const { me } = await start(one({ file }, { origin: 'assets', times: 1 }))
    const { image_job: job } = await me.buy()
    const read = async (): Promise<Uint8Array> => {
      const link = await me.call(new URL(job.finished_assets[0].download_url).pathname)
      const reply = await fetch(link.headers.get('location') ?? '')
      const bytes = new Uint8Array(await reply.arrayBuffer())
      expect([reply.status, reply.headers.get('content-length')]).toEqual([200, String(bytes.length)])
      return bytes
    }
    return [await read(), await read()]
  }

  test('damaged keeps the length, half is half of it in a whole answer; neither can be read', async () => {
    const [damaged, whole] = await download('damaged')
    expect([damaged.length, damaged.slice(0, 2)]).toEqual([whole.length, whole.slice(0, 2)])
    expect(() => readFrames(openArchive(damaged))).toThrow()
    const [half, other] = await download('half')
    expect(half).toEqual(other.slice(0, other.length >> 1))
    expect(() => openArchive(half)).toThrow()
    expect(readFrames(openArchive(whole)).resized).toEqual([])
  })

  test('damaged-frame leaves the archive whole and one picture that cannot be read', async () => {
    const [damaged, whole] = await download('damaged-frame')
    expect(readArchive(damaged).map(({ name }) => name)).toEqual(readArchive(whole).map(({ name }) => name))
    expect(() => readFrames(openArchive(damaged))).toThrow(expect.objectContaining({ code: 'SW_PNG' }))
    expect(readFrames(openArchive(whole)).frames.length).toBeGreaterThan(1)
  })

  test('odd-frame makes the second frame smaller, and nothing else', async () => {
    const [odd, whole] = (await download('odd-frame')).map((bytes) => readFrames(openArchive(bytes)))
    expect(odd?.resized.map(({ index }) => index)).toEqual([1])
    expect(odd?.frames.length).toBe(whole?.frames.length)
    expect(odd?.frames.filter((frame, index) => Buffer.compare(frame.data, whole!.frames[index]!.data) !== 0).length).toBeLessThanOrEqual(1)
  })
})

describe('a stream fault', () => {
  const text = async (deed: FaultDeed): Promise<{ kinds: string[]; isWhole: boolean }> => {
    const faulty = await start(one(deed, streams))
    const { json } = await faulty.me.submit(await faulty.me.upload())
    while (faulty.charges().length === 0) await faulty.me.call('/v1/balance')
    const reader = (await faulty.me.stream(json.execution_id)).body!.getReader()
    let seen = ''
    try {
      for (;;) {
        const part = await reader.read()
        if (part.done) return { kinds: eventsOf(seen).map(({ kind }) => kind), isWhole: true }
        seen += new TextDecoder().decode(part.value)
      }
    } catch {
      return { kinds: eventsOf(seen).map(({ kind }) => kind), isWhole: false }
    }
  }

  test('cut breaks the connection after some events', async () => {
    expect(await text({ stream: 'cut', afterEvents: 2 })).toEqual({ kinds: ['started', 'thinking'], isWhole: false })
  })

  test('duplicated brings every event twice, reordered swaps every two', async () => {
    expect((await text({ stream: 'duplicated' })).kinds.slice(0, 4)).toEqual(['started', 'started', 'thinking', 'thinking'])
    const { kinds, isWhole } = await text({ stream: 'reordered' })
    expect([kinds.slice(0, 2), kinds.length, isWhole]).toEqual([['thinking', 'started'], 17, true])
  })

  test('silent says nothing more and its place is free when the client goes', async () => {
    const service = await start(one({ stream: 'silent', afterEvents: 1 }, streams))
    const { json } = await service.me.submit(await service.me.upload())
    while (service.charges().length === 0) await service.me.call('/v1/balance')
    for (let round = 0; round < 6; round++) {
      const leaving = new AbortController()
      let response = await service.me.stream(json.execution_id, undefined, leaving.signal)
      while (response.status === 429) response = await service.me.stream(json.execution_id, undefined, leaving.signal)
      const part = await response.body!.getReader().read()
      expect(eventsOf(new TextDecoder().decode(part.value)).map(({ kind }) => kind)).toEqual(['started'])
      leaving.abort()
    }
  })
})

describe('a rule', () => {
  const request = { ...served('GET', '/v1/sprite-pricing?frame_count=12'), origin: 'api', number: 1 } as const

  test.each<[FaultMatch, number]>([
    [{}, 4],
    [{ method: 'get' }, 4],
    [{ method: 'POST' }, 0],
    [{ path: '/v1/sprite-pricing' }, 4],
    [{ path: '/v1/sprite.pricing' }, 0],
    [{ path: '/v1/*' }, 4],
    [{ path: 'sprite-pricing' }, 0],
    [{ origin: 'assets' }, 0],
    [{ nth: 2 }, 3],
    [{ times: 2 }, 2],
    [{ nth: 2, times: 2 }, 2],
    [{ nth: 5 }, 0],
  ])('for %j meets so many of four requests: %i', (when, count) => {
    const { deedFor } = createFaultPlay({ rules: [{ when, do: { delayMs: 1 } }] }, new ManualClock(), nodeRandom())
    expect([1, 2, 3, 4].filter(() => deedFor(request) !== undefined)).toHaveLength(count)
  })
})
