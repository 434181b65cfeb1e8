import { expect, test } from 'vitest'
import { isCi, type Options, resolveOptions } from '../../src/options/options.ts'
import { parseBaseUrl, parseDuration, parseJournalAddress, parseLife, parseResultsAddress } from '../../src/options/values.ts'
import { findViteConfigs } from '../../src/options/vite-configs.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

const context = { root: '/game', isCi: false, dependencies: ['pixi.js'] }
const resolve = (options: Options): ReturnType<typeof resolveOptions> => resolveOptions(options, context)

test.each<[option: string, toOptions: (figure: number) => Options, least: number, most: number]>([
  ['cache.maxBytes', (maxBytes) => ({ cache: { maxBytes } }), 0, 2 ** 50],
  ['panel.port', (port) => ({ panel: { port } }), 1, 65_535],
  ['atlas.maxSize', (maxSize) => ({ atlas: { maxSize } }), 64, 16_384],
  ['atlas.quality', (quality) => ({ atlas: { quality } }), 1, 100],
  ['atlas.quality.webp', (webp) => ({ atlas: { quality: { webp } } }), 1, 100],
  ['atlas.level', (level) => ({ atlas: { level } }), 0, 9],
  ['atlas.hull', (hull) => ({ atlas: { hull } }), 4, 64],
  ['limits.windowMs', (windowMs) => ({ limits: { windowMs } }), 1, 3_600_000],
  ['limits.post', (post) => ({ limits: { post } }), 1, 10_000],
  ['limits.get', (get) => ({ limits: { get } }), 1, 10_000],
  ['limits.download', (download) => ({ limits: { download } }), 1, 10_000],
  ['limits.activeJobs', (activeJobs) => ({ limits: { activeJobs } }), 1, 1000],
  ['limits.streams', (streams) => ({ limits: { streams } }), 1, 1000],
])('%s is taken up to both ends of its range, and refused beyond them', (option, toOptions, least, most) => {
  for (const figure of [least, most]) expect(() => resolve(toOptions(figure))).not.toThrow()
  for (const figure of [least - 1, most + 1, least + 0.5])
    expect(() => resolve(toOptions(figure))).toThrow(
      expect.objectContaining({ code: 'SW_CONFIG', message: expect.stringContaining(option.split('.').slice(0, 2).join('.')) }),
    )
})

test.each<[string, number | undefined]>([
  ['500ms', 500],
  ['2s', 2000],
  ['10m', 600_000],
  ['1.5h', 5_400_000],
  ['24h', 86_400_000],
  ['86400001ms', undefined],
  ['24.001h', undefined],
  ['0s', 0],
  ['1d', undefined],
  ['-1s', undefined],
  ['10', undefined],
])('the duration %s is %s milliseconds', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each<[string, number | undefined]>([
  ['1h', 3_600_000],
  ['1d', 86_400_000],
  ['3650d', 315_360_000_000],
  ['87600h', 315_360_000_000],
  ['0h', undefined],
  ['3651d', undefined],
  ['87601h', undefined],
  ['30m', undefined],
])('the life %s of an approval is %s milliseconds', (text, ms) => {
  expect(parseLife(text)).toBe(ms)
})

test.each<[string, (text: string) => string | undefined, readonly string[], readonly string[]]>([
  [
    'a service',
    parseBaseUrl,
    ['https://a.example', 'http://localhost:1/v'],
    [
      'ftp://a.example',
      'https://u@a.example',
      'https://:p@a.example',
      'https://a.example/?q',
      'https://a.example/#f',
      'https://$HOST',
      'a.example',
    ],
  ],
  [
    'shared results',
    parseResultsAddress,
    ['s3://b/p', 'https://h/p', 'http://h', '../paid'],
    ['https://u:p@h/p', 'https://h/p?k=1', 'https://h/p#f', 'ftp://h/p', 'postgres://h/d', '', ' '],
  ],
  [
    'a shared journal',
    parseJournalAddress,
    ['s3://b/p', 'postgres://h/d', 'postgres://user@h/d', '../journal'],
    ['postgres://user:password@h/d', 'https://h/p', 'redis://h', '', ' '],
  ],
])('an address of %s is taken without a secret alone', (_, parse, good, bad) => {
  expect(good.map(parse)).toEqual(good)
  expect(bad.map(parse)).toEqual(bad.map(() => undefined))
})

test('slashes at the end of the address of a service, however many, are no part of it', () => {
  expect(['https://a.example/', 'https://a.example/v///', ' https://a.example/v '].map(parseBaseUrl)).toEqual([
    'https://a.example',
    'https://a.example/v',
    'https://a.example/v',
  ])
})

test.each([
  [undefined, false],
  ['', false],
  [' ', false],
  ['FALSE', false],
  [' False ', false],
  ['0', false],
  ['1', true],
  ['true', true],
  ['no', true],
])('CI=%j in the environment means continuous integration: %s', (CI, expected) => {
  expect(isCi({ CI })).toBe(expected)
})

test('every name of a configuration of Vite is looked for, and those that name the plugin have it', async () => {
  const names = ['js', 'mjs', 'ts', 'cjs', 'mts', 'cts'].flatMap((end) => [
    `vite.config.${end}`,
    `vite/config.dev.${end}`,
    `vite/config.prod.${end}`,
  ])
  const disk = new MemoryDisk()
  for (const [at, name] of names.entries())
    disk.files.set(`/game/${name}`, new TextEncoder().encode(at % 2 === 0 ? "import 'spritewright/vite'" : "import 'spritewright'"))
  expect(await findViteConfigs(disk, '/game')).toEqual(names.map((path, at) => ({ path, hasPlugin: at % 2 === 0 })))
})

test('a format of your own is refused under a taken name, with unknown pages, and with unknown encodings', () => {
  const own = (fields: object): Options => ({ formats: [{ name: 'mine', write: () => [], ...fields }] }) as Options
  for (const fields of [{}, { pages: 'beside' }, { pages: 'pixels' }, { draws: ['png', 'webp'] }, { name: 'a'.repeat(40) }])
    expect(() => resolve(own(fields))).not.toThrow()
  for (const fields of [{ name: 'godot' }, { name: 'Mine' }, { name: '1st' }, { name: 'a'.repeat(41) }, { pages: 'inside' }, { draws: [] }])
    expect(() => resolve(own(fields)), JSON.stringify(fields)).toThrow(expect.objectContaining({ code: 'SW_CONFIG' }))
  const twice = { formats: [...(own({}).formats ?? []), ...(own({}).formats ?? [])] }
  expect(() => resolve(twice)).toThrow(/formats\[1\]\.name/)
})

test.each<[object, boolean]>([
  [{ service: 5_318_008 }, true],
  [{ service: { baseUrl: 'secret-5318008' } }, true],
  [{ service: { queue: 'secret-5318008' } }, true],
  [{ store: { shared: 'ftp://secret-5318008' } }, true],
  [{ store: { journal: 'ftp://secret-5318008' } }, true],
  [{ store: { patience: 'secret-5318008' } }, true],
  [{ engine: 'engine-5318008' }, false],
  [{ typings: 'file-5318008' }, false],
])('a wrong value in %j, which may be a secret, is not shown: %s', (options, isHidden) => {
  let message = ''
  try {
    resolve(options as Options)
  } catch (error) {
    message = JSON.stringify([error, (error as Error).message])
  }
  expect(message).toContain('expected')
  expect(message.includes('5318008')).toBe(!isHidden)
})
