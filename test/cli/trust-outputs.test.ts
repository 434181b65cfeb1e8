import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { Workshop } from '../../src/workshop.ts'
import { createWorld, runBoth, runColored } from './world.ts'

describe('trust', () => {
  const origin = 'https://api.example.com'
  const route = { origin, key: 'ab12', keySource: 'environment', addressSource: '.env.local', trust: 'confirmed' }
  const hosts = [
    { origin: 'https://a.example', key: 'k1', at: '2026-11-02T03:04:05.000Z' },
    { origin: 'https://b.example', key: 'k2', at: '2026-11-03T03:04:05.000Z' },
  ]
  const touchKeys = [
    { key: 'ES256.a.b', word: 'kilo', source: 'terminal', enrolledAt: '2026-11-02T03:04:05.000Z' },
    { key: 'ES256.c.d', word: 'lima', source: 'environment' },
  ]
  const desk = (more: object) =>
    ({ trust: { route: async () => route, list: async () => [], touchKeys: async () => [], ...more } }) as unknown as Partial<Workshop>

  test('shows where the key goes, what is confirmed and who approves by a touch', async () => {
    const full = await runColored({ workshop: desk({ list: async () => hosts, touchKeys: async () => touchKeys }) }, 'trust')
    const open = await runColored(
      { workshop: desk({ route: async () => ({ ...route, keySource: '.env', addressSource: 'environment', trust: 'none' }) }) },
      'trust',
    )
    const none = createWorld({ workshop: desk({ route: async () => undefined }) })
    expect([full.code, open.code, await none.run('trust')]).toEqual([0, 0, 0])
    expect([full.text, open.text, none.out()]).toMatchInlineSnapshot(`
      [
        "
      green{✓} key ab12 (from the environment) → https://api.example.com (from .env.local)dim{ confirmed}
        bold{https://a.example} may get key k1dim{ since 2026-11-02}
        bold{https://b.example} may get key k2dim{ since 2026-11-03}
        bold{kilo} approves by a touchdim{ 2026-11-02 ES256.a.b}
        bold{lima} approves by a touchdim{ environment ES256.c.d}
      ",
        "
      red{✗} key ab12 (from .env) → https://api.example.com (from the environment)dim{ not confirmed}
      No address has been confirmed.
      Next: bold{npx spritewright trust https://api.example.com}, if that is your service.
      ",
        "No address has been confirmed.
      ",
      ]
    `)
    const { json } = await runBoth({ workshop: desk({ list: async () => hosts, touchKeys: async () => touchKeys }) }, 'trust')
    expect(json).toEqual({ route, hosts, touchKeys })
  })

  test('asks about the key, where it is from and the address, and confirms only after a yes', async () => {
    const found: unknown[] = []
    for (const [answer, given, known] of [
      [true, origin, route],
      [true, 'api.example.com', route],
      [true, 'https://other.example', { ...route, keySource: '.env.local' }],
      [true, origin, undefined],
      [false, origin, route],
      [undefined, origin, route],
    ] as const) {
      const confirmed: string[] = []
      const confirm = async (host: string) => {
        confirmed.push(host)
        return `stored ${host}`
      }
      const world = createWorld({ canAsk: true, answer, workshop: desk({ route: async () => known, confirm }) })
      found.push([await world.run('trust', given), ...world.questions, confirmed, world.out() + world.err()])
    }
    expect(found).toMatchInlineSnapshot(`
      [
        [
          0,
          "Send the API key from the environment, fingerprint ab12, to https://api.example.com? The address is in .env.local. The server at that address can spend with it.",
          [
            "https://api.example.com",
          ],
          "✓ stored https://api.example.com may get this API key from now on.
      ",
        ],
        [
          0,
          "Send the API key from the environment, fingerprint ab12, to api.example.com? The address is in .env.local. The server at that address can spend with it.",
          [
            "api.example.com",
          ],
          "✓ stored api.example.com may get this API key from now on.
      ",
        ],
        [
          0,
          "Send the API key from .env.local, fingerprint ab12, to https://other.example? The server at that address can spend with it.",
          [
            "https://other.example",
          ],
          "✓ stored https://other.example may get this API key from now on.
      ",
        ],
        [
          0,
          "Send the API key to https://api.example.com? The server at that address can spend with it.",
          [
            "https://api.example.com",
          ],
          "✓ stored https://api.example.com may get this API key from now on.
      ",
        ],
        [
          3,
          "Send the API key from the environment, fingerprint ab12, to https://api.example.com? The address is in .env.local. The server at that address can spend with it.",
          [],
          "Nothing was confirmed.
      ",
        ],
        [
          130,
          "Send the API key from the environment, fingerprint ab12, to https://api.example.com? The address is in .env.local. The server at that address can spend with it.",
          [],
          "stopped Interrupted. Nothing was confirmed.
      ",
        ],
      ]
    `)
    const no = await runBoth({ canAsk: true, answer: false, workshop: desk({ confirm: async () => 'x' }) }, 'trust', origin)
    expect(no.json).toEqual({ origin: null })
  })

  test('takes addresses and keys back, and says whether there was one', async () => {
    const found: unknown[] = []
    for (const removed of [0, 1]) {
      const gone: string[] = []
      const remove = async (host: string) => {
        gone.push(host)
        return removed
      }
      const unenrol = async (key: string) => {
        gone.push(key)
        return removed > 0
      }
      const world = createWorld({ workshop: desk({ remove, unenrol }) })
      const codes = [await world.run('trust', origin, '--remove'), await world.run('trust', '--touch', 'k', '--remove')]
      found.push([codes, gone, world.out().split('\n')])
    }
    expect(found).toMatchInlineSnapshot(`
      [
        [
          [
            0,
            0,
          ],
          [
            "https://api.example.com",
            "k",
          ],
          [
            "It was not confirmed.",
            "It was not enrolled at a terminal.",
            "",
          ],
        ],
        [
          [
            0,
            0,
          ],
          [
            "https://api.example.com",
            "k",
          ],
          [
            "Removed. You are asked again before the key goes there.",
            "Removed. Its touches approve nothing here any more.",
            "",
          ],
        ],
      ]
    `)
  })

  test('--touch asks for the word of the key, and says in text and JSON whether it fits', async () => {
    const found: unknown[] = []
    for (const typed of ['kilo', 'lima', undefined]) {
      const world = createWorld({ canAsk: true, typed, workshop: desk({ wordOf: () => 'kilo', enrol: async () => {} }) })
      found.push([await world.run('trust', '--touch', 'k'), ...world.questions, world.out() + world.err()])
    }
    expect(found).toMatchInlineSnapshot(`
      [
        [
          0,
          "Type the word that the panel shows beside this key.",
          "✓ kilo approves on this machine from now on. List all: npx spritewright trust
      ",
        ],
        [
          3,
          "Type the word that the panel shows beside this key.",
          "That is not the word of this key. Nothing was enrolled.
      ",
        ],
        [
          130,
          "Type the word that the panel shows beside this key.",
          "stopped Interrupted. Nothing was enrolled.
      ",
        ],
      ]
    `)
    const no = await runBoth({ canAsk: true, typed: 'x', workshop: desk({ wordOf: () => 'kilo' }) }, 'trust', '--touch', 'k')
    expect([no.code, no.json]).toEqual([3, { enrolled: false }])
  })
})

