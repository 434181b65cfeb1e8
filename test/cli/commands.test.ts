import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { SpritewrightError } from '../../src/errors.ts'
import type { BuiltSheets } from '../../src/sheets/sheet.ts'
import type {
  AnimationQuality,
  ApproveRequest,
  BuildRequest,
  LedgerLine,
  LedgerReport,
  PlanItem,
  PlanReport,
  Workshop,
} from '../../src/workshop.ts'
import { createWorld, planItem } from './world.ts'

const priced: PlanReport = {
  own: [],
  steps: [],
  items: [
    planItem('coin.spin', { state: 'bought', result: 'ab' }),
    planItem('hero.idle', { price: '1.6', state: 'approved', ceiling: parseCredits('1.6') }),
    planItem('hero.walk', { price: '2.4', changed: ['prompt', 'frames'] }),
  ],
  total: parseCredits('4'),
  balance: parseCredits('20'),
  service: { host: 'api.example.com', keyMode: 'test' },
  warnings: ['another API version'],
}

const none: BuiltSheets = { sprites: [], atlases: [] }
const sheets = {
  sprites: [{ name: 'hero', atlas: 'sprites', width: 128, height: 128, isPlaceholder: false, animations: ['idle', 'walk'] }],
  atlases: [
    {
      name: 'sprites',
      scale: 1,
      pixelArt: false,
      pages: [{ sha256: 'ab', bytes: new Uint8Array(7), width: 512, height: 256, contentType: 'image/png', extension: 'png' }],
      frames: new Array(24).fill({}),
      animations: [{ name: 'hero/idle' }, { name: 'hero/walk' }],
    },
  ],
} as unknown as BuiltSheets

describe('new', () => {
  const asked: object[] = []
  const workshop: Partial<Workshop> = {
    createSprite: async (request) => {
      asked.push(request)
      return { file: '/game/sprites/fox.sprite.json', picture: '/game/sprites/fox.png' }
    },
  }
  const files = { '/game/drawn/fox.png': 'pixels' }

  test('hands name, prompt and picture on, and says what comes next', async () => {
    const world = createWorld({ workshop, files })
    expect(await world.run('new', 'fox', 'drawn/fox.png', '--prompt', 'a red fox')).toBe(0)
    expect(asked.splice(0)).toEqual([{ name: 'fox', prompt: 'a red fox', picture: new TextEncoder().encode('pixels') }])
    expect(world.out()).toContain('✓ sprites/fox.sprite.json\n  ✓ sprites/fox.png\n')
    expect(world.out()).toContain('Next: npx spritewright plan fox')
  })

  test('asks for the prompt at a terminal; without an answer nothing is written', async () => {
    const typed = createWorld({ workshop, files, canAsk: true, typed: 'a grey fox' })
    expect(await typed.run('new', 'fox', 'drawn/fox.png')).toBe(0)
    expect(asked.splice(0)).toMatchObject([{ prompt: 'a grey fox' }])
    const silent = createWorld({ workshop, files, canAsk: true, typed: '' })
    expect(await silent.run('new', 'fox', 'drawn/fox.png')).toBe(2)
    const left = createWorld({ workshop, files, canAsk: true })
    expect(await left.run('new', 'fox', 'drawn/fox.png')).toBe(130)
    expect(left.err()).toContain('Interrupted. Nothing was written.')
    expect(asked).toEqual([])
  })

  test.each([[['fox']], [['fox', 'drawn/no.png', '--prompt', 'x']], [['fox', 'drawn', '--prompt', 'x']], [['a', 'b', 'c']]])(
    '%j is wrong usage',
    async (args) => {
      const world = createWorld({ workshop, files })
      expect(await world.run('new', ...args)).toBe(2)
      expect(asked).toEqual([])
    },
  )
})

describe('import', () => {
  const files = {
    '/game/ui.ftpp': '{ "images": [{ "path": "logo.png" }], "packOptions": { "width": 512, "height": 512, "filter": "mask" } }',
    '/game/logo.png': 'no picture',
  }

  test('writes specs, and prints the line for the configuration and what is left', async () => {
    const world = createWorld({ files })
    expect(await world.run('import', 'ui.ftpp')).toBe(0)
    expect(JSON.parse(world.text('/game/logo.sprite.json'))).toEqual({ source: './logo.png', padding: 0, extrude: 0, atlas: 'ui' })
    const [written, config, title, ...left] = world.out().split('\n')
    expect([written, config, title]).toEqual(['  ✓ logo.sprite.json', 'For the configuration: atlas: {"maxSize":512}', 'Left to you:'])
    expect(left[0]).toBe('  packOptions.filter mask: has no equal here.')
    expect(left[1]).toMatch(/^ {2}logo\.png: Expected a PNG/)
  })

  test('prints the specs with --dry-run, and writes nothing', async () => {
    const world = createWorld({ files })
    expect(await world.run('import', 'ui.ftpp', '--dry-run')).toBe(0)
    expect(world.out()).toContain('  logo.sprite.json\n    {\n      "source": "./logo.png",\n')
    expect(world.files.has('/game/logo.sprite.json')).toBe(false)
  })

  test('without a file is refused', async () => {
    const world = createWorld()
    expect(await world.run('import')).toBe(2)
    expect(world.err()).toContain('Expected a .tps, a .ftpp or a folder of AssetPack')
  })
})

describe('a wait for the limits of the service', () => {
  test.each([
    ['is told without a terminal', {}, [], 'Waiting: 10 requests.\n'],
    ['is not told with --quiet', {}, ['--quiet'], ''],
    ['is told on a terminal', { isInteractive: true }, [], 'Waiting: 10 requests.\n'],
  ])('%s', async (_, init, args, told) => {
    const workshop: Partial<Workshop> = {
      plan: async () => {
        world.opened[0]?.onWait?.('Waiting: 10 requests.')
        return { ...priced, warnings: [] }
      },
    }
    const world = createWorld({ ...init, workshop })
    await world.run('plan', ...args)
    expect(world.err()).toBe(told)
  })
})

