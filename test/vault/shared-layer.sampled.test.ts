import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../src/host/sha256.ts'
import type { BlobStore } from '../../src/stores/blob-store.ts'
import { openBlobStore, parseStoreAddress } from '../../src/stores/open.ts'
import { createVault, type Vault } from '../../src/vault/layers.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { describeWith } from '../kit/needs.ts'
import { OutageClock } from '../kit/outage-clock.ts'
import { type S3Asked, type S3Double, type S3Fault, type S3Rules, startS3Double } from '../kit/s3-double.ts'
import { hasNginx, type Nginx, startNginx } from '../kit/servers/nginx.ts'
import { level } from '../level.ts'
import { quickPorts } from '../stores/quick-ports.ts'

/** Bytes that no other test uses. */
const fresh = (): Uint8Array => new TextEncoder().encode(`PK a paid result ${randomUUID()}`)
const poison = new TextEncoder().encode('PK poison')
const marks = '/p/submissions/unshared/'

/** One machine over a shared store. */
interface Machine {
  readonly vault: Vault
  readonly disk: MemoryDisk
  readonly clock: ManualClock
  readonly warned: string[]
  /** Results in the project's folder. */
  own(): readonly string[]
  /** Results that the store is owed. */
  owed(): readonly string[]
  /** The next process of this machine. */
  again(): Machine
}

function machine(shared: BlobStore | string, disk: MemoryDisk = new MemoryDisk()): Machine {
  const clock = new ManualClock()
  const warned: string[] = []
  const vault = createVault({ disk, random: countingRandom(), clock }, { local: '/p', shared, rescue: ['/r'] }, (text) => warned.push(text))
  const below = (folder: string): readonly string[] =>
    [...disk.files.keys()].flatMap((path) => (path.startsWith(folder) ? [path.slice(folder.length, folder.length + 64)] : []))
  return { vault, disk, clock, warned, own: () => below('/p/results/'), owed: () => below(marks), again: () => machine(shared, disk) }
}

/** A store, and ways to change it behind the vault's back. */
interface Subject {
  open(): BlobStore
  plant(hash: string, bytes: Uint8Array): void
  find(hash: string): Uint8Array | undefined
}

/** The laws of a vault over a store, whichever it is. */
function describeVault(name: string, subject: () => Subject): void {
  describe(name, () => {
    test('what one machine stores, another one reads by its hash, into its own folder', async () => {
      const [first, second] = [machine(subject().open()), machine(subject().open())]
      const bytes = fresh()
      const hash = await first.vault.put(bytes)
      expect([subject().find(hash), first.own(), first.owed(), first.warned]).toEqual([Buffer.from(bytes), [hash], [], []])
      expect(await second.vault.has(hash)).toBe(true)
      expect(await second.vault.read(hash)).toEqual(bytes)
      expect([second.own(), second.warned]).toEqual([[hash], []])
    })

    test('a wrong byte is a miss, is told once with name and address, and good bytes replace it as soon as they are at hand', async () => {
      const store = subject().open()
      const { vault, own, warned } = machine(store)
      const bytes = fresh()
      const hash = sha256(bytes)
      subject().plant(hash, poison)
      expect(await vault.read(hash)).toBeUndefined()
      expect(await vault.read(hash)).toBeUndefined()
      expect(await vault.has(hash)).toBe(false)
      expect(own()).toEqual([])
      expect(warned).toEqual([expect.stringContaining(hash)])
      expect(warned[0]).toContain(store.address)
      await vault.put(bytes)
      expect([subject().find(hash), await vault.has(hash), warned.length]).toEqual([Buffer.from(bytes), true, 1])
    })

    test('good bytes of another place replace a wrong object too', async () => {
      const { vault, disk } = machine(subject().open())
      const bytes = fresh()
      const hash = sha256(bytes)
      subject().plant(hash, poison)
      disk.files.set(`/r/${hash}.zip`, bytes)
      expect(await vault.read(hash)).toEqual(bytes)
      expect(subject().find(hash)).toEqual(Buffer.from(bytes))
    })

    test('a wrong object that was never read is replaced by a put, and told', async () => {
      const { vault, warned } = machine(subject().open())
      const bytes = fresh()
      subject().plant(sha256(bytes), poison)
      await vault.put(bytes)
      expect([subject().find(sha256(bytes)), warned.length]).toEqual([Buffer.from(bytes), 1])
    })

    test('a probe writes and reads one small object, always the same', async () => {
      const { vault, again } = machine(subject().open())
      await vault.probe()
      await again().vault.probeShared()
    })
  })
}

