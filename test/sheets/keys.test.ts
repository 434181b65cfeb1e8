import { expect, test } from 'vitest'
import { animationKey } from '../../src/sheets/cache/animation.ts'
import { sheetKey } from '../../src/sheets/cache/sheet.ts'
import type { SheetOptions } from '../../src/sheets/model.ts'
import type { FrameSource, SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'

const review = { frameCount: 8, background: 'remove', keptBackgroundFrames: [], inspectionFrames: [], sourceShiftedFrames: [] }
const result: FrameSource = { kind: 'result', sha256: 'a'.repeat(64), read: async () => new Uint8Array(), review }

function inputOf(fields: object, walk: object = {}, source: FrameSource = result, name = 'hero'): SheetInput {
  const text = JSON.stringify({ reference: 'a.png', prompt: 'a', animations: { walk }, ...fields })
  const spec = parseSpec(text, `/game/${name}.sprite.json`)
  return { spec, animation: spec.animations[0]!, source }
}

const options: SheetOptions = { maxSize: 512, encodings: ['png'], level: 6, ktx2: 'uastc' }
/** The keys of the cut frames and of the pages of one animation. */
const keysOf = (input: SheetInput, over: Partial<SheetOptions> = {}, name = 'sprites'): readonly string[] => [
  animationKey(input),
  sheetKey({ name, members: [input], options: { ...options, ...over } }),
]
const plain = inputOf({})
const before = keysOf(plain)

/** Which of the two keys differ from those of the plain input. */
const changed = (after: readonly string[]): readonly boolean[] => after.map((key, at) => key !== before[at])

test.each<[string, SheetInput]>([
  ['the name of the sprite', inputOf({}, {}, result, 'orc')],
  ['the name of the animation', inputOf({ animations: { run: {} } })],
  ['the bytes of the result', inputOf({}, {}, { ...result, sha256: 'b'.repeat(64) })],
  ['the kind of the source', inputOf({}, {}, { kind: 'own', sha256: 'a'.repeat(64), read: async () => [] })],
  ['the remarks of the service', inputOf({}, {}, { ...result, review: { ...review, inspectionFrames: [1] } })],
  ['the number of frames', inputOf({}, { frames: 9 })],
  ['loop', inputOf({}, { loop: false })],
  ['yoyo', inputOf({}, { yoyo: true })],
  ['use', inputOf({}, { use: [1, 0] })],
  ['background', inputOf({ background: 'keep' })],
  ['pixelArt', inputOf({ pixelArt: true })],
  ['pixelArt.grid', inputOf({ pixelArt: { grid: 4 } })],
  ['stabilize', inputOf({ stabilize: true })],
  ['size', inputOf({ size: 64 })],
  ['trim', inputOf({ trim: false })],
  ['an animation that sets the scale', { ...plain, bases: [inputOf({}, { frames: 9 })] }],
])('cut frames and pages are made again after a change of %s', (_, input) => {
  expect(changed(keysOf(input))).toEqual([true, true])
})

test.each<[string, object]>([
  ['extrude', { extrude: 2 }],
  ['padding', { padding: 3 }],
  ['anchor', { anchor: [0.5, 1] }],
  ['boxes', { boxes: { body: 'find' } }],
  ['mirror', { mirror: { left: 'walk' } }],
  ['normals', { normals: true }],
  ['variants', { variants: { red: [{ from: ['#000'], to: ['#fff'] }] } }],
  ['scales', { scales: [1, 0.5] }],
])('pages alone are made again after a change of %s', (_, fields) => {
  expect(changed(keysOf(inputOf(fields)))).toEqual([false, true])
})

test.each<[string, readonly SheetInput[]]>([
  ['pixelArt', [true, { grid: 4 }, { grid: 8 }, { palette: 4 }, { alpha: 'hard' }].map((pixelArt) => inputOf({ pixelArt }))],
  ['size', [64, { figure: 64 }, { width: 64, height: 64 }].map((size) => inputOf({ size }))],
  ['normals', [true, { depth: 3 }, { soften: 0 }, { from: 'luminance' }].map((normals) => inputOf({ normals }))],
  ['boxes', ['find', [0, 0, 1, 1]].map((body) => inputOf({ boxes: { body } }))],
  ['bases', [9, 10].map((frames) => ({ ...plain, bases: [inputOf({}, { frames })] }))],
])('each value of %s has pages of its own', (_, inputs) => {
  expect(new Set(inputs.map((input) => keysOf(input)[1])).size).toBe(inputs.length)
})

test('borders are a part of the key of pages, each side of them', () => {
  const keys = [[1, 2, 3, 4], [2, 1, 3, 4], [1, 2, 4, 3], 1].map((borders) => keysOf(inputOf({ borders, trim: false }))[1])
  expect(new Set(keys).size).toBe(4)
})

test.each<[string, Partial<SheetOptions>]>([
  ['maxSize', { maxSize: 1024 }],
  ['encodings', { encodings: ['webp'] }],
  ['level', { level: 9 }],
  ['quality', { quality: { webp: 80 } }],
  ['ktx2', { ktx2: 'etc1s' }],
  ['the encoder of textures', { encoder: '1.2.3' }],
  ['hull', { hull: 8 }],
  ['palette', { palette: 'exact' }],
  ['effort', { effort: 'best' }],
  ['rotate', { rotate: true }],
  ['stable', { stable: true }],
])('pages alone are made again after a change of the option %s', (_, over) => {
  expect(changed(keysOf(plain, over))).toEqual([false, true])
})

test('another atlas, member or codec makes other pages, and another codec other frames', () => {
  expect(changed(keysOf(plain, {}, 'enemies'))).toEqual([false, true])
  const keys = ['', '1', '2'].map((codec) => [animationKey(plain, codec), sheetKey({ name: 'sprites', members: [plain], options }, codec)])
  expect(new Set(keys.flat()).size).toBe(6)
  expect(sheetKey({ name: 'sprites', members: [plain, inputOf({}, {}, result, 'orc')], options })).not.toBe(before[1])
})

test.each<[string, SheetInput, Partial<SheetOptions>]>([
  ['fps', inputOf({}, { fps: 3 }), {}],
  ['durations', inputOf({}, { frames: 12, durations: Array.from({ length: 12 }, () => 9) }), {}],
  ['intended faults', inputOf({}, { meant: ['halo'] }), {}],
  ['the atlas in the spec', inputOf({ atlas: 'enemies' }), {}],
  ['mirrors that a reader draws by itself', inputOf({ mirror: { left: 'walk' } }), { canMirror: true }],
])('nothing is made again after a change of %s', (_, input, over) => {
  expect(changed(keysOf(input, over))).toEqual([false, false])
})
