import { expect, test } from 'vitest'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'

const file = '/game/hero.sprite.json'
const specOf = (fields: object): SpriteSpec => parseSpec(JSON.stringify(fields), file)
const looks = {
  ...{ size: { width: 64, height: 96 }, pixelArt: { grid: 3, palette: 16 }, anchor: [0.25, 0.75] },
  ...{ trim: false, extrude: 3, padding: 5, scales: [2, 0.5], atlas: 'level-1' },
  normals: { from: 'luminance', depth: 4, soften: 2 },
  variants: {
    red: [
      { from: ['#0AF', '#001122'], to: ['#FFF', '#abcdef'] },
      { from: ['#123'], to: ['#456'], tolerance: 0.5 },
    ],
  },
}
const packed = {
  ...{ size: { kind: 'box', width: 64, height: 96 }, pixelArt: true, truePixels: { grid: 3, palette: 16 }, anchor: { x: 0.25, y: 0.75 } },
  ...{ trim: false, extrude: 3, padding: 5, scales: [2, 0.5], atlas: 'level-1' },
  normals: { from: 'luminance', depth: 4, soften: 2 },
  variants: {
    red: [
      { from: ['#00aaff', '#001122'], to: ['#ffffff', '#abcdef'], tolerance: 0 },
      { from: ['#112233'], to: ['#445566'], tolerance: 0.5 },
    ],
  },
}

test('every field of a bought sprite arrives at its place', () => {
  const steps = [
    { image: '../a.png' },
    { edit: 'a plume', take: 2 },
    { removeBackground: 'the knight', take: 3 },
    { upscale: 'it', take: 4 },
  ]
  const kinds = [
    { kind: 'image', path: '../a.png' },
    { kind: 'edit', prompt: 'a plume', take: 2 },
    { kind: 'removeBackground', prompt: 'the knight', take: 3 },
    { kind: 'upscale', prompt: 'it', take: 4 },
  ]
  const boxes = { body: { walk: { 0: [0, 0, 1, 1] } } }
  const spec = specOf({
    ...looks,
    ...{
      reference: { steps },
      prompt: 'a knight',
      background: 'keep',
      stabilize: true,
      mirror: { left: 'walk' },
      meant: { face: ['blank'] },
      boxes,
    },
    animations: {
      walk: {
        ...{ prompt: 'walks', frames: 9, take: 5, options: { style: 'ink' }, fps: 8.5, loop: false, yoyo: true },
        ...{ use: [6, 0], durations: [100, 50], meant: ['halo'] },
      },
      idle: { options: {}, meant: [] },
    },
    pictures: { face: [{ edit: 'a face', take: 6 }], same: [] },
  })
  const picture = { prompt: '', frames: 1, fps: 1, loop: false, yoyo: false, isPicture: true }
  expect(spec).toEqual({
    ...{ name: 'hero', file, reference: { kind: 'steps', steps: kinds }, prompt: 'a knight', background: 'keep' },
    animations: [
      {
        ...{ name: 'walk', prompt: 'walks', frames: 9, take: 5, options: { style: 'ink' }, fps: 8.5, loop: false, yoyo: true },
        ...{ use: [6, 0], durations: [100, 50], meant: ['halo'] },
      },
      { name: 'idle', prompt: 'idle', frames: 12, take: 1, fps: 12, loop: true, yoyo: false },
      { ...picture, name: 'face', take: 6, steps: [{ kind: 'edit', prompt: 'a face', take: 6 }] },
      { ...picture, name: 'same', take: 4, steps: [] },
    ],
    ...{ ...packed, stabilize: true, mirrors: { left: 'walk' }, pictureMeant: { face: ['blank'] }, boxes },
  })
})

test('every field of own art arrives at its place', () => {
  const boxes = { body: [0, 0, 1, 1] }
  const walk = { fps: 5, loop: false, yoyo: true, use: [1], durations: [7], meant: ['halo'] }
  const spec = specOf({
    ...looks,
    source: './a.png',
    grid: [8, 9],
    check: true,
    animations: { walk, b: {} },
    mirror: { left: 'walk' },
    borders: { face: 2 },
    meant: { face: [] },
    boxes,
  })
  expect(spec).toMatchObject({
    ...{ name: 'hero', file, prompt: '', background: 'keep', animations: [], ...packed, stabilize: false },
    reference: {
      kind: 'own',
      path: './a.png',
      grid: { width: 8, height: 9 },
      isChecked: true,
      playback: [{ name: 'walk', ...walk }, { name: 'b' }],
    },
    ...{ mirrors: { left: 'walk' }, pictureMeant: { face: [] }, pictureBorders: { face: { left: 2, top: 2, right: 2, bottom: 2 } } },
  })
})

test.each<[string, object, object]>([
  ['the longest side', { size: 48 }, { size: { kind: 'longest', px: 48 } }],
  ['the figure', { size: { figure: 32 } }, { size: { kind: 'figure', px: 32 } }],
  ['usual normals', { normals: true }, { normals: { from: 'shape', soften: 1 } }],
  [
    'colours with a usual tolerance',
    { variants: { red: [{ from: ['#000'], to: ['#fff'] }] } },
    { variants: { red: [{ from: ['#000000'], to: ['#ffffff'], tolerance: 0.05 }] } },
  ],
  ['no prompt and one picture', {}, { prompt: '', animations: [{ name: '', take: 7, isPicture: true, steps: [] }] }],
])('a sprite with %s', (_, fields, part) => {
  expect(specOf({ reference: { steps: [{ text: 'an icon', take: 7 }] }, ...fields })).toMatchObject(part)
})
