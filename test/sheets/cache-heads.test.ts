import { describe, expect, test } from 'vitest'
import { type AnimationHead, type GroupHead, readAnimationHead, readGroupHead, readTruePixelsHead } from '../../src/sheets/cache/schema.ts'

type Path = readonly (string | number)[]

/** A copy with one value replaced, or taken away. */
function changed(value: unknown, [step, ...rest]: Path, to: unknown): unknown {
  if (step === undefined) return to
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>
  copy[step] = changed(copy[step], rest, to)
  if (rest.length === 0 && to === undefined) delete copy[step]
  return copy
}

const page = { sha256: 'a'.repeat(64), width: 64, height: 32, contentType: 'image/png', extension: 'png', length: 900 } as const
const quality = {
  id: 'hero.walk',
  figures: {
    'foot-line': 1.5,
    'body-anchor': 0,
    scale: 0,
    'loop-seam': 0,
    palette: 0,
    halo: 0,
    background: 0,
    duplicate: 0,
    blank: 0,
    'cut-off': 0,
  },
  flags: [{ fault: 'foot-line', from: 'frames', frames: [0, 3], value: 1.5, limit: 1, words: 'it moves' }],
} as const
const group: GroupHead = {
  atlases: [
    {
      name: 'sprites-hero',
      scale: 0.5,
      pixelArt: false,
      pages: [page],
      alternates: [[{ ...page, contentType: 'image/webp', extension: 'webp' }]],
      layers: [{ kind: 'normals', name: 'normals', sprites: ['hero'], of: [0], pages: [page] }],
      frames: [
        {
          name: 'hero/walk/0000',
          isStill: false,
          page: 0,
          x: 1,
          y: 2,
          width: 3,
          height: 4,
          isTurned: true,
          offsetX: 0,
          offsetY: 1,
          sourceWidth: 8,
          sourceHeight: 8,
          anchor: { x: 0.5, y: 1 },
          borders: { left: 1, top: 1, right: 1, bottom: 1 },
          hull: [{ x: 0, y: 0 }],
          boxes: { hit: [[0, 0, 1, 1]] },
        },
      ],
    },
  ],
  quality: [quality],
  warnings: ['a word'],
  layouts: ['{}'],
}
const atlas = ['atlases', 0]
const frame = [...atlas, 'frames', 0]

describe('a group in a cache that strangers may have written', () => {
  test('is read as it was written, also without what it need not have', () => {
    expect(readGroupHead(JSON.parse(JSON.stringify(group)))).toEqual(group)
    for (const path of [
      [...atlas, 'alternates'],
      [...atlas, 'layers'],
      ['layouts'],
      ...['isStill', 'isTurned', 'anchor', 'borders', 'hull', 'boxes'].map((field) => [...frame, field]),
      ...['value', 'limit'].map((field) => ['quality', 0, 'flags', 0, field]),
    ]) {
      const less = changed(group, path, undefined)
      expect(readGroupHead(less)).toEqual(less)
    }
  })

  test.each<[Path, unknown]>([
    [[...atlas, 'name'], '../sprites'],
    [[...atlas, 'name'], ''],
    [[...atlas, 'scale'], 0],
    [[...atlas, 'scale'], -1],
    [[...atlas, 'pixelArt'], 'no'],
    ...['pages', 'alternates'].flatMap((list): [Path, unknown][] => {
      const first = list === 'pages' ? [...atlas, list, 0] : [...atlas, list, 0, 0]
      return [
        [[...first, 'sha256'], `${'a'.repeat(63)}/`],
        [[...first, 'sha256'], 'a'.repeat(63)],
        [[...first, 'sha256'], 'A'.repeat(64)],
        [[...first, 'sha256'], `${'a'.repeat(64)}\n`],
        [[...first, 'contentType'], 'text/html'],
        [[...first, 'contentType'], 'image/png; charset="'],
        [[...first, 'extension'], 'svg'],
        [[...first, 'width'], 0],
        [[...first, 'height'], 1.5],
        [[...first, 'length'], 0],
        [[...first, 'url'], 'https://example.com'],
      ]
    }),
    [[...atlas, 'layers', 0, 'kind'], 'script'],
    [[...atlas, 'layers', 0, 'name'], 'a/b'],
    [[...atlas, 'layers', 0, 'sprites', 0], '..'],
    [[...atlas, 'layers', 0, 'of', 0], -1],
    [[...atlas, 'layers', 0, 'pages', 0, 'sha256'], 'x'],
    [[...frame, 'name'], 'hero/walk/000'],
    [[...frame, 'name'], 'hero/walk/0000/0000'],
    [[...frame, 'name'], 'hero/../0000'],
    ...['page', 'x', 'y', 'width', 'height', 'offsetX', 'offsetY'].map((field): [Path, unknown] => [[...frame, field], -1]),
    [[...frame, 'sourceWidth'], 0],
    [[...frame, 'sourceHeight'], 0],
    [[...frame, 'isTurned'], 1],
    [[...frame, 'isStill'], 'yes'],
    [[...frame, 'anchor', 'x'], '0'],
    [[...frame, 'borders', 'left'], -1],
    [[...frame, 'hull', 0, 'y'], null],
    [
      [...frame, 'boxes', 'hit', 0],
      [0, 0, 1],
    ],
    [[...frame, 'boxes', 'a b'], []],
    [[...frame, 'more'], 1],
    [['quality', 0, 'id'], 'hero walk'],
    [['quality', 0, 'figures', 'halo'], undefined],
    [['quality', 0, 'figures', 'more'], 1],
    [['quality', 0, 'flags', 0, 'fault'], 'unknown'],
    [['quality', 0, 'flags', 0, 'from'], 'a stranger'],
    [['quality', 0, 'flags', 0, 'frames', 0], -1],
    [['quality', 0, 'flags', 0, 'words'], undefined],
    [['warnings', 0], 5],
    [['layouts', 0], {}],
    [['warnings'], undefined],
    [['quality'], undefined],
    [['atlases'], undefined],
    [['more'], 1],
  ])('counts as missing with %j as %j', (path, wrong) => {
    expect(readGroupHead(changed(group, path, wrong))).toBeUndefined()
  })

  test.each([
    ['hero', true],
    ['hero/walk', true],
    ['hero/walk/0000', true],
    ['hero/walk/123456789012345', true],
    ['hero/walk/1234567890123456', false],
    ['hero/walk/000a', false],
    ['/hero', false],
    ['', false],
  ])('may have a frame with the name %j: %s', (name, isOne) => {
    expect(readGroupHead(changed(group, [...frame, 'name'], name)) !== undefined).toBe(isOne)
  })
})

