import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boxesOf } from '../../src/sprite-spec/boxes.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { linesOf, specText } from './issues.ts'

const file = '/game/hero.sprite.json'
const box = [0.25, 0.5, 0.5, 0.25] as const
const other = [0, 0, 1, 1] as const

/** The boxes of a frame of `walk`. */
function ofFrame(boxes: unknown, index: number): unknown {
  const spec = parseSpec(specText({ boxes }), file)
  return boxesOf(spec, spec.animations[0]!, index)
}

describe('the boxes of a frame', () => {
  test.each([
    ['one box of all frames', { body: box }, [['body', [box]]]],
    ['several boxes', { body: [box, other] }, [['body', [box, other]]]],
    ['found ones', { body: 'find' }, [['body', 'find']]],
    ['those of its animation before those of all others', { body: { '*': 'find', walk: box } }, [['body', [box]]]],
    ['those of its number', { body: { walk: { '3': box, '*': other } } }, [['body', [box]]]],
    ['those of all others if its animation has none of its number', { body: { '*': 'find', walk: { '4': box } } }, [['body', 'find']]],
    [
      'those of all others of its animation before those of its number',
      { body: { walk: { '*': box }, '*': { '3': other } } },
      [['body', [box]]],
    ],
    ['those of its number among all others', { body: { '*': { '3': box, '*': other } } }, [['body', [box]]]],
    ['none by an empty list', { body: { '*': 'find', walk: [] } }, [['body', []]]],
    [
      'sorted by name',
      { hurt: 'find', body: box },
      [
        ['body', [box]],
        ['hurt', 'find'],
      ],
    ],
    ['by a name that objects have', { constructor: box }, [['constructor', [box]]]],
  ])('are %s', (_, boxes, expected) => {
    expect(ofFrame(boxes, 3)).toEqual(expected)
  })

  test('have numbers of frames as keys in YAML too', () => {
    const spec = parseSpec(
      'reference: hero.png\nprompt: a knight\nanimations: { walk: {} }\nboxes:\n  hit: { walk: { 3: [0, 0, 1, 1] } }\n',
      '/game/hero.sprite.yaml',
    )
    expect(boxesOf(spec, spec.animations[0]!, 3)).toEqual([['hit', [other]]])
    expect(boxesOf(spec, spec.animations[0]!, 2)).toEqual([['hit', []]])
  })

  test('law: a box is taken if and only if it has an area inside of the frame', () => {
    const shares = fc.constantFrom(0, 0.1, 0.3, 0.5, 0.7, 0.9, 1, -0.1, 1.1)
    fc.assert(
      fc.property(fc.tuple(shares, shares, shares, shares), ([x, y, width, height]) => {
        const isInside = x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= 1 + 1e-9 && y + height <= 1 + 1e-9
        const read = (): unknown => parseSpec(specText({ boxes: { body: [x, y, width, height] } }), file)
        if (isInside) expect(read).not.toThrow()
        else expect(read).toThrow(/boxes\.body/)
      }),
    )
  })
})

describe('boxes are refused at their place:', () => {
  test.each([
    [{ body: [0.5, 0, 0.6, 1] }, '0.6', /boxes\.body\[2\]: expected \[x, y, width, height\] inside of the frame, .* found 0\.6/],
    [{ body: [0.5, 0, 2, 1] }, '2,1]', /boxes\.body\[2\]: expected .* found 2/],
    [
      {
        body: [
          [0, 0, 1, 1],
          [0, 0, 1, 0],
        ],
      },
      '0]]',
      /boxes\.body\[1\]\[3\]: expected .* found 0/,
    ],
    [{ body: 'search' }, '"search"', /boxes\.body: expected "find", a box/],
    [{ weapon: 'find' }, '"find"', /boxes\.weapon: expected numbers, because only body, feet, hurt, hit can be found/],
    [
      { hit: { wlak: box } },
      '"wlak"',
      /boxes\.hit\.wlak: expected the name of an animation or picture of this sprite \(did you mean "walk"\?\)/,
    ],
    [{ hit: { walk: { '12': box } } }, '"12"', /boxes\.hit\.walk\.12: expected one of the 12 frames, 0 to 11/],
    [{ hit: { walk: { first: box } } }, '"first"', /boxes\.hit\.walk\.first: expected the number of a frame, or \*/],
    [{ hit: { walk: { '3': [0, 0, 0, 1] } } }, '0,1]', /boxes\.hit\.walk\.3\[2\]/],
  ])('%j', (boxes, place, words) => {
    const [line = '', ...more] = linesOf(specText({ boxes }))
    expect(more).toEqual([])
    expect(line).toMatch(words)
    expect(line).toMatch(new RegExp(`^1:${specText({ boxes }).indexOf(place) + 1} `))
  })
})
