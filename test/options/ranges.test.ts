import { expect, test } from 'vitest'
import { findSpecSchema } from '../../src/options/editor-schema.ts'
import { mergeOptions } from '../../src/options/merge-options.ts'
import { isCi, type Options, type OptionsContext, resolveOptions } from '../../src/options/options.ts'
import {
  parseBaseUrl,
  parseDuration,
  parseJournalAddress,
  parseLife,
  parseQueueAddress,
  parseResultsAddress,
} from '../../src/options/values.ts'
import { findViteConfigs, hasVitePlugin } from '../../src/options/vite-configs.ts'
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

test('options that others arrive for are read whole: addresses are kept, paths are resolved, lives and ways are passed on', () => {
  const options = resolve({
    service: 'embedded',
    approval: { validFor: ' 7d ', accept: ['touched', 'typed'], perSprite: undefined },
    store: { shared: '../paid', journal: ' s3://studio/journal ', patience: ' 1.5s ' },
    atlas: { quality: { webp: 70 }, palette: 'close' },
    replayWindow: '10m',
    panel: { port: undefined },
  })
  expect(options).toStrictEqual({
    root: '/game',
    specs: ['**/*.sprite.{json,yaml,yml}', '**/*.sprites/**'],
    engine: 'pixi',
    formats: [],
    service: 'embedded',
    approval: {},
    approvalValidMs: 604_800_000,
    approvalAccept: ['touched', 'typed'],
    build: { generate: 'approved', unbought: 'error' },
    placeholders: { mark: true },
    isCi: false,
    store: { dir: '/game/.spritewright', shared: '/paid', journal: 's3://studio/journal', patienceMs: 1500 },
    cache: { maxBytes: 2 ** 30 },
    panel: {},
    atlas: { maxSize: 2048, encodings: ['png'], level: 6, ktx2: 'uastc', quality: { webp: 70 }, palette: 'close' },
    limits: { windowMs: 60_000, post: 10, get: 120, download: 20, activeJobs: 2, streams: 4 },
    replayWindowMs: 480_000,
    notes: [],
  })
  expect(resolve({ store: { journal: 'journal' } }).store.journal).toBe('/game/journal')
})

test('an address is taken without the blanks around it, and a queue only with a scheme of a queue and without a password', () => {
  const texts = [' https://a.example ', ' s3://b ', ' ../j ', ' redis://h:1/2 ']
  const parsers = [parseBaseUrl, parseResultsAddress, parseJournalAddress, parseQueueAddress]
  expect(texts.map((text, at) => parsers[at]?.(text))).toEqual(texts.map((text) => text.trim()))
  expect(['rediss://h', 'postgres://h/d'].map(parseQueueAddress)).toEqual(['rediss://h', 'postgres://h/d'])
  for (const text of ['redis://u:p@h', 'http://h', 'h', '']) expect(parseQueueAddress(text)).toBeUndefined()
  expect([parseLife(' 2d '), parseDuration('0.4999s'), parseDuration('1.0006s'), parseDuration('0.999ms')]).toEqual([
    172_800_000,
    undefined,
    undefined,
    1,
  ])
})

/** The facts and the message of a refusal. */
function refusalOf(argument: unknown, config?: OptionsContext['config']): { readonly facts: unknown; readonly message: string } {
  try {
    resolveOptions(argument as Options, { ...context, config })
  } catch (error) {
    const { facts, message } = error as { facts: unknown; message: string }
    return { facts, message }
  }
  return expect.unreachable()
}

test('a refusal names the file if it is the reason, and no file if the argument is', () => {
  const file = '/game/spritewright.config.mjs'
  const engine = { path: 'engine', expected: '"phaser" or "pixi"', found: '1' }
  expect(refusalOf({}, { options: { engine: 1 }, file }).facts).toEqual({ file, issues: [engine] })
  // The argument takes the place of the wrong option, which is wrong nevertheless.
  expect(refusalOf({ engine: 'pixi' }, { options: { engine: 1 }, file }).facts).toEqual({ file, issues: [engine] })
  expect(refusalOf({ engine: 1 }, { options: { engine: 'pixi' }, file }).facts).toEqual({ issues: [engine] })
  expect(refusalOf({ atlas: { rotate: true } }, { options: { engine: 'phaser' }, file }).facts).toMatchObject({
    file,
    issues: [{ path: 'atlas.rotate' }],
  })
  expect(refusalOf(null).message).toMatch(/^options: /)
  expect(refusalOf({}, { options: 3, file }).message).toMatch(/^\/game\/spritewright\.config\.mjs: /)
})

