import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { mergeOptions } from '../../src/options/merge-options.ts'
import { defineConfig, isCi, type Options, type OptionsContext, resolveOptions } from '../../src/options/options.ts'
import { readOptions } from '../../src/options/schema.ts'
import { changedData } from '../kit/changed-data.ts'

const context: OptionsContext = { root: '/game', isCi: false, dependencies: [] }

async function refusal(options: unknown, over: Partial<OptionsContext> = {}): Promise<SpritewrightError> {
  try {
    await resolveOptions(options as Options, { ...context, ...over })
  } catch (error) {
    if (error instanceof SpritewrightError) return error
    throw error
  }
  throw new Error('Expected the options to be refused, found that they were taken.')
}

test('no options at all take every default', async () => {
  expect(await resolveOptions({}, context)).toEqual({
    root: '/game',
    specs: ['**/*.sprite.{json,yaml,yml}', '**/*.sprites/**'],
    formats: [],
    approval: {},
    build: { generate: 'approved', unbought: 'error' },
    placeholders: { mark: true },
    isCi: false,
    store: { dir: '/game/.spritewright', patienceMs: 600_000 },
    cache: { maxBytes: 1_073_741_824 },
    panel: {},
    atlas: { maxSize: 2048, encodings: ['png'], level: 6, ktx2: 'uastc' },
    limits: { windowMs: 60_000, post: 10, get: 120, download: 20, activeJobs: 2, streams: 4 },
    replayWindowMs: 600_000,
    notes: [],
  })
})

test('every option arrives', async () => {
  const ownFormat = { name: 'mine', write: () => [] }
  const profile = { executeBody: () => ({}) }
  const options = defineConfig({
    specs: 'art/*.sprite.json',
    engine: 'pixi',
    formats: ['aseprite', ownFormat],
    typings: 'src/sprites.d.ts',
    service: { baseUrl: 'https://api.example.com/v/', profile },
    approval: { perSprite: 2.4, perRun: '10', total: '100.0001' },
    build: { generate: 'never', unbought: 'placeholder' },
    placeholders: { mark: false },
    store: { dir: 'paid', shared: '/srv/paid', patience: '30s' },
    cache: { maxBytes: 5_000_000 },
    panel: { port: 24_800 },
    atlas: {
      maxSize: 4096,
      format: ['webp', 'png'],
      quality: 80,
      level: 9,
      ktx2: 'etc1s',
      hull: 8,
      palette: 'exact',
      effort: 'best',
      stable: true,
    },
    limits: { windowMs: 100, post: 1, get: 2, download: 3, activeJobs: 4, streams: 5 },
    replayWindow: '2s',
  })
  expect(await resolveOptions(options, context)).toEqual({
    root: '/game',
    specs: ['art/*.sprite.json'],
    engine: 'pixi',
    formats: ['aseprite', ownFormat],
    typings: '/game/src/sprites.d.ts',
    service: { baseUrl: 'https://api.example.com/v', profile },
    approval: { perSprite: 24_000n, perRun: 100_000n, total: 1_000_001n },
    build: { generate: 'never', unbought: 'placeholder' },
    placeholders: { mark: false },
    isCi: false,
    store: { dir: '/game/paid', shared: '/srv/paid', patienceMs: 30_000 },
    cache: { maxBytes: 5_000_000 },
    panel: { port: 24_800 },
    atlas: {
      maxSize: 4096,
      encodings: ['webp', 'png'],
      quality: { webp: 80, avif: 80, ktx2: 80 },
      level: 9,
      ktx2: 'etc1s',
      hull: 8,
      palette: 'exact',
      effort: 'best',
      stable: true,
    },
    limits: { windowMs: 100, post: 1, get: 2, download: 3, activeJobs: 4, streams: 5 },
    replayWindowMs: 2000,
    notes: ['atlas.format: aseprite gets webp, mine gets webp, since only PixiJS chooses among encodings.'],
  })
})

