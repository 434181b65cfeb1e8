import { describe, expect, test } from 'vitest'
import type { NetRequest } from '../../src/host/net.ts'
import { readRetryAfter } from '../../src/service/http/retry.ts'
import { openPlaceFolder, openPlaceRecords } from '../../src/service/limits/place-files.ts'
import { createPlaces, joinPlaces, type Places, type Taken } from '../../src/service/limits/places.ts'
import { claimName, olderNames, readSlots, timeName } from '../../src/service/limits/slot-names.ts'
import type { Execution } from '../../src/service/wire.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { MemoryRecordStore } from '../kit/memory-record-store.ts'
import { json, type Reply, refused, scriptedNet } from '../kit/scripted-net.ts'
import { errorOf, testClient } from './fixtures.ts'

const wallMs = Date.UTC(2026, 10, 26, 12, 0, 0)

describe('Retry-After (kind: headers read too leniently)', () => {
  test.each([
    ['7', 7_000],
    ['0', 0],
    [' 7 ', 7_000],
    ['6.5', 7_000],
    ['0.01', 1_000],
    ['Thu, 26 Nov 2026 12:00:30 GMT', 30_000],
    ['Thursday, 26-Nov-26 12:00:30 GMT', 30_000],
    ['Thu Nov 26 12:00:30 2026', 30_000],
    ['Thu, 26 Nov 2026 11:00:00 GMT', 0],
    ['99999999999999999999', 86_400_000],
    ['Sat, 26 Nov 2050 12:00:30 GMT', 86_400_000],
  ])('"%s" is read as RFC 9110 says', (text, ms) => {
    expect(readRetryAfter({ 'retry-after': text }, wallMs)).toBe(ms)
  })

  test.each([
    '',
    '-5',
    '+5',
    '1e3',
    '0x10',
    '5, 10',
    '5s',
    '1:00',
    'soon',
    '2026-11-26',
    '2026-11-26T12:01:00Z',
    '6.',
    '.5',
    'Infinity',
    'NaN',
  ])('"%s" is none', (text) => {
    expect(readRetryAfter({ 'retry-after': text }, wallMs)).toBeNull()
  })

  test('a date counts by the clock of the service, however wrong the clock here is', () => {
    const headers = { 'retry-after': 'Thu, 26 Nov 2026 12:00:30 GMT', date: 'Thu, 26 Nov 2026 12:00:00 GMT' }
    for (const wrong of [0, wallMs - 3_600_000, wallMs + 3_600_000]) expect(readRetryAfter(headers, wrong)).toBe(30_000)
    expect(readRetryAfter({ ...headers, date: 'today' }, wallMs)).toBe(30_000)
  })
})

describe('statuses of gateways', () => {
  test.each([408, 421, 425, 500, 502, 503, 504, 520])('a bare %i is tried again, for a read and for an upload', async (status) => {
    const net = scriptedNet((_, number) =>
      number % 2 === 0 ? { status } : number === 1 ? json(200, { credits: '2' }) : json(201, { id: 'r' }),
    )
    const { client, clock } = testClient(net, {
      profile: { uploadReference: async (ask) => String((await ask({ method: 'POST', path: '/v1/references' })).status) },
    })
    expect(await clock.run(client.balance())).toBe(20_000n)
    expect(await clock.run(client.uploadReference({ bytes: new Uint8Array(1), contentType: 'image/png' }))).toBe('201')
    expect(net.requests).toHaveLength(4)
  })

  test.each([400, 404, 409, 410, 422])('a bare %i is not', async (status) => {
    const net = scriptedNet(() => ({ status }))
    const { client, clock } = testClient(net)
    expect((await errorOf(clock.run(client.balance()))).code).toBe('SW_WIRE')
    expect(net.requests).toHaveLength(1)
  })
})

