import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { PlanPictures, PlanReport } from '../../src/workshop.ts'
import { createWorld, planItem, runBoth, runColored } from './world.ts'

const approval = { buyer: 'ab'.repeat(16), at: '2026-01-01T00:00:00.000Z', priceVersion: 'v1', verdict: 'valid' } as const
const step = {
  ...{ id: 'hero#1', state: 'missing', sprites: ['hero', 'coin'], ids: ['hero#1'], hash: 'h' },
  ...{ quote: { credits: 10_000n, priceVersion: 'v1' }, request: { id: 'hero#1', operation: 'text_to_image', prompt: 'x' } },
} as never
const own = { name: 'ui', file: '/game/ui.sprite.json', reference: { kind: 'own', path: './ui/' }, animations: [{ frames: 4 }] } as never
const none: PlanReport = { items: [], own: [], steps: [], total: 0n, warnings: [] } as never
const vite = { '/game/vite.config.ts': "import spritewright from 'spritewright/vite'" }

const planning = (report: Partial<PlanReport>, more: object = {}) => ({
  workshop: { plan: async () => ({ ...none, ...report }), ...more },
})
/** The lines after the table and the blank line. */
const ending = (text: string): string => text.split('\n\n').at(-1)?.trimEnd() ?? ''

describe('plan', () => {
  test('shows good, busy and bad states, a price above its ceiling and a short balance in their colours', async () => {
    const items = [
      planItem('coin.spin', { state: 'bought' }),
      planItem('coin.idle', { state: 'lost' }),
      planItem('hero.walk', { state: 'approved', price: '2.4', ceiling: 24_000n, approval }),
      planItem('hero.run', { state: 'approved', price: '2.4', ceiling: 23_999n, approval }),
      planItem('hero.jump', { state: 'running' }),
      planItem('hero.fall', { state: 'uncertain', undecided: 'submission' }),
      planItem('hero.land', { state: 'failed', price: '1' }),
      planItem('hero.sit', { price: '1' }),
    ]
    const mirrored = [{ id: 'hero.left', of: 'hero.walk', credits: undefined }] as never
    const service = { host: 'api.example.com', keyMode: 'test' } as never
    const report = { items, steps: [step], own: [own], mirrored, total: 68_001n, balance: 68_000n, service }
    const { code, text, err } = await runColored(planning(report), 'plan', 'hero', 'coin')
    expect([code, err]).toEqual([0, ''])
    expect(text).toMatchInlineSnapshot(`
      "
        dim{animation}  dim{state}      dim{frames}  dim{price}  dim{ceiling}  dim{why}
        bold{hero#1}     yellow{missing}                1        –  dim{text_to_image for hero, coin}
        bold{coin.spin}  green{bought}         12
        bold{coin.idle}  yellow{lost}           12      –        –  dim{bought, not here; fetched again free of charge}
        bold{hero.walk}  cyan{approved}       12    2.4      2.4  dim{approved}
        bold{hero.run}   yellow{approved}       12    2.4   red{2.3999}  dim{approved; above its ceiling}
        bold{hero.jump}  cyan{running}        12      –        –  dim{the service works on it}
        bold{hero.fall}  red{uncertain}      12      –        –  dim{sent, and never answered}
        bold{hero.land}  red{failed}         12      1        –  dim{the last attempt failed (first purchase)}
        bold{hero.sit}   yellow{missing}        12      1        –  dim{first purchase}
        bold{ui}         green{own}             4                  dim{./ui/}

      4 of 8 animations and 1 step to buy: bold{6.8001 credits}dim{ (estimate, not binding)}
      1 mirror image costs nothing: hero.left (of hero.walk)
      Balance: red{6.8 credits}dim{ (test key at api.example.com)}
      red{The balance is 0.0001 credits short of the total.}
      yellow{hero.fall waits for you}: sent, and never answered
      Next: bold{npx spritewright recover hero.fall --replay}, which sends the same bytes again, or --abandon, which gives it up.
      "
    `)
    const enough = await runColored(planning({ ...report, total: 68_000n }), 'plan')
    expect(ending(enough.text)).toMatchInlineSnapshot(`
      "4 of 8 animations and 1 step to buy: bold{6.8 credits}dim{ (estimate, not binding)}
      1 mirror image costs nothing: hero.left (of hero.walk)
      Balance: 6.8 creditsdim{ (test key at api.example.com)}
      yellow{hero.fall waits for you}: sent, and never answered
      Next: bold{npx spritewright recover hero.fall --replay}, which sends the same bytes again, or --abandon, which gives it up."
    `)
  })

  const projects: readonly (readonly [string, object, Readonly<Record<string, string>>])[] = [
    ['no spec', {}, {}],
    ['own art alone', { own: [own] }, {}],
    ['own art alone, with the plugin', { own: [own] }, vite],
    ['bought art alone', { items: [planItem('a.b', { state: 'bought' })] }, {}],
    ['bought art alone, with the plugin', { items: [planItem('a.b', { state: 'bought' })] }, vite],
    ['a part to approve', { items: [planItem('a.b', { state: 'bought' }), planItem('a.c', { price: '1' })], total: 10_000n }, {}],
    ['a step to approve', { items: [planItem('a.b', { state: 'bought' })], steps: [step], total: 10_000n }, {}],
    ['an approval', { items: [planItem('a.b', { state: 'approved', price: '1' })], total: 10_000n }, {}],
    ['an approval, with the plugin', { items: [planItem('a.b', { state: 'approved' })] }, vite],
    ['work under way', { items: [planItem('a.b', { state: 'running' }), planItem('a.c', { state: 'lost' })] }, {}],
    ['an unknown outcome', { items: [planItem('a.b', { state: 'uncertain', undecided: 'submission' }), planItem('a.c')] }, {}],
    ['another checkout', { items: [planItem('a.b', { state: 'failed', undecided: 'conflict' })] }, {}],
    ['records of others', { items: [planItem('a.b', { state: 'uncertain', undecided: 'submission', isForeign: true })] }, {}],
    [
      'a question and an unknown outcome',
      {
        items: [
          planItem('a.b', { state: 'question', question: { questionId: 'q', text: 'Left?', requiresAsset: false } }),
          planItem('a.c', { state: 'uncertain', undecided: 'submission' }),
        ],
      },
      {},
    ],
    [
      'approvals of others',
      {
        items: [
          planItem('a.b', { state: 'approved', approval: { ...approval, verdict: 'other' } }),
          planItem('c.d', { state: 'approved', approval: { ...approval, verdict: 'other' } }),
          planItem('a.e', { state: 'approved', approval }),
        ],
      },
      {},
    ],
  ]

  test('leads from each kind of project to its next step, and to a push if a worker buys', async () => {
    const found: string[] = []
    for (const [what, report, files] of projects) {
      const [own, worker] = [false, true].map((asksWorker) => createWorld({ files, ...planning(report, { asksWorker }) }))
      for (const world of [own, worker]) expect(await world?.run('plan', 'a')).toBe(0)
      const texts = new Set([own, worker].map((world) => ending(world?.out() ?? '')))
      found.push([what, ...[...texts].join('\nif a worker buys:\n').split('\n')].join('\n  '))
    }
    expect(`\n${found.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      no spec
        No animations: no spec was found in "/game" (**/*.sprite.json).
        Next: npx spritewright init, which writes a first one.
      own art alone
        Nothing is to be bought. Next: npx spritewright build, which makes the atlases, free of charge.
      own art alone, with the plugin
        Nothing is to be bought. The Vite plugin makes the atlases, free of charge.
      bought art alone
        Everything is bought. Next: npx spritewright build, which makes the atlases, free of charge.
      bought art alone, with the plugin
        Everything is bought. The Vite plugin makes the atlases, free of charge.
      a part to approve
        1 of 2 animations to buy: 1 credit (estimate, not binding)
        Next: npx spritewright approve a, which asks first and takes these prices as ceilings.
      a step to approve
        Next: npx spritewright approve a, which asks first and takes these prices as ceilings.
      an approval
        1 of 1 animation to buy: 1 credit (estimate, not binding)
        Next: npx spritewright build, which buys approved animations and makes the atlases.
        if a worker buys:
        1 of 1 animation to buy: 1 credit (estimate, not binding)
        Next: commit specs, pictures and sprites.lock*, and push. Then: npx spritewright build, which orders the purchases from the worker and makes the atlases.
      an approval, with the plugin
        Next: npx spritewright build --buy-only, which buys approved animations. A running dev server buys them at once, and vite build does too. The Vite plugin makes the atlases.
        if a worker buys:
        Next: commit specs, pictures and sprites.lock*, and push. Then: npx spritewright build --buy-only, which orders the purchases from the worker. A running dev server orders them by itself. The Vite plugin makes the atlases.
      work under way
        Next: npx spritewright build, which buys approved animations and makes the atlases.
        if a worker buys:
        Next: commit specs, pictures and sprites.lock*, and push. Then: npx spritewright build, which orders the purchases from the worker and makes the atlases.
      an unknown outcome
        a.b waits for you: sent, and never answered
        Next: npx spritewright recover a.b --replay, which sends the same bytes again, or --abandon, which gives it up.
      another checkout
        a.b waits for you: the last attempt failed (first purchase)
        Next: pull sprites.lock* from the checkout that sent it. If there is none: npx spritewright recover a.b --replay, which sends the same bytes again, or --abandon, which gives it up.
      records of others
        a.b waits for you: sent, and never answered
        Next: npx spritewright recover a.b --abandon, which gives up the purchase that its records describe.
      a question and an unknown outcome
        a.b waits for you: asks: Left?
        a.c waits for you: sent, and never answered
        Next: npx spritewright answer a.b "…", which answers its question.
      approvals of others
        Next: npx spritewright approve a.b c.d --adopt, after making sure that it was not bought elsewhere.
      "
    `)
  })

  test('a failure of the service leaves the states, says why, and is the exit code', async () => {
    const failure = new SpritewrightError('SW_UNREACHABLE', { message: 'no route', facts: { host: 'api' } })
    const items = [planItem('hero.walk')]
    const { code, text, err, json } = await runBoth(planning({ items, failure }), 'plan')
    expect({ code, text, err }).toMatchInlineSnapshot(`
      {
        "code": 4,
        "err": "error SW_UNREACHABLE no route
      ",
        "text": "  animation  state    frames  price  ceiling  why
        hero.walk  missing      12      –        –  first purchase
      ",
      }
    `)
    expect(json).toMatchObject({ items: [{ id: 'hero.walk', state: 'missing' }], error: { code: 'SW_UNREACHABLE' } })
    const markdown = createWorld(planning({ items, failure }))
    expect(await markdown.run('plan', '--markdown')).toBe(code)
    expect([markdown.out(), markdown.err()]).toMatchInlineSnapshot(`
      [
        "### Sprites: 1 animation not bought, prices unknown

      | animation | state | frames | paid before | price | ceiling | why |
      |---|---|--:|--:|--:|--:|---|
      | hero.walk | missing | 12 | – | – | – | first purchase |

      0 animations bought. Prices are estimates and not binding.

      Approve with \`npx spritewright approve\`.
      ",
        "error SW_UNREACHABLE no route
      ",
      ]
    `)
  })
})

