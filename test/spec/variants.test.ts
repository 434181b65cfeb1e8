import { expect, test } from 'vitest'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { linesOf, specText } from './issues.ts'

const ramps = [{ from: ['#1c2f7a'], to: ['#7a1c1c'] }]

test('a name of a variant is part of file names beside those of normal maps, so it has small letters', () => {
  expect(Object.keys(parseSpec(specText({ variants: { red: ramps, 'blue-2': ramps } }), '/game/hero.sprite.json').variants ?? {})).toEqual([
    'red',
    'blue-2',
  ])
  for (const name of ['Red', 'normals', '../red', 'rot grün', ''])
    expect(linesOf(specText({ variants: { [name]: ramps } })).join('\n'), name).toContain(
      'a name of small letters, digits, _ and -, beginning with a letter or digit, other than "normals"',
    )
})
