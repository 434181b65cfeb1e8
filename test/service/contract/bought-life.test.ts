import { describe, expect, test } from 'vitest'
import type { Call } from '../../../src/contract/caller.ts'
import type { ContractContext } from '../../../src/contract/check.ts'
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
