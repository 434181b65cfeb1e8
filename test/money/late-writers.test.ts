import { describe, expect, test } from 'vitest'
import { createLedger } from '../../src/credit/ledger.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import type { Net } from '../../src/host/net.ts'
import { settle } from '../../src/job/delivery/deliver.ts'
import { formatRecord, recordSum } from '../../src/job/records/file.ts'
import { createJournal, type Journal } from '../../src/job/records/journal.ts'
import type { RecordBodies, RecordType } from '../../src/job/records/record.ts'
import type { PublicError } from '../../src/service/wire.ts'
import { createLockStore, type LockStore } from '../../src/vault/lock-store.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { expectCount } from '../kit/expect-count.ts'
import { guarded } from '../kit/guarded-disk.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { VirtualClock } from '../kit/virtual-clock.ts'
import { failing, type Machine, sheetOf, type Team, team } from '../sim/two-machines.ts'

const hash = 'a'.repeat(64)
const sent: RecordBodies['sent'] = { attempt: 1, send: 1, keyTag: 'tag' }
const accepted: RecordBodies['accepted'] = { attempt: 1, executionId: 'E', conversationId: null }
const frozen: RecordBodies['frozen'] = {
  ...{ attempt: 1, key: 'key', body: '{}', bodySha256: hash, maxCredits: '1', ceiling: '1' },
  ...{ priceVersion: '1', approvedAt: '2026-01-01T00:00:00.000Z' },
}
const noReason: PublicError = { reason: 'generation_failed', message: 'no', retryable: false, requestId: null, details: null }

/** A network whose answers about executions come late. */
function slowReads({ world }: Team, ms: number): Net {
  return {
    ...world.net,
    request: async (request) => {
      const response = await world.net.request(request)
      if (request.method === 'GET' && request.url.includes('/v1/executions/')) await world.clock.sleep(ms)
      return response
    },
  }
}

/**
 * The first execution waits in the queue for ten seconds, so that two processes follow it. Then it fails,
 * retryably.
 */
function failingLate(): EmbeddedOptions {
  const failure = { reason: 'generation_failed', message: 'it did not come out', retryable: true } as const
  let hasFailed = false
  return {
    verdict: ({ stage, attempt }) => {
      if (hasFailed || (stage === 'admission' && attempt > 10)) return undefined
      hasFailed = stage === 'job'
      return failure
    },
  }
}

