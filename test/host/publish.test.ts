import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { nodeDisk } from '../../src/host/disk.ts'
import { toDiskFailure } from '../../src/host/disk-failure.ts'
import { oneByOne } from '../../src/host/one-by-one.ts'
import { publish, replaceFile, replaceLightly, stageFile, syncNames, tempName, tempTargetOf } from '../../src/host/publish.ts'
import { distinctFolders, foldPath, isInside, realPath } from '../../src/host/real-path.ts'
import { FaultDisk } from '../kit/fault-disk.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('the new bytes of a replaced file survive a loss of power', async () => {
  const disk = new FaultDisk()
  disk.put('/game/sprites.lock.json', 'old')
  await replaceFile(disk, countingRandom(), '/game/sprites.lock.json', bytes('new'))
  disk.crash('nothing')
  expect(disk.peek('/game/sprites.lock.json')).toEqual(bytes('new'))
})

test.each(['write', 'move'])('a file that cannot be replaced (%s) stays as it was, and no other one is left', async (call) => {
  for (const replace of [replaceFile, replaceLightly]) {
    const disk = new MemoryDisk()
    disk.files.set('/game/page.png', bytes('old'))
    disk.fault = { call, code: 'ENOSPC' }
    await expect(replace(disk, countingRandom(), '/game/page.png', bytes('new'))).rejects.toMatchObject({ code: 'ENOSPC' })
    expect([...disk.files]).toEqual([['/game/page.png', bytes('old')]])
  }
})

/** What a disk was asked for, by kind and name. A temporary name is `…`. */
const asked = (disk: MemoryDisk): string[] => disk.calls.map((call) => call.replace(/\.[0-9a-f]{16}\.tmp$/, '…'))

test('a name is published with its bytes flushed before it, and its folder after it', async () => {
  const disk = new MemoryDisk()
  expect(await publish(disk, countingRandom(), '/game/chain/1.json', bytes('one'))).toBe(true)
  expect(asked(disk)).toEqual([
    'syncFolder /',
    'syncFolder /game',
    'write /game/chain/1.json…',
    'sync /game/chain/1.json…',
    'link /game/chain/1.json',
    'remove /game/chain/1.json…',
    'syncFolder /game/chain',
  ])
  expect(await publish(disk, countingRandom(), '/game/chain/1.json', bytes('two'))).toBe(false)
  expect([...disk.files]).toEqual([['/game/chain/1.json', bytes('one')]])
  for (const call of ['write', 'sync /game/chain/2', 'link']) {
    disk.fault = { call, code: 'EIO' }
    await expect(publish(disk, countingRandom(), '/game/chain/2.json', bytes('x'))).rejects.toMatchObject({ code: 'EIO' })
    expect([...disk.files.keys()]).toEqual(['/game/chain/1.json'])
  }
})

test('a file is replaced after a flush of its new bytes, or not at all', async () => {
  const disk = new MemoryDisk()
  disk.files.set('/game/a', bytes('old'))
  await replaceFile(disk, countingRandom(), '/game/a', bytes('new'))
  expect(asked(disk)).toEqual(['write /game/a…', 'sync /game/a…', 'move /game/a', 'syncFolder /game'])
  const staged = await stageFile(disk, countingRandom(), '/game/a', bytes('never'))
  await staged.discard()
  expect([...disk.files]).toEqual([['/game/a', bytes('new')]])
})

test.each([
  ['/game/a/b/c', '/game', ['/game/a/b', '/game/a', '/game']],
  ['/game/a', '/game', ['/game']],
  ['/other/a', '/game', ['/other']],
  ['/games/a/b', '/game', ['/games/a']],
  ['/a/b', '/', ['/a', '/']],
])('the names from %s up to %s are flushed, the nearest first', async (folder, root, folders) => {
  const disk = new MemoryDisk()
  await syncNames(disk, folder, root)
  expect(disk.calls).toEqual(folders.map((one) => `syncFolder ${one}`))
})

/** A disk of which each change takes a turn, so that a caller who does not wait is overtaken. */
class SlowDisk extends MemoryDisk {
  override async sync(path: string): Promise<void> {
    await nextTurn()
    await super.sync(path)
  }
  override async syncFolder(folder: string): Promise<void> {
    await nextTurn()
    await super.syncFolder(folder)
  }
  override async remove(path: string): Promise<void> {
    await nextTurn()
    await super.remove(path)
  }
}

