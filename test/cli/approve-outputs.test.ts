import { describe, expect, test } from 'vitest'
import type { ApproveReport, StandingOffer, Workshop } from '../../src/workshop.ts'
import { createWorld, runBoth, runColored } from './world.ts'

const line = { operation: 'sprite_sheet', hash: '1', prompt: 'walks', quote: 24_000n, ceiling: 24_000n } as const
const none: ApproveReport = { approved: [], untouched: [], others: [], undecided: [], confirmed: true }
const vite = { '/game/vite.config.ts': "import spritewright from 'spritewright/vite'" }

const approving = (report: Partial<ApproveReport>, more: object = {}) => ({
  ...{ canAsk: true, answer: true },
  workshop: { approve: async () => ({ ...none, ...report }), requests: { list: async () => [] }, ...more } as never,
})

describe('after an approval', () => {
  const approved = [{ ...line, id: 'hero.walk' }]
  const picture = [{ ...line, id: 'hero', operation: 'image_edit' as const }]
  const reports: readonly (readonly [string, Partial<ApproveReport>, Readonly<Record<string, string>>])[] = [
    ['nothing was missing', {}, {}],
    ['all was bought before', { untouched: ['a.b', 'a.c'] }, {}],
    ['a picture is approved', { approved: picture as never }, {}],
    ['one is approved, with the plugin', { approved, untouched: ['a.b'] }, vite],
    ['one belongs to others', { untouched: ['a.b', 'c#1', 'c.d'], others: ['c#1', 'c.d'] }, {}],
    ['one is approved, one belongs to others', { approved, untouched: ['c.d'], others: ['c.d'] }, {}],
    ['two wait for a decision', { untouched: ['a.b', 'c.d', 'e.f'], undecided: ['c.d', 'e.f'] }, {}],
    ['one is approved, one waits for a decision', { approved, untouched: ['c.d'], undecided: ['c.d'] }, {}],
    ['one belongs to others, one waits', { untouched: ['a.b', 'c.d'], others: ['a.b'], undecided: ['c.d'] }, {}],
  ]

  test('the command says what is open, what is next, and ends as the next build would', async () => {
    const found: string[] = []
    for (const [what, report, files] of reports) {
      const world = createWorld({ files, ...approving(report) })
      found.push([`${what}: ${await world.run('approve')}`, ...world.out().trimEnd().split('\n')].join('\n  '))
    }
    expect(`\n${found.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      nothing was missing: 0
        Nothing needs an approval.
        Next: npx spritewright build, which buys approved animations and makes the atlases.
      all was bought before: 0
        Nothing needs an approval.
        Bought or approved before: a.b, a.c
        Next: npx spritewright build, which buys approved animations and makes the atlases.
      a picture is approved: 0
        ✓ Approved 1 picture, at most 2.4 credits. Written to the lock file.
        Next: npx spritewright build, which buys approved animations and makes the atlases.
        Commit sprites.lock*.
      one is approved, with the plugin: 0
        ✓ Approved 1 animation, at most 2.4 credits. Written to the lock file.
        Bought or approved before: a.b
        Next: npx spritewright build --buy-only, which buys approved animations. A running dev server buys them at once, and vite build does too. The Vite plugin makes the atlases.
        Commit sprites.lock*.
      one belongs to others: 3
        Nothing was approved.
        Bought or approved before: a.b
        Approved, but not by you: c#1, c.d. To take it over, after making sure that it was not bought elsewhere: npx spritewright approve c c.d --adopt
      one is approved, one belongs to others: 3
        ✓ Approved 1 animation, at most 2.4 credits. Written to the lock file.
        Approved, but not by you: c.d. To take it over, after making sure that it was not bought elsewhere: npx spritewright approve c.d --adopt
        Commit sprites.lock*.
      two wait for a decision: 6
        Nothing was approved.
        Bought or approved before: a.b
        Not approved, because each waits for a decision first: c.d, e.f. Pull sprites.lock* from the checkout that sent it. If there is none: npx spritewright recover c.d --replay, or --abandon
      one is approved, one waits for a decision: 6
        ✓ Approved 1 animation, at most 2.4 credits. Written to the lock file.
        Not approved, because each waits for a decision first: c.d. Pull sprites.lock* from the checkout that sent it. If there is none: npx spritewright recover c.d --replay, or --abandon
        Next: npx spritewright build, which buys approved animations and makes the atlases.
        Commit sprites.lock*.
      one belongs to others, one waits: 6
        Nothing was approved.
        Not approved, because each waits for a decision first: c.d. Pull sprites.lock* from the checkout that sent it. If there is none: npx spritewright recover c.d --replay, or --abandon
        Approved, but not by you: a.b. To take it over, after making sure that it was not bought elsewhere: npx spritewright approve a.b --adopt
      "
    `)
  })

  test('a worker gets a push instead of a commit alone', async () => {
    const world = createWorld({ files: vite, ...approving({ approved }, { asksWorker: true }) })
    expect(await world.run('approve')).toBe(0)
    expect(world.out()).toMatchInlineSnapshot(`
      "✓ Approved 1 animation, at most 2.4 credits. Written to the lock file.
      Next: commit specs, pictures and sprites.lock*, and push. Then: npx spritewright build --buy-only, which orders the purchases from the worker. A running dev server orders them by itself. The Vite plugin makes the atlases.
      "
    `)
  })

  test('the document has the report and the sum of its ceilings', async () => {
    const report = { approved: [...approved, { ...line, id: 'a.b', ceiling: 1n }], untouched: ['x.y'], others: ['o.o'], undecided: ['u.u'] }
    const { json } = await runBoth(approving(report as never), 'approve')
    expect(json).toMatchInlineSnapshot(`
      {
        "approved": [
          {
            "ceiling": "2.4",
            "hash": "1",
            "id": "hero.walk",
            "operation": "sprite_sheet",
            "prompt": "walks",
            "quote": "2.4",
          },
          {
            "ceiling": "0.0001",
            "hash": "1",
            "id": "a.b",
            "operation": "sprite_sheet",
            "prompt": "walks",
            "quote": "2.4",
          },
        ],
        "confirmed": true,
        "others": [
          "o.o",
        ],
        "total": "2.4001",
        "undecided": [
          "u.u",
        ],
        "untouched": [
          "x.y",
        ],
      }
    `)
  })
})

