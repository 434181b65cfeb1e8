import { expect, test } from 'vitest'
import { writeConflict } from '../../src/vault/lock-merge.ts'
import { formatLockFile, type LockEntry, type LockFile } from '../../src/vault/lockfile.ts'
import { mergeLockFiles, resolveLockConflict, splitLock } from '../../src/workshop/merge.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const service = { host: 'a.test', keyMode: 'test', apiVersion: '1' } as const
const hash = (digit: string): string => digit.repeat(64)
const path = '/game/sprites.lock.json'

/** An entry with an approval of this ceiling, or with none. */
function entry(ceiling?: string): LockEntry {
  const approval = { ceiling, priceVersion: 'v', buyer: 'b', at: '2026-01-01T00:00:00.000Z' }
  return { service, asked: { prompt: 'x' }, ...(ceiling === undefined ? {} : { approval }) } as LockEntry
}
const lockOf = (entries: Readonly<Record<string, LockEntry>>): LockFile => ({
  version: 1,
  animations: Object.fromEntries(Object.entries(entries).map(([id, one]) => [id, { [hash(id[0] === 'h' ? 'a' : 'b')]: one }])),
})
const text = (entries: Readonly<Record<string, LockEntry>>): string => formatLockFile(lockOf(entries))

function desk(files: Readonly<Record<string, string>>) {
  const disk = new MemoryDisk()
  for (const [name, content] of Object.entries(files)) disk.files.set(name, new TextEncoder().encode(content))
  const filesNow = (): Readonly<Record<string, string>> =>
    Object.fromEntries([...disk.files].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]))
  return { host: { disk, random: countingRandom() }, filesNow }
}

test('the driver writes the merge of three versions over ours alone, and names what both sides changed', async () => {
  const [base, ours, theirs] = ['/t/base', '/t/ours', '/t/theirs']
  const before = { 'hero.walk': entry() }
  const mine = { 'hero.walk': entry('2') }
  const other = { 'hero.walk': entry(), 'owl.fly': entry('1') }
  const good = desk({ [base]: text(before), [ours]: text(mine), [theirs]: text(other) })
  expect(await mergeLockFiles(good.host, { base, ours, theirs })).toEqual([])
  expect(good.filesNow()).toEqual({
    ...{ [base]: text(before), [theirs]: text(other) },
    [ours]: text({ 'hero.walk': entry('2'), 'owl.fly': entry('1') }),
  })
  const three = { 'hero.walk': entry('3'), 'owl.fly': entry('1') }
  const bad = desk({ [base]: '\n', [ours]: text(mine), [theirs]: text(three) })
  expect(await mergeLockFiles(bad.host, { base, ours, theirs })).toEqual(['hero.walk'])
  const sides = { ours: text({ 'hero.walk': entry('2'), 'owl.fly': entry('1') }), theirs: text(three) }
  expect(bad.filesNow()).toEqual({ [base]: '\n', [ours]: writeConflict(sides), [theirs]: text(three) })
  const [two, changed] = [text({ 'hero.walk': entry('2') }), text({ 'hero.walk': entry('3') })]
  const one = desk({ [base]: two, [ours]: changed, [theirs]: two })
  expect([await mergeLockFiles(one.host, { base, ours, theirs }), one.filesNow()[ours]]).toEqual([[], changed])
  await expect(mergeLockFiles(desk({ [base]: '', [ours]: text(mine) }).host, { base, ours, theirs })).rejects.toMatchObject({
    code: 'SW_USAGE',
    message: `Expected a lock file at ${theirs}, found none.`,
    facts: { file: theirs },
  })
})

test('a conflict is resolved in each file that has one, by a choice if both sides changed an entry', async () => {
  const part = '/game/sprites.lock/owl.json'
  const sides = { ours: text({ 'hero.walk': entry('2') }), theirs: text({ 'hero.walk': entry('3') }) }
  const easy = { ours: text({ 'owl.fly': entry() }), theirs: text({ 'owl.fly': entry('1') }) }
  const files = { [path]: writeConflict(sides), [part]: writeConflict(easy), '/game/sprites.lock/notes.txt': 'mine' }
  const { host, filesNow } = desk(files)
  await expect(resolveLockConflict(host, path)).rejects.toMatchObject({ code: 'SW_LOCKFILE' })
  expect(filesNow()).toEqual(files)
  await expect(resolveLockConflict(host, path, { side: 'ours', ids: ['owl.fly', 'hero.walk'] })).rejects.toMatchObject({
    code: 'SW_USAGE',
    message: 'Expected names of entries that both sides changed (hero.walk), found owl.fly.',
    facts: { unknown: ['owl.fly'], conflicts: ['hero.walk'] },
  })
  expect(filesNow()).toEqual(files)
  expect(await resolveLockConflict(host, path, { side: 'theirs', ids: ['hero.walk'] })).toEqual({ files: [path, part], left: [] })
  const merged = { ...files, [path]: sides.theirs, [part]: easy.theirs }
  expect(filesNow()).toEqual(merged)
  expect(await resolveLockConflict(host, path)).toEqual({ files: [], left: [] })
  await expect(resolveLockConflict(host, path, { side: 'ours', ids: ['hero.walk'] })).rejects.toThrow(
    'changed (there are none), found hero.walk.',
  )
  expect(filesNow()).toEqual(merged)
  await expect(resolveLockConflict(desk({}).host, path)).rejects.toMatchObject({ message: `Expected a lock file at ${path}, found none.` })
})

test('what only one side changed is resolved without a choice, and a choice of one entry leaves the other one in markers', async () => {
  const part = '/game/sprites.lock/owl.json'
  const easy = (id: string): string => writeConflict({ ours: text({ [id]: entry() }), theirs: text({ [id]: entry('1') }) })
  const all = desk({ [path]: easy('hero.walk'), [part]: easy('owl.fly') })
  expect(await resolveLockConflict(all.host, path)).toEqual({ files: [path, part], left: [] })
  expect(all.filesNow()).toEqual({ [path]: text({ 'hero.walk': entry('1') }), [part]: text({ 'owl.fly': entry('1') }) })
  const of = (hero: string, owl: string): string => text({ 'hero.walk': entry(hero), 'owl.fly': entry(owl) })
  for (const [side, hero] of [
    ['ours', '2'],
    ['theirs', '3'],
  ] as const) {
    const some = desk({ [path]: writeConflict({ ours: of('2', '1'), theirs: of('3', '4') }) })
    expect(await resolveLockConflict(some.host, path, { side, ids: ['hero.walk'] })).toEqual({ files: [path], left: ['owl.fly'] })
    expect(some.filesNow()).toEqual({ [path]: writeConflict({ ours: of(hero, '1'), theirs: of(hero, '4') }) })
  }
})

test('splitting begins the folder at first, and moves the entries at the second time', async () => {
  const { host, filesNow } = desk({ [path]: text({ 'hero.walk': entry('2'), 'owl.fly': entry('1') }) })
  expect([await splitLock(host, path), Object.keys(filesNow())]).toEqual([true, [path]])
  expect(await splitLock(host, path)).toBe(false)
  const { [path]: rest = '', ...parts } = filesNow()
  expect([Object.keys(JSON.parse(rest).animations), Object.keys(parts).sort()]).toEqual([
    [],
    ['/game/sprites.lock/hero.json', '/game/sprites.lock/owl.json'],
  ])
})
