import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDocument, maximumDepth } from '../../src/spec/document.ts'
import { parseJsonText } from '../../src/spec/json-text.ts'
import { parseSpec } from '../../src/spec/parser.ts'
import { readPlainJson } from '../../src/spec/plain-json.ts'
import { readPlainSpec } from '../../src/spec/plain-spec.ts'
import { specText } from './issues.ts'

const file = '/game/hero.sprite.json'

/** What the reader with places makes of a text; undefined where it finds fault. */
function slowly(text: string): { readonly value: unknown } | undefined {
  const parsed = parseJsonText(text)
  if ('broken' in parsed) return undefined
  const { value, faults } = createDocument(text, parsed.root)
  return faults.length === 0 ? { value } : undefined
}

function specSlowly(text: string, path = file): unknown {
  try {
    return parseSpec(text, path)
  } catch {
    return undefined
  }
}

/** Says nothing about what is not taken: that is read again. */
function expectTheSame(text: string): void {
  const plain = readPlainJson(text)
  if (plain) expect(plain).toEqual(slowly(text))
}

function expectTheSameSpec(text: string): void {
  const plain = readPlainSpec(text, file)
  // With the order of fields, since specs are compared by their text.
  if (plain) expect(JSON.stringify(plain)).toBe(JSON.stringify(specSlowly(text)))
}

const words = fc.oneof(fc.constantFrom('walk', 'a "knight"\\', '\n', ' ', '', 'é\u2028', '🦊', '\ud83e', '{', '"a":'), fc.string())
const numbers = fc.oneof(
  fc.integer({ min: -1, max: 120 }),
  fc.constantFrom(0.5, -0, 4096, 4097, 9999, 10_000, 60_000, 60_001, 2 ** 53, 1e21, 1e-9),
)
const scalars = fc.oneof(words, numbers, fc.boolean(), fc.constant(null))

describe('JSON without anything unusual', () => {
  const keys = fc.constantFrom('a', 'b', '__proto__', 'constructor', '"', '\\', '"a":', 'é', '0', '')
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, scalars, fc.array(tie('tree'), { maxLength: 4 }), tie('object')),
    object: fc.array(fc.tuple(keys, tie('tree')), { maxLength: 5 }).map((fields) => ({ fields })),
  }))
  /** As text, so that a field may stand twice. */
  const format = (value: unknown, blank: string): string => {
    if (Array.isArray(value)) return `[${blank}${value.map((item) => format(item, blank)).join(`,${blank}`)}]`
    if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : JSON.stringify(value)
    const { fields } = value as { readonly fields: readonly (readonly [string, unknown])[] }
    return `{${blank}${fields.map(([key, item]) => `${JSON.stringify(key)}${blank}:${blank}${format(item, blank)}`).join(`${blank},`)}}`
  }

  test('is read as the reader with places reads it', () => {
    let taken = 0
    fc.assert(
      fc.property(tree, fc.constantFrom('', ' ', '\r\n\t', '\u00a0', '/* "a": */'), (value, blank) => {
        const text = format(value, blank)
        if (readPlainJson(text)) taken += 1
        expectTheSame(text)
      }),
      { numRuns: 1000 },
    )
    expect(taken).toBeGreaterThan(100)
  })

  test('is any JSON that the platform writes, with texts of every kind', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-t"\\:]{1,4}$/), fc.stringMatching(/^["\\:{}a-t]*$/)), (value) => {
        expect(readPlainJson(JSON.stringify(value, null, 2))).toEqual({ value })
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
    ['a comment', '{"a": 1} // a'],
    ['a comma at the end', '[1,]'],
    ['a byte order mark', '\ufeff{}'],
  ])('is none with %s', (_, text) => {
    expect(readPlainJson(text)).toBeUndefined()
  })

  test('may be as deep as the reader with places allows', () => {
    const text = `${'['.repeat(maximumDepth)}${']'.repeat(maximumDepth)}`
    expect(readPlainJson(text)).toEqual(slowly(text))
    expect(slowly(text)).toBeDefined()
  })
})

