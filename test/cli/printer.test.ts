import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AtlasError, type AtlasErrorCode } from '../../atlas/errors.ts'
import { exitCodeOf, toFailures } from '../../src/cli/failure.ts'
import { createPaint, cutInk, ink, inkWidth } from '../../src/cli/view/ink.ts'
import { createPrinter, toJsonText } from '../../src/cli/view/printer.ts'
import { layTable, right } from '../../src/cli/view/table.ts'
import { type ErrorCode, errorCodes, SpritewrightError } from '../../src/errors.ts'
import { escapeText } from '../../src/host/terminal.ts'
import { createWorld, planItem, systemError } from './world.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/** Runs a command whose workshop throws. */
async function fail(error: unknown, ...more: string[]) {
  const files = { '/other/a': '', '/other game/a': '' }
  const world = createWorld({ files, workshop: { status: async () => Promise.reject(error) } })
  return { world, exit: await world.run('status', ...more) }
}

describe('what the terminal gets', () => {
  test('law: no text from outside keeps a character that steers a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeText(text)).not.toMatch(steering)
        expect(toJsonText({ text })).not.toMatch(steering)
        expect(JSON.parse(toJsonText({ text }))).toEqual({ text })
      }),
    )
  })

  test('an escape sequence in a message of the service is shown, not obeyed', async () => {
    const { world } = await fail(new SpritewrightError('SW_REFUSED', { message: 'no \x1b[2J\x9b1A\u202e way' }))
    expect(world.err()).toBe('error SW_REFUSED no \\x1b[2J\\x9b1A\\u202e way\n')
  })

  test('a table is aligned by what is seen, colours or not, and leaves out empty columns', () => {
    const rows = [
      [ink('green', 'hero.walk'), '', '2.4'],
      ['coin', '', '12'],
    ]
    const lines = layTable(['animation', 'empty', right('price')], rows)
    expect(lines.map(createPaint(false))).toEqual(['animation  price', 'hero.walk    2.4', 'coin          12'])
    expect(createPaint(true)(lines[1] ?? [])).toContain('\x1b[32mhero.walk')
  })

  test('a table that is too wide has its last column below each row; without a terminal a row is one line', async () => {
    const columns = ['animation', right('price'), 'why']
    const rows = [
      [ink('bold', 'hero.walk'), '2.4', ink('dim', 'a brisk walk in place, with a long cape')],
      ['coin', '12', 'prompt changed'],
    ]
    const narrow = layTable(columns, rows, 24).map(createPaint(false))
    expect(narrow).toEqual([
      'animation  price',
      'hero.walk    2.4',
      '  a brisk walk in place,',
      '  with a long cape',
      'coin          12',
      '  prompt changed',
    ])
    expect(Math.max(...layTable(columns, rows, 22).map(inkWidth))).toBeLessThanOrEqual(22)
    expect(layTable(columns, rows, 60)).toHaveLength(3)
    expect(layTable(columns, rows)).toHaveLength(3)
  })

  test('a last column of numbers stays beside its row, however narrow the terminal is', () => {
    expect(layTable(['animation', right('price')], [['hero.walk', '2.4']], 8).map(createPaint(false))).toEqual([
      'animation  price',
      'hero.walk    2.4',
    ])
  })

  test('law: cut pieces are as wide as they may be, and end in a sign of it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 40 }), (texts, width) => {
        const cut = cutInk(texts, width)
        expect(inkWidth(cut)).toBe(Math.min(width, inkWidth(texts)))
        if (inkWidth(texts) > width) expect(createPaint(false)(cut)).toMatch(/…$/)
      }),
    )
  })

  test('colours come only where stdout is a terminal that wants them', async () => {
    const workshop = { status: async () => ({ items: [planItem('hero.walk')], own: [], steps: [], total: 0n, warnings: [] }) }
    const escapes = async (init: Parameters<typeof createWorld>[0], ...more: string[]): Promise<boolean> => {
      const world = createWorld({ workshop, ...init })
      await world.run('status', ...more)
      return world.out().includes('\x1b[')
    }
    expect(await escapes({ isOutputTerminal: true })).toBe(true)
    expect(await escapes({ isOutputTerminal: false, isInteractive: true })).toBe(false)
    expect(await escapes({ isOutputTerminal: true }, '--no-color')).toBe(false)
    expect(await escapes({ isOutputTerminal: true, env: { NO_COLOR: '1' } })).toBe(false)
  })

  test('stdout and stderr each have colours if they are terminals themselves, whatever the other one is', async () => {
    const workshop = { status: async () => ({ items: [planItem('hero.walk')], own: [], steps: [], total: 0n, warnings: ['a doubt'] }) }
    const colours = async (isOutputTerminal: boolean, isInteractive: boolean, env = {}): Promise<readonly boolean[]> => {
      const world = createWorld({ workshop, isOutputTerminal, isInteractive, env })
      await world.run('status')
      expect(world.err()).toContain('a doubt')
      const refused = createWorld({ isOutputTerminal, isInteractive, env })
      await refused.run('statsu')
      expect(refused.err()).toContain('SW_USAGE')
      return [world.out(), world.err(), refused.err()].map((text) => text.includes('\x1b['))
    }
    expect(await colours(true, false)).toEqual([true, false, false])
    expect(await colours(false, true)).toEqual([false, true, true])
    expect(await colours(true, true)).toEqual([true, true, true])
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) expect(await colours(true, true, env)).toEqual([false, false, false])
  })
})

