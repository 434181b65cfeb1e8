import { describe, expect, test } from 'vitest'
import { type BuildCache, createBuildCache } from '../../src/sheets/cache/cache.ts'
import { FaultDisk } from '../kit/fault-disk.ts'
import { countingRandom } from '../kit/memory-disk.ts'

const folder = '/game/node_modules/.cache/spritewright'
const minute = 60_000
/** Keys like those of builds. */
const key = (of: string): string => of.repeat(64)
const bytes = (length: number, of = 7): Uint8Array => new Uint8Array(length).fill(of)
const place = (of: string, ending = 'bin'): string => `${folder}/${key(of)}.${ending}`

/** A disk with a clock, and the caches of any number of processes on it. */
function machine() {
  const time = { now: 1_000 * minute }
  const disk = new FaultDisk({ now: () => time.now })
  const warnings: string[] = []
  const open = (maxBytes = 2 ** 30): BuildCache =>
    createBuildCache(
      { disk, random: countingRandom(), clock: { wall: () => time.now }, warn: (told) => warnings.push(told) },
      folder,
      maxBytes,
    )
  /** A separate build that makes the missing entries. */
  const build = async (keys: string, maxBytes?: number, size = 968): Promise<string> => {
    const cache = open(maxBytes)
    let made = ''
    for (const of of keys) {
      if (await cache.read(key(of))) continue
      await cache.write(key(of), bytes(size))
      made += of
    }
    await cache.finish()
    return made
  }
  const names = (): string =>
    disk
      .names(folder)
      .map((name) => name[0])
      .sort()
      .join('')
  const later = (minutes: number): void => {
    time.now += minutes * minute
  }
  return { disk, time, warnings, open, build, names, later }
}

describe('the cache', () => {
  test('gives back what was written, in parts or whole, and nothing under another key', async () => {
    const { open } = machine()
    const cache = open()
    await cache.write(key('a'), bytes(3, 1), bytes(0), bytes(2, 2))
    for (const any of [cache, open()]) expect(Buffer.from((await any.read(key('a'))) ?? []).toString('hex')).toBe('0101010202')
    expect(await cache.read(key('b'))).toBeUndefined()
  })

  test('a process that finishes again and again lists the folder once, until it may be too large', async () => {
    const { disk, open, build, names, later } = machine()
    await build('abcd')
    later(11)
    const cache = open(7000)
    let lists = 0
    const { list } = disk
    disk.list = (path) => {
      lists++
      return list.call(disk, path)
    }
    const counts: number[] = []
    for (const of of 'ef01') {
      await cache.write(key(of), bytes(968))
      await cache.finish()
      counts.push(lists)
    }
    // Room for two more entries of a thousand bytes after the first.
    expect(counts).toEqual([1, 1, 2, 3])
    expect(names()).toBe('01bcdef')
  })

  test('an entry with any bit changed, or cut short anywhere, is missing, and made again', async () => {
    const { disk, build, warnings } = machine()
    await build('a', undefined, 5)
    const whole = disk.peek(place('a')) as Uint8Array
    for (let at = 0; at < whole.length; at++) {
      disk.put(place('a'), whole.slice(0, at))
      expect(await build('a', undefined, 5)).toBe('a')
      disk.rot(place('a'), at * 8 + 3)
      expect(await build('a', undefined, 5)).toBe('a')
      expect(await build('a', undefined, 5)).toBe('')
    }
    expect(warnings).toEqual([])
  })

  test('what a power cut has left without bytes is missing unread: an empty file is given time to be filled', async () => {
    const { disk, build, open } = machine()
    await build('ab')
    for (const of of 'ab') disk.put(place(of), bytes(0))
    const read: string[] = []
    disk.onCall = (call, path) => void (call === 'read' && read.push(path))
    const cache = open()
    for (const of of 'ab') expect(await cache.read(key(of))).toBeUndefined()
    expect(read).toEqual([])
  })

  test('a folder that takes nothing is a warning: what is built is built all the same', async () => {
    const { disk, build, warnings } = machine()
    disk.plan({ call: 'writeTemp', code: 'EROFS', times: 9 })
    expect(await build('ab')).toBe('ab')
    expect(warnings[0]).toContain(`${folder} does not accept new entries (EROFS)`)
  })

  test('what it promised is looked at when the build ends: an entry that does not give its bytes back is told of, and gone', async () => {
    const { disk, open, warnings } = machine()
    for (const [harm, told] of [
      [() => disk.erase(place('b')), 1],
      [() => disk.rot(place('b'), 300), 1],
      // Another process may write the same content under the same key.
      [() => {}, 0],
    ] as const) {
      warnings.splice(0)
      const cache = open()
      for (const of of 'abc') await cache.write(key(of), bytes(50))
      harm()
      await cache.finish()
      expect(warnings).toHaveLength(told)
      expect(await Promise.all([...'abc'].map(async (of) => (await open().read(key(of))) !== undefined))).toEqual([true, told === 0, true])
    }
  })

  test('another build that has written the same key since is nothing to tell of', async () => {
    const { open, warnings } = machine()
    const [one, other] = [open(), open()]
    await one.write(key('a'), bytes(10, 1))
    await other.write(key('a'), bytes(10, 2))
    await Promise.all([one.finish(), other.finish()])
    expect(warnings).toEqual([])
    expect([...(await open().read(key('a')))!]).toEqual([...bytes(10, 2)])
  })

  test('what it promised is looked at once: a build that only reads opens nothing a second time', async () => {
    const { disk, build } = machine()
    await build('ab')
    const calls: string[] = []
    disk.onCall = (call, path) => calls.push(`${call} ${path}`)
    expect(await build('ab')).toBe('')
    expect(calls.filter((call) => !call.startsWith('stat'))).toEqual([`read ${place('a')}`, `read ${place('b')}`])
  })
})

