import fc from 'fast-check'
import { expect, test } from 'vitest'
import { optionIssues } from '../../src/options/schema.ts'
import { arePlainOptions } from '../../src/plain-options.ts'
import { changedData } from '../kit/changed-data.ts'

const options = {
  specs: ['art/*.sprite.json', '!art/old'],
  engine: 'pixi',
  formats: ['godot', 'css'],
  service: { baseUrl: 'https://api.example.com/v1' },
  approval: { perSprite: 2.4, perRun: '10', total: 100 },
  build: { generate: 'never', unbought: 'placeholder' },
  placeholders: { mark: false },
  store: { dir: '.bought', shared: '../shared' },
  cache: { maxBytes: 2 ** 30 },
  atlas: {
    maxSize: 1024,
    format: ['png', 'webp'],
    quality: { webp: 80, avif: 50, ktx2: 1 },
    level: 9,
    ktx2: 'etc1s',
    hull: 8,
    palette: 'close',
    rotate: true,
    stable: false,
  },
  limits: { windowMs: 1000, post: 1, get: 2, download: 3, activeJobs: 4, streams: 5 },
  replayWindow: '1.5h',
}

test.each([
  ['none', {}],
  ['all', options],
  ['all, in their other forms', { ...options, specs: 'art/*', service: 'embedded', atlas: { format: 'webp', quality: 7 } }],
  ['some that are undefined', { specs: undefined, atlas: { stable: true, level: undefined } }],
  ['those of an object without a prototype', Object.assign(Object.create(null), { engine: 'phaser' })],
])('%s are plainly in order', (_, value) => {
  expect(arePlainOptions(value)).toBe(true)
  expect(optionIssues(value)).toEqual([])
})

test('the schema finds nothing wrong with plain options, whatever has been changed in them', () => {
  let taken = 0
  fc.assert(
    fc.property(changedData(options), (changed) => {
      if (!arePlainOptions(changed)) return
      taken += 1
      expect(optionIssues(changed)).toEqual([])
    }),
    { numRuns: 1000 },
  )
  expect(taken).toBeGreaterThan(100)
})

test.each([
  ['a format of the project', { formats: [{ name: 'mine', write: () => [] }] }],
  ['a profile', { service: { baseUrl: 'https://api.example.com', profile: {} } }],
  ['a list with a hole', { specs: Object.assign(new Array(2), { 1: 'art/*' }) }],
  [
    'an object of a class',
    {
      atlas: new (class {
        level = 3
      })(),
    },
  ],
])('%s is left to the schema', (_, value) => {
  expect(arePlainOptions(value)).toBe(false)
})
