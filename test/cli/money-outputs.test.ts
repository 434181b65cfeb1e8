import { describe, expect, test } from 'vitest'
import type { ApproveRequest, LedgerLine, LedgerVerification, Workshop } from '../../src/workshop.ts'
import { createWorld, runBoth } from './world.ts'

const requests = [
  { id: '1', verb: 'approve', names: ['hero', 'coin'], credits: '2.4', why: 'level two', from: 'mcp', at: 0 },
  { id: '2', verb: 'recover', names: ['hero.walk'], why: 'stuck', from: 'shell', at: 7_200_000 },
] as const

describe('approve', () => {
  const line = { operation: 'sprite_sheet', prompt: 'runs', quote: 24_000n, ceiling: 30_000n, warning: 'dear' } as const
  const lines = [
    {
      ...line,
      id: 'hero#1',
      operation: 'text_to_image',
      hash: '0',
      prompt: 'a knight',
      quote: 10_000n,
      ceiling: 10_000n,
      warning: undefined,
    },
    { ...line, id: 'hero.walk', hash: '1', prompt: 'a knight\nwalks', usd: '0.24' },
    { ...line, id: 'hero.run', hash: '2' },
  ] as const
  const worker = { host: 'api.example.com', keyMode: 'live', priceVersions: ['v1', 'v2'] } as const

  /** Approves at a terminal, three hours after the first request. */
  async function approving(answer: boolean, more: Partial<Workshop>, ...argv: string[]) {
    const removed: string[] = []
    const asked: Omit<ApproveRequest, 'confirm'>[] = []
    const approve: Workshop['approve'] = async ({ confirm, ...request }) => {
      asked.push(request)
      const confirmed = await confirm(lines, 20_000n, worker)
      return { approved: confirmed ? lines : [], untouched: ['coin.spin'], others: [], undecided: [], confirmed }
    }
    const list = { list: async () => requests, remove: async (id: string) => void removed.push(id) } as never
    const world = createWorld({ canAsk: !argv.includes('--yes'), answer, workshop: { approve, requests: list, ...more } })
    world.now = 10_800_000
    return { code: await world.run('approve', ...argv), world, removed, asked }
  }

  test('shows what was asked for, each price and the sum, and asks; a no to all also declines the requests for an approval', async () => {
    const yes = await approving(true, {}, '--adopt')
    expect([yes.code, yes.removed, yes.asked]).toEqual([
      0,
      [],
      [{ names: [], max: undefined, total: undefined, adopt: true, given: 'typed' }],
    ])
    expect(yes.world.questions).toEqual([
      'A build may hold and spend up to 7 credits for 2 animations and 1 step, each bought once. Approve?',
    ])
    const shown = [
      'asked approve hero coin, about 2.4 credits, 3 h ago, by a tool of an agent:',
      '  “level two”',
      'asked recover hero.walk, 60 min ago, by a command in the shell of an agent:',
      '  “stuck”',
      '  animation           price  ceiling  prompt',
      '  hero#1                  1        1  a knight',
      '  hero.walk  2.4 ≈ 0.24 USD        3  a knight · walks',
      '  hero.run              2.4        3  runs',
      '',
      'Balance: 2 credits. Prices are estimates; a price above its ceiling is never paid.',
      'Where, as the worker says: api.example.com (live key), price version v1, v2.',
      '✓ Approved 2 animations and 1 step, at most 7 credits. Written to the lock file.',
      'Bought or approved before: coin.spin',
      'Next: npx spritewright build, which buys approved animations and makes the atlases.',
      'Commit sprites.lock*.',
      '',
    ].join('\n')
    expect([yes.world.out(), yes.world.err()]).toEqual([shown, 'warning dear\n'])
    const no = await approving(false, {})
    expect([no.code, no.removed]).toEqual([3, ['1']])
    expect(no.world.out()).toBe(shown.replace(/✓ Approved[\s\S]*/, 'Nothing was approved.\n'))
    expect((await approving(false, {}, 'hero')).removed).toEqual([])
  })

  test('with --yes asks nobody, shows no requests, and leads to a push where a worker buys', async () => {
    const { code, world, asked } = await approving(false, { asksWorker: true }, 'hero', '--yes')
    expect([code, world.questions]).toEqual([0, []])
    expect(asked).toEqual([{ names: ['hero'], max: undefined, total: undefined, adopt: false, given: 'unattended' }])
    expect(world.out()).toBe(
      [
        '  animation           price  ceiling  prompt',
        '  hero#1                  1        1  a knight',
        '  hero.walk  2.4 ≈ 0.24 USD        3  a knight · walks',
        '  hero.run              2.4        3  runs',
        '',
        'A build may hold and spend up to 7 credits for 2 animations and 1 step, each bought once.',
        'Balance: 2 credits. Prices are estimates; a price above its ceiling is never paid.',
        'Where, as the worker says: api.example.com (live key), price version v1, v2.',
        '✓ Approved 2 animations and 1 step, at most 7 credits. Written to the lock file.',
        'Bought or approved before: coin.spin',
        'Next: commit specs, pictures and sprites.lock*, and push. Then: npx spritewright build, which orders the purchases from the worker and makes the atlases.',
        '',
      ].join('\n'),
    )
  })

  test('--standing shows all limits, where they count and what they would buy; its document has them and the answer', async () => {
    const offer = {
      ...{
        ceilings: { perSprite: 20_000n, perRun: 30_000n },
        accept: ['typed'] as const,
        service: { host: 'api.example', keyMode: 'test' } as const,
      },
      ...{
        missing: [
          { id: 'hero.walk', quote: 24_000n },
          { id: 'hero.run', quote: 1n },
        ],
        total: 24_001n,
      },
    } as const
    const acceptStanding: Workshop['acceptStanding'] = async ({ confirm }) => ({ offer, confirmed: await confirm(offer) })
    const shown = [
      'Builds may buy, without asking, every sprite that costs up to 2 credits: at most 3 credits a run, without an end.',
      'Approvals count that are typed.',
      'Where: api.example (test key).',
      'Missing now, 2.4001 credits by estimate: hero.walk, hero.run.',
      '',
    ].join('\n')
    for (const [answer, code, end] of [
      [true, 0, /\n✓ .*\n$/],
      [false, 3, /\nNothing was approved\.\n$/],
    ] as const) {
      const found = await runBoth({ canAsk: true, answer, workshop: { acceptStanding } }, 'approve', '--standing')
      expect([found.code, found.text.slice(0, shown.length), found.text.slice(shown.length - 1)]).toEqual([
        code,
        shown,
        expect.stringMatching(end),
      ])
      expect(found.json).toEqual({
        ...offer,
        ...{ ceilings: { perSprite: '2', perRun: '3' }, total: '2.4001', confirmed: answer },
        missing: [
          { id: 'hero.walk', quote: '2.4' },
          { id: 'hero.run', quote: '0.0001' },
        ],
      })
    }
  })

  test('--revoke names what was taken back and what was sent, and wants a commit only after a change', async () => {
    const revoke = (revoked: string[], inFlight: string[]) =>
      runBoth({ workshop: { revoke: async () => ({ revoked, inFlight }) } }, 'approve', '--revoke')
    const { code, text, json } = await revoke(['a.b'], ['c.d'])
    expect([code, json]).toEqual([0, { revoked: ['a.b'], inFlight: ['c.d'] }])
    expect(text.split('\n')).toEqual([expect.stringContaining('a.b'), expect.stringContaining('c.d'), 'Commit sprites.lock*.', ''])
    expect((await revoke([], [])).text).not.toContain('Commit')
  })

  test.each([['hero'], ['--adopt'], ['--max', '1'], ['--total', '1']])('--standing with %s is wrong usage', async (...more) => {
    const world = createWorld({ canAsk: true, answer: true })
    expect(await world.run('approve', '--standing', ...more.filter((one) => one !== undefined))).toBe(2)
    expect(world.opened).toEqual([])
  })
})