describe('a vault over an S3 bucket', () => {
  let double: S3Double
  beforeAll(async () => {
    double = await startS3Double()
  })
  afterAll(() => double.close())
  describeVault('the laws', () => ({
    open: () => openBlobStore(quickPorts(double.env), parseStoreAddress('s3://studio/game')),
    plant: (hash, bytes) => void double.files.set(`game/cas/${hash}`, { bytes, atMs: 0 }),
    find: (hash) => double.files.get(`game/cas/${hash}`)?.bytes,
  }))

  test('probes of many machines leave one object', async () => {
    const before = double.files.size
    for (let count = 0; count < 3; count++)
      await machine(openBlobStore(quickPorts(double.env), parseStoreAddress('s3://studio/probe'))).vault.probe()
    expect(double.files.size).toBe(before + 1)
  })
})

describeWith(hasNginx, 'nginx')('a vault over nginx', () => {
  let nginx: Nginx
  beforeAll(async () => {
    nginx = await startNginx()
  })
  afterAll(() => nginx.close())
  const path = (hash: string): string => join(nginx.folder, 'cas', hash)
  describeVault('the laws', () => ({
    open: () => openBlobStore(quickPorts(), parseStoreAddress(`${nginx.url}/`)),
    plant: (hash, bytes) => writeFileSync(path(hash), bytes),
    find: (hash) => readFileSync(path(hash)),
  }))
})

