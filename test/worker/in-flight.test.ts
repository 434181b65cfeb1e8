import { expect, test } from 'vitest'
import { idempotencyKey } from '../../src/job/order.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import { createReservations } from '../../src/job/records/reservations.ts'
import type { Context } from '../../src/project/context.ts'
import { type Places, type TakenPlace, unlimitedPlaces } from '../../src/service/limits/places.ts'
import { createLockStore } from '../../src/vault/lock-store.ts'
import { keepInFlight, releaseUnsent } from '../../src/workshop/worker/in-flight.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { down, MemoryRecordStore } from '../kit/memory-record-store.ts'

const hash = 'a'.repeat(64)
const other = 'b'.repeat(64)
const minuteMs = 60_000

/** A team whose journal has requests in flight, sent at minute 0, each under its last attempt. */
async function team(hashes = [hash], attempts = 1) {
  const clock = { wall: () => 1_000_000, mono: () => 0, sleep: async () => {} }
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
  const frozen = (attempt: number) => ({
    attempt,
    key: 'k',
    body: '{}',
    bodySha256: 'b',
    maxCredits: '2',
    ceiling: '2',
    priceVersion: '1',
    approvedAt: 'then',
  })
  const sent = [
    ['sent', { attempt: attempts, send: 1, keyTag: 'k' }],
    ['accepted', { attempt: attempts, send: 1, executionId: 'e', conversationId: null, approvedAt: 'then' }],
  ] as const
  for (const one of hashes) {
    const append = async (type: 'frozen' | 'sent' | 'accepted', body: unknown) =>
      journal.append(one, await journal.read(one), type, body as never)
    for (let attempt = 1; attempt <= attempts; attempt++) {
      await reservations.reserve({ id: `hero.${one[0]}`, hash: one, attempt, credits: 1n, round: 0 })
      await append('frozen', frozen(attempt))
    }
    for (const [type, body] of sent) await append(type, body)
  }
  const told: string[] = []
  const kept: { key: string; id: string; executionId?: string | undefined; at?: number }[] = []
  const [held, left]: [TakenPlace[], string[]] = [[], []]
  const places: Places = {
    ...unlimitedPlaces,
    taken: async () => held,
    leave: async (key) => void left.push(key),
    keep: async (applicant, job) => void kept.push({ ...applicant, ...job }),
  }
  /** As a worker on another machine. */
  const context = () =>
    ({
      ...open(),
      name: 'castle',
      host: { clock },
      options: { replayWindowMs: 8 * minuteMs, store: { journal: 's3://studio/castle' } },
    }) as unknown as Context
  const keep = () => keepInFlight(context(), { identity, places }, (one) => told.push(one))
  const release = () => releaseUnsent(context(), { identity, places })
  const append = async (type: 'completed' | 'failed' | 'decided', body: unknown) =>
    void (await journal.append(hash, await journal.read(hash), type, body as never))
  return { store, told, kept, held, left, keep, release, reserve: reservations.reserve, append }
}

const placeOf = (key: string, at = 1_000_000): TakenPlace => ({
  ...{ key, id: 'hero.walk', project: 'castle', journal: 's3://studio/castle' },
  at,
})

const identity = { host: 'api.example.com', keyMode: 'test', apiVersion: '1' } as const

test('a request that another machine has sent is noted with its execution, under the key of its attempt', async () => {
  const { keep, kept } = await team([hash, other])
  expect(await keep()).toHaveLength(2)
  expect(kept).toEqual(
    [hash, other].map((one) => ({ key: idempotencyKey(identity, one, 1), id: `hero.${one[0]}`, executionId: 'e', at: 1_000_000 })),
  )
})

test('of a request with a later attempt, only that attempt is noted', async () => {
  const { keep, kept } = await team([hash], 2)
  expect(await keep()).toHaveLength(1)
  expect(kept).toEqual([{ key: idempotencyKey(identity, hash, 2), id: 'hero.a', executionId: 'e', at: 1_000_000 }])
})

test('a request whose execution is recorded as ended is not noted', async () => {
  const { keep, kept, append } = await team()
  await append('failed', { attempt: 1, executionId: 'e', status: 'failed', error: null })
  expect([await keep(), kept]).toEqual([[], []])
})

test('a request that a person gave up is not noted, although its execution may go on', async () => {
  const { keep, kept, append } = await team()
  await append('decided', { attempt: 1, about: 'execution', executionId: 'e', decision: 'abandon', approvedAt: 'then' })
  expect([await keep(), kept]).toEqual([[], []])
})

test('a request whose records are broken is told, and noted without an execution, since its share was reserved', async () => {
  const { store, told, keep, kept } = await team()
  store.files.delete(`${hash}/0001.json`)
  expect(await keep()).toHaveLength(1)
  expect(kept).toEqual([{ key: idempotencyKey(identity, hash, 1), id: 'hero.a', executionId: undefined, at: 1_000_000 }])
  expect(told).toEqual([expect.stringContaining(`${hash}/0001.json`)])
})

test('a store that does not answer ends it', async () => {
  const { store, keep } = await team()
  store.get = async () => {
    throw down()
  }
  await expect(keep()).rejects.toMatchObject({ code: 'SW_STORE' })
})

test('a place of this machine whose job another machine has brought to its end is released; one of another project stays', async () => {
  const { keep, append, held, left } = await team()
  held.push(placeOf(idempotencyKey(identity, hash, 1)), placeOf('of another project'))
  await append('failed', { attempt: 1, executionId: 'e', status: 'failed', error: null })
  expect([await keep(), left]).toEqual([[], [idempotencyKey(identity, hash, 1)]])
})

test('a place whose process died before its reservation, or between reservation and POST, is released after a minute', async () => {
  const { release, reserve, held, left } = await team()
  const old = 1_000_000 - 61_000
  const unsent = idempotencyKey(identity, other, 1)
  await reserve({ id: 'hero.idle', hash: other, attempt: 1, credits: 1n, round: 0 })
  held.push(
    placeOf('never reserved', old),
    placeOf(unsent, old),
    placeOf(idempotencyKey(identity, hash, 1), old),
    placeOf('young', 1_000_000 - 59_000),
    { ...placeOf('at work', old), executionId: 'e' },
    { ...placeOf('of another project', old), project: 'space' },
    { ...placeOf('of another project with this name', old), journal: 's3://studio/space' },
    { ...placeOf('of an earlier version', old), journal: undefined },
  )
  await release()
  expect(left).toEqual(['never reserved', unsent])
})

test('a place of a later attempt whose process died before its POST is released, although an earlier one was sent', async () => {
  const { release, reserve, held, left } = await team()
  const later = idempotencyKey(identity, hash, 2)
  await reserve({ id: 'hero.a', hash, attempt: 2, credits: 1n, round: 0 })
  held.push(placeOf(later, 1_000_000 - 61_000))
  await release()
  expect(left).toEqual([later])
})

test('a request whose records are broken keeps its place, and the places of others are released', async () => {
  const { store, release, held, left } = await team()
  const old = 1_000_000 - 61_000
  store.files.delete(`${hash}/0001.json`)
  held.push(placeOf(idempotencyKey(identity, hash, 1), old), placeOf('never reserved', old))
  await release()
  expect(left).toEqual(['never reserved'])
})
