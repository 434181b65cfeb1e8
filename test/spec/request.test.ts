import { describe, expect, test } from 'vitest'
import { requestHash } from '../../src/sprite-spec/key.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { backgroundOf, type ImageRequest, type ServiceIdentity, spriteOf, takePath, toRequests } from '../../src/sprite-spec/request.ts'
import { type AnimationSpec, frameName, type SpriteSpec } from '../../src/sprite-spec/spec.ts'
import { specText } from './issues.ts'

const identity: ServiceIdentity = { host: 'api.example.com', keyMode: 'test', apiVersion: '1' }
const picture = 'a'.repeat(64)
const specOf = (reference: unknown, walk: Readonly<Record<string, unknown>> = {}) =>
  parseSpec(specText({ reference }, walk), '/game/hero.sprite.json')
const requestsOf = (spec: SpriteSpec, at = 0, sha256: string | null = picture) =>
  toRequests(spec, spec.animations[at] as AnimationSpec, sha256 ?? undefined, (request) => `hash of ${request.id}`)
const chainOf = (reference: unknown, sha256: string | null = picture) => {
  const { steps, request } = requestsOf(specOf(reference), 0, sha256)
  return { steps, reference: request.reference }
}

describe('the reference of a sprite', () => {
  test('is a file by its bytes, and no step', () => {
    const file = { steps: [], reference: { kind: 'file', sha256: picture } }
    expect(chainOf('hero.png')).toEqual(file)
    expect(chainOf({ steps: [{ image: 'hero.png' }] })).toEqual(file)
    expect(() => chainOf('hero.png', null)).toThrow('hero.walk')
  })

  test('is the last step, each of which starts from the one before', () => {
    const steps = [{ text: 'a knight' }, { edit: 'a plume', take: 3 }, { removeBackground: 'the knight' }, { upscale: 'sharp' }]
    const step = (number: number, operation: string, prompt: string, take = 1) => ({
      ...{ operation, prompt, id: `hero#${number}`, take },
      ...(number === 1 ? {} : { reference: { kind: 'request', hash: `hash of hero#${number - 1}` } }),
    })
    expect(chainOf({ steps }, null)).toEqual({
      steps: [
        step(1, 'text_to_image', 'a knight'),
        step(2, 'image_to_image', 'a plume', 3),
        step(3, 'background_remove', 'the knight'),
        step(4, 'upscale', 'sharp'),
      ],
      reference: { kind: 'request', hash: 'hash of hero#4' },
    })
  })

  test('may begin with a file, which is no paid step', () => {
    const { steps, reference } = chainOf({ steps: [{ image: 'hero.png' }, { edit: 'a plume' }] })
    const first = { kind: 'file', sha256: picture }
    expect(steps).toEqual([{ operation: 'image_to_image', prompt: 'a plume', id: 'hero#2', reference: first, take: 1 }])
    expect(reference).toEqual({ kind: 'request', hash: 'hash of hero#2' })
  })
})

