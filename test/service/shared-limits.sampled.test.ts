import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { nodeClock } from '../../src/host/clock.ts'
import { nodeDisk } from '../../src/host/disk.ts'
import { nodeRandom } from '../../src/host/random.ts'
import { createLimiter, defaultLimits, type Limiter, type Limits } from '../../src/service/limits/limits.ts'
import { createSharedLimiter } from '../../src/service/limits/shared-limits.ts'
import { SharedSlots, type SlotRules } from '../../src/service/limits/shared-slots.ts'
import { readSlots } from '../../src/service/limits/slot-names.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { json, scriptedNet } from '../kit/scripted-net.ts'
import { byLevel } from '../level.ts'
import { canary, executionId, testClient } from './fixtures.ts'
import { Machine } from './many-processes.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
const temporary = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'))
  folders.push(folder)
  return folder
}

/** Pseudo-random numbers, the same for a seed. */
function chance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The largest number of times within one window. */
function mostInWindow(times: readonly number[], windowMs: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  let most = 0
  let start = 0
  for (let end = 0; end < sorted.length; end++) {
    while ((sorted[end] ?? 0) - (sorted[start] ?? 0) >= windowMs) start++
    most = Math.max(most, end - start + 1)
  }
  return most
}

describe('slots that several processes share', () => {
  const windowRules: SlotRules = { count: 3, restMs: 1000, leaseMs: 2500, renewMs: null, patienceMs: 500 }

  test('C30: whatever the interleaving, however processes stall and die, no window ever holds more requests than are allowed; survivors get all of theirs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.option(fc.integer({ min: 0, max: 12_000 })), { minLength: 2, maxLength: 4 }),
        async (seed, deaths) => {
          const next = chance(seed)
          // Mostly quick, sometimes stalled for far longer than a lease.
          const machine = new Machine(() => (next() < 0.03 ? next() * 9000 : next() * 40))
          const counted: number[] = []
          const done: number[] = []
          for (const [index, death] of deaths.entries()) {
            const one = machine.process()
            const slots = new SharedSlots(one.disk, one.clock, '/limits', windowRules)
            const request = async (): Promise<void> => {
              const release = await slots.take()
              const useMs = next() * 1500
              counted.push(machine.now + next() * useMs)
              await one.wait(useMs)
              release()
            }
            void (async () => {
              for (let number = 0; number < 4; number++) await Promise.all([request(), request()])
              done.push(index)
            })()
            // The first process never dies, so that at least one is left to wait.
            if (death !== null && index > 0) machine.at(10_000 + death, one.kill)
          }
          await machine.run(10_000 + 400_000)
          expect(mostInWindow(counted, windowRules.restMs)).toBeLessThanOrEqual(windowRules.count)
          for (const [index, death] of deaths.entries()) if (death === null || index === 0) expect(done).toContain(index)
        },
      ),
      { numRuns: byLevel({ quick: 60, full: 200, long: 200 }) },
    )
  }, 60_000)

  test('C24: whatever the interleaving and whoever dies, no more streams are held than are allowed, and the places of the dead come back', async () => {
    const rules: SlotRules = { count: 2, restMs: 0, leaseMs: 1000, renewMs: 300, patienceMs: 500 }
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.option(fc.integer({ min: 0, max: 6000 })), { minLength: 2, maxLength: 4 }),
        async (seed, deaths) => {
          const next = chance(seed)
          const machine = new Machine(() => next() * 40)
          let open = 0
          let most = 0
          const done: number[] = []
          for (const [index, death] of deaths.entries()) {
            const one = machine.process()
            let mine = 0
            const slots = new SharedSlots(one.disk, one.clock, '/limits', rules)
            const stream = async (): Promise<void> => {
              const release = await slots.take()
              open++
              mine++
              most = Math.max(most, open)
              await one.wait(next() * 4000)
              expect(release.lost?.aborted).toBe(false)
              open--
              mine--
              release()
            }
            void (async () => {
              for (let number = 0; number < 2; number++) await Promise.all([stream(), stream()])
              done.push(index)
            })()
            if (death !== null && index > 0) {
              machine.at(10_000 + death, () => {
                one.kill()
                open -= mine
              })
            }
          }
          await machine.run(10_000 + 200_000)
          expect(most).toBeLessThanOrEqual(rules.count)
          for (const [index, death] of deaths.entries()) if (death === null || index === 0) expect(done).toContain(index)
        },
      ),
      { numRuns: byLevel({ quick: 30, full: 100, long: 100 }) },
    )
  }, 60_000)

  test('C24: a holder that stood still for longer than its lease learns that its place is lost', async () => {
    let pause = 0
    const machine = new Machine(() => pause)
    const rules: SlotRules = { count: 1, restMs: 0, leaseMs: 1000, renewMs: 300, patienceMs: 500 }
    const [sleeper, other] = [machine.process(), machine.process()]
    let lost: AbortSignal | undefined
    void new SharedSlots(sleeper.disk, sleeper.clock, '/limits', rules).take().then((release) => {
      lost = release.lost
    })
    await machine.run(10_100)
    expect(lost?.aborted).toBe(false)
    pause = 5000
    await machine.run(10_400)
    pause = 0
    let isTaken = false
    void new SharedSlots(other.disk, other.clock, '/limits', rules).take().then(() => {
      isTaken = true
    })
    await machine.run(14_000)
    expect(isTaken).toBe(true)
    await machine.run(40_000)
    expect(lost?.aborted).toBe(true)
  })

  test('a slot taken by a process that died before it could say until when is free a lease after it is first seen', async () => {
    const machine = new Machine(() => 0)
    await machine.disk.writeTemp('/limits/s0.g1', new Uint8Array())
    const one = machine.process()
    const slots = new SharedSlots(one.disk, one.clock, '/limits', { ...windowRules, count: 1 })
    let takenAt = 0
    void slots.take().then(() => {
      takenAt = machine.now
    })
    await machine.run(30_000)
    expect(takenAt).toBe(10_000 + 2500 + 1000)
  })

  test('times of an earlier boot, far ahead of the clock, hold nobody up', async () => {
    const disk = new MemoryDisk()
    await disk.writeTemp('/limits/s0.g7', new Uint8Array())
    await disk.writeTemp('/limits/s0.g7.t99999999.rest', new Uint8Array())
    const clock = new ManualClock()
    const start = clock.mono()
    await clock.run(new SharedSlots(disk, clock, '/limits', { ...windowRules, count: 1 }).take())
    expect(clock.mono()).toBe(start)
    expect([...disk.files.keys()]).toContain('/limits/s0.g8')
  })

  test('an aborted wait rejects at once with its own reason and takes nothing', async () => {
    const clock = new ManualClock()
    const slots = new SharedSlots(new MemoryDisk(), clock, '/limits', { ...windowRules, count: 1 })
    const release = await clock.run(slots.take())
    const stop = new AbortController()
    const waiting = slots.take(stop.signal)
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    release()
    await clock.advance(1000)
    await clock.run(slots.take())
  })

  test('of the names of a slot the newest generation counts, and in it "given back" before "held", and the latest time', () => {
    const names = [
      's0.g1',
      's0.g1.t900.rest',
      's0.g2',
      's0.g2.t500.held',
      's0.g2.t700.held',
      's1.g1',
      's9.g1',
      'x',
      's1.g1.t5.other',
      'salt',
    ]
    const expected = [
      { slot: 0, generation: 2, freeAt: 700, isGivenBack: false },
      { slot: 1, generation: 1, freeAt: null, isGivenBack: false },
      { slot: 2, generation: 0, freeAt: 0, isGivenBack: true },
    ]
    expect(readSlots(names, 3)).toEqual(expected)
    expect(readSlots(names.toReversed(), 3)).toEqual(expected)
    for (const rest of [
      ['s0.g2.t600.rest', ...names],
      [...names, 's0.g2.t600.rest'],
    ]) {
      expect(readSlots(rest, 1)).toEqual([{ slot: 0, generation: 2, freeAt: 600, isGivenBack: true }])
    }
  })
})

