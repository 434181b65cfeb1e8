import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRetryBudget, type Fault, retryWaitMs } from '../../src/service/http/retry.ts'
import { createLimiter, resolveLimits } from '../../src/service/limits/limits.ts'
import { openPlaceFolder } from '../../src/service/limits/place-files.ts'
import { createPlaces, joinPlaces, type Places, type Taken, unlimitedPlaces } from '../../src/service/limits/places.ts'
import { silentMs, tellWaits } from '../../src/service/limits/told-waits.ts'
import type { Execution } from '../../src/service/wire.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
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

  test('a wait that was interrupted is not told afterwards', async () => {
    const clock = new ManualClock()
    const told: string[] = []
    const limits = resolveLimits({ get: 1 })
    const limiter = tellWaits(createLimiter(clock, limits), clock, limits, (sentence) => told.push(sentence))
    const stop = new AbortController()
    await limiter.take('get')
    const waiting = limiter.take('get', stop.signal)
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    await clock.advance(2 * silentMs)
    expect(told).toEqual([])
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

describe('the places for active jobs', () => {
  const minute = 60_000
  const never = new AbortController().signal
  const named = (id: string) => ({ key: `sw1-${id}`, id })
  const [hero, coin, tree] = [named('hero.walk'), named('coin.spin'), named('tree.sway')]

  function desk(most: number, statuses: Record<string, string> = {}) {
    const clock = new ManualClock()
    const disk = new MemoryDisk()
    const asked: unknown[] = []
    const execution = async (...[id, signal]: readonly [string, AbortSignal?]): Promise<Execution> => {
      asked.push([id, clock.mono(), signal])
      return { status: statuses[id] ?? 'running', question: null } as Execution
    }
    const files = openPlaceFolder({ disk, random: countingRandom() }, async () => '/places')
    const open = (project = 'game', journal?: string) => createPlaces({ clock, client: { execution } }, files, most, project, journal)
    return { clock, disk, asked, statuses, open }
  }

  test('are listed with their submissions, projects, journals, times and executions, until they are left', async () => {
    const { clock, open } = desk(2)
    const at = clock.wall()
    await open().take(hero, never, () => {})
    await open('other', 's3://j').keep(coin, { executionId: 'e2', at: at - 7 })
    const first = { ...hero, project: 'game', at }
    const second = { ...coin, project: 'other', journal: 's3://j', at: at - 7, executionId: 'e2' }
    expect(await open().taken()).toEqual([first, second])
    await open().keep(hero, { executionId: 'e1' })
    await open().keep(hero, { executionId: 'e1' })
    expect(await open().taken()).toEqual([{ ...first, executionId: 'e1' }, second])
    // An answer goes on as another execution.
    await clock.advance(9)
    await open().keep(hero, { executionId: 'e3' })
    expect(await open().taken()).toEqual([{ ...first, at: at + 9, executionId: 'e3' }, second])
    await open().leave(coin.key)
    await open().leave(tree.key)
    expect((await open().taken()).map(({ id }) => id)).toEqual(['hero.walk'])
  })

  test('are asked about every ten seconds with the signal of the run, and the wait says who has them, once', async () => {
    const { clock, asked, statuses, open } = desk(2)
    for (const [one, executionId] of [
      [hero, 'e1'],
      [coin, 'e2'],
    ] as const)
      await open().keep(one, { executionId })
    const { signal } = new AbortController()
    const told: string[] = []
    const begun = clock.mono()
    const taking = open().take(tree, signal, (why) => void told.push(why))
    await clock.advance(29_000)
    expect(asked).toEqual([0, 10_000, 20_000].flatMap((ms) => ['e1', 'e2'].map((id) => [id, begun + ms, signal])))
    expect(told).toEqual(['it waits for a place: 2 jobs of the account may be active, now hero.walk of game and coin.spin of game'])
    statuses.e2 = 'cancelled'
    expect(await clock.run(taking)).toBe('waited')
    expect((await open().taken()).map(({ id }) => id)).toEqual(['hero.walk', 'tree.sway'])
  })

  test('beyond the jobs that run here are closed for five minutes after a refusal, except for what was refused', async () => {
    const { clock, open } = desk(4, { e2: 'queued' })
    await open().keep(hero, { executionId: 'e1' })
    await open().keep(coin, { executionId: 'e2' })
    await open().take(tree, never, () => {})
    const begun = clock.mono()
    await open().refused(tree, true, never)
    // One job certainly runs here, and two places are taken besides.
    const told: string[] = []
    let taken: Taken | undefined
    const taking = open()
      .take(named('x.y'), never, (why) => void told.push(why))
      .then((how) => {
        taken = how
      })
    expect(await open().take(tree, never, () => {})).toBe('had')
    await open().leave(tree.key)
    expect(await open().take(tree, never, () => {})).toBe('taken')
    await clock.advance(5 * minute)
    expect([taken, told]).toEqual([undefined, [expect.stringContaining('runs as many jobs as it may')]])
    await clock.advance(1_000)
    await taking
    expect([taken, clock.mono() - begun]).toEqual(['waited', 5 * minute + 1_000])
  })

  test('are open to as many jobs as run here during a refusal', async () => {
    const { clock, open } = desk(4)
    for (const [one, executionId] of [
      [hero, 'e1'],
      [coin, 'e2'],
    ] as const)
      await open().keep(one, { executionId })
    await open().refused(tree, false, never)
    await open().leave(hero.key)
    expect(await clock.run(open().take(named('x.y'), never, () => {}))).toBe('taken')
  })

  test('need one of this machine and one of the team, and nothing stays taken if the team has none', async () => {
    const calls: string[] = []
    const told = (name: string, how: Taken | Error): Places => {
      const note = (what: string) => void calls.push(`${name} ${what}`)
      return {
        ...unlimitedPlaces,
        take: async (one) => {
          note(`take ${one.id}`)
          if (how instanceof Error) throw how
          return how
        },
        holds: async () => how === 'had',
        taken: async () => [{ ...hero, project: name, at: 1 }],
        keep: async (one, job) => note(`keep ${one.id} ${job.executionId}`),
        leave: async (key) => note(`leave ${key}`),
        refused: async () => note('refused'),
      }
    }
    const take = (own: Taken, team: Taken | Error) => joinPlaces(told('own', own), told('team', team)).take(hero, never, () => {})
    const ends: Taken[] = []
    for (const own of ['had', 'taken', 'waited'] as const)
      for (const team of ['had', 'taken', 'waited'] as const) ends.push(await take(own, team))
    expect(ends).toEqual(['had', 'taken', 'waited', 'taken', 'taken', 'waited', 'waited', 'waited', 'waited'])
    calls.length = 0
    const full = new Error('full')
    for (const own of ['had', 'taken'] as const) await expect(take(own, full)).rejects.toBe(full)
    expect(calls).toEqual([
      'own take hero.walk',
      'team take hero.walk',
      'own take hero.walk',
      'team take hero.walk',
      'own leave sw1-hero.walk',
    ])
    calls.length = 0
    const both = joinPlaces(told('own', 'had'), told('team', 'taken'))
    await both.keep(hero, { executionId: 'e' })
    await both.leave(hero.key)
    await both.refused(hero, false, never)
    expect(calls).toEqual([
      'own keep hero.walk e',
      'team keep hero.walk e',
      'own leave sw1-hero.walk',
      'team leave sw1-hero.walk',
      'own refused',
    ])
    expect((await both.taken()).map(({ project }) => project)).toEqual(['own', 'team'])
    const holds = (own: Taken, team: Taken) => joinPlaces(told('own', own), told('team', team)).holds(hero.key)
    expect([await holds('had', 'had'), await holds('had', 'taken'), await holds('taken', 'had')]).toEqual([true, false, false])
  })
})