describe('a process that is late', () => {
  test('and sees a failure that another has dealt with already does not end the next attempt', async () => {
    const made = await team(failingLate())
    const { first, world, run, posts, charged } = made
    await first.approve()
    const quick = await first.open()
    const slow = await first.open({ net: slowReads(made, 3_000) })
    await run(Promise.all([quick.build({ buyOnly: true }), world.clock.sleep(500).then(() => slow.build({ buyOnly: true }))]))
    expect([posts(), charged()]).toEqual([2, ['a knight walk']])
    expect(first.records().map(({ type, body }) => `${type} ${body.attempt}`)).toEqual([
      ...['approved 0', 'frozen 1', 'sent 1', 'accepted 1', 'failed 1'],
      ...['frozen 2', 'sent 2', 'accepted 2', 'completed 2', 'stored 2'],
    ])
    const { lines } = await run((await first.open()).ledger())
    expect(lines.map(({ attempt, state }) => [attempt, state])).toEqual([
      [1, 'restored'],
      [2, 'settled'],
    ])
  })

  test.each([
    ['failed', { attempt: 1, executionId: 'first', status: 'failed', error: null }],
    ['completed', { attempt: 1, executionId: 'first', downloadUrl: '/first', contentType: null, review: null }],
    ['stored', { attempt: 1, executionId: 'first', sha256: hash, bytes: 1 }],
    ['refused', { attempt: 1, send: 1, status: 401, error: noReason }],
    ['decided', { attempt: 1, about: 'submission', decision: 'abandon', approvedAt: null }],
  ] as const)('and writes "%s" of an attempt that another has followed says nothing of that one', async (type, body) => {
    const journal = journalOf(new MemoryDisk(), new VirtualClock(), '/j')
    await append(journal, 'sent', sent)
    await append(journal, 'accepted', { ...accepted, executionId: 'first' })
    await append(journal, 'failed', { attempt: 1, executionId: 'first', status: 'failed', error: { ...noReason, retryable: true } })
    await append(journal, 'frozen', { ...frozen, attempt: 2 })
    await append(journal, 'sent', { ...sent, attempt: 2 })
    await append(journal, 'accepted', { ...accepted, attempt: 2, executionId: 'second' })
    const before = (await journal.read(hash)).submission
    await append(journal, type, body)
    expect((await journal.read(hash)).submission).toEqual(before)
  })

  test('does not write its old execution beside the bytes of the next attempt in the lock file', async () => {
    const disk = new MemoryDisk()
    const lock = createLockStore({ disk, random: countingRandom() }, '/game/sprites.lock.json')
    const identity = { host: 'api.example.com', keyMode: 'test' as const, apiVersion: '1' }
    const request = {
      operation: 'sprite_sheet' as const,
      id: 'hero.walk',
      prompt: 'a knight',
      reference: { kind: 'file' as const, sha256: hash },
      frames: 7,
      background: 'remove' as const,
      take: 1,
    }
    const submission = { attempt: 2, key: 'second', body: '{}', bodySha256: hash, maxCredits: '1' }
    await lock.change('hero.walk', hash, () => ({ service: identity, asked: { prompt: 'a knight' }, submission }))
    const journal = createJournal({ disk, random: countingRandom(), clock: new VirtualClock() }, '/game/submissions')
    const late = await journal.append(hash, await journal.read(hash), 'accepted', { attempt: 1, executionId: 'old', conversationId: null })
    const ports = { lock, ledger: createLedger(disk, '/game/ledger.jsonl'), clock: new VirtualClock() }
    await settle(ports, { hash, identity, request, approval: undefined }, late as NonNullable<typeof late>)
    const entry = (await lock.read()).animations['hero.walk']?.[hash]
    expect(entry).toMatchObject({ submission })
    expect(entry?.execution).toBeUndefined()
  })

  test('and dies between the record of a failure and the ledger leaves a ledger that the next build mends', async () => {
    const { first, world, run, charged } = await team(failing('retryable'))
    await first.approve()
    await first.dieBuilding((call) => call.startsWith('append') && first.records().some(({ type }) => type === 'failed'))
    await first.build()
    const { lines, held } = await run((await first.open()).ledger())
    expect(lines.map(({ attempt, state }) => [attempt, state])).toEqual([
      [1, 'restored'],
      [2, 'settled'],
    ])
    expect([held, world.service.holds(), charged()]).toEqual([0n, [], ['a knight walk']])
  })

  test('and dies between the record of a result and the lock file leaves a lock file that the next build mends', async () => {
    const { first, clone, posts } = await team()
    await first.approve()
    const isStored = (): boolean => first.records().some(({ type }) => type === 'stored')
    await first.dieBuilding((call) => call === 'move /game/sprites.lock.json' && isStored())
    expect(first.entry('hero.walk').result).toBeUndefined()
    await first.build()
    expect(first.entry('hero.walk').result).toMatchObject({ bytes: sheetOf('a knight walk').length })
    await clone(first, 'results').build({ frozen: true })
    expect(posts()).toBe(1)
  })
})

const entry = (prompt: string): LockEntry => ({ service: { host: 'h', keyMode: 'test', apiVersion: '1' }, asked: { prompt } })
const other = 'b'.repeat(64)

/**
 * A lock store as a process of a project opens it.
 *
 * @param disk The disk as this process sees it.
 */
function lockStore(disk: MemoryDisk, clock: VirtualClock, seed: number, seen: Parameters<typeof guarded>[1] = () => undefined): LockStore {
  const counting = countingRandom()
  const random = { ...counting, bytes: (count: number) => counting.bytes(count).map((byte) => byte ^ seed) }
  return createLockStore({ disk: guarded(disk, seen), random }, '/game/sprites.lock.json', { path: '/game/.spritewright/turn', clock })
}