describe('the limits of several clients of one machine', () => {
  const shared = (disk: MemoryDisk, clock: ManualClock, limits: Partial<Limits> = {}, key = canary): Limiter => {
    const all = { ...defaultLimits, ...limits }
    const account = { baseUrl: 'https://api.example.com', key }
    return createSharedLimiter(createLimiter(clock, all), { disk, clock, random: countingRandom() }, all, '/state/limits', account)
  }

  test('requests that failed because the folder cannot be written take no slot of this process', async () => {
    const disk = new MemoryDisk()
    const clock = new ManualClock()
    const limiter = shared(disk, clock, { post: 2, streams: 2 })
    const takes = [() => limiter.take('post'), () => limiter.openStream()]
    disk.fault = { call: 'write ', code: 'ENOSPC' }
    for (const take of [...takes, ...takes]) await expect(take()).rejects.toMatchObject({ code: 'SW_DISK', facts: { code: 'ENOSPC' } })
    disk.fault = undefined
    await Promise.all(takes.map((take) => clock.run(take())))
  })

  test('C30, C24: two of them with one key share POSTs, GETs, downloads and streams; another key has its own', async () => {
    const disk = new MemoryDisk()
    const clock = new ManualClock()
    await disk.writeTemp('/state/limits/salt', new Uint8Array(16))
    const [a, b, other] = [shared(disk, clock), shared(disk, clock), shared(disk, clock, {}, `${canary}-2`)]
    const start = clock.mono()
    for (const [bucket, count] of [
      ['post', 10],
      ['download', 20],
      ['get', 120],
    ] as const) {
      const begun = clock.mono()
      const takes = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? a : b).take(bucket).then((release) => release()))
      await clock.run(Promise.all(takes))
      expect(clock.mono()).toBe(begun)
      await clock.run(other.take(bucket))
      expect(clock.mono()).toBe(begun)
      await clock.run(b.take(bucket))
      expect(clock.mono() - begun).toBeGreaterThanOrEqual(60_000)
    }
    expect(clock.mono() - start).toBeLessThan(200_000)
    const streams = await clock.run(Promise.all([a.openStream(), b.openStream(), a.openStream(), b.openStream()]))
    let fifth = false
    const waiting = b.openStream().then(() => {
      fifth = true
    })
    await clock.advance(120_000)
    expect(fifth).toBe(false)
    streams[0]?.()
    await clock.advance(1000)
    await waiting
    expect(fifth).toBe(true)
  })

  test('a stream whose place goes to another process before the service answers ends without events, and without an error', async () => {
    const disk = new MemoryDisk()
    const clock = new ManualClock()
    const net = scriptedNet(() => 'silence')
    const { client } = testClient(net, { limitsFolder: '/state/limits' }, disk, clock)
    const read = (async () => {
      const events: unknown[] = []
      for await (const event of client.events(executionId, null, new AbortController().signal)) events.push(event)
      return events
    })()
    await clock.advance(1000)
    expect(net.requests).toHaveLength(1)
    const held = [...disk.files.keys()].find((path) => path.endsWith('/stream/s0.g1')) ?? 'none'
    await disk.writeTemp(held.replace(/g1$/, 'g2'), new Uint8Array())
    expect(await clock.run(read)).toEqual([])
  })

  test('C40: the folder names neither the key nor the address, and two folders name one key differently', async () => {
    const tags: string[] = []
    for (let number = 0; number < 2; number++) {
      const folder = temporary()
      const clock = new ManualClock()
      const account = { baseUrl: 'https://api.example.com', key: canary }
      const ports = { disk: nodeDisk(), clock, random: nodeRandom() }
      const limiter = createSharedLimiter(createLimiter(clock), ports, defaultLimits, folder, account)
      ;(await limiter.take('post'))()
      await limiter.settled()
      const names = readdirSync(folder, { recursive: true }).map(String)
      expect(names.join(' ')).not.toMatch(/api\.example|canary/)
      for (const name of names.filter((one) => statSync(join(folder, one)).isFile()))
        expect(readFileSync(join(folder, name), 'latin1')).not.toContain(canary)
      tags.push(names.find((name) => /^[0-9a-f]{16}$/.test(name)) ?? 'none')
    }
    expect(new Set(tags).size).toBe(2)
  })

  test('a folder that cannot be written is SW_DISK with its path, and nothing is sent', async () => {
    const disk = new MemoryDisk()
    const net = scriptedNet(() => json(200, { credits: '1' }))
    const { client, clock } = testClient(net, { limitsFolder: '/state/limits' }, disk)
    expect(await clock.run(client.balance())).toBe(10_000n)
    disk.fault = { call: 'write /state/limits', code: 'ENOSPC' }
    await expect(clock.run(client.balance())).rejects.toMatchObject({ code: 'SW_DISK', facts: { code: 'ENOSPC' } })
    await expect(clock.run(client.submit({ key: 'k', body: new Uint8Array() }, async () => {}))).rejects.toMatchObject({ code: 'SW_DISK' })
    expect(net.requests).toHaveLength(1)
    expect(() => testClient(net, { limitsFolder: '/state/limits' })).toThrowError(expect.objectContaining({ code: 'SW_CONFIG' }))
  })

  test('C30: two clients of one key, as dev server and CLI are, send ten POSTs a window together', async () => {
    const disk = new MemoryDisk()
    await disk.writeTemp('/state/limits/salt', new Uint8Array(16))
    const times: number[] = []
    const clock = new ManualClock()
    const net = scriptedNet(() => {
      times.push(clock.mono())
      return json(202, { execution_id: executionId })
    })
    const clients = [0, 1].map(() => testClient(net, { limitsFolder: '/state/limits' }, disk, clock).client)
    const all = Array.from({ length: 24 }, (_, index) =>
      clients[index % 2]?.submit({ key: `k${index}`, body: new Uint8Array() }, async () => {}),
    )
    await clock.run(Promise.all(all))
    expect(times).toHaveLength(24)
    expect(mostInWindow(times, 60_000)).toBe(10)
  })

  test('what it costs is a few names in a folder, and they do not grow with the number of requests', async () => {
    const folder = temporary()
    const clock = nodeClock()
    const account = { baseUrl: 'https://api.example.com', key: canary }
    const limits = { ...defaultLimits, windowMs: 1 }
    const ports = { disk: nodeDisk(), clock, random: nodeRandom() }
    const limiter = createSharedLimiter(createLimiter(clock, limits), ports, limits, folder, account)
    for (let number = 0; number < 300; number++) (await limiter.take('get'))()
    await limiter.settled()
    expect(readdirSync(folder, { recursive: true }).length).toBeLessThan(120 * 6)
  })
})
