import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { SpritewrightError } from '../../src/errors.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'
import { byLevel } from '../level.ts'
import { issuesOf } from './issues.ts'

const file = '/game/hero.sprite.json'

const words = fc.oneof(fc.constantFrom('walk', 'a "knight"\\', '\n', ' ', '', 'é\u2028', '🦊', '\ud83e', '{', '"a":'), fc.string())
const numbers = fc.oneof(
  fc.integer({ min: -1, max: 120 }),
  fc.constantFrom(0.5, -0, 4096, 4097, 9999, 10_000, 60_000, 60_001, 2 ** 53, 1e21, 1e-9),
)
const scalars = fc.oneof(words, numbers, fc.boolean(), fc.constant(null))

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
/** Only the first fields, so that most specs are valid. One wrong field is enough to refuse a spec. */
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
          mirror: sometimes(fc.dictionary(fc.constantFrom('left', 'walk', 'Walk', 'a b'), fc.constantFrom('walk', 'left', 'idle', 7))),
          boxes: sometimes(
            fc.dictionary(
              names,
              fc.oneof(
                fc.constantFrom('find', [0, 0, 1, 1], []),
                fc.dictionary(names, fc.constantFrom('find', [0, 0.5, 1, 0.5], { 3: [] })),
              ),
              { maxKeys: 2 },
            ),
          ),
          normals: sometimes(
            fc.oneof(
              fc.boolean(),
              fc.record({ from: fc.constantFrom('shape', 'light'), depth: numbers, soften: numbers }, { requiredKeys: [] }),
            ),
          ),
          variants: sometimes(
            fc.dictionary(
              names,
              sometimes(
                list(sometimes(fc.record({ from: list(fc.constantFrom('#123', '#AB00ff', '#12', 'red')), to: list(fc.constant('#fff')) }))),
              ),
              { maxKeys: 2 },
            ),
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

function read(text: string, path: string): SpriteSpec | 'refused' {
  try {
    return parseSpec(text, path)
  } catch (error) {
    expect((error as SpritewrightError).code).toBe('SW_SPEC')
    return 'refused'
  }
}

test('law: a random spec is read alike as JSON and as YAML, with what it says and the defaults of the rest, or refused with a place', () => {
  let taken = 0
  fc.assert(
    fc.property(spec, (value) => {
      const text = JSON.stringify(value, null, 2)
      const found = read(text, file)
      if (found === 'refused') {
        const lines = text.split('\n')
        for (const { line, column } of issuesOf(text)) expect(column <= (lines[line - 1] ?? '').length + 1).toBe(true)
        return
      }
      taken += 1
      // YAML 1.2 cannot write some texts of JSON. Those specs are refused for their text.
      const yaml = read(stringify(JSON.parse(text)), '/game/hero.sprite.yaml')
      if (yaml !== 'refused') expect({ ...yaml, file }).toEqual(found)
      const said = JSON.parse(text) as { readonly prompt: string; readonly animations: Readonly<Record<string, object>> }
      expect(found.prompt).toBe(said.prompt)
      expect(found.animations.map(({ name }) => name).sort()).toEqual(Object.keys(said.animations).sort())
      for (const animation of found.animations) {
        const { options: _options, ...fields } = (said.animations[animation.name] ?? {}) as Record<string, unknown>
        expect(animation).toMatchObject({ prompt: animation.name, ...fields })
        expect(animation.frames >= 7 && animation.frames <= 100 && animation.take >= 1, JSON.stringify(animation)).toBe(true)
      }
    }),
    { numRuns: byLevel({ quick: 500, full: 2000, long: 2000 }) },
  )
  expect(taken).toBeGreaterThan(byLevel({ quick: 10, full: 100, long: 100 }))
})
