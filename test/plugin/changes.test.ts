import { expect, test } from 'vitest'
import { compareSheets } from '../../plugin/dev/changes.ts'
import type { BuiltAtlas, BuiltSheets } from '../../src/index.ts'

/** An atlas at one scale, as each packing makes it. */
const pack = (name: string, scale: number): BuiltAtlas => ({ name, scale }) as BuiltAtlas

/** Sheets with a sprite for each name. A sprite's atlas is its first letter. */
function sheets(names: readonly string[], atlases: readonly BuiltAtlas[], width = 8): BuiltSheets {
  return { sprites: names.map((name) => ({ name, atlas: name.charAt(0), width })), atlases } as unknown as BuiltSheets
}

const [a1, a2, b1] = [pack('a', 1), pack('a', 0.5), pack('b', 1)]
const before = sheets(['ant', 'ape', 'bee'], [a1, a2, b1])

/** Names of the sprites that changed, and of those that are gone. */
function changes(after: BuiltSheets): readonly (readonly string[])[] {
  const { changed, gone } = compareSheets(before, after)
  return [changed, gone].map((sprites) => sprites.map(({ name }) => name))
}

test.each([
  ['nothing', [a1, a2, b1], []],
  ['the first of two', [pack('a', 1), a2, b1], ['ant', 'ape']],
  ['the second of two', [a1, pack('a', 0.5), b1], ['ant', 'ape']],
  ['an added one', [a1, a2, pack('a', 0.25), b1], ['ant', 'ape']],
  ['an atlas of another sprite', [a1, a2, pack('b', 1)], ['bee']],
])('if %s is packed again, exactly the sprites in it have changed', (_what, atlases, changed) => {
  expect(changes(sheets(['ant', 'ape', 'bee'], atlases))).toEqual([changed, []])
})

test('a sprite that has changed itself, a new one and one that is gone are told apart', () => {
  expect(changes(sheets(['ant', 'bee', 'bug'], [a1, a2, b1]))).toEqual([['bug'], ['ape']])
  expect(changes(sheets(['ant', 'ape', 'bee'], [a1, a2, b1], 9))).toEqual([['ant', 'ape', 'bee'], []])
})
