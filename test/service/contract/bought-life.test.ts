import { describe, expect, test } from 'vitest'
import { paidId, zip } from './executed.ts'
import { otherId } from './held-job.ts'
import { type Answer, answer, file, live, path } from './live.ts'

describe('the one execution that is bought', () => {
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
