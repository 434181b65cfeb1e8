import { expect, test } from 'vitest'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { staleOf } from '../../src/workshop/sheets/changed-specs.ts'

const specs = ['hero', 'coin'].map((name) =>
  parseSpec(
    JSON.stringify({ reference: `./Café/${name}.png`, prompt: 'x', animations: { walk: {} } }),
    `/game/${name}.sprite.json`,
    `${name}.sprite.json`,
  ),
)

test.each([
  ['as the spec writes it', '/game/Café/hero.png'],
  ['in the case that the disk has it in', '/game/café/Hero.PNG'],
  ['with its accents taken apart', '/game/Cafe\u0301/hero.png'],
  ['of a frame touched up by hand, in another case', '/game/Hero.frames/walk/0001.png'],
])('a picture that has changed leads to its sprite: %s', (_what, path) => {
  expect(staleOf(specs, [path])).toEqual(new Set(['hero']))
})

test('a picture of nobody leads to none, any other file to all', () => {
  expect(staleOf(specs, ['/game/hero.png', '/game/coin.sprite.json'])).toEqual(new Set())
  expect(staleOf(specs, ['/game/Café/hero.png', '/game/sprites.lock.json'])).toBe('all')
})
