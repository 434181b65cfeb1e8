import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { warmFiles } from '../../src/host/warm-files.ts'
import { type Glance, isAsSeen, toGlance } from '../../src/warm/glance.ts'

const files = warmFiles()
let folder: string
const at = (name: string): string => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spritewright-glance-'))
  mkdirSync(at('deep'))
  for (const name of ['a', 'b', 'deep/c']) {
    writeFileSync(at(name), name)
    utimesSync(at(name), 1, 1)
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Of files known by their marks, and of others known by their shapes. */
function glance(marked: readonly string[], shaped: readonly string[]): Glance {
  const looks = (names: readonly string[], look: (path: string) => string | undefined): Record<string, string> =>
    Object.fromEntries(names.map((name) => [at(name), look(at(name)) as string]))
  return toGlance(files, looks(marked, files.mark), looks(shaped, files.shape))
}

/** Another byte in the same place, with the old times put back, as soon as the disk's clock has gone on. */
function changeQuietly(name: string): void {
  const { ctimeMs } = statSync(at(name))
  while (statSync(at(name)).ctimeMs === ctimeMs) {
    writeFileSync(at(name), 'x'.repeat(name.length))
    utimesSync(at(name), 1, 1)
  }
}

test('nothing has changed', () => {
  expect(isAsSeen(files, glance(['a', 'deep/c'], ['b', 'deep', 'none']))).toBe(true)
  expect(isAsSeen(files, glance([], []))).toBe(true)
})

const changes: readonly (readonly [string, () => void])[] = [
  ['a file has another byte and its old times', () => changeQuietly('a')],
  ['a file of another folder has', () => changeQuietly('deep/c')],
  ['a file is gone', () => rmSync(at('a'))],
  [
    'two files have changed places',
    () => [renameSync(at('a'), at('x')), renameSync(at('deep/c'), at('a')), renameSync(at('x'), at('deep/c'))],
  ],
  ['a file known by its shape has other times', () => utimesSync(at('b'), 2, 2)],
  ['one has another length', () => [writeFileSync(at('b'), 'longer'), utimesSync(at('b'), 1, 1)]],
  ['one is a folder', () => [rmSync(at('b')), mkdirSync(at('b'))]],
  ['a folder is gone', () => rmSync(at('deep'), { recursive: true })],
  ['there is something where nothing was', () => writeFileSync(at('none'), '')],
]
test.each(changes)('it is seen that %s', (_what, change) => {
  const seen = glance(['a', 'deep/c'], ['b', 'deep', 'none'])
  change()
  expect(isAsSeen(files, seen)).toBe(false)
})

test('a file known by its shape may have another byte: whoever opens it looks whether it is whole', () => {
  const seen = glance(['a'], ['b'])
  changeQuietly('b')
  expect(isAsSeen(files, seen)).toBe(true)
})

test('a name with a line break is never the same', () => {
  writeFileSync(at('a\nb'), 'x')
  expect(isAsSeen(files, glance(['a\nb'], []))).toBe(false)
})
