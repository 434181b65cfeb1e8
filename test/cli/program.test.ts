import { describe, expect, test } from 'vitest'
import { createWorld, planItem, runColored } from './world.ts'

const items = [planItem('hero.walk', { state: 'approved' })]
const status = async () => ({ items, own: [], steps: [], total: 0n, warnings: ['old'] })

describe('options of every command', () => {
  test('stdout and stderr have colours on their own terminals, unless somebody forbids them', async () => {
    const found: string[] = []
    for (const [more, ...argv] of [
      [{}],
      [{ isOutputTerminal: false }],
      [{ isInteractive: false }],
      [{ env: { NO_COLOR: '1' } }],
      [{ env: { NO_COLOR: '' } }],
      [{ env: { TERM: 'dumb' } }],
      [{}, '--no-color'],
      [{}, '--', '--no-color'],
    ] as const) {
      const { text, err } = await runColored({ ...more, workshop: { status: status as never } }, 'status', ...argv)
      found.push(`${JSON.stringify(more)} ${argv.join(' ')}: stdout ${text.includes('bold{')}, stderr ${err.includes('yellow{')}`)
    }
    expect(found).toMatchInlineSnapshot(`
      [
        "{} : stdout true, stderr true",
        "{"isOutputTerminal":false} : stdout false, stderr true",
        "{"isInteractive":false} : stdout true, stderr false",
        "{"env":{"NO_COLOR":"1"}} : stdout false, stderr false",
        "{"env":{"NO_COLOR":""}} : stdout true, stderr true",
        "{"env":{"TERM":"dumb"}} : stdout false, stderr false",
        "{} --no-color: stdout false, stderr false",
        "{} -- --no-color: stdout true, stderr true",
      ]
    `)
  })

  test('printed commands lead to the same project, with the paths quoted that need it', async () => {
    const found: string[] = []
    for (const argv of [['--root', '/game'], ['--root=/game', '--config', 'a b.ts'], ['--config=x.ts'], ['--', '--root', 'x']]) {
      const world = createWorld({ workshop: { status: status as never } })
      await world.run('status', ...argv)
      found.push(`${argv.join(' ')}: ${world.out().trimEnd().split('\n').at(-1)}`)
    }
    expect(found).toMatchInlineSnapshot(`
      [
        "--root /game: Next: npx spritewright build --root /game, which buys approved animations and makes the atlases.",
        "--root=/game --config a b.ts: Next: npx spritewright build --root /game --config "a b.ts", which buys approved animations and makes the atlases.",
        "--config=x.ts: Next: npx spritewright build --config x.ts, which buys approved animations and makes the atlases.",
        "-- --root x: Next: npx spritewright build, which buys approved animations and makes the atlases.",
      ]
    `)
  })

  test('--quiet leaves the result and the warnings, --json the document alone', async () => {
    const [quiet, json] = [createWorld({ workshop: { status: status as never } }), createWorld({ workshop: { status: status as never } })]
    expect([await quiet.run('status', '--quiet'), await json.run('status', '--json', '--quiet')]).toEqual([0, 0])
    expect([quiet.out(), quiet.err(), json.err()]).toMatchInlineSnapshot(`
      [
        "  animation  state     note
        hero.walk  approved  first purchase

      0 of 1 animation bought.
      ",
        "warning old
      ",
        "",
      ]
    `)
  })
})

test('the version is a line or a document, and help is text even with --json and --quiet', async () => {
  const found: string[] = []
  for (const argv of [['--version'], ['-v', '--json'], ['help', 'schema', '--json', '--quiet']]) {
    const world = createWorld()
    expect([await world.run(...argv), world.err(), world.opened]).toEqual([0, '', []])
    found.push(world.out())
  }
  expect(`\n${found.join('\n')}`).toMatchInlineSnapshot(`
    "
    spritewright 1.2.3

    {
      "version": "1.2.3"
    }

    spritewright schema  The JSON Schema of a spec, for editors

    Usage
      spritewright schema

    Everywhere
          --root <dir>      The project (default: the current folder)
          --config <file>   The config file (default: spritewright.config.* in the project)
          --json            One JSON document on stdout, for errors too
          --quiet           Only results, warnings and errors
          --no-color        No colours (NO_COLOR does the same)
      -h, --help            This text
      -v, --version         The version

    Examples
      spritewright schema > sprite.schema.json
    "
  `)
})

test('the request of a coding agent has the command for a person, without options of every command and with quoted words', async () => {
  const asked: { readonly why: string }[] = []
  const requests = {
    add: async (request: { readonly why: string }) => {
      asked.push(request)
      return { ...request, id: '1', at: 0 }
    },
  } as never
  const plan = async () => ({ items: [planItem('hero.walk', { price: '1' })], own: [], steps: [], total: 0n, warnings: [] })
  const world = createWorld({ env: { CLAUDECODE: '1' }, workshop: { requests, plan: plan as never } })
  const answer = [
    'answer',
    'hero.walk',
    "it's left",
    '--root',
    '/game',
    '--json',
    '--quiet',
    '--config=x.ts',
    '--no-color',
    '--asset',
    'a b.png',
  ]
  expect([await world.run(...answer), await world.run('approve', 'hero', '--max', '2.4', '--yes', '--config', 'x.ts')]).toEqual([3, 3])
  expect(asked.map(({ why }) => why)).toMatchInlineSnapshot(`
    [
      "A coding agent (CLAUDECODE) ran: npx spritewright answer hero.walk 'it'\\''s left' --asset 'a b.png'",
      "A coding agent (CLAUDECODE) ran: npx spritewright approve hero --max 2.4",
    ]
  `)
})