describe('plan', () => {
  test('prints an aligned table, the total, the balance and the command that goes on', async () => {
    const world = createWorld({ workshop: { plan: async () => priced } })
    expect(await world.run('plan')).toBe(0)
    expect(world.out()).toBe(
      [
        '  animation  state     frames  price  ceiling  why',
        '  coin.spin  bought        12',
        '  hero.idle  approved      12    1.6      1.6  first purchase',
        '  hero.walk  missing       12    2.4        –  prompt, frames changed',
        '',
        '2 of 3 animations to buy: 4 credits (estimate, not binding)',
        'Balance: 20 credits (test key at api.example.com)',
        'Next: npx spritewright approve, which asks first and takes these prices as ceilings.',
        '',
      ].join('\n'),
    )
    expect(world.err()).toBe('warning another API version\n')
    expect(world.opened).toMatchObject([{ root: '/game' }])
    expect(world.closed).toBe(1)
  })

  test('with --json it prints one document, with amounts as decimal texts', async () => {
    const world = createWorld({ workshop: { plan: async () => priced } })
    expect(await world.run('plan', '--json')).toBe(0)
    expect(world.json()).toMatchObject({
      own: [],
      steps: [],
      items: [
        { id: 'coin.spin', sprite: 'coin', animation: 'spin', state: 'bought' },
        { id: 'hero.idle', quote: { credits: '1.6', priceVersion: 'v1' }, ceiling: '1.6' },
        { id: 'hero.walk', changed: ['prompt', 'frames'] },
      ],
      total: '4',
      balance: '20',
      service: { host: 'api.example.com', keyMode: 'test' },
      warnings: ['another API version'],
    })
    expect(world.err()).toBe('')
  })

  test('a price above its ceiling needs a new approval, and a low balance is said', async () => {
    const approval = { buyer: 'ab'.repeat(16), at: '2026-01-01T00:00:00.000Z', priceVersion: 'v1', verdict: 'valid' } as const
    const item = planItem('hero.walk', { price: '2.4', state: 'approved', ceiling: parseCredits('2'), approval })
    const world = createWorld({
      workshop: { plan: async () => ({ items: [item], own: [], steps: [], total: 24_000n, balance: 10_000n, warnings: [] }) },
    })
    await world.run('plan', 'hero')
    expect(world.out()).toContain('above its ceiling')
    expect(world.out()).toContain('1.4 credits short')
    expect(world.out()).toContain('Next: npx spritewright approve hero,')
  })

  test('a price of another version needs a new approval, although it is within the ceiling', async () => {
    const approval = { buyer: 'ab'.repeat(16), at: '2026-01-01T00:00:00.000Z', priceVersion: 'v0', verdict: 'valid' } as const
    const item = planItem('hero.walk', { price: '2.4', state: 'approved', ceiling: parseCredits('2.4'), approval })
    const world = createWorld({ workshop: { plan: async () => ({ items: [item], own: [], steps: [], total: 24_000n, warnings: [] }) } })
    await world.run('plan')
    expect(world.out()).toContain('approved; the service has changed its prices since')
    expect(world.out()).toContain('Next: npx spritewright approve,')
  })

  test('after a failure it names the approval that the next build needs, and sends nobody to a build', async () => {
    const plan = async (more: Partial<PlanItem>): Promise<string> => {
      const item = planItem('hero.walk', { price: '2.4', state: 'failed', ceiling: parseCredits('2.4'), ...more })
      const world = createWorld({ workshop: { plan: async () => ({ items: [item], own: [], steps: [], total: 24_000n, warnings: [] }) } })
      await world.run('plan')
      return world.out()
    }
    expect(await plan({})).toContain('Next: npx spritewright approve,')
    const conflict = await plan({ undecided: 'conflict', note: 'another checkout sent it' })
    expect(conflict).toContain('hero.walk waits for you: another checkout sent it')
    expect(conflict).toContain('pull sprites.lock*')
    expect(conflict).toContain('npx spritewright recover hero.walk --replay')
    expect(conflict).not.toContain('spritewright build')
    const foreign = await plan({ state: 'uncertain', undecided: 'submission', isForeign: true })
    expect(foreign).toContain('Next: npx spritewright recover hero.walk --abandon')
    expect(foreign).not.toContain('--replay')
  })

  test('where everything is bought it says so and names the build', async () => {
    const world = createWorld({
      workshop: { plan: async () => ({ items: priced.items.slice(0, 1), own: [], steps: [], total: 0n, warnings: [] }) },
    })
    await world.run('plan')
    expect(world.out()).toContain('Everything is bought. Next: npx spritewright build')
    expect(world.out()).not.toContain('Balance')
  })

  test('a project without specs is led to init', async () => {
    const world = createWorld({ workshop: { plan: async () => ({ items: [], own: [], steps: [], total: 0n, warnings: [] }) } })
    expect(await world.run('plan')).toBe(0)
    expect(world.out()).toContain('no spec was found in "/game" (**/*.sprite.json).')
    expect(world.out()).toContain('npx spritewright init')
  })

  test('--quiet leaves the result and takes the advice away', async () => {
    const world = createWorld({ workshop: { plan: async () => priced } })
    await world.run('plan', '--quiet')
    expect(world.out()).toContain('hero.walk')
    expect(world.out()).not.toContain('Next:')
  })

  test('as Markdown a text of the service makes no markup, no mention and no column', async () => {
    const question = { questionId: 'q', text: '@all <img src=x> | [a](b)', requiresAsset: false }
    const items = [...priced.items, planItem('hero.jump', { state: 'question', question })]
    const world = createWorld({ workshop: { plan: async () => ({ ...priced, items }) } })
    expect(await world.run('plan', '--markdown')).toBe(0)
    expect(world.out()).toContain('### Sprites: 3 animations not bought, 4 credits')
    expect(world.out()).toContain('| hero.walk | missing | 12 | – | 2.4 | – | prompt, frames changed |')
    expect(world.out()).toContain('asks: &#64;all &#60;img src=x&#62; &#124; &#91;a&#93;&#40;b&#41;')
    expect(world.out()).toContain('`npx spritewright approve`')
  })

  test('as Markdown a bought result that is not here is not counted as unbought, and replaces nothing', async () => {
    const superseded = { sha256: 'a'.repeat(64), frames: 8, credits: 16_000n }
    const items = [planItem('hero.walk', { state: 'lost', superseded, note: 'elsewhere' }), planItem('hero.idle')]
    const steps = [
      { id: 'hero#1', state: 'missing', sprites: ['hero'], request: { id: 'hero#1', operation: 'text_to_image', prompt: 'x' } },
    ] as never
    const world = createWorld({ workshop: { plan: async () => ({ ...priced, items, steps, total: 24_000n }) } })
    await world.run('plan', '--markdown')
    expect(world.out()).toContain('### Sprites: 1 animation not bought, 2.4 credits')
    expect(world.out()).toContain('0 animations bought, 1 more whose results are not here.')
    expect(world.out()).toContain('bought, not here; elsewhere |')
    expect(world.out()).not.toContain('They replace')
    expect(world.out()).toContain('| `hero#1` |')
  })

  test('as Markdown a changed animation shows what it cost before, and what its change adds', async () => {
    const items = [planItem('hero.walk', { state: 'missing', superseded: { sha256: 'a'.repeat(64), frames: 8, credits: 16_000n } })]
    const world = createWorld({ workshop: { plan: async () => ({ ...priced, items, total: 24_000n }) } })
    await world.run('plan', '--markdown')
    expect(world.out()).toMatch(/\| hero\.walk \| missing \| 12 \| 1\.6 \|/)
    expect(world.out()).toContain('They replace purchases of 1.6 credits, which stay paid: 2.4 credits are added.')
  })

  test('--pictures writes the moving change and what the new one is made from, and links both', async () => {
    const file = (name: string) => ({ file: name, bytes: new TextEncoder().encode(name) })
    const pictures = [
      { id: 'hero.walk', change: { ...file('hero.walk.webp'), shows: ['before'] as const }, reference: file('hero.walk.reference.webp') },
      { id: 'hero.jump', reference: file('hero.jump.reference.png') },
    ]
    const world = createWorld({ workshop: { plan: async () => priced, planPictures: async () => pictures } })
    expect(await world.run('plan', '--markdown', '--pictures', 'shown', '--pictures-url', 'https://pictures.example/42/')).toBe(0)
    expect(world.out()).toContain(
      '| hero.walk | <img src="https://pictures.example/42/hero.walk.webp" alt="" height="160"><br>before | <img src="https://pictures.example/42/hero.walk.reference.webp" alt="" height="160"> |',
    )
    expect(world.out()).toContain('| hero.jump | – | <img src="https://pictures.example/42/hero.jump.reference.png" alt="" height="160"> |')
    expect(world.text('/game/shown/hero.walk.webp')).toBe('hero.walk.webp')
    expect(await world.run('plan', '--markdown', '--pictures', 'shown')).toBe(0)
    expect(world.out()).toContain('<img src="shown/hero.jump.reference.png" alt="" height="160">')
  })

  test('--pictures shows a bought change below the words that nothing is to buy', async () => {
    const change = { file: 'hero.walk.webp', bytes: new Uint8Array(1), shows: ['before', 'after', 'onion'] as const }
    const items = [planItem('hero.walk', { state: 'bought' })]
    const workshop = { plan: async () => ({ ...priced, items }), planPictures: async () => [{ id: 'hero.walk', change }] }
    const world = createWorld({ workshop })
    expect(await world.run('plan', '--markdown', '--pictures', 'shown')).toBe(0)
    expect(world.out()).toMatch(/nothing to buy\n\nAll 1 animation bought\.\n\n\| animation \|/)
    expect(world.out()).toContain('height="160"><br>before · after · onion | – |')
  })

  test.each([
    ['--markdown and --json together', ['--markdown', '--json']],
    ['--pictures without --markdown', ['--pictures', 'shown']],
    ['--pictures-url without --pictures', ['--markdown', '--pictures-url', 'https://pictures.example']],
    ['an address that would end its link', ['--markdown', '--pictures', 'shown', '--pictures-url', 'https://a.example/">']],
  ])('%s are wrong usage', async (_name, options) => {
    expect(await createWorld().run('plan', ...options)).toBe(2)
  })
})

