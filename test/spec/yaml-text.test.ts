import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { maximumDepth, type TextNode } from '../../src/sprite-spec/document.ts'
import { parseYamlText } from '../../src/sprite-spec/yaml-text.ts'

/** The value of a tree. Of equal fields, the last one counts. */
function toValue(node: TextNode): unknown {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'list') return node.items.map(toValue)
  return Object.fromEntries(node.entries.map(({ key, node: own }) => [key, toValue(own)]))
}

function read(text: string): unknown {
  const parsed = parseYamlText(text)
  if ('broken' in parsed) throw new Error(parsed.broken.expected)
  return toValue(parsed.root)
}

function fault(text: string): unknown {
  const parsed = parseYamlText(text)
  return 'broken' in parsed ? parsed.broken : 'no fault'
}

describe('parseYamlText', () => {
  test('law: every value of JSON that is written as YAML is read back', () => {
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof({ depthSize: 'small' }, fc.string(), fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('object')),
      list: fc.array(tie('json'), { maxLength: 4 }),
      object: fc.dictionary(
        fc.string().filter((name) => name !== '__proto__' && name !== '<<'),
        tie('json'),
        { maxKeys: 4 },
      ),
    }))
    fc.assert(
      fc.property(json, (value) => {
        expect(read(stringify(value, { aliasDuplicateObjects: false }))).toEqual(value)
      }),
    )
  })

  test('an alias repeats what its anchor names', () => {
    expect(read('a: &walk [1, 2]\nb: *walk\nc: { d: *walk }')).toEqual({ a: [1, 2], b: [1, 2], c: { d: [1, 2] } })
  })

  test('the name of a field may be a number', () => {
    expect(read('1: a\n2.5: b')).toEqual({ 1: 'a', 2.5: 'b' })
  })

  test('an empty field and an empty text are null', () => {
    expect(read('a:\nb: ~')).toEqual({ a: null, b: null })
    expect(read('')).toBe(null)
    expect(read('[a, ~]')).toEqual(['a', null])
  })

  test.each([
    ['? [a]\n: b', { expected: 'the name of a field as a text', found: 'another kind of value', offset: 2 }],
    ['true: a', { expected: 'the name of a field as a text', found: 'true', offset: 0 }],
    ['a: 1\n~: b', { expected: 'the name of a field as a text', found: 'null', offset: 5 }],
    ['a: *none', { found: '*none', offset: 3 }],
  ])('%j is refused at its place', (text, expected) => {
    expect(fault(text)).toMatchObject(expected)
  })

  test('aliases must not expand a small file into a huge value', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 8; level++)
      lines.push(
        `a${level}: &a${level} [${Array(8)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      )
    expect(fault(lines.join('\n'))).toMatchObject({ expected: expect.stringMatching(/^at most 20000 values/), found: 'more' })
  })

  test('aliases must not nest deeper than a text may', () => {
    const nested = (levels: number): string =>
      ['a0: &a0 x', ...Array.from({ length: levels }, (_, level) => `a${level + 1}: &a${level + 1} [*a${level}]`)].join('\n')
    // Each level is a list and an alias, inside the object of the file.
    const most = Math.floor((maximumDepth - 1) / 2)
    expect(fault(nested(most))).toBe('no fault')
    expect(fault(nested(most + 1))).toMatchObject({ expected: `at most ${maximumDepth} levels`, found: 'more' })
  })

  test('lists nest to the greatest depth and no deeper', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    expect(fault(nested(maximumDepth))).toBe('no fault')
    expect(fault(nested(3 * maximumDepth))).toMatchObject({ expected: `at most ${maximumDepth} levels`, found: 'more' })
  })
})