test('frames are turned only where everything that is written can draw them', async () => {
  expect((await resolveOptions({ engine: 'pixi', formats: ['frames', 'strip'], atlas: { rotate: true } }, context)).atlas.rotate).toBe(true)
  expect((await resolveOptions({ engine: 'phaser', atlas: { rotate: false } }, context)).atlas).not.toHaveProperty('rotate')
  const own = { name: 'mine', write: () => [] }
  expect(
    (await resolveOptions({ engine: 'pixi', formats: [{ ...own, canTurn: true }], atlas: { rotate: true } }, context)).atlas.rotate,
  ).toBe(true)
  const { issues } = (await refusal({ formats: ['godot', own], atlas: { rotate: true } })).facts
  expect(issues).toEqual([
    { path: 'atlas.rotate', expected: 'false, since turned frames cannot be drawn in "phaser", "godot", "mine"', found: 'true' },
  ])
})

describe('encodings', () => {
  const atlasOf = async (options: Options) => {
    const { atlas, notes } = await resolveOptions(options, context)
    return { encodings: atlas.encodings, notes }
  }

  test('of a list are all made for PixiJS, and only the first that it draws for a format that cannot choose', async () => {
    const format = ['avif', 'webp', 'png'] as const
    expect(await atlasOf({ engine: 'pixi', atlas: { format } })).toEqual({ encodings: format, notes: [] })
    expect(await atlasOf({ engine: 'phaser', atlas: { format } })).toEqual({
      encodings: ['avif'],
      notes: ['atlas.format: phaser gets avif, since only PixiJS chooses among encodings; webp and png are not written.'],
    })
    expect(await atlasOf({ engine: 'phaser', formats: ['godot', 'libgdx', 'frames'], atlas: { format } })).toEqual({
      encodings: ['avif', 'webp', 'png'],
      notes: [
        'atlas.format: phaser gets avif, godot gets webp, libgdx gets png, frames gets png, since only PixiJS chooses among encodings.',
      ],
    })
    expect(await atlasOf({ engine: 'phaser', atlas: { format: 'webp' } })).toEqual({ encodings: ['webp'], notes: [] })
  })

  test('that a format of the project cannot draw are refused before anything is bought', async () => {
    const issuesOf = async (options: Options): Promise<unknown> => (await refusal(options)).facts.issues
    expect(await issuesOf({ engine: 'pixi', formats: ['libgdx'], atlas: { format: ['webp', 'avif'] } })).toEqual([
      { path: 'atlas.format', expected: 'an encoding that "libgdx" can draw (png)', found: '"webp", "avif"' },
    ])
    const own = { name: 'mine', draws: ['png'] as const, write: () => [] }
    expect(await issuesOf({ formats: [own], atlas: { format: 'avif' } })).toMatchObject([
      { expected: expect.stringContaining('"mine" can draw (png)') },
    ])
  })

  test('of KTX2 are for PixiJS alone, behind what every browser shows', async () => {
    expect(await atlasOf({ engine: 'pixi', atlas: { format: ['ktx2', 'webp'] } })).toEqual({ encodings: ['webp', 'ktx2'], notes: [] })
    expect(await atlasOf({ engine: 'pixi', atlas: { format: 'ktx2' } })).toEqual({ encodings: ['ktx2'], notes: [] })
    expect(await atlasOf({ atlas: { format: ['ktx2', 'png'] } })).toEqual({
      encodings: ['png', 'ktx2'],
      notes: ['atlas.format: phaser gets png, since only PixiJS chooses among encodings.'],
    })
    expect((await refusal({ engine: 'phaser', atlas: { format: ['ktx2', 'png'] } })).message).toBe(
      'options atlas.format: expected no "ktx2", which only PixiJS loads, and nothing is written for it, found "ktx2", "png"',
    )
    expect((await refusal({ engine: 'phaser', atlas: { format: 'ktx2' } })).message).toContain(
      'an encoding that "phaser" can draw (png, webp, avif)',
    )
  })

  test('without a PNG have no palette: that would go without a word', async () => {
    expect((await refusal({ atlas: { format: 'webp', palette: 'exact' } })).message).toBe(
      'options atlas.palette: expected none if no PNG is written, since only PNGs have palettes, found "exact"',
    )
    expect((await refusal({ engine: 'phaser', atlas: { format: ['webp', 'png'], palette: 'close' } })).code).toBe('SW_CONFIG')
    expect((await atlasOf({ engine: 'pixi', atlas: { format: ['webp', 'png'], palette: 'close' } })).encodings).toEqual(['webp', 'png'])
  })
})