describe('a pause that the service asks for is kept (kind: what was learned is forgotten with the process)', () => {
  /** One process after another, of one machine. */
  function machine(script: (request: NetRequest, number: number) => Reply) {
    const disk = new MemoryDisk()
    const clock = new ManualClock()
    const net = scriptedNet(script)
    const start = () => testClient(net, { limitsFolder: '/state/limits' }, disk, clock).client
    return { clock, net, start }
  }
  const submission = { key: 'k-1', body: new Uint8Array(2) }
  const limited = refused(429, 'rate_limited', { retryable: true }, { 'retry-after': '3600' })

  test('C29: after a 429 with an hour, the next process sends nothing, names the time, and sends after it', async () => {
    const { clock, net, start } = machine((_, number) => (number === 0 ? limited : json(200, { credits: '2' })))
    const told = await errorOf(clock.run(start().balance()))
    await clock.advance(1_000)
    const again = await errorOf(clock.run(start().balance()))
    expect(net.requests).toHaveLength(1)
    expect(again).toMatchObject({ code: 'SW_REFUSED', facts: { retryAt: told.facts.retryAt } })
    expect(again.message).toContain('was not sent')
    await clock.advance(3_600_000)
    expect(await clock.run(start().balance())).toBe(20_000n)
  })

  test('C29: the same for a POST that buys: no record is made, and the approval is not used', async () => {
    const { clock, net, start } = machine(() => limited)
    let records = 0
    const record = async (): Promise<void> => {
      records++
    }
    expect(await clock.run(start().submit(submission, record))).toMatchObject({ kind: 'refused', retryAfterMs: 3_600_000 })
    expect(await errorOf(clock.run(start().submit(submission, record)))).toMatchObject({ code: 'SW_REFUSED' })
    expect({ posts: net.requests.length, records }).toEqual({ posts: 1, records: 1 })
  })

  test('a pause of POSTs holds up no read; a service that is down holds up no safe repetition', async () => {
    const submit = (status: number) => {
      const answer = { status, headers: { 'retry-after': '1800' } }
      const { clock, net, start } = machine(({ method }) => (method === 'POST' ? answer : json(200, { credits: '2' })))
      const post = () => clock.run(start().submit(submission, async () => {}))
      return { post, net, read: () => clock.run(start().balance()) }
    }
    const limited = submit(429)
    await limited.post()
    expect(await limited.read()).toBe(20_000n)
    await errorOf(limited.post())
    expect(limited.net.requests).toHaveLength(2)
    // The POST may have arrived, and the same one is safe for some minutes only.
    const down = submit(503)
    for (const _ of [1, 2]) expect(await down.post()).toMatchObject({ kind: 'unknown', status: 503 })
    expect(down.net.requests).toHaveLength(2)
  })

  test('a short pause is waited out by the next process, and Ctrl-C ends the wait', async () => {
    const { clock, net, start } = machine((_, number) =>
      number === 0 ? refused(429, 'rate_limited', { retryable: false }, { 'retry-after': '120' }) : json(200, { credits: '2' }),
    )
    await errorOf(clock.run(start().balance()))
    const interrupt = new AbortController()
    const left = start().balance(interrupt.signal)
    interrupt.abort(new Error('Ctrl-C'))
    await expect(left).rejects.toThrow('Ctrl-C')
    const before = clock.mono()
    expect(await clock.run(start().balance())).toBe(20_000n)
    expect(clock.mono() - before).toBe(120_000)
    expect(net.requests).toHaveLength(2)
  })

  test('a pause that is damaged, or of a clock that was wrong, holds nobody up', async () => {
    for (const text of ['{', '[]', 'null', JSON.stringify({ at: 10 ** 15, until: 10 ** 16, status: 429 })]) {
      const disk = new MemoryDisk()
      const clock = new ManualClock()
      const net = scriptedNet((_, number) => (number === 0 ? limited : json(200, { credits: '2' })))
      const start = () => testClient(net, { limitsFolder: '/state/limits' }, disk, clock).client
      await errorOf(clock.run(start().balance()))
      const path = [...disk.files.keys()].find((one) => one.endsWith('pause-get'))
      disk.files.set(path as string, new TextEncoder().encode(text))
      expect(await clock.run(start().balance())).toBe(20_000n)
    }
  })
})

