import { describe, expect, test } from 'vitest'
import { ensureFolder } from '../../src/host/publish.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { createVault } from '../../src/vault/layers.ts'
import { createObjectStore } from '../../src/vault/objects.ts'
import { FaultDisk } from '../kit/fault-disk.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const clock = new ManualClock()
const bytes = new TextEncoder().encode('PK: a paid result')
const hash = sha256(bytes)

describe('the vault', () => {
  test('bytes are read back by their hash, and stored twice they are stored once', async () => {
    const disk = new MemoryDisk()
    const store = createObjectStore({ disk, random: countingRandom() }, '/v', '/q')
    expect(await store.put(bytes)).toBe(hash)
    expect(await store.put(bytes)).toBe(hash)
    expect(await store.read(hash)).toEqual(bytes)
    expect([...disk.files.keys()]).toEqual([`/v/${hash}.zip`])
  })

  test.each([
    ['zip', [0x50, 0x4b, 3, 4]],
    ['png', [0x89, 0x50, 0x4e, 0x47]],
    ['bin', [0x50, 0x4c, 3, 4]],
    ['bin', [0x89, 0x50, 0x4b, 3]],
    ['bin', []],
  ])('the name of bytes ends in .%s by how they begin: %j', async (ending, start) => {
    const disk = new MemoryDisk()
    const name = await createObjectStore({ disk, random: countingRandom() }, '/v', '/q').put(new Uint8Array(start))
    expect([...disk.files.keys()]).toEqual([`/v/${name}.${ending}`])
  })

  test('a damaged object is never given out and never deleted: it goes to quarantine', async () => {
    const disk = new MemoryDisk()
    const store = createObjectStore({ disk, random: countingRandom() }, '/v', '/q')
    await store.put(bytes)
    const damaged = bytes.map((byte, index) => (index === 3 ? byte ^ 1 : byte))
    disk.files.set(`/v/${hash}.zip`, damaged)
    expect(await store.read(hash)).toBeUndefined()
    expect([...disk.files.keys()].every((path) => path.startsWith(`/q/${hash}.`))).toBe(true)
    expect([...disk.files.values()]).toEqual([damaged])
  })

  test('good bytes replace a damaged object of the same name', async () => {
    const disk = new MemoryDisk()
    const store = createObjectStore({ disk, random: countingRandom() }, '/v', '/q')
    disk.files.set(`/v/${hash}.zip`, new Uint8Array([1]))
    await store.put(bytes)
    expect(await store.read(hash)).toEqual(bytes)
  })

  test('objects and damaged copies are listed by their names, and nothing else is', async () => {
    const disk = new MemoryDisk()
    const store = createObjectStore({ disk, random: countingRandom() }, '/v', '/q')
    const other = new TextEncoder().encode('neither archive nor picture')
    await store.put(bytes)
    await store.put(other)
    for (const name of [`${hash}.zip.0123456789abcdef.tmp`, `${hash}.txt`, 'README', `x${hash}.zip`]) disk.files.set(`/v/${name}`, bytes)
    disk.files.set(`/v/${sha256(other)}.bin`, bytes)
    await store.read(sha256(other))
    expect(await store.list()).toEqual([{ hash, path: `/v/${hash}.zip` }])
    const [damaged, ...more] = await store.quarantined()
    expect(more).toEqual([])
    expect(damaged?.hash).toBe(sha256(other))
    expect(disk.files.get(damaged?.path ?? '')).toEqual(bytes)
  })

  test('only the object that is named is removed, durably, and one that is not there is no error', async () => {
    const disk = new MemoryDisk()
    const store = createObjectStore({ disk, random: countingRandom() }, '/v', '/q')
    const other = await store.put(new TextEncoder().encode('another'))
    await store.put(bytes)
    await store.remove(hash)
    await store.remove(hash)
    expect((await store.list()).map((one) => one.hash)).toEqual([other])
    expect(disk.calls.at(-1)).toBe('syncFolder /v')
    await expect(store.remove('../v')).rejects.toMatchObject({ code: 'SW_VAULT' })
  })

  test('a name that is no hash never becomes a path', async () => {
    const store = createObjectStore({ disk: new MemoryDisk(), random: countingRandom() }, '/v', '/q')
    await expect(store.read('../../etc/passwd')).rejects.toMatchObject({ code: 'SW_VAULT' })
  })

  test('a full disk loses nothing and says so', async () => {
    const disk = new MemoryDisk()
    disk.fault = { call: 'write', code: 'ENOSPC' }
    const store = createObjectStore({ disk, random: countingRandom() }, '/v', '/q')
    await expect(store.put(bytes)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(disk.files.size).toBe(0)
  })

  test.each(['write', 'sync'])('a probe that cannot %s its file fails, and leaves none', async (call) => {
    const disk = new MemoryDisk()
    disk.fault = { call: `${call} /v/probe`, code: 'ENOSPC' }
    await expect(createObjectStore({ disk, random: countingRandom() }, '/v', '/q').probe()).rejects.toMatchObject({ code: 'ENOSPC' })
    expect([...disk.files.keys()]).toEqual([])
  })

  const pointer = new TextEncoder().encode(`version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize ${bytes.length}\n`)

  test('a pointer of Git LFS is not taken for damage: it stays, and the message says how to fetch the file', async () => {
    const disk = new MemoryDisk()
    const store = createObjectStore({ disk, random: countingRandom() }, '/v', '/q')
    disk.files.set(`/v/${hash}.zip`, pointer)
    await expect(store.read(hash)).rejects.toMatchObject({ code: 'SW_VAULT', message: expect.stringContaining('git lfs pull') })
    expect([...disk.files]).toEqual([[`/v/${hash}.zip`, pointer]])
  })

  test('a file that only begins like a pointer is damage: it goes to quarantine', async () => {
    const disk = new MemoryDisk()
    const large = new Uint8Array(1024)
    large.set(pointer)
    disk.files.set(`/v/${hash}.zip`, large)
    expect(await createObjectStore({ disk, random: countingRandom() }, '/v', '/q').read(hash)).toBeUndefined()
    expect([...disk.files.keys()]).toEqual([expect.stringMatching(/^\/q\//)])
  })

  test('the bytes themselves take the place of a pointer, also when they come from another place of the vault', async () => {
    const disk = new MemoryDisk()
    const ports = { disk, random: countingRandom() }
    disk.files.set(`/v/${hash}.zip`, pointer)
    await createObjectStore(ports, '/v', '/q').put(bytes)
    expect([...disk.files]).toEqual([[`/v/${hash}.zip`, bytes]])
    disk.files.set(`/p/results/${hash}.zip`, pointer)
    disk.files.set(`/s/${hash}.zip`, bytes)
    expect(await createVault({ ...ports, clock }, { local: '/p', shared: '/s' }, () => {}).read(hash)).toEqual(bytes)
    expect(disk.files.get(`/p/results/${hash}.zip`)).toEqual(bytes)
  })

  test('a copy that cannot be read is passed over for a good one elsewhere, and told where there is none', async () => {
    const disk = new MemoryDisk()
    disk.files.set(`/p/results/${hash}.zip`, pointer)
    const vault = createVault({ disk, random: countingRandom(), clock }, { local: '/p', shared: '/s', rescue: ['/r'] }, () => {})
    await expect(vault.read(hash)).rejects.toMatchObject({ code: 'SW_VAULT' })
    disk.files.set(`/r/${hash}.zip`, bytes)
    expect(await vault.read(hash)).toEqual(bytes)
  })

  test('what only the shared store has is copied into the project', async () => {
    const disk = new MemoryDisk()
    const warned: string[] = []
    const vault = createVault({ disk, random: countingRandom(), clock }, { local: '/p/.spritewright', shared: '/s' }, (message) =>
      warned.push(message),
    )
    disk.files.set(`/s/${hash}.zip`, bytes)
    expect(await vault.read(hash)).toEqual(bytes)
    expect(disk.files.has(`/p/.spritewright/results/${hash}.zip`)).toBe(true)
    expect(vault.places.map(({ name, store }) => [name, store.folder])).toEqual([
      ['project', '/p/.spritewright/results'],
      ['shared', '/s'],
    ])
    expect(warned).toEqual([])
  })

  test('a result that the project does not take goes to the first rescue folder that does, is read from there, and comes home later', async () => {
    const disk = new MemoryDisk()
    const make = () => createVault({ disk, random: countingRandom(), clock }, { local: '/p', rescue: ['/r', '/t'] }, () => {})
    const vault = make()
    expect(vault.places.map(({ name, store }) => [name, store.folder])).toEqual([
      ['project', '/p/results'],
      ['rescue', '/r'],
      ['rescue', '/t'],
    ])
    expect([vault.rescued, [...vault.troubles], [...vault.unshared]]).toEqual([[], [], []])
    await vault.probe()
    await vault.probeShared()
    await vault.pushOwed()
    disk.fault = { call: 'write /p', code: 'EROFS' }
    expect(await vault.put(bytes)).toBe(hash)
    expect([vault.rescued, disk.files.has(`/r/${hash}.zip`), disk.files.has(`/t/${hash}.zip`)]).toEqual([['/r'], true, false])
    expect([await vault.has(hash), await vault.read(hash)]).toEqual([true, bytes])
    delete (disk as { fault?: unknown }).fault
    expect(await make().read(hash)).toEqual(bytes)
    expect(disk.files.get(`/p/results/${hash}.zip`)).toEqual(bytes)
  })

  test('a result that is here is read without being written again', async () => {
    const disk = new MemoryDisk()
    const vault = createVault({ disk, random: countingRandom(), clock }, { local: '/p' }, () => {})
    await vault.put(bytes)
    const before = disk.calls.length
    expect(await vault.read(hash)).toEqual(bytes)
    expect(disk.calls.slice(before).filter((call) => !/^(read|stat|list) /.test(call))).toEqual([])
    expect([await vault.has('f'.repeat(64)), await vault.read('f'.repeat(64))]).toEqual([false, undefined])
  })

  test('a shared store that cannot be written is a warning: the project has the bytes', async () => {
    const disk = new MemoryDisk()
    const warned: string[] = []
    const vault = createVault({ disk, random: countingRandom(), clock }, { local: '/p/.spritewright', shared: '/s' }, (message) =>
      warned.push(message),
    )
    disk.fault = { call: 'write /s', code: 'EACCES' }
    expect(await vault.put(bytes)).toBe(hash)
    expect(warned).toHaveLength(1)
    expect(disk.files.has(`/p/.spritewright/results/${hash}.zip`)).toBe(true)
  })
})

describe('a result survives a power loss once it is stored', () => {
  const results = '/game/.spritewright/results'
  /** A project with the files that another process made before it was killed. */
  async function left(make: (disk: FaultDisk) => Promise<void>): Promise<FaultDisk> {
    const disk = new FaultDisk()
    await ensureFolder(disk, '/game')
    await make(disk)
    return disk
  }
  const unsynced = (folder: string) => (disk: FaultDisk) => disk.makeFolder(folder)
  const killedBeforeTheSync = async (disk: FaultDisk): Promise<void> => {
    await ensureFolder(disk, results)
    await disk.writeTemp(`${results}/x.tmp`, bytes)
    await disk.sync(`${results}/x.tmp`)
    await disk.link(`${results}/x.tmp`, `${results}/${hash}.zip`)
  }

  test.each([
    ['nothing', async () => {}],
    ['the store’s folder, its name not synced', unsynced('/game/.spritewright')],
    ['both folders, their names not synced', unsynced(results)],
    ['the very same result, its name not synced', killedBeforeTheSync],
  ] as const)('where another process has left %s', async (_what, make) => {
    const disk = await left(make)
    const vault = createVault({ disk, random: countingRandom(), clock }, { local: '/game/.spritewright', root: '/game' }, () => {})
    await vault.put(bytes)
    disk.crash('nothing')
    expect(await vault.read(hash)).toEqual(bytes)
  })

  test('each process syncs the names once', async () => {
    const disk = await left(unsynced(results))
    const vault = createVault({ disk, random: countingRandom(), clock }, { local: '/game/.spritewright', root: '/game' }, () => {})
    const synced: string[] = []
    disk.onCall = (call, path) => void (call === 'syncFolder' && synced.push(path))
    await vault.put(bytes)
    await vault.put(new TextEncoder().encode('another'))
    expect(synced).toEqual([results, '/game/.spritewright', '/game', results])
  })

  test('a store outside of the project has its own name synced, and no folder above', async () => {
    const disk = await left((one) => one.makeFolder('/elsewhere/store/results'))
    const vault = createVault({ disk, random: countingRandom(), clock }, { local: '/elsewhere/store', root: '/game' }, () => {})
    const synced: string[] = []
    disk.onCall = (call, path) => void (call === 'syncFolder' && synced.push(path))
    await vault.put(bytes)
    expect(synced).toEqual(['/elsewhere/store/results', '/elsewhere/store'])
  })
})
