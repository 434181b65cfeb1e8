import { expect, test } from 'vitest'
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
const minuteMs = 60_000

/** A team whose journal has one request in flight, sent at minute 0. A sleep passes the time. */
async function team() {
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
  await reservations.reserve({ id: 'hero.walk', hash, attempt: 1, credits: 1n, round: 0 })
  const frozen = { attempt: 1, key: 'k', body: '{}', bodySha256: 'b', maxCredits: '2', ceiling: '2', priceVersion: '1', approvedAt: 'then' }
  const records = [
    ['frozen', frozen],
    ['sent', { attempt: 1, send: 1, keyTag: 'k' }],
    ['accepted', { attempt: 1, send: 1, executionId: 'e', conversationId: null, approvedAt: 'then' }],
  ] as const
  for (const [type, body] of records) await journal.append(hash, await journal.read(hash), type, body as never)
  const told: string[] = []
  /** As a worker on another machine. */
  const find = (execution: () => Promise<{ status: string }>) => {
    const context = { ...open(), host: { clock }, options: { replayWindowMs: 8 * minuteMs } } as unknown as Context
    return findInFlight(context, { client: { execution } } as unknown as Session, (one) => told.push(one), new AbortController().signal)
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
