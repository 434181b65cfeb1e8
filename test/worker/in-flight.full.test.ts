import { expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import { createReservations } from '../../src/job/records/reservations.ts'
import type { Context } from '../../src/project/context.ts'
import type { Session } from '../../src/project/session.ts'
import { createLockStore } from '../../src/vault/lock-store.ts'
import { findInFlight } from '../../src/workshop/worker/places.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { down, MemoryRecordStore } from '../kit/memory-record-store.ts'

const hash = 'a'.repeat(64)
const other = 'b'.repeat(64)
const minuteMs = 60_000

/** A team whose journal has requests in flight, sent at minute 0. A sleep passes the time. */
async function team(hashes = [hash]) {
  let nowMs = 0
  const outage = { untilMs: 0 }
  const clock = {
    wall: () => 1_000_000 + nowMs,
    mono: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms
      store.isDown = nowMs < outage.untilMs
    },
  }
  const store = new MemoryRecordStore(clock)
  const open = () => {
    const ports = { disk: new MemoryDisk(), random: countingRandom(), clock, keys: ringOf(testKey(1)) }
    const places = { folder: '/j', shared: { store, approvers: async () => ({ own: testKey(1).fingerprint, others: new Set<string>() }) } }
    const journal = createJournal(ports, places)
    const lock = createLockStore(ports, '/sprites.lock.json')
    const none = async () => undefined
    return { journal, reservations: createReservations(ports, places, { journal, lock }, none, async () => '') }
  }
  const { journal, reservations } = open()
  const frozen = { attempt: 1, key: 'k', body: '{}', bodySha256: 'b', maxCredits: '2', ceiling: '2', priceVersion: '1', approvedAt: 'then' }
  const records = [
    ['frozen', frozen],
    ['sent', { attempt: 1, send: 1, keyTag: 'k' }],
    ['accepted', { attempt: 1, send: 1, executionId: 'e', conversationId: null, approvedAt: 'then' }],
  ] as const
  for (const one of hashes) {
    await reservations.reserve({ id: `hero.${one[0]}`, hash: one, attempt: 1, credits: 1n, round: 0 })
    for (const [type, body] of records) await journal.append(one, await journal.read(one), type, body as never)
  }
  const told: string[] = []
  /** As a worker on another machine. */
  const find = (
    execution: () => Promise<{ status: string }>,
    signal = new AbortController().signal,
    sleep: (ms: number, signal: AbortSignal) => Promise<void> = clock.sleep,
  ) => {
    const context = { ...open(), host: { clock: { ...clock, sleep } }, options: { replayWindowMs: 8 * minuteMs } } as unknown as Context
    return findInFlight(context, { client: { execution } } as unknown as Session, (one) => told.push(one), signal)
  }
  return { store, outage, told, find, now: () => nowMs }
}

test('a request whose records are broken is told, and counts as in flight for half an hour after it was sent', async () => {
  const { store, told, find, now } = await team()
  store.files.delete(`${hash}/0001.json`)
  const found = await find(async () => ({ status: 'running' }))
  expect([...found.keys()]).toEqual([hash])
  await found.get(hash)
  expect(now()).toBeGreaterThan(30 * minuteMs)
  expect(now()).toBeLessThan(31 * minuteMs)
  expect(told).toEqual([expect.stringContaining(`${hash}/0001.json`)])
})

test('a request stays in flight while store or service do not answer', async () => {
  const { outage, find, now } = await team()
  outage.untilMs = 5 * minuteMs
  const found = await find(async () => {
    if (now() < 10 * minuteMs) throw down()
    return { status: now() < 15 * minuteMs ? 'running' : 'completed' }
  })
  await found.get(hash)
  expect(now()).toBe(15 * minuteMs)
})

test.each([
  ['is over as soon as the service has had time to know it, and says that it does not', 'SW_REFUSED', { status: 404 }, 0.4, 1],
  ['counts for half an hour if the service refuses the key', 'SW_KEY_REFUSED', { status: 401 }, 30, 31],
  ['counts for half an hour if the answer of the service cannot be read', 'SW_WIRE', {}, 30, 31],
] as const)('a request in flight %s', async (_how, code, facts, fromMinute, toMinute) => {
  const { find, now } = await team()
  const found = await find(async () => {
    throw new SpritewrightError(code, { message: 'no state', facts })
  })
  await found.get(hash)
  expect(now()).toBeGreaterThan(fromMinute * minuteMs)
  expect(now()).toBeLessThan(toMinute * minuteMs)
})

test('the store may fail while requests that were found wait for their next look', async () => {
  const { store, find } = await team([hash, other])
  const read = store.get.bind(store)
  let isAsleep = (): void => {}
  const asleep = new Promise<void>((resolve) => {
    isAsleep = resolve
  })
  store.get = async (name) => {
    if (!name.startsWith(other)) return read(name)
    await asleep
    throw down()
  }
  const over = new AbortController()
  const sleep = (_ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      isAsleep()
    })
  const unhandled: unknown[] = []
  const keep = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', keep)
  await expect(find(async () => ({ status: 'running' }), over.signal, sleep)).rejects.toMatchObject({ code: 'SW_STORE' })
  over.abort()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', keep)
  expect(unhandled).toEqual([])
})
