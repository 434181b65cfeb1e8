import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/host/sha256.ts'
import { createVault } from '../../src/vault/layers.ts'
import { createObjectStore } from '../../src/vault/objects.ts'
import { type CallGuard, guarded } from '../kit/guarded-disk.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(`PK ${text}`)
const fault = (): never => {
  throw Object.assign(new Error('EIO: the disk is gone'), { code: 'EIO', syscall: 'read' })
}

/** A vault with a shared folder that can go away. */
function shared() {
  const disk = new MemoryDisk()
  const clock = new ManualClock()
  const down: string[] = []
  const asked: string[] = []
  const guard: CallGuard = (call) => {
    if (call.includes(' /shared/')) asked.push(call)
    if (down.some((folder) => call.includes(` ${folder}/`))) fault()
    return undefined
  }
  const warned: string[] = []
  const folders = { local: '/p', shared: '/shared', rescue: ['/r', '/t'] }
  const vault = createVault({ disk: guarded(disk, guard), random: countingRandom(), clock }, folders, (text) => warned.push(text))
  return { vault, disk, clock, down, asked, warned }
}

describe('a shared folder that could not be read', () => {
  const there = bytesOf('of another machine')
  async function failed() {
    const made = shared()
    made.disk.files.set(`/shared/${sha256(there)}.zip`, there)
    made.down.push('/shared')
    expect(await made.vault.has(sha256(there))).toBe(false)
    made.down.length = 0
    made.asked.length = 0
    return made
  }

  test('is not asked for thirty seconds: its results count as missing, with one warning', async () => {
    const { vault, clock, asked, warned } = await failed()
    await clock.advance(29_999)
    expect([await vault.has(sha256(there)), await vault.read(sha256(there)), asked]).toEqual([false, undefined, []])
    await clock.advance(1)
    expect([await vault.has(sha256(there)), warned.length]).toEqual([true, 1])
  })

  test('is asked again as soon as it has taken a result', async () => {
    const { vault } = await failed()
    await vault.put(bytesOf('of this machine'))
    expect(await vault.has(sha256(there))).toBe(true)
  })
})

test('a result that no folder takes is an error that names them all', async () => {
  const { vault, down } = shared()
  down.push('/p/results', '/r', '/t')
  await expect(vault.put(bytesOf('a'))).rejects.toMatchObject({
    code: 'SW_DISK',
    message: expect.stringContaining('could not be written to /p/results, nor to /r, nor to /t: EIO: the disk is gone.'),
    facts: { folder: '/p/results' },
  })
})

test('a result goes to the first folder that takes it, and that folder is named', async () => {
  const { vault, down, disk } = shared()
  down.push('/p/results')
  const hash = await vault.put(bytesOf('a'))
  down.push('/r')
  await vault.put(bytesOf('b'))
  expect([vault.rescued, disk.files.has(`/r/${hash}.zip`)]).toEqual([['/r', '/t'], true])
})

test('wrong bytes in a shared folder are told, and good ones replace them', async () => {
  const { vault, disk, warned } = shared()
  const hash = sha256(bytesOf('a'))
  disk.files.set(`/shared/${hash}.zip`, bytesOf('wrong'))
  expect(await vault.read(hash)).toBe(undefined)
  expect([warned.length, warned[0]?.includes(hash)]).toEqual([1, true])
  await vault.put(bytesOf('a'))
  expect(disk.files.get(`/shared/${hash}.zip`)).toEqual(bytesOf('a'))
})

test('an error of the project is no missing result, unless another folder has it', async () => {
  const { vault, down, disk } = shared()
  const hash = sha256(bytesOf('a'))
  down.push('/p/results')
  await expect(vault.read(hash)).rejects.toMatchObject({ code: 'EIO' })
  disk.files.set(`/r/${hash}.zip`, bytesOf('a'))
  expect(await vault.read(hash)).toEqual(bytesOf('a'))
})

test('an object is removed only when its folder is synced', async () => {
  const disk = new MemoryDisk()
  let isBroken = false
  const guard: CallGuard = (call) => (isBroken && call.startsWith('syncFolder ') ? fault() : undefined)
  const store = createObjectStore({ disk: guarded(disk, guard), random: countingRandom() }, '/v', '/q')
  const hash = await store.put(bytesOf('a'))
  isBroken = true
  await expect(store.remove(hash)).rejects.toMatchObject({ code: 'EIO' })
})