test('approve shows prices in USD with their sum, each warning once, and a yes in colours', async () => {
  const lines = [
    { ...line, id: 'hero.walk', usd: '0.24', warning: 'dear' },
    { ...line, id: 'hero.run', usd: '0.26', warning: 'dear' },
  ]
  const asked: unknown[] = []
  const approve = (async ({ confirm, ...request }: Parameters<Workshop['approve']>[0]) => {
    asked.push(request)
    const confirmed = await confirm(lines as never, 100_000n, undefined)
    return { ...none, approved: lines, confirmed }
  }) as never
  const init = approving({}, { approve })
  const { code, text, err } = await runColored(init, 'approve', 'hero', '--max', '2.4', '--total', '10')
  expect([code, err, asked]).toEqual([
    0,
    'yellow{warning} dear\n',
    [{ names: ['hero'], max: 24_000n, total: 100_000n, adopt: false, given: 'typed' }],
  ])
  expect(text).toMatchInlineSnapshot(`
    "
      dim{animation}           dim{price}  dim{ceiling}  dim{prompt}
      bold{hero.walk}  2.4 ≈ 0.24 USD      2.4  dim{walks}
      bold{hero.run}   2.4 ≈ 0.26 USD      2.4  dim{walks}

    Balance: 10 credits. Prices are estimates, in all ≈ 0.50 USD; a price above its ceiling is never paid.
    green{✓} Approved 2 animations, at most 4.8 credits. Written to the lock file.
    Next: bold{npx spritewright build}, which buys approved animations and makes the atlases.
    Commit sprites.lock*.
    "
  `)
  const stopped = createWorld({ ...init, answer: undefined })
  expect([await stopped.run('approve'), stopped.err()]).toEqual([
    130,
    expect.stringContaining('stopped Interrupted. Nothing was approved.\n'),
  ])
  const alone = createWorld({ ...init, canAsk: false })
  expect([await alone.run('approve'), alone.err().split('\n').at(-2)]).toMatchInlineSnapshot(`
    [
      2,
      "error SW_USAGE Expected --yes, since there is no terminal to ask at. Nothing was approved. See the prices with: npx spritewright plan",
    ]
  `)
})

