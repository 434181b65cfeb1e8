import { describe, expect, test } from 'vitest'
import { errorCodes, SpritewrightError } from '../../src/errors.ts'
import type { LedgerLine, LedgerReport, WorkerEvent, Workshop } from '../../src/workshop.ts'
import { createWorld, planItem, runBoth } from './world.ts'

/** A workshop whose methods return the given values, whatever they are asked. The calls are noted with their first argument. */
function returning(values: object): { readonly workshop: Partial<Workshop>; readonly calls: unknown[] } {
  const calls: unknown[] = []
  const toMethods = (of: object): object =>
    Object.fromEntries(
      Object.entries(of).map(([name, value]) => {
        if (name === 'trust' || name === 'store') return [name, toMethods(value as object)]
        const method = async (first: unknown): Promise<unknown> => {
          calls.push([name, first])
          return value
        }
        return [name, method]
      }),
    )
  return { workshop: toMethods(values) as Partial<Workshop>, calls }
}

const cancelled = [{ id: 'hero#1', executionId: 'e1', status: 'cancelled' }]
const copied = { copied: ['ab'], bytes: 7, present: 2, lacking: [], folder: '/shared', warnings: [] }
const status = { queue: 'redis://127.0.0.1', running: [], waiting: [], failed: [] }
const origin = 'https://api.example.com'

describe('with --json a command prints one document, and closes the workshop', () => {
  test.each([
    [['cancel', 'hero'], { cancel: cancelled }, { cancelled }],
    [['forget', 'hero', '--yes'], { forget: ['hero.walk'] }, { forgotten: ['hero.walk'] }],
    [['trust', '--remove', origin], { trust: { remove: 2 } }, { removed: 2 }],
    [['trust', origin], { trust: { route: undefined, confirm: origin } }, { origin }],
    [['trust'], { trust: { list: [], route: undefined, touchKeys: [] } }, { hosts: [], touchKeys: [] }],
    [['trust', '--touch', 'ES256.a.b', '--remove'], { trust: { unenrol: true } }, { removed: true }],
    [['answer', 'hero.walk', 'left'], { answer: { id: 'hero.walk', executionId: 'e2' } }, { id: 'hero.walk', executionId: 'e2' }],
    [['approve', '--revoke'], { revoke: { revoked: ['hero.walk'], inFlight: [] } }, { revoked: ['hero.walk'], inFlight: [] }],
    [['recover', 'hero.walk', '--replay'], { recover: { decided: [], bought: [] } }, { decided: [], bought: [] }],
    [['store', 'push'], { store: { push: copied } }, copied],
    [['store', 'pull'], { store: { pull: copied } }, copied],
    [
      ['store', 'prune', 'hero', '--yes'],
      { store: { prune: { lines: [], bytes: 0, isDone: true } } },
      { lines: [], bytes: 0, isDone: true },
    ],
    [['worker', 'status'], { workerStatus: status }, status],
  ] as const)('%j', async (argv, values, document) => {
    const world = createWorld({ canAsk: true, answer: true, workshop: returning(values).workshop })
    expect(await world.run(...argv, '--json')).toBe(0)
    expect(world.json()).toEqual(document)
    expect([world.err(), world.closed]).toEqual(['', 1])
  })
})

test.each(['replay', 'abandon'] as const)('recover --%s passes this decision on, and says it', async (decision) => {
  const { workshop, calls } = returning({ recover: { decided: [{ id: 'hero.walk', about: 'submission', ceiling: 24_000n }], bought: [] } })
  const world = createWorld({ workshop })
  expect(await world.run('recover', 'hero.walk', `--${decision}`)).toBe(0)
  expect(calls).toMatchObject([['recover', { name: 'hero.walk', decision }]])
  expect(world.out()).toContain(decision === 'replay' ? 'hero.walk: sent again.' : 'hero.walk: given up.')
})

test.each([[[]], [['hero.walk']], [['hero.walk', '--replay', '--abandon']], [['hero.walk', 'coin.spin', '--replay']]])(
  'recover needs one name and one decision: %j opens nothing',
  async (args) => {
    const world = createWorld()
    expect(await world.run('recover', ...args)).toBe(2)
    expect(world.opened).toEqual([])
  },
)

