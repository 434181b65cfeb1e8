import { writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeDisk } from '../../src/host/disk.ts'

const disk = nodeDisk()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spritewright-disk-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

test('files read on end let timers, signals and requests through', async () => {
  const file = join(folder, 'read.txt')
  await writeFile(file, 'read')
  let isThrough = false
  setTimeout(() => {
    isThrough = true
  }, 0)
  while (!isThrough) expect(await disk.read(file)).toEqual(text('read'))
})

test('a file that was emptied to be written anew is read when it is; one that stays empty is empty', async () => {
  const file = join(folder, 'saved.txt')
  await writeFile(file, '')
  setImmediate(() => setImmediate(() => writeFileSync(file, 'saved')))
  expect(await disk.read(file)).toEqual(text('saved'))
  await writeFile(file, '')
  expect(await disk.read(file)).toEqual(text(''))
})

test('nothing is told as nothing, in a file too; a file and a folder are told apart', async () => {
  const file = join(folder, 'stat.txt')
  await disk.writeTemp(file, text('four'))
  expect(await disk.stat(file)).toMatchObject({ bytes: 4, isFolder: false })
  expect(await disk.stat(folder)).toMatchObject({ bytes: 0, isFolder: true })
  expect(await disk.stat(join(folder, 'none'))).toBeUndefined()
  expect(await disk.stat(join(file, 'none'))).toBeUndefined()
  expect(await disk.list(join(folder, 'none'))).toEqual([])
  await expect(disk.read(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' })
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
