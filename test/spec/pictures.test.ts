import { expect, test } from 'vitest'
import { bordersOf } from '../../src/sprite-spec/borders.ts'
import { editSpecText } from '../../src/sprite-spec/edit/edit.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { meantOf } from '../../src/sprite-spec/pictures.ts'
import { linesOf } from './issues.ts'

const text = { steps: [{ text: 'an icon' }] }
const faultsOf = (fields: object): string[] => linesOf(JSON.stringify(fields)).map((line) => line.replace(/^\S+ /, ''))

test.each<[string, object, string]>([
  [
    'nothing to buy',
    { reference: './hero.png' },
    'animations: expected animations or pictures by name, or a reference of steps that are paid for: without them, nothing is bought, found nothing',
  ],
  [
    'a reference of one file',
    { reference: { steps: [{ image: './hero.png' }] } },
    'animations: expected animations or pictures by name, or a reference of steps that are paid for: without them, nothing is bought, found nothing',
  ],
  [
    'animations without a prompt',
    { reference: './hero.png', animations: { walk: {} } },
    'prompt: expected a text that says what the sprite is, found nothing',
  ],
  ['no picture', { reference: text, pictures: {} }, 'pictures: expected at least one picture, found an empty object'],
  [
    'a picture that is a file',
    { reference: './hero.png', pictures: { face: [] } },
    'pictures.face: expected at least one step, since the reference is a file and costs nothing, found an empty list',
  ],
  [
    'a picture that begins anew',
    { reference: text, pictures: { face: [{ text: 'a face' }] } },
    'pictures.face[0]: expected { edit }, { removeBackground } or { upscale } after the first step, found { text }',
  ],
  [
    'a picture that goes on from a file',
    { reference: text, pictures: { face: [{ image: './face.png' }] } },
    'pictures.face[0]: expected { edit }, { removeBackground } or { upscale } after the first step, found { image }',
  ],
  [
    'the name of an animation',
    { reference: text, prompt: 'a', animations: { walk: {} }, pictures: { Walk: [{ edit: 'a' }] } },
    'pictures.Walk: expected a name that differs from "walk" in more than case, found "Walk"',
  ],
  [
    'no name of a picture',
    { reference: text, pictures: { 'a b': [] } },
    'pictures.a b: expected a name of letters, digits, _ and -, beginning with a letter or digit, and none that Windows reserves (con, prn, aux, nul, com1, lpt1 …), found "a b"',
  ],
  [
    'an unknown step',
    { reference: text, pictures: { face: [{ paint: 'a' }] } },
    'pictures.face[0]: expected a step: one of { text }, { image }, { edit }, { removeBackground } or { upscale }, found an object with "paint"',
  ],
  [
    'a take below 1',
    { reference: text, pictures: { face: [{ edit: 'a', take: 0 }] } },
    'pictures.face[0].take: expected a whole number from 1 to 9999, found 0',
  ],
  ['no list', { reference: text, pictures: { face: { edit: 'a' } } }, 'pictures.face: expected a list of steps, found an object'],
  [
    'own art with pictures',
    { source: './hero.png', pictures: { face: [] } },
    'pictures: expected no such field beside "source", since own art is never bought, found the field "pictures"',
  ],
  [
    'a remark on no picture',
    { reference: text, pictures: { face: [] }, meant: { fase: ['blank'] } },
    'meant.fase: expected the name of a picture of this sprite (did you mean "face"?), found "fase"',
  ],
  [
    'a remark on an animation',
    { reference: text, prompt: 'a', animations: { walk: {} }, meant: { walk: ['blank'] } },
    'meant.walk: expected the name of a picture of this sprite (it has none), found "walk"',
  ],
  [
    'no remark',
    { reference: text, pictures: { face: [] }, meant: { face: 'blank' } },
    'meant.face: expected a list of remarks, found "blank"',
  ],
  [
    'another name than that of the sprite',
    { reference: text, borders: { icon: 2 } },
    'borders.icon: expected the name of a picture of this sprite (hero), found "icon"',
  ],
])('%s is refused', (_, fields, fault) => {
  expect(faultsOf(fields)).toContain(fault)
})

test.each([
  ['of a set', { pictures: { sword: [], shield: [] } }, 'sword'],
  ['of a set with names that objects have', { pictures: { sword: [], constructor: [], toString: [] } }, 'sword'],
  ['of one picture, by the name of the sprite', {}, 'hero'],
])('borders and intended faults %s are those of that picture alone', (_, fields, name) => {
  const spec = { reference: text, ...fields, borders: { [name]: 2 }, meant: { [name]: ['cut-off'] } }
  const parsed = parseSpec(JSON.stringify(spec), '/game/hero.sprite.json')
  const told = parsed.animations.map((picture) => [bordersOf(parsed, picture)?.sides.left, meantOf(parsed, picture)])
  expect(told).toEqual([[2, ['cut-off']], ...parsed.animations.slice(1).map(() => [undefined, []])])
})

test.each([
  [
    'hero.sprite.json',
    '{ "reference": { "steps": [{ "text": "an icon" }] }, // one\n  "pictures": { "sword": [ { "edit": "a sword" } ] } }',
    '{ "reference": { "steps": [{ "text": "an icon" }] }, // one\n  "pictures": { "sword": [ { "edit": "a sword", "take": 2 } ] } }',
  ],
  [
    'hero.sprite.yaml',
    'reference:\n  steps:\n    - text: an icon\npictures:\n  sword:\n    - edit: a sword # sharp\n',
    'reference:\n  steps:\n    - text: an icon\npictures:\n  sword:\n    - edit: a sword # sharp\n      take: 2\n',
  ],
])('a field of a step in %s is written in its place', (file, before, after) => {
  const edited = editSpecText(before, `/game/${file}`, file, [{ path: ['pictures', 'sword', 0, 'take'], value: 2 }])
  expect(edited).toBe(after)
})

test.each([
  [
    'hero.sprite.json',
    '{ "source": "./ui/" } // drawn',
    '{ "source": "./ui/", "animations": { "walk": { "use": [0, 1] } }, "meant": { "sword": ["blank"] } } // drawn',
  ],
  [
    'hero.sprite.yaml',
    'source: ./ui/ # drawn\n',
    'source: ./ui/ # drawn\nanimations: { "walk": { "use": [0, 1] } }\nmeant: { "sword": ["blank"] }\n',
  ],
])('objects around a field that %s does not have are made, and a field that it does not have needs no removal', (file, before, after) => {
  const edited = editSpecText(before, `/game/${file}`, file, [
    { path: ['animations', 'walk', 'use'], value: [0, 1] },
    { path: ['animations', 'walk', 'fps'] },
    { path: ['meant', 'sword'], value: ['blank'] },
    { path: ['borders', 'sword'] },
  ])
  expect(edited).toBe(after)
})
