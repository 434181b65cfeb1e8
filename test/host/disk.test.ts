import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { linkOrCopy, nodeDisk, renamePatiently } from '../../src/host/disk.ts'

const disk = nodeDisk()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spritewright-disk-'))
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

/** How many files this process has open, where the system tells. */
const openFiles = (): number => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)

/** Far more calls than fit in one turn. */
const onEnd = 200_000

test.each<[string, (file: string, at: number) => Promise<unknown>]>([
  ['read', (file) => disk.read(file)],
  ['listed', () => disk.list(folder)],
  ['looked at', (file) => disk.stat(file)],
  ['written where others are', (file) => disk.writeTemp(file, text('')).catch(() => undefined)],
  ['removed where none are', (file, at) => disk.remove(`${file}.${at}`)],
])('files that are %s on end let timers, signals and requests through', async (_how, call) => {
  const file = join(folder, 'on-end.txt')
  await writeFile(file, 'on end')
  let isThrough = false
  setTimeout(() => {
    isThrough = true
  }, 0)
  for (let at = 0; at < onEnd && !isThrough; at++) await call(file, at)
  expect(isThrough).toBe(true)
})

test('a file that was emptied to be written anew is read when it is; one that stays empty is empty', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const file = join(folder, 'saved.txt')
  const readWith = async (meanwhile: () => void): Promise<Uint8Array> => {
    writeFileSync(file, '')
    const bytes = disk.read(file)
    while (vi.getTimerCount() === 0) await new Promise<void>((resolve) => setImmediate(resolve))
    meanwhile()
    vi.runAllTimers()
    return bytes
  }
  expect(await readWith(() => writeFileSync(file, 'saved'))).toEqual(text('saved'))
  expect(await readWith(() => {})).toEqual(text(''))
})