describe('a plain spec', () => {
  const sometimes = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: scalars })
  const list = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.array(item, { maxLength: 4 })
  const animation = fc.record(
    {
      prompt: sometimes(fc.constant('walks')),
      frames: sometimes(fc.integer({ min: 6, max: 101 })),
      take: sometimes(fc.integer({ min: 0, max: 3 })),
      fps: sometimes(fc.constantFrom(0, 0.5, 8, 240, 241)),
      loop: sometimes(fc.boolean()),
      yoyo: sometimes(fc.boolean()),
      durations: sometimes(list(fc.constantFrom(0.5, 1, 100.5, 60_000, 60_001))),
      use: sometimes(list(fc.integer({ min: -1, max: 12 }))),
      options: fc.constant({ style: 'a' }),
      other: scalars,
    },
    { requiredKeys: [] },
  )
  /** Fields that are mostly right, since one wrong one is enough. */
  const some = <T extends object>(fields: fc.Arbitrary<T>, most: number): fc.Arbitrary<object> =>
    fc.tuple(fields, fc.nat({ max: most })).map(([all, count]) => Object.fromEntries(Object.entries(all).slice(0, count)))
  const names = fc.constantFrom('walk', 'Walk', 'run-2', '1', '10', '_x', 'constructor', '__proto__', 'toString')
  const spec = fc
    .record({
      required: fc.record({
        reference: sometimes(fc.constantFrom('hero.png', '../hero.png', '/hero.png', 'https://a/b.png', 'a\\b.png', '')),
        prompt: sometimes(fc.constant('a knight')),
        animations: sometimes(fc.dictionary(names, some(animation, 3), { maxKeys: 2 })),
      }),
      free: some(
        fc.record(
          {
            $schema: sometimes(fc.constant('x')),
            background: sometimes(fc.constantFrom('remove', 'keep', 'blur')),
            size: sometimes(
              fc.oneof(fc.integer({ min: 0, max: 4097 }), fc.constantFrom({ width: 3, height: 4 }, { width: 3 }, { width: 3, height: 0 })),
            ),
            pixelArt: sometimes(fc.boolean()),
            anchor: sometimes(list(fc.constantFrom(0, 0.5, 1, 1.5))),
            borders: sometimes(
              fc.oneof(fc.integer({ min: -1, max: 2049 }), fc.array(fc.constantFrom(0, 12, 2048, -1, 0.5), { minLength: 3, maxLength: 5 })),
            ),
            stabilize: sometimes(fc.boolean()),
            trim: sometimes(fc.boolean()),
            extrude: sometimes(fc.integer({ min: -1, max: 17 })),
            padding: sometimes(fc.integer({ min: -1, max: 65 })),
            scales: sometimes(list(fc.constantFrom(0, 0.5, 1, 4, 5))),
            atlas: sometimes(fc.constantFrom('sprites', 'level-1', '-', '')),
            other: scalars,
          },
          { requiredKeys: [] },
        ),
        4,
      ),
      isTurned: fc.boolean(),
    })
    .map(({ required, free, isTurned }) => (isTurned ? { ...free, ...required } : { ...required, ...free }))

  test('is the spec that the schema makes of the same text', () => {
    let taken = 0
    fc.assert(
      fc.property(spec, (value) => {
        const text = JSON.stringify(value)
        if (readPlainSpec(text, file)) taken += 1
        expectTheSameSpec(text)
      }),
      { numRuns: 3000 },
    )
    expect(taken).toBeGreaterThan(100)
  })

  test.each([
    ['of the required fields', {}],
    [
      'of every field but a chain and options',
      {
        $schema: 'x',
        background: 'keep',
        size: { width: 64, height: 96 },
        pixelArt: true,
        anchor: [0.5, 1],
        borders: [12, 0, 12, 2048],
        stabilize: false,
        trim: false,
        extrude: 0,
        padding: 64,
        scales: [2, 1, 0.5],
        atlas: 'level-1',
        animations: {
          walk: { prompt: 'walks', frames: 7, take: 2, fps: 8.5, loop: false, yoyo: true, use: [6, 0, 0], durations: [100, 50.5, 1] },
        },
      },
    ],
  ])('%s is read without the schema', (_, fields) => {
    const text = specText(fields)
    expect(readPlainSpec(text, file)).toStrictEqual(specSlowly(text))
    expect(specSlowly(text)).toBeDefined()
  })

  test('leaves YAML, other files and animations whose order is the text alone to the schema', () => {
    expect(readPlainSpec(specText({}), '/game/hero.sprite.yaml')).toBeUndefined()
    expect(readPlainSpec(specText({}), '/game/-hero.sprite.json')).toBeUndefined()
    expect(readPlainSpec(specText({}), '/game/hero.json')).toBeUndefined()
    expect(readPlainSpec('{"reference":"a.png","prompt":"a","animations":{"b":{},"1":{}}}', file)).toBeUndefined()
  })
})
