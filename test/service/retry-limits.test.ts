import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRetryBudget, type Fault, retryWaitMs } from '../../src/service/http/retry.ts'
import { createLimiter } from '../../src/service/limits/limits.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { json, scriptedNet } from '../kit/scripted-net.ts'
import { testClient } from './fixtures.ts'

const rateLimit: Fault = { kind: 'answer', status: 429, retryable: true, retryAfterMs: null }
const lost: Fault = { kind: 'transport' }

describe('retries', () => {
  test('the service decides by retryable, whatever the status', () => {
    expect(retryWaitMs({ kind: 'answer', status: 503, retryable: false, retryAfterMs: 1 }, 1, 0.5)).toBeNull()
    expect(retryWaitMs({ kind: 'answer', status: 422, retryable: true, retryAfterMs: null }, 1, 0.5)).toBe(250)
  })

  test('sixty are allowed without a success, and each success allows one more', () => {
    const budget = createRetryBudget()
    const left = (): number => {
      for (let count = 0; ; count++) if (!budget.take()) return count
    }
    expect(left()).toBe(60)
    for (let successes = 0; successes < 2; successes++) budget.giveBack()
    expect(left()).toBe(2)
    for (let successes = 0; successes < 70; successes++) budget.giveBack()
    expect(left()).toBe(60)
  })

  test('C29: a rate limit is waited out with equal jitter, and the shortest waits together outlast a window', () => {
    let shortest = 0
    for (let tries = 1; ; tries++) {
      const low = retryWaitMs(rateLimit, tries, 0)
      if (low === null) break
      expect(retryWaitMs(rateLimit, tries, 0.999)).toBeLessThan(low * 2)
      shortest += low
    }
    expect(shortest).toBeGreaterThan(60_000)
  })

  test('C29: Retry-After is waited out, however long up to five minutes; for more, the run ends', () => {
    expect(retryWaitMs({ ...rateLimit, retryAfterMs: 7000 }, 1, 0)).toBe(7000)
    expect(retryWaitMs({ ...rateLimit, retryAfterMs: 75_000 }, 1, 0)).toBe(75_000)
    expect(retryWaitMs({ kind: 'transport', retryAfterMs: 300_000 }, 1, 0)).toBe(300_000)
    expect(retryWaitMs({ ...rateLimit, retryAfterMs: 300_001 }, 1, 1)).toBeNull()
  })

  test('faults of transport: at most five tries, never a wait above 8 seconds', () => {
    expect([1, 2, 3, 4, 5].map((tries) => retryWaitMs(lost, tries, 1))).toEqual([500, 1000, 2000, 4000, null])
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0, max: 1, noNaN: true }), (tries, unit) => {
        const wait = retryWaitMs(lost, tries, unit)
        expect(wait === null || (wait >= 0 && wait <= 8000)).toBe(true)
      }),
    )
  })
})

