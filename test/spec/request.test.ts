import { describe, expect, test } from 'vitest'
import { requestHash } from '../../src/sprite-spec/key.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { type ImageRequest, type ServiceIdentity, spriteOf, toReference, toSheetRequest } from '../../src/sprite-spec/request.ts'
import { specText } from './issues.ts'

const identity: ServiceIdentity = { host: 'api.example.com', keyMode: 'test', apiVersion: '1' }
const picture = 'a'.repeat(64)
const specOf = (reference: unknown, walk: Readonly<Record<string, unknown>> = {}) =>
  parseSpec(specText({ reference }, walk), '/game/hero.sprite.json')
const chainOf = (reference: unknown, sha256: string | null = picture) =>
  toReference(specOf(reference), sha256 ?? undefined, (request) => `hash of ${request.id}`)

describe('the reference of a sprite', () => {
  test('is a file by its bytes, and no step', () => {
    const file = { steps: [], reference: { kind: 'file', sha256: picture } }
    expect(chainOf('hero.png')).toEqual(file)
    expect(chainOf({ steps: [{ image: 'hero.png' }] })).toEqual(file)
    expect(toReference(specOf('hero.png'), undefined, () => '')).toEqual({ steps: [], reference: undefined })
  })

  test('is the last step, each of which starts from the one before', () => {
    const steps = [{ text: 'a knight' }, { edit: 'a plume' }, { removeBackground: 'the knight' }, { upscale: 'sharp' }]
    const step = (number: number, operation: string, prompt: string) => ({
      ...{ operation, prompt, id: `hero#${number}` },
      ...(number === 1 ? {} : { reference: { kind: 'request', hash: `hash of hero#${number - 1}` } }),
    })
    expect(chainOf({ steps }, null)).toEqual({
      steps: [
        step(1, 'text_to_image', 'a knight'),
        step(2, 'image_to_image', 'a plume'),
        step(3, 'background_remove', 'the knight'),
        step(4, 'upscale', 'sharp'),
      ],
      reference: { kind: 'request', hash: 'hash of hero#4' },
    })
  })

  test('may begin with a file, which is no paid step', () => {
    const { steps, reference } = chainOf({ steps: [{ image: 'hero.png' }, { edit: 'a plume' }] })
    const first = { kind: 'file', sha256: picture }
    expect(steps).toEqual([{ operation: 'image_to_image', prompt: 'a plume', id: 'hero#2', reference: first }])
    expect(reference).toEqual({ kind: 'request', hash: 'hash of hero#2' })
  })
})

test('the request of an animation has every paid field', () => {
  const spec = specOf('hero.png', { prompt: 'walks', frames: 8, take: 2, options: { style: 'ink' } })
  const [walk] = spec.animations
  if (!walk) throw new Error('no animation')
  const reference = { kind: 'file' as const, sha256: picture }
  expect(toSheetRequest(spec, walk, reference)).toEqual({
    ...{ operation: 'sprite_sheet', id: 'hero.walk', prompt: 'a knight\nwalks', reference, frames: 8, background: 'remove' },
    ...{ options: { style: 'ink' }, take: 2 },
  })
  expect(['hero.walk', 'hero#2', 'hero'].map(spriteOf)).toEqual(['hero', 'hero', 'hero'])
})

test('a step has another hash for each operation, prompt, reference and part of the service, and the same one under another id', () => {
  const step: ImageRequest = { operation: 'upscale', id: 'hero#2', prompt: 'sharp', reference: { kind: 'file', sha256: picture } }
  const others: readonly (readonly [Partial<ImageRequest>, Partial<ServiceIdentity>])[] = [
    [{}, {}],
    [{ operation: 'background_remove' }, {}],
    [{ prompt: 'sharper' }, {}],
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
