import { describe, expect, test } from 'vitest'
import type { LedgerLine, LedgerRequest, LedgerVerification } from '../../src/workshop.ts'
import { createWorld, runColored } from './world.ts'

const line: LedgerLine = {
  ...{ id: 'hero.walk', hash: 'ab', attempt: 1, executionId: 'e1', state: 'settled', credits: 24_000n, origin: 'here', isPicture: false },
  at: Date.UTC(2026, 10, 2, 3, 4, 5),
}
const zero = { held: 0n, settled: 0n, restored: 0n, uncertain: 0n, elsewhere: 0n }
const report = { lines: [line], sprites: [], ...zero, settled: 24_000n, repaired: 0, warnings: [] }
const groups = [
  { name: 'Ada', ...zero, settled: 24_000n, usd: '0.24' },
  { name: 'Bob, "the"\nelder', ...zero, held: 1n, restored: 2n, uncertain: 3n, elsewhere: 4n, unverified: 5n },
]

describe('ledger', () => {
  test('asks for the first moment of a day or month, for the first one after it, and for USD if a part is asked for', async () => {
    const asked: unknown[] = []
    const ledger = async (request?: LedgerRequest) => {
      const toText = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString().slice(0, 16))
      asked.push({ ...request, since: toText(request?.since), until: toText(request?.until) })
      return report
    }
    for (const argv of [
      [],
      ['--since', '2026-11-02'],
      ['--until', '2026-11-30'],
      ['--since=2026-12', '--until=2026-12'],
      ['--since', '2024-02-29', '--until', '2024-02-29'],
      ['--by', 'project'],
      ['--csv'],
    ])
      expect(await createWorld({ workshop: { ledger: ledger as never } }).run('ledger', ...argv)).toBe(0)
    expect(asked).toMatchInlineSnapshot(`
      [
        {
          "by": undefined,
          "isTeam": true,
          "since": undefined,
          "until": undefined,
          "withUsd": false,
        },
        {
          "by": undefined,
          "isTeam": true,
          "since": "2026-11-02T00:00",
          "until": undefined,
          "withUsd": true,
        },
        {
          "by": undefined,
          "isTeam": true,
          "since": undefined,
          "until": "2026-12-01T00:00",
          "withUsd": true,
        },
        {
          "by": undefined,
          "isTeam": true,
          "since": "2026-12-01T00:00",
          "until": "2027-01-01T00:00",
          "withUsd": true,
        },
        {
          "by": undefined,
          "isTeam": true,
          "since": "2024-02-29T00:00",
          "until": "2024-03-01T00:00",
          "withUsd": true,
        },
        {
          "by": "project",
          "isTeam": true,
          "since": undefined,
          "until": undefined,
          "withUsd": true,
        },
        {
          "by": undefined,
          "isTeam": true,
          "since": undefined,
          "until": undefined,
          "withUsd": true,
        },
      ]
    `)
  })

  test.each(['person', 'project', 'month', 'sprite'])('--by %s has that title, and --csv its column', async (by) => {
    const init = { workshop: { ledger: async () => ({ ...report, groups, usd: '0.24' }) } }
    const [text, csv] = [createWorld(init), createWorld(init)]
    expect([await text.run('ledger', '--by', by), await csv.run('ledger', '--by', by, '--csv', '--quiet')]).toEqual([0, 0])
    const padded = (word: string): string => word.padEnd(17)
    expect(text.out()).toBe(
      [
        `  ${padded(by)}  settled    held  restored  uncertain  elsewhere  unverified   USD`,
        `  ${padded('Ada')}      2.4                                                      0.24`,
        `  ${padded('Bob, "the"\\nelder')}           0.0001    0.0002     0.0003     0.0004      0.0005`,
        '',
        "Settled 2.4 credits ≈ 0.24 USD at today's rate · held 0 · restored 0",
        'Times are UTC.',
        '',
      ].join('\n'),
    )
    expect(csv.out()).toBe(
      `${by},settled,held,restored,uncertain,elsewhere,unverified,usd\r\nAda,2.4,0,0,0,0,,0.24\r\n"Bob, ""the""\\nelder",0,0.0001,0.0002,0.0003,0.0004,0.0005,\r\n`,
    )
  })

  test('--csv has a row for each purchase, with every column', async () => {
    const full = { project: 'castle', take: 2, usd: '0.24', person: 'Ada', approvedBy: 'abcd', given: 'typed', decision: 'replay' }
    const lines = [
      { ...line, ...full },
      { ...line, id: 'hero#1', at: 0, attempt: 2, executionId: undefined, origin: 'elsewhere' },
    ]
    const world = createWorld({ workshop: { ledger: async () => ({ ...report, lines }) as never } })
    expect(await world.run('ledger', '--csv')).toBe(0)
    expect(world.out()).toMatchInlineSnapshot(`
      "at,project,id,take,attempt,state,credits,usd,person,approvedBy,given,decision,origin,executionId,hash
      2026-11-02T03:04:05.000Z,castle,hero.walk,2,1,settled,2.4,0.24,Ada,abcd,typed,replay,here,e1,ab
      ,,hero#1,,2,settled,2.4,,,,,,elsewhere,,ab
      "
    `)
  })

  test.each([
    [[], 'Nothing is bought yet.\n'],
    [['--since', '2026-11'], 'Nothing was bought in that time.\n'],
    [['--until', '2026-11'], 'Nothing was bought in that time.\n'],
    [['--by', 'month'], 'Nothing is bought yet.\n'],
  ])('without a purchase, %j says so and nothing else', async (argv, words) => {
    const world = createWorld({ workshop: { ledger: async () => ({ ...report, lines: [] }) } })
    expect([await world.run('ledger', ...argv), world.out(), world.err()]).toEqual([0, words, ''])
  })

  test('colours what is settled, held, restored and uncertain, and what may be lost', async () => {
    const states = ['settled', 'held', 'restored', 'uncertain'] as const
    const lines = states.flatMap((state): LedgerLine[] => [
      { ...line, state },
      { ...line, id: 'hero#1', state, isPicture: true, decision: 'abandon' },
    ])
    const sums = { uncertain: 1n, elsewhere: 1n, unverified: 1n }
    const { text } = await runColored({ workshop: { ledger: async () => ({ ...report, ...sums, lines }) } }, 'ledger')
    expect(text).toMatchInlineSnapshot(`
      "
        dim{when}              dim{what}       dim{state}        dim{credits}  dim{execution}
        dim{2026-11-02 03:04}  bold{hero.walk}  green{settled}          2.4  dim{e1}
        dim{2026-11-02 03:04}  bold{hero#1}     green{charged}          2.4  dim{e1}
        dim{2026-11-02 03:04}  bold{hero.walk}  yellow{held}             2.4  dim{e1}
        dim{2026-11-02 03:04}  bold{hero#1}     yellow{given up}         2.4  dim{e1}
        dim{2026-11-02 03:04}  bold{hero.walk}  dim{restored}         2.4  dim{e1}
        dim{2026-11-02 03:04}  bold{hero#1}     dim{not charged}      2.4  dim{e1}
        dim{2026-11-02 03:04}  bold{hero.walk}  red{uncertain}        2.4  dim{e1}
        dim{2026-11-02 03:04}  bold{hero#1}     red{given up}         2.4  dim{e1}

      Settled bold{2.4 credits} · held 0 · restored 0
      Bought elsewhere, as the lock file says, not in these sums: 0.0001 credits.
      red{Told by keys that this machine does not trust, not in these sums: 0.0001 credits.}
      red{At most 0.0001 credits more may have been spent: an answer never came.}
      dim{Times are UTC.}
      "
    `)
  })

  test('--verify colours each verdict; without a purchase it shows the balance alone', async () => {
    const verdicts = ['agrees', 'gone', 'unread', 'open', 'differs'] as const
    const checks = verdicts.map((verdict) => ({ line, verdict, service: 'completed', words: `is ${verdict}` }))
    const found = { ...report, checks, balance: 10_000n, host: 'api.example.com', isAgreed: true } as unknown as LedgerVerification
    const all = await runColored({ workshop: { verifyLedger: async () => found } }, 'ledger', '--verify')
    expect([all.code, all.err, all.text]).toMatchInlineSnapshot(`
      [
        0,
        "",
        "
        dim{when}              dim{what}       dim{state}    dim{credits}  dim{execution}
        dim{2026-11-02 03:04}  bold{hero.walk}  green{settled}      2.4  dim{e1}

      Settled bold{2.4 credits} · held 0 · restored 0

        green{agrees} bold{hero.walk} is agrees
        dim{gone} bold{hero.walk} is gone
        yellow{unread} bold{hero.walk} is unread
        red{open} bold{hero.walk} is open
        red{differs} bold{hero.walk} is differs
      Compared with the service: 1 agrees, 1 gone, 1 unread, 1 open, 1 differs.
      Balance at api.example.com: 1 credit.
      ",
      ]
    `)
    const none = createWorld({ workshop: { verifyLedger: async () => ({ ...found, lines: [], checks: [] }) } })
    expect([await none.run('ledger', '--verify'), none.out()]).toEqual([
      0,
      'Nothing is bought yet.\nBalance at api.example.com: 1 credit.\n',
    ])
  })
})