describe('a command that needs an address which is not confirmed', () => {
  const route = { origin: 'https://x', key: 'k', keySource: '.env', addressSource: '.env', trust: 'none' }
  const untrusted = (more: object) => {
    const log: string[] = []
    const plan = async () => {
      log.push('plan')
      if (!log.includes('confirm https://x')) throw new SpritewrightError('SW_UNTRUSTED_HOST', { message: 'not confirmed' })
      return { items: [], own: [], steps: [], total: 0n, warnings: [] }
    }
    const confirm = async (host: string) => {
      log.push(`confirm ${host}`)
      return host
    }
    const workshop = { plan, trust: { route: async () => route, confirm } } as unknown as Partial<Workshop>
    return { log, world: createWorld({ canAsk: true, answer: true, workshop, ...more }) }
  }

  test.each([
    ['a yes runs it again', {}, 0, ['plan', 'confirm https://x', 'plan'], 3],
    ['a no ends it', { answer: false }, 2, ['plan'], 2],
    ['Ctrl-C ends it', { answer: undefined }, 130, ['plan'], 2],
    ['nobody is asked without a terminal', { canAsk: false }, 2, ['plan'], 1],
    ["nobody is asked in an agent's shell", { env: { CLAUDECODE: '1' } }, 2, ['plan'], 1],
  ] as const)('asks a person: %s', async (_what, more, code, calls, opened) => {
    const { log, world } = untrusted(more)
    expect(await world.run('plan')).toBe(code)
    expect([log, world.opened.length, world.closed]).toEqual([calls, opened, opened])
  })
})