describe('errors', () => {
  test.each(Object.keys(errorCodes) as ErrorCode[])('%s ends the process with the exit code of the error table', async (code) => {
    const { world, exit } = await fail(new SpritewrightError(code, { message: 'what to do', facts: { sprite: 'hero' } }), '--json')
    expect(exit).toBe(errorCodes[code].exit)
    expect(world.json()).toEqual({ error: { code, message: 'what to do', facts: { sprite: 'hero' } } })
    expect(world.closed).toBe(1)
  })

  test('several failures are told one by one, and the highest exit code wins', async () => {
    const errors = [
      new SpritewrightError('SW_APPROVAL', { message: 'approve' }),
      new SpritewrightError('SW_UNCERTAIN', { message: 'decide' }),
      new SpritewrightError('SW_INTERRUPTED', { message: 'stop' }),
    ]
    const plain = await fail(new AggregateError(errors))
    expect(plain.exit).toBe(6)
    expect(plain.world.err()).toBe('error SW_APPROVAL approve\nerror SW_UNCERTAIN decide\nstopped stop\n')
    const json = await fail(new AggregateError(errors), '--json')
    expect(json.world.json()).toMatchObject({ error: { code: 'SW_UNCERTAIN' }, errors: [{ code: 'SW_APPROVAL' }, {}, {}] })
  })

  test('a fault that two purchases meet is told once, and another one with its code too', async () => {
    const away = (): SpritewrightError => new SpritewrightError('SW_UNREACHABLE', { message: 'no answer' })
    const other = new SpritewrightError('SW_UNREACHABLE', { message: 'no name' })
    const { world, exit } = await fail(new AggregateError([away(), other, away()]))
    expect([exit, world.err()]).toEqual([4, 'error SW_UNREACHABLE no answer\nerror SW_UNREACHABLE no name\n'])
  })

  test.each([
    [['SW_APPROVAL', 'SW_UNCERTAIN', 'SW_DISK']],
    [['SW_UNCERTAIN', 'SW_DISK', 'SW_APPROVAL']],
    [['SW_DISK', 'SW_APPROVAL', 'SW_UNCERTAIN']],
  ] as const)('the exit code of %j is the highest of theirs, in any order', (codes) => {
    const errors = codes.map((code) => new SpritewrightError(code, { message: code }))
    expect(exitCodeOf(toFailures(new AggregateError(errors)))).toBe(6)
  })

  test('130 counts only where nothing else failed', () => {
    const stopped = new SpritewrightError('SW_INTERRUPTED', { message: 'stop' })
    expect(exitCodeOf(toFailures(stopped))).toBe(130)
    expect(exitCodeOf(toFailures(new AggregateError([stopped, new SpritewrightError('SW_DISK', { message: 'full' })])))).toBe(1)
  })

  test('a full disk is SW_DISK, exit 1, and says that nothing paid is lost', async () => {
    const { world, exit } = await fail(systemError('ENOSPC', 'write', '/game/.spritewright/results/x'))
    expect(exit).toBe(1)
    expect(world.err()).toContain('error SW_DISK')
    expect(world.err()).toContain('nothing that was paid for is lost')
  })

  test.each([
    ['ESTALE', 'rename'],
    ['EIO', 'fsync'],
    ['EREMOTEIO', 'close'],
    ['ENXIO', 'open'],
    ['EUCLEAN', 'scandir'],
    ['ENOLCK', 'link'],
    ['ETIMEDOUT', 'read'],
    ['UNKNOWN', 'unlink'],
    ['EIO', 'fstat'],
    ['EIO', 'fchmod'],
    ['ESTALE', 'lutime'],
    ['EIO', 'cp'],
    ['EIO', 'watch'],
  ])('%s of %s is SW_DISK with its path and what to do, not a mistake of ours (kind: errors of disks)', async (code, call) => {
    const { world, exit } = await fail(systemError(code, call, '/game/sprites.lock.json'))
    expect(exit).toBe(1)
    expect(world.err()).toContain('error SW_DISK')
    expect(world.err()).toContain(" 'sprites.lock.json'")
    expect(world.err()).toContain('run the command again')
    expect(world.err()).not.toMatch(/mistake|\n {2,}at /)
  })

  test.each([
    ['ENOSPC', 'watch', ['max_user_watches', 'CHOKIDAR_USEPOLLING=1']],
    ['EMFILE', 'watch', ['max_user_instances', 'CHOKIDAR_USEPOLLING=1']],
    ['EMFILE', 'open', ['ulimit -n']],
    ['ENOSPC', 'copyfile', ['Make room on the disk']],
  ])('%s of %s says which limit to raise (kind: errors of disks)', async (code, call, words) => {
    const { world } = await fail(systemError(code, call, '/game/sprites'))
    for (const word of ['SW_DISK', " 'sprites'", ...words]) expect(world.err()).toContain(word)
  })

  test.each(['fstat', 'fchmod', 'futime', 'uv_cwd'])('EIO of %s, which names no path, is SW_DISK', (syscall) => {
    expect(toFailures(Object.assign(new Error('EIO: i/o error'), { code: 'EIO', syscall }))[0]).toMatchObject({
      code: 'SW_DISK',
      facts: { reason: 'EIO', operation: syscall },
    })
  })

  test.each([
    ['ECONNRESET', 'read', undefined],
    ['ENOENT', 'spawn git', 'git'],
    ['ENOTFOUND', 'getaddrinfo', undefined],
    ['ENOENT', 'connect', '/tmp/redis.sock'],
  ])('%s of %s is no error of a disk', (code, syscall, path) => {
    const error = Object.assign(new Error(`${syscall} ${code}`), { code, syscall, ...(path === undefined ? {} : { path }) })
    expect(toFailures(error)[0]?.code).toBe('SW_INTERNAL')
  })

  test('names the folder and not a temporary file that is gone', async () => {
    const { world } = await fail(systemError('ENOSPC', 'open', '/game/public/sprites/page.png.0123456789abcdef.tmp'))
    expect(world.err()).toContain('ENOSPC: made up, a file in "public/sprites". Make room')
    expect(world.err()).not.toContain('.tmp')
  })

  test('a refused delivery of the atlas room ends with 4, a page that cannot be packed and a wrong option with 1', () => {
    const exits: Readonly<Record<AtlasErrorCode, number>> = {
      SW_ARCHIVE: 4,
      SW_DELIVERY_LAYOUT: 4,
      SW_PNG: 4,
      SW_IMAGE: 4,
      SW_ASEPRITE: 1,
      SW_FRAME_SIZE: 4,
      SW_PACK: 1,
      SW_ATLAS_OPTION: 1,
    }
    const failures = (Object.keys(exits) as AtlasErrorCode[]).flatMap((code) =>
      toFailures(new AtlasError(code, { message: 'no', facts: { rule: 'x' } })),
    )
    expect(Object.fromEntries(failures.map((failure) => [failure.code, exitCodeOf([failure])]))).toEqual(exits)
    for (const { facts } of failures) expect(facts).toEqual({ rule: 'x' })
  })

  test('an error of nobody is a mistake of ours, exit 1, with its place', async () => {
    const { world, exit } = await fail(new TypeError('x is not a function'))
    expect(exit).toBe(1)
    expect(world.err()).toContain('error SW_INTERNAL x is not a function')
    expect(world.err()).toContain('printer.test.ts')
  })

  test.each(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])(
    'a part of the package that is gone is no mistake to report, but to be installed: %s',
    async (code) => {
      const gone = Object.assign(new Error("Cannot find module '/chunks/a.js' imported from /chunks/b.js"), { code })
      const { world, exit } = await fail(gone)
      expect(exit).toBe(1)
      expect(world.err()).toMatch(/^error SW_INTERNAL Cannot find module .*npm install/)
      expect(world.err()).not.toContain('report')
    },
  )

  test('amounts in facts are decimal texts, and a table in a message keeps its lines', async () => {
    const error = new SpritewrightError('SW_CEILING', { message: 'too dear:\n  hero.walk  2.4', facts: { quoted: 24_000n } })
    const json = await fail(error, '--json')
    expect(json.world.json()).toMatchObject({ error: { facts: { quoted: '2.4' } } })
    const plain = await fail(error)
    expect(plain.world.err()).toBe('error SW_CEILING too dear:\n    hero.walk  2.4\n')
  })

  test('the place in a spec is named once', async () => {
    const facts = { file: 'sprites/hero.sprite.json', line: 3, column: 7 }
    const without = await fail(new SpritewrightError('SW_SPEC', { message: 'Expected a text.', facts }))
    expect(without.world.err()).toBe('error SW_SPEC Expected a text.\n  at sprites/hero.sprite.json:3:7\n')
    const within = await fail(new SpritewrightError('SW_SPEC', { message: 'sprites/hero.sprite.json:3:7: expected a text.', facts }))
    expect(within.world.err()).toBe('error SW_SPEC sprites/hero.sprite.json:3:7: expected a text.\n')
  })
  test('files of the working folder are shown from there, in text but not in a document (kind: paths named twice)', async () => {
    const facts = { file: '/game/sprites/hero.sprite.json' }
    const error = new SpritewrightError('SW_REFERENCE', { message: '/game/sprites/hero.sprite.json:3:7 reference: /game/a.png', facts })
    const plain = await fail(error)
    expect(plain.world.err()).toBe('error SW_REFERENCE sprites/hero.sprite.json:3:7 reference: a.png\n')
    const from = await fail(new SpritewrightError('SW_SPEC', { message: 'sprites/hero.sprite.json:3:7 expected a text', facts }))
    expect(from.world.err()).toBe('error SW_SPEC sprites/hero.sprite.json:3:7 expected a text\n')
    const json = await fail(error, '--json')
    expect(json.world.json()).toMatchObject({ error: { message: error.message, facts } })
  })

  test.each([
    ['at /other/game/a.png', 'at /other/game/a.png'],
    ['at https://127.0.0.1:9/game/v1', 'at https://127.0.0.1:9/game/v1'],
    ['in "/game/art/a.png" and (/game/b.png)', 'in "art/a.png" and (b.png)'],
  ])('only a path that begins with the working folder is shortened: %s', async (message, shown) => {
    const { world } = await fail(new SpritewrightError('SW_SPEC', { message }))
    expect(world.err()).toBe(`error SW_SPEC ${shown}\n`)
  })

  test('in the root of the disk, every path stays whole', () => {
    const out: string[] = []
    const terminal = {
      write: (text: string) => void out.push(text),
      note: () => {},
      isOutputTerminal: false,
      isInteractive: false,
      canAsk: false,
      columns: 80,
    }
    createPrinter({ terminal, isJson: false, isQuiet: false, hasColor: false, hasNoteColor: false, folder: '/', place: '' }).line(
      '/game/a.png',
    )
    expect(out.join('')).toBe('/game/a.png\n')
  })

  test.each([
    [['--root', '/other'], 'npx spritewright plan --root /other'],
    [['--root=/other game'], 'npx spritewright plan --root "/other game"'],
    [['--config', 'b.mjs', '--root', '/other'], 'npx spritewright plan --root /other --config b.mjs'],
  ])('a command that is named works on the same project: %j', async (options, command) => {
    const message = 'Ask "npx spritewright plan". Git has "npx spritewright merge %O %A %B". Then: npx spritewright build --root x'
    const { world } = await fail(new SpritewrightError('SW_SPEC', { message }), ...options)
    expect(world.err()).toBe(
      `error SW_SPEC Ask "${command}". Git has "npx spritewright merge %O %A %B". Then: npx spritewright build --root x\n`,
    )
  })
})

