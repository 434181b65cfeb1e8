import { describe, expect, test } from 'vitest'
import { ensureFolder } from '../../src/host/publish.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import { expectCount } from '../kit/expect-count.ts'
import { FaultDisk } from '../kit/fault-disk.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const hash = 'a'.repeat(64)
const clock = { wall: () => 1000, mono: () => 10, sleep: async () => {} }
const open = (disk: MemoryDisk): ReturnType<typeof createJournal> => createJournal({ disk, random: countingRandom(), clock }, '/j')
const sent = { attempt: 1, send: 1, keyTag: 'k' }

describe('the journal', () => {
  test('a record is written, synced, linked and its folder synced, in this order', async () => {
    const disk = new MemoryDisk()
    const journal = open(disk)
    await journal.append(hash, await journal.read(hash), 'sent', sent)
    const calls = disk.calls.map((call) => call.replace(/\.[0-9a-f]{16}\.tmp/, '.tmp'))
    expect(calls).toEqual([
      'syncFolder /',
      'syncFolder /j',
      `write /j/${hash}/0001.json.tmp`,
      `sync /j/${hash}/0001.json.tmp`,
      `link /j/${hash}/0001.json`,
      `remove /j/${hash}/0001.json.tmp`,
      `syncFolder /j/${hash}`,
      'syncFolder /',
      'syncFolder /j',
    ])
  })

  test('a record survives a power loss, whoever made its folders and never came to sync their names', async () => {
    const disk = new FaultDisk()
    await ensureFolder(disk, '/game')
    await disk.makeFolder(`/game/j/${hash}`)
    const journal = createJournal({ disk, random: countingRandom(), clock }, '/game/j')
    await journal.append(hash, await journal.read(hash), 'sent', sent)
    disk.crash('nothing')
    expect((await journal.read(hash)).records).toHaveLength(1)
  })

  test('nor does it matter that they lie deeper in the project, none of them synced', async () => {
    const disk = new FaultDisk()
    await ensureFolder(disk, '/game')
    await disk.makeFolder(`/game/.store/here/j/${hash}`)
    const journal = createJournal({ disk, random: countingRandom(), clock }, { folder: '/game/.store/here/j', root: '/game' })
    await journal.append(hash, await journal.read(hash), 'sent', sent)
    disk.crash('nothing')
    expect((await journal.read(hash)).records).toHaveLength(1)
  })

  test('of two that write behind the same view one wins and the other is told', async () => {
    const disk = new MemoryDisk()
    const journal = open(disk)
    const view = await journal.read(hash)
    const [first, second] = await Promise.all([journal.append(hash, view, 'sent', sent), journal.append(hash, view, 'sent', sent)])
    expect([first === undefined, second === undefined].sort()).toEqual([false, true])
    expect((await journal.read(hash)).records).toHaveLength(1)
  })

  test('a torn last record is skipped, and the next one is written behind it', async () => {
    const disk = new MemoryDisk()
    const journal = open(disk)
    await journal.append(hash, await journal.read(hash), 'sent', sent)
    disk.files.set(`/j/${hash}/0002.json`, new TextEncoder().encode('{"v":1,"n":2,'))
    const view = await journal.read(hash)
    expectCount(view.submission.sends, 1)
    await journal.append(hash, view, 'unknown', { attempt: 1, send: 1, status: null, message: 'lost' })
    expect((await journal.read(hash)).submission.sends[0]?.answer).toEqual({ kind: 'unknown', status: null, message: 'lost' })
  })

  test('a record that was changed or taken out breaks the chain, and says so', async () => {
    const disk = new MemoryDisk()
    const journal = open(disk)
    let view = await journal.read(hash)
    for (let send = 1; send <= 3; send++) view = (await journal.append(hash, view, 'sent', { ...sent, send })) ?? view
    disk.files.delete(`/j/${hash}/0002.json`)
    await expect(journal.read(hash)).rejects.toMatchObject({ code: 'SW_JOURNAL', facts: { record: 3 } })
  })

  describe('its second copy', () => {
    const both = (disk: MemoryDisk, warn?: (message: string) => void): ReturnType<typeof createJournal> =>
      createJournal({ disk, random: countingRandom(), clock }, { folder: '/j', copy: '/copy', warn })
    const three = async (disk: MemoryDisk): Promise<void> => {
      const journal = both(disk)
      let view = await journal.read(hash)
      for (let send = 1; send <= 3; send++) view = (await journal.append(hash, view, 'sent', { ...sent, send })) ?? view
    }

    test('holds every record before the append is answered', async () => {
      const disk = new MemoryDisk()
      await three(disk)
      for (const n of [1, 2, 3]) expect(disk.files.get(`/copy/${hash}/000${n}.json`)).toEqual(disk.files.get(`/j/${hash}/000${n}.json`))
    })

    test.each(['/j', '/copy'])('stands in for %s, which is written again by the next append', async (lost) => {
      const disk = new MemoryDisk()
      await three(disk)
      await disk.remove(`${lost}/${hash}`)
      const journal = both(disk)
      expect(await journal.requests()).toEqual([hash])
      const view = await journal.read(hash)
      expectCount(view.submission.sends, 3)
      await journal.append(hash, view, 'sent', { ...sent, send: 4 })
      expect([...disk.files.keys()].filter((path) => path.startsWith(lost))).toHaveLength(4)
      expectCount((await createJournal({ disk, random: countingRandom(), clock }, lost).read(hash)).submission.sends, 4)
    })

    test('has whole what the first has torn', async () => {
      const disk = new MemoryDisk()
      await three(disk)
      disk.files.set(`/j/${hash}/0003.json`, new TextEncoder().encode('{"v":1,"n":3,'))
      expectCount((await both(disk).read(hash)).submission.sends, 3)
    })

    test('that cannot be written is told once and stops nothing', async () => {
      const disk = new MemoryDisk()
      disk.fault = { call: 'write /copy', code: 'EACCES' }
      const told: string[] = []
      const journal = both(disk, (message) => told.push(message))
      let view = await journal.read(hash)
      for (let send = 1; send <= 2; send++) view = (await journal.append(hash, view, 'sent', { ...sent, send })) ?? view
      expectCount((await journal.read(hash)).submission.sends, 2)
      expect(told).toHaveLength(1)
      // As soon as it can be written, it gets what it missed, and first: it never begins in the middle.
      disk.fault = undefined
      await journal.append(hash, view, 'sent', { ...sent, send: 3 })
      for (const n of [1, 2, 3]) expect(disk.files.get(`/copy/${hash}/000${n}.json`)).toEqual(disk.files.get(`/j/${hash}/000${n}.json`))
      const written = disk.calls.filter((call) => call.startsWith('link /copy'))
      expect(written).toEqual([1, 2, 3].map((n) => `link /copy/${hash}/000${n}.json`))
    })
  })
})