test.each([['start'], ['status', 'hero'], ['--json', 'start']])('worker %j is wrong usage, and opens nothing', async (...args) => {
  const world = createWorld()
  expect(await world.run('worker', ...args)).toBe(2)
  expect(world.opened).toEqual([])
})

test.each([
  ['9464', { address: '127.0.0.1', port: 9464 }],
  ['0.0.0.0:0', { address: '0.0.0.0', port: 0 }],
  ['[::1]:9464', { address: '::1', port: 9464 }],
])('worker --http %s listens at %j', async (text, http) => {
  const { workshop, calls } = returning({ work: undefined })
  expect(await createWorld({ workshop }).run('worker', '--http', text)).toBe(0)
  expect(calls).toEqual([['work', expect.objectContaining({ http })]])
})

test.each(['http://127.0.0.1:1', '127.0.0.1', '::1:1', '127.0.0.1:65536', 'a b:1'])('worker --http %j is wrong usage', async (text) => {
  const world = createWorld()
  expect(await world.run('worker', '--http', text)).toBe(2)
  expect(world.opened).toEqual([])
})

test('worker status tells who buys, since when, and what waits', async () => {
  const worker = { by: 'tower 12', since: 0, seen: 1000, hasEnded: false }
  const waiting = [{ id: 'hero.walk', commit: 'c'.repeat(40), at: 0 }]
  const told = async (more: object): Promise<string> => {
    const world = createWorld({ workshop: returning({ workerStatus: { ...status, ...more } }).workshop })
    expect(await world.run('worker', 'status')).toBe(0)
    return world.out()
  }
  expect(await told({ worker, waiting })).toMatch(
    /^Worker tower 12, since 1970-01-01T00:00:00.000Z, last sign \d+ s ago\.\nRunning: 0\nWaiting: 1\n/,
  )
  expect(await told({ worker: { ...worker, hasEnded: true } })).toMatch(/^No worker is active at .* tower 12 ended \d+ s ago\./)
  const failed = [{ id: 'hero.walk', project: 'castle', commit: 'c'.repeat(40), message: 'over its budget', at: 0 }]
  expect(await told({ failed })).toContain('\n  castle: hero.walk cccccccccccc  over its budget\n')
  expect(await told({ failed: [{ id: '?', message: 'refused', at: 0 }] })).toMatch(
    /^No worker was ever active .*\n.*\n.*\nRefused or failed: 1\n {2}\? {2}refused\n/,
  )
})

describe('the lines of a worker', () => {
  const bought: WorkerEvent = {
    kind: 'bought',
    message: 'hero.walk: bought,\u001b[31m and\nin the store.',
    fields: { id: 'hero.walk', hash: 'ab', credits: '1.6' },
  }
  const working = (error?: Error): Partial<Workshop> => ({
    work: async ({ onEvent }) => {
      onEvent({ kind: 'active', message: 'This worker is active.' })
      onEvent(bought)
      if (error) throw error
    },
  })
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

  test('have a date, a time and the message', async () => {
    const world = createWorld({ workshop: working() })
    expect(await world.run('worker', '--quiet')).toBe(0)
    expect(world.out()).toMatch(/^1970-01-01T00:00:0\S+Z This worker is active\.\n1970-01-01T\S+Z hero\.walk: bought,/)
  })

  test('are one JSON object each with --json, also the end', async () => {
    const world = createWorld({ workshop: working() })
    expect(await world.run('worker', '--json')).toBe(0)
    const lines = world.out().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { time, level: 'info', event: 'active', message: 'This worker is active.' },
      { time, level: 'info', event: 'bought', message: bought.message, ...bought.fields },
      { time, level: 'info', event: 'ended', message: 'The worker has ended.' },
    ])
    expect(world.out()).not.toContain('\u001b')
  })

  test('tell of a failure as an event with its code, and the words go to stderr', async () => {
    const world = createWorld({ workshop: working(new SpritewrightError('SW_NO_KEY', { message: 'Expected an API key.' })) })
    expect(await world.run('worker', '--json')).toBe(2)
    const last = world.out().trimEnd().split('\n').at(-1) ?? ''
    expect(JSON.parse(last)).toEqual({ time, level: 'error', event: 'ended', message: 'Expected an API key.', code: 'SW_NO_KEY' })
    expect(world.err()).toContain('SW_NO_KEY Expected an API key.')
  })
})