describe('limits', () => {
  test('C30: no window of the service ever sees more than allowed, whenever each request arrives between sending and answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(900), fc.nat(400), fc.nat(1000)), { minLength: 1, maxLength: 40 }), async (plans) => {
        const clock = new ManualClock()
        const limiter = createLimiter(clock, { windowMs: 1000, post: 3 })
        const arrivals: number[] = []
        const work = plans.map(async ([start, taking, part]) => {
          await clock.sleep(start)
          const release = await limiter.take('post')
          const sent = clock.mono()
          await clock.sleep(taking)
          arrivals.push(sent + (taking * part) / 1000)
          release()
        })
        await clock.run(Promise.all(work))
        arrivals.sort((a, b) => a - b)
        for (const [i, at] of arrivals.entries()) expect((arrivals[i + 3] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThanOrEqual(1000)
        expect(arrivals).toHaveLength(plans.length)
        expect(clock.sleepers).toBe(0)
      }),
      { numRuns: 40 },
    )
  })

  test.each([
    ['post', 10],
    ['get', 120],
    ['download', 20],
  ] as const)('C30: of %s requests, %i leave at once and the next one leaves after a minute', async (bucket, most) => {
    const clock = new ManualClock()
    const limiter = createLimiter(clock)
    let sent = 0
    for (let count = 0; count <= most; count++)
      void limiter.take(bucket).then((release) => {
        sent++
        release()
      })
    await clock.advance(59_999)
    expect(sent).toBe(most)
    await clock.advance(1)
    expect(sent).toBe(most + 1)
  })

  test('C30: buckets are counted apart', async () => {
    const limiter = createLimiter(new ManualClock(), { post: 1, get: 1, download: 1 })
    await Promise.all([limiter.take('post'), limiter.take('get'), limiter.take('download')])
  })

  test('who came first is served first, and one who leaves the queue holds nobody up', async () => {
    const clock = new ManualClock()
    const limiter = createLimiter(clock, { windowMs: 1000, post: 1 })
    const served: string[] = []
    const enter = async (name: string, signal?: AbortSignal): Promise<void> => {
      const release = await limiter.take('post', signal)
      served.push(name)
      release()
    }
    const leaver = new AbortController()
    const queue = [enter('a'), enter('b', leaver.signal), enter('c'), enter('d')]
    leaver.abort(new Error('left'))
    await expect(queue[1]).rejects.toThrow('left')
    await clock.run(Promise.all([queue[0], queue[2], queue[3]]))
    expect(served).toEqual(['a', 'c', 'd'])
    expect(clock.sleepers).toBe(0)
  })

  test('C30: a wait of some seconds is told, once in a window; a short one is not', async () => {
    const told: string[] = []
    const net = scriptedNet(() => json(200, { credits: '1.5' }))
    const { client, clock } = testClient(net, { limits: { get: 2, windowMs: 10_000 }, onWait: (sentence) => told.push(sentence) })
    await clock.run(Promise.all([client.balance(), client.balance()]))
    await clock.advance(8_000)
    await clock.run(client.balance())
    expect(told).toEqual([])
    const three = (): Promise<unknown> => Promise.all([client.balance(), client.balance(), client.balance()])
    await clock.run(three())
    expect(told).toHaveLength(1)
    await clock.run(three())
    const words = 'Waiting: the service allows 2 GET requests in 10 s, and they are used up, here or by another of your processes.'
    expect(told).toEqual([words, words])
    expect(clock.sleepers).toBe(0)
  })

  test('C29: a longer wait before another try is told, once while it lasts', async () => {
    const told: string[] = []
    const net = scriptedNet((_, number) => (number < 2 ? json(429, {}, { 'retry-after': '75' }) : json(200, { credits: '1.5' })))
    const { client, clock } = testClient(net, { onWait: (sentence) => told.push(sentence) })
    await clock.run(Promise.all([client.balance(), client.balance()]))
    expect(told).toEqual([
      expect.stringMatching(/^Waiting 7[5-7] s before the next try: .* rate limit is reached, and it asks for this\.$/),
    ])
  })

  test('a read whose answer is not JSON is tried again; a POST is not', async () => {
    const net = scriptedNet((_, number) =>
      number === 1 ? json(200, { credits: '1.5' }) : { status: 200, body: '<html>Please log in.</html>' },
    )
    const { client, clock } = testClient(net)
    expect(await clock.run(client.balance())).toBe(15_000n)
    const file = { bytes: new Uint8Array(1), contentType: 'image/png' } as const
    await expect(clock.run(client.uploadReference(file))).rejects.toMatchObject({ code: 'SW_WIRE' })
    expect(net.requests).toHaveLength(3)
  })

  test('C24: a fifth stream waits until one of four is closed', async () => {
    const clock = new ManualClock()
    const limiter = createLimiter(clock)
    const open = await Promise.all([1, 2, 3, 4].map(() => limiter.openStream()))
    let isFifthOpen = false
    const fifth = limiter.openStream().then(() => {
      isFifthOpen = true
    })
    await clock.advance(600_000)
    expect(isFifthOpen).toBe(false)
    open[2]?.()
    open[2]?.()
    await fifth
    const sixth = limiter.openStream(AbortSignal.abort(new Error('gone')))
    await expect(sixth).rejects.toThrow('gone')
  })

  test('a limit that is no whole number from 1 is SW_CONFIG', () => {
    for (const post of [0, 1.5, Number.NaN]) expect(() => createLimiter(new ManualClock(), { post })).toThrowError(/"post"/)
  })
})
