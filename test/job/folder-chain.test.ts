import { expect, test } from 'vitest'
import type { ChainPlaces } from '../../src/job/records/chain.ts'
import { createFolderChains } from '../../src/job/records/folder-chain.ts'
import { createJournal, type JournalView } from '../../src/job/records/journal.ts'
import { type CallGuard, guarded } from '../kit/guarded-disk.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const hash = 'a'.repeat(64)

function desk(key = 1, disk = new MemoryDisk(), guard: CallGuard = () => undefined) {
  const clock = new ManualClock()
  const ports = { disk: guarded(disk, guard), random: countingRandom(), clock, keys: ringOf(testKey(key)) }
  return { disk, clock, open: (copy?: string) => createJournal(ports, { folder: '/j', ...(copy === undefined ? {} : { copy }) }) }
}

async function write(journal: ReturnType<typeof createJournal>, count: number, keyTag = 'k'): Promise<JournalView> {
  let view = await journal.read(hash)
  for (let send = 1; send <= count; send++) view = (await journal.append(hash, view, 'sent', { attempt: 1, send, keyTag })) as JournalView
  return view
}

const sends = (view: JournalView): unknown[] => view.records.map(({ body }) => (body as { send: number }).send)

test('records that are missing here and there are read in order, whichever place has them', async () => {
  const { disk, open } = desk()
  await write(open('/copy'), 12)
  for (const n of ['0001', '0004', '0012']) disk.files.delete(`/j/${hash}/${n}.json`)
  for (const n of ['0002', '0011']) disk.files.delete(`/copy/${hash}/${n}.json`)
  const view = await open('/copy').read(hash)
  expect(sends(view)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
  await open('/copy').append(hash, view, 'withdrawn', { attempt: 1 })
  for (const place of ['/j', '/copy']) expect([...disk.files.keys()].filter((path) => path.startsWith(`${place}/`))).toHaveLength(13)
})

test('a last record that is torn in one place is that of the other, or is none if the other lacks it', async () => {
  for (const [hasCopy, expected] of [
    [true, [1, 2, 3]],
    [false, [1, 2]],
  ] as const) {
    const { disk, open, clock } = desk()
    await write(open('/copy'), 3)
    disk.files.set(`/j/${hash}/0003.json`, new Uint8Array([123]))
    if (!hasCopy) disk.files.delete(`/copy/${hash}/0003.json`)
    const view = await clock.run(open('/copy').read(hash))
    expect([sends(view), view.next.n]).toEqual([expected, 4])
  }
})

test('records of somebody else in place of ours stop the request, and the error names the place and the copy', async () => {
  const { disk, open } = desk()
  await write(open('/copy'), 2)
  for (const path of [...disk.files.keys()]) if (path.startsWith('/j/')) disk.files.delete(path)
  await write(desk(2, disk).open(), 2, 'other')
  await expect(open('/copy').read(hash)).rejects.toMatchObject({
    code: 'SW_JOURNAL',
    message: expect.stringContaining(`record 2 there is not yours, and the second copy in /copy has one that is`),
    facts: { folder: `/j/${hash}`, record: 2 },
  })
})

test('an append is an error if the folder of its names cannot be synced', async () => {
  let isBroken = false
  const { open } = desk(1, new MemoryDisk(), (call) => {
    if (isBroken && call === 'syncFolder /j') throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fsync' })
    return undefined
  })
  const journal = open()
  const view = await journal.read(hash)
  isBroken = true
  await expect(journal.append(hash, view, 'withdrawn', { attempt: 1 })).rejects.toMatchObject({ code: 'EIO' })
})

test('a copy that belongs to another checkout is named, and neither read nor written', async () => {
  const { disk, open } = desk()
  await write(open('/copy'), 1, 'theirs')
  for (const path of [...disk.files.keys()]) if (path.startsWith('/j/')) disk.files.delete(path)
  const theirs = [...disk.files]
  await write(open(), 2)
  const told: string[] = []
  const ports = { disk, random: countingRandom(), clock: new ManualClock(), keys: ringOf(testKey(1)) }
  const journal = createJournal(ports, { folder: '/j', copy: '/copy', warn: (message) => told.push(message) })
  const view = await journal.read(hash)
  expect([sends(view), view.lacking]).toEqual([[1, 2], []])
  await journal.append(hash, view, 'withdrawn', { attempt: 1 })
  expect([...disk.files].filter(([path]) => path.startsWith('/copy/'))).toEqual(theirs)
  expect([...disk.files.keys()].filter((path) => path.startsWith('/j/'))).toHaveLength(3)
  expect(told).toEqual(["The journal's second copy in /copy is not of this checkout and is left alone."])
})

test('a copy in which another checkout was first is left alone from then on', async () => {
  const { disk, open } = desk()
  const ours = open('/copy')
  const empty = await ours.read(hash)
  await write(open('/copy'), 1, 'theirs')
  for (const path of [...disk.files.keys()]) if (path.startsWith('/j/')) disk.files.delete(path)
  let view = empty
  for (const send of [1, 2]) view = (await ours.append(hash, view, 'sent', { attempt: 1, send, keyTag: 'k' })) as JournalView
  expect([...disk.files.keys()].sort()).toEqual([`/copy/${hash}/0001.json`, `/j/${hash}/0001.json`, `/j/${hash}/0002.json`])
})

function chainsIn(places: Omit<ChainPlaces, 'folder'> = {}, keys: ReturnType<typeof ringOf> | undefined = ringOf(testKey(1))) {
  const { disk, clock } = desk()
  const open = () => createFolderChains({ disk, random: countingRandom(), clock, keys }, { folder: '/j', ...places })
  return { disk, clock, open }
}
const body = (attempt: number) => ({ attempt })

test('an append returns what a read finds then, with both clocks and as our own only if it is sealed', async () => {
  for (const [keys, own] of [
    [ringOf(testKey(1)), 2],
    [undefined, 0],
  ] as const) {
    const { disk, clock } = desk()
    const chains = createFolderChains({ disk, random: countingRandom(), clock, keys }, { folder: '/j', copy: '/copy' })
    const first = await chains.append('b', await chains.read('b'), 'one', body(1))
    await clock.advance(5)
    const second = first && (await chains.append('b', first, 'two', body(2)))
    const found = await chains.read('b')
    expect({ ...second, lacking: [] }).toEqual(found)
    expect(await chains.peek('b')).toEqual(found)
    expect([found.own.size, second?.own.size]).toEqual([own, own])
    const wall = clock.wall()
    expect(found.records.map(({ type, at, mono }) => [type, at, mono])).toEqual([
      ['one', wall - 5, clock.mono() - 5],
      ['two', wall, clock.mono()],
    ])
  }
})

test('chains are named in order and once, also those that only the copy has', async () => {
  const { disk, open } = chainsIn({ copy: '/copy' })
  for (const name of ['c', 'a', 'b']) await open().append(name, await open().read(name), 'one', body(1))
  for (const [path, name] of [
    ['/j', 'a'],
    ['/copy', 'b'],
  ] as const)
    disk.files.delete(`${path}/${name}/0001.json`)
  expect(await open().names()).toEqual(['a', 'b', 'c'])
})

test('a record that the check refuses is written nowhere, and the check sees its bytes and its path', async () => {
  const seen: unknown[] = []
  const check = (bytes: Uint8Array, path: string): never => {
    seen.push([(JSON.parse(new TextDecoder().decode(bytes)) as { body: unknown }).body, path])
    throw new Error('not this one')
  }
  const { disk, open } = chainsIn({ copy: '/copy', check })
  const chains = open()
  await expect(chains.append('b', await chains.read('b'), 'one', body(1))).rejects.toThrow('not this one')
  expect([seen, [...disk.files.keys()]]).toEqual([[[body(1), '/j/b/0001.json']], []])
})

test('other files in the folder of a chain are no records', async () => {
  const { disk, open } = chainsIn()
  await open().append('b', await open().read('b'), 'one', body(1))
  for (const name of ['0002.json.tmp', '0003.json~', 'x0004.json', '005.json']) disk.files.set(`/j/b/${name}`, new Uint8Array([1]))
  expect((await open().read('b')).next.n).toBe(2)
})

test('a last record that another process is still copying is awaited for a second, and then skipped', async () => {
  for (const [wholeAfter, expected] of [
    [800, [2, 800]],
    [undefined, [1, 1000]],
  ] as const) {
    const { disk, clock, open } = chainsIn()
    let view = await open().read('b')
    for (const n of [1, 2]) view = (await open().append('b', view, 'one', body(n))) ?? view
    const whole = disk.files.get('/j/b/0002.json') as Uint8Array
    disk.files.set('/j/b/0002.json', whole.slice(0, 9))
    const start = clock.mono()
    const reading = open().read('b')
    if (wholeAfter !== undefined) {
      await clock.advance(wholeAfter - 1)
      disk.files.set('/j/b/0002.json', whole)
    }
    expect([(await clock.run(reading)).records.length, clock.mono() - start]).toEqual(expected)
  }
})

test('a chain that is broken is named by its folder and its copy', async () => {
  const { disk, open } = chainsIn({ copy: '/copy' })
  let view = await open().read('b')
  for (const n of [1, 2, 3]) view = (await open().append('b', view, 'one', body(n))) ?? view
  for (const place of ['/j', '/copy']) disk.files.delete(`${place}/b/0001.json`)
  await expect(open().read('b')).rejects.toMatchObject({
    message: expect.stringContaining('in /j/b (and its copy in /copy/b) is broken at record 2'),
    facts: { folder: '/j/b', record: 2 },
  })
})
