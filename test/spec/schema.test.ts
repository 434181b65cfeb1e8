import { expect, test } from 'vitest'
import { namePattern, specJsonSchema } from '../../src/sprite-spec/schema.ts'

type Node = { readonly [key: string]: unknown }

function at(schema: unknown, ...path: string[]): Node {
  return path.reduce((node, step) => node[step] as Node, schema as Node)
}

const paid = { sprite: ['reference', 'prompt', 'background', 'pictures'], animation: ['prompt', 'frames', 'take', 'options'] }
const free = {
  sprite: [
    'source',
    'grid',
    'check',
    'size',
    'pixelArt',
    'anchor',
    'borders',
    'boxes',
    'meant',
    'mirror',
    'normals',
    'variants',
    'stabilize',
    'trim',
    'extrude',
    'padding',
    'scales',
    'atlas',
  ],
  animation: ['fps', 'loop', 'yoyo', 'durations', 'use', 'meant'],
}

test('the JSON Schema has every field of a spec, each told as PAID or FREE', () => {
  const sprite = at(specJsonSchema(), 'properties')
  const animation = at(sprite, 'animations', 'additionalProperties', 'properties')
  expect(Object.keys(sprite).sort()).toEqual(['$schema', 'animations', ...paid.sprite, ...free.sprite].sort())
  expect(Object.keys(animation).sort()).toEqual([...paid.animation, ...free.animation].sort())
  for (const name of paid.sprite) expect(at(sprite, name).description).toMatch(/^PAID\. /)
  for (const name of free.sprite) expect(at(sprite, name).description).toMatch(/^FREE\. /)
  for (const name of paid.animation) expect(at(animation, name).description).toMatch(/^PAID\. /)
  for (const name of free.animation) expect(at(animation, name).description).toMatch(/^FREE\. /)
})

test('the JSON Schema asks only for what has no default and knows no other field', () => {
  const schema = specJsonSchema()
  expect(at(schema)).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'spritewright sprite spec',
    anyOf: [{ required: ['reference'], dependencies: { animations: ['prompt'] } }, { required: ['source'] }],
    additionalProperties: false,
  })
  const animations = at(schema, 'properties', 'animations')
  expect(animations).toMatchObject({ minProperties: 1, propertyNames: { pattern: namePattern.source } })
  expect(at(animations, 'additionalProperties').required).toBeUndefined()
  expect(at(animations, 'additionalProperties', 'properties', 'frames')).toMatchObject({ minimum: 7, maximum: 100, default: 12 })
})

test('the JSON Schema allows comments and trailing commas in editors, as the reader does', () => {
  expect(specJsonSchema()).toMatchObject({ allowComments: true, allowTrailingCommas: true })
})

test('the JSON Schema is plain data', () => {
  expect(JSON.parse(JSON.stringify(specJsonSchema()))).toEqual(specJsonSchema())
})

test.each(['con', 'NUL', 'Com1', 'lpt9'])('%s is no name of an animation, because Windows reserves it', (name) => {
  expect(namePattern.test(name)).toBe(false)
  expect(namePattern.test(`${name}0x`)).toBe(true)
})
