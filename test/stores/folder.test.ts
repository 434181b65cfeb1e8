import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Disk, nodeDisk } from '../../src/host/disk.ts'
import { nodeRandom } from '../../src/host/random.ts'
import { openFolderRecords } from '../../src/stores/folder.ts'
import { FaultDisk } from '../kit/fault-disk.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { describeRecordStore } from './contract.ts'

const scratch = mkdtempSync(join(tmpdir(), 'spritewright-stores-'))
const folder = join(scratch, 'journal')
mkdirSync(folder)
afterAll(() => rmSync(scratch, { recursive: true }))
const random = nodeRandom()

/** A disk whose first `link` fails, after or before the name is made. */
function lossyDisk(doesLand: boolean): Disk {
  const disk = nodeDisk()
  let isLost = false
  return {
    ...disk,
    link: async (from, to) => {
      if (isLost) return disk.link(from, to)
      isLost = true
      if (doesLand) await disk.link(from, to)
      throw Object.assign(new Error('EIO'), { code: 'EIO' })
    },
  }
}

describeRecordStore('records in a folder', () => ({
  precisionMs: 2000,
  open: () => openFolderRecords({ disk: nodeDisk(), random }, folder),
  openAway: () => openFolderRecords({ disk: nodeDisk(), random }, join(scratch, 'not-mounted')),
  openLossy: (doesLand) => openFolderRecords({ disk: lossyDisk(doesLand), random }, folder),
}))

test('a folder that is not mounted is not made, so that no machine begins a journal of its own', async () => {
  const missing = join(scratch, 'not-mounted')
  const store = openFolderRecords({ disk: nodeDisk(), random }, missing)
  await expect(store.putIfAbsent('a/1', new Uint8Array())).rejects.toMatchObject({
    code: 'SW_STORE',
    message: expect.stringContaining('Mount it'),
  })
  expect(await nodeDisk().stat(missing)).toBeUndefined()
})

test('a record that an earlier try left without a flush survives a loss of power once it is mine', async () => {
  const disk = new FaultDisk()
  disk.put('/shared/mounted', '')
  await disk.makeFolder('/shared/chain')
  const bytes = new TextEncoder().encode('record')
  await disk.writeTemp('/shared/chain/0001.json', bytes)
  const store = openFolderRecords({ disk, random: countingRandom() }, '/shared')
  expect(await store.putIfAbsent('chain/0001.json', bytes)).toBe('mine')
  disk.crash('nothing')
  expect(disk.peek('/shared/chain/0001.json')).toEqual(bytes)
})

test('a failure of the disk is SW_STORE with its code', async () => {
  const disk: Disk = { ...nodeDisk(), read: () => Promise.reject(Object.assign(new Error('no'), { code: 'ESTALE' })) }
  const store = openFolderRecords({ disk, random }, folder)
  await store.putIfAbsent('stale/1', new Uint8Array(1))
  await expect(store.get('stale/1')).rejects.toMatchObject({ code: 'SW_STORE', message: expect.stringContaining('ESTALE') })
})

test('every failure of a folder says which folder, what was asked and what was found', async () => {
  const disk = new MemoryDisk()
  disk.files.set('/shared/mounted', new Uint8Array())
  disk.fault = { call: 'write ', code: 'EROFS' }
  const refusalOf = (store: string) =>
    openFolderRecords({ disk, random: countingRandom() }, store)
      .putIfAbsent('a/1', new Uint8Array())
      .catch((error) => error)
  const error = await refusalOf('/shared')
  expect(error.facts).toEqual({ store: '/shared', work: 'write a/1', found: 'EROFS', mayPass: false })
  expect(error.cause).toMatchObject({ code: 'EROFS' })
  expect(error.message).toContain('Check the folder and its rights')
  expect((await refusalOf('/away')).facts).toEqual({ store: '/away', work: 'write a/1', found: 'no such folder', mayPass: false })
})

test('an age is rounded up, and is as much higher as the coarsest clock may be off', async () => {
  const disk = new MemoryDisk()
  const store = openFolderRecords({ disk, random: countingRandom() }, '/shared')
  disk.files.set('/shared/a/1', new Uint8Array([7]))
  const stat = disk.stat.bind(disk)
  disk.stat = async (path) => {
    const found = await stat(path)
    return found && { ...found, changedMs: path.endsWith('.tmp') ? 12.4 : 10 }
  }
  expect([await store.get('a/1'), await store.get('a'), await store.get('a/2')]).toEqual([
    { bytes: new Uint8Array([7]), ageMs: 2003 },
    undefined,
    undefined,
  ])
  expect([...disk.files.keys()]).toEqual(['/shared/a/1'])
  await store.close()
})

test("the age is by the clock of the folder's machine, which may be ahead of ours", async () => {
  const store = openFolderRecords({ disk: nodeDisk(), random }, folder)
  await store.putIfAbsent('clock/1', new Uint8Array(1))
  const ahead = Date.now() / 1000 + 3600
  utimesSync(join(folder, 'clock/1'), ahead, ahead)
  expect((await store.get('clock/1'))?.ageMs).toBeLessThan(-1_800_000)
  const server: Disk = {
    ...nodeDisk(),
    stat: async (path) => {
      const found = await nodeDisk().stat(path)
      return found && path.endsWith('.tmp') ? { ...found, changedMs: found.changedMs + 3_600_000 } : found
    },
  }
  const age = (await openFolderRecords({ disk: server, random }, folder).get('clock/1'))?.ageMs ?? Number.NaN
  expect(age).toBeGreaterThanOrEqual(0)
  expect(age).toBeLessThan(1_800_000)
})

test.each([undefined, 'ESTALE'])('a read leaves nothing in the folder, also if it fails (%s)', async (code) => {
  const tidy = join(folder, `tidy-${code}`)
  mkdirSync(tidy)
  const server: Disk = {
    ...nodeDisk(),
    stat: async (path) => {
      if (code && path.endsWith('.tmp')) throw Object.assign(new Error('no'), { code })
      return nodeDisk().stat(path)
    },
  }
  const store = openFolderRecords({ disk: server, random }, tidy)
  await store.putIfAbsent('a', new Uint8Array(1))
  await store.get('a').catch(() => {})
  expect(readdirSync(tidy)).toEqual(['a'])
})