describe('the lock file under two processes', () => {
  test('has both entries when they change different ones at once, and one of them is slow', async () => {
    const disk = new MemoryDisk()
    const clock = new VirtualClock()
    const slow = lockStore(disk, clock, 1, (call) => (call.startsWith('move ') ? clock.sleep(300) : undefined))
    const quick = lockStore(disk, clock, 2)
    await clock.run(
      Promise.all([
        slow.change('hero.a', hash, () => entry('a')),
        clock.sleep(100).then(() => quick.change('hero.b', other, () => entry('b'))),
      ]),
    )
    expect(Object.keys((await quick.read()).animations)).toEqual(['hero.a', 'hero.b'])
    expect(disk.files.has('/game/.spritewright/turn')).toBe(false)
  })

  test('has every entry of two that make twenty changes each', async () => {
    const disk = new MemoryDisk()
    const clock = new VirtualClock()
    const work = async (seed: number, name: string): Promise<void> => {
      const store = lockStore(disk, clock, seed, (call) => (call.startsWith('read ') ? clock.sleep(7 * seed) : undefined))
      for (let n = 0; n < 20; n++) await store.change(`${name}.${n}`, hash, () => entry(`${name} ${n}`))
    }
    await clock.run(Promise.all([work(1, 'hero'), work(2, 'rogue')]))
    expect(Object.keys((await lockStore(disk, clock, 3).read()).animations)).toHaveLength(40)
  })

  test('waits about a second for one that died while it had the turn, once', async () => {
    const disk = new MemoryDisk()
    const clock = new VirtualClock()
    disk.files.set('/game/.spritewright/turn', new TextEncoder().encode('the token of a dead process'))
    const store = lockStore(disk, clock, 1)
    const timeOf = async (work: Promise<void>): Promise<number> => {
      const before = clock.mono()
      await clock.run(work)
      return clock.mono() - before
    }
    const first = await timeOf(store.change('hero.a', hash, () => entry('a')))
    expect(first).toBeGreaterThanOrEqual(1_000)
    expect(first).toBeLessThan(1_200)
    expect(await timeOf(store.change('hero.b', other, () => entry('b')))).toBe(0)
  })

  test('has the entries of all that waited for one that died', async () => {
    const disk = new MemoryDisk()
    const clock = new VirtualClock()
    disk.files.set('/game/.spritewright/turn', new TextEncoder().encode('the token of a dead process'))
    const names = ['a', 'b', 'c']
    const slowly = (call: string): Promise<void> | undefined => (call.startsWith('move ') ? clock.sleep(200) : undefined)
    await clock.run(
      Promise.all(names.map((name, index) => lockStore(disk, clock, index + 1, slowly).change(`hero.${name}`, hash, () => entry(name)))),
    )
    expect(Object.keys((await lockStore(disk, clock, 9).read()).animations)).toEqual(names.map((name) => `hero.${name}`))
    expect(clock.mono()).toBeLessThan(4_000)
  })

  test('does not wait for a turn where none can be had', async () => {
    const disk = new MemoryDisk()
    const clock = new VirtualClock()
    const store = lockStore(disk, clock, 1, (call) => {
      if (call.endsWith('/turn')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
      return undefined
    })
    const before = clock.mono()
    await clock.run(store.change('hero.a', hash, () => entry('a')))
    expect([Object.keys((await store.read()).animations), clock.mono() - before]).toEqual([['hero.a'], 0])
  })
})

test('a lock file that has lost an entry has it again after the next build, for one request, and the build after that makes none', async () => {
  const { first, world, posts } = await team()
  await first.approve()
  await first.build()
  const { execution, result } = first.entry('hero.walk')
  first.edit((lock) => {
    delete lock.animations['hero.walk']
  })
  const requestsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = world.service.requests().length
    await work()
    return world.service
      .requests()
      .slice(before)
      .map(({ method, path }) => `${method} ${path}`)
  }
  expect(await requestsOf(() => first.build())).toEqual(['GET /v1/capabilities'])
  expect(first.entry('hero.walk')).toMatchObject({ execution, result })
  expect(await requestsOf(() => first.build())).toEqual([])
  expect(posts()).toBe(1)
})