describe('ledger', () => {
  const at = Date.UTC(2026, 10, 2, 3, 4, 5)
  const line: LedgerLine = {
    ...{
      id: 'hero.walk',
      hash: 'ab',
      attempt: 1,
      executionId: 'e1',
      state: 'settled',
      credits: 24_000n,
      at,
      origin: 'here',
      isPicture: false,
    },
  }
  const lines: LedgerLine[] = [
    { ...line, project: 'castle', take: 2, person: 'Ada', given: 'typed', shell: 'agent' },
    { ...line, id: 'hero#1', isPicture: true, attempt: 2, approvedBy: 'abcdefghijkl' },
    { ...line, id: 'hero#2', isPicture: true, state: 'restored', origin: 'elsewhere' },
    { ...line, id: 'hero#3', isPicture: true, state: 'uncertain', origin: 'unverified', at: 0, balanceBefore: 50_000n },
    { ...line, id: 'coin.spin', state: 'uncertain', decision: 'abandon' },
    { ...line, id: 'coin.spin', state: 'held', decision: 'replay', balanceBefore: 70_000n },
  ]
  const sums = { held: 1n, settled: 2n, restored: 3n, uncertain: 4n, elsewhere: 5n, unverified: 6n }
  const shownSums = {
    held: '0.0001',
    settled: '0.0002',
    restored: '0.0003',
    uncertain: '0.0004',
    elsewhere: '0.0005',
    unverified: '0.0006',
  }
  const sprites = [
    { sprite: 'hero', ...sums },
    { sprite: 'coin', held: 0n, settled: 10_000n, restored: 0n, uncertain: 0n, elsewhere: 0n },
  ]
  const report = { lines, sprites, ...sums, usd: '0.01', repaired: 2, warnings: ['torn'] }

  test('shows each purchase, the sums of each sprite and of all, and what nobody knows', async () => {
    const { code, text, err, json } = await runBoth({ workshop: { ledger: async () => report } }, 'ledger')
    expect([code, err]).toEqual([0, 'warning torn\n2 movements written into ledger.jsonl again, from the journal.\n'])
    expect(text).toBe(
      [
        '  when              project  what                state        credits  attempt  approved                       where             execution',
        "  2026-11-02 03:04  castle   hero.walk · take 2  settled          2.4           Ada typed in an agent's shell                    e1",
        '  2026-11-02 03:04           hero#1              charged          2.4        2  abcdefgh                                         e1',
        '  2026-11-02 03:04           hero#2              not charged      2.4                                          bought elsewhere  e1',
        '                             hero#3              uncertain        2.4                                          unknown signer    e1',
        '  2026-11-02 03:04           coin.spin           given up         2.4                                                            e1',
        '  2026-11-02 03:04           coin.spin           held             2.4                                                            e1',
        '',
        '  sprite  settled    held  restored  uncertain  elsewhere  unverified',
        '  hero     0.0002  0.0001    0.0003     0.0004     0.0005      0.0006',
        '  coin          1',
        '',
        "Settled 0.0002 credits ≈ 0.01 USD at today's rate · held 0.0001 · restored 0.0003",
        'Bought elsewhere, as the lock file says, not in these sums: 0.0005 credits.',
        'Told by keys that this machine does not trust, not in these sums: 0.0006 credits.',
        'At most 0.0004 credits more may have been spent: an answer never came.',
        "  hero#3: the balance before it was sent was 5. Today's: npx spritewright ledger --verify",
        'Times are UTC.',
        '',
      ].join('\n'),
    )
    const time = '2026-11-02T03:04:05.000Z'
    expect(json).toEqual({
      ...{ ...shownSums, usd: '0.01', repaired: 2, warnings: ['torn'] },
      lines: [
        { ...lines[0], credits: '2.4', at: time },
        { ...lines[1], credits: '2.4', at: time },
        { ...lines[2], credits: '2.4', at: time },
        { ...lines[3], credits: '2.4', at: null, balanceBefore: '5' },
        { ...lines[4], credits: '2.4', at: time },
        { ...lines[5], credits: '2.4', at: time, balanceBefore: '7' },
      ],
      sprites: [
        { sprite: 'hero', ...shownSums },
        { sprite: 'coin', held: '0', settled: '1', restored: '0', uncertain: '0', elsewhere: '0' },
      ],
    })
  })

  test('has no sums of sprites where there is one, and none that are zero', async () => {
    const none = { ...{ held: 0n, settled: 24_000n, restored: 0n, uncertain: 0n, elsewhere: 0n }, repaired: 0, warnings: [] }
    const { text, err } = await runBoth(
      { workshop: { ledger: async () => ({ ...none, lines: [line], sprites: [{ sprite: 'hero', ...none }] }) } },
      'ledger',
    )
    expect([text, err]).toEqual([
      [
        '  when              what       state    credits  execution',
        '  2026-11-02 03:04  hero.walk  settled      2.4  e1',
        '',
        'Settled 2.4 credits · held 0 · restored 0',
        'Times are UTC.',
        '',
      ].join('\n'),
      '',
    ])
  })

  test('--verify shows each purchase of which the service says something, counts the verdicts, and tells where it reads', async () => {
    const check = (verdict: string, words = `${verdict} words`): object => ({ line, verdict, words, service: 'completed' })
    const checks = [check('agrees'), check('agrees', ''), ...['gone', 'unread', 'open', 'differs', 'differs'].map((one) => check(one))]
    const found = { ...report, lines: lines.slice(3, 4), sprites: [], checks, balance: 976_000n, host: 'api.example.com', isAgreed: false }
    const verifyLedger: Workshop['verifyLedger'] = async (request) => {
      for (const [number, of] of [
        [1, 41],
        [2, 41],
        [20, 41],
        [21, 41],
        [22, 41],
        [41, 41],
        [1, 20],
        [1, 21],
      ] as const)
        request?.onRead?.(number, of)
      return found as unknown as LedgerVerification
    }
    const { code, text, err, json } = await runBoth({ workshop: { verifyLedger } }, 'ledger', '--verify')
    expect(code).toBe(1)
    expect(err.match(/execution \d+ of \d+/g)).toEqual(['1 of 41', '21 of 41', '41 of 41', '1 of 21'].map((one) => `execution ${one}`))
    expect(text).toBe(
      [
        '  what    state      credits  where           execution',
        '  hero#3  uncertain      2.4  unknown signer  e1',
        '',
        "Settled 0.0002 credits ≈ 0.01 USD at today's rate · held 0.0001 · restored 0.0003",
        'Bought elsewhere, as the lock file says, not in these sums: 0.0005 credits.',
        'Told by keys that this machine does not trust, not in these sums: 0.0006 credits.',
        'At most 0.0004 credits more may have been spent: an answer never came.',
        '',
        '  agrees hero.walk agrees words',
        '  gone hero.walk gone words',
        '  unread hero.walk unread words',
        '  open hero.walk open words',
        '  differs hero.walk differs words',
        '  differs hero.walk differs words',
        'Compared with the service: 2 agree, 1 gone, 1 unread, 1 open, 2 differ.',
        'Balance at api.example.com: 97.6 credits.',
        '  hero#3: balance before it was sent 5, now 97.6. That is evidence, no proof.',
        '',
      ].join('\n'),
    )
    const fact = { id: 'hero.walk', hash: 'ab', attempt: 1, executionId: 'e1', service: 'completed' }
    expect(json).toMatchObject({
      ...shownSums,
      balance: '97.6',
      host: 'api.example.com',
      isAgreed: false,
      lines: [{ id: 'hero#3', at: null }],
    })
    expect(json.checks).toEqual([
      { ...fact, verdict: 'agrees', words: 'agrees words' },
      { ...fact, verdict: 'agrees', words: '' },
      ...['gone', 'unread', 'open', 'differs', 'differs'].map((verdict) => ({ ...fact, verdict, words: `${verdict} words` })),
    ])
    const empty = { ...found, checks: [], lines: [], repaired: 0, warnings: [], isAgreed: true } as unknown as LedgerVerification
    const nothing = await runBoth({ workshop: { verifyLedger: async () => empty } }, 'ledger', '--verify')
    expect([nothing.code, nothing.text]).toEqual([0, 'Nothing is bought yet.\nBalance at api.example.com: 97.6 credits.\n'])
  })
})