test.each<[string, unknown, object]>([
  ['a text', 'no', { code: 'SW_INTERNAL', facts: {}, exit: 1, message: expect.stringContaining('found string: no') }],
  ['nothing', undefined, { code: 'SW_INTERNAL', facts: {}, exit: 1, message: expect.stringContaining('found undefined') }],
  ['an abort', new DOMException('aborted', 'AbortError'), { code: 'SW_INTERRUPTED', message: 'Interrupted.', facts: {}, exit: 130 }],
  [
    'an error of a later version',
    Object.assign(new Error('new'), { code: 'SW_LATER' }),
    { code: 'SW_LATER', message: 'new', facts: {}, exit: 1 },
  ],
  [
    'facts that are none',
    Object.assign(new Error('x'), { code: 'SW_SPEC', facts: null }),
    { code: 'SW_SPEC', message: 'x', facts: {}, exit: 2 },
  ],
  [
    'no errors at all',
    new AggregateError([], ''),
    { code: 'SW_INTERNAL', facts: {}, exit: 1, message: expect.stringMatching(/^An error without/) },
  ],
])('thrown is %s: the failure is whole', (_, thrown, failure) => {
  expect(toFailures(thrown)).toEqual([expect.objectContaining(failure)])
})

test('a mistake of ours that has a code keeps its stack, and other errors show none', () => {
  expect(toFailures(new SpritewrightError('SW_INTERNAL', { message: 'x' }))[0]?.stack).toContain('printer.test.ts')
  expect(toFailures(new SpritewrightError('SW_SPEC', { message: 'x' }))[0]).not.toHaveProperty('stack')
})