describe('where the cache has become too large', () => {
  test('what was used least recently goes, in the order of the names where the time is the same; a use counts, not only a writing', async () => {
    const { build, names, later } = machine()
    await build('dcba')
    later(30)
    await build('e')
    later(30)
    await build('c')
    later(30)
    expect(names()).toBe('abcde')
    // Four entries of 1,000 bytes each fit.
    await build('f', 4_000)
    expect(names()).toBe('cdef')
    later(30)
    await build('0', 3_000)
    expect(names()).toBe('0cf')
  })

  test('nothing goes that this build has used, however small the room', async () => {
    const { build, names, later } = machine()
    await build('ab')
    later(30)
    expect(await build('bc', 0)).toBe('c')
    expect(names()).toBe('bc')
  })

  test('nothing goes that another process has used in the last ten minutes: its build may need it still', async () => {
    const { open, build, names, later } = machine()
    await build('ab')
    later(30)
    const other = open()
    await other.read(key('a'))
    later(4)
    expect(await build('c', 0)).toBe('c')
    expect(names()).toBe('ac')
    expect(await other.read(key('a'))).toBeDefined()
  })

  test('an entry that another process takes away between two looks is missing, and made again', async () => {
    const { disk, build } = machine()
    await build('a')
    disk.onCall = (call) => {
      if (call === 'read') disk.erase(place('a'))
    }
    expect(await build('a')).toBe('a')
  })

  test('two processes that clear it at once take what one would have taken', async () => {
    const { disk, open, build, names, later } = machine()
    await build('abcd')
    later(30)
    const [one, two] = [open(3_000), open(3_000)]
    await one.write(key('e'), bytes(968))
    await two.write(key('f'), bytes(968))
    await Promise.all([one.finish(), two.finish()])
    expect(names()).toBe('def')
    // On some systems, a file that is open elsewhere cannot be removed.
    later(30)
    disk.plan({ call: 'remove', code: 'EPERM', path: key('d') })
    await build('0', 1_000)
    expect(names()).toBe('0d')
  })

  test('stamps go with the rest, and what a crash left after an hour; nothing else in the folder does', async () => {
    const { disk, build, names, later } = machine()
    disk.put(place('a', 'stamp'), bytes(500))
    disk.put(`${place('b')}.0123456789abcdef.tmp`, bytes(500))
    disk.put(`${folder}/review/hero.png`, bytes(5_000))
    disk.put(`${folder}/notes.bin`, bytes(5_000))
    later(59)
    await build('c', 2_000)
    expect(names()).toBe('abcnr')
    later(1)
    await build('d', 2_000)
    expect(names()).toBe('cdnr')
  })
})
