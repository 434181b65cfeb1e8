import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { BuildReport, BuildRequest, Workshop } from '../../src/workshop.ts'
import { createWorld, runColored, type WorldInit } from './world.ts'

const vite = { '/game/vite.config.ts': "import spritewright from 'spritewright/vite'" }
const sprite = { name: 'hero', atlas: 'a', width: 1, height: 1, isPlaceholder: false, animations: ['walk'], file: '/game/hero.sprite.json' }
const none = { bought: [], fetched: [], fromVault: 0, failures: [], warnings: [], sheets: { sprites: [sprite], atlases: [] } }
const options = { root: '/game', specs: ['**/*.sprite.json'], notes: [] } as unknown as Workshop['options']

/** A project whose build returns this report and writes these files, and all calls. */
function building(report: object, names: readonly string[] = ['manifest.json'], more: WorldInit = {}) {
  const calls: unknown[] = []
  const build = async ({ onProgress, signal, ...request }: BuildRequest) => {
    calls.push(request)
    onProgress?.({ id: 'hero.walk', phase: 'waiting', message: 'the service is busy' })
    return { ...none, ...report } as unknown as BuildReport
  }
  const write = async (_sheets: unknown, out: string) => {
    calls.push(out)
    return names
  }
  const init: WorldInit = { ...more, workshop: { options, build: build as never, write: write as never, ...more.workshop } }
  return { calls, init }
}