describe('approve --standing', () => {
  test.each([
    [
      { perSprite: 20_000n, total: 500_000n },
      'Builds may buy, without asking, every sprite that costs up to 2 credits: any number of sprites in a run, at most 50 credits in all.',
    ],
    [{ total: 500_000n }, 'Builds may buy nothing without an approval of its own. What you approve may cost at most 50 credits in all.'],
    [{}, 'Builds may buy nothing without an approval of its own. What you approve has no limit in all.'],
  ])('says what %o allow, and which accepted total they replace', async (ceilings, words) => {
    const offer = { ceilings, acceptedTotal: 10_000n, service: { host: 'api.example', keyMode: 'test' }, missing: [], total: 0n } as const
    const world = createWorld({
      canAsk: true,
      answer: true,
      workshop: { acceptStanding: async ({ confirm }) => ({ offer, confirmed: await confirm(offer) }) },
    })
    expect(await world.run('approve', '--standing')).toBe(0)
    expect(world.out()).toContain(`${words}\nThis replaces the total that you accepted before: 1 credit.\n`)
    expect(world.questions).toEqual(['Accept these standing ceilings?'])
  })

  test.each([
    [['typed', 'clicked'] as const, true, ['Accept these standing ceilings?'], 0],
    [undefined, false, [], 2],
    [['touched'] as const, false, [], 0],
  ])('asks even with --yes whether more ways of giving count: %o', async (accept, canAsk, questions, exit) => {
    const where = { ceilings: {}, service: { host: 'api.example', keyMode: 'test' }, missing: [], total: 0n } as const
    const offer = { ...where, accept, acceptedWays: ['touched'] as const }
    const world = createWorld({
      canAsk,
      answer: true,
      workshop: { acceptStanding: async ({ confirm }) => ({ offer, confirmed: await confirm(offer) }) },
    })
    expect(await world.run('approve', '--standing', '--yes')).toBe(exit)
    expect(world.questions).toEqual(questions)
    expect(world.out()).toContain('This replaces the ways that count here so far: touched.')
  })
})

