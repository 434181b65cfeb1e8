import { expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { createLimiter, defaultLimits } from '../../src/service/limits/limits.ts'
import { accountFolder, createSharedLimiter, toDiskError } from '../../src/service/limits/shared-limits.ts'
import { SharedSlots, type SlotRules } from '../../src/service/limits/shared-slots.ts'
import { tellWaits } from '../../src/service/limits/told-waits.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

/** Slots in a folder, whose files are told by their names. The clock begins at 1000. */
function open(rules: Partial<SlotRules> = {}) {
  const clock = new ManualClock()
  const disk = new MemoryDisk()
  const all = { count: 1, restMs: 100, leaseMs: 5000, renewMs: null, patienceMs: 500, ...rules }
  const slots = new SharedSlots(disk, clock, '/s', all)
  const files = (): string[] => [...disk.files.keys()].map((path) => path.slice(3)).sort()
  return { clock, disk, slots, files, other: () => new SharedSlots(disk, clock, '/s', all) }
}

test('a slot has the files of its last two takers, each with the end of its lease and of its rest', async () => {
  const { clock, slots, files } = open()
  const first = await clock.run(slots.take())
  expect(files()).toEqual(['s0.g1', 's0.g1.t6100.held'])
  await clock.advance(50)
  first()
  first()
  const second = slots.take()
  const begun = clock.mono()
  const release = await clock.run(second)
  expect(clock.mono() - begun).toBe(100)
  const earlier = ['s0.g1', 's0.g1.t1150.rest', 's0.g1.t6100.held']
  expect(files()).toEqual([...earlier, 's0.g2', 's0.g2.t6250.held'])
  release()
  await clock.advance(100)
  await clock.run(slots.take())
  await slots.settled()
  expect(files()).toEqual(['s0.g2', 's0.g2.t1250.rest', 's0.g2.t6250.held', 's0.g3', 's0.g3.t6350.held'])
})

test('who waits looks twice a second while a slot is held, and at its end if all are given back', async () => {
  const { clock, disk, slots, other } = open({ count: 2, restMs: 1300 })
  const lists: number[] = []
  const list = disk.list.bind(disk)
  disk.list = async (folder) => {
    lists.push(clock.mono())
    return list(folder)
  }
  const releases = await clock.run(Promise.all([slots.take(), slots.take()]))
  lists.length = 0
  const third = other().take()
  await clock.advance(900)
  releases[0]?.()
  await clock.advance(150)
  releases[1]?.()
  await clock.run(third)
  // The first slot rests from 1900 to 3200.
  expect([...new Set(lists)]).toEqual([1000, 1500, 2000, 2500, 3200])
})

test('a slot that is renewed is held from each renewal on, and is lost to a newer taker', async () => {
  const { clock, disk, slots, files } = open({ restMs: 0, leaseMs: 1000, renewMs: 300 })
  const release = await clock.run(slots.take())
  expect(files()).toEqual(['s0.g1', 's0.g1.t2000.held'])
  await clock.advance(300)
  expect(files()).toEqual(['s0.g1', 's0.g1.t2300.held'])
  await clock.advance(300)
  expect([files(), release.lost?.aborted]).toEqual([['s0.g1', 's0.g1.t2600.held'], false])
  disk.files.set('/s/s0.g2', new Uint8Array())
  await clock.advance(300)
  expect([files(), release.lost?.aborted, clock.sleepers]).toEqual([['s0.g1', 's0.g1.t2600.held', 's0.g2'], true, 0])
  const over = open({ restMs: 0, leaseMs: 1000, renewMs: 300 })
  const kept = await over.clock.run(over.slots.take())
  kept()
  await over.clock.advance(2000)
  expect([over.files(), kept.lost?.aborted, over.clock.sleepers]).toEqual([['s0.g1', 's0.g1.t1000.rest', 's0.g1.t2000.held'], false, 0])
  const broken = open({ restMs: 0, leaseMs: 1000, renewMs: 300 })
  const cut = await broken.clock.run(broken.slots.take())
  broken.disk.fault = { call: 'write ', code: 'ENOSPC' }
  await broken.clock.advance(300)
  expect(cut.lost?.aborted).toBe(true)
})

test('a taker gives way to a faster one, to a newer one, and takes again after a claim that was too slow', async () => {
  const meanwhile = async (when: number, act: (disk: MemoryDisk, clock: ManualClock) => Promise<void> | void) => {
    const { clock, disk, slots, files } = open()
    let number = 0
    const list = disk.list.bind(disk)
    disk.list = async (folder) => {
      const before = await list(folder)
      if (number++ !== when) return before
      await act(disk, clock)
      return when === 0 ? before : list(folder)
    }
    const begun = clock.mono()
    await clock.run(slots.take())
    await slots.settled()
    return [files(), clock.mono() - begun]
  }
  const faster = (disk: MemoryDisk) => void ['s0.g1', 's0.g1.t1001.rest'].map((name) => disk.files.set(`/s/${name}`, new Uint8Array()))
  expect(await meanwhile(0, faster)).toEqual([['s0.g1', 's0.g1.t1001.rest', 's0.g2', 's0.g2.t6101.held'], 1])
  const newer = (disk: MemoryDisk) => void ['s0.g7', 's0.g7.t900.rest'].map((name) => disk.files.set(`/s/${name}`, new Uint8Array()))
  expect(await meanwhile(1, newer)).toEqual([['s0.g7', 's0.g7.t900.rest', 's0.g8', 's0.g8.t6100.held'], 0])
  const slow = (ms: number) => (_: MemoryDisk, clock: ManualClock) => clock.advance(ms)
  expect(await meanwhile(1, slow(500))).toEqual([['s0.g1', 's0.g1.t6100.held'], 500])
  expect(await meanwhile(1, slow(501))).toEqual([['s0.g1', 's0.g1.t1601.rest', 's0.g1.t6100.held', 's0.g2', 's0.g2.t6701.held'], 601])
})

test('a slot whose taker said no time is free a lease and a rest after it was first seen, by each who looks', async () => {
  const { clock, disk, slots, files } = open()
  disk.files.set('/s/s0.g4', new Uint8Array())
  const taken = slots.take()
  await clock.advance(5099)
  expect(files()).toEqual(['s0.g4'])
  await clock.run(taken)
  expect([clock.mono(), files()]).toEqual([6100, ['s0.g4', 's0.g5', 's0.g5.t11200.held']])
  const ahead = open()
  for (const name of ['s0.g1', 's0.g1.t6101.held']) ahead.disk.files.set(`/s/${name}`, new Uint8Array())
  await ahead.clock.run(ahead.slots.take())
  expect(ahead.clock.mono()).toBe(1000)
  const at = open()
  for (const name of ['s0.g1', 's0.g1.t6100.held']) at.disk.files.set(`/s/${name}`, new Uint8Array())
  await at.clock.run(at.slots.take())
  expect(at.clock.mono()).toBe(6100)
})

test('a slot that is granted after its taker has gone is given back, and a failed one stops nobody behind it', async () => {
  const { clock, disk, slots, files } = open({ restMs: 0 })
  const stop = new AbortController()
  const make = disk.writeTemp.bind(disk)
  disk.writeTemp = async (path, bytes) => {
    stop.abort(new Error('gone'))
    return make(path, bytes)
  }
  await expect(slots.take(stop.signal)).rejects.toThrow('gone')
  await clock.run(slots.take())
  await slots.settled()
  expect(files()).toEqual(['s0.g1', 's0.g1.t1000.rest', 's0.g1.t6000.held', 's0.g2', 's0.g2.t6000.held'])
  await expect(slots.take(AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  disk.list = () => Promise.reject(new Error('away'))
  await expect(slots.take()).rejects.toThrow('away')
})

test('the limits of a machine hold requests for six minutes and a window, and streams for half a minute that is renewed', async () => {
  const clock = new ManualClock()
  const disk = new MemoryDisk()
  const random = countingRandom()
  const account = { baseUrl: 'https://api.example.com', key: 'k' }
  const limits = { ...defaultLimits, windowMs: 7000, post: 1, get: 2, download: 3, streams: 1 }
  const shared = () => createSharedLimiter(createLimiter(clock, limits), { disk, clock, random }, limits, '/limits', account)
  const limiter = shared()
  const folder = await accountFolder({ disk, random }, '/limits', account)
  const files = () =>
    [...disk.files.keys()]
      .filter((path) => path.startsWith(folder))
      .map((path) => path.slice(folder.length + 1))
      .sort()
  const takes = [limiter.take('post'), limiter.take('get'), limiter.take('get'), limiter.take('download'), limiter.openStream()]
  const [post, get] = await clock.run(Promise.all(takes))
  const held = ['download/s0.g1', 'get/s0.g1', 'get/s1.g1', 'post/s0.g1'].flatMap((claim) => [claim, `${claim}.t368000.held`])
  expect(files()).toEqual([...held, 'stream/s0.g1', 'stream/s0.g1.t31000.held'])
  await clock.advance(10_000)
  expect(files().at(-1)).toBe('stream/s0.g1.t41000.held')
  post?.()
  get?.()
  await limiter.settled()
  expect(files().filter((name) => name.endsWith('rest'))).toEqual(['get/s0.g1.t18000.rest', 'post/s0.g1.t18000.rest'])
  const other = { ...account, key: 'l' }
  const folders = await Promise.all(
    [account, other, { ...account, baseUrl: 'https://b.example' }].map((one) => accountFolder({ disk, random }, '/limits', one)),
  )
  expect([new Set(folders).size, folders[0]]).toEqual([3, folder])
})

test('an error of the disk is told with the folder and its code, and every other error as it is', () => {
  const own = Object.assign(new SpritewrightError('SW_CONFIG', { message: 'x' }), {})
  for (const error of [own, new Error('x'), 'x', undefined, Object.assign(new Error('x'), { code: 7 })])
    expect(toDiskError(error, '/f')).toBe(error)
  expect(toDiskError(Object.assign(new Error('x'), { code: 'EROFS' }), '/f')).toMatchObject({
    code: 'SW_DISK',
    message: expect.stringMatching(/\/f, found EROFS/),
    facts: { path: '/f', code: 'EROFS' },
  })
})

test('a wait for each kind of request is told for itself, with its limit and window, and again after a window', async () => {
  const clock = new ManualClock()
  const told: string[] = []
  const limits = { ...defaultLimits, windowMs: 90_000, post: 11, get: 12, download: 13 }
  const asked: unknown[] = []
  const never = { ...createLimiter(clock), take: (...how: unknown[]) => new Promise<never>(() => void asked.push(how)) }
  const limiter = tellWaits(never, clock, limits, (sentence) => void told.push(sentence))
  const { signal } = new AbortController()
  for (const bucket of ['post', 'get', 'download', 'post'] as const) void limiter.take(bucket, signal)
  await clock.advance(2_999)
  expect([told, asked]).toEqual([[], ['post', 'get', 'download', 'post'].map((bucket) => [bucket, signal])])
  await clock.advance(1)
  expect(told.map((one) => /allows (.+?),/.exec(one)?.[1])).toEqual([
    '11 POST requests in 90 s',
    '12 GET requests in 90 s',
    '13 downloads in 90 s',
  ])
  await clock.advance(86_999)
  void limiter.take('post')
  await clock.advance(1)
  void limiter.take('get')
  await clock.advance(3_000)
  expect(told.slice(3).map((one) => /POST|GET/.exec(one)?.[0])).toEqual(['GET'])
})
