import { expect, test } from 'vitest'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { namePattern, specJsonSchema } from '../../src/sprite-spec/schema.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'
import { issuesOf } from './issues.ts'

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

const file = '/game/hero.sprite.json'
const walk = (fields: object): object => ({ reference: 'a.png', prompt: 'a', animations: { walk: fields } })
const sprite = (fields: object): object => ({ ...walk({}), ...fields })
const own = (fields: object): object => ({ source: 'a.png', ...fields })
const specOf = (fields: object): SpriteSpec => parseSpec(JSON.stringify(fields), file)
const list = (length: number, item: unknown): unknown[] => Array.from({ length }, () => item)
const ramp = (fields: object): object => sprite({ variants: { red: [{ from: ['#000'], to: ['#fff'], ...fields }] } })

test.each<[field: string, toSpec: (figure: number) => object, least: number | undefined, most: number | undefined, step?: number]>([
  ['frames', (frames) => walk({ frames }), 7, 100],
  ['take of an animation', (take) => walk({ take }), 1, 9999],
  ['take of a step', (take) => sprite({ reference: { steps: [{ text: 'a', take }] } }), 1, 9999],
  ['fps', (fps) => walk({ fps }), 0.001, 240, 0.001],
  ['fps of own art', (fps) => own({ animations: { walk: { fps } } }), 0.001, 240, 0.001],
  ['durations', (ms) => walk({ frames: 7, durations: list(7, ms) }), 1, 60_000],
  ['use', (frame) => walk({ frames: 20, use: [frame] }), 0, 19],
  ['use of own art', (frame) => own({ animations: { walk: { use: [frame] } } }), 0, 9999],
  ['size', (size) => sprite({ size }), 1, 4096],
  ['size.height', (height) => sprite({ size: { width: 9, height } }), 1, 4096],
  ['size.figure', (figure) => sprite({ size: { figure } }), 1, 4096],
  ['grid', (cell) => own({ grid: [9, cell] }), 1, 4096],
  ['pixelArt.grid', (grid) => sprite({ pixelArt: { grid } }), 2, 64],
  ['pixelArt.palette', (palette) => sprite({ pixelArt: { palette } }), 2, 256],
  ['anchor', (y) => sprite({ anchor: [0, y] }), 0, 1, 0.01],
  ['borders', (borders) => sprite({ borders }), 0, 2048],
  ['one of the borders', (bottom) => sprite({ borders: [0, 0, 0, bottom] }), 0, 2048],
  ['normals.depth', (depth) => sprite({ normals: { depth } }), 0.25, 256, 0.01],
  ['normals.soften', (soften) => sprite({ normals: { soften } }), 0, 64],
  ['tolerance', (tolerance) => ramp({ tolerance }), 0, 1, 0.01],
  ['extrude', (extrude) => sprite({ extrude }), 0, 16],
  ['padding', (padding) => sprite({ padding }), 0, 64],
  ['scales', (scale) => sprite({ scales: [scale] }), 0.001, 4, 0.001],
  ['number of a frame with boxes', (frame) => own({ boxes: { body: { walk: { [frame]: 'find' } } } }), 0, 9999],
  ['count of steps', (count) => sprite({ reference: { steps: list(count, { edit: 'b' }).with(0, { text: 'a' }) } }), undefined, 16],
  ['count of steps of a picture', (count) => ({ reference: 'a.png', pictures: { b: list(count, { edit: 'b' }) } }), 1, 16],
  ['count of scales', (count) => sprite({ scales: list(count, 0).map((_, at) => (at + 1) / 4) }), 1, 8],
  ['count of used frames', (count) => walk({ use: list(count, 3) }), 1, 1000],
  ['count of boxes', (count) => sprite({ boxes: { body: list(count, [0, 0, 1, 1]) } }), undefined, 16],
  ['count of ramps', (count) => sprite({ variants: { red: list(count, { from: ['#000'], to: ['#fff'] }) } }), 1, 32],
  ['count of colours', (count) => ramp({ from: list(count, '#123') }), 1, 64],
  ['count of intended faults', (count) => walk({ meant: list(count, 'halo') }), undefined, 13],
])('%s is taken up to both ends of its range, and refused beyond them', (_, toSpec, least, most, step = 1) => {
  const isTaken = (figure: number | undefined): boolean | undefined => {
    try {
      return figure === undefined ? undefined : specOf(toSpec(figure)) !== undefined
    } catch (error) {
      expect(error).toMatchObject({ code: 'SW_SPEC' })
      return false
    }
  }
  const beyond = [least === undefined ? undefined : least - step, most === undefined ? undefined : most + step]
  expect(beyond.map(isTaken)).toEqual([least === undefined ? undefined : false, most === undefined ? undefined : false])
  expect([least, most].map(isTaken)).toEqual([least === undefined ? undefined : true, most === undefined ? undefined : true])
})

test.each<[field: string, toSpec: (text: string) => object]>([
  ['prompt', (prompt) => sprite({ prompt })],
  ['prompt of an animation', (prompt) => walk({ prompt })],
  ['text', (text) => sprite({ reference: { steps: [{ text }] } })],
  ['edit', (edit) => ({ reference: 'a.png', pictures: { b: [{ edit }] } })],
  ['removeBackground', (removeBackground) => ({ reference: 'a.png', pictures: { b: [{ removeBackground }] } })],
  ['upscale', (upscale) => ({ reference: 'a.png', pictures: { b: [{ upscale }] } })],
])('%s of blanks alone is refused, so that nobody pays for it', (_, toSpec) => {
  expect(specOf(toSpec(' a ')).name).toBe('hero')
  for (const blank of ['', ' ', '\n\t']) expect(() => specOf(toSpec(blank))).toThrow(/expected a/)
})