describe('approve', () => {
  const lines = [
    {
      id: 'hero.idle',
      operation: 'sprite_sheet' as const,
      hash: '1'.repeat(64),
      prompt: 'a knight\nidles',
      quote: 16_000n,
      ceiling: 16_000n,
    },
    {
      id: 'hero.walk',
      operation: 'sprite_sheet' as const,
      hash: '2'.repeat(64),
      prompt: 'a knight\nwalks',
      quote: 24_000n,
      ceiling: 30_000n,
    },
  ]
  function approving(init: Parameters<typeof createWorld>[0]) {
    const requests: ApproveRequest[] = []
    const world = createWorld({
      ...init,
      workshop: {
        approve: async (request) => {
          requests.push(request)
          const confirmed = await request.confirm(lines, 200_000n)
          return {
            approved: confirmed ? lines : [],
            untouched: ['coin.spin', 'hero.run', 'hero#1', 'hero.jump'],
            others: ['hero.run', 'hero#1'],
            undecided: ['hero.jump'],
            confirmed,
          }
        },
      },
    })
    return { world, requests }
  }

  test('on a terminal it says in a plain sentence what may be spent, and asks', async () => {
    const { world, requests } = approving({ canAsk: true, answer: true })
    expect(await world.run('approve', 'hero', '--max', '3', '--total=10')).toBe(6)
    expect(world.questions).toEqual(['A build may hold and spend up to 4.6 credits for 2 animations, each bought once. Approve?'])
    expect(world.out()).toMatch(/^ {2}hero\.walk {4}2\.4 {8}3 {2}a knight · walks$/m)
    expect(world.out()).toContain('✓ Approved 2 animations, at most 4.6 credits.')
    expect(world.out()).toContain('Bought or approved before: coin.spin\n')
    expect(world.out()).toContain('npx spritewright approve hero.run hero --adopt')
    expect(world.out()).toContain('because each waits for a decision first: hero.jump.')
    expect(world.out()).toContain('npx spritewright recover hero.jump --replay, or --abandon')
    expect(world.out()).not.toContain('Next:')
    expect(requests[0]).toMatchObject({ names: ['hero'], max: 30_000n, total: 100_000n, adopt: false })
  })

  test('a no approves nothing and ends with 3', async () => {
    const { world } = approving({ canAsk: true, answer: false })
    expect(await world.run('approve')).toBe(3)
    expect(world.out()).toContain('Nothing was approved.')
  })

  test('Ctrl-C at the question approves nothing and ends with 130', async () => {
    const { world } = approving({ canAsk: true, answer: undefined })
    expect(await world.run('approve', '--json')).toBe(130)
    expect(world.json()).toMatchObject({ error: { code: 'SW_INTERRUPTED' } })
    expect(world.closed).toBe(1)
  })

  test('without a terminal it needs --yes, unless nothing needs an approval', async () => {
    const { world, requests } = approving({ canAsk: false })
    expect(await world.run('approve')).toBe(2)
    expect(world.err()).toContain('--yes')
    expect(await world.run('approve', '--yes', '--adopt')).toBe(6)
    expect(requests[1]).toMatchObject({ adopt: true })
    const settled = { approved: [], untouched: ['coin.spin'], others: [], undecided: [], confirmed: true }
    const due = createWorld({ canAsk: false, workshop: { approve: async () => settled } })
    expect(await due.run('approve')).toBe(0)
    expect(due.out()).toContain('Nothing needs an approval.')
    expect(world.questions).toEqual([])
    expect(world.out()).toContain('up to 4.6 credits')
  })

  test('with --json one document tells what was approved', async () => {
    const { world } = approving({ canAsk: false })
    expect(await world.run('approve', '--yes', '--json')).toBe(6)
    expect(world.json()).toEqual({
      approved: [
        { id: 'hero.idle', operation: 'sprite_sheet', hash: '1'.repeat(64), prompt: 'a knight\nidles', quote: '1.6', ceiling: '1.6' },
        { id: 'hero.walk', operation: 'sprite_sheet', hash: '2'.repeat(64), prompt: 'a knight\nwalks', quote: '2.4', ceiling: '3' },
      ],
      untouched: ['coin.spin', 'hero.run', 'hero#1', 'hero.jump'],
      others: ['hero.run', 'hero#1'],
      undecided: ['hero.jump'],
      confirmed: true,
      total: '4.6',
    })
  })

  const idle = lines.slice(0, 1)
  test.each([
    ['approved', { approved: idle }, 0, true],
    ['bought or approved before', { untouched: ['hero.idle'] }, 0, true],
    ['approved by somebody else', { untouched: ['hero.idle'], others: ['hero.idle'] }, 3, false],
    ['approved by somebody else in part', { approved: idle, untouched: ['hero.walk'], others: ['hero.walk'] }, 3, false],
    ['undecided', { untouched: ['hero.idle'], undecided: ['hero.idle'] }, 6, false],
    ['undecided in part', { approved: idle, untouched: ['hero.walk'], undecided: ['hero.walk'] }, 6, true],
  ])('what is %s ends with the exit code of the build that would follow', async (_what, report, code, isBuildNext) => {
    const approve = async () => ({ approved: [], untouched: [], others: [], undecided: [], ...report, confirmed: true })
    const world = createWorld({ workshop: { approve } })
    expect(await world.run('approve', '--yes')).toBe(code)
    expect(world.out().includes('Next: npx spritewright build,')).toBe(isBuildNext)
  })
})

describe('with the Vite plugin', () => {
  const files = { '/game/vite.config.ts': "import spritewright from 'spritewright/vite'" }
  const bought = { items: priced.items.slice(0, 1), own: [], steps: [], total: 0n, warnings: [] }
  const approved = { ...priced, items: priced.items.slice(0, 2) }

  test.each([
    ['approve', { approve: async () => ({ approved: [], untouched: [], others: [], undecided: [], confirmed: true }) }],
    ['plan', { plan: async () => approved }],
    ['status', { status: async () => approved }],
  ])('%s leads to a build that writes no second copy of the atlases', async (verb, workshop) => {
    const world = createWorld({ files, workshop })
    expect(await world.run(verb, ...(verb === 'approve' ? ['--yes'] : []))).toBe(0)
    expect(world.out()).toContain(
      'Next: npx spritewright build --buy-only, which buys approved animations. A running dev server buys them at once',
    )
  })

  test('plan leads to no build after everything is bought', async () => {
    const world = createWorld({ files, workshop: { plan: async () => bought } })
    expect(await world.run('plan')).toBe(0)
    expect(world.out()).toContain('Everything is bought. The Vite plugin makes the atlases, free of charge.')
    expect(world.out()).not.toContain('Next:')
  })
})