describe('a bought picture', () => {
  const icons = {
    reference: { steps: [{ text: 'an icon' }] },
    pictures: { sword: [{ edit: 'a sword' }, { removeBackground: 'it', take: 2 }], plain: [] },
  }
  const specFrom = (fields: object) => parseSpec(JSON.stringify(fields), '/game/icons.sprite.json')

  test('is made by the last of its steps, which go on from the reference', () => {
    const spec = specFrom(icons)
    expect(spec.animations.map(({ name, isPicture, frames, take }) => [name, isPicture, frames, take])).toEqual([
      ['sword', true, 1, 2],
      ['plain', true, 1, 1],
    ])
    const text = { operation: 'text_to_image', prompt: 'an icon', id: 'icons#1', take: 1 }
    const after = (id: string) => ({ reference: { kind: 'request', hash: `hash of ${id}` } })
    expect(requestsOf(spec, 0, null)).toEqual({
      steps: [text, { operation: 'image_to_image', prompt: 'a sword', id: 'icons.sword#1', take: 1, ...after('icons#1') }],
      request: { operation: 'background_remove', prompt: 'it', id: 'icons.sword', take: 2, ...after('icons.sword#1') },
    })
    expect(requestsOf(spec, 1, null)).toEqual({ steps: [], request: { ...text, id: 'icons.plain' } })
  })

  test('is the reference itself, under the name of the sprite, if the spec names neither animations nor pictures', () => {
    const spec = specFrom({ reference: { steps: [{ image: 'coin.png' }, { upscale: 'a coin' }] } })
    const file = { kind: 'file', sha256: picture }
    expect(requestsOf(spec)).toEqual({
      steps: [],
      request: { operation: 'upscale', prompt: 'a coin', id: 'icons', reference: file, take: 1 },
    })
  })

  test('stands after the animations, and shares the reference with them', () => {
    const spec = specFrom({ ...icons, prompt: 'an icon', animations: { spin: {} } })
    expect(spec.animations.map(({ name }) => name)).toEqual(['spin', 'sword', 'plain'])
    expect(requestsOf(spec, 0, null).request).toMatchObject({ operation: 'sprite_sheet', id: 'icons.spin' })
    expect(requestsOf(spec, 0, null).steps.map(({ id }) => id)).toEqual(['icons#1'])
  })

  test('has its take in its own last step, or in that of the reference', () => {
    const pathsOf = (fields: object) => {
      const spec = specFrom({ ...icons, prompt: 'a', animations: { spin: {} }, ...fields })
      return spec.animations.map((animation) => takePath(spec, animation))
    }
    const own = [
      ['animations', 'spin', 'take'],
      ['pictures', 'sword', 1, 'take'],
    ]
    expect(pathsOf({})).toEqual([...own, ['reference', 'steps', 0, 'take']])
    const steps = [{ text: 'an icon' }, { edit: 'red' }, { upscale: 'sharp' }]
    expect(pathsOf({ reference: { steps } })).toEqual([...own, ['reference', 'steps', 2, 'take']])
  })

  test('has one frame, of its own name or that of the sprite', () => {
    const namesOf = (fields: object): string[] => {
      const spec = specFrom(fields)
      return spec.animations.map((animation) => frameName(spec, animation, 3))
    }
    expect(namesOf({ ...icons, prompt: 'a', animations: { spin: {} } })).toEqual(['icons/spin/0003', 'icons/sword', 'icons/plain'])
    expect(namesOf({ reference: icons.reference })).toEqual(['icons'])
  })

  test('is cut out if the last step but upscaling removes the background', () => {
    const reference = { steps: [{ text: 'a' }, { removeBackground: 'it' }] }
    const backgroundOfOnly = (fields: object): string => {
      const spec = specFrom({ reference, ...fields })
      return backgroundOf(spec, spec.animations[0] as AnimationSpec)
    }
    expect(backgroundOfOnly({})).toBe('remove')
    expect(backgroundOfOnly({ borders: 4 })).toBe('keep')
    expect(backgroundOfOnly({ pictures: { x: [] }, borders: { x: 4 } })).toBe('keep')
    expect(backgroundOfOnly({ pictures: { x: [], y: [] }, borders: { y: 4 } })).toBe('remove')
    expect(backgroundOfOnly({ pictures: { x: [{ upscale: 'a' }] } })).toBe('remove')
    expect(backgroundOfOnly({ pictures: { x: [{ edit: 'on grass' }] } })).toBe('keep')
    expect(backgroundOfOnly({ prompt: 'a', animations: { spin: {} }, background: 'keep' })).toBe('keep')
  })
})

test('the request of an animation has every paid field', () => {
  const spec = specOf('hero.png', { prompt: 'walks', frames: 8, take: 2, options: { style: 'ink' } })
  const reference = { kind: 'file' as const, sha256: picture }
  expect(requestsOf(spec).request).toEqual({
    ...{ operation: 'sprite_sheet', id: 'hero.walk', prompt: 'a knight\nwalks', reference, frames: 8, background: 'remove' },
    ...{ options: { style: 'ink' }, take: 2 },
  })
  expect(['hero.walk', 'hero#2', 'hero', 'hero.face#1'].map(spriteOf)).toEqual(['hero', 'hero', 'hero', 'hero'])
})

test('a step has another hash for each operation, prompt, reference and part of the service, and the same one under another id', () => {
  const step: ImageRequest = { operation: 'upscale', id: 'hero#2', prompt: 'sharp', reference: { kind: 'file', sha256: picture }, take: 1 }
  const others: readonly (readonly [Partial<ImageRequest>, Partial<ServiceIdentity>])[] = [
    [{}, {}],
    [{ operation: 'background_remove' }, {}],
    [{ prompt: 'sharper' }, {}],
    [{ take: 2 }, {}],
    [{ reference: { kind: 'request', hash: picture } }, {}],
    [{ reference: { kind: 'file', sha256: 'b'.repeat(64) } }, {}],
    [{}, { host: 'api.example.org' }],
    [{}, { keyMode: 'live' }],
    [{}, { apiVersion: '2' }],
  ]
  const hashes = others.map(([over, at]) => requestHash({ ...step, ...over }, { ...identity, ...at }))
  expect(new Set(hashes).size).toBe(others.length)
  expect(requestHash({ ...step, id: 'rogue#3' }, identity)).toBe(hashes[0])
})
