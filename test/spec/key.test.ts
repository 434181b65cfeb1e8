import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { SpritewrightError } from '../../src/errors.ts'
import { buildKey, requestHash } from '../../src/sprite-spec/key.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { type ServiceIdentity, toRequests } from '../../src/sprite-spec/request.ts'

const identity: ServiceIdentity = { host: 'api.example.com', keyMode: 'test', apiVersion: '1' }
const picture = 'a'.repeat(64)

type Fields = Record<string, unknown>

const words = fc.stringMatching(/^[a-z][a-z ]{0,20}$/)
const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,8}$/)
const paidSprite = fc.record({ prompt: words, background: fc.constantFrom('remove', 'keep') })
const paidAnimation = fc.record(
  {
    prompt: words,
    frames: fc.integer({ min: 7, max: 100 }),
    take: fc.integer({ min: 1, max: 99 }),
    options: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,6}$/).filter((key) => key !== 'frames'),
      fc.oneof(words, fc.integer(), fc.boolean()),
    ),
  },
  { requiredKeys: ['prompt'] },
)
// Stabilized frames have other borders, so the two options exclude each other.
const freeSprite = fc
  .record(
    {
      $schema: fc.constant('./sprite.schema.json'),
      size: fc.oneof(
        fc.integer({ min: 1, max: 4096 }),
        fc.record({ width: fc.integer({ min: 1, max: 99 }), height: fc.integer({ min: 1, max: 99 }) }),
      ),
      pixelArt: fc.boolean(),
      anchor: fc.tuple(fc.constantFrom(0, 0.25, 1), fc.constantFrom(0, 0.5, 1)),
      borders: fc.integer({ min: 0, max: 40 }),
      stabilize: fc.boolean(),
      trim: fc.boolean(),
      extrude: fc.integer({ min: 0, max: 16 }),
      padding: fc.integer({ min: 0, max: 64 }),
      scales: fc.constantFrom([1], [1, 0.5], [2, 1]),
      atlas: name,
    },
    { requiredKeys: [] },
  )
  .map(({ borders, ...sprite }) => (sprite.stabilize || borders === undefined ? sprite : { ...sprite, borders }))
const freeAnimation = fc.record(
  { fps: fc.integer({ min: 1, max: 240 }), loop: fc.boolean(), yoyo: fc.boolean(), use: fc.constantFrom([0], [6, 5, 0, 0], [1, 2, 3]) },
  { requiredKeys: [] },
)

/** The hash of the only animation of a text. */
function hashOf(text: string, file: string, referenceSha256 = picture, where: ServiceIdentity = identity): string {
  const spec = parseSpec(text, file)
  const animation = spec.animations[0]
  if (!animation) throw new Error('Expected an animation.')
  return requestHash(toRequests(spec, animation, referenceSha256, () => '').request, where)
}

function toText(sprite: Fields, animation: Fields, animationName = 'walk'): string {
  return JSON.stringify({ reference: 'hero.png', animations: { [animationName]: animation }, ...sprite })
}

