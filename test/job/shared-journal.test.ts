import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Approvers } from '../../src/credit/approval.ts'
import { decide } from '../../src/job/decision.ts'
import { createJournal, type Journal } from '../../src/job/records/journal.ts'
import { expectCount } from '../kit/expect-count.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { MemoryRecordStore } from '../kit/memory-record-store.ts'

const hash = 'a'.repeat(64)
const sent = { attempt: 1, send: 1, keyTag: 'k' }
const frozen = {
  ...{ attempt: 1, key: 'sw1-a', body: '{}', bodySha256: 'b', maxCredits: '2', ceiling: '2', priceVersion: '1' },
  approvedAt: '2026-09-21T14:13:20.000Z',
}

/** Both clocks of a machine, moved by hand. */
function handClock(wall: number, mono: number) {
  let passedMs = 0
  return {
    pass: (ms: number): void => {
      passedMs += ms
    },
    wall: () => wall + passedMs,
    mono: () => mono + passedMs,
    sleep: async () => {},
  }
}

interface Machine {
  readonly journal: Journal
  readonly disk: MemoryDisk
  readonly clock: ReturnType<typeof handClock>
}

/**
 * A machine of a team.
 *
 * @param key Number of its user's key.
 * @param trusts Numbers of the keys that its user trusts.
 */
function machine(
  store: MemoryRecordStore,
  key: number,
  trusts: readonly number[] = [],
  clock = handClock(1_000_000, 50),
  disk = new MemoryDisk(),
): Machine {
  const approvers = async (): Promise<Approvers> => ({
    own: testKey(key).fingerprint,
    others: new Set(trusts.map((number) => testKey(number).fingerprint)),
  })
  const ports = { disk, random: countingRandom(), clock, keys: ringOf(testKey(key)) }
  return { journal: createJournal(ports, { folder: '/j', shared: { store, approvers } }), disk, clock }
}

const append = async (journal: Journal, ...types: readonly ('frozen' | 'sent')[]): Promise<void> => {
  for (const type of types) {
    const view = await journal.read(hash)
    const next = type === 'frozen' ? await journal.append(hash, view, type, frozen) : await journal.append(hash, view, type, sent)
    expect(next).toBeDefined()
  }
}

const facts = { windowMs: 480_000, keyTag: 'k', approvedAt: frozen.approvedAt }

