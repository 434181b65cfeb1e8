import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasCode } from '../../src/errors.ts'
import { mergeLocks } from '../../src/vault/lock-merge.ts'
import { digestOf, isLockPath, lockPartName, lockPathOf } from '../../src/vault/lock-parts.ts'
import { parseLockFile } from '../../src/vault/lock-schema.ts'
import { collectLockChanges, createLockStore } from '../../src/vault/lock-store.ts'
import { alsoField, formatLockFile, type LockEntry, type LockFile } from '../../src/vault/lockfile.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const path = '/p/sprites.lock.json'
const hash = 'b'.repeat(64)
const service = { host: 'api.example.com', keyMode: 'test', apiVersion: '1' } as const
const asked = { prompt: 'a knight', take: 1 }
const approvedAt = (at: string): LockEntry => ({ service, asked, approval: { ceiling: '2', priceVersion: 'v', buyer: 'b', at } })
const boughtAs = (id: string, at = '1'): LockEntry => ({ ...approvedAt(at), execution: { id, conversation: null } })
const oneOf = (entry: LockEntry, id = 'hero.walk'): LockFile => ({ version: 1, animations: { [id]: { [hash]: entry } } })

/** A file by which a project has the folder. */
const begun: Readonly<Record<string, LockFile>> = {
  'sprites.lock/zed.json': { version: 1, animations: { 'zed.walk': { ['f'.repeat(64)]: boughtAs('e7') } } },
}

/** A project with files of the lock file by name. */
function project(files: Readonly<Record<string, LockFile>>) {
  const disk = new MemoryDisk()
  const put = (name: string, lock: LockFile): void => void disk.files.set(`/p/${name}`, new TextEncoder().encode(formatLockFile(lock)))
  for (const [name, lock] of Object.entries(files)) put(name, lock)
  const open = () => createLockStore({ disk, random: countingRandom() }, path)
  const text = (name: string): string => new TextDecoder().decode(disk.files.get(`/p/${name}`))
  return { disk, put, open, text, entry: async (id = 'hero.walk') => (await open().read()).animations[id]?.[hash] }
}

