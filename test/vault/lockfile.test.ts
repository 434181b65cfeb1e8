import { describe, expect, test } from 'vitest'
import { parseLockFile } from '../../src/vault/lock-schema.ts'
import { createLockStore } from '../../src/vault/lock-store.ts'
import { findEntry, formatLockFile, type LockEntry } from '../../src/vault/lockfile.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const hash = 'b'.repeat(64)
const entry: LockEntry = {
  service: { host: 'api.example.com', keyMode: 'test', apiVersion: '1' },
  asked: { prompt: 'a knight\nwalks', reference: 'c'.repeat(64), frames: 12, background: 'remove', take: 1 },
}

describe('sprites.lock.json', () => {
  test('what is written is read back the same, with sorted keys, so that equal content is equal bytes', async () => {
    const disk = new MemoryDisk()
    const store = createLockStore({ disk, random: countingRandom() }, '/p/sprites.lock.json')
    await store.change('hero.walk', hash, () => entry)
    await store.change('ant.idle', hash, () => entry)
    const text = new TextDecoder().decode(disk.files.get('/p/sprites.lock.json'))
    expect(text.indexOf('ant.idle')).toBeLessThan(text.indexOf('hero.walk'))
    expect(formatLockFile(parseLockFile(text, 'x'))).toBe(text)
    expect(findEntry(await store.read(), 'hero.walk', hash)).toEqual(entry)
  })

  test('changes of one process never lose one another', async () => {
    const store = createLockStore({ disk: new MemoryDisk(), random: countingRandom() }, '/p/sprites.lock.json')
    await Promise.all(Array.from({ length: 30 }, (_, index) => store.change(`s${index}.walk`, hash, () => entry)))
    expect(Object.keys((await store.read()).animations)).toHaveLength(30)
  })

  test('a change loses nothing of another program, also where somebody reads what that has written before the change is made', async () => {
    const path = '/p/sprites.lock.json'
    const before = new TextEncoder().encode(formatLockFile({ version: 1, animations: {} }))
    const after = new TextEncoder().encode(formatLockFile({ version: 1, animations: { 'theirs.walk': { [hash]: entry } } }))
    const waiting: ((bytes: Uint8Array) => void)[] = []
    let onWaiting = (): void => {}
    const nextWaits = (): Promise<void> =>
      new Promise((resolve) => {
        onWaiting = resolve
      })
    const disk = new (class extends MemoryDisk {
      override read(file: string): Promise<Uint8Array> {
        if (waiting.length === 2) return super.read(file)
        return new Promise((resolve) => {
          waiting.push(resolve)
          onWaiting()
        })
      }
    })()
    disk.files.set(path, after)
    const store = createLockStore({ disk, random: countingRandom() }, path)
    const change = store.change('ours.walk', hash, () => entry)
    await nextWaits()
    const read = store.read()
    await nextWaits()
    waiting[0]?.(before)
    waiting[1]?.(after)
    await Promise.all([change, read])
    expect(Object.keys((await store.read()).animations).sort()).toEqual(['ours.walk', 'theirs.walk'])
  })

  test('a change that changes nothing writes nothing', async () => {
    const disk = new MemoryDisk()
    const store = createLockStore({ disk, random: countingRandom() }, '/p/sprites.lock.json')
    await store.change('hero.walk', hash, () => entry)
    const before = disk.calls.length
    await store.change('hero.walk', hash, (same) => same as LockEntry)
    expect(disk.calls.length).toBe(before)
  })

  test.each([
    ['broken JSON', '{"version": 1,'],
    ['a merge conflict', '<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n'],
    ['an unknown version', '{"version": 2, "animations": {}}'],
    [
      'a ceiling that is no decimal',
      formatLockFile({
        version: 1,
        animations: { a: { [hash]: { ...entry, approval: { ceiling: '2,4', priceVersion: 'v', buyer: 'b', at: 't' } } } },
      }),
    ],
    ['a request under a name that is no hash', formatLockFile({ version: 1, animations: { a: { nothash: entry } } })],
  ])('%s is refused with the file named, and nothing is written', async (_, text) => {
    const disk = new MemoryDisk()
    disk.files.set('/p/sprites.lock.json', new TextEncoder().encode(text))
    const store = createLockStore({ disk, random: countingRandom() }, '/p/sprites.lock.json')
    await expect(store.change('hero.walk', hash, () => entry)).rejects.toMatchObject({
      code: 'SW_LOCKFILE',
      facts: { file: '/p/sprites.lock.json' },
    })
    expect(disk.calls).toEqual([])
  })
})