describe('a journal that machines share', () => {
  test('a store that shows each record some reads late has lost none, to its writer, to others and to the next process', async () => {
    const clock = handClock(5_000, 0)
    const store = new MemoryRecordStore(clock)
    store.lateReads = 3
    const [one, two] = [machine(store, 1, [2]), machine(store, 2, [1])]
    const early = await two.journal.read(hash)
    await append(one.journal, 'frozen', 'sent')
    const written = [...store.files].map(([name, file]) => [name, file] as const)
    // A record that another machine wrote first shows before the caller reads again.
    expect(await two.journal.append(hash, early, 'frozen', frozen)).toBeUndefined()
    expect((await two.journal.read(hash)).records.map(({ type }) => type)).toEqual(['frozen', 'sent'])
    const moved = new MemoryRecordStore(clock)
    moved.lateReads = 3
    for (const [name, { bytes }] of written) await moved.putIfAbsent(name, bytes)
    const next = machine(moved, 1, [2], clock, one.disk)
    expect((await next.journal.read(hash)).records.map(({ type }) => type)).toEqual(['frozen', 'sent'])
  })

  test('a record of one machine is there for every other, and of two that write one wins', async () => {
    const clock = handClock(5_000, 0)
    const store = new MemoryRecordStore(clock)
    const [one, two] = [machine(store, 1, [2]), machine(store, 2, [1])]
    await append(one.journal, 'frozen', 'sent')
    const view = await two.journal.read(hash)
    expect(view.records.map(({ type }) => type)).toEqual(['frozen', 'sent'])
    expect(view.submission.isForeign).toBeUndefined()
    const body = { attempt: 1, send: 1, status: null, message: 'lost' }
    const both = await Promise.all([one, two].map(async ({ journal }) => journal.append(hash, await journal.read(hash), 'unknown', body)))
    expect(both.filter((next) => next !== undefined)).toHaveLength(1)
    expect((await one.journal.read(hash)).records).toHaveLength(3)
  })

  test('records of a stranger stop a POST and still tell what happened', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    await append(machine(store, 1).journal, 'frozen', 'sent')
    const { submission } = await machine(store, 2).journal.read(hash)
    const now = { ...facts, wall: 1_000_000, mono: 50 }
    expect(decide(submission, now)).toMatchObject({ do: 'stop', why: { kind: 'uncertain', because: 'records' } })
  })

  test("a record whose signature is of another record is a stranger's", async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    await append(machine(store, 1).journal, 'frozen', 'sent')
    const [first, second] = [...store.files.values()].map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)))
    const name = `${hash}/0002.json`
    store.files.set(name, { bytes: new TextEncoder().encode(JSON.stringify({ ...second, signed: first.signed })), at: 0 })
    expect((await machine(store, 2, [1]).journal.read(hash)).submission.isForeign).toBe(true)
  })

  test('the age of a record is that of the store, whatever the clocks of the machines say', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 0, max: 900_000 }),
        async (skew, mono, age) => {
          const clock = handClock(2e9, 0)
          const store = new MemoryRecordStore(clock)
          await append(machine(store, 1).journal, 'frozen', 'sent')
          clock.pass(age)
          const other = machine(store, 2, [1], handClock(2e9 + skew, mono))
          const { submission } = await other.journal.read(hash)
          const step = decide(submission, { ...facts, wall: other.clock.wall(), mono: other.clock.mono() })
          expect(step.do).toBe(age > facts.windowMs ? 'stop' : 'replay')
        },
      ),
    )
  })

  test('time that passes after the read counts too', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    const one = machine(store, 1)
    await append(one.journal, 'frozen', 'sent')
    const { submission } = await one.journal.read(hash)
    one.clock.pass(facts.windowMs + 1)
    const step = decide(submission, { ...facts, wall: one.clock.wall(), mono: one.clock.mono() })
    expect(step).toMatchObject({ do: 'stop', why: { because: 'window' } })
  })

  test('time that passed before the read counts too, also if the wall clock is set back after it', async () => {
    const clock = handClock(2e9, 0)
    const store = new MemoryRecordStore(clock)
    await append(machine(store, 1).journal, 'frozen', 'sent')
    clock.pass(facts.windowMs - 10_000)
    const other = machine(store, 2, [1], handClock(2e9, 5e6))
    const { submission } = await other.journal.read(hash)
    other.clock.pass(20_000)
    const step = decide(submission, { ...facts, wall: other.clock.wall() - 60_000, mono: other.clock.mono() })
    expect(step).toMatchObject({ do: 'stop', why: { because: 'window' } })
  })

  test('a store whose clock went back leaves the decision to a person', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    await append(machine(store, 1).journal, 'frozen', 'sent')
    store.skewMs = -1
    const other = machine(store, 2, [1])
    const { submission } = await other.journal.read(hash)
    const step = decide(submission, { ...facts, wall: other.clock.wall(), mono: other.clock.mono() })
    expect(step).toMatchObject({ do: 'stop', why: { because: 'clock' } })
  })

  test.each([
    ['lost', 'SW_STORE'],
    ['forgotten', 'SW_JOURNAL'],
  ] as const)('a write that is %s ends with %s, and no local record takes its place', async (fault, code) => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    const one = machine(store, 1)
    const view = await one.journal.read(hash)
    store.faults.push(fault)
    await expect(one.journal.append(hash, view, 'sent', sent)).rejects.toMatchObject({ code })
    expect([...one.disk.files.keys()]).toEqual([])
  })

  test('while the store is down, nothing is read and nothing is recorded', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    const one = machine(store, 1)
    const view = await one.journal.read(hash)
    store.isDown = true
    await expect(one.journal.read(hash)).rejects.toMatchObject({ code: 'SW_STORE' })
    await expect(one.journal.append(hash, view, 'sent', sent)).rejects.toMatchObject({ code: 'SW_STORE' })
    expect([...one.disk.files.keys()]).toEqual([])
  })

  test('a write whose answer is lost is found by the next read, by whoever reads', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    const one = machine(store, 1)
    const view = await one.journal.read(hash)
    store.faults.push('unanswered')
    await expect(one.journal.append(hash, view, 'sent', sent)).rejects.toMatchObject({ code: 'SW_STORE' })
    expect((await one.journal.read(hash)).records).toHaveLength(1)
    expectCount((await machine(store, 2, [1]).journal.read(hash)).submission.sends, 1)
  })

  test('a store that loses a record, or has another one, stops the request', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    const one = machine(store, 1)
    await append(one.journal, 'frozen', 'sent')
    await one.journal.read(hash)
    const again = (): Promise<unknown> => machine(store, 1, [], one.clock, one.disk).journal.read(hash)
    const file = store.files.get(`${hash}/0002.json`)
    store.files.delete(`${hash}/0002.json`)
    await expect(again()).rejects.toMatchObject({ code: 'SW_JOURNAL', facts: { store: 's3://team/game', record: `${hash}/0002.json` } })
    store.files.set(`${hash}/0002.json`, { bytes: new TextEncoder().encode('{}'), at: 0 })
    const unread = { code: 'SW_JOURNAL', message: expect.stringContaining('cannot be read'), facts: { record: `${hash}/0002.json` } }
    await expect(again()).rejects.toMatchObject(unread)
    if (file) store.files.set(`${hash}/0002.json`, file)
    await expect(again()).resolves.toBeDefined()
  })

  test('a record that is missing between others stops the request, also for a machine that never read it', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    await append(machine(store, 1).journal, 'frozen', 'sent', 'sent')
    store.files.delete(`${hash}/0002.json`)
    const reading = machine(store, 2, [1]).journal.read(hash)
    await expect(reading).rejects.toMatchObject({ code: 'SW_JOURNAL', facts: { record: `${hash}/0002.json` } })
  })

  test('records that are written while a chain is read are no gap', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    await append(machine(store, 1).journal, 'frozen', 'sent', 'sent')
    const later = [...store.files].slice(1)
    for (const [name] of later) store.files.delete(name)
    const other = machine(store, 2, [1])
    const get = store.get.bind(store)
    let tell = (): void => {}
    const asked = new Promise<void>((resolve) => {
      tell = resolve
    })
    store.get = async (name) => {
      if (name.endsWith('/0003.json')) await asked
      const file = await get(name)
      if (!name.endsWith('/0002.json')) return file
      // The other machine writes both after the first of them was asked for, and before the second one is.
      for (const [one, bytes] of later) store.files.set(one, bytes)
      tell()
      return file
    }
    expect((await other.journal.read(hash)).records).toHaveLength(3)
  })

  test('what this machine has read is there without a network', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    await append(machine(store, 1).journal, 'frozen', 'sent')
    const two = machine(store, 2, [1])
    await two.journal.read(hash)
    store.isDown = true
    expect((await two.journal.peek(hash)).records.map(({ type }) => type)).toEqual(['frozen', 'sent'])
    expect(await two.journal.requests()).toEqual([hash])
  })

  test('a journal of before is carried into the store with the next record', async () => {
    const disk = new MemoryDisk()
    const clock = handClock(1_000_000, 50)
    const alone = createJournal({ disk, random: countingRandom(), clock, keys: ringOf(testKey(1)) }, '/j')
    await append(alone, 'frozen', 'sent')
    const store = new MemoryRecordStore(clock)
    const one = machine(store, 1, [], clock, disk)
    const view = await one.journal.read(hash)
    expectCount(view.submission.sends, 1)
    expect(store.files.size).toBe(0)
    await one.journal.append(hash, view, 'unknown', { attempt: 1, send: 1, status: null, message: 'lost' })
    expect(store.files.size).toBe(3)
    const there = (await one.journal.read(hash)).submission
    expect(there.isForeign).toBeUndefined()
    expect(there.sends[0]?.answer.kind).toBe('unknown')
    // Another machine cannot check who wrote the records from before.
    expect((await machine(store, 2, [1]).journal.read(hash)).submission.isForeign).toBe(true)
  })

  test('records of before that somebody else wrote are not carried into the store', async () => {
    const disk = new MemoryDisk()
    const clock = handClock(1_000_000, 50)
    await append(createJournal({ disk, random: countingRandom(), clock, keys: ringOf(testKey(9)) }, '/j'), 'frozen', 'sent')
    const store = new MemoryRecordStore(clock)
    const { journal } = machine(store, 1, [9], clock, disk)
    const view = await journal.read(hash)
    expect(view.submission.isForeign).toBe(true)
    await expect(journal.append(hash, view, 'sent', sent)).rejects.toMatchObject({
      code: 'SW_JOURNAL',
      facts: { store: store.address, folder: `/j/${hash}`, record: 1 },
    })
    expect(store.files.size).toBe(0)
  })

  test('two journals of before do not mix', async () => {
    const clock = handClock(1_000_000, 50)
    const store = new MemoryRecordStore(clock)
    const disk = new MemoryDisk()
    await append(createJournal({ disk, random: countingRandom(), clock, keys: ringOf(testKey(1)) }, '/j'), 'sent')
    await append(machine(store, 2).journal, 'frozen')
    await expect(machine(store, 1, [2], clock, disk).journal.read(hash)).rejects.toMatchObject({
      code: 'SW_JOURNAL',
      message: expect.stringContaining('that another machine has begun others'),
      facts: { store: 's3://team/game', folder: expect.stringContaining(hash), record: `${hash}/0001.json` },
    })
  })

  test('of a long chain only the end is read from the store', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    const one = machine(store, 1)
    await append(one.journal, 'frozen')
    for (let send = 1; send <= 40; send++) {
      const view = await one.journal.read(hash)
      await one.journal.append(hash, view, 'sent', { ...sent, send })
    }
    await one.journal.read(hash)
    store.calls.length = 0
    const again = await machine(store, 1, [], one.clock, one.disk).journal.read(hash)
    expect(again.records).toHaveLength(41)
    expect(store.calls).toEqual([41, 42, 43, 44, 45].map((n) => `get ${hash}/00${n}.json`))
  })

  test('what an append gives back is what the next read gives, and the next append builds on it', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    await append(machine(store, 2).journal, 'frozen')
    const { journal, clock } = machine(store, 1, [2])
    let view = await journal.read(hash)
    for (let send = 1; send <= 3; send++) {
      clock.pass(1000)
      view = (await journal.append(hash, view, 'sent', { ...sent, send })) ?? view
      expect(view.own).toEqual(new Set(view.records))
      expect(view.records.at(-1)).toMatchObject({ n: 1 + send, at: clock.wall(), mono: clock.mono(), writtenAt: clock.wall() })
    }
    expect(view).toEqual({ ...(await journal.read(hash)), lacking: undefined })
  })

  test('a machine without a key of its own trusts the same people, and signs nothing', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    await append(machine(store, 2).journal, 'frozen')
    const ports = { disk: new MemoryDisk(), random: countingRandom(), clock: handClock(1_000_000, 50) }
    const approvers: Approvers = { own: undefined, others: new Set([testKey(2).fingerprint]) }
    const journal = createJournal(ports, { folder: '/j', shared: { store, approvers: async () => approvers } })
    const next = await journal.append(hash, await journal.read(hash), 'sent', sent)
    expect(next?.records.map((record) => next.own.has(record))).toEqual([true, false])
    expect((await machine(store, 2).journal.read(hash)).submission.isForeign).toBe(true)
  })

  test('a record with the same words and another nonce is not the one that was written', async () => {
    const store = new MemoryRecordStore(handClock(5_000, 0))
    const [{ journal }, put] = [machine(store, 1), store.putIfAbsent.bind(store)]
    store.putIfAbsent = async (name, bytes) => {
      const record = JSON.parse(new TextDecoder().decode(bytes))
      return put(name, new TextEncoder().encode(JSON.stringify({ ...record, nonce: 'of-another-machine' })))
    }
    await expect(journal.append(hash, await journal.read(hash), 'sent', sent)).rejects.toMatchObject({
      code: 'SW_JOURNAL',
      message: expect.stringContaining(`the record ${hash}/0001.json of the shared journal, found another record`),
    })
  })
})