describe('a store that is down, cut or slow', () => {
  let fault: S3Rules['fault']
  afterEach(() => {
    fault = undefined
  })
  const studio = async (): Promise<Machine & { readonly double: S3Double; stored(): number }> => {
    const limits = new OutageClock()
    const playFault = (asked: S3Asked): S3Fault | undefined => {
      const chosen = fault?.(asked)
      if (chosen?.answer === 'drip') limits.pass()
      return chosen
    }
    const double = await startS3Double({ fault: playFault })
    onTestFinished(() => double.close())
    const one = machine(openBlobStore(quickPorts(double.env, limits), parseStoreAddress('s3://studio')))
    return { ...one, double, stored: () => double.files.size }
  }
  const answers: readonly S3Fault[] = [{ answer: 403 }, { answer: 500 }, { answer: 503 }, { answer: 'cut' }, { answer: 'half' }]

  test('that is being written to has left a mark, which a killed process leaves to the next one', async () => {
    const { vault, owed, again, stored } = await studio()
    const marked: (readonly string[])[] = []
    fault = ({ method }) => {
      if (method === 'PUT') marked.push(owed())
      return undefined
    }
    const hash = await vault.put(fresh())
    expect([marked[0], owed(), stored()]).toEqual([[hash], [], 1])
    await again().vault.pushOwed()
    expect(stored()).toBe(1)
  })

  test.each(answers)('that answers with $answer to a write: the project keeps the result, and the next run pushes it', async (answer) => {
    const { vault, own, owed, warned, again, stored } = await studio()
    const bytes = fresh()
    fault = ({ method }) => (method === 'PUT' ? answer : undefined)
    const hash = await vault.put(bytes)
    expect([own(), owed(), stored()]).toEqual([[hash], [hash], 0])
    expect([...vault.unshared]).toEqual([[hash, expect.stringContaining('s3://studio')]])
    expect(warned).toHaveLength(1)
    const later = again()
    await later.vault.pushOwed()
    expect([owed(), later.warned.length]).toEqual([[hash], 1])
    fault = undefined
    await again().vault.pushOwed()
    expect([owed(), stored()]).toEqual([[], 1])
  })

  test('a write that landed and whose answer was lost counts once it is read back', async () => {
    const { vault, owed, warned, stored } = await studio()
    fault = ({ method }) => (method === 'PUT' ? { lands: true, answer: 'cut' } : undefined)
    await vault.put(fresh())
    expect([owed().length, stored(), warned.length]).toEqual([1, 1, 1])
    fault = undefined
    await vault.pushOwed()
    expect(owed()).toEqual([])
  })

  test('a result that the store takes at last stops no purchase any more', async () => {
    const { vault } = await studio()
    const bytes = fresh()
    fault = ({ method }) => (method === 'PUT' ? { answer: 503 } : undefined)
    const hash = await vault.put(bytes)
    await expect(vault.probeShared()).rejects.toMatchObject({ code: 'SW_STORE' })
    fault = undefined
    // The same result comes a second time, e.g. for another sprite.
    await vault.put(bytes)
    expect(vault.unshared.has(hash)).toBe(false)
    await vault.probeShared()
  })

  test.each([
    ['nothing', undefined],
    ['other bytes', poison],
  ])('a store that confirms a write and gives %s back has not stored it', async (found, instead) => {
    const { double } = await studio()
    const { vault, owed } = machine(lying(openBlobStore(quickPorts(double.env), parseStoreAddress('s3://studio')), instead))
    const hash = await vault.put(fresh())
    expect(vault.unshared.get(hash)).toContain(`found ${found}`)
    expect(owed()).toEqual([hash])
    await expect(vault.probe()).rejects.toMatchObject({ code: 'SW_STORE', message: expect.stringContaining(`found ${found}`) })
  })

  test('a probe fails if the store cannot be written or read', async () => {
    const { vault } = await studio()
    for (const at of [{ method: 'PUT' }, { method: 'GET' }]) {
      fault = ({ method }) => (method === at.method ? { answer: 500 } : undefined)
      await expect(vault.probe()).rejects.toMatchObject({ code: 'SW_STORE' })
      await expect(vault.probeShared()).rejects.toMatchObject({ code: 'SW_STORE' })
    }
  })

  test.each<S3Fault>([{ answer: 503 }, { answer: 'half' }, { answer: 'drip' }])(
    'a read answered by $answer is a miss with a warning, asked once in half a minute',
    async (answer) => {
      const { vault, clock, warned, double } = await studio()
      const bytes = fresh()
      const hash = sha256(bytes)
      double.files.set(`cas/${hash}`, { bytes, atMs: 0 })
      fault = () => answer
      expect([await vault.has(hash), await vault.read(hash), await vault.read(hash)]).toEqual([false, undefined, undefined])
      const asked = double.asked.length
      expect([warned.length, asked]).toEqual([1, 4])
      fault = undefined
      await clock.advance(29_000)
      expect([await vault.read(hash), double.asked.length]).toEqual([undefined, asked])
      await clock.advance(2_000)
      expect(await vault.read(hash)).toEqual(bytes)
    },
  )

  test('a store without credentials is a miss with a warning for a read, and stops a probe', async () => {
    const { vault, warned } = machine({ ...openLater({}), address: 's3://studio' })
    expect(await vault.has(sha256(poison))).toBe(false)
    expect(warned).toEqual([expect.stringContaining('AWS_ACCESS_KEY_ID')])
    await expect(vault.probe()).rejects.toMatchObject({ code: 'SW_CONFIG' })
  })

  test('a process that was killed before the store had confirmed leaves the mark', async () => {
    const { vault, disk, owed, again, stored } = await studio()
    const bytes = fresh()
    fault = ({ method }) => (method === 'PUT' ? { answer: 500 } : undefined)
    const hash = await vault.put(bytes)
    disk.files.delete(`/p/results/${hash}.zip`)
    fault = undefined
    // What was deleted here meanwhile is not pushed, and is not owed for ever.
    await again().vault.pushOwed()
    expect([owed(), stored()]).toEqual([[], 0])
  })

  if (level !== 'quick')
    test('of a hundred owed results, at most eight are pushed at a time, and a failure ends it without losing a mark', async () => {
      const { vault, owed, again, double } = await studio()
      fault = ({ method }) => (method === 'PUT' ? { answer: 403 } : undefined)
      for (let count = 0; count < 100; count++) await vault.put(fresh())
      let [written, most, open] = [0, 0, 0]
      fault = ({ method }) => (method === 'PUT' && ++written > 40 ? { answer: 403 } : undefined)
      const first = again()
      const before = double.asked.length
      await first.vault.pushOwed()
      expect([owed().length, first.warned.length]).toEqual([60, 1])
      expect(double.asked.length - before).toBeLessThan(200)
      fault = undefined
      const watched = machine(
        watch(openBlobStore(quickPorts(double.env), parseStoreAddress('s3://studio')), (by) => {
          open += by
          most = Math.max(most, open)
        }),
        first.disk,
      )
      await watched.vault.pushOwed()
      expect([owed(), most, double.files.size]).toEqual([[], 8, 100])
    })
})

/** A store that opens at its first call, as a project's does. */
function openLater(env: Readonly<Record<string, string>>): BlobStore {
  const open = (): BlobStore => openBlobStore(quickPorts(env), parseStoreAddress('s3://studio'))
  return {
    address: 's3://studio',
    get: async (hash) => open().get(hash),
    has: async (hash) => open().has(hash),
    put: async (hash, bytes) => open().put(hash, bytes),
    remove: async (hash) => open().remove(hash),
    list: async () => open().list(),
  }
}

/** A store that confirms every write, and keeps nothing or other bytes. */
function lying(store: BlobStore, instead: Uint8Array | undefined): BlobStore {
  return {
    ...store,
    put: async (hash, bytes) => {
      await store.put(hash, instead ?? bytes)
      if (!instead) await store.remove(hash)
    },
  }
}

/** A store that says how many of its writes are open. */
function watch(store: BlobStore, change: (by: 1 | -1) => void): BlobStore {
  return {
    ...store,
    put: async (hash, bytes) => {
      change(1)
      await store.put(hash, bytes).finally(() => change(-1))
    },
  }
}