test.each([true, false])('trust asks with the address and the key, and a %s is kept to', async (answer) => {
  const route = { origin, addressSource: '.env', key: 'abcd', keySource: 'environment', trust: 'none' }
  const { workshop, calls } = returning({ trust: { route, confirm: origin } })
  const world = createWorld({ canAsk: true, answer, workshop })
  expect(await world.run('trust', origin)).toBe(answer ? 0 : 3)
  expect(world.questions).toEqual([
    expect.stringMatching(/^Send the API key from the environment, fingerprint abcd, to https:.* The address is in \.env\. /),
  ])
  expect(calls.filter((call) => JSON.stringify(call).includes('confirm'))).toHaveLength(answer ? 1 : 0)
})

test('trust lists where the key goes, whether that is confirmed, and what to do about it', async () => {
  const hosts = [{ origin: 'https://other.example.com', key: 'beef', at: '2026-01-02T03:04:05Z' }]
  const touchKeys = [
    { key: 'ES256.a.b', word: 'bafadagaha', source: 'terminal', enrolledAt: '2026-01-02T03:04:05Z' },
    { key: 'RS256.c.d', word: 'kilomukuzu', source: 'environment' },
  ]
  const told = async (trust: string): Promise<string> => {
    const route = { origin, addressSource: '.env', key: 'abcd', keySource: 'environment', trust }
    const world = createWorld({ workshop: returning({ trust: { route, list: hosts, touchKeys } }).workshop })
    expect(await world.run('trust')).toBe(0)
    return world.out()
  }
  const touched = '  bafadagaha approves by a touch 2026-01-02 ES256.a.b\n  kilomukuzu approves by a touch environment RS256.c.d\n'
  const confirmed = `  https://other.example.com may get key beef since 2026-01-02\n${touched}`
  const line = `key abcd (from the environment) → ${origin} (from .env)`
  expect(await told('none')).toBe(`✗ ${line} not confirmed\n${confirmed}Next: npx spritewright trust ${origin}, if that is your service.\n`)
  expect(await told('confirmed')).toBe(`✓ ${line} confirmed\n${confirmed}`)
})

const money = { settled: 24_000n, held: 0n, restored: 0n, uncertain: 0n, elsewhere: 0n }
const line: LedgerLine = {
  ...{ id: 'hero.walk', hash: 'ab', attempt: 1, executionId: 'e1', state: 'settled', credits: 24_000n },
  ...{ at: Date.UTC(2026, 10, 2, 3, 4, 5), origin: 'here', isPicture: false },
}
const ledger = (lines: readonly LedgerLine[], more: Partial<LedgerReport> = {}): LedgerReport => ({
  ...{ lines, sprites: [], ...money, repaired: 0, warnings: [] },
  ...more,
})

test.each<[readonly string[], object]>([
  [[], { withUsd: false }],
  [['--since', '2026-11-02'], { since: Date.UTC(2026, 10, 2) }],
  [['--until', '2026-11-02'], { until: Date.UTC(2026, 10, 3) }],
  [['--until', '2026-11-30'], { until: Date.UTC(2026, 11, 1) }],
  [['--since', '2026-12'], { since: Date.UTC(2026, 11, 1) }],
  [['--until', '2026-12'], { until: Date.UTC(2027, 0, 1) }],
  [['--until', '2026-02'], { until: Date.UTC(2026, 2, 1) }],
  [['--since', '2026-11-02', '--until', '2026-11-02'], { since: Date.UTC(2026, 10, 2), until: Date.UTC(2026, 10, 3) }],
  ...['person', 'project', 'month', 'sprite'].map((by): [readonly string[], object] => [['--by', by], { by }]),
  [['--csv'], {}],
])('ledger %j asks for that time and group of the whole team, with USD if anything is chosen', async (options, asked) => {
  const { workshop, calls } = returning({ ledger: ledger([]) })
  expect(await createWorld({ workshop }).run('ledger', ...options)).toBe(0)
  expect(calls).toEqual([['ledger', { since: undefined, until: undefined, by: undefined, isTeam: true, withUsd: true, ...asked }]])
})

