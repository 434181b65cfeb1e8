import { expect, test } from 'vitest'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'

function specOf(pixelArt: string): SpriteSpec {
  return parseSpec(
    `{ "reference": "./a.png", "prompt": "x", "animations": { "walk": {} },\n "pixelArt": ${pixelArt} }`,
    '/g/hero.sprite.json',
  )
}

test.each(['{ "grid": 1 }', '{ "gird": 4 }', '{ "palette": "/etc/x.hex" }', '{ "palette": 1 }', '{ "alpha": "soft" }', '"yes"'])(
  'pixelArt %s is refused, with its line',
  (value) => {
    expect(() => specOf(value)).toThrow(expect.objectContaining({ code: 'SW_SPEC', message: expect.stringMatching(/:2:\d+/) }))
  },
)

test('an object without fields is the same as true', () => {
  expect(specOf('{}')).toEqual(specOf('true'))
  expect(specOf('{ "grid": "find", "palette": "./a.hex", "alpha": "hard" }')).toMatchObject({
    pixelArt: true,
    truePixels: { grid: 'find', palette: './a.hex', alpha: 'hard' },
  })
})