describe('an animation in such a cache', () => {
  const head: AnimationHead = {
    frames: [{ index: 2, canvas: { x: 0, y: 0, width: 4, height: 4 }, width: 2, height: 3, at: 7 }],
    room: { x: 0, y: 0, width: 4, height: 4 },
    figureSide: 3,
    quality,
    warnings: [],
  }

  test('is read as it was written, also without what it need not have', () => {
    expect(readAnimationHead(head)).toEqual(head)
    for (const path of [['figureSide'], ['quality'], ['frames', 0, 'canvas']]) {
      const less = changed(head, path, undefined)
      expect(readAnimationHead(less)).toEqual(less)
    }
  })

  test.each<[Path, unknown]>([
    [['frames', 0, 'index'], -1],
    [['frames', 0, 'at'], -1],
    [['frames', 0, 'width'], 0],
    [['frames', 0, 'height'], 0],
    [['frames', 0, 'canvas', 'width'], 0],
    [['frames', 0, 'canvas', 'x'], -1],
    [['room'], undefined],
    [['room', 'height'], 0],
    [['figureSide'], 0],
    [['quality', 'id'], ''],
    [['warnings'], undefined],
    [['more'], 1],
  ])('counts as missing with %j as %j', (path, wrong) => {
    expect(readAnimationHead(changed(head, path, wrong))).toBeUndefined()
  })
})

test.each<[object, boolean]>([
  [{}, true],
  [{ grid: { period: 2, x: -4096, y: 4096 }, palette: [0], isHard: true }, true],
  [{ grid: { period: 64, x: 0, y: 0 }, palette: Array.from({ length: 256 }, (_, at) => at) }, true],
  [{ grid: { period: 1.9, x: 0, y: 0 } }, false],
  [{ grid: { period: 65, x: 0, y: 0 } }, false],
  [{ grid: { period: 4, x: -4097, y: 0 } }, false],
  [{ grid: { period: 4, x: 0, y: 4097 } }, false],
  [{ grid: { period: 4, x: 0 } }, false],
  [{ palette: [] }, false],
  [{ palette: Array.from({ length: 257 }, () => 0) }, false],
  [{ palette: [-1] }, false],
  [{ isHard: 1 }, false],
  [{ more: 1 }, false],
])('the grid and the palette of a sprite in such a cache: %j is read: %s', (head, isRead) => {
  expect(readTruePixelsHead(head)).toEqual(isRead ? head : undefined)
})