describe('recover', () => {
  const recovering = (about: string, ...argv: string[]): ReturnType<typeof runBoth> => {
    const decided = [
      { id: 'hero.walk', about, ceiling: 24_000n, balanceBefore: 30_000n },
      { id: 'hero.run', about },
    ]
    const report = { decided, bought: [{ id: 'hero.jump', credits: 24_000n }], balance: 6_000n }
    return runBoth({ workshop: { recover: async () => report } as never }, 'recover', 'hero.walk', ...argv)
  }
  const balance = expect.stringMatching(/^ {2}Balance .*: 3 credits; now: 0\.6 credits\.$/)
  const bought = 'bought hero.jump for 2.4 credits'

  test.each([
    ['submission', '--replay', /^hero\.walk: sent again\.$/, /^Next: npx spritewright build,/],
    ['submission', '--abandon', /^hero\.walk: given up\. .* 2\.4 credits/, /npx spritewright approve hero\.walk,/],
    ['answer', '--abandon', /^hero\.walk: given up\.$/, /^Next: npx spritewright build,/],
  ])('of the %s, with %s, tells what was decided, the balance, what was bought, and what is next', async (about, decision, first, next) => {
    const { code, text, json } = await recovering(about, decision)
    expect(code).toBe(0)
    const second = expect.stringMatching(/^hero\.run: (?:sent again|given up)\.$/)
    expect(text.split('\n')).toEqual([expect.stringMatching(first), balance, second, bought, expect.stringMatching(next), ''])
    expect(json).toEqual({
      decided: [
        { id: 'hero.walk', about, ceiling: '2.4', balanceBefore: '3' },
        { id: 'hero.run', about },
      ],
      ...{ bought: [{ id: 'hero.jump', credits: '2.4' }], balance: '0.6' },
    })
  })
})