describe('recover', () => {
  test.each([
    [100_000n, 'now: 10 credits.'],
    [undefined, 'now: the service could not be asked.'],
  ])('--abandon tells of the decision, and of the balance where it can be had: %s', async (balance, words) => {
    const decided = [{ id: 'hero.walk', about: 'submission' as const, ceiling: 24_000n, balanceBefore: 124_000n }]
    const world = createWorld({
      workshop: { recover: async () => ({ decided, bought: [], ...(balance === undefined ? {} : { balance }) }) },
    })
    expect(await world.run('recover', 'hero.walk', '--abandon')).toBe(0)
    expect(world.out()).toContain('hero.walk: given up. Its ceiling of 2.4 credits stays counted as spent.')
    expect(world.out()).toContain(`Balance before it was first sent: 12.4 credits; ${words}`)
  })
})

describe('build', () => {
  const written = ['manifest.json', 'pack.json', 'phaser-pct/pack.json', 'sprites.json', 'sprites.png']
  function building(build: (request: BuildRequest) => Promise<unknown>, init: Parameters<typeof createWorld>[0] = {}) {
    const folders: string[] = []
    const world = createWorld({
      ...init,
      workshop: {
        options: { root: '/game', specs: ['art/*.sprite.json'], notes: ['Phaser takes the PNGs.'] } as unknown as Workshop['options'],
        build: async (request = {}) => ({
          sheets,
          bought: [],
          fetched: [],
          fromVault: 0,
          failures: [],
          warnings: [],
          ...((await build(request)) as object),
        }),
        write: async (_sheets, folder) => {
          folders.push(folder)
          return written
        },
      },
    })
    return { world, folders }
  }

  test('tells what was bought, what the atlases are and where they went', async () => {
    const { world, folders } = building(async () => ({ bought: [{ id: 'hero.walk', credits: 24_000n }], fromVault: 1 }))
    expect(await world.run('build')).toBe(0)
    expect(folders).toEqual(['/game/public/sprites'])
    expect(world.out()).toBe(
      [
        '✓ Bought hero.walk for 2.4 credits',
        '1 bought before: nothing paid',
        '',
        '  atlas    scale  pages    frames  animations',
        '  sprites     1×  512×256      24           2',
        '',
        'Phaser takes the PNGs.',
        '✓ 5 files in public/sprites',
        'Load public/sprites/manifest.json (PixiJS) or public/sprites/pack.json (Phaser) in the game.',
        '',
      ].join('\n'),
    )
  })

  test.each([
    ['in the default folder, it warns of the second copy and names no file to load', [], true],
    ['in a folder of its own, it names the files', ['--out', 'static'], false],
  ])('in a project with the Vite plugin, %s', async (_what, args, isSecond) => {
    const files = { '/game/vite/config.dev.mjs': 'import spritewright from "spritewright/vite"' }
    const { world } = building(async () => ({}), { files })
    expect(await world.run('build', ...args)).toBe(0)
    expect(world.err().includes('The Vite plugin makes the atlases of this project.')).toBe(isSecond)
    expect(world.out().includes('in the game.')).toBe(!isSecond)
  })

  test('shows the balance before and after as evidence, also with --json', async () => {
    const said = { least: 24_000n, most: 24_000n }
    const words = 'balance 100 → 97.6: 2.4 charged, as the ledger says'
    const balance = { before: 1_000_000n, after: 976_000n, said, isExplained: true, words }
    const { world } = building(async () => ({ bought: [{ id: 'hero.walk', credits: 24_000n }], balance }))
    expect(await world.run('build')).toBe(0)
    expect(world.out()).toContain(`✓ Bought hero.walk for 2.4 credits\n  ${words}\n`)
    const { world: scripted } = building(async () => ({ bought: [], balance }))
    await scripted.run('build', '--json')
    expect(scripted.json()).toMatchObject({
      balance: { before: '100', after: '97.6', said: { least: '2.4', most: '2.4' }, isExplained: true },
    })
  })

  test('with --json one document tells the same', async () => {
    const { world } = building(async () => ({ bought: [{ id: 'hero.walk', credits: 24_000n }] }))
    expect(await world.run('build', '--json', '--out', 'static')).toBe(0)
    expect(world.json()).toMatchObject({
      bought: [{ id: 'hero.walk', credits: '2.4' }],
      spent: '2.4',
      out: '/game/static',
      written,
      sprites: [{ name: 'hero', isPlaceholder: false }],
      atlases: [{ name: 'sprites', frames: 24, pages: [{ width: 512, bytes: 7 }] }],
    })
  })

  test('--frozen, --buy-only and names reach the workshop; --buy-only writes nothing', async () => {
    const requests: BuildRequest[] = []
    const { world, folders } = building(async (request) => {
      requests.push(request)
      return { sheets: none }
    })
    await world.run('build', 'hero.walk', '--frozen', '--buy-only')
    expect(requests[0]).toMatchObject({ names: ['hero.walk'], frozen: true, buyOnly: true })
    expect(folders).toEqual([])
    expect(await world.run('build', '--buy-only', '--out', 'x')).toBe(2)
  })

  test('a purchase that left the build going is told after the written files, with its exit code', async () => {
    const failures = [new SpritewrightError('SW_QUESTION', { message: 'hero.walk asks: which hand?' })]
    const { world, folders } = building(async () => ({ failures }))
    expect(await world.run('build')).toBe(5)
    expect(folders).toEqual(['/game/public/sprites'])
    expect(world.out()).toContain('5 files in public/sprites')
    expect(world.err()).toContain('error SW_QUESTION hero.walk asks: which hand?')
    const { world: scripted } = building(async () => ({ failures }))
    expect(await scripted.run('build', '--json')).toBe(5)
    expect(scripted.json()).toMatchObject({ written, errors: [{ code: 'SW_QUESTION', message: 'hero.walk asks: which hand?' }] })
  })

  test('with --json no progress is shown, on stderr neither', async () => {
    const { world } = building(async ({ onProgress }) => {
      onProgress?.({ id: 'hero.walk', phase: 'queued', held: 24_000n })
      onProgress?.({ id: 'hero.walk', phase: 'running', progress: 0.2 })
      onProgress?.({ id: 'hero.walk', phase: 'running', progress: 0.8 })
      onProgress?.({ id: 'hero.walk', phase: 'bought', held: 0n, settled: 24_000n })
      return {}
    })
    await world.run('build', '--json')
    expect(world.err()).toBe('')
    expect(world.json()).toHaveProperty('written')
  })

  test('a wait is told on a terminal, above progress that is erased before and drawn again after it', async () => {
    const { world } = building(
      async ({ onProgress }) => {
        onProgress?.({ id: 'hero.walk', phase: 'running' })
        world.opened[0]?.onWait?.('Waiting: 10 requests.')
        onProgress?.({ id: 'hero.walk', phase: 'bought' })
        return {}
      },
      { isInteractive: true },
    )
    await world.run('build')
    const [above = '', below = ''] = world.err().split('Waiting: 10 requests.\n')
    expect([above.includes('hero.walk'), above.endsWith('\x1b[0J'), below.includes('hero.walk')]).toEqual([true, true, true])
  })

  test('--quiet shows no progress', async () => {
    const { world } = building(
      async ({ onProgress }) => {
        onProgress?.({ id: 'hero.walk', phase: 'running' })
        return {}
      },
      { isInteractive: true },
    )
    await world.run('build', '--quiet')
    expect(world.err()).toBe('')
  })

  test('Ctrl-C says at once that paid work goes on, and ends with 130', async () => {
    const { world, folders } = building(async ({ onProgress, signal }) => {
      onProgress?.({ id: 'hero.walk', phase: 'running', held: 24_000n })
      world.interrupt.abort(new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted.' }))
      onProgress?.({ id: 'hero.walk', phase: 'failed', message: 'Interrupted.' })
      expect(world.err()).toContain('Stopping. 2.4 credits held. Paid work goes on at the service')
      throw signal?.reason
    })
    expect(await world.run('build')).toBe(130)
    expect(world.err()).toContain('Ctrl-C again ends the command at once.')
    expect(world.err()).not.toContain('failed')
    expect(world.err()).toMatch(/\nstopped Interrupted\. Paid work goes on .* picks it up/)
    expect(folders).toEqual([])
    expect(world.closed).toBe(1)
  })

  test('an abort that surfaces as the abort of a request is an interruption, too', async () => {
    const { world } = building(async () => {
      world.interrupt.abort()
      throw new DOMException('This operation was aborted', 'AbortError')
    })
    expect(await world.run('build', '--json')).toBe(130)
    expect(world.json()).toMatchObject({ error: { code: 'SW_INTERRUPTED' } })
  })

  test('a failure beside the interruption keeps its own exit code', async () => {
    const { world } = building(async ({ signal }) => {
      world.interrupt.abort(new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted.' }))
      throw new AggregateError([signal?.reason, new SpritewrightError('SW_QUESTION', { message: 'asks' })])
    })
    expect(await world.run('build')).toBe(5)
  })

  test('without a spec it says so, and does not speak of written files', async () => {
    const { world } = building(async () => ({ sheets: { ...sheets, sprites: [], atlases: [] } }))
    expect(await world.run('build')).toBe(0)
    expect(world.out()).toContain('no spec was found in "/game" (art/*.sprite.json).')
    expect(world.out()).not.toContain('public/sprites')
  })

  test('nothing is written into a folder that has nothing to do with sprites (kind: other folders)', async () => {
    const empty = async (): Promise<object> => ({ sheets: none })
    const unrelated = building(empty)
    expect(await unrelated.world.run('build')).toBe(0)
    expect(unrelated.folders).toEqual([])
    const bought = building(empty)
    expect(await bought.world.run('build', '--buy-only')).toBe(0)
    expect(bought.world.out()).toContain('no spec was found')
    // In a project, the files of the last spec go with it.
    const project = building(empty, { files: { '/game/sprites.lock.json': '{}' } })
    expect(await project.world.run('build')).toBe(0)
    expect(project.folders).toEqual(['/game/public/sprites'])
  })

  test('placeholders are named', async () => {
    const stand = { ...sheets, sprites: [{ ...sheets.sprites[0], isPlaceholder: true }] }
    const { world } = building(async () => ({ sheets: stand }))
    await world.run('build')
    expect(world.out()).toContain('Placeholders stand in for: hero')
  })

  test('results that were fetched again are named', async () => {
    const { world } = building(async () => ({ fetched: ['coin.spin', 'hero.walk'] }))
    await world.run('build', '--frozen')
    expect(world.out()).toContain('Fetched again, since their results were not here: coin.spin, hero.walk. Nothing paid.')
  })

  test('superseded frames are named', async () => {
    const older = { ...sheets, sprites: [{ ...sheets.sprites[0], isPlaceholder: false, superseded: ['walk'] }] }
    const { world } = building(async () => ({ sheets: older }))
    await world.run('build')
    expect(world.out()).toContain('Superseded but used, since the new one is not bought: hero.walk')
    expect(world.out()).not.toContain('Placeholders')
  })
})

const noSums = { held: 0n, settled: 0n, restored: 0n, uncertain: 0n, elsewhere: 0n }

function ledgerLine(id: string, more: Partial<LedgerLine> = {}): LedgerLine {
  const base = { hash: 'h', attempt: 1, executionId: 'exe-1', state: 'settled', credits: 24_000n, at: 1_767_225_600_000 } as const
  return { id, ...base, origin: 'here', isPicture: false, ...more }
}

function ledgerReport(lines: readonly LedgerLine[], sums: Partial<LedgerReport>): LedgerReport {
  return { lines, sprites: [], ...noSums, repaired: 0, warnings: [], ...sums }
}

describe('status, ledger, doctor, schema', () => {
  test('status names executions, questions and frames to look at', async () => {
    const flag = { fault: 'inspect', from: 'service', frames: [3, 5, 6, 7], words: 'the service advises to check them' } as const
    const quality = [{ id: 'coin.spin', figures: {} as AnimationQuality['figures'], flags: [flag] }]
    const question = { questionId: 'q', text: 'Which hand?', requiresAsset: false }
    const items = [planItem('coin.spin', { state: 'bought' }), planItem('hero.walk', { state: 'question', question, executionId: 'exe-1' })]
    const world = createWorld({ workshop: { status: async () => ({ items, own: [], steps: [], total: 0n, quality, warnings: [] }) } })
    expect(await world.run('status')).toBe(0)
    expect(world.out()).toContain('hero.walk  question  exe-1      asks: Which hand?')
    expect(world.out()).toMatch(
      /Frames to check:\n {2}animation +fault +frames +what\n {2}coin.spin +inspect +3, 5-7 +the service advises to check them\n/,
    )
    expect(world.out()).toContain('1 of 2 animations bought.')
  })

  test.each([
    ['missing', 'plan'],
    ['failed', 'plan'],
    ['approved', 'build'],
    ['running', 'build'],
    ['lost', 'build'],
  ] as const)('status leads from %s on to %s', async (state, next) => {
    const items = [planItem('coin.spin', { state: 'bought' }), planItem('hero.walk', { state })]
    const world = createWorld({ workshop: { status: async () => ({ items, own: [], steps: [], total: 0n, warnings: [] }) } })
    await world.run('status')
    expect(world.out()).toContain(`Next: npx spritewright ${next},`)
  })

  test('status leads to the decision about a paid step first, and only then to the price of what is made from it', async () => {
    const request = { id: 'hero#1', operation: 'text_to_image', prompt: 'x' }
    const steps = [{ id: 'hero#1', state: 'uncertain', undecided: 'submission', sprites: ['hero'], request }] as never
    const world = createWorld({
      workshop: { status: async () => ({ items: [planItem('hero.walk')], own: [], steps, total: 0n, warnings: [] }) },
    })
    await world.run('status')
    expect(world.out()).toContain('Next: npx spritewright recover hero#1 --replay')
    expect(world.out()).not.toContain('npx spritewright plan')
  })

  test('status tells that the art from before a change plays on', async () => {
    const superseded = { sha256: 'a'.repeat(64), frames: 8, credits: 16_000n }
    const items = [
      planItem('coin.spin', { state: 'bought' }),
      planItem('hero.walk', { changed: ['prompt'], superseded }),
      planItem('hero.idle'),
    ]
    const world = createWorld({ workshop: { status: async () => ({ items, own: [], steps: [], total: 0n, warnings: [] }) } })
    await world.run('status')
    expect(world.out()).toMatch(/hero\.walk +missing +prompt changed; the earlier purchase plays on/)
    expect(world.out()).toMatch(/hero\.idle +missing +first purchase/)
    expect(world.out()).toContain('1 of 3 animations bought, 1 as before a change.')
  })

  test('status leads to the answer of an open question before anything else', async () => {
    const question = { questionId: 'q', text: 'Which hand?', requiresAsset: true }
    const items = [planItem('hero.walk', { state: 'question', question }), planItem('hero.idle')]
    const world = createWorld({ workshop: { status: async () => ({ items, own: [], steps: [], total: 0n, warnings: [] }) } })
    await world.run('status')
    expect(world.out()).toContain('Next: npx spritewright answer hero.walk "…" --asset FILE, which answers its question.')
    expect(world.out()).not.toContain('Next: npx spritewright plan')
  })

  test.each(['status', 'plan'] as const)('%s leads from an approval of somebody else to taking it over, not to a build', async (verb) => {
    const approval = { buyer: 'ab'.repeat(16), at: '2026-01-01T00:00:00.000Z', priceVersion: 'v1', verdict: 'other' } as const
    const items = [planItem('hero.walk', { state: 'approved', price: '2.4', ceiling: parseCredits('2.4'), approval })]
    const world = createWorld({ workshop: { [verb]: async () => ({ items, own: [], steps: [], total: 0n, warnings: [] }) } })
    await world.run(verb)
    expect(world.out()).toContain('approved by abababab, not by you')
    expect(world.out()).toContain('Next: npx spritewright approve hero.walk --adopt, after making sure that it was not bought elsewhere.')
    expect(world.out()).not.toContain('npx spritewright build')
  })

  test.each([
    [[], 'Nothing is bought yet.'],
    [['--until', '2026-10'], 'Nothing was bought in that time.'],
  ])('an empty ledger %j says no more than it knows', async (options, words) => {
    const world = createWorld({ workshop: { ledger: async () => ledgerReport([], {}) } })
    expect(await world.run('ledger', ...options)).toBe(0)
    expect(world.out()).toBe(`${words}\n`)
  })

  test('ledger adds up, and says what may have been spent besides', async () => {
    const report = ledgerReport([ledgerLine('hero.walk')], { settled: 24_000n, uncertain: 16_000n })
    const world = createWorld({ workshop: { ledger: async () => report } })
    expect(await world.run('ledger')).toBe(0)
    expect(world.out()).toContain('2026-01-01 00:00  hero.walk  settled      2.4  exe-1')
    expect(world.out()).toContain('Settled 2.4 credits · held 0 · restored 0')
    expect(world.out()).toContain('At most 1.6 credits more may have been spent')
    const json = createWorld({ workshop: { ledger: async () => report } })
    await json.run('ledger', '--json')
    expect(json.json()).toMatchObject({ settled: '2.4', lines: [{ credits: '2.4', at: '2026-01-01T00:00:00.000Z' }] })
  })

  test('ledger calls pictures by their own words, tells apart what was bought elsewhere, and sums each sprite up', async () => {
    const lines = [
      ledgerLine('coin#1', { isPicture: true, credits: 10_000n, state: 'held' }),
      ledgerLine('hero.walk', { origin: 'elsewhere', at: 0 }),
    ]
    const sprites = [
      { sprite: 'coin', ...noSums, held: 10_000n },
      { sprite: 'hero', ...noSums, elsewhere: 24_000n },
    ]
    const world = createWorld({
      workshop: { ledger: async () => ({ ...ledgerReport(lines, { held: 10_000n, elsewhere: 24_000n }), sprites }) },
    })
    expect(await world.run('ledger')).toBe(0)
    expect(world.out()).toContain('coin#1     due            1                    exe-1')
    expect(world.out()).toContain('hero.walk  settled      2.4  bought elsewhere  exe-1')
    expect(world.out()).toContain('  sprite  held  elsewhere\n  coin       1\n  hero                2.4\n')
    expect(world.out()).toContain('Bought elsewhere, as the lock file says, not in these sums: 2.4 credits.')
    const dropped = (['uncertain', 'held', 'settled'] as const).map((state) => ledgerLine(`hero.${state}`, { decision: 'abandon', state }))
    const other = createWorld({ workshop: { ledger: async () => ledgerReport(dropped, { uncertain: 24_000n }) } })
    await other.run('ledger')
    for (const line of [/hero\.uncertain +given up/, /hero\.held +given up/, /hero\.settled +settled/]) expect(other.out()).toMatch(line)
  })

  test('ledger shows the balance before an unanswered submission', async () => {
    const lines = [ledgerLine('hero.walk', { state: 'uncertain', balanceBefore: 1_000_000n })]
    const world = createWorld({ workshop: { ledger: async () => ledgerReport(lines, { uncertain: 24_000n }) } })
    await world.run('ledger')
    expect(world.out()).toContain('hero.walk: the balance before it was sent was 100.')
  })

  test('ledger --verify ends with 1 where the service says otherwise, with 0 where it agrees, and shows the balance of today', async () => {
    const line = ledgerLine('hero.walk', { state: 'uncertain', balanceBefore: 1_000_000n })
    const words = 'The ledger says held, the service says completed.'
    const found = { ...ledgerReport([line], { uncertain: 24_000n }), balance: 976_000n, host: 'api.example.com' }
    const bad = { ...found, checks: [{ line, verdict: 'differs', service: 'completed', words } as const], isAgreed: false }
    const world = createWorld({ workshop: { verifyLedger: async () => bad } })
    expect(await world.run('ledger', '--verify')).toBe(1)
    expect(world.out()).toContain(`differs hero.walk ${words}\nCompared with the service: 1 differs.\n`)
    expect(world.out()).toContain('Balance at api.example.com: 97.6 credits.')
    expect(world.out()).toContain('hero.walk: balance before it was sent 100, now 97.6.')
    const good = { ...found, checks: [{ line, verdict: 'agrees', service: 'completed', words: '' } as const], isAgreed: true }
    const json = createWorld({ workshop: { verifyLedger: async () => good } })
    expect(await json.run('ledger', '--verify', '--json')).toBe(0)
    expect(json.json()).toMatchObject({
      isAgreed: true,
      balance: '97.6',
      checks: [{ id: 'hero.walk', verdict: 'agrees', executionId: 'exe-1' }],
    })
  })

  test('doctor ends with 1 where a check is bad, with 0 where there are warnings only', async () => {
    const good = { check: 'key', verdict: 'good', found: 'a test key', advice: '' } as const
    const warning = { check: 'balance', verdict: 'warning', found: '0.5 credits', advice: 'Top it up.' } as const
    const bad = { check: 'config', verdict: 'bad', found: 'two files', advice: 'Remove one.' } as const
    const sick = createWorld({ workshop: { doctor: async () => [good, warning, bad] } })
    expect(await sick.run('doctor')).toBe(1)
    expect(sick.out()).toBe(
      '  ✓ key      a test key\n  ! balance  0.5 credits\n             Top it up.\n  ✗ config   two files\n             Remove one.\n\n1 check bad, 1 warning.\n',
    )
    const well = createWorld({ workshop: { doctor: async () => [good, warning] } })
    expect(await well.run('doctor', '--json')).toBe(0)
    expect(well.json()).toMatchObject({ bad: 0, warnings: 1, findings: [{ check: 'key' }, {}] })
  })

  test('schema prints the same JSON with and without --json and opens no workshop', async () => {
    const plain = createWorld()
    const json = createWorld()
    expect([await plain.run('schema'), await json.run('schema', '--json')]).toEqual([0, 0])
    expect(plain.out()).toBe(json.out())
    expect(plain.json()).toEqual({ title: 'A sprite' })
    expect(plain.opened).toEqual([])
  })
})

describe('forget', () => {
  test.each([
    [true, 0, 'Forgotten at the service: hero.walk.'],
    [false, 3, 'Nothing was deleted.'],
    [undefined, 130, 'Interrupted. Nothing was deleted.'],
  ])('asks; the answer %s ends with %i', async (answer, code, words) => {
    const deleted: string[] = []
    const forget: Workshop['forget'] = async (_name, confirm) => {
      if (!(await confirm(['hero.walk']))) return []
      deleted.push('hero.walk')
      return deleted
    }
    const world = createWorld({ canAsk: true, answer, workshop: { forget } })
    expect(await world.run('forget', 'hero')).toBe(code)
    expect(`${world.out()}${world.err()}`).toContain(words)
    expect(deleted).toEqual(answer === true ? ['hero.walk'] : [])
  })
})

describe('trust', () => {
  test('--remove needs an address, and says where they are listed', async () => {
    const world = createWorld()
    expect(await world.run('trust', '--remove')).toBe(2)
    expect(world.err()).toContain('Expected an address for --remove, found none')
    expect(world.opened).toEqual([])
  })

  test.each<[string, boolean, string | undefined, number]>([
    ['the word of the key', true, ' Kilomukuzu ', 0],
    ['another word', true, 'bafadagaha', 3],
    ['a yes', true, 'y', 3],
    ['nothing', true, '', 3],
    ['Ctrl-C', true, undefined, 130],
    ['no terminal', false, 'kilomukuzu', 2],
  ])('--touch enrols only after the word was typed: %s', async (_what, canAsk, answer, exit) => {
    const enrolled: string[] = []
    const trust = { wordOf: () => 'kilomukuzu', enrol: async (key: string) => void enrolled.push(key) }
    const world = createWorld({ canAsk, typed: answer, workshop: { trust } as unknown as Partial<Workshop> })
    expect(await world.run('trust', '--touch', 'ES256.a.b')).toBe(exit)
    expect(enrolled).toEqual(exit === 0 ? ['ES256.a.b'] : [])
    expect([...world.questions, world.out()].join(' ').includes('kilomukuzu')).toBe(exit === 0)
  })
})

describe('cancel', () => {
  test('passes the name on, and tells what was cancelled', async () => {
    const asked: string[] = []
    const workshop = {
      cancel: async (name: string) => {
        asked.push(name)
        return [{ id: 'hero#1', executionId: 'e1', status: 'cancelled' }]
      },
    } as unknown as Partial<Workshop>
    const world = createWorld({ workshop })
    expect(await world.run('cancel', 'hero')).toBe(0)
    expect([asked, world.out()]).toEqual([['hero'], 'hero#1: cancelled\n'])
  })

  test.each([[[]], [['hero', 'coin']]])('wants one name: %j', async (names) => {
    const world = createWorld({ workshop: {} })
    expect(await world.run('cancel', ...names)).toBe(2)
    expect(world.err()).toContain('npx spritewright cancel hero')
  })
})
