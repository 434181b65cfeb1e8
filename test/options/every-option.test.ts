import { expect, test } from 'vitest'
import { type Options, resolveOptions } from '../../src/options/options.ts'
import { configJsonSchema, readOptions } from '../../src/options/schema.ts'
import { parseQueueAddress } from '../../src/options/values.ts'

const wrong = 'wrong-5318008'
const profileParts = ['uploadReference', 'executeBody', 'readAccepted', 'answer', 'readBalance', 'readEvent', 'readDelivery', 'cancellable']

/** Every option, with a value that it cannot have. */
const allWrong = {
  $schema: 1,
  specs: 7,
  engine: wrong,
  formats: [wrong],
  typings: `${wrong}.ts`,
  service: { baseUrl: wrong, queue: wrong, profile: Object.fromEntries(profileParts.map((name) => [name, wrong])), [wrong]: 1 },
  approval: { perSprite: wrong, perRun: wrong, total: wrong, accept: [wrong], validFor: wrong },
  build: { generate: wrong, unbought: wrong },
  placeholders: { mark: wrong },
  store: { dir: 7, shared: 7, journal: 7, patience: wrong },
  cache: { maxBytes: wrong },
  panel: { port: wrong },
  atlas: {
    ...{ maxSize: wrong, format: wrong, quality: wrong, level: wrong, ktx2: wrong, hull: wrong, palette: wrong, effort: wrong },
    ...{ rotate: wrong, stable: wrong },
  },
  limits: { windowMs: wrong, post: wrong, get: wrong, download: wrong, activeJobs: wrong, streams: wrong },
  replayWindow: wrong,
}

/** The paths of the values of an object. */
const pathsOf = (value: object, before = ''): string[] =>
  Object.entries(value).flatMap(([name, one]) =>
    Array.isArray(one)
      ? [`${before}${name}[0]`]
      : typeof one === 'object' && one
        ? pathsOf(one, `${before}${name}.`)
        : [`${before}${name}`],
  )

const issuesOf = (options: unknown): readonly { path: string; expected: string; found: string }[] => {
  const read = readOptions(options)
  return 'issues' in read ? read.issues : []
}

test('every option is refused for itself, and one that may be a secret is not shown', () => {
  const issues = issuesOf(allWrong)
  expect(issues.map(({ path }) => path).sort()).toEqual(pathsOf(allWrong).sort())
  expect(issues.filter(({ expected }) => expected === '')).toEqual([])
  const hidden = issues.filter(({ found }) => found === 'something else').map(({ path }) => path)
  const parts = profileParts.map((name) => `service.profile.${name}`)
  expect(hidden.sort()).toEqual(['service.baseUrl', 'service.queue', ...parts, 'store.journal', 'store.patience', 'store.shared'].sort())
  expect(issues.find(({ path }) => path === 'store.dir')?.found).toBe('7')
})

test('every group is refused as a whole, and every list if it is empty', () => {
  const groups = ['service', 'approval', 'build', 'placeholders', 'store', 'cache', 'panel', 'atlas', 'limits']
  const issues = issuesOf(Object.fromEntries(groups.map((name) => [name, 7])))
  expect(issues.map(({ path, found }) => [path, found])).toEqual(
    groups.map((name) => [name, name === 'service' || name === 'store' ? 'something else' : '7']),
  )
  // Each says which fields it has.
  const named = {
    service: 'queue',
    approval: 'validFor',
    build: 'unbought',
    placeholders: 'mark',
    store: 'patience',
    cache: 'maxBytes',
    panel: 'port',
    atlas: 'stable',
    limits: 'limits',
  }
  for (const { path, expected } of issues) expect(expected).toContain(named[path as keyof typeof named])
  const lists = { specs: [], approval: { accept: [] }, atlas: { format: [] } }
  expect(
    issuesOf(lists)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['approval.accept', 'atlas.format', 'specs'])
  for (const specs of ['', [''], ['a', 7]]) expect(issuesOf({ specs })).toHaveLength(1)
  expect([issuesOf({ atlas: { format: ['png', 'png'] } }).length, issuesOf({ formats: [] }).length]).toEqual([1, 0])
})

test('every option has a place and words in the schema for editors, and those with one fixed default have it', () => {
  interface Field {
    readonly description?: string
    readonly default?: unknown
    readonly properties?: Readonly<Record<string, Field>>
    readonly anyOf?: readonly Field[]
  }
  const fieldOf = (schema: Field, path: string): Field | undefined =>
    path
      .split('.')
      .reduce<Field | undefined>(
        (at, name) => [at, ...(at?.anyOf ?? [])].find((one) => one?.properties?.[name])?.properties?.[name],
        schema,
      )
  const schema = configJsonSchema() as Field
  const paths = pathsOf({ ...allWrong, service: { baseUrl: 1, queue: 1, profile: 1 } }).map((path) => path.replace('[0]', ''))
  expect(paths.filter((path) => !fieldOf(schema, path)?.description)).toEqual([])
  const defaults = Object.fromEntries(
    paths.flatMap((path) => (fieldOf(schema, path)?.default === undefined ? [] : [[path, fieldOf(schema, path)?.default]])),
  )
  expect(defaults).toEqual({
    formats: [],
    'build.unbought': 'error',
    'placeholders.mark': true,
    'store.dir': '.spritewright',
    'store.patience': '10m',
    'cache.maxBytes': 2 ** 30,
    ...{ 'atlas.maxSize': 2048, 'atlas.level': 6, 'atlas.ktx2': 'uastc', 'atlas.effort': 'fast' },
    ...{ 'atlas.rotate': false, 'atlas.stable': false },
    ...{
      'limits.windowMs': 60_000,
      'limits.post': 10,
      'limits.get': 120,
      'limits.download': 20,
      'limits.activeJobs': 2,
      'limits.streams': 4,
    },
    replayWindow: '10m',
  })
})

test('a service arrives with all that is set of it, every way of approving can be named, and a life beside every ceiling', () => {
  const part = (): never => expect.unreachable()
  const profile = Object.fromEntries(profileParts.map((name) => [name, part]))
  const context = { root: '/game', isCi: true, dependencies: [] }
  const resolve = (options: object) => resolveOptions(options as Options, context)
  const accept = ['touched', 'typed', 'clicked', 'unattended', 'standing']
  const resolved = resolve({
    $schema: 'x',
    service: { baseUrl: undefined, queue: ' redis://h:1/2 ', profile },
    approval: { perSprite: 1, perRun: 2, total: 3, accept, validFor: '1h' },
    build: { generate: undefined, unbought: 'placeholder' },
    store: { dir: '../d', shared: 'https://h/p', journal: './j', patience: '0s' },
    replayWindow: '1s',
  })
  expect(resolved).toMatchObject({
    approval: { perSprite: 10_000n, perRun: 20_000n, total: 30_000n },
    approvalValidMs: 3_600_000,
    approvalAccept: accept,
    build: { generate: 'never', unbought: 'placeholder' },
    store: { dir: '/d', shared: 'https://h/p', journal: '/game/j', patienceMs: 0 },
    replayWindowMs: 800,
  })
  expect([Object.keys(resolved.approval), resolved.service]).toEqual([
    ['perSprite', 'perRun', 'total'],
    { queue: 'redis://h:1/2', profile },
  ])
  expect([resolved.engine, resolved.typings, '$schema' in resolved, parseQueueAddress(' ')]).toEqual([
    undefined,
    undefined,
    false,
    undefined,
  ])
  expect(resolve({ typings: '../a.d.ts' }).typings).toBe('/a.d.ts')
})
