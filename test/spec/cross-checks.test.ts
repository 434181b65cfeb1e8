import { expect, test } from 'vitest'
import { crossFaults, isOwnSpec } from '../../src/sprite-spec/cross-checks.ts'

const later = '{ edit }, { removeBackground } or { upscale } after the first step'
const text = { steps: [{ text: 'an icon' }] }
const walk = (fields: object): object => ({ reference: 'a.png', prompt: 'p', animations: { walk: fields } })
const sprite = (fields: object): object => ({ ...walk({}), ...fields })
const own = (fields: object): object => ({ source: 'a.png', ...fields })
const nothingBought = {
  path: ['animations'],
  expected: 'animations or pictures by name, or a reference of steps that are paid for: without them, nothing is bought',
  found: 'nothing',
}
const beyond = (index: number, frame: number, count: number) => ({
  ...{ path: ['animations', 'walk', 'use', index], expected: `one of the ${count} frames, 0 to ${count - 1}`, found: `${frame}` },
})
const durations = (played: number, count: number) => ({
  path: ['animations', 'walk', 'durations'],
  expected: `${played} durations, one for each frame played`,
  found: `a list of ${count}`,
})
const reserved = (field: string, by: string) => ({
  path: ['animations', 'walk', 'options', field],
  expected: `no such option, since it is set by ${by}`,
  found: `the field "${field}"`,
  isAtKey: true,
})
const unnamed = (field: string, name: string, whose: string) => ({
  path: [field, name],
  expected: `the name of a picture of this sprite (${whose})`,
  found: `"${name}"`,
  isAtKey: true,
})