test.each<[string, (disk: MemoryDisk) => Promise<unknown>, string]>([
  ['publishes', (disk) => publish(disk, countingRandom(), '/game/a', bytes('new')), 'syncFolder /game'],
  ['replaces', (disk) => replaceFile(disk, countingRandom(), '/game/a', bytes('new')), 'syncFolder /game'],
  ['flushes names', (disk) => syncNames(disk, '/game/a/b/c', '/game'), 'syncFolder /game'],
])('what %s waits for each change before the next one, and for the last', async (_, work, last) => {
  const [quick, slow] = [new MemoryDisk(), new SlowDisk()]
  await work(quick)
  await work(slow)
  expect(slow.calls).toEqual(quick.calls)
  expect(slow.calls.at(-1)).toBe(last)
})

test('what fails has left no temporary file by the time that it is told', async () => {
  for (const work of [publish, replaceFile, replaceLightly]) {
    const disk = new SlowDisk()
    disk.fault = { call: work === publish ? 'link' : 'move', code: 'EIO' }
    await expect(work(disk, countingRandom(), '/game/a', bytes('new'))).rejects.toMatchObject({ code: 'EIO' })
    expect([...disk.files.keys()]).toEqual([])
  }
})

test('a temporary name tells its target, and no other name is one', () => {
  const random = countingRandom()
  const [first, second] = [tempName(random, '/a/b.json'), tempName(random, '/a/b.json')]
  expect([tempTargetOf(first), tempTargetOf(second), first === second]).toEqual(['/a/b.json', '/a/b.json', false])
  for (const name of ['/a/b.json', '/a/b.tmp', '.0123456789abcdef.tmp', 'a.0123456789abcde.tmp', 'a.0123456789abcdef.tmp2'])
    expect(tempTargetOf(name)).toBeUndefined()
})

test('paths: what is inside a folder, what is one file on other systems, and what a missing path would be', () => {
  const inside = ['/a', '/a/b', '/a/..b', '/a/b/../c', '/a/...'].map((path) => isInside('/a', path))
  expect(inside).toEqual([true, true, true, true, true])
  expect(['/', '/ab', '/b', '/a/../b', '/a/..'].map((path) => isInside('/a', path))).toEqual([false, false, false, false, false])
  expect(foldPath('/A/E\u0301.PNG')).toBe(foldPath('/a/\u00e9.png'))
  const real = realPath(tmpdir())
  expect(realPath(join(tmpdir(), 'spritewright-none', 'a', 'b'))).toBe(join(real, 'spritewright-none', 'a', 'b'))
  expect(distinctFolders([tmpdir(), '/none/a', `${tmpdir()}/.`, '/none/b']).toSorted()).toEqual([tmpdir(), '/none/a', '/none/b'].toSorted())
})

test('works run one after the other in the order of their calls, also after one that fails', async () => {
  const done: string[] = []
  const inOrder = oneByOne()
  const work = (name: string, fails = false) =>
    inOrder(async () => {
      done.push(`${name} begins`)
      await Promise.resolve()
      done.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const results = await Promise.allSettled([work('a'), work('b', true), work('c')])
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual(['a', 'failed', 'c'])
  expect(done).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]))
})

test('a temporary file that a disk refuses is told by its folder, and no other error is one of a disk', () => {
  const fail = (fields: object, message = "ENOSPC: no space left on device, open '/game/a.0123456789abcdef.tmp'") =>
    toDiskFailure(Object.assign(new Error(message), fields))
  const refused = fail({ code: 'ENOSPC', syscall: 'open', path: '/game/a.0123456789abcdef.tmp' })
  expect([refused?.code, refused?.facts]).toEqual([
    'SW_DISK',
    { reason: 'ENOSPC', operation: 'open', path: '/game/a.0123456789abcdef.tmp' },
  ])
  expect(refused?.message).toContain('ENOSPC: no space left on device, a file in "/game". Make room')
  expect(fail({ code: 'EIO', syscall: 'read' }, 'EIO: read')?.facts).toEqual({ reason: 'EIO', operation: 'read' })
  for (const other of [
    { code: 'ECONNRESET', syscall: 'read' },
    { code: 'ENOENT', syscall: 'spawn git', path: 'git' },
    { code: 'EADDRINUSE', syscall: 'listen', path: '/a' },
    { code: 'X' },
  ])
    expect(fail(other)).toBeUndefined()
  expect([toDiskFailure(undefined), toDiskFailure('text')]).toEqual([undefined, undefined])
})

test('a file gets the folders that it lacks on the disk of this machine, and no other file is left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spritewright-publish-'))
  try {
    for (const work of [publish, replaceFile, replaceLightly]) {
      const file = join(folder, work.name, 'a/b/file')
      await work(nodeDisk(), countingRandom(), file, bytes(work.name))
      expect([await readFile(file, 'utf8'), await readdir(join(file, '..'))]).toEqual([work.name, ['file']])
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