/** The same fields in reverse order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  )
}

describe('the request hash', () => {
  test('is changed by no free field, no comment, no order of fields, no path, no name and no language', () => {
    fc.assert(
      fc.property(paidSprite, paidAnimation, freeSprite, freeAnimation, (sprite, animation, freeOfSprite, freeOfAnimation) => {
        const bare = hashOf(toText(sprite, animation), '/game/hero.sprite.json')
        const dressed = { ...freeOfSprite, ...sprite }
        const { use } = freeOfAnimation
        const moving = { ...freeOfAnimation, ...(use ? { durations: use.map(() => 80) } : {}), ...animation }
        const text = toText(dressed, moving)
        expect(hashOf(text, '/game/hero.sprite.json')).toBe(bare)
        expect(hashOf(`// a comment\n${text.replace('{', '{ /* another */ ')}`, '/elsewhere/villain.sprite.json')).toBe(bare)
        expect(hashOf(JSON.stringify(reversed(JSON.parse(text)), null, 4), '/game/hero.sprite.json')).toBe(bare)
        expect(hashOf(stringify(JSON.parse(text)), '/game/hero.sprite.yaml')).toBe(bare)
        expect(hashOf(toText(dressed, moving, 'run'), '/game/hero.sprite.json')).toBe(bare)
        expect(hashOf(toText({ ...dressed, reference: 'moved/hero.png' }, moving), '/game/hero.sprite.json')).toBe(bare)
      }),
      { numRuns: 60 },
    )
  })

  test('is changed by every paid field', () => {
    fc.assert(
      fc.property(paidSprite, paidAnimation, words, (sprite, animation, word) => {
        const file = '/game/hero.sprite.json'
        const before = hashOf(toText(sprite, animation), file)
        const other = sprite.background === 'keep' ? 'remove' : 'keep'
        const after = [
          hashOf(toText({ ...sprite, prompt: `${sprite.prompt}, ${word}` }, animation), file),
          hashOf(toText({ ...sprite, background: other }, animation), file),
          hashOf(toText(sprite, { ...animation, prompt: `${animation.prompt}, ${word}` }), file),
          hashOf(toText(sprite, { ...animation, frames: (animation.frames ?? 12) === 100 ? 99 : (animation.frames ?? 12) + 1 }), file),
          hashOf(toText(sprite, { ...animation, take: (animation.take ?? 1) + 1 }), file),
          hashOf(toText(sprite, { ...animation, options: { ...animation.options, another1: word } }), file),
          hashOf(toText(sprite, animation), file, 'b'.repeat(64)),
        ]
        expect(after).not.toContain(before)
        expect(new Set(after).size).toBe(after.length)
      }),
      { numRuns: 60 },
    )
  })

  test('is changed by every part of the identity of the service', () => {
    const others: ServiceIdentity[] = [
      { ...identity, host: 'api.example.org' },
      { ...identity, keyMode: 'live' },
      { ...identity, apiVersion: '2' },
    ]
    const text = toText({ prompt: 'a knight' }, {})
    const hashes = [identity, ...others].map((where) => hashOf(text, '/game/hero.sprite.json', picture, where))
    expect(new Set(hashes).size).toBe(4)
  })

  test('is the same for no options and empty options, and for a default and the same value written out', () => {
    const file = '/game/hero.sprite.json'
    const bare = hashOf(toText({ prompt: 'a knight' }, {}), file)
    expect(hashOf(toText({ prompt: 'a knight' }, { options: {} }), file)).toBe(bare)
    expect(hashOf(toText({ prompt: 'a knight', background: 'remove' }, { frames: 12, take: 1, prompt: 'walk' }), file)).toBe(bare)
  })

  test('never changes between versions: a changed value here would buy everything again', () => {
    const request = {
      operation: 'sprite_sheet',
      id: 'hero.walk',
      prompt: 'a knight\nwalk',
      reference: { kind: 'file', sha256: picture },
      frames: 12,
      background: 'remove',
      options: { é: [1e21, -0, 0.1], a: { b: null } },
      take: 1,
    } as const
    expect(requestHash(request, identity)).toBe('3d948f11d77e1acdd0ca252d135a0389e09dcafdfe0a6410b5caf596b017c45b')
  })
})

describe('the build key', () => {
  test('is one for equal parts and another for others', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
        expect(buildKey(structuredClone(value))).toBe(buildKey(value))
        expect(buildKey(other) === buildKey(value)).toBe(JSON.stringify(other) === JSON.stringify(value))
      }),
    )
  })

  test.each([[undefined], [1n], [() => 1]])('of %s, which JSON cannot hold, is refused', (value) => {
    try {
      buildKey(value)
    } catch (error) {
      expect(error).toBeInstanceOf(SpritewrightError)
      expect(error).toMatchObject({ code: 'SW_INTERNAL' })
      return
    }
    throw new Error('Expected a refusal.')
  })
})
