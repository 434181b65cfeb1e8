import { expect, test } from 'vitest'
import { parseLoadedSprites, parseReload } from '../../plugin/dev/hot-messages.ts'

/** So many names with a stamp each. */
const stamps = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, '1']))
const names = (count: number) => Object.keys(stamps(count))
const long = 'x'.repeat(401)

test.each<[string, unknown]>([
  ['no sprite', { stamps: {} }],
  ['stamps and names', { stamps: { hero: 'a'.repeat(64) }, all: ['hero', 'x'.repeat(400)] }],
])('a message of loaded sprites with %s is taken as it is', (_, message) => {
  expect(parseLoadedSprites(message)).toEqual(message)
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'stamps'],
  ['no stamps', { all: ['hero'] }],
  ['stamps that are null', { stamps: null }],
  ['stamps that are a text', { stamps: 'hero' }],
  ['a stamp that is a number', { stamps: { hero: 1 } }],
  ['a stamp that is too long', { stamps: { hero: 'a'.repeat(65) } }],
  ['a name that is too long', { stamps: { [long]: '1' } }],
  ['an empty name', { stamps: {}, all: [''] }],
  ['names that are null', { stamps: {}, all: null }],
  ['names that are no list', { stamps: {}, all: { hero: 1 } }],
  ['one stamp too many', { stamps: stamps(20_001) }],
  ['one name too many', { stamps: {}, all: names(20_001) }],
])('a message of loaded sprites with %s is none', (_, message) => {
  expect(parseLoadedSprites(message)).toBeUndefined()
})

test('a reason to reload is a text of one to a thousand characters', () => {
  const whys = ['x', 'x'.repeat(1000)]
  expect(whys.map((why) => parseReload({ why }))).toEqual(whys.map((why) => ({ why })))
  expect([undefined, null, {}, { why: '' }, { why: 'x'.repeat(1001) }, { why: 1 }].map(parseReload)).toEqual(Array(6).fill(undefined))
})