test.each<[string, unknown, readonly object[]]>([
  ['a spec that is no object', 5, []],
  [
    'parts of other types, of which the schema tells',
    { reference: 5, animations: 5, pictures: 5, scales: 5, borders: 5, mirror: 5 },
    [{ path: ['prompt'], found: 'nothing' }],
  ],
  ['a whole spec', walk({ frames: 9, use: [8, 0], durations: [1, 2], options: { style: 'a' } }), []],
  [
    'names that differ in case, in both lists',
    { ...walk({}), animations: { a: {}, A: {} }, pictures: { b: [{ edit: 'x' }], B: [{ edit: 'x' }], a: [{ edit: 'x' }] } },
    [
      ...[
        ['animations', 'A', 'a'],
        ['pictures', 'B', 'b'],
        ['pictures', 'a', 'a'],
      ].map(([field, name, first]) => ({
        ...{ path: [field, name], expected: `a name that differs from "${first}" in more than case`, found: `"${name}"`, isAtKey: true },
      })),
    ],
  ],
  [
    'empty lists',
    { reference: text, animations: {}, pictures: {} },
    [
      { path: ['animations'], expected: 'at least one animation', found: 'an empty object' },
      { path: ['pictures'], expected: 'at least one picture', found: 'an empty object' },
      { path: ['prompt'], found: 'nothing' },
    ],
  ],
  ['own art without animations and prompt', own({}), []],
  [
    'own art of which the source decides the frames',
    own({ animations: { walk: { use: [500], durations: [1], options: { frames: 9 } } }, borders: { icon: 1 } }),
    [],
  ],
  ['no subject', { reference: 'a.png' }, [nothingBought]],
  ['no subject and no reference, of which the schema tells', {}, []],
  ['a file as the only step', { reference: { steps: [{ image: 'a.png' }] } }, [nothingBought]],
  ['a file and a paid step', { reference: { steps: [{ image: 'a.png' }, { edit: 'b' }] } }, []],
  ['one paid step', { reference: text }, []],
  [
    'frames just beyond the last, and none that the schema tells of',
    walk({ frames: 7, use: [6, 7, 99, 100, 1.5, 'a'] }),
    [beyond(1, 7, 7), beyond(2, 99, 7)],
  ],
  ['frames beyond the default', walk({ use: [11, 12] }), [beyond(1, 12, 12)]],
  ['frames of a count that the schema tells of', walk({ frames: 500, use: [600], durations: [1] }), []],
  ['durations of another number than the frames', walk({ frames: 7, durations: [1, 2] }), [durations(7, 2)]],
  ['durations of another number than the used frames', walk({ frames: 7, use: [0, 1, 2], durations: [1, 2] }), [durations(3, 2)]],
  ['durations of an unknown count beside used frames', walk({ frames: 'x', use: [0], durations: [1, 2] }), [durations(1, 2)]],
  [
    'options with a field of their own',
    walk({ options: { frame_count: 1, style: 2, frames: 3, background: 4, max_credits: 5, toString: 6 } }),
    [
      reserved('frame_count', 'animations.NAME.frames'),
      reserved('frames', 'animations.NAME.frames'),
      reserved('background', 'background'),
      reserved('max_credits', 'an approval'),
    ],
  ],
  [
    'steps in another order',
    sprite({ reference: { steps: [{ upscale: 'x', take: 2 }, { text: 'x', take: 2 }, { edit: 'x' }, { image: 'a' }, {}, 5] } }),
    [
      { path: ['reference', 'steps', 0], expected: '{ text } or { image } as the first step', found: '{ upscale }' },
      { path: ['reference', 'steps', 1], expected: later, found: '{ text }' },
      { path: ['reference', 'steps', 3], expected: later, found: '{ image }' },
    ],
  ],
  [
    'a first step that removes a background',
    sprite({ reference: { steps: [{ removeBackground: 'x' }] } }),
    [{ path: ['reference', 'steps', 0], found: '{ removeBackground }' }],
  ],
  [
    'pictures of a file',
    { reference: 'a.png', pictures: { a: [], b: [{ edit: 'x' }, { text: 'x' }], c: 5 } },
    [
      { path: ['pictures', 'a'], expected: 'at least one step, since the reference is a file and costs nothing', found: 'an empty list' },
      { path: ['pictures', 'b', 1], expected: later, found: '{ text }' },
    ],
  ],
  [
    'pictures of a paid reference',
    { reference: text, pictures: { a: [], b: [{ image: 'x' }] } },
    [{ path: ['pictures', 'b', 0], expected: later, found: '{ image }' }],
  ],
  [
    'scales twice',
    sprite({ scales: [1, 2, 1, 0.5, 2] }),
    [
      { path: ['scales', 2], expected: 'each scale once', found: '1 again' },
      { path: ['scales', 4], expected: 'each scale once', found: '2 again' },
    ],
  ],
  ['borders of frames that are put back', { reference: text, borders: 2, stabilize: true }, [{ path: ['stabilize'], found: 'true' }]],
  ['borders of frames that stay', { reference: text, borders: 2, stabilize: false }, []],
  [
    'pictures by other names',
    { reference: text, pictures: { face: [] }, borders: { face: 1, icon: 2 }, meant: { hero: [] } },
    [unnamed('borders', 'icon', 'face'), unnamed('meant', 'hero', 'face')],
  ],
  [
    'the picture of a sprite by another name',
    { reference: text, borders: { hero: 1 }, meant: { face: [] } },
    [unnamed('meant', 'face', 'hero')],
  ],
  ['a picture beside animations', { ...walk({}), borders: { walk: 1 } }, [unnamed('borders', 'walk', 'it has none')]],
  [
    'a mirror and a box of what is there',
    { ...walk({ frames: 7 }), mirror: { left: 'walk' }, boxes: { body: { walk: { 6: 'find' } } } },
    [],
  ],
  [
    'a box beyond the frames',
    { ...walk({ frames: 7 }), boxes: { body: { walk: { 7: 'find' } } } },
    [{ path: ['boxes', 'body', 'walk', '7'] }],
  ],
  ['a box of a picture', { reference: text, boxes: { body: { hero: { 0: 'find' } } } }, []],
  ['a box beyond a picture', { reference: text, boxes: { body: { hero: { 1: 'find' } } } }, [{ path: ['boxes', 'body', 'hero', '1'] }]],
])('%s has exactly these faults', (_, spec, faults) => {
  const found = crossFaults(spec, 'hero')
  expect(found).toMatchObject(faults)
  expect(found).toHaveLength(faults.length)
})

test('a spec is of own art if it names a source, of whatever kind', () => {
  expect([own({}), { source: null }, walk({}), undefined].map(isOwnSpec)).toEqual([true, true, false, false])
})