test('the places in the records of a team keep their age over a late record, and the newest of many is found', async () => {
  const clock = new ManualClock()
  const store = new MemoryRecordStore(clock)
  const open = () => openPlaceRecords({ clock, random: countingRandom() }, store, 'places/x')
  const note = { key: 'k', id: 'hero.walk', project: 'game' }
  for (let generation = 0; generation < 11; generation++) {
    expect((await open().read(1))[0]?.generation).toBe(generation)
    expect(await open().claim({ slot: 0, generation }, { ...note, at: clock.wall() - 7_000 })).toBe(true)
  }
  expect(await open().claim({ slot: 0, generation: 3 }, { ...note, at: 1 })).toBe(false)
  const files = open()
  await clock.advance(2_000)
  const at = clock.wall() - 9_000
  expect(await files.read(2)).toEqual([
    { slot: 0, generation: 11, note: { ...note, at } },
    { slot: 1, generation: 0 },
  ])
  await open().add({ slot: 0, generation: 11 }, 'execution', 'e')
  expect((await files.read(1))[0]).toEqual({ slot: 0, generation: 11, note: { ...note, at }, executionId: 'e' })
  await open().add({ slot: 0, generation: 11 }, 'over', {})
  for (const one of [files, files, open()]) expect((await one.read(1))[0]).toEqual({ slot: 0, generation: 11 })
})

test('the names of slots say the newest generation, and a release wins over a claim, the later time over an earlier one', () => {
  const [old, now] = [claimName(0, 2), claimName(0, 11)]
  const names = [old, timeName(old, 99_999, 'held'), now, timeName(now, 40.2, 'held'), timeName(now, 7, 'held'), 's0.g12.tmp', 'x', 's9.g1']
  const state = { slot: 0, generation: 11, freeAt: 41, isGivenBack: false }
  const free = { slot: 1, generation: 0, freeAt: 0, isGivenBack: true }
  for (const some of [names, names.toReversed()]) {
    expect(readSlots(some, 2)).toEqual([state, free])
    const released = [timeName(now, 5, 'rest'), timeName(now, -3, 'rest')]
    expect(readSlots([...some, ...released], 1)).toEqual([{ ...state, freeAt: 5, isGivenBack: true }])
    expect(readSlots([...released, ...some], 1)).toEqual([{ ...state, freeAt: 5, isGivenBack: true }])
  }
  expect(readSlots([now], 1)).toEqual([{ ...state, freeAt: null }])
  expect(olderNames([...names, 's1.g1'], 0, 11)).toEqual([old, 's0.g2.t99999.held'])
})

const [hero, coin] = [
  { key: 'sw1-hero', id: 'hero.walk' },
  { key: 'sw1-coin', id: 'coin.spin' },
]
const never = new AbortController().signal
const state = (status: string): Execution => ({ status, question: null }) as Execution

/** The places of one folder. The service answers as told. */
function single(execution: (id: string) => Promise<Execution>, most = 1) {
  const disk = new MemoryDisk()
  const clock = new ManualClock()
  const files = () => openPlaceFolder({ disk, random: countingRandom() }, async () => '/places')
  return { disk, clock, open: () => createPlaces({ clock, client: { execution } }, files(), most, 'game') }
}

describe('joined places', () => {
  /** Places that answer as told, and note what they were asked. */
  function told(name: string, calls: string[], taken: Taken | Error, isHeld = true): Places {
    const note = async (call: string): Promise<void> => void calls.push(`${name} ${call}`)
    return {
      take: async ({ key }) => {
        await note(`take ${key}`)
        if (taken instanceof Error) throw taken
        return taken
      },
      holds: async () => isHeld,
      taken: async () => [{ ...hero, project: name, at: 0 }],
      keep: (_applicant, { executionId }) => note(`keep ${executionId}`),
      leave: (key) => note(`leave ${key}`),
      refused: (_applicant, isRetried) => note(`refused ${isRetried}`),
    }
  }
  const take = async (own: Taken | Error, team: Taken | Error) => {
    const calls: string[] = []
    const taken = await joinPlaces(told('own', calls, own), told('team', calls, team))
      .take(hero, never, () => {})
      .catch((error: Error) => error.message)
    return { taken, calls }
  }
  const both = ['own take sw1-hero', 'team take sw1-hero']

  test.each<[Taken, Taken, Taken]>([
    ['had', 'had', 'had'],
    ['had', 'taken', 'taken'],
    ['had', 'waited', 'waited'],
    ['taken', 'had', 'taken'],
    ['taken', 'waited', 'waited'],
    ['waited', 'taken', 'waited'],
  ])('of which this machine %s one and the team %s one: %s', async (own, team, taken) => {
    expect(await take(own, team)).toEqual({ taken, calls: both })
  })

  test.each<[Taken, readonly string[]]>([
    ['had', both],
    ['taken', [...both, 'own leave sw1-hero']],
    ['waited', [...both, 'own leave sw1-hero']],
  ])('give the own place back if the team has none, unless the submission had it before: %s', async (own, calls) => {
    expect(await take(own, new Error('none'))).toEqual({ taken: 'none', calls })
    expect(await take(new Error('full'), 'taken')).toEqual({ taken: 'full', calls: both.slice(0, 1) })
  })

  test('are held, kept and left in both, and a refusal is a matter of this machine', async () => {
    const calls: string[] = []
    const joined = (own = true, team = true) => joinPlaces(told('own', calls, 'had', own), told('team', calls, 'had', team))
    expect(await Promise.all([joined(), joined(false), joined(true, false)].map((one) => one.holds('k')))).toEqual([true, false, false])
    expect((await joined().taken()).map(({ project }) => project)).toEqual(['own', 'team'])
    await joined().keep(hero, { executionId: 'e' })
    await joined().leave('k')
    await joined().refused(hero, true, never)
    expect(calls).toEqual(['own keep e', 'team keep e', 'own leave k', 'team leave k', 'own refused true'])
  })
})

