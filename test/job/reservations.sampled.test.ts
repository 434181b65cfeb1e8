import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { hasCode } from '../../src/errors.ts'
import { createJournal, type JournalView } from '../../src/job/records/journal.ts'
import type { RecordBodies } from '../../src/job/records/record.ts'
import { createReservations, type Reservations } from '../../src/job/records/reservations.ts'
import { createLockStore } from '../../src/vault/lock-store.ts'
import { type CallGuard, guarded } from '../kit/guarded-disk.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { byLevel } from '../level.ts'

/** At 1,000 ms unless a test moves it. */
const time = { wall: 1_000 }
const clock = { wall: () => time.wall, mono: () => 10, sleep: async () => {} }
afterEach(() => {
  time.wall = 1_000
})
const hashOf = (index: number): string => index.toString(16).padStart(64, '0')
const share = (index: number, credits: bigint, attempt = 1) => ({ id: `s${index}.walk`, hash: hashOf(index), attempt, credits, round: 0 })

function project(total?: bigint, seen: CallGuard = () => undefined) {
  const disk = new MemoryDisk()
  const ports = { disk: guarded(disk, seen), random: countingRandom(), clock, keys: ringOf(testKey(1)) }
  const journal = createJournal(ports, '/j')
  const lock = createLockStore(ports, '/sprites.lock.json')
  /** Each process opens the reservations for itself. */
  const open = (): Reservations =>
    createReservations(
      ports,
      { folder: '/j' },
      { journal, lock },
      async () => total,
      async () => 'Raise it',
    )
  return { journal, lock, open, disk }
}

const frozen = (attempt: number): RecordBodies['frozen'] => ({
  attempt,
  key: 'k',
  body: '{}',
  bodySha256: 'b',
  maxCredits: '4',
  ceiling: '4',
  priceVersion: 'v',
  approvedAt: 'then',
})