describe('the name of a file', () => {
  test('is one part of a path that every disk takes, and differs for names that differ, also in case alone', () => {
    const reserved = fc.constantFrom(
      'con',
      'CON',
      'nul',
      'com1',
      'Hero',
      'hero',
      '..',
      '.',
      '',
      'a/b',
      'a\\b',
      'a--b',
      'é',
      'x'.repeat(300),
    )
    const names = fc.oneof(reserved, fc.string({ unit: 'grapheme', maxLength: 80 })).filter((name) => !name.includes('#'))
    fc.assert(
      fc.property(names, names, (one, other) => {
        const [a, b] = [one, other].map((name) => lockPathOf(path, `${name}.walk`, hash)) as [string, string]
        const name = a.slice('/p/sprites.lock/'.length)
        expect(a.startsWith('/p/sprites.lock/') && isLockPath(path, a) && lockPartName.test(name)).toBe(true)
        expect(name).toMatch(/^(?!(?:con|prn|aux|nul|com\d|lpt\d)\.)[a-z0-9_-]{1,70}\.json$/)
        const isSame = one.split(/[.#]/)[0] === other.split(/[.#]/)[0]
        expect(a.toLowerCase() === b.toLowerCase()).toBe(isSame)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a project with a lock file in one file and in the folder', () => {
  test('is read without a step, and a change writes only the file of its sprite, and a mark into the old file', async () => {
    const old: LockFile = {
      version: 1,
      animations: { 'ant.walk': { [hash]: boughtAs('e0') } },
      steps: { ['c'.repeat(64)]: boughtAs('e9') },
    }
    const p = project({ 'sprites.lock.json': old, ...begun })
    expect(await p.open().read()).toEqual({ ...old, animations: { ...old.animations, ...begun['sprites.lock/zed.json']!.animations } })
    await p.open().change('hero.walk', 'd'.repeat(64), () => approvedAt('1'))
    expect([...p.disk.files.keys()].sort()).toEqual(['.json', '/hero.json', '/zed.json'].map((name) => `/p/sprites.lock${name}`))
    expect(p.text('sprites.lock.json')).toBe(formatLockFile({ ...old, [alsoField]: true }))
    expect(p.text('sprites.lock.json').split('\n').slice(1)).toEqual([
      `  "${alsoField}": true,`,
      ...formatLockFile(old).split('\n').slice(1),
    ])
  })

  test('what was taken back, replaced or bought in the new files never comes back from the old one', async () => {
    const p = project({ 'sprites.lock.json': oneOf(approvedAt('1')), ...begun })
    await p.open().change('hero.walk', hash, (entry) => ({ ...(entry as LockEntry), approval: undefined }))
    expect((await p.entry())?.approval).toBeUndefined()
    await p.open().change('hero.walk', hash, (entry) => ({ ...boughtAs('e1', '2'), ...entry, approval: approvedAt('2').approval }))
    expect(await p.entry()).toEqual(boughtAs('e1', '2'))
  })

  test('a failed execution of the old file is no second purchase beside the one that came after it', async () => {
    const p = project({ 'sprites.lock.json': oneOf(boughtAs('e1')), ...begun })
    await p.open().change('hero.walk', hash, () => boughtAs('e2'))
    expect((await p.entry())?.execution?.id).toBe('e2')
  })

  test('a branch that went on writing the old file is read: what is further counts, and two purchases are an error', async () => {
    const p = project({ 'sprites.lock.json': oneOf(approvedAt('1')), ...begun })
    await p.open().change('hero.walk', hash, () => approvedAt('2'))
    p.put('sprites.lock.json', oneOf(boughtAs('e1')))
    expect(await p.entry()).toEqual(boughtAs('e1', '2'))
    await p.open().change('hero.walk', hash, () => boughtAs('e1', '3'))
    p.put('sprites.lock.json', oneOf(boughtAs('e2')))
    const error: unknown = await p
      .open()
      .read()
      .catch((thrown: unknown) => thrown)
    expect(hasCode(error, 'SW_LOCKFILE') ? error.message : '').toMatch(
      /hero.walk has two purchases: .*hero.json.* e1, and .*sprites.lock.json.* e2/,
    )
  })

  test('hidden files that an editor or a system leaves in the folder are not read', async () => {
    const p = project({ 'sprites.lock/hero.json': oneOf(boughtAs('e1')) })
    for (const name of ['._hero.json', '.#hero.json', '.hero.json.swp', 'hero.json~'])
      p.disk.files.set(`/p/sprites.lock/${name}`, new Uint8Array([0, 5, 22, 7]))
    expect(await p.entry()).toEqual(boughtAs('e1'))
  })

  test('an approval that one of two files lacks does not count', async () => {
    const { approval: _, ...revoked } = approvedAt('1')
    const files = (one: LockEntry, other: LockEntry) => project({ 'sprites.lock.json': oneOf(one), 'sprites.lock/hero.json': oneOf(other) })
    expect((await files(revoked, approvedAt('1')).entry())?.approval).toBeUndefined()
    expect((await files(approvedAt('2'), revoked).entry())?.approval).toBeUndefined()
    expect((await files(approvedAt('2'), approvedAt('1')).entry())?.approval?.at).toBe('2')
  })

  test('split marks the old file only; the next moves each entry once, and a crash between two files loses none', async () => {
    const old: LockFile = {
      version: 1,
      animations: { 'ant.walk': { [hash]: boughtAs('e0') }, 'bee.fly': { ['d'.repeat(64)]: approvedAt('1') } },
      steps: { ['c'.repeat(64)]: boughtAs('e9') },
    }
    for (let calls = 0; ; calls++) {
      const p = project({ 'sprites.lock.json': old })
      await p.open().split()
      expect([...p.disk.files.keys()]).toEqual(['/p/sprites.lock.json'])
      expect(p.text('sprites.lock.json')).toBe(formatLockFile({ ...old, [alsoField]: true }))
      const move = p.disk.move.bind(p.disk)
      let moves = 0
      p.disk.move = async (from, to) => (moves++ === calls ? Promise.reject(new Error('killed')) : move(from, to))
      const isDone = await p
        .open()
        .split()
        .then(
          () => true,
          () => false,
        )
      expect(await p.open().read()).toEqual(old)
      if (!isDone) continue
      expect(p.text('sprites.lock.json')).toBe(formatLockFile({ version: 1, animations: {}, [alsoField]: true }))
      expect([...p.disk.files.keys()].sort()).toEqual(
        ['.json', '/ant.json', '/bee.json', `/step.${'c'.repeat(64)}.json`].map((name) => `/p/sprites.lock${name}`),
      )
      expect(moves).toBe(4)
      return
    }
  })
})

test('split keeps what a branch from before has written into the old file since, and what the old file gets back later', async () => {
  const p = project({ 'sprites.lock.json': oneOf(approvedAt('1')), ...begun })
  await p.open().change('hero.walk', hash, () => approvedAt('2'))
  p.put('sprites.lock.json', oneOf(boughtAs('e1')))
  await p.open().split()
  expect(parseLockFile(p.text('sprites.lock.json'), 'x').animations).toEqual({})
  expect(await p.entry()).toEqual(boughtAs('e1', '2'))
  await p.open().change('hero.walk', hash, () => boughtAs('e2', '3'))
  p.put('sprites.lock.json', oneOf(boughtAs('e1')))
  expect(await p.entry()).toEqual(boughtAs('e2', '3'))
})

test('an entry says which one it continues in its file only', async () => {
  const p = project({ 'sprites.lock.json': oneOf(approvedAt('1')), ...begun })
  await p.open().change('hero.walk', hash, () => approvedAt('2'))
  expect(parseLockFile(p.text('sprites.lock/hero.json'), 'x').animations['hero.walk']?.[hash]?.continues).toBe(digestOf(approvedAt('1')))
  expect(await p.entry()).toEqual(approvedAt('2'))
})

test('a project without the folder goes on with its one file', async () => {
  const p = project({ 'sprites.lock.json': oneOf(approvedAt('1')) })
  await p.open().change('ant.walk', hash, () => approvedAt('2'))
  expect([...p.disk.files.keys()]).toEqual(['/p/sprites.lock.json'])
  expect(p.text('sprites.lock.json')).toBe(
    formatLockFile({ version: 1, animations: { ...oneOf(approvedAt('1')).animations, 'ant.walk': { [hash]: approvedAt('2') } } }),
  )
})

test('bytes written grow with the changes, not with the lock file', async () => {
  const written = async (count: number): Promise<number> => {
    const p = project(begun)
    let bytes = 0
    const write = p.disk.writeTemp.bind(p.disk)
    p.disk.writeTemp = (file, content) => {
      bytes += content.length
      return write(file, content)
    }
    const store = p.open()
    for (let index = 0; index < count; index++)
      await store.change(`s${index}.walk`, index.toString(16).padStart(64, '0'), () => approvedAt('1'))
    return bytes
  }
  expect((await written(60)) / (await written(20))).toBeLessThan(3.1)
})

test('a merge keeps the mark of the folder, whichever side has it', () => {
  const [bare, marked]: readonly [LockFile, LockFile] = [oneOf(approvedAt('1')), { ...oneOf(approvedAt('1')), [alsoField]: true }]
  expect([mergeLocks(bare, marked), mergeLocks(marked, bare), mergeLocks(bare, bare)].map(({ lock }) => lock[alsoField])).toEqual([
    ...[true, true, undefined],
  ])
})

test('one execution on requests of two files is an error that names it, and neither counts', async () => {
  const other = { version: 1, animations: { 'bee.fly': { ['d'.repeat(64)]: boughtAs('e1') } } } as const
  const p = project({ 'sprites.lock/hero.json': oneOf(boughtAs('e1')), 'sprites.lock/bee.json': other })
  await expect(p.open().read()).rejects.toMatchObject({ code: 'SW_LOCKFILE', facts: { file: path } })
})

test('changes that are collected together are written by one call, and none before', async () => {
  const p = project(begun)
  const collected = collectLockChanges(p.open())
  await collected.changeAll(['hero.walk', 'ant.walk'].map((id) => ({ id, hash, change: () => approvedAt('1') })))
  expect(p.disk.files.has('/p/sprites.lock/hero.json')).toBe(false)
  await collected.write()
  expect([await p.entry(), await p.entry('ant.walk')]).toEqual([approvedAt('1'), approvedAt('1')])
})

describe('in the folder', () => {
  const other = 'd'.repeat(64)
  const writes = ({ disk }: ReturnType<typeof project>): readonly string[] =>
    disk.calls.flatMap((call) => (call.startsWith('move ') ? [call.split(' ').at(-1) as string] : []))

  test.each([
    ['one file', {}],
    ['a folder', begun],
  ])('a change keeps the other requests and animations of its sprite, with %s', async (_form, files) => {
    const p = project(files)
    const store = p.open()
    const entries = [
      ['hero.walk', hash, approvedAt('1')],
      ['hero.walk', other, approvedAt('2')],
      ['hero.run', 'e'.repeat(64), boughtAs('e1')],
      ['hero.walk', hash, approvedAt('3')],
      ['hero#1', '1'.repeat(64), boughtAs('e2')],
      ['hero#2', '2'.repeat(64), boughtAs('e3')],
    ] as const
    for (const [id, of, entry] of entries) await store.change(id, of, () => entry)
    const read = await p.open().read()
    expect(read.animations['hero.walk']).toEqual({ [hash]: approvedAt('3'), [other]: approvedAt('2') })
    expect(read.animations['hero.run']).toEqual({ ['e'.repeat(64)]: boughtAs('e1') })
    expect(read.steps).toEqual({ ['1'.repeat(64)]: boughtAs('e2'), ['2'.repeat(64)]: boughtAs('e3') })
    expect(await store.read()).toEqual(read)
  })

  test('a change writes the mark first, and only if it is lost; one that changes nothing writes nothing', async () => {
    const p = project(begun)
    await p.open().change('zed.walk', 'f'.repeat(64), (same) => same as LockEntry)
    expect(writes(p)).toEqual([])
    await p.open().change('hero.walk', hash, () => approvedAt('1'))
    await p.open().change('hero.walk', hash, () => approvedAt('2'))
    await p.open().change('hero.walk', hash, (same) => same as LockEntry)
    expect(writes(p)).toEqual(['.json', '/hero.json', '/hero.json'].map((name) => `/p/sprites.lock${name}`))
    expect(p.text('sprites.lock.json')).toBe(formatLockFile({ version: 1, animations: {}, [alsoField]: true }))
    await p.open().split()
    expect(writes(p)).toHaveLength(3)
  })

  test('split begins the folder of an empty project with a mark alone', async () => {
    const p = project({})
    await p.open().split()
    expect(p.text('sprites.lock.json')).toBe(formatLockFile({ version: 1, animations: {}, [alsoField]: true }))
    await p.open().change('hero.walk', hash, () => approvedAt('1'))
    expect(writes(p)).toEqual(['/p/sprites.lock.json', '/p/sprites.lock/hero.json'])
  })

  test('what another process has written since the last read is changed as it is now', async () => {
    const p = project(begun)
    const [one, two] = [p.open(), p.open()]
    for (const id of ['hero#1', 'hero.walk']) {
      const of = id === 'hero#1' ? other : hash
      await one.read()
      await two.change(id, of, () => boughtAs(`e-${id}`))
      await one.change(id, of, (now) => ({ ...(now as LockEntry), approval: approvedAt('9').approval }))
      expect((await p.open().read()).steps?.[other]?.execution?.id).toBe('e-hero#1')
    }
    expect(await p.entry()).toEqual(boughtAs('e-hero.walk', '9'))
  })

  test('nothing is read twice: a lock file is the same object until one of its files has changed', async () => {
    const p = project(begun)
    const store = p.open()
    const [first, texts] = [await store.read(), await store.readTexts()]
    expect([await store.read(), await store.readTexts()]).toEqual([first, texts])
    expect(await store.read()).toBe(first)
    p.put('sprites.lock/hero.json', oneOf(approvedAt('1')))
    expect(await store.readTexts()).not.toBe(texts)
    const second = await store.read()
    expect(second).not.toBe(first)
    expect(second.animations['zed.walk']?.['f'.repeat(64)]).toBe(first.animations['zed.walk']?.['f'.repeat(64)])
    p.disk.files.set('/p/sprites.lock/hero.json', new TextEncoder().encode('{'))
    expect(await store.readTexts()).toContain('/p/sprites.lock/hero.json')
    await expect(store.read()).rejects.toMatchObject({ code: 'SW_LOCKFILE' })
  })

  test('a file that may not be read is no missing file: nothing is changed', async () => {
    const p = project({ 'sprites.lock.json': oneOf(boughtAs('e1')) })
    p.disk.read = async () => Promise.reject(Object.assign(new Error('no right'), { code: 'EACCES' }))
    await expect(p.open().read()).rejects.toMatchObject({ code: 'EACCES' })
    await expect(p.open().change('hero.walk', hash, () => approvedAt('1'))).rejects.toMatchObject({ code: 'EACCES' })
    expect(writes(p)).toEqual([])
  })

  test('a text that must not be written stops the change before any file is written', async () => {
    const p = project(begun)
    const seen: string[] = []
    const check = (bytes: Uint8Array, file: string): void => {
      seen.push(file)
      if (new TextDecoder().decode(bytes).includes('secret')) throw new Error('a key')
    }
    const { change } = createLockStore({ disk: p.disk, random: countingRandom() }, path, undefined, check)
    await expect(change('hero.walk', hash, () => boughtAs('secret'))).rejects.toThrow('a key')
    expect([seen, writes(p)]).toEqual([['/p/sprites.lock.json', '/p/sprites.lock/hero.json'], []])
  })

  test('each file is written in the turn of this process, which ends then', async () => {
    const p = project(begun)
    const store = createLockStore({ disk: p.disk, random: countingRandom() }, path, { path: '/t/turn', clock: new ManualClock() })
    expect(store.path).toBe(path)
    await store.change('hero.walk', hash, () => approvedAt('1'))
    const order = p.disk.calls.flatMap((call) =>
      call.endsWith('/t/turn') ? [call.startsWith('remove') ? 'end' : 'turn'] : call.startsWith('move ') ? ['write'] : [],
    )
    expect(order).toEqual(['turn', 'write', 'end', 'turn', 'write', 'end'])
  })
})

test('collected changes are not in what is read until they are written', async () => {
  const p = project(begun)
  const collected = collectLockChanges(p.open())
  await collected.change('hero.walk', hash, () => approvedAt('1'))
  const read = await collected.read()
  await p.open().change('ant.walk', hash, () => approvedAt('1'))
  expect(await collected.read()).toBe(read)
  expect(Object.keys(read.animations)).toEqual(['zed.walk'])
  await collected.write()
  expect(await p.entry()).toEqual(approvedAt('1'))
})
