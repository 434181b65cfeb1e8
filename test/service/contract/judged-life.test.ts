import { describe, expect, test } from 'vitest'
import type { Call } from '../../../src/contract/caller.ts'
import type { ContractContext } from '../../../src/contract/check.ts'
import { lifeChecks } from '../../../src/contract/life/checks.ts'
import { liveOnce } from '../../../src/contract/life/life.ts'
import type { LifeOutcome } from '../../../src/contract/outcome.ts'
import { resolveProfile } from '../../../src/service/profile.ts'
import { ManualClock } from '../../kit/manual-clock.ts'
import { countingRandom } from '../../kit/memory-disk.ts'
import { events, executed, paidId, zip } from './executed.ts'
import { otherId } from './held-job.ts'

type Answer = NonNullable<LifeOutcome['accepted']>

function answer(status: number, body: unknown): Answer {
  const text = JSON.stringify(body)
  return { method: 'GET', path: '/v1/x', status, headers: {}, bytes: new TextEncoder().encode(text), text, json: body }
}

describe('of what was seen of an execution,', () => {
  const read = (more: object = {}, job: object = {}): Answer =>
    answer(200, { ...executed, ...more, image_job: { ...executed.image_job, ...job } })
  const review = (more: object) => ({ reads: [read({}, { frame_review: { ...executed.image_job.frame_review, ...more } })] })
  const asset = (more: object) => ({ reads: [read({}, { finished_assets: [{ ...executed.image_job.finished_assets[0], ...more }] })] })
  const went = (...statuses: string[]) => ({ reads: [...statuses.map((status) => read({ status })), read()] })
  const [accepted, other] = [answer(202, { execution_id: paidId }), answer(202, { execution_id: otherId })]
  const conflict = (status: number, reason: string): Answer => answer(status, { error: { reason } })
  const seenEvents = events.map(({ event, id, data }) => ({ event, data, lastEventId: id }))
  const sound: LifeOutcome = {
    price: 16_000n,
    accepted,
    executionId: paidId,
    replayed: accepted,
    conflicting: conflict(409, 'conflict'),
    underpriced: conflict(422, 'invalid_request'),
    isFree: false,
    initial: { ...answer(202, paidId), headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
    streams: [200, 200, 200, 200, 429],
    cancelled: conflict(409, 'conflict'),
    balanceBefore: 100_000n,
    balancesHeld: [84_000n, 84_000n],
    balanceAfter: 84_000n,
    reads: [read({ status: 'queued' }), read({ status: 'running' }), read()],
    versionless: conflict(422, 'invalid_request'),
    events: seenEvents,
    resumed: { after: '2', events: seenEvents.slice(2) },
    redirect: answer(302, ''),
    file: { ...answer(200, ''), bytes: zip },
    isElsewhere: true,
  }
  const failed = [read({ status: 'failed' })]
  const gone = ['C25 not checkable', 'C26 not checkable', 'C34 not checkable', 'C35 not checkable', 'C37 not checkable']
  const rows: readonly [string, LifeOutcome, readonly string[]][] = [
    ['all that is promised', {}, []],
    [
      '402 at submission',
      { accepted: answer(402, {}) },
      ['C3 broken', 'C4 broken', 'N3 not checkable', 'C14 not checkable', 'C14 not checkable'],
    ],
    [
      'an acceptance without a name',
      { accepted, executionId: undefined, stopped: 'None.' },
      ['N3 broken', 'C3 not checkable', 'C15 not checkable', 'C5 not checkable'],
    ],
    ['another execution for a key', { replayed: other }, ['C3 broken', 'C14 not checkable', 'C14 not checkable']],
    ['another status for a key', { replayed: { ...accepted, status: 200 } }, ['C3 broken', 'C14 not checkable', 'C14 not checkable']],
    ['no repetition', { replayed: undefined }, ['C3 not checkable']],
    ['other bytes that are accepted', { conflicting: accepted }, ['C3 broken']],
    ['other bytes that are too large', { conflicting: conflict(409, 'quota_exceeded') }, ['C3 broken']],
    ['a fault of the service for a low maximum', { underpriced: answer(500, {}) }, ['C15 broken']],
    ['a low maximum that fails later', { underpriced: other, underpricedStatus: 'failed' }, ['C14 not checkable', 'C14 not checkable']],
    [
      'a low maximum that runs',
      { underpriced: other, underpricedStatus: 'running' },
      ['C15 broken', 'C14 not checkable', 'C14 not checkable'],
    ],
    ['JSON for a stream', { initial: accepted }, ['C5 not checkable']],
    ['no need of a version', { versionless: read() }, ['C2 broken']],
    ['a version that is refused as access', { versionless: conflict(422, 'access_denied') }, ['C2 broken']],
    ['a status of its own', went('dreaming'), ['C6 broken']],
    ['running before queued', went('running', 'queued'), ['C6 broken']],
    ['an end that is none', went('failed'), ['C6 broken']],
    ['a question that went on', went('needs_input'), ['C6 broken']],
    ['a queue that waits', went('queued', 'queued', 'running', 'running'), []],
    ['a job of a wrong kind', { reads: [read({}, { public_job_id: 3 }), read()] }, ['C16 broken']],
    ['an asset of a wrong kind', { reads: [read({}, { finished_assets: [{ asset_id: 3 }] }), read()] }, ['C16 broken']],
    ['a review of a wrong kind', { reads: [read({}, { frame_review: { background: 3 } }), read()] }, ['C16 broken']],
    ['a question while it runs', { reads: [read({ status: 'running', question: {} }), read()] }, ['C9 broken']],
    ['a cancelled sprite', { cancelled: answer(200, {}) }, ['C11 broken']],
    ['a fault at cancelling', { cancelled: answer(500, {}) }, ['C11 broken']],
    ['one balance without the hold', { balancesHeld: [84_000n, 100_000n] }, ['C14 broken']],
    ['nothing held', { balancesHeld: [] }, ['C14 not checkable']],
    ['a smaller charge', { balanceAfter: 84_001n }, ['C14 broken']],
    ['a test key', { isFree: true }, ['C14 not checkable', 'C14 not checkable']],
    [
      'a price for a failure',
      { reads: failed, redirect: undefined, file: undefined, streams: undefined },
      ['C14 broken', 'C23 not checkable', 'C24 not checkable', ...gone],
    ],
    [
      'no price for a failure',
      { reads: failed, redirect: undefined, file: undefined, streams: undefined, balanceAfter: 100_000n },
      ['C23 not checkable', 'C24 not checkable', ...gone],
    ],
    [
      'a job that its streams ended',
      { reads: failed, redirect: undefined, file: undefined, balanceAfter: 100_000n },
      ['C23 broken', ...gone],
    ],
    ['no events', { events: [] }, ['C21 broken', 'N6 not checkable', 'C22 not checkable']],
    ['an unknown event', { events: seenEvents.with(1, { event: 'song', data: '{}', lastEventId: '2' }) }, ['C21 broken']],
    ['no start', { events: seenEvents.slice(1) }, ['C21 broken']],
    ['no end', { events: seenEvents.slice(0, 2), resumed: { after: '2', events: [] } }, ['C21 broken']],
    ['events without names', { resumed: undefined }, ['C22 broken']],
    ['an event twice', { resumed: { after: '2', events: seenEvents.slice(1) } }, ['C22 broken']],
    ['an event left out', { resumed: { after: '1', events: seenEvents.slice(2) } }, ['C22 broken']],
    ['a fifth stream', { streams: [200, 200, 200, 200, 200] }, ['C24 broken']],
    ['streams of others', { streams: [200, 200, 200, 429, 429] }, ['C24 not checkable']],
    ['a stream that is a fault', { streams: [200, 200, 200, 500, 429] }, ['C24 broken']],
    ['a file without a redirect', { redirect: answer(200, '') }, ['C25 broken']],
    ['a file at the API', { isElsewhere: false }, ['C25 broken']],
    ['a file that is refused', { file: answer(403, '') }, ['C25 broken', 'C34 not checkable', 'C37 not checkable']],
    ['no download', { redirect: undefined }, ['C25 not checkable', 'C26 broken']],
    ['a file that is no archive', { file: { ...answer(200, ''), bytes: new Uint8Array(99) } }, ['C34 broken', 'C37 broken']],
    ['six frames reviewed', review({ frame_count: 6 }), ['C35 broken']],
    ['another background', review({ background: 'keep' }), ['C35 broken']],
    ['no review', { reads: [read({}, { frame_review: null })] }, ['C35 broken']],
    ['an asset that is said to be a PNG', asset({ content_type: 'image/png' }), ['C37 broken']],
    ['an asset of one frame', asset({ width: 4, height: 4 }), []],
    ['an asset narrower than a frame', asset({ width: 3, height: 4 }), ['C37 broken']],
    ['an asset lower than a frame', asset({ width: 4, height: 3 }), ['C37 broken']],
    ['an asset without a size', asset({ width: null, height: null }), []],
  ]

  test.each(rows)('%s is judged as it is', async (_what, change, expected) => {
    const seen: LifeOutcome = { ...sound, ...change }
    const context = { life: async () => seen, profile: resolveProfile() } as unknown as ContractContext
    const found: string[] = []
    for (const { clause, run } of lifeChecks) {
      const finding = await run(context)
      if (finding === 'not checkable' || (typeof finding === 'object' && 'notCheckable' in finding)) found.push(`${clause} not checkable`)
      else if (typeof finding === 'object' && 'broken' in finding) found.push(`${clause} broken`)
    }
    expect(found.sort()).toEqual([...expected].sort())
  })
})

describe('the one execution that is bought', () => {
  const path = `/v1/executions/${paidId}`
  const file = 'https://files.test/a.zip'
  interface World {
    readonly ceiling?: bigint
    readonly balance?: string
    readonly statuses?: readonly string[]
    readonly location?: string
    readonly submitted?: () => Answer
    readonly record?: (intent: Readonly<Record<string, unknown>>) => Promise<void>
    readonly download?: object
  }

  /** Buys from a service of scripted answers. Returns what was seen, and each request as `METHOD path key`. */
  async function live({ statuses = ['queued', 'running', 'running', 'completed'], ...world }: World = {}) {
    const clock = new ManualClock()
    const told: string[] = []
    const kept: unknown[] = []
    let reads = 0
    const image = { ...executed.image_job, finished_assets: [{ ...executed.image_job.finished_assets[0], ...world.download }] }
    const state = (): Answer =>
      answer(200, { ...executed, status: statuses[Math.min(reads++, statuses.length - 1)], execution_id: paidId, image_job: image })
    const reply = ({ method = 'GET', path: asked, headers, body, isManaged }: Call): Answer => {
      const max = body && (JSON.parse(new TextDecoder().decode(body)) as { max_credits?: string }).max_credits
      const key = headers?.['idempotency-key']?.replace(/^sw1-contract-[^-]*(-[0-9a-f]{4}){3}-[0-9a-f]*/, 'key')
      told.push([method, asked, key, max, headers?.accept, isManaged === false ? 'plain' : ''].filter(Boolean).join(' '))
      if (asked.startsWith('/v1/sprite-pricing')) return answer(200, { credits: '1.6' })
      if (asked === '/v1/balance') return answer(200, { credits: world.balance ?? '9' })
      if (asked === '/v1/execute') return world.submitted?.() ?? answer(202, { execution_id: paidId })
      if (asked === path) return state()
      if (asked.endsWith('/asset')) return { ...answer(302, ''), headers: { location: world.location ?? file } }
      return answer(409, {})
    }
    const stream = async (asked: string, after?: string) => {
      told.push(['STREAM', asked, after].filter(Boolean).join(' '))
      const left = events
        .map(({ event, id, data }) => ({ event, data, lastEventId: id }))
        .filter(({ lastEventId }) => lastEventId > (after ?? ''))
      return { status: 200, next: async () => left.shift() ?? null, close: async () => void told.push('CLOSE') }
    }
    const outside = async (url: string) => {
      told.push(`OUTSIDE ${url}`)
      return { ...answer(200, ''), bytes: zip }
    }
    const context = {
      ...{ clock, random: countingRandom(), profile: resolveProfile(), ceiling: world.ceiling ?? 16_000n },
      caller: {
        address: { origin: 'https://api.test', path: '', isLoopback: false },
        call: async (call: Call) => reply(call),
        stream,
        outside,
      },
      capabilities: async () => answer(200, { key_mode: 'live', test_mode_uses_credits: false }),
      reference: async () => otherId,
    } as unknown as ContractContext
    const record = world.record ?? (async () => void told.push('RECORD'))
    const keep = async (...of: unknown[]) => void kept.push(of)
    const begun = clock.mono()
    const seen = await clock.run(liveOnce(context, { record, keep, pollMs: 500, longestMs: 2_000 }))
    return { seen, told, kept, ms: clock.mono() - begun }
  }
  const posts = (told: readonly string[]) => told.filter((one) => one.startsWith('POST /v1/execute'))

  test('is recorded before it is sent, watched, tried, and its file is kept', async () => {
    const { seen, told, kept, ms } = await live()
    const streamed = ['CLOSE', 'CLOSE', 'CLOSE', 'CLOSE', 'CLOSE']
    expect(told).toEqual([
      'GET /v1/sprite-pricing?frame_count=7&background=remove plain',
      'GET /v1/balance',
      'RECORD',
      ...['POST /v1/execute key 1.6 application/json', 'POST /v1/execute key 0.0001 application/json'],
      ...[`GET ${path}`, `GET ${path}`, 'GET /v1/balance', `GET ${path}`],
      ...Array(5).fill(`STREAM ${path}/events`),
      ...[`GET ${path}`, ...streamed, `GET ${path} plain`, `POST ${path}/cancel`, `GET ${path}`],
      ...[`STREAM ${path}/events`, 'CLOSE', `STREAM ${path}/events 2`, 'CLOSE'],
      ...[`GET /v1/image-jobs/${otherId}/asset`, `OUTSIDE ${file}`, 'GET /v1/balance'],
    ])
    expect([kept, ms]).toEqual([[[zip, paidId]], 1_000])
    expect(seen).toMatchObject({
      price: 16_000n,
      executionId: paidId,
      isFree: false,
      balanceBefore: 90_000n,
      balancesHeld: [90_000n],
      balanceAfter: 90_000n,
    })
    expect(seen).toMatchObject({ isElsewhere: true, resumed: { after: '2', events: [{ event: 'done' }] } })
    expect([seen.stopped, seen.replayed, seen.underpriced, seen.initial]).toEqual([undefined, undefined, undefined, undefined])
  })

  test.each([
    [15_999n, '9', []],
    [16_000n, '1.5999', []],
    [16_000n, '1.6', ['key 1.6', 'key 0.0001']],
    [31_999n, '9', ['key 1.6', 'key 0.0001']],
    [32_000n, '9', ['key 1.6', 'key 0.0001', 'key 1.6', 'key 1.6']],
    [47_999n, '9', ['key 1.6', 'key 0.0001', 'key 1.6', 'key 1.6']],
    [48_000n, '9', ['key 1.6', 'key 0.0001', 'key 1.6', 'key-under 0.0001', 'key 1.6']],
  ])('under a ceiling of %d and with %s credits is asked for by %j', async (ceiling, balance, expected) => {
    const { told, seen } = await live({ ceiling, balance })
    expect(posts(told).map((one) => one.split(' ').slice(2, 4).join(' '))).toEqual(expected)
    expect(seen.stopped?.endsWith('nothing was bought.') ?? false).toBe(expected.length === 0)
    expect(told.includes('RECORD')).toBe(expected.length > 0)
  })

  test('is sent again under the same key after a lost answer, and not after a refusal', async () => {
    let count = 0
    const lost = (): Answer => {
      if (count++ === 0) throw new Error('lost')
      return answer(202, { execution_id: paidId })
    }
    const [first, second] = posts((await live({ submitted: lost })).told)
    expect(second).toBe(first)
    const refused = await live({ submitted: () => answer(402, {}) })
    expect([posts(refused.told).length, refused.seen.stopped]).toEqual([1, 'The submission was answered with 402.'])
    const unread = await live({ submitted: () => answer(202, {}) })
    expect([posts(unread.told).length, unread.seen.executionId, unread.seen.stopped]).toEqual([1, undefined, expect.any(String)])
  })

  test('is not sent if its record cannot be written, and the record names its keys, its maximum and its bytes', async () => {
    const intents: unknown[] = []
    const record = async (intent: Readonly<Record<string, unknown>>): Promise<void> => {
      intents.push(intent)
      throw new Error('disk full')
    }
    const { told, seen } = await live({ record })
    expect([posts(told), seen.stopped]).toEqual([[], 'disk full'])
    const [{ key }] = intents as [{ readonly key: string }]
    expect(intents).toEqual([{ key, otherKey: `${key}-under`, maxCredits: '1.6', bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  })

  test('is left at the service if it does not end in time, or asks a question', async () => {
    const late = await live({ statuses: ['queued'] })
    expect([late.ms, late.seen.stopped]).toEqual([2_500, expect.stringContaining('it goes on at the service')])
    expect((await live({ statuses: ['needs_input'] })).seen.stopped).toContain('asked a question')
    const failed = await live({ statuses: ['failed'] })
    expect([failed.kept, failed.seen.redirect, failed.seen.balanceAfter]).toEqual([[], undefined, 90_000n])
  })

  test.each([
    ['http://files.test/a.zip', true],
    ['http://127.0.0.1/a.zip', true],
    ['https://api.test/a.zip', false],
    ['nowhere', false],
  ])('has a file at %s, which is fetched over HTTPS alone', async (location, isElsewhere) => {
    const { told, seen, kept } = await live({ location })
    const isFetched = location.startsWith('https:')
    expect([told.some((one) => one.startsWith('OUTSIDE')), kept.length, seen.isElsewhere]).toEqual([
      isFetched,
      isFetched ? 1 : 0,
      isElsewhere,
    ])
  })

  test.each(['https://other.test/v1/image-jobs/x/asset', '/v1/other/x', '', 5])(
    'with the asset %j is not downloaded',
    async (download_url) => {
      const { told, seen } = await live({ download: { download_url } })
      expect([seen.redirect, told.at(-2)]).toEqual([undefined, 'CLOSE'])
    },
  )
})
