import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDocument, maximumDepth } from '../../src/sprite-spec/document.ts'
import { parseJsonText, parseReviewedJson } from '../../src/sprite-spec/json-text.ts'

/** The value of a text. Returns `undefined` if the reader finds a fault. */
function read(text: string): { readonly value: unknown } | undefined {
  const parsed = parseJsonText(text)
  if ('broken' in parsed) return undefined
  const { value, faults } = createDocument(text, parsed.root)
  return faults.length === 0 ? { value } : undefined
}

const words = fc.oneof(fc.constantFrom('walk', 'a "knight"\\', '\n', ' ', '', 'é\u2028', '🦊', '\ud83e', '{', '"a":'), fc.string())
const numbers = fc.oneof(
  fc.integer({ min: -1, max: 120 }),
  fc.constantFrom(0.5, -0, 4096, 4097, 9999, 10_000, 60_000, 60_001, 2 ** 53, 1e21, 1e-9),
)
const scalars = fc.oneof(words, numbers, fc.boolean(), fc.constant(null))

describe('JSON', () => {
  const keys = fc.constantFrom('a', 'b', '__proto__', 'constructor', '"', '\\', '"a":', 'é', '0', '')
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, scalars, fc.array(tie('tree'), { maxLength: 4 }), tie('object')),
    object: fc.array(fc.tuple(keys, tie('tree')), { maxLength: 5 }).map((fields) => ({ fields })),
  }))
  /** As text, so that a field may occur twice. */
  const format = (value: unknown, blank: string, spell: (key: string) => string): string => {
    if (Array.isArray(value)) return `[${blank}${value.map((item) => format(item, blank, spell)).join(`,${blank}`)}]`
    if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : JSON.stringify(value)
    const { fields } = value as { readonly fields: readonly (readonly [string, unknown])[] }
    return `{${blank}${fields.map(([key, item]) => `${spell(key)}${blank}:${blank}${format(item, blank, spell)}`).join(`${blank},`)}}`
  }

  /** As a program writes it. */
  const formatLines = (value: unknown, indent = '\n'): string => {
    const inner = `${indent}  `
    const around = (open: string, parts: readonly string[], close: string): string =>
      parts.length === 0 ? open + close : `${open}${inner}${parts.join(`,${inner}`)}${indent}${close}`
    if (Array.isArray(value))
      return around(
        '[',
        value.map((item) => formatLines(item, inner)),
        ']',
      )
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const { fields } = value as { readonly fields: readonly (readonly [string, unknown])[] }
    return around(
      '{',
      fields.map(([key, item]) => `${JSON.stringify(key)}: ${formatLines(item, inner)}`),
      '}',
    )
  }

  const isPlain = (value: unknown): boolean => {
    if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value)
    if (typeof value === 'string') return !/\p{Surrogate}/u.test(value)
    if (Array.isArray(value)) return value.every(isPlain)
    if (typeof value !== 'object' || value === null) return true
    const { fields } = value as { readonly fields: readonly (readonly [string, unknown])[] }
    const names = fields.map(([key]) => key)
    return new Set(names).size === names.length && !names.includes('__proto__') && fields.every(([, item]) => isPlain(item))
  }
  /** The same key with each letter as an escape. */
  const escaped = (key: string): string => `"${[...key].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`

  test('is read as the platform reads it, and refused if a key comes twice, in whatever spelling, or a value cannot be written exactly', () => {
    let taken = 0
    fc.assert(
      fc.property(tree, fc.constantFrom('', ' ', '\r\n\t', '/* "a": */'), fc.infiniteStream(fc.boolean()), (value, blank, areEscaped) => {
        const text = format(value, blank, (key) => (areEscaped.next().value ? escaped(key) : JSON.stringify(key)))
        const found = read(text)
        expect(found !== undefined).toBe(isPlain(value))
        if (!found) return
        taken += 1
        expect(found.value).toEqual(JSON.parse(text.replaceAll('/* "a": */', '')))
      }),
      { numRuns: 1000 },
    )
    expect(taken).toBeGreaterThan(100)
  })

  test('that money depends on is refused for the same faults, also in the form in which a program writes it', () => {
    let [taken, refused] = [0, 0]
    const isTaken = (text: string): boolean => {
      try {
        expect(parseReviewedJson(text)).toEqual(JSON.parse(text))
        return true
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(tree, (value) => {
        const text = `${formatLines(value)}\n`
        expect(isTaken(text)).toBe(isPlain(value))
        expect(isTaken(text.trimEnd())).toBe(isPlain(value))
        if (isPlain(value)) taken += 1
        else refused += 1
      }),
      { numRuns: 1000 },
    )
    expect(Math.min(taken, refused)).toBeGreaterThan(50)
    const nested = (levels: number): string => `${JSON.stringify(JSON.parse('['.repeat(levels) + ']'.repeat(levels)), null, 2)}\n`
    expect(isTaken(nested(maximumDepth + 8))).toBe(true)
    expect(() => parseReviewedJson(nested(maximumDepth + 9))).toThrow('levels of brackets')
    expect(() => parseReviewedJson(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toThrow('levels of brackets')
  })

  test('is any that the platform writes, with texts of every kind', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-t"\\:]{1,4}$/), fc.stringMatching(/^["\\:{}a-t]*$/)), (value) => {
        expect(read(JSON.stringify(value, null, 2))).toEqual({ value })
      }),
    )
  })

  test.each([
    ['a field twice', '{"a": 1, "b": {"c": 1, "c": 1}}'],
    ['a field twice, once escaped', '{"a": 1, "\\u0061": 2}'],
    ['a field of the prototype', '{"__proto__": {"a": 1}}'],
    ['half of a pair', '["\\ud83e"]'],
    ['half of a pair, as it is', '["\ud83e"]'],
    ['a number that loses digits', '[9007199254740993]'],
    ['a number without end', '[1e999]'],
    ['too deep a nesting', `${'['.repeat(maximumDepth + 1)}${']'.repeat(maximumDepth + 1)}`],
  ])('is refused with %s', (_, text) => {
    expect(read(text)).toBeUndefined()
  })

  test('may be as deep as it is allowed to be, and have comments and commas at the end', () => {
    expect(read(`${'['.repeat(maximumDepth)}${']'.repeat(maximumDepth)}`)).toBeDefined()
    expect(read('{"a": [1,],} // a')?.value).toEqual({ a: [1] })
  })
})