describe('build', () => {
  test('hands on names and switches, and writes into the folder that is asked for, unless it only buys', async () => {
    const found: unknown[] = []
    for (const argv of [[], ['hero', 'coin.spin', '--frozen'], ['--out', 'a/b'], ['--out', '/x'], ['--buy-only']]) {
      const { calls, init } = building({})
      const world = createWorld(init)
      found.push([await world.run('build', ...argv), ...calls, ...world.out().trimEnd().split('\n')])
    }
    expect(found).toMatchInlineSnapshot(`
      [
        [
          0,
          {
            "buyOnly": false,
            "frozen": false,
            "names": [],
          },
          "/game/public/sprites",
          "✓ 1 file in public/sprites",
          "Load public/sprites/manifest.json (PixiJS) in the game.",
        ],
        [
          0,
          {
            "buyOnly": false,
            "frozen": true,
            "names": [
              "hero",
              "coin.spin",
            ],
          },
          "/game/public/sprites",
          "✓ 1 file in public/sprites",
          "Load public/sprites/manifest.json (PixiJS) in the game.",
        ],
        [
          0,
          {
            "buyOnly": false,
            "frozen": false,
            "names": [],
          },
          "/game/a/b",
          "✓ 1 file in a/b",
          "Load a/b/manifest.json (PixiJS) in the game.",
        ],
        [
          0,
          {
            "buyOnly": false,
            "frozen": false,
            "names": [],
          },
          "/x",
          "✓ 1 file in ../x",
          "Load ../x/manifest.json (PixiJS) in the game.",
        ],
        [
          0,
          {
            "buyOnly": true,
            "frozen": false,
            "names": [],
          },
          "Next: npx spritewright build, which makes the atlases, free of charge.",
        ],
      ]
    `)
  })

  test('says which file of which engine the game loads, and what the plugin makes', async () => {
    const found: string[] = []
    for (const [names, files, argv] of [
      [['manifest.json', 'godot/x.tres'], {}, []],
      [['pack.json', 'a.png'], {}, []],
      [['manifest.json', 'pack.json'], {}, []],
      [['godot/pack.json'], {}, []],
      [['manifest.json'], vite, []],
      [['manifest.json'], vite, ['--out', 'public/sprites']],
      [['manifest.json'], vite, ['--buy-only']],
    ] as const) {
      const world = createWorld(building({}, names, { files }).init)
      expect(await world.run('build', ...argv)).toBe(0)
      found.push(
        [[...names, ...argv].join(' '), ...(world.out() + world.err().replace(/.*the service is busy.*\n/, '')).trimEnd().split('\n')].join(
          '\n  ',
        ),
      )
    }
    expect(`\n${found.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      manifest.json godot/x.tres
        ✓ 2 files in public/sprites
        Load public/sprites/manifest.json (PixiJS) in the game.
      pack.json a.png
        ✓ 2 files in public/sprites
        Load public/sprites/pack.json (Phaser) in the game.
      manifest.json pack.json
        ✓ 2 files in public/sprites
        Load public/sprites/manifest.json (PixiJS) or public/sprites/pack.json (Phaser) in the game.
      godot/pack.json
        ✓ 1 file in public/sprites
      manifest.json
        ✓ 1 file in public/sprites
        warning The Vite plugin makes the atlases of this project. Those in public/sprites are a second copy, which ships with the game. Delete the folder; to buy alone: npx spritewright build --buy-only
      manifest.json --out public/sprites
        ✓ 1 file in public/sprites
        Load public/sprites/manifest.json (PixiJS) in the game.
      manifest.json --buy-only
        The Vite plugin makes the atlases, free of charge.
      "
    `)
  })

  test('without sprites writes only in a project, and says what it looked for', async () => {
    const found: unknown[] = []
    for (const [files, argv] of [
      [{}, []],
      [{}, ['--buy-only']],
      [{ '/game/sprites.lock.json': '{}' }, []],
      [{ '/game/sprites.lock.json': '{}' }, ['--buy-only']],
    ] as const) {
      const { calls, init } = building({ sheets: { sprites: [], atlases: [] } }, [], { files })
      const world = createWorld(init)
      found.push([await world.run('build', ...argv), calls.slice(1), world.out().trimEnd().split('\n')])
    }
    expect(found).toMatchInlineSnapshot(`
      [
        [
          0,
          [],
          [
            "No animations: no spec was found in "/game" (**/*.sprite.json).",
            "Next: npx spritewright init, which writes a first one.",
          ],
        ],
        [
          0,
          [],
          [
            "No animations: no spec was found in "/game" (**/*.sprite.json).",
            "Next: npx spritewright init, which writes a first one.",
          ],
        ],
        [
          0,
          [
            "/game/public/sprites",
          ],
          [
            "No animations: no spec was found in "/game" (**/*.sprite.json).",
            "Next: npx spritewright init, which writes a first one.",
          ],
        ],
        [
          0,
          [],
          [
            "Next: npx spritewright build, which makes the atlases, free of charge.",
          ],
        ],
      ]
    `)
  })

  test('colours what it bought, an unexplained balance, placeholders and superseded frames', async () => {
    const sheets = { sprites: [{ ...sprite, isPlaceholder: true, superseded: ['walk'] }], atlases: [] }
    const bought = [{ id: 'hero.walk', credits: 24_000n }]
    const balance = { isExplained: false, words: 'the balance fell by 3' }
    const { code, text } = await runColored(building({ sheets, bought, balance, fromVault: 1 }).init, 'build')
    expect([code, text]).toMatchInlineSnapshot(`
      [
        0,
        "
      green{✓} Bought bold{hero.walk} for 2.4 credits
        yellow{the balance fell by 3}
      1 bought before: nothing paid
      yellow{Placeholders} stand in for: hero
      yellow{Superseded} but used, since the new one is not bought: hero.walk
      green{✓} 1 file in bold{public/sprites}
      dim{Load public/sprites/manifest.json (PixiJS) in the game.}
      ",
      ]
    `)
    const explained = await runColored(building({ balance: { ...balance, isExplained: true } }).init, 'build')
    expect(explained.text.split('\n')[1]).toBe('  the balance fell by 3')
  })

  test('ends as its worst failure, prints all of them, and still writes', async () => {
    const failure = (code: 'SW_CEILING' | 'SW_QUESTION', message: string) => new SpritewrightError(code, { message })
    const failures = [failure('SW_CEILING', 'too dear'), failure('SW_QUESTION', 'which hand?')]
    const { calls, init } = building({ failures })
    const world = createWorld(init)
    expect([await world.run('build'), calls[1]]).toEqual([5, '/game/public/sprites'])
    expect(world.err()).toMatchInlineSnapshot(`
      "  hero.walk: waits: the service is busy.
      error SW_CEILING too dear
      error SW_QUESTION which hand?
      "
    `)
  })

  test.each([
    ['an abort', () => new DOMException('aborted', 'AbortError'), 130],
    ['an interruption', () => new SpritewrightError('SW_INTERRUPTED', { message: 'x' }), 130],
    [
      'both',
      () => new AggregateError([new DOMException('a', 'AbortError'), new SpritewrightError('SW_INTERRUPTED', { message: 'x' })]),
      130,
    ],
    [
      'an abort and a failure',
      () => new AggregateError([new DOMException('a', 'AbortError'), new SpritewrightError('SW_CEILING', { message: 'dear' })]),
      3,
    ],
    ['a failure', () => new SpritewrightError('SW_CEILING', { message: 'dear' }), 3],
  ])('stopped by Ctrl-C with %s says what is held, and ends with the code of what went wrong', async (_what, error, code) => {
    const build = (async ({ onProgress }: BuildRequest) => {
      onProgress?.({ id: 'hero.walk', phase: 'running', held: 24_000n })
      world.interrupt.abort()
      throw error()
    }) as never
    const world = createWorld({ workshop: { options, build } })
    expect(await world.run('build')).toBe(code)
    const [first, ...lines] = world
      .err()
      .trimEnd()
      .split('\n')
      .map((text) => text.trim())
    expect([first, lines.slice(0, 2)]).toEqual([
      'hero.walk: is being drawn, 2.4 credits held.',
      [
        'Stopping. 2.4 credits held. Paid work goes on at the service; the next "npx spritewright build" picks it up.',
        'Ctrl-C again ends the command at once.',
      ],
    ])
    const end =
      'stopped Interrupted. Paid work goes on at the service; the next "npx spritewright build" picks it up and pays nothing twice.'
    expect(lines.slice(2).at(-1)).toBe(code === 130 ? end : 'error SW_CEILING dear')
  })

  test('a failure before Ctrl-C keeps its code, and nothing says that the build stops', async () => {
    const build = async () => Promise.reject(new DOMException('aborted by itself', 'AbortError'))
    const world = createWorld({ workshop: { options, build } })
    expect([await world.run('build'), world.err()]).toEqual([130, 'stopped Interrupted.\n'])
    const silent = createWorld(building({}).init)
    await silent.run('build', '--quiet')
    silent.interrupt.abort()
    expect(silent.err()).toBe('')
  })
})