test.each([
  ['--since', '2026-11-02', '--until', '2026-11-01'],
  ['--since', '2026-12', '--until', '2026-11'],
  ['--since', '2026-02-30'],
  ['--until', '2026-13'],
  ['--until', '2026'],
  ['--until', '2026-1-2'],
  ['--by', 'sprites'],
  ['--csv', '--json'],
  ...[['--csv'], ['--by', 'month'], ['--since', '2026-11'], ['--until', '2026-11']].map((one) => ['--verify', ...one]),
])('ledger %s %s %s %s is wrong usage, and opens nothing', async (...options) => {
  const world = createWorld()
  expect(await world.run('ledger', ...options.filter((one) => one !== undefined))).toBe(2)
  expect(world.opened).toEqual([])
})

test('ledger --csv has a row for each purchase with all its facts, and no time for one whose time nobody knows', async () => {
  const facts = { project: 'castle', take: 2, attempt: 3, usd: '0.24', person: 'Ada', approvedBy: 'ab'.repeat(8), given: 'typed' } as const
  const lines = [
    { ...line, ...facts, decision: 'replay' as const },
    { ...line, at: 0, origin: 'elsewhere' as const },
  ]
  const world = createWorld({ workshop: { ledger: async () => ledger(lines) } })
  await world.run('ledger', '--csv')
  const [names = '', ...rows] = world.out().trimEnd().split('\r\n')
  const values = rows.map((row) => Object.fromEntries(row.split(',').map((cell, index) => [names.split(',')[index], cell])))
  const same = { id: 'hero.walk', state: 'settled', credits: '2.4', executionId: 'e1', hash: 'ab' }
  const none = { project: '', take: '', attempt: '1', usd: '', person: '', approvedBy: '', given: '', decision: '' }
  expect(values).toEqual([
    { ...same, ...facts, take: '2', attempt: '3', decision: 'replay', origin: 'here', at: '2026-11-02T03:04:05.000Z' },
    { ...same, ...none, origin: 'elsewhere', at: '' },
  ])
})

test('ledger --by has a row for each group, as CSV under the name of the grouping', async () => {
  const groups = [{ name: 'castle', ...money, held: 8_000n, unverified: 1n, usd: '0.24' }]
  const csv = createWorld({ workshop: { ledger: async () => ledger([line], { groups }) } })
  await csv.run('ledger', '--csv', '--by', 'project')
  expect(csv.out()).toBe('project,settled,held,restored,uncertain,elsewhere,unverified,usd\r\ncastle,2.4,0.8,0,0,0,0.0001,0.24\r\n')
  const text = createWorld({ workshop: { ledger: async () => ledger([line], { groups, usd: '0.24' }) } })
  await text.run('ledger', '--by', 'project')
  expect(text.out()).toMatch(/project +settled +held +unverified +USD\n +castle +2\.4 +0\.8 +0\.0001 +0\.24\n/)
  expect(text.out()).toContain("Settled 2.4 credits ≈ 0.24 USD at today's rate")
  expect(text.out()).not.toContain('hero.walk')
})