describe('approve --standing', () => {
  const service = { host: 'api.example', keyMode: 'live' } as const
  const offers: readonly (readonly [string, Omit<StandingOffer, 'service' | 'missing' | 'total'>])[] = [
    ['each sprite alone', { ceilings: { perSprite: 10_000n } }],
    ['all limits', { ceilings: { perSprite: 10_000n, perRun: 20_000n, total: 30_000n } }],
    ['no sprite, a total', { ceilings: { total: 30_000n } }],
    ['no sprite, no total', { ceilings: {}, accept: ['touched'] }],
    ['the same total as before', { ceilings: { perSprite: 10_000n, total: 30_000n }, acceptedTotal: 30_000n }],
    ['another total than before', { ceilings: { perSprite: 10_000n, total: 30_000n }, acceptedTotal: 20_000n }],
    ['fewer ways than before', { ceilings: { total: 1n }, accept: ['touched'], acceptedWays: ['touched', 'typed'] }],
    ['all ways again', { ceilings: { total: 1n }, acceptedWays: ['touched'] }],
  ]
  const standing = (offer: Omit<StandingOffer, 'service' | 'missing' | 'total'>) => ({
    workshop: {
      acceptStanding: (async ({ confirm }: Parameters<Workshop['acceptStanding']>[0]) => {
        const whole = { missing: [], total: 0n, service, ...offer }
        return { offer: whole, confirmed: await confirm(whole) }
      }) as never,
    },
  })

  test('says in full what each kind of ceiling allows, and what it replaces', async () => {
    const found: string[] = []
    for (const [what, offer] of offers) {
      const world = createWorld({ canAsk: true, answer: true, ...standing(offer) })
      const code = await world.run('approve', '--standing')
      found.push([`${what}: ${code}`, ...world.out().split('\n').slice(0, -2), ...world.questions].join('\n  '))
    }
    expect(`\n${found.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      each sprite alone: 0
        Builds may buy, without asking, every sprite that costs up to 1 credit: any number of sprites in a run, without an end.
        Where: api.example (live key).
        Nothing is missing now.
        Accept these standing ceilings?
      all limits: 0
        Builds may buy, without asking, every sprite that costs up to 1 credit: at most 2 credits a run, at most 3 credits in all.
        Where: api.example (live key).
        Nothing is missing now.
        Accept these standing ceilings?
      no sprite, a total: 0
        Builds may buy nothing without an approval of its own. What you approve may cost at most 3 credits in all.
        Where: api.example (live key).
        Nothing is missing now.
        Accept these standing ceilings?
      no sprite, no total: 0
        Builds may buy nothing without an approval of its own. What you approve has no limit in all.
        Approvals count that are touched.
        Where: api.example (live key).
        Nothing is missing now.
        Accept these standing ceilings?
      the same total as before: 0
        Builds may buy, without asking, every sprite that costs up to 1 credit: any number of sprites in a run, at most 3 credits in all.
        Where: api.example (live key).
        Nothing is missing now.
        Accept these standing ceilings?
      another total than before: 0
        Builds may buy, without asking, every sprite that costs up to 1 credit: any number of sprites in a run, at most 3 credits in all.
        This replaces the total that you accepted before: 2 credits.
        Where: api.example (live key).
        Nothing is missing now.
        Accept these standing ceilings?
      fewer ways than before: 0
        Builds may buy nothing without an approval of its own. What you approve may cost at most 0.0001 credits in all.
        Approvals count that are touched.
        This replaces the ways that count here so far: touched, typed.
        Where: api.example (live key).
        Nothing is missing now.
        Accept these standing ceilings?
      all ways again: 0
        Builds may buy nothing without an approval of its own. What you approve may cost at most 0.0001 credits in all.
        Approvals count that are touched, typed, clicked, unattended, standing.
        This replaces the ways that count here so far: touched.
        Where: api.example (live key).
        Nothing is missing now.
        Accept these standing ceilings?
      "
    `)
  })

  test('with --yes asks nobody, but a person at a terminal lets more ways count', async () => {
    const narrow = createWorld({ canAsk: false, ...standing({ ceilings: { total: 1n }, accept: ['typed'], acceptedWays: ['typed'] }) })
    expect([await narrow.run('approve', '--standing', '--yes'), narrow.questions]).toEqual([0, []])
    const wider = { ceilings: { total: 1n }, accept: ['typed', 'unattended'], acceptedWays: ['typed'] } as const
    const alone = createWorld({ canAsk: false, ...standing(wider) })
    expect([await alone.run('approve', '--standing', '--yes'), alone.err()]).toMatchInlineSnapshot(`
      [
        2,
        "error SW_USAGE Expected a terminal to ask at: only a person lets more ways of approving count. Nothing was accepted.
      ",
      ]
    `)
    const there = createWorld({ canAsk: true, answer: false, ...standing(wider) })
    expect([await there.run('approve', '--standing', '--yes'), there.questions]).toEqual([3, ['Accept these standing ceilings?']])
    const missing = createWorld({ canAsk: false, ...standing({ ceilings: { total: 1n } }) })
    expect([await missing.run('approve', '--standing'), missing.err()]).toMatchInlineSnapshot(`
      [
        2,
        "error SW_USAGE Expected --yes, since there is no terminal to ask at. Nothing was approved. See the prices with: npx spritewright plan
      ",
      ]
    `)
  })
})
