import { expect, test } from 'vitest'
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