test.each<[string, Partial<LedgerLine>, RegExp]>([
  ['its take', { take: 2 }, /hero\.walk · take 2 /],
  ['its attempt, from the second on', { attempt: 2 }, /settled +2\.4 +2 +e1/],
  ['the name of its approver', { person: 'Ada', approvedBy: 'abababababab', given: 'touched' }, / Ada touched /],
  ['the key of an approver without a name', { approvedBy: 'abababababab' }, / abababab /],
  ['the shell of an agent', { shell: 'agent' }, / in an agent's shell /],
  ['a signer whom nobody trusts', { origin: 'unverified' }, / unknown signer /],
  ['its project', { project: 'castle' }, / castle +hero\.walk /],
])('ledger shows of a purchase %s', async (_, more, words) => {
  const plain = createWorld({ workshop: { ledger: async () => ledger([line]) } })
  await plain.run('ledger')
  const world = createWorld({ workshop: { ledger: async () => ledger([{ ...line, ...more }]) } })
  await world.run('ledger')
  expect([words.test(plain.out()), words.test(world.out())]).toEqual([false, true])
})

test.each(['SW_UNREACHABLE', 'SW_KEY_REFUSED', 'SW_QUEUE', 'SW_CONFIG'] as const)(
  'a plan that fails by %s shows what it knows, and ends with the exit code of that failure, also as Markdown',
  async (code) => {
    const failure = new SpritewrightError(code, { message: 'There are no prices.' })
    const report = { items: [planItem('hero.walk')], own: [], steps: [], total: 0n, warnings: [], failure }
    for (const options of [[], ['--markdown'], ['--json']]) {
      const world = createWorld({ workshop: { plan: async () => report } })
      expect(await world.run('plan', ...options)).toBe(errorCodes[code].exit)
      expect(world.out()).toContain('hero.walk')
    }
  },
)

test('plan as Markdown names the command with the options that lead to its project', async () => {
  const report = { items: [planItem('hero.walk', { price: '2.4' })], own: [], steps: [], total: 24_000n, warnings: [] }
  const world = createWorld({ workshop: { plan: async () => report } })
  await world.run('plan', 'hero', '--markdown', '--root', '.', '--config=other config.ts')
  expect(world.out()).toMatch(/npx spritewright approve hero --root \. --config .other config\.ts./)
})

test('new, import, answer and forget tell all that they did, also as a document', async () => {
  const made = { file: '/game/s/fox.sprite.json', picture: '/game/s/fox.png' }
  const fresh = await runBoth(
    { workshop: { createSprite: async () => made }, files: { '/game/fox.png': 'x' } },
    'new',
    'fox',
    'fox.png',
    '--prompt',
    'x',
  )
  expect(fresh.json).toEqual({ name: 'fox', files: ['s/fox.sprite.json', 's/fox.png'] })
  const files = {
    '/game/ui.ftpp': '{ "images": [{ "path": "logo.png" }], "packOptions": { "width": 512, "height": 512 } }',
    '/game/logo.png': '',
  }
  const imported = await runBoth({ files }, 'import', 'ui.ftpp')
  const left = [expect.stringContaining('/game/logo.png')]
  expect(imported.json).toEqual({ files: ['/game/logo.sprite.json'], written: true, left, atlas: { maxSize: 512 } })
  expect(imported.text).toMatch(/\nNext: npx spritewright build\n$/)
  const withVite = { ...files, '/game/package.json': '{ "dependencies": { "vite": "1" } }' }
  const dry = await runBoth({ files: withVite }, 'import', 'ui.ftpp', '--dry-run')
  expect([dry.json.written, dry.text]).toEqual([false, expect.stringMatching(/\nNext: npx spritewright init, .*\n$/)])
  const answers: unknown[] = []
  const answer = async (...said: unknown[]): Promise<object> => {
    answers.push(said[0])
    return { id: 'hero.walk', executionId: 'e2' }
  }
  const answered = await runBoth(
    { files: { '/game/h.png': 'x' }, workshop: { answer } as never },
    'answer',
    'hero.walk',
    'the',
    'left',
    '--asset',
    'h.png',
  )
  expect(answered.text.split('\n')).toEqual([
    expect.stringMatching(/hero\.walk.* e2\.$/),
    expect.stringMatching(/^Next: npx spritewright build,/),
    '',
  ])
  expect(answers[0]).toEqual({ name: 'hero.walk', text: 'the left', asset: { path: 'h.png', bytes: new TextEncoder().encode('x') } })
  const forget: Workshop['forget'] = async (_name, confirm) => ((await confirm(['a.b', 'a.c'])) ? ['a.b', 'a.c'] : [])
  expect(await runBoth({ workshop: { forget } }, 'forget', 'a', '--yes')).toMatchObject({
    code: 0,
    text: expect.stringContaining('a.b, a.c'),
    json: { forgotten: ['a.b', 'a.c'] },
  })
  const unsure = createWorld({ workshop: { forget } })
  expect([await unsure.run('forget', 'a'), unsure.opened]).toEqual([2, []])
})

test('serve says of a port which one it is and why it cannot be had', async () => {
  for (const [reason, exit] of [
    ['EACCES', 2],
    ['EADDRINUSE', 2],
    ['EPIPE', 1],
  ] as const) {
    const startService = async (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { code: reason }))
    const { code, json } = await runBoth({ startService }, 'serve', '--port', '80')
    expect(code).toBe(exit)
    if (exit === 2) expect(json).toMatchObject({ error: { code: 'SW_USAGE', facts: { option: '--port', port: 80, reason } } })
  }
})