describe('a file of the turn', () => {
  test.each([
    ['read', ''],
    ['read or removed', 'remove '],
  ])('that cannot be %s costs a process a second and no change', async (_what, alsoFails) => {
    const disk = new MemoryDisk()
    const clock = new VirtualClock()
    disk.files.set('/game/.spritewright/turn', new TextEncoder().encode('the token of somebody'))
    const store = lockStore(disk, clock, 1, (call) => {
      const isBarred =
        call === 'read /game/.spritewright/turn' || (alsoFails !== '' && call.startsWith(`${alsoFails}/game/.spritewright/turn`))
      if (isBarred) throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
      return undefined
    })
    const before = clock.mono()
    await clock.run(store.change('hero.a', hash, () => entry('a')))
    expect(clock.mono() - before).toBeGreaterThanOrEqual(1_000)
    expect(clock.mono() - before).toBeLessThan(1_200)
    expect(Object.keys((await store.read()).animations)).toEqual(['hero.a'])
  })
})

/** A process that reads and writes one checkout's journal. */
function journalOf(disk: MemoryDisk, clock: VirtualClock, folder: string, copy?: string): Journal {
  return createJournal({ disk, random: countingRandom(), clock }, { folder, ...(copy ? { copy } : {}) })
}

/** Appends a record at the end. */
async function append<T extends RecordType>(journal: Journal, type: T, body: RecordBodies[T]): Promise<void> {
  if (!(await journal.append(hash, await journal.read(hash), type, body))) throw new Error('Another process was first.')
}

