import { expect, test } from 'vitest'
import { firstSpecText } from '../../src/cli/first-project.ts'
import { withMirrors } from '../../src/sprite-spec/mirrors.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { linesOf } from './issues.ts'

const hero = { reference: './hero.png', prompt: 'a knight', animations: { 'walk-right': { fps: 9, use: [0, 2] }, idle: {} } }

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  [
    'an unknown source',
    { 'walk-left': 'walk-rihgt' },
    'mirror.walk-left: expected the name of an animation or picture of this sprite (did you mean "walk-right"?), found "walk-rihgt"',
  ],
  [
    'a source that is like no name',
    { 'walk-left': 'zzz' },
    'mirror.walk-left: expected the name of an animation or picture of this sprite (walk-right, idle), found "zzz"',
  ],
  [
    'a mirror image of a mirror image',
    { left: 'idle', again: 'left' },
    'mirror.again: expected the name of an animation or picture of this sprite that is no mirror image, found "left"',
  ],
  [
    'itself',
    { left: 'left' },
    'mirror.left: expected the name of an animation or picture of this sprite that is no mirror image, found "left"',
  ],
  [
    'a name that is taken',
    { idle: 'walk-right' },
    'mirror.idle: expected a new name, which differs from "idle" in more than case, found "idle"',
  ],
  [
    'a name that is taken in another case',
    { Idle: 'walk-right' },
    'mirror.Idle: expected a new name, which differs from "idle" in more than case, found "Idle"',
  ],
  [
    'two names that differ in case',
    { left: 'idle', Left: 'idle' },
    'mirror.Left: expected a new name, which differs from "left" in more than case, found "Left"',
  ],
  [
    'a name of an object',
    { left: 'constructor' },
    'mirror.left: expected the name of an animation or picture of this sprite (walk-right, idle), found "constructor"',
  ],
  ['no name', { left: 7 }, 'mirror.left: expected the name of an animation or picture of this sprite, found 7'],
])('a mirror image of %s is refused at its place', (_, mirror, expected) => {
  expect(linesOf(JSON.stringify({ ...hero, mirror })).map((line) => line.replace(/^\S+ /, ''))).toEqual([expected])
})

test('a mirror image has the playback of its source, and comes after all that is bought', () => {
  const spec = parseSpec(JSON.stringify({ ...hero, mirror: { 'walk-left': 'walk-right', 'idle-left': 'idle' } }), '/game/hero.sprite.json')
  expect(withMirrors(spec).map(({ name, fps, use }) => ({ name, fps, use }))).toEqual([
    { name: 'walk-right', fps: 9, use: [0, 2] },
    { name: 'idle', fps: 12, use: undefined },
    { name: 'walk-left', fps: 9, use: [0, 2] },
    { name: 'idle-left', fps: 12, use: undefined },
  ])
  expect(spec.animations).toHaveLength(2)
})

test('a picture with the name of the sprite may have a mirror image', () => {
  const badge = { reference: { steps: [{ text: 'a badge' }] } }
  const spec = parseSpec(JSON.stringify({ ...badge, mirror: { left: 'badge' } }), '/game/badge.sprite.json')
  expect(withMirrors(spec).map(({ name, isPicture }) => [name, isPicture])).toEqual([
    ['', true],
    ['left', true],
  ])
})

test('the spec that init writes has a mirror image in a comment, which is right without its slashes', () => {
  const text = firstSpecText(undefined).replace('// "mirror"', '"mirror"')
  expect(parseSpec(text, '/game/hero.sprite.json').mirrors).toEqual({ 'walk-left': 'walk' })
})
