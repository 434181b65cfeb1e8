import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasCode } from '../../src/errors.ts'
import { parseLockFile } from '../../src/vault/lock-schema.ts'
import { collectLockChanges, createLockStore } from '../../src/vault/lock-store.ts'
import { findEntry, formatLockFile, type LockEntry, type LockFile } from '../../src/vault/lockfile.ts'
import { changedData } from '../kit/changed-data.ts'
import { type CallGuard, guarded } from '../kit/guarded-disk.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { windowsTexts } from '../kit/windows-texts.ts'
import { byLevel } from '../level.ts'

const hash = 'b'.repeat(64)
const entry: LockEntry = {
  service: { host: 'api.example.com', keyMode: 'test', apiVersion: '1' },
  asked: { prompt: 'a knight\nwalks', reference: 'c'.repeat(64), frames: 12, background: 'remove', take: 1 },
}

/** An entry with every field of the format. */
const full: LockEntry = {
  service: { host: 'api.example.com', keyMode: 'test', apiVersion: '1' },
  asked: {
    prompt: 'a knight\nwalks',
    reference: 'd'.repeat(64),
    operation: 'upscale',
    frames: 12,
    background: 'keep',
    options: { style: ['a', { b: null }] },
    take: 2,
  },
  approval: { ceiling: '2.4', priceVersion: 'v', buyer: 'b', at: 't' },
  submission: { attempt: 1, key: 'k', body: '{}', bodySha256: 'd'.repeat(64), maxCredits: '2.4', referenceId: 'r' },
  execution: { id: 'e1', conversation: null },
  result: {
    sha256: 'd'.repeat(64),
    bytes: 7,
    review: { frameCount: 12, background: null, keptBackgroundFrames: [0, 1], inspectionFrames: [], sourceShiftedFrames: [3] },
  },
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

  test('a review that counts no frames is read back', () => {
    const review = { ...full.result!.review!, frameCount: null }
    const lock: LockFile = { version: 1, animations: { 'hero.walk': { [hash]: { ...full, result: { ...full.result!, review } } } } }
    expect(parseLockFile(formatLockFile(lock), 'x')).toEqual(lock)
  })

  test('a lock file as Windows writes it is read, and the next change writes UTF-8', async () => {
    const disk = new MemoryDisk()
    const path = '/p/sprites.lock.json'
    const other = createLockStore({ disk, random: countingRandom() }, '/q/sprites.lock.json')
    await other.change('hero.walk', hash, () => full)
    const before = new TextDecoder().decode(disk.files.get('/q/sprites.lock.json'))
    await other.change('ant.idle', hash, () => entry)
    for (const [form, bytes] of windowsTexts(before)) {
      disk.files.set(path, bytes)
      const store = createLockStore({ disk, random: countingRandom() }, path)
      expect([form, findEntry(await store.read(), 'hero.walk', hash)]).toEqual([form, full])
      await store.change('ant.idle', hash, () => entry)
      expect(disk.files.get(path)).toEqual(disk.files.get('/q/sprites.lock.json'))
    }
  })

  test.each(['', ' \n'])('an empty file (%j) is no missing file: it is refused and stays as it is', async (text) => {
    const disk = new MemoryDisk()
    disk.files.set('/p/sprites.lock.json', new TextEncoder().encode(text))
    const store = createLockStore({ disk, random: countingRandom() }, '/p/sprites.lock.json')
    await expect(store.read()).rejects.toSatisfy((error) => hasCode(error, 'SW_LOCKFILE'))
    await expect(store.change('hero.walk', hash, () => entry)).rejects.toSatisfy((error) => hasCode(error, 'SW_LOCKFILE'))
    expect(new TextDecoder().decode(disk.files.get('/p/sprites.lock.json'))).toBe(text)
  })

  describe('a name that is there twice', () => {
    const text = formatLockFile({ version: 1, animations: { 'hero.walk': { [hash]: full } } })
    const lines = text.split('\n')
    /** The text with one more line before the first line that begins so. */
    const withLine = (added: string, begin: string): { readonly changed: string; readonly at: number } => {
      const at = lines.findIndex((one) => one.trimStart().startsWith(begin))
      return { changed: [...lines.slice(0, at), added, ...lines.slice(at)].join('\n'), at }
    }

    test.each([
      ['in an approval', '"ceiling": "0.1",', '"ceiling"'],
      ['in an approval, with an escape', '"\\u0063eiling": "0.1",', '"ceiling"'],
      ['deep inside of options', '"style": 1,', '"style"'],
      ['in an entry', '"asked": {},', '"asked"'],
      ['for a request', `"${hash}": {},`, `"${hash}"`],
      ['for an animation', '"hero.walk": {},', '"hero.walk"'],
      ['at the top', '"version": 2,', '"version"'],
    ])('%s is refused with its line', (_, added, name) => {
      const { changed, at } = withLine(added, name)
      expect(JSON.parse(changed)).toEqual(JSON.parse(text))
      expect(() => parseLockFile(changed, 'sprites.lock.json')).toThrow(
        expect.objectContaining({
          code: 'SW_LOCKFILE',
          message: expect.stringContaining(`${name} in line ${at + 2}: expected each field once`),
        }),
      )
    })

    test.each(['"hero.walk"', '"asked"', '"style"', '"version"'])(
      'is refused before %s if it is __proto__, which means nothing',
      (begin) => {
        const { changed, at } = withLine('"__proto__": {},', begin)
        expect(() => parseLockFile(changed, 'sprites.lock.json')).toThrow(
          expect.objectContaining({ code: 'SW_LOCKFILE', message: expect.stringContaining(`"__proto__" in line ${at + 1}: expected`) }),
        )
      },
    )

    test('is refused in either side of a conflict', () => {
      const twice = withLine('"ceiling": "0.1",', '"ceiling"').changed
      const conflict = (ours: string, theirs: string): string => `<<<<<<< ours\n${ours}=======\n${theirs}>>>>>>> theirs\n`
      for (const sides of [conflict(text, twice), conflict(twice, text)])
        expect(() => parseLockFile(sides, 'x')).toThrow(expect.objectContaining({ code: 'SW_LOCKFILE' }))
      expect(parseLockFile(conflict(text, text), 'x')).toEqual(parseLockFile(text, 'x'))
    })
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
    const waits = nextWaits()
    const read = store.read()
    await waits
    waiting[0]?.(before)
    waiting[1]?.(after)
    await Promise.all([change, read])
    expect(Object.keys((await store.read()).animations).sort()).toEqual(['ours.walk', 'theirs.walk'])
  })

  test('a change that another program overtakes leaves no file behind, and one that fails does not stop the next', async () => {
    const path = '/p/sprites.lock.json'
    const disk = new MemoryDisk()
    const theirs = new TextEncoder().encode(formatLockFile({ version: 1, animations: { 'theirs.walk': { [hash]: entry } } }))
    let isFull = false
    let isOvertaken = true
    const guard: CallGuard = (call) => {
      if (isFull && call.startsWith('writeTemp ')) throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' })
      if (isOvertaken && call.startsWith('sync ')) disk.files.set(path, theirs)
      if (call.startsWith('sync ')) isOvertaken = false
      return undefined
    }
    const store = createLockStore({ disk: guarded(disk, guard), random: countingRandom() }, path)
    await store.change('ours.walk', hash, () => entry)
    expect([...disk.files.keys()]).toEqual([path])
    expect(Object.keys((await store.read()).animations).sort()).toEqual(['ours.walk', 'theirs.walk'])
    isFull = true
    const failed = store.change('a.walk', hash, () => entry)
    await expect(failed).rejects.toMatchObject({ code: 'ENOSPC' })
    isFull = false
    await store.change('b.walk', hash, () => entry)
    expect(Object.keys((await store.read()).animations).sort()).toEqual(['b.walk', 'ours.walk', 'theirs.walk'])
  })

  test('a program that rewrites the file again and again is an error, after a hundred tries', async () => {
    const path = '/p/sprites.lock.json'
    const disk = new MemoryDisk()
    let writes = 0
    const guard: CallGuard = (call) => {
      if (!call.startsWith('sync ')) return undefined
      const theirs = { version: 1 as const, animations: { [`theirs.a${++writes}`]: { [hash]: entry } } }
      disk.files.set(path, new TextEncoder().encode(formatLockFile(theirs)))
      return undefined
    }
    const store = createLockStore({ disk: guarded(disk, guard), random: countingRandom() }, path)
    await expect(store.change('ours.walk', hash, () => entry)).rejects.toMatchObject({ code: 'SW_DISK', facts: { file: path } })
    expect([writes, [...disk.files.keys()]]).toEqual([100, [path]])
  })

  test('a file that is deleted after a change is empty, and one that is written again is read again', async () => {
    const disk = new MemoryDisk()
    const path = '/p/sprites.lock.json'
    const store = createLockStore({ disk, random: countingRandom() }, path)
    await store.change('ours.walk', hash, () => entry)
    const bytes = disk.files.get(path) as Uint8Array
    disk.files.delete(path)
    expect(await store.read()).toEqual({ version: 1, animations: {} })
    disk.files.set(path, bytes)
    expect(Object.keys((await store.read()).animations)).toEqual(['ours.walk'])
  })

  test('steps are changed by their hash beside animations, and a file without any has no list of them', async () => {
    const disk = new MemoryDisk()
    const store = createLockStore({ disk, random: countingRandom() }, '/p/sprites.lock.json')
    const [one, other] = ['1'.repeat(64), '2'.repeat(64)]
    await store.change('hero.walk', hash, () => entry)
    expect(await store.read()).not.toHaveProperty('steps')
    await store.change('hero#1', one, (before) => {
      expect(before).toBeUndefined()
      return entry
    })
    await store.change('step#22222222', other, () => full)
    await store.change('hero#1', one, (before) => ({ ...(before ?? full), execution: { id: 'e9', conversation: null } }))
    const lock = await store.read()
    expect(lock.steps).toEqual({ [one]: { ...entry, execution: { id: 'e9', conversation: null } }, [other]: full })
    expect(lock.animations).toEqual({ 'hero.walk': { [hash]: entry } })
    expect(parseLockFile(new TextDecoder().decode(disk.files.get('/p/sprites.lock.json')), 'x')).toEqual(lock)
  })

  test('several changes of one request build on one another, under all of its ids, in one write', async () => {
    const disk = new MemoryDisk()
    const store = createLockStore({ disk, random: countingRandom() }, '/p/sprites.lock.json')
    const execution = { id: 'e1', conversation: null }
    const seen: unknown[] = []
    const change = (id: string, make: (before: LockEntry | undefined) => LockEntry) => ({
      id,
      hash,
      change: (before: LockEntry | undefined) => {
        seen.push(before?.execution)
        return make(before)
      },
    })
    await store.changeAll([
      change('hero.walk', () => ({ ...entry, execution })),
      change('twin.walk', (before) => before ?? entry),
      change('hero.walk', (before) => ({ ...(before ?? entry), asked: { ...entry.asked, take: 2 } })),
    ])
    expect(seen).toEqual([undefined, execution, execution])
    const { animations } = await store.read()
    expect(animations['twin.walk']?.[hash]?.execution).toEqual(execution)
    expect(animations['hero.walk']?.[hash]).toMatchObject({ execution, asked: { take: 2 } })
    // One write: a temporary file, which then gets the name.
    expect(disk.calls.filter((call) => call.includes('sprites.lock.json') && call.startsWith('write'))).toHaveLength(1)
  })

  test('collected changes are one write, and leave out an entry that another process changed meanwhile', async () => {
    const disk = new MemoryDisk()
    const store = createLockStore({ disk, random: countingRandom() }, '/p/sprites.lock.json')
    const hashes = Array.from({ length: 20 }, (_, index) => index.toString(16).padStart(64, '0'))
    await store.changeAll(hashes.map((one, index) => ({ id: `s${index}.walk`, hash: one, change: () => entry })))
    const collected = collectLockChanges(store)
    const frozen = { attempt: 1, key: 'ours', body: '{}', bodySha256: 'd'.repeat(64), maxCredits: '2' }
    const sent = { ...entry, submission: { ...frozen, key: 'theirs' } }
    for (const [index, one] of hashes.entries())
      await collected.change(`s${index}.walk`, one, (now) => ({ ...(now ?? entry), submission: frozen }))
    await store.change('s0.walk', hashes[0]!, () => sent)
    const writes = (): number => disk.calls.filter((call) => call.startsWith('write')).length
    const before = writes()
    await collected.write()
    expect(writes() - before).toBe(1)
    const lock = await store.read()
    expect(hashes.map((one, index) => findEntry(lock, `s${index}.walk`, one)?.submission?.key)).toEqual([
      'theirs',
      ...hashes.slice(1).map(() => 'ours'),
    ])
  })

  test('a change that changes nothing writes nothing', async () => {
    const disk = new MemoryDisk()
    const store = createLockStore({ disk, random: countingRandom() }, '/p/sprites.lock.json')
    await store.change('hero.walk', hash, () => entry)
    const before = disk.calls.length
    await store.change('hero.walk', hash, (same) => same as LockEntry)
    expect(disk.calls.length).toBe(before)
  })

  test('whatever is changed in a lock file, it is refused, or written back it is the same file', () => {
    const lock = { version: 1, animations: { 'hero.walk': { [hash]: full }, 'ant.walk': { [hash]: full } }, steps: { [hash]: entry } }
    let taken = 0
    fc.assert(
      fc.property(changedData(lock), (changed) => {
        try {
          const read = parseLockFile(JSON.stringify(changed), 'x')
          taken += 1
          const again = parseLockFile(formatLockFile(read), 'x')
          expect(again.animations).toEqual(read.animations)
          // An empty list of steps is written as no field.
          expect(again.steps ?? {}).toEqual(read.steps ?? {})
        } catch (error) {
          if (!hasCode(error, 'SW_LOCKFILE')) throw error
        }
      }),
      { numRuns: byLevel({ quick: 150, full: 500, long: 500 }) },
    )
    expect(taken).toBeGreaterThan(50)
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
    ['a field that is not known', JSON.stringify({ version: 1, animations: { a: { [hash]: { ...entry, more: 1 } } } })],
    ['two requests of one execution', formatLockFile({ version: 1, animations: { a: { [hash]: full }, b: { ['a'.repeat(64)]: full } } })],
    [
      'an animation and a step of one execution',
      formatLockFile({ version: 1, animations: { a: { [hash]: full } }, steps: { ['a'.repeat(64)]: full } }),
    ],
    ['two steps of one execution', formatLockFile({ version: 1, animations: {}, steps: { [hash]: full, ['a'.repeat(64)]: full } })],
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