const grey = { from: ['#000000'], to: ['#ffffff'] }
test.each<[field: object, part: Partial<SpriteSpec>]>([
  [{ prompt: 'b' }, { prompt: 'b' }],
  [{ background: 'keep' }, { background: 'keep' }],
  [{ size: 64 }, { size: { kind: 'longest', px: 64 } }],
  [{ size: { width: 64, height: 32 } }, { size: { kind: 'box', width: 64, height: 32 } }],
  [{ size: { figure: 64 } }, { size: { kind: 'figure', px: 64 } }],
  [{ pixelArt: true }, { pixelArt: true }],
  [{ pixelArt: { alpha: 'hard' } }, { pixelArt: true, truePixels: { alpha: 'hard' } }],
  [{ anchor: [0.25, 1] }, { anchor: { x: 0.25, y: 1 } }],
  [{ borders: 3 }, { borders: { left: 3, top: 3, right: 3, bottom: 3 } }],
  [{ borders: [1, 2, 3, 4] }, { borders: { left: 1, top: 2, right: 3, bottom: 4 } }],
  [{ boxes: { body: 'find' } }, { boxes: { body: 'find' } }],
  [{ mirror: { left: 'walk' } }, { mirrors: { left: 'walk' } }],
  [{ normals: false }, {}],
  [{ normals: true }, { normals: { from: 'shape', soften: 1 } }],
  [{ normals: { depth: 3 } }, { normals: { from: 'shape', depth: 3, soften: 1 } }],
  [{ normals: { from: 'luminance', soften: 0 } }, { normals: { from: 'luminance', soften: 0 } }],
  [
    { variants: { red: [{ from: ['#ABC', '#0F0F0F'], to: ['#F80'] }] } },
    { variants: { red: [{ from: ['#aabbcc', '#0f0f0f'], to: ['#ff8800'], tolerance: 0.05 }] } },
  ],
  [{ variants: { red: [{ ...grey, tolerance: 0.2 }] } }, { variants: { red: [{ ...grey, tolerance: 0.2 }] } }],
  [
    { variants: { red: [grey] }, pixelArt: true },
    { pixelArt: true, variants: { red: [{ ...grey, tolerance: 0 }] } },
  ],
  [
    { variants: { red: [grey] }, pixelArt: { grid: 4 } },
    { pixelArt: true, truePixels: { grid: 4 }, variants: { red: [{ ...grey, tolerance: 0 }] } },
  ],
  [{ stabilize: true }, { stabilize: true }],
  [{ trim: false }, { trim: false }],
  [{ extrude: 3 }, { extrude: 3 }],
  [{ padding: 9 }, { padding: 9 }],
  [{ scales: [2, 0.5] }, { scales: [2, 0.5] }],
  [{ atlas: 'enemies' }, { atlas: 'enemies' }],
])('%j changes its own part of a spec, and no other', (field, part) => {
  expect(specOf(sprite(field))).toEqual({ ...specOf(sprite({})), ...part })
})

test.each<[field: object, part: object]>([
  [{ grid: [4, 6] }, { grid: { width: 4, height: 6 } }],
  [{ check: true }, { isChecked: true }],
  [
    { animations: { run: { fps: 5, loop: false, yoyo: true }, hit: { durations: [9], use: [2], meant: ['halo'] } } },
    {
      playback: [
        { name: 'run', fps: 5, loop: false, yoyo: true },
        { name: 'hit', durations: [9], use: [2], meant: ['halo'] },
      ],
    },
  ],
])('%j changes its own part of a source, and no other', (field, part) => {
  const plain = specOf(own({}))
  expect(specOf(own(field))).toEqual({ ...plain, reference: { ...plain.reference, ...part } })
})

test.each<[path: string, fields: object, words: string]>([
  ['normals.sofen', sprite({ normals: { sofen: 1 } }), 'did you mean "soften"?'],
  ['variants.red[0].too', ramp({ too: ['#000'] }), 'did you mean "to"?'],
  ['pixelArt.pallete', sprite({ pixelArt: { pallete: 4 } }), 'did you mean "palette"?'],
  ['size.heigth', sprite({ size: { width: 4, heigth: 4 } }), 'did you mean "height"?'],
  ['animations.walk.lop', own({ animations: { walk: { lop: true } } }), 'did you mean "loop"?'],
  ['gird', own({ gird: [4, 4] }), 'did you mean "grid"?'],
  ...['frames', 'frame_count', 'background', 'max_credits'].map((name): [string, object, string] => [
    `animations.walk.options.${name}`,
    walk({ options: { [name]: 8 } }),
    'no such option',
  ]),
])('the wrong field %s is named, with what it should be', (path, fields, words) => {
  expect(issuesOf(JSON.stringify(fields)).map((issue) => issue.path)).toContain(path)
  expect(issuesOf(JSON.stringify(fields)).find((issue) => issue.path === path)?.expected).toContain(words)
})