test('nothing is told as nothing, in a file too; a file and a folder are told apart', async () => {
  const file = join(folder, 'stat.txt')
  await disk.writeTemp(file, text('four'))
  expect(await disk.stat(file)).toMatchObject({ bytes: 4, isFolder: false })
  expect(await disk.stat(folder)).toMatchObject({ bytes: 0, isFolder: true })
  expect(await disk.stat(join(folder, 'none'))).toBeUndefined()
  expect([await disk.links(join(folder, 'none')), await disk.links(file)]).toEqual([[], []])
  expect(await disk.stat(join(file, 'none'))).toBeUndefined()
  expect(await disk.list(join(folder, 'none'))).toEqual([])
  expect(await disk.list(join(folder, 'none', 'of', 'these'))).toEqual([])
  // A folder that cannot exist has no empty list. An unreadable journal must not look like an empty one.
  await expect(disk.list(file)).rejects.toMatchObject({ code: 'ENOTDIR' })
  await expect(disk.list(join(file, 'none', 'of', 'these'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  // A link fails when it is read.
  await symlink(join(file, 'x'), join(folder, 'astray'))
  for (const path of ['astray', 'astray/x', 'astray/x/y'])
    await expect(disk.list(join(folder, path))).rejects.toMatchObject({ code: 'ENOTDIR' })
  await expect(disk.read(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('names are listed in order, links as links, and a file is moved with its bytes and its time', async () => {
  const place = await mkdtemp(join(folder, 'names-'))
  for (const name of ['b', 'ä', 'a', 'B', '10', '9']) await disk.writeTemp(join(place, name), text(name))
  for (const name of ['y', 'x']) await symlink('b', join(place, name))
  await disk.makeFolder(join(place, 'folder'))
  expect(await disk.list(place)).toEqual(['10', '9', 'B', 'a', 'b', 'folder', 'x', 'y', 'ä'])
  expect(await disk.links(place)).toEqual(['x', 'y'])
  await disk.touch(join(place, 'a'), 1_234_500)
  await disk.move(join(place, 'a'), join(place, 'folder/c'))
  expect(await disk.stat(join(place, 'folder/c'))).toEqual({ bytes: 1, changedMs: 1_234_500, isFolder: false })
  await disk.remove(join(place, 'y'))
  expect([await disk.links(place), await disk.read(join(place, 'b')), await disk.stat(join(place, 'a'))]).toEqual([
    ['x'],
    text('b'),
    undefined,
  ])
})

test('files go, folders go with all in them, and nothing goes where nothing is', async () => {
  const inner = join(folder, 'a', 'b')
  await disk.makeFolder(inner)
  await disk.writeTemp(join(inner, 'c.txt'), text('c'))
  await disk.remove(join(folder, 'a', 'none'))
  await disk.remove(join(inner, 'c.txt'))
  expect(await readdir(inner)).toEqual([])
  await disk.writeTemp(join(inner, 'd.txt'), text('d'))
  await disk.remove(join(folder, 'a'))
  expect(await disk.stat(join(folder, 'a'))).toBeUndefined()
})

test('a new file takes no name that is taken; a second name is given to one of several', async () => {
  const [first, second] = [join(folder, 'first.txt'), join(folder, 'second.txt')]
  await disk.writeTemp(first, text('1'))
  await expect(disk.writeTemp(first, text('2'))).rejects.toMatchObject({ code: 'EEXIST', path: first })
  await disk.link(first, second)
  await expect(disk.link(first, second)).rejects.toMatchObject({ code: 'EEXIST' })
  await disk.append(second, text('+'))
  await disk.sync(second)
  await disk.syncFolder(folder)
  expect(await disk.read(first)).toEqual(text('1+'))
  await disk.move(second, first)
  expect(await disk.read(first)).toEqual(text('1+'))
  await disk.touch(first, 1_000_000)
  expect((await disk.stat(first))?.changedMs).toBe(1_000_000)
})

describe('where there are no hard links', () => {
  const failing = (code: string) => (): never => {
    throw Object.assign(new Error('not supported'), { code })
  }
  const noLinks = failing('EPERM')

  test.each(['EPERM', 'ENOTSUP', 'ENOSYS', 'EXDEV'])('a file is copied after %s, and no other failure makes a copy', async (code) => {
    const from = join(folder, `${code}.tmp`)
    await writeFile(from, code)
    await linkOrCopy(from, join(folder, code), failing(code))
    expect(await readFile(join(folder, code), 'utf8')).toBe(code)
    await expect(linkOrCopy(from, join(folder, `${code}-2`), failing('EIO'))).rejects.toMatchObject({ code: 'EIO' })
    expect(await disk.stat(join(folder, `${code}-2`))).toBeUndefined()
  })

  test('a copy takes the name of a record whole, and one of several callers wins', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spritewright-copies-'))
    try {
      const to = join(folder, '0001.json')
      const from = await Promise.all(
        ['a', 'b', 'c', 'd'].map(async (name) => {
          const path = join(folder, `${name}.tmp`)
          await writeFile(path, name.repeat(1000))
          return path
        }),
      )
      const results = await Promise.allSettled(from.map((path) => linkOrCopy(path, to, noLinks)))
      const winners = results.flatMap(({ status }, at) => (status === 'fulfilled' ? ['abcd'[at]] : []))
      expect(winners).toHaveLength(1)
      expect(results.flatMap((one) => (one.status === 'rejected' ? [(one.reason as NodeJS.ErrnoException).code] : []))).toEqual([
        'EEXIST',
        'EEXIST',
        'EEXIST',
      ])
      expect(await readFile(to, 'utf8')).toBe(String(winners[0]).repeat(1000))
      expect((await readdir(folder)).sort()).toEqual(['0001.json', 'a.tmp', 'b.tmp', 'c.tmp', 'd.tmp'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('a copy is on the disk, whole, before it takes the name', async () => {
    const [from, to] = [join(folder, 'synced.tmp'), join(folder, 'synced.json')]
    await writeFile(from, 'paid')
    const synced: string[] = []
    await linkOrCopy(from, to, noLinks, async (path) => {
      synced.push(await readFile(path, 'utf8'), await readFile(to, 'utf8'))
    })
    expect([synced, await readFile(to, 'utf8')]).toEqual([['paid', ''], 'paid'])
  })

  test('a copy that fails leaves no name behind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'spritewright-copies-'))
    try {
      await expect(linkOrCopy(join(folder, 'missing.tmp'), join(folder, '0001.json'), noLinks)).rejects.toMatchObject({ code: 'ENOENT' })
      expect(await readdir(folder)).toEqual([])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

test.each([
  ['win32', 'EPERM', 3, true],
  ['win32', 'EBUSY', 7, true],
  ['win32', 'EACCES', 8, false],
  ['win32', 'ENOENT', 1, false],
  ['linux', 'EPERM', 1, false],
] as const)('on %s a rename that fails with %s for %d times: done is %s', async (platform, code, times, isDone) => {
  const pauses: number[] = []
  let [left, done] = [times as number, 0]
  const rename = (): void => {
    if (left-- > 0) throw Object.assign(new Error('held'), { code })
    done++
  }
  const run = renamePatiently(rename, platform, async (ms) => void pauses.push(ms))
  if (isDone) await run
  else await expect(run).rejects.toMatchObject({ code })
  expect(done).toBe(isDone ? 1 : 0)
  expect(pauses).toEqual([10, 20, 50, 100, 200, 400, 800].slice(0, code === 'ENOENT' || platform === 'linux' ? 0 : times))
})

test.skipIf(process.platform === 'win32')(
  'every failure names its path, also of calls on an open file, which is closed (kind: errors of disks)',
  async () => {
    const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
      // Devices that cannot be synced, or are full.
      ['/dev/null', () => disk.sync('/dev/null')],
      ['/dev/full', () => disk.append('/dev/full', text('x'))],
      [folder, () => disk.read(folder)],
      [join(folder, 'none/x'), () => disk.writeTemp(join(folder, 'none/x'), text('x'))],
      [join(folder, 'none'), () => disk.touch(join(folder, 'none'), 0)],
      [join(folder, 'none'), () => disk.syncFolder(join(folder, 'none'))],
    ]
    for (const [path, call] of calls) {
      const error = (await call().then(
        () => undefined,
        (reason: unknown) => reason,
      )) as NodeJS.ErrnoException | undefined
      expect([path, error?.path]).toEqual([path, path])
      expect(error?.message).toContain(path)
    }
    const files = openFiles()
    for (let time = 0; time < 20; time++) await disk.sync('/dev/null').catch(() => {})
    expect(openFiles() - files).toBeLessThan(20)
  },
)

test('what is appended is there before the call ends, whole, and after what was there', async () => {
  const file = join(folder, 'appended.txt')
  await disk.append(file, text('one '))
  const long = new Uint8Array(3_000_000).fill(97)
  await disk.append(file, long)
  const bytes = await readFile(file)
  expect(bytes.length).toBe(3_000_004)
  expect(bytes.subarray(0, 5).toString()).toBe('one a')
})

describe.skipIf(process.platform === 'win32')('private folders', () => {
  const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

  test('what is made in one is for its owner alone, and nothing else changes', async () => {
    const own = nodeDisk()
    const state = join(await mkdtemp(join(folder, 'private-')), 'state')
    own.keepPrivate?.(`${state}/`)
    await own.makeFolder(join(state, 'a', 'b'))
    await own.writeTemp(join(state, 'a', 'b', 'new'), text('new'))
    await own.append(join(state, 'a', 'ledger'), text('line'))
    await own.link(join(state, 'a', 'b', 'new'), join(state, 'a', 'linked'))
    for (const made of ['', 'a', 'a/b']) expect([made, await modeOf(join(state, made))]).toEqual([made, '700'])
    for (const made of ['a/b/new', 'a/ledger', 'a/linked']) expect([made, await modeOf(join(state, made))]).toEqual([made, '600'])
    const beside = `${state}-beside`
    await own.makeFolder(beside)
    await own.writeTemp(join(beside, 'file'), text(''))
    expect([await modeOf(beside), await modeOf(join(beside, 'file'))]).not.toContain('700')
    expect(await modeOf(join(beside, 'file'))).toBe((0o666 & ~process.umask()).toString(8))
  })

  test('what an earlier version has left open in one is narrowed when it is next used', async () => {
    const state = await mkdtemp(join(folder, 'private-'))
    await mkdir(join(state, 'a', 'b'), { recursive: true })
    const files = ['a/read', 'a/appended', 'a/b/run']
    for (const file of files) await writeFile(join(state, file), 'old')
    for (const each of ['', 'a', 'a/b', 'a/b/run']) await chmod(join(state, each), 0o755)
    for (const each of ['a/read', 'a/appended']) await chmod(join(state, each), 0o664)
    const own = nodeDisk()
    own.keepPrivate?.(state)
    await own.read(join(state, 'a', 'read'))
    await own.append(join(state, 'a', 'appended'), text('new'))
    await own.read(join(state, 'a', 'b', 'run'))
    for (const used of ['', 'a', 'a/b', 'a/b/run']) expect([used, await modeOf(join(state, used))]).toEqual([used, '700'])
    for (const used of ['a/read', 'a/appended']) expect([used, await modeOf(join(state, used))]).toEqual([used, '600'])
    await expect(own.read(join(state, 'a', 'missing'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('what another program makes in one under the name of a removed file is narrowed when it is next used', async () => {
    const own = nodeDisk()
    const state = await mkdtemp(join(folder, 'private-'))
    own.keepPrivate?.(state)
    const file = join(state, 'record')
    await own.writeTemp(file, text('ours'))
    await own.read(file)
    await own.remove(file)
    await writeFile(file, 'theirs')
    await chmod(file, 0o644)
    await own.read(file)
    expect(await modeOf(file)).toBe('600')
  })

  test('what is listed in one is narrowed, but not what a link leads to; a second one is private too', async () => {
    const own = nodeDisk()
    const [state, other] = [await mkdtemp(join(folder, 'private-')), await mkdtemp(join(folder, 'private-'))]
    const [outside, files] = [join(folder, 'outside'), [join(state, 'a'), join(state, 'folder'), join(other, 'b')]]
    await mkdir(files[1] as string)
    for (const file of [outside, files[0], files[2]]) await writeFile(file as string, 'old')
    for (const file of [outside, ...files]) await chmod(file, 0o755)
    await symlink(outside, join(state, 'link'))
    own.keepPrivate?.(state)
    own.keepPrivate?.(other)
    expect([await own.list(state), await own.list(other)]).toEqual([['a', 'folder', 'link'], ['b']])
    await own.read(join(state, 'link'))
    expect(await Promise.all([outside, ...files].map(modeOf))).toEqual(['755', '700', '700', '700'])
    await own.move(join(state, 'a'), join(other, 'c'))
    await own.touch(join(other, 'c'), 0)
    await own.append(join(other, 'c'), text('new'))
    expect([await modeOf(join(other, 'c')), await modeOf(other)]).toEqual(['700', '700'])
  })

  test('one file may be private', async () => {
    const own = nodeDisk()
    const store = await mkdtemp(join(folder, 'private-'))
    await chmod(store, 0o755)
    own.keepPrivate?.(join(store, 'ledger.jsonl'))
    await own.append(join(store, 'ledger.jsonl'), text('line'))
    await own.append(join(store, 'ledger.jsonl.old'), text('line'))
    expect([await modeOf(store), await modeOf(join(store, 'ledger.jsonl'))]).toEqual(['755', '600'])
    expect(await modeOf(join(store, 'ledger.jsonl.old'))).toBe((0o666 & ~process.umask()).toString(8))
  })
})
