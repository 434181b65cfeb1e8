import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/host/sha256.ts'
import type { BlobStore } from '../../src/stores/blob-store.ts'
import { createVault } from '../../src/vault/layers.ts'
import { createObjectStore, type ObjectFolder } from '../../src/vault/objects.ts'
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

describe('a store of results that machines share', () => {
  /** A store in memory that may have something else than what it was given. */
  function stored() {
    const there = new Map<string, Uint8Array>()
    const calls: string[] = []
    const blobs: BlobStore = {
      address: 's3://bucket/game',
      has: async (hash) => there.has(hash),
      get: async (hash) => {
        calls.push(`get ${hash.slice(0, 6)}`)
        return there.get(hash)
      },
      put: async (hash, bytes) => {
        calls.push(`put ${hash.slice(0, 6)}`)
        there.set(hash, bytes)
      },
      list: async () => [],
      remove: async (hash) => void there.delete(hash),
    }
    const disk = new MemoryDisk()
    const warned: string[] = []
    const ports = { disk, random: countingRandom(), clock: new ManualClock() }
    const vault = createVault(ports, { local: '/p', shared: blobs }, (text) => warned.push(text))
    return { vault, there, calls, disk, warned }
  }
  const bytes = bytesOf('a')
  const hash = sha256(bytes)

  test('takes each result, and gives one that the project lacks, which is then in the project too', async () => {
    const one = stored()
    await one.vault.put(bytes)
    expect([one.there.get(hash), [...one.disk.files.keys()]]).toEqual([bytes, [`/p/results/${hash}.zip`]])
    const two = stored()
    two.there.set(hash, bytes)
    expect([await two.vault.has(hash), await two.vault.read(hash)]).toEqual([true, bytes])
    expect(two.disk.files.get(`/p/results/${hash}.zip`)).toEqual(bytes)
    expect(two.vault.places.map(({ name, store }) => [name, store.folder])).toEqual([
      ['project', '/p/results'],
      ['shared', 's3://bucket/game'],
    ])
    expect(two.vault.folder).toBe('/p/results')
  })

  test('is owed what it did not take: by a file until it has it, by a sentence, and nothing more is bought', async () => {
    const { vault, there, disk, warned } = stored()
    const [, { store }] = vault.places as [unknown, { store: ObjectFolder }]
    await store.put(bytesOf('b'))
    there.set = () => fault()
    await vault.put(bytes)
    const why = `The result ${hash} is safe on this machine, but the shared store s3://bucket/game did not take it: EIO: the disk is gone The next build pushes it.`
    expect([vault.unshared, warned]).toEqual([new Map([[hash, why]]), [why]])
    expect([...disk.files.keys()].sort()).toEqual([`/p/results/${hash}.zip`, `/p/submissions/unshared/${hash}`])
    for (const probe of [vault.probe(), vault.probeShared()])
      await expect(probe).rejects.toMatchObject({
        code: 'SW_STORE',
        message: `Nothing more is bought. ${why}`,
        facts: { store: 's3://bucket/game' },
      })
    there.set = Map.prototype.set
    await vault.pushOwed()
    expect([there.get(hash), vault.unshared.size, [...disk.files.keys()]]).toEqual([bytes, 0, [`/p/results/${hash}.zip`]])
    await vault.probe()
  })

  test('that has wrong bytes lacks the result, until a read or a put of good ones replaces them', async () => {
    const { vault, there, disk, warned } = stored()
    there.set(hash, bytesOf('wrong'))
    disk.files.set(`/p/results/${hash}.zip`, bytes)
    const [, { store }] = vault.places as [unknown, { store: ObjectFolder }]
    expect(await store.read(hash)).toBe(undefined)
    expect(warned).toEqual([
      `The shared store s3://bucket/game has wrong bytes under the name ${hash}. They were not used. Good bytes replace them as soon as a build has them here; a machine that has them already replaces them with npx spritewright store verify.`,
    ])
    expect(await vault.read(hash)).toEqual(bytes)
    expect(there.get(hash)).toEqual(bytes)
    there.set(hash, bytesOf('wrong'))
    await disk.remove(`/p/results/${hash}.zip`)
    expect([await vault.read(hash), await vault.has(hash)]).toEqual([undefined, false])
  })

  test('is probed by bytes that it gives back, and one that gives others is told', async () => {
    const { vault, there, calls } = stored()
    const kinds = (): readonly string[] => calls.splice(0).map((call) => call.split(' ')[0] ?? '')
    await vault.probe()
    expect(kinds()).toEqual(['put', 'get'])
    await vault.probeShared()
    expect(kinds()).toEqual(['put', 'get'])
    there.clear()
    there.set = (name) => Map.prototype.set.call(there, name, bytesOf('other'))
    await expect(vault.put(bytes)).resolves.toBe(hash)
    expect([...vault.unshared.values()][0]).toContain(`give cas/${hash} back as written`)
  })
})

test('a probe of the vault writes to the project, and fails if the project cannot be written', async () => {
  const { vault, down } = shared()
  await vault.probe()
  down.push('/p')
  await expect(vault.probe()).rejects.toThrow('EIO')
  await vault.probeShared()
})