describe('the reservations of the project', () => {
  test('law: builds at once never take more than the total, and what is refused did not fit', async () => {
    const credits = fc.bigInt({ min: 1n, max: 50_000n })
    await fc.assert(
      fc.asyncProperty(fc.array(credits, { minLength: 1, maxLength: 8 }), fc.bigInt({ min: 0n, max: 120_000n }), async (wanted, total) => {
        const { open } = project(total)
        const ends = await Promise.allSettled(wanted.map((amount, index) => open().reserve(share(index, amount))))
        const taken = wanted.filter((_, index) => ends[index]?.status === 'fulfilled')
        const sum = taken.reduce((all, amount) => all + amount, 0n)
        expect(sum).toBeLessThanOrEqual(total)
        expect(await open().committed()).toBe(sum)
        for (const [index, end] of ends.entries()) {
          if (end.status === 'fulfilled') continue
          expect(end.reason).toMatchObject({ code: 'SW_CEILING' })
          expect(sum + (wanted[index] as bigint)).toBeGreaterThan(total)
        }
      }),
      { numRuns: byLevel({ quick: 60, full: 200, long: 200 }) },
    )
  })

  test('an attempt takes its share once, and a dearer one instead of a cheaper', async () => {
    const { open } = project(parseCredits('10'))
    for (const credits of ['4', '4', '6', '5']) await open().reserve(share(1, parseCredits(credits)))
    expect(await open().committed()).toBe(parseCredits('6'))
  })

  test('a failed attempt and a refused one give their shares back, an uncertain and an abandoned one do not', async () => {
    const { journal, open } = project(parseCredits('16'))
    for (let index = 1; index <= 4; index++) {
      await open().reserve(share(index, parseCredits('4')))
      let view = await journal.read(hashOf(index))
      view = (await journal.append(hashOf(index), view, 'frozen', frozen(1))) ?? view
      await journal.append(hashOf(index), view, 'sent', { attempt: 1, send: 1, keyTag: 'k' })
    }
    const say = async <T extends 'refused' | 'failed' | 'decided'>(index: number, type: T, body: RecordBodies[T]): Promise<unknown> =>
      journal.append(hashOf(index), await journal.read(hashOf(index)), type, body)
    await expect(open().reserve(share(5, 1n))).rejects.toMatchObject({ code: 'SW_CEILING', facts: { committed: '16' } })
    const error = { reason: 'invalid_request', message: 'no', retryable: false, requestId: null, details: null }
    await say(1, 'failed', { attempt: 1, status: 'failed', error })
    await say(2, 'refused', { attempt: 1, send: 1, status: 422, error })
    await say(3, 'decided', { attempt: 1, about: 'submission', decision: 'abandon', approvedAt: null })
    await journal.append(hashOf(3), await journal.read(hashOf(3)), 'frozen', frozen(2))
    await open().reserve(share(5, parseCredits('8')))
    await expect(open().reserve(share(6, 1n))).rejects.toMatchObject({ code: 'SW_CEILING' })
    expect(await open().committed()).toBe(parseCredits('16'))
  })

  test('a dearer share replaces its own cheaper one near the total, and an equal one writes nothing', async () => {
    const { open, disk } = project(parseCredits('7'))
    await open().reserve(share(1, parseCredits('4')))
    await open().reserve(share(1, parseCredits('7')))
    const files = [...disk.files.keys()]
    await open().reserve(share(1, parseCredits('7')))
    expect([...disk.files.keys()]).toEqual(files)
    expect((await open().shares()).map(({ credits }) => credits)).toEqual([parseCredits('7')])
  })

  test('a share that is about to be taken counts the purchase of its own execution once', async () => {
    const { journal, lock, open } = project(parseCredits('4'))
    const submission = { attempt: 1, key: 'k', body: '{}', bodySha256: '0'.repeat(64), maxCredits: '3' }
    const entry = { service: { host: 'h', keyMode: 'live' as const, apiVersion: '1' }, asked: { prompt: 'p' }, submission }
    await lock.change('s1.walk', hashOf(1), () => ({ ...entry, execution: { id: 'e', conversation: null } }))
    await journal.append(hashOf(1), await journal.read(hashOf(1)), 'accepted', { attempt: 1, executionId: 'e', conversationId: null })
    await open().reserve(share(1, parseCredits('3')))
    await open().reserve(share(2, parseCredits('1')))
  })

  test('records of somebody else give no share back, and a broken chain keeps its share', async () => {
    const { journal, open, disk } = project(parseCredits('8'))
    const refused = async (of: typeof journal, index: number): Promise<void> => {
      await open().reserve(share(index, parseCredits('4')))
      let view = (await of.append(hashOf(index), await of.read(hashOf(index)), 'frozen', frozen(1))) as JournalView
      view = (await of.append(hashOf(index), view, 'sent', { attempt: 1, send: 1, keyTag: 'k' })) as JournalView
      const error = { reason: 'invalid_request', message: 'no', retryable: false, requestId: null, details: null }
      await of.append(hashOf(index), view, 'refused', { attempt: 1, send: 1, status: 422, error })
    }
    await refused(createJournal({ disk, random: countingRandom(), clock, keys: ringOf(testKey(2)) }, '/j'), 1)
    await refused(journal, 2)
    const second = `/j/${hashOf(2)}/0002.json`
    disk.files.set(second, disk.files.get(`/j/${hashOf(1)}/0002.json`) as Uint8Array)
    expect(await open().committed()).toBe(parseCredits('8'))
  })

  test.each([401, 403, 409, 429])(
    'an attempt that was refused with %d keeps its share, because the same bytes may be sent again',
    async (status) => {
      const { journal, open } = project(parseCredits('4'))
      await open().reserve(share(1, parseCredits('4')))
      let view = await journal.append(hashOf(1), await journal.read(hashOf(1)), 'frozen', frozen(1))
      view = view && (await journal.append(hashOf(1), view, 'sent', { attempt: 1, send: 1, keyTag: 'k' }))
      const error = { reason: 'r', message: 'no', retryable: false, requestId: null, details: null }
      if (view) await journal.append(hashOf(1), view, 'refused', { attempt: 1, send: 1, status, error })
      await expect(open().reserve(share(2, 1n))).rejects.toMatchObject({ code: 'SW_CEILING', facts: { committed: '4' } })
    },
  )

  test('a purchase of another machine in the lock file counts too, but not beside our share if it answered a POST of ours', async () => {
    const { journal, lock, open } = project(parseCredits('5'))
    const entry = {
      service: { host: 'h', keyMode: 'live' as const, apiVersion: '1' },
      asked: { prompt: 'p' },
      submission: { attempt: 1, key: 'k', body: '{}', bodySha256: '0'.repeat(64), maxCredits: '3' },
      execution: { id: 'e', conversation: null },
    }
    await lock.change('s1.walk', hashOf(1), () => entry)
    await expect(open().reserve(share(2, parseCredits('2.0001')))).rejects.toMatchObject({ facts: { committed: '3' } })
    await open().reserve(share(1, parseCredits('2')))
    // The outcome of this submission is unknown, so it may be another charge.
    let view = await journal.append(hashOf(1), await journal.read(hashOf(1)), 'frozen', frozen(1))
    view = view && (await journal.append(hashOf(1), view, 'sent', { attempt: 1, send: 1, keyTag: 'tag' }))
    expect(await open().committed()).toBe(parseCredits('5'))
    if (view) await journal.append(hashOf(1), view, 'accepted', { attempt: 1, executionId: 'e', conversationId: null })
    expect(await open().committed()).toBe(parseCredits('2'))
    await open().reserve(share(2, parseCredits('3')))
  })

  test('a share of a failed attempt is given back, also after the next attempt has begun', async () => {
    const { journal, open } = project(parseCredits('4'))
    await open().reserve(share(1, parseCredits('4')))
    let view = await journal.read(hashOf(1))
    const say = async <T extends 'frozen' | 'sent' | 'accepted' | 'failed'>(type: T, body: RecordBodies[T]): Promise<void> => {
      view = (await journal.append(hashOf(1), view, type, body)) as JournalView
    }
    await say('frozen', frozen(1))
    await say('sent', { attempt: 1, send: 1, keyTag: 'k' })
    await say('accepted', { attempt: 1, executionId: 'e', conversationId: null })
    await say('failed', { attempt: 1, executionId: 'e', status: 'failed', error: null })
    await say('frozen', frozen(2))
    await say('sent', { attempt: 2, send: 1, keyTag: 'k' })
    expect(await open().committed()).toBe(0n)
    expect(await open().shares()).toEqual([])
    // What was ever reserved stays in the history.
    for (const from of ['journal', 'copy'] as const)
      expect([...(await open().history(from)).values()].map(({ hash, credits }) => [hash, credits])).toEqual([
        [hashOf(1), parseCredits('4')],
      ])
  })

  test('a share under another approver is written again, and one that is over the total names every sum', async () => {
    const { open } = project(parseCredits('5'))
    for (const approver of ['a', 'b', 'b']) await open().reserve({ ...share(1, parseCredits('4')), approver })
    expect((await open().shares()).map(({ approver }) => approver)).toEqual(['b'])
    const facts = { id: 's2.walk', price: '1.5', committed: '4', total: '5' }
    await expect(open().reserve(share(2, parseCredits('1.5')))).rejects.toMatchObject({
      facts,
      message:
        '"s2.walk" costs 1.5 credits; with the 4 that this project has settled, holds or may have spent, that is above the project\'s total of 5. Nothing was sent. Raise it, or buy less.',
    })
  })

  test('an execution of another machine that was given up counts beside the next attempt of that machine', async () => {
    const { journal, lock, open } = project(parseCredits('9'))
    const submission = { attempt: 2, key: 'k', body: '{}', bodySha256: '0'.repeat(64), maxCredits: '3' }
    const entry = { service: { host: 'h', keyMode: 'live' as const, apiVersion: '1' }, asked: { prompt: 'p' }, submission }
    await lock.change('s1.walk', hashOf(1), () => ({ ...entry, execution: { id: 'e2', conversation: null } }))
    expect(await open().committed()).toBe(parseCredits('3'))
    const taken = { attempt: 1, executionId: 'e1', conversationId: null, approvedAt: 'then' }
    await journal.append(hashOf(1), await journal.read(hashOf(1)), 'accepted', taken)
    expect(await open().committed()).toBe(parseCredits('6'))
  })
})