test('an option that is none is told its nearest name in its own group alone', () => {
  const expectedOf = (options: object): string => (refusalOf(options).facts as { issues: { expected: string }[] }).issues[0]?.expected ?? ''
  expect(expectedOf({ limits: { maxSiz: 1 } })).toBe('one of windowMs, post, get, download, activeJobs, streams')
  expect(expectedOf({ atlas: { maxSiz: 1 } })).toContain('"maxSize"')
  expect(expectedOf({ maxSiz: 1 })).toMatch(/^one of \$schema, specs, engine, .*, replayWindow$/)
  expect(expectedOf({ constructor: { x: 1 } })).toMatch(/^one of \$schema/)
  expect(expectedOf({ formats: [null] })).toContain('a format of your own')
  expect(expectedOf({ formats: [{ name: 7, write: () => [] }] })).toContain('a format of your own')
})

test('encodings: a note says what is left, and a format is told of each list that it cannot draw', () => {
  const notes = (options: Options): readonly string[] => resolve(options).notes
  expect(notes({ engine: 'phaser', atlas: { format: ['webp', 'png'] } })).toEqual([
    'atlas.format: phaser gets webp, since only PixiJS chooses among encodings; png is not written.',
  ])
  expect(notes({ engine: 'phaser', atlas: { format: 'webp' } })).toEqual([])
  const { facts } = refusalOf({ engine: 'phaser', formats: ['libgdx'], atlas: { format: ['webp', 'ktx2'] } })
  expect(facts).toEqual({
    issues: [
      { path: 'atlas.format', expected: 'an encoding that "libgdx" can draw (png)', found: '"webp", "ktx2"' },
      { path: 'atlas.format', expected: expect.stringContaining('"ktx2"'), found: '"webp", "ktx2"' },
    ],
  })
})

test('objects are merged one level deep, and a list or an empty value takes the place of an object', () => {
  const merge = (base: object, over: object): object => mergeOptions(base, over)
  expect(merge({ a: { b: { c: 1 }, d: 2 } }, { a: { b: { e: 3 } } })).toEqual({ a: { b: { e: 3 }, d: 2 } })
  expect(merge({ a: { b: 1 }, c: { d: 1 }, e: [1, 2] }, { a: null, c: [3], e: { f: 1 } })).toEqual({ a: null, c: [3], e: { f: 1 } })
})

test('the schema of a spec is found in the nearest installed package, from the spec on', async () => {
  const disk = new MemoryDisk()
  const schema = 'node_modules/spritewright/schemas/sprite.schema.json'
  expect(await findSpecSchema(disk, '/work/game', '/work/game/art/a.sprite.json')).toBeUndefined()
  disk.files.set(`/work/${schema}`, new Uint8Array())
  expect(await findSpecSchema(disk, '/work/game', '/work/game/art/a.sprite.json')).toBe(`../../${schema}`)
  disk.files.set(`/work/game/${schema}`, new Uint8Array())
  expect(await findSpecSchema(disk, '/work/game', '/work/game/a.sprite.json')).toBe(`./${schema}`.slice(2))
})

test('a project has the plugin if one of its configurations names it', async () => {
  const disk = new MemoryDisk()
  const has = (): Promise<boolean> => hasVitePlugin(disk, '/game')
  expect(await has()).toBe(false)
  disk.files.set('/game/vite.config.ts', new TextEncoder().encode("import 'vite'"))
  expect(await has()).toBe(false)
  disk.files.set('/game/vite/config.prod.mjs', new TextEncoder().encode("import 'spritewright/vite'"))
  expect(await has()).toBe(true)
})
