import { describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../src/cli/command-line.ts'
import { commandEntries, globalOptions } from '../../src/cli/commands.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { nearestName } from '../../src/sprite-spec/nearest.ts'
import type { Workshop } from '../../src/workshop.ts'
import { createWorld } from './world.ts'

function run(...argv: string[]) {
  const line = parseCommandLine(argv)
  if (line.kind !== 'run') throw new Error(`Expected a command, found ${line.kind}.`)
  return line
}

describe('the command line', () => {
  test('an amount reaches the command digit by digit, however it is written', () => {
    expect(run('approve', '--max', '2.4000').args.credits('max')).toBe(24_000n)
    expect(run('approve', '--max=0.0001').args.credits('max')).toBe(1n)
    expect(run('approve', '--max', '999999999999999.9999').args.credits('max')).toBe(9_999_999_999_999_999_999n)
  })

  test.each(['1e3', '0x10', '-1', '2.40001', 'much', '0', 'Infinity'])('the amount %s is refused as wrong usage', async (amount) => {
    const world = createWorld({ canAsk: true })
    expect(await world.run('approve', `--max=${amount}`, '--json')).toBe(2)
    expect(world.json()).toMatchObject({ error: { code: 'SW_USAGE', facts: { option: '--max' } } })
    expect(world.opened).toEqual([])
  })

  test('names that look like numbers or truth values stay the texts that they are', () => {
    expect(run('plan', '007', '1e3', 'true').args.names).toEqual(['007', '1e3', 'true'])
    expect(run('--json', 'plan', '5').args.names).toEqual(['5'])
    expect(run('plan', '--', '--json').args.names).toEqual(['--json'])
  })

  test('global options are understood on both sides of the command', () => {
    expect(run('--root', 'a', 'plan').args.text('root')).toBe('a')
    expect(run('plan', '--root=a').args.text('root')).toBe('a')
  })

  test.each([
    [['plna'], 'plan'],
    [['aprove'], 'approve'],
    [['stat'], 'status'],
  ])('the unknown command %j is answered with the nearest one', async (argv, nearest) => {
    const world = createWorld()
    expect(await world.run(...argv)).toBe(2)
    expect(world.err()).toContain(`Did you mean "npx spritewright ${nearest}"?`)
    expect(world.out()).toBe('')
  })

  test.each([
    ['list', 'status'],
    ['ls', 'status'],
    ['buy', 'build'],
    ['generate', 'build'],
    ['dev', 'build --watch'],
    ['watch', 'build --watch'],
    ['price', 'plan'],
    ['revoke', 'approve --revoke'],
    ['add', 'new'],
    ['clean', 'store'],
  ])('the word %s of other tools is answered with the command that does it', async (word, command) => {
    const world = createWorld()
    expect(await world.run(word)).toBe(2)
    const text = commandEntries.find(({ verb }) => verb === command.split(' ')[0])?.text
    expect(world.err()).toContain(`Try "npx spritewright ${command}": ${text}.`)
  })

  test('an unknown option is answered with the nearest one of that command', async () => {
    const world = createWorld()
    expect(await world.run('build', '--frozzen', '--json')).toBe(2)
    expect(world.json()).toMatchObject({
      error: { code: 'SW_USAGE', facts: { command: 'build', found: '--frozzen', nearest: '--frozen' } },
    })
  })

  test.each([
    ['a value that is missing', ['build', '--out']],
    ['an option in place of a value', ['build', '--out', '--frozen']],
    ['an empty value', ['build', '--out=']],
    ['a short option that nobody knows', ['build', '-x']],
    ['an option given twice', ['build', '--out', 'a', '--out', 'b']],
    ['a value for a switch', ['build', '--frozen=perhaps', '--frozen']],
    ['names where none belong', ['doctor', 'hero']],
    ['an option of another command', ['plan', '--yes']],
    ['a root that is no folder', ['plan', '--root', 'package.json']],
  ])('%s is wrong usage and opens nothing', async (_what, argv) => {
    const world = createWorld()
    expect(await world.run(...argv)).toBe(2)
    expect(world.err()).toMatch(/^error SW_USAGE /)
    expect(world.opened).toEqual([])
  })

  test('an option takes a value in all commands that have it, or in none', () => {
    const options = [...globalOptions, ...commandEntries.flatMap((entry) => entry.options)]
    const switches = new Set(options.flatMap(({ flags }) => (flags.includes('<') ? [] : flags)))
    for (const { flags } of options) expect(switches.has(flags.replace(/ <.*/, ''))).toBe(!flags.includes('<'))
  })

  test('a command of a later version is honestly unknown', async () => {
    expect(await createWorld().run('review')).toBe(2)
  })

  test.each([[['recover']], [['recover', 'hero']], [['recover', 'hero', '--replay', '--abandon']], [['recover', 'a', 'b', '--replay']]])(
    '%j: one name and one decision are expected',
    async (argv) => {
      expect(await createWorld().run(...argv)).toBe(2)
    },
  )

  test('no arguments at all print the help on stderr and are wrong usage', async () => {
    const world = createWorld()
    expect(await world.run()).toBe(2)
    expect(world.err()).toContain('Commands')
    expect(world.out()).toBe('')
  })

  test('--help names every command, and every option of a command', async () => {
    const world = createWorld()
    expect(await world.run('--help')).toBe(0)
    for (const entry of commandEntries) expect(world.out()).toContain(`\n  ${entry.verb} `)
    for (const entry of commandEntries) {
      const own = createWorld()
      expect(await own.run(entry.verb, '-h')).toBe(0)
      for (const option of entry.options) expect(own.out()).toContain(option.flags)
    }
  })

  test('help is --help, of one command too; an unknown one is refused', async () => {
    const world = createWorld()
    expect(await world.run('help', 'build')).toBe(0)
    const { out } = world
    const asked = createWorld()
    await asked.run('build', '--help')
    expect(out()).toBe(asked.out())
    const all = createWorld()
    expect(await all.run('help')).toBe(0)
    expect(all.out()).toContain('npx spritewright init')
    expect(await createWorld().run('help', 'biuld')).toBe(2)
  })

  test.each([
    ['answer', 'answer NAME TEXT'],
    ['review', 'review NAME'],
    ['recover', 'recover NAME'],
    ['cancel', 'cancel NAME'],
    ['forget', 'forget NAME'],
  ])('the usage of %s names what it needs', async (verb, usage) => {
    const world = createWorld()
    await world.run(verb, '--help')
    expect(world.out()).toMatch(new RegExp(`^  spritewright ${usage}( \\[options\\])?$`, 'm'))
  })

  test('--version prints the version of the package, as JSON too', async () => {
    const plain = createWorld()
    expect(await plain.run('-v')).toBe(0)
    expect(plain.out()).toBe('spritewright 1.2.3\n')
    const json = createWorld()
    expect(await json.run('--version', '--json')).toBe(0)
    expect(json.json()).toEqual({ version: '1.2.3' })
  })

  test('nothing is offered for a word that is near to nothing', () => {
    expect(nearestName('xyzzy', ['plan', 'build'])).toBeUndefined()
    expect(nearestName('lpan', ['plan', 'build'])).toBe('plan')
  })
})

/** A workshop with one method, which notes its arguments and refuses. */
function noting(name: string): { readonly seen: unknown[]; readonly workshop: Partial<Workshop> } {
  const seen: unknown[] = []
  const method = async (...given: unknown[]): Promise<never> => {
    seen.push(...given, ...given.map((one) => (one as { readonly signal?: unknown } | undefined)?.signal))
    throw new SpritewrightError('SW_USAGE', { message: 'Not in this test.' })
  }
  return { seen, workshop: { [name]: method } }
}

test.each<[string, readonly string[], boolean]>([
  ['plan', ['plan'], true],
  ['approve', ['approve', '--yes'], true],
  ['recover', ['recover', 'hero.walk', '--replay'], true],
  ['cancel', ['cancel', 'hero'], true],
  ['forget', ['forget', 'hero', '--yes'], true],
  ['ledger', ['ledger'], false],
  ['verifyLedger', ['ledger', '--verify'], false],
])('Ctrl-C reaches %s of %j; the command waits for a store that is away: %s', async (name, argv, isPatient) => {
  const { seen, workshop } = noting(name)
  const world = createWorld({ workshop })
  expect(await world.run(...argv, '--config', 'tools/other.config.ts')).toBe(2)
  expect(seen).toContain(world.interrupt.signal)
  expect(world.opened).toMatchObject([{ root: '/game', config: '/game/tools/other.config.ts' }])
  expect(world.opened[0]?.waitUntil).toBe(isPatient ? world.interrupt.signal : undefined)
  expect([world.opened[0]?.envDir, world.closed]).toEqual([undefined, 1])
})

test('what looks like an option after -- is a name', async () => {
  const { seen, workshop } = noting('plan')
  const world = createWorld({ workshop })
  expect(await world.run('plan', '--', '--json')).toBe(2)
  expect(seen[0]).toEqual(['--json'])
  expect(world.err()).toContain('Not in this test.')
})

test.each([['--adopt'], ['--standing'], ['--yes'], ['--max', '2'], ['--total', '3']])(
  'approve --revoke %s %s is wrong usage, and opens nothing',
  async (...options) => {
    const world = createWorld()
    expect(await world.run('approve', '--revoke', ...options.filter((one) => one !== undefined))).toBe(2)
    expect(world.opened).toEqual([])
  },
)

test.each<[readonly string[], object]>([
  [['build', '--out'], { option: '--out' }],
  [['build', '--out', '--frozen'], { option: '--out' }],
  [['build', '--out='], { option: '--out' }],
  [['build', '--out', 'a', '--out', 'b'], { option: '--out' }],
  [['build', '--frozen=perhaps'], { option: '--frozen' }],
  [['build', '--help=yes', 'x'], { option: '--help' }],
  [['doctor', 'hero', 'coin'], { command: 'doctor', found: ['hero', 'coin'] }],
  [['--quiet'], { commands: commandEntries.map(({ verb }) => verb) }],
  [['approve', '--max', '0'], { option: '--max', expected: expect.stringContaining('above 0'), found: '0' }],
  [['serve', '--port', '65536'], { option: '--port', expected: expect.stringContaining('65535'), found: '65536' }],
  [['serve', '--port', '-1'], { option: '--port' }],
  [['worker', '--http', '127.0.0.1:65536'], { option: '--http' }],
  [['init', '--engine', 'unity'], { option: '--engine', found: 'unity' }],
  [['merge', 'a', 'b'], { names: ['a', 'b'] }],
  [['store', 'ls', '--force'], { option: '--force', verb: 'ls' }],
  [['store', 'gc'], { option: '--dry-run' }],
  [['forget', 'hero'], { option: '--yes' }],
])('the refusal of %j has these facts: %j', async (argv, facts) => {
  const world = createWorld()
  expect(await world.run(...argv, '--json')).toBe(2)
  expect(world.json()).toEqual({ error: { code: 'SW_USAGE', message: expect.any(String), facts } })
  expect(world.opened).toEqual([])
})

test('a value in the same argument may begin with a dash, and each limit is part of its range', () => {
  expect(run('build', '--out=-x').args.text('out')).toBe('-x')
  expect(run('serve', '--port', '65535').args.port('port')).toBe(65_535)
  expect(run('serve', '--port=0').args.port('port')).toBe(0)
  expect([run('serve').args.port('port'), run('approve').args.credits('max'), run('build').args.flag('out')]).toEqual([
    ...[undefined, undefined, false],
  ])
  expect([run('build', '--frozen').args.text('frozen'), run('build', '--frozen').args.flag('frozen')]).toEqual([undefined, true])
})

test.each<[string, readonly string[]]>([
  ['build', ['build']],
  ['answer', ['answer', 'hero.walk', 'left']],
  ['work', ['worker']],
  ['contract', ['doctor', '--contract']],
  ['acceptStanding', ['approve', '--standing']],
])('Ctrl-C reaches %s of %j, and the project is closed', async (name, argv) => {
  const { seen, workshop } = noting(name)
  const world = createWorld({ workshop, canAsk: true })
  expect(await world.run(...argv)).toBe(2)
  expect(seen).toContain(world.interrupt.signal)
  expect(world.closed).toBe(1)
})

describe('an address that nobody has confirmed', () => {
  const route = { origin: 'https://api.example.com', addressSource: '.env', key: 'abcd', keySource: '.env.local', trust: 'none' }

  async function planning(init: { readonly canAsk?: boolean; readonly answer?: boolean | undefined; readonly route?: object | undefined }) {
    const calls: string[] = []
    const plan = async (): Promise<object> => {
      calls.push('plan')
      if (!calls.includes('confirm')) throw new SpritewrightError('SW_UNTRUSTED_HOST', { message: 'Not confirmed.' })
      return { items: [], own: [], steps: [], total: 0n, warnings: [] }
    }
    const confirm = async (host: string): Promise<string> => {
      calls.push('confirm')
      return host
    }
    const trust = { route: async () => init.route, confirm }
    const world = createWorld({ canAsk: true, ...init, workshop: { plan, trust } as unknown as Partial<Workshop> })
    return { exit: await world.run('plan'), calls, world }
  }

  test('is asked about at a terminal, and the command goes on after a yes', async () => {
    const { exit, calls, world } = await planning({ answer: true, route })
    expect([exit, calls]).toEqual([0, ['plan', 'confirm', 'plan']])
    expect(world.questions).toEqual([
      expect.stringMatching(/key from \.env\.local, fingerprint abcd, to https:\/\/api\.example\.com\? .* \.env\./),
    ])
    expect([world.opened.length, world.closed, world.err()]).toEqual([3, 3, ''])
  })

  test.each([
    ['after a no', { answer: false, route }, 2],
    ['where no address is set', { answer: true, route: undefined }, 2],
    ['without a terminal', { answer: true, route, canAsk: false }, 2],
    ['after Ctrl-C', { answer: undefined, route }, 130],
  ])('ends the command %s', async (_, init, code) => {
    const { exit, calls, world } = await planning(init)
    expect([exit, calls]).toEqual([code, ['plan']])
    expect(world.closed).toBe(world.opened.length)
  })
})
