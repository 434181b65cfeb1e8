import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { makeAtlas } from '../../atlas/atlas.ts'
import { pageSide } from '../../atlas/limits.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { type Options, type OptionsContext, resolveOptions } from '../../src/options/options.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { specJsonSchema } from '../../src/sprite-spec/schema.ts'
import { issuesOf, specText } from '../spec/issues.ts'

/** A field of the JSON Schema that editors read. */
interface Field {
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Field>>
  readonly additionalProperties?: Field
}

const sprite = (specJsonSchema() as Field).properties ?? {}
const animation = sprite.animations?.additionalProperties?.properties ?? {}
const own = ['source', 'grid', 'check']
const ownText = (over: object): string => JSON.stringify({ source: './hero/', ...over })
const fields = [
  ...Object.entries(sprite).map(([name, field]) => {
    const write = (value: unknown): string => (own.includes(name) ? ownText : specText)({ [name]: value })
    return { name, field, write }
  }),
  ...Object.entries(animation).map(([name, field]) => ({ name, field, write: (value: unknown) => specText({}, { [name]: value }) })),
]
const file = '/game/hero.sprite.json'
const project: OptionsContext = { root: '/', isCi: false, dependencies: [] }

describe('a spec', () => {
  test.each(fields.filter(({ field }) => field.default !== undefined))(
    'has one default of $name, for editors and for the reader',
    (each) => {
      const { field, write } = each
      expect(field.description).toContain(` Default: ${typeof field.default === 'string' ? field.default : JSON.stringify(field.default)}.`)
      expect(parseSpec(write(field.default), file)).toEqual(parseSpec(write(undefined), file))
    },
  )

  const numbers = fields.filter(({ field }) => field.maximum !== undefined)
  test.each(numbers)('has one range of $name, for editors and for the reader', ({ name, field, write }) => {
    const { minimum, exclusiveMinimum, maximum = 0, description = '' } = field
    const lowest = minimum ?? exclusiveMinimum ?? Number.NaN
    expect(issuesOf(write(maximum + 1))).toMatchObject([{ expected: expect.stringContaining(String(maximum)) }])
    expect(issuesOf(write(minimum === undefined ? lowest : lowest - 1))).toMatchObject([
      { expected: expect.stringContaining(String(lowest)) },
    ])
    expect(parseSpec(write(maximum), file).name).toBe('hero')
    if (name !== 'take') expect(description).toMatch(new RegExp(`${lowest}(?: to |, at most )${maximum}\\b`))
  })

  test('has ranges at all, so that these tests look at something', () => {
    expect(numbers.map(({ name }) => name).sort()).toEqual(['extrude', 'fps', 'frames', 'padding', 'take'])
  })
})

describe('an option', () => {
  /** Comments of the types that users see: the text before each field. */
  const comments = ['options/options', 'options/atlas', 'options/schema', 'service/limits/limits'].flatMap((name) => {
    const text = readFileSync(new URL(`../../src/${name}.ts`, import.meta.url), 'utf8')
    return [...text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n\s+readonly (\w+)\??:/g)].map(([, comment = '', field = '']) => ({
      field,
      comment,
    }))
  })
  const { replayWindowMs, ...resolved } = resolveOptions({}, project)
  const { encodings, ...atlas } = resolved.atlas
  const defaults: Readonly<Record<string, unknown>> = {
    ...resolved.build,
    ...resolved.placeholders,
    ...resolved.cache,
    ...resolved.limits,
    ...atlas,
    format: encodings[0],
    dir: resolved.store.dir.slice(1),
    formats: resolved.formats,
    rotate: false,
    stable: false,
    replayWindow: `${replayWindowMs / 60_000}m`,
  }
  const told = comments.flatMap(({ field, comment }) => {
    const text = /@default (.*?)\s*$/m.exec(comment)?.[1]
    return text === undefined || !Object.hasOwn(defaults, field) ? [] : [{ field, text }]
  })

  test('has defaults that comments tell', () => {
    expect(new Set(told.map(({ field }) => field))).toEqual(new Set(Object.keys(defaults)))
  })

  test.each(told)('$field has the default that its comment tells', ({ field, text }) => {
    const value = field === 'maxBytes' ? `${Number(defaults[field]) / 2 ** 30} GiB` : defaults[field]
    expect(text.split(';')[0]).toBe(
      typeof value === 'string' && field !== 'maxBytes' ? `'${value}'` : Array.isArray(value) ? '[]' : String(value),
    )
  })

  test.each(['maxSize', 'level', 'hull', 'quality'])('%s has the range that its comment tells', (field) => {
    const range = /\d+ to \d+/.exec(comments.find((one) => one.field === field)?.comment ?? '')?.[0]
    const refused = (): unknown => resolveOptions({ atlas: { [field]: -1 } } as Options, project)
    expect(refused).toThrow(SpritewrightError)
    expect(refused).toThrow(` a whole number from ${range}`)
  })
})

test('the packer takes pages of the sides that the option takes', () => {
  const text = readFileSync(new URL('../../atlas/atlas.ts', import.meta.url), 'utf8')
  expect(text).toContain(`Longest side of a page, pixels, ${pageSide.least} to ${pageSide.most}. `)
  for (const maxSize of [pageSide.least - 1, pageSide.most + 1]) {
    expect(() => makeAtlas('sprites', [], { maxSize })).toThrow(`from ${pageSide.least} to ${pageSide.most} pixels`)
    expect(() => resolveOptions({ atlas: { maxSize } }, project)).toThrow(`from ${pageSide.least} to ${pageSide.most}`)
  }
})