describe('the journal', () => {
  test('waits for a record that another process is still copying, where there are no hard links', async () => {
    const disk = new MemoryDisk()
    const clock = new VirtualClock()
    await append(journalOf(disk, clock, '/j'), 'sent', sent)
    const path = `/j/${hash}/0001.json`
    const whole = disk.files.get(path) as Uint8Array
    disk.files.set(path, whole.slice(0, 40))
    const copying = clock.sleep(500).then(() => disk.files.set(path, whole))
    const late = journalOf(disk, clock, '/j')
    const [view] = await clock.run(Promise.all([late.read(hash), copying]))
    expectCount(view.submission.sends, 1)
    await append(late, 'accepted', accepted)
    expect((await journalOf(disk, clock, '/j').read(hash)).submission.accepted).toMatchObject({ executionId: 'E' })
  })

  test('of two checkouts at one path of a shared home stays each its own: neither takes up nor spoils the other’s', async () => {
    const disk = new MemoryDisk()
    const clock = new VirtualClock()
    const [one, two] = [journalOf(disk, clock, '/m1', '/copy'), journalOf(disk, clock, '/m2', '/copy')]
    const [start, startOfTwo] = [await one.read(hash), await two.read(hash)]
    await one.append(hash, start, 'sent', { ...sent, keyTag: 'one' })
    await two.append(hash, startOfTwo, 'sent', { ...sent, keyTag: 'two' })
    await append(one, 'accepted', accepted)
    expect((await two.read(hash)).submission).toMatchObject({ sends: [{ keyTag: 'two' }] })
    expect((await two.read(hash)).submission.accepted).toBeUndefined()
    // Both go on, in the same processes and in later ones.
    await append(two, 'unknown', { attempt: 1, send: 1, status: null, message: 'lost' })
    for (const later of [two, journalOf(disk, clock, '/m2', '/copy')]) {
      expect((await later.read(hash)).submission.sends).toMatchObject([{ keyTag: 'two', answer: { kind: 'unknown' } }])
    }
    await append(journalOf(disk, clock, '/m1', '/copy'), 'unknown', { attempt: 1, send: 1, status: null, message: 'lost' })
  })

  test('whose first place is gone stops at a copy that another checkout has written into: part of it may be paid', async () => {
    const disk = new MemoryDisk()
    const clock = new VirtualClock()
    const [one, two] = [journalOf(disk, clock, '/m1', '/copy'), journalOf(disk, clock, '/m2', '/copy')]
    const startOfTwo = await two.read(hash)
    await append(one, 'sent', { ...sent, keyTag: 'one' })
    const second = await two.append(hash, startOfTwo, 'sent', { ...sent, keyTag: 'two' })
    await two.append(hash, second as NonNullable<typeof second>, 'accepted', accepted)
    await disk.remove('/m1')
    // The send of one process is known again, or the copy is not a valid chain and every command stops. The
    // journal is never empty.
    const again = await journalOf(disk, clock, '/m1', '/copy')
      .read(hash)
      .then(({ submission }) => submission.sends.map(({ keyTag }) => keyTag))
      .catch((error: { code: string }) => error.code)
    expect([['one'], 'SW_JOURNAL']).toContainEqual(again)
  })

  test.each([
    ['is gone', [1, 2, 3]],
    ['has lost its last records', [2, 3]],
  ])('whose first place %s and whose copy is damaged in the middle stops: what it lacks may be paid', async (_how, gone) => {
    const disk = new MemoryDisk()
    const clock = new VirtualClock()
    const one = journalOf(disk, clock, '/m1', '/copy')
    await append(one, 'sent', sent)
    await append(one, 'unknown', { attempt: 1, send: 1, status: null, message: 'lost' })
    await append(one, 'accepted', accepted)
    for (const n of gone) await disk.remove(`/m1/${hash}/000${n}.json`)
    disk.files.set(`/copy/${hash}/0002.json`, new TextEncoder().encode('{}'))
    await expect(clock.run(journalOf(disk, clock, '/m1', '/copy').read(hash))).rejects.toMatchObject({ code: 'SW_JOURNAL' })
  })
})

/** Appends a record after the last one, as a later version might. */
function appendForeign({ disk }: Machine, chain: string, place: string, change: object): void {
  const paths = [...disk.files.keys()].filter((path) => path.startsWith(place) && path.includes(`/${chain}/`)).sort()
  const last = JSON.parse(new TextDecoder().decode(disk.files.get(paths.at(-1) as string)))
  const open = {
    v: 1 as const,
    n: last.n + 1,
    prev: last.sum,
    type: 'foreign',
    at: last.at,
    mono: last.mono,
    body: { attempt: 1 },
    ...change,
  }
  const path = (paths.at(-1) as string).replace(/\d+\.json$/, `${String(open.n).padStart(4, '0')}.json`)
  disk.files.set(path, formatRecord({ ...open, sum: recordSum(open) }))
}

describe('a record of a later version', () => {
  const cases: readonly (readonly [string, (machine: Machine) => void])[] = [
    ['of a type that is not known', (machine) => appendForeign(machine, chainOf(machine), '/game/', {})],
    ['of a form that is not known', (machine) => appendForeign(machine, chainOf(machine), '/game/', { v: 2, type: 'failed' })],
    ['that only the second copy has', (machine) => appendForeign(machine, chainOf(machine), '/home/', {})],
    [
      'in the project’s reservations',
      (machine) => appendForeign(machine, 'budget', '/game/', { body: { hash, attempt: 1, credits: '1' } }),
    ],
  ]
  test.each(cases)('%s stops the build with SW_JOURNAL, and nothing is sent', async (_which, change) => {
    const { first, posts } = await team(failing('for good'))
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    await first.approve()
    change(first)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_JOURNAL', message: expect.stringContaining('Nothing was sent') })
    expect(posts()).toBe(1)
  })
})

function chainOf(machine: Machine): string {
  return Object.keys(machine.lock().animations['hero.walk'] ?? {})[0] ?? ''
}