describe('plan --markdown', () => {
  const file = (name: string, byte: number) => ({ file: name, bytes: new Uint8Array([byte]) })
  const pictures: PlanPictures[] = [
    { id: 'hero.walk', change: { ...file('w.webp', 65), shows: ['before', 'after', 'onion'] }, reference: file('r.png', 66) },
    { id: 'hero.run', change: { ...file('n.webp', 67), shows: [] } },
  ]
  const items = [planItem('hero.walk', { price: '2.4' }), planItem('coin.spin', { state: 'bought' })]

  test('writes the pictures of each change and links them by the address that readers have', async () => {
    const asked: unknown[] = []
    const planPictures = async (names: readonly string[]) => {
      asked.push(names)
      return pictures
    }
    const world = createWorld(planning({ items, total: 24_000n }, { planPictures }))
    const argv = ['plan', 'hero', '--markdown', '--pictures', 'shown', '--pictures-url', 'https://x/y//', '--root', '/game']
    expect(await world.run(...argv)).toBe(0)
    expect(asked).toEqual([['hero']])
    const written = [...world.files].flatMap(([path, bytes]) => (path.includes('/shown/') ? [[path, new TextDecoder().decode(bytes)]] : []))
    expect(written).toEqual([
      ['/game/shown/w.webp', 'A'],
      ['/game/shown/r.png', 'B'],
      ['/game/shown/n.webp', 'C'],
    ])
    expect(world.out()).toMatchInlineSnapshot(`
      "### Sprites: 1 animation not bought, 2.4 credits

      | animation | state | frames | paid before | price | ceiling | why |
      |---|---|--:|--:|--:|--:|---|
      | hero.walk | missing | 12 | – | 2.4 | – | first purchase |

      1 animation bought. Prices are estimates and not binding.

      Approve with \`npx spritewright approve hero --root /game\`.

      | animation | change | made from |
      |---|---|---|
      | hero.walk | <img src="https://x/y/w.webp" alt="" height="160"><br>before · after · onion | <img src="https://x/y/r.png" alt="" height="160"> |
      | hero.run | <img src="https://x/y/n.webp" alt="" height="160"> | – |
      "
    `)
  })

  test('of nothing to buy says so, with the pictures; of no animation, in one line', async () => {
    const all = createWorld(planning({ items: items.slice(1) }, { planPictures: async () => pictures.slice(1) }))
    expect(await all.run('plan', '--markdown', '--pictures', 'shown')).toBe(0)
    const empty = createWorld(planning({}))
    expect(await empty.run('plan', '--markdown')).toBe(0)
    expect([all.out(), empty.out(), [...empty.files.keys()]]).toMatchInlineSnapshot(`
      [
        "### Sprites: nothing to buy

      All 1 animation bought.

      | animation | change | made from |
      |---|---|---|
      | hero.run | <img src="shown/n.webp" alt="" height="160"> | – |
      ",
        "### Sprites: nothing to buy
      ",
        [
          "/game/package.json",
        ],
      ]
    `)
  })
})