describe('the files of a place', () => {
  const nameOf = (path: string): string => path.replace('/places/', '')

  test('are those of the last two purchases, however many there were', async () => {
    const { disk, clock, open } = single(async () => state('running'))
    const at = clock.wall()
    for (const number of [1, 2, 3]) {
      await open().take({ ...hero, key: `k${number}` }, never, () => {})
      await open().keep({ ...hero, key: `k${number}` }, { executionId: `e${number}` })
      if (number < 3) await open().leave(`k${number}`)
    }
    expect(await open().taken()).toEqual([{ ...hero, key: 'k3', project: 'game', at, executionId: 'e3' }])
    expect([...disk.files.keys()].map(nameOf).sort()).toEqual(['s0.g2', 's0.g2.execution', 's0.g2.over', 's0.g3', 's0.g3.execution'])
  })

  test('name the execution that follows an answer, and keep that of an equal one', async () => {
    const { clock, open } = single(async () => state('running'), 2)
    const executions = async () => (await open().taken()).map(({ executionId, at }) => `${executionId} ${(clock.wall() - at) / 60_000}`)
    await open().keep(hero, { at: clock.wall() - 7 * 60_000 })
    expect(await executions()).toEqual(['undefined 7'])
    for (const executionId of ['e', 'e', undefined]) await open().keep(hero, { executionId })
    expect(await executions()).toEqual(['e 7'])
    await open().keep(hero, { executionId: 'f' })
    expect(await executions()).toEqual(['f 0'])
    await open().keep(coin, { at: clock.wall() - 30 * 60_000 - 1 })
    expect([await executions(), await open().holds(coin.key)]).toEqual([['f 0'], false])
  })

  test('of a folder that takes none stop a submission, and neither a watch nor a list', async () => {
    const { disk, open } = single(async () => state('running'))
    disk.fault = { call: 'write /places/', code: 'EROFS' }
    await expect(open().take(hero, never, () => {})).rejects.toMatchObject({ code: 'SW_DISK', facts: { path: '/places', code: 'EROFS' } })
    await open().keep(hero, { executionId: 'e' })
    await open().refused(hero, true, never)
    disk.list = async () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }))
    expect(await open().taken()).toEqual([])
    await open().leave(hero.key)
    await expect(open().holds(hero.key)).rejects.toMatchObject({ code: 'SW_DISK' })
  })
})

test.each([
  ['of one running job lets another submission wait for it', ['running'], false, 'waits'],
  ['that is sent again lets others wait too', [], true, 'waits'],
  ['beside a job that is only queued stops others', ['queued'], false, 'SW_REFUSED'],
] as const)('a refusal %s', async (_name, statuses, isRetried, outcome) => {
  const { open } = single(async (id) => state(statuses[Number(id)] as string), 3)
  for (const id of statuses.keys()) await open().keep({ key: `other ${id}`, id: 'other' }, { executionId: String(id) })
  await open().take(hero, never, () => {})
  await open().refused(hero, isRetried, never)
  await open().leave(hero.key)
  const over = new AbortController()
  const reasons: string[] = []
  const taken = open().take(coin, over.signal, (why) => {
    reasons.push(why)
    over.abort(Object.assign(new Error('waits'), { code: 'waits' }))
  })
  await expect(taken).rejects.toMatchObject({ code: outcome })
  expect(reasons.map((why) => why.includes('not all of them from this machine'))).toEqual(outcome === 'waits' ? [true] : [])
})