/**
 * Does the same as a purchase before the POST of an attempt: reserves the share, then appends the `sent`
 * record. Returns whether the POST may leave.
 */
async function send({ journal, open }: ReturnType<typeof project>, index: number, credits: string): Promise<boolean> {
  for (;;) {
    const view = await journal.read(hashOf(index))
    if (view.submission.sends.length > 0) return false
    const round = view.submission.withdrawals ?? 0
    try {
      await open().reserve({ ...share(index, parseCredits(credits)), round })
    } catch (error) {
      if (hasCode(error, 'SW_CEILING')) return false
      throw error
    }
    if (await journal.append(hashOf(index), view, 'sent', { attempt: 1, send: 1, keyTag: 'k' })) return true
  }
}

/** Freezes an attempt and reserves its share without sending it. */
async function reserved({ journal, open }: ReturnType<typeof project>, index: number): Promise<void> {
  await journal.append(hashOf(index), await journal.read(hashOf(index)), 'frozen', frozen(1))
  await open().reserve(share(index, parseCredits('4')))
}

describe('a share of an attempt that was never sent', () => {
  test('stays reserved for a minute, and is then released if another purchase needs it', async () => {
    const made = project(parseCredits('4'))
    await reserved(made, 1)
    time.wall += 60_000
    await expect(made.open().reserve(share(2, 1n))).rejects.toMatchObject({ code: 'SW_CEILING', facts: { committed: '4' } })
    expect(await made.open().committed()).toBe(parseCredits('4'))
    time.wall += 1
    await made.open().reserve(share(2, parseCredits('4')))
    expect(await made.open().committed()).toBe(parseCredits('4'))
  })

  test('is also released if the clock went back', async () => {
    const made = project(parseCredits('4'))
    time.wall = 500_000
    await reserved(made, 1)
    time.wall = 1_000
    expect(await made.open().committed()).toBe(0n)
  })

  test('a late sender finds its record number taken, and must reserve the share again before it sends', async () => {
    const made = project(parseCredits('4'))
    const { journal, open } = made
    await reserved(made, 1)
    const before = await journal.read(hashOf(1))
    time.wall += 60_001
    expect(await open().committed()).toBe(0n)
    expect(await journal.append(hashOf(1), before, 'sent', { attempt: 1, send: 1, keyTag: 'k' })).toBeUndefined()
    // A late process may reserve its old share once more. That one is released at once.
    await open().reserve(share(1, parseCredits('4')))
    expect(await open().committed()).toBe(0n)
    expect(await send(made, 1, '4')).toBe(true)
    expect(await open().committed()).toBe(parseCredits('4'))
    time.wall += 60_001
    expect(await open().committed()).toBe(parseCredits('4'))
  })

  test('stays reserved if the attempt was sent meanwhile', async () => {
    const made = project(parseCredits('4'))
    await reserved(made, 1)
    expect(await send(made, 1, '4')).toBe(true)
    time.wall += 60_001
    await expect(made.open().reserve(share(2, 1n))).rejects.toMatchObject({ code: 'SW_CEILING' })
  })

  test('counts if the records of its request are broken, and stops no other request', async () => {
    const made = project(parseCredits('5'))
    await reserved(made, 1)
    expect(await send(made, 1, '4')).toBe(true)
    made.disk.files.delete(`/j/${hashOf(1)}/0001.json`)
    expect(await made.open().committed()).toBe(parseCredits('4'))
    await expect(made.open().reserve(share(2, parseCredits('1.0001')))).rejects.toMatchObject({ code: 'SW_CEILING' })
    await made.open().reserve(share(2, parseCredits('1')))
  })

  test('law: if two senders want the last credits, exactly one sends, in any order of their disk calls, and the reservations show it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, isWatched) => {
        time.wall = 1_000
        let isRunning = false
        const made = project(parseCredits('4'), () => (isRunning ? scheduler.schedule(Promise.resolve()) : undefined))
        await reserved(made, 1)
        await made.journal.append(hashOf(2), await made.journal.read(hashOf(2)), 'frozen', frozen(1))
        time.wall += 60_001
        isRunning = true
        const watching = isWatched ? made.open().committed() : undefined
        const ends = await scheduler.waitFor(Promise.all([send(made, 1, '4'), send(made, 2, '4'), watching]))
        isRunning = false
        expect(ends.filter((end) => end === true)).toHaveLength(1)
        expect(await made.open().committed()).toBe(parseCredits('4'))
      }),
      { numRuns: byLevel({ quick: 100, full: 300, long: 300 }) },
    )
  })
})