describe('merging', () => {
  test('the argument wins over the config file key by key, inside objects too', async () => {
    const config: Options = {
      engine: 'pixi',
      formats: ['godot', 'css'],
      build: { generate: 'never', unbought: 'placeholder' },
      placeholders: { mark: false },
      limits: { post: 5, get: 6 },
    }
    const resolved = await resolveOptions(
      { engine: undefined, formats: ['libgdx'], build: { generate: 'approved', unbought: undefined }, limits: { get: 7 } },
      { ...context, config: { options: config, file: '/game/spritewright.config.ts' } },
    )
    expect(resolved).toMatchObject({
      engine: 'pixi',
      formats: ['libgdx'],
      build: { generate: 'approved', unbought: 'placeholder' },
      limits: { post: 5, get: 7 },
    })
  })

  test('a service object is laid over another, never over the embedded service, and a profile is taken whole', () => {
    const readBalance = (): string => '1'
    const service = { baseUrl: 'https://a.example', profile: { cancellable: () => true } }
    expect(mergeOptions({ service }, { service: { baseUrl: 'https://b.example', profile: { readBalance } } }).service).toEqual({
      baseUrl: 'https://b.example',
      profile: { readBalance },
    })
    expect(mergeOptions({ service }, { service: 'embedded' }).service).toBe('embedded')
    expect(mergeOptions({ service: 'embedded' }, { service }).service).toEqual(service)
  })
})

describe('whatever is changed in options', () => {
  const options = {
    specs: ['art/*.sprite.json', '!art/old'],
    engine: 'pixi',
    formats: ['aseprite', 'css'],
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
      rotate: false,
      stable: false,
    },
    limits: { windowMs: 1000, post: 1, get: 2, download: 3, activeJobs: 4, streams: 5 },
    replayWindow: '1.5h',
  }
  test('two that are in order by themselves are in order together', () => {
    const isRight = (value: unknown): boolean => 'options' in readOptions(value)
    let taken = 0
    fc.assert(
      fc.property(changedData(options), changedData(options), (config, argument) => {
        if (!isRight(config) || !isRight(argument)) return
        taken += 1
        expect(readOptions(mergeOptions(config as Options, argument as Options))).toHaveProperty('options')
      }),
      { numRuns: 1000 },
    )
    expect(taken).toBeGreaterThan(50)
  })
})

describe('the surroundings', () => {
  test.each([
    [['phaser', 'vite'], 'phaser'],
    [['pixi.js'], 'pixi'],
    [['phaser', 'pixi.js'], undefined],
    [['react'], undefined],
  ])('the dependencies %j make the engine %s', async (dependencies, engine) => {
    expect((await resolveOptions({}, { ...context, dependencies })).engine).toBe(engine)
    expect((await resolveOptions({ engine: 'pixi' }, { ...context, dependencies })).engine).toBe('pixi')
  })

  test('continuous integration buys nothing by default, and is remembered where a config says otherwise', async () => {
    expect(await resolveOptions({}, { ...context, isCi: true })).toMatchObject({ isCi: true, build: { generate: 'never' } })
    expect(await resolveOptions({ build: { generate: 'approved' } }, { ...context, isCi: true })).toMatchObject({
      isCi: true,
      build: { generate: 'approved' },
    })
  })

  test.each([
    ['true', true],
    ['1', true],
    ['woodpecker', true],
    ['false', false],
    ['0', false],
    ['', false],
    [undefined, false],
  ])('CI=%s is continuous integration: %s', (CI, expected) => {
    expect(isCi({ CI })).toBe(expected)
  })
})