test('worker status has a line for each order, with its project, commit and failure', async () => {
  const status = {
    ...{ queue: 'redis://q', worker: { by: 'tower 12', since: 0, seen: 1000, hasEnded: false } },
    running: [{ id: 'a.b', project: 'castle', commit: 'c'.repeat(40), at: 0 }],
    waiting: [
      { id: 'a.c', at: 0 },
      { id: 'a.d', at: 0 },
    ],
    failed: [{ id: 'a.e', message: 'no', at: 0 }],
  }
  const world = createWorld({ workshop: { workerStatus: async () => status } })
  world.now = 61_400
  expect(await world.run('worker', 'status')).toBe(0)
  expect(world.out()).toBe(
    [
      'Worker tower 12, since 1970-01-01T00:00:00.000Z, last sign 60 s ago.',
      'Running: 1',
      '  castle: a.b cccccccccccc',
      'Waiting: 2',
      '  a.c',
      '  a.d',
      'Refused or failed: 1',
      '  a.e  no',
      '',
    ].join('\n'),
  )
})

test.each([
  ['api.example.com', true],
  [origin, true],
  ['other.example.com', false],
])('trust %s says where the address is set only if it is that one: %s', async (host, isOwn) => {
  const route = { origin, addressSource: '.env', key: 'abcd', keySource: '.env.local', trust: 'none' }
  const world = createWorld({ canAsk: true, answer: true, workshop: returning({ trust: { route, confirm: host } }).workshop })
  expect(await world.run('trust', host)).toBe(0)
  expect([world.questions.length, world.questions[0]?.includes('The address is in .env.')]).toEqual([1, isOwn])
})

test('serve runs until Ctrl-C, also if that comes much later, and closes the service once', async () => {
  let closed = 0
  const world = createWorld({ startService: async () => ({ url: 'http://127.0.0.1:1', key: 'k', close: async () => void closed++ }) })
  const served = world.run('serve')
  while (!world.out().includes('Ctrl-C ends it')) await new Promise(setImmediate)
  expect(closed).toBe(0)
  world.interrupt.abort()
  expect([await served, closed]).toEqual([0, 1])
  expect(world.err()).toContain('has ended')
})

test('recover shows the progress of what it sends again, and status of a project without specs leads to init', async () => {
  const recover: Workshop['recover'] = async ({ onProgress }) => {
    onProgress?.({ id: 'hero.walk', phase: 'running' })
    return { decided: [{ id: 'hero.walk', about: 'submission' }], bought: [] }
  }
  const world = createWorld({ workshop: { recover } })
  expect(await world.run('recover', 'hero.walk', '--replay')).toBe(0)
  expect(world.err()).toContain('hero.walk')
  const empty = { items: [], own: [], steps: [], total: 0n, warnings: [] }
  const bare = createWorld({ workshop: { status: async () => empty } })
  expect(await bare.run('status')).toBe(0)
  expect(bare.out()).toMatch(/"\/game" \(\*\*\/\*\.sprite\.json\)\.\nNext: npx spritewright init,/)
})