describe('replayWindow', () => {
  test.each([
    ['10m', 600_000],
    ['2s', 2000],
    ['500ms', 500],
    ['1h', 3_600_000],
    ['1.5s', 1500],
    ['0s', 0],
  ])('%s is %d milliseconds', async (replayWindow, ms) => {
    expect((await resolveOptions({ replayWindow }, context)).replayWindowMs).toBe(ms)
  })

  test.each(['10', '10 minutes', '-1s', '25h', '', '1e3s'])('%j is refused', async (replayWindow) => {
    expect((await refusal({ replayWindow })).facts.issues).toMatchObject([{ path: 'replayWindow', found: JSON.stringify(replayWindow) }])
  })
})

test.each(['s3://studio/game', 'https://cache.example.com/sprites/', 'http://127.0.0.1:8080/cache'])(
  'results may be shared at %s, which is no path',
  async (shared) => expect((await resolveOptions({ store: { shared } }, context)).store.shared).toBe(shared),
)

describe('wrong options', () => {
  const write = (): [] => []
  const ownName = 'a name of its own in small letters, digits and hyphens, a letter first'
  test.each([
    [{ engine: 'unity' }, 'engine', '"phaser" or "pixi"', '"unity"'],
    [{ build: { generate: 'always' } }, 'build.generate', '"approved" or "never"', '"always"'],
    [{ atlas: { maxSize: 20_000 } }, 'atlas.maxSize', 'a whole number from 64 to 16384', '20000'],
    [{ limits: { post: 0 } }, 'limits.post', 'a whole number from 1 to 10000', '0'],
    [{ approval: { total: 0.00001 } }, 'approval.total', 'credits with at most four decimals, like 2.4 or "2.4"', '0.00001'],
    [{ approval: { total: 2.00001 } }, 'approval.total', 'credits with at most four decimals, like 2.4 or "2.4"', '2.00001'],
    [{ approval: { total: -1 } }, 'approval.total', 'credits with at most four decimals, like 2.4 or "2.4"', '-1'],
    [{ approval: { total: '1e3' } }, 'approval.total', 'credits with at most four decimals, like 2.4 or "2.4"', '"1e3"'],
    [{ atlas: { hull: 3 } }, 'atlas.hull', 'a whole number from 4 to 64', '3'],
    [{ formats: 'godot' }, 'formats', 'a list of formats, by name or of your own', '"godot"'],
    [{ formats: ['css', 'gdot'] }, 'formats[1]', 'a known format (did you mean "godot"?)', '"gdot"'],
    [
      { formats: [{ name: 'mine' }] },
      'formats[0]',
      expect.stringContaining('or a format of your own: { name: "my-format", write'),
      'an object',
    ],
    [{ formats: [() => []] }, 'formats[0]', expect.stringMatching(/^one of phaser, pixi, .*, or a format of your own/), 'a function'],
    [{ formats: [{ name: '../up', write }] }, 'formats[0].name', ownName, '"../up"'],
    [{ formats: [{ name: 'godot', write }] }, 'formats[0].name', ownName, '"godot"'],
    [
      {
        formats: [
          { name: 'a', write },
          { name: 'a', write },
        ],
      },
      'formats[1].name',
      ownName,
      '"a"',
    ],
    [{ formats: [{ name: 'a', pages: 'all', write }] }, 'formats[0].pages', '"beside" or "pixels"', '"all"'],
    [{ formats: [{ name: 'a', draws: 'png', write }] }, 'formats[0].draws', expect.stringContaining('a list of encodings: "png"'), '"png"'],
    [{ atlas: { format: 'gif' } }, 'atlas.format', '"png", "webp", "avif", "ktx2", or a list of several, each once', '"gif"'],
    [{ atlas: { format: ['png', 'gif'] } }, 'atlas.format[1]', 'one of "png", "webp", "avif", "ktx2"', '"gif"'],
    [{ atlas: { format: ['png', 'png'] } }, 'atlas.format', 'each encoding once', expect.anything()],
    [{ atlas: { format: [] } }, 'atlas.format', 'at least one encoding', expect.anything()],
    [{ atlas: { quality: { webp: 0 } } }, 'atlas.quality.webp', 'a whole number from 1 to 100', '0'],
    [{ atlas: { quality: '80' } }, 'atlas.quality', 'a whole number from 1 to 100, or { webp, avif, ktx2 } with one each', '"80"'],
    [{ atlas: { level: 10 } }, 'atlas.level', 'a whole number from 0 to 9', '10'],
    [{ service: 'embeded' }, 'service', 'a known service (did you mean "embedded"?)', '"embeded"'],
    [{ service: 'sw_live_secret' }, 'service', '"embedded" or { "baseUrl", "queue" }', 'something else'],
    [{ service: { profile: { readAccepted: 1 } } }, 'service.profile.readAccepted', 'a function', 'something else'],
    [{ service: { profile: { readBalance: null } } }, 'service.profile.readBalance', 'a function', 'something else'],
    [{ service: { profile: { readDelivery: {} } } }, 'service.profile.readDelivery', 'a function', 'something else'],
    [{ service: { profile: [] } }, 'service.profile', 'a profile object', 'something else'],
    [
      { service: { profile: { readAcepted: write } } },
      'service.profile.readAcepted',
      'a known option (did you mean "readAccepted"?)',
      'the field "readAcepted"',
    ],
    [{ specs: [] }, 'specs', 'at least one glob', 'an empty list'],
    [{ typings: 'src/sprites.ts' }, 'typings', 'the path of a .d.ts file', '"src/sprites.ts"'],
    [{ typings: true }, 'typings', 'the path of a .d.ts file', 'true'],
    [{ store: { dir: '' } }, 'store.dir', 'the path of a folder', '""'],
    [
      { store: { shared: 'postgres://db/sprites' } },
      'store.shared',
      expect.stringContaining('s3://bucket/prefix, https://'),
      'something else',
    ],
    [{ formts: [] }, 'formts', 'a known option (did you mean "formats"?)', 'the field "formts"'],
    [{ build: { generat: 'never' } }, 'build.generat', 'a known option (did you mean "generate"?)', 'the field "generat"'],
    [null, '', 'an object of options', 'null'],
  ])('%j is refused at %s', async (options, path, expected, found) => {
    const error = await refusal(options)
    expect(error.code).toBe('SW_CONFIG')
    expect(error.facts.issues).toEqual([{ path, expected, found }])
  })

  test('all are listed, with the file they stand in', async () => {
    const error = await refusal({}, { config: { options: { engine: 1, formats: 2 }, file: '/game/spritewright.config.ts' } })
    expect(error.facts).toMatchObject({ file: '/game/spritewright.config.ts', issues: [{ path: 'engine' }, { path: 'formats' }] })
    expect(error.message).toBe(
      '/game/spritewright.config.ts engine: expected "phaser" or "pixi", found 1\n/game/spritewright.config.ts formats: expected a list of formats, by name or of your own, found 2',
    )
  })

  test.each([
    [{ service: 'canary-key-1' }],
    [{ service: { baseUrl: 'https://user:canary-key-1@api.example.com' } }],
    [{ service: { baseUrl: 'https://api.example.com?key=canary-key-1' } }],
    [{ service: { baseUrl: 'https://api.example.com', apiKey: 'canary-key-1' } }],
    [{ store: { shared: 'https://user:canary-key-1@cache.example.com' } }],
    [{ store: { shared: 'https://cache.example.com/?token=canary-key-1' } }],
    [{ store: { shared: 's3://id:canary-key-1@bucket/prefix' } }],
    [{ store: { journal: 'postgres://user:canary-key-1@db.example.com/sprites' } }],
    [{ apiKey: 'canary-key-1' }],
  ])('a key in %j is refused and never shown', async (options) => {
    const error = await refusal(options)
    expect(error.code).toBe('SW_CONFIG')
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain('canary-key-1')
  })

  test('a key in the options is told where it belongs', async () => {
    expect((await refusal({ apiKey: 'x' })).message).toContain('SPRITEWRIGHT_API_KEY')
  })
})
