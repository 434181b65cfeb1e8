import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { AnimationQuality, BuildReport, PlanReport, Workshop } from '../../src/workshop.ts'
import { createWorld, planItem, runBoth, type WorldInit } from './world.ts'

const approval = { buyer: 'ab'.repeat(16), given: 'typed', at: '2026-01-01T00:00:00.000Z', priceVersion: 'v1', verdict: 'valid' } as const
const review = { verdict: 'good', frames: [] } as unknown as NonNullable<PlanReport['items'][number]['review']>
const question = { questionId: 'q', text: 'Which hand?', requiresAsset: true }
const quality: AnimationQuality[] = [
  {
    id: 'coin.spin',
    figures: {} as AnimationQuality['figures'],
    flags: [{ fault: 'inspect', from: 'service', frames: [0, 2, 3, 4, 7], words: 'check them' }],
  },
  { id: 'coin.idle', figures: {} as AnimationQuality['figures'], flags: [] },
]
const own = {
  name: 'ui',
  file: '/game/art/ui.sprite.json',
  reference: { kind: 'own', path: './ui/' },
  art: { files: ['/game/art/ui/a.png', '/game/art/ui/b.png'] },
  animations: [{ frames: 4, use: [0, 1, 1] }, { frames: 3 }],
} as unknown as PlanReport['own'][number]
const full: PlanReport = {
  items: [
    planItem('coin.spin', { state: 'bought', result: 'cd', hash: 'h0', executionId: 'exe-0', review }),
    planItem('hero.walk', {
      ...{ state: 'approved', price: '2.4', hash: 'h1', ceiling: 24_000n, approval, changed: ['prompt'], note: 'a note' },
    }),
    planItem('hero.jump', { state: 'question', question, executionId: 'exe-1' }),
  ],
  own: [own],
  steps: [
    {
      ...{ id: 'hero#1', state: 'missing', sprites: ['hero'], ids: ['hero#1'], hash: 'h2' },
      ...{ quote: { credits: 10_000n, priceVersion: 'v1', usd: '0.10' } },
      request: { id: 'hero#1', operation: 'text_to_image', prompt: 'a knight' },
    } as never,
  ],
  mirrored: [{ id: 'hero.left', of: 'hero.walk', credits: 24_000n }],
  ...{ total: 34_000n, usd: '0.34', balance: 20_000n, service: { host: 'api.example.com', keyMode: 'live' }, quality, warnings: ['old'] },
}
const quote = { credits: '2.4', priceVersion: 'v1', referenceUsd: '0.24' }
const shownItems = [
  {
    ...{ id: 'coin.spin', sprite: 'coin', animation: 'spin', file: '/game/sprites/coin.sprite.json', state: 'bought', frames: 12, take: 1 },
    ...{ hash: 'h0', changed: [], executionId: 'exe-0', review, result: 'cd' },
  },
  {
    ...{ id: 'hero.walk', sprite: 'hero', animation: 'walk', file: '/game/sprites/hero.sprite.json', state: 'approved', frames: 12 },
    ...{ take: 1, hash: 'h1', ceiling: '2.4', approval, quote, changed: ['prompt'], note: 'a note' },
  },
  {
    ...{ id: 'hero.jump', sprite: 'hero', animation: 'jump', file: '/game/sprites/hero.sprite.json', state: 'question', frames: 12 },
    ...{ take: 1, changed: [], executionId: 'exe-1', question },
  },
]
const shownPlan = {
  items: shownItems,
  own: [{ sprite: 'ui', file: '/game/art/ui.sprite.json', state: 'own', source: '/game/art/ui/a.png', frames: 5 }],
  mirrored: [{ id: 'hero.left', of: 'hero.walk', credits: '2.4' }],
  steps: [
    {
      ...{ id: 'hero#1', state: 'missing', sprites: ['hero'], ids: ['hero#1'], hash: 'h2', operation: 'text_to_image', prompt: 'a knight' },
      quote: { credits: '1', priceVersion: 'v1', usd: '0.10' },
    },
  ],
  ...{ total: '3.4', usd: '0.34', balance: '2', service: { host: 'api.example.com', keyMode: 'live' }, quality, warnings: ['old'] },
}

const requests = [
  { id: '1', verb: 'approve', names: ['hero', 'coin'], credits: '2.4', why: 'level two', from: 'mcp', at: 0 },
  { id: '2', verb: 'recover', names: ['hero.walk'], why: 'stuck', from: 'shell', at: 7_200_000 },
] as const

test('plan shows each row, the sums and what is next, and its document has each fact', async () => {
  const { code, text, err, json } = await runBoth({ workshop: { plan: async () => full } }, 'plan')
  expect([code, err, json]).toEqual([0, 'warning old\n', shownPlan])
  expect(text).toBe(
    [
      '  animation  state     frames         price  ceiling  why',
      '  hero#1     missing           1 ≈ 0.10 USD        –  text_to_image for hero',
      '  coin.spin  bought        12',
      '  hero.walk  approved      12           2.4      2.4  a note',
      '  hero.jump  question      12             –        –  asks: Which hand?',
      '  ui         own            5                         ./ui/',
      '',
      '1 of 3 animations and 1 step to buy: 3.4 credits ≈ 0.34 USD (estimate, not binding)',
      '1 mirror image saves 2.4 credits: hero.left (of hero.walk)',
      'Balance: 2 credits (live key at api.example.com)',
      'The balance is 1.4 credits short of the total.',
      'hero.jump waits for you: asks: Which hand?',
      'Next: npx spritewright answer hero.jump "…" --asset FILE, which answers its question.',
      '',
    ].join('\n'),
  )
})

test('plan as Markdown has a row for each thing to buy, the sums, the pictures and the warnings', async () => {
  const superseded = { sha256: 'a'.repeat(64), frames: 8, credits: 16_000n }
  const items = [...full.items, planItem('hero.run', { price: '2.4', superseded }), planItem('coin.idle', { state: 'lost', superseded })]
  const pictures = [{ id: 'hero.run', reference: { file: 'r.webp', bytes: new Uint8Array(1) } }]
  const workshop = { plan: async () => ({ ...full, items }), planPictures: async () => pictures }
  const world = createWorld({ workshop })
  expect(await world.run('plan', '--markdown', '--pictures', 'shown\\x/', '--quiet')).toBe(0)
  expect(world.out().split('\n')).toEqual([
    '### Sprites: 3 animations not bought, 3.4 credits ≈ 0.34 USD',
    '',
    '| animation | state | frames | paid before | price | ceiling | why |',
    '|---|---|--:|--:|--:|--:|---|',
    '| `hero#1` | missing |  | – | 1 ≈ 0.10 USD | – | text&#95;to&#95;image for hero |',
    '| hero.walk | approved | 12 | – | 2.4 | 2.4 | a note |',
    '| hero.jump | question | 12 | – | – | – | asks: Which hand? |',
    '| hero.run | missing | 12 | 1.6 | 2.4 | – | first purchase |',
    '| coin.idle | lost | 12 | 1.6 | – | – | bought, not here; fetched again free of charge |',
    '',
    expect.stringMatching(/^1 animation bought, 1 more /),
    '1 mirror image saves 2.4 credits: hero.left &#40;of hero.walk&#41;.',
    expect.stringMatching(/ 1\.6 credits, .* 3\.4 credits /),
    '',
    'Approve with `npx spritewright approve`.',
    '',
    '| animation | change | made from |',
    '|---|---|---|',
    '| hero.run | – | <img src="shown/x/r.webp" alt="" height="160"> |',
    '',
    '> old',
    '',
  ])
})

test('status shows each row, the requests to a person and the faulty frames, and its document has each fact', async () => {
  const status = (report: PlanReport, open: readonly object[]): ReturnType<typeof runBoth> =>
    runBoth({ workshop: { status: async () => report, requests: { list: async () => open } as never } }, 'status')
  const { code, text, err, json } = await status(full, requests)
  expect([code, err, json]).toEqual([0, 'warning old\n', { ...shownPlan, requests }])
  expect(text).toBe(
    [
      '2 requests wait for your decision: npx spritewright approve',
      '  animation  state     ceiling  execution  note',
      '  hero#1     missing                       text_to_image for hero',
      '  coin.spin  bought             exe-0',
      '  hero.walk  approved      2.4             a note',
      '  hero.jump  question           exe-1      asks: Which hand?',
      '  ui         own                           ./ui/',
      '',
      'Frames to check:',
      '  animation  fault    frames     what',
      '  coin.spin  inspect  0, 2-4, 7  check them',
      '',
      '1 of 3 animations bought.',
      'Next: npx spritewright answer hero.jump "…" --asset FILE, which answers its question.',
      '',
    ].join('\n'),
  )
  const done = await status({ ...full, items: full.items.slice(0, 1), steps: [], own: [] }, requests.slice(1))
  expect(done.text).toBe(
    [
      '1 request waits for your decision: npx spritewright approve',
      '  animation  state   execution',
      '  coin.spin  bought  exe-0',
      '',
      'Frames to check:',
      '  animation  fault    frames     what',
      '  coin.spin  inspect  0, 2-4, 7  check them',
      '',
      '1 of 1 animation bought.',
      '',
    ].join('\n'),
  )
  const drawn = await status({ ...full, items: [], steps: [], quality: [] }, [])
  expect(drawn.text).toBe('  animation  state  note\n  ui         own    ./ui/\n')
})

describe('build', () => {
  const page = (sha256: string): object => ({
    sha256,
    bytes: new Uint8Array(7),
    width: 512,
    height: 256,
    contentType: 'image/webp',
    extension: 'webp',
  })
  const sheets = {
    sprites: [
      {
        ...{
          name: 'hero',
          atlas: 'sprites',
          width: 128,
          height: 64,
          isPlaceholder: true,
          superseded: ['walk', 'run'],
          animations: ['idle'],
        },
        ...{ file: '/game/hero.sprite.json', picture: '/game/hero.png', overridePaths: ['/x/0.png'] },
      },
      { name: 'coin', atlas: 'sprites', width: 8, height: 9, isPlaceholder: true, animations: [], file: '/game/coin.sprite.json' },
    ],
    atlases: [
      {
        ...{ name: 'sprites', scale: 2, pages: [page('a'), page('b')], alternates: [[page('c')], []], frames: [{}, {}] },
        animations: [{ name: 'hero/idle' }],
      },
      { name: 'ui', scale: 1, pages: [page('d')], frames: [], animations: [] },
    ],
    quality,
  }
  const facts = { id: 'hero.walk' }
  const balance = { before: 1n, after: 2n, said: { least: 1n, most: 2n }, isExplained: false, words: 'balance 1 to 2' }
  const report = {
    bought: [
      { id: 'hero#1', credits: 10_000n },
      { id: 'hero.walk', credits: 24_000n },
    ],
    ...{ fetched: ['coin.spin', 'coin.idle'], fromVault: 2, balance, warnings: ['slow'], sheets },
    failures: [new SpritewrightError('SW_QUESTION', { message: 'which hand?', facts })],
  }
  const options = { root: '/game', specs: ['a'], notes: ['a note'] } as unknown as Workshop['options']
  const building = (more: object, ...argv: string[]): ReturnType<typeof runBoth> =>
    runBoth(
      {
        workshop: {
          options,
          build: async () => ({ ...report, ...more }) as unknown as BuildReport,
          write: async () => ['manifest.json', 'x.png'],
        },
      },
      'build',
      ...argv,
    )

  test('shows what was bought, the atlases, and what is not as it should be; its document has all facts', async () => {
    const { code, text, err, json } = await building({})
    expect([code, err]).toEqual([5, 'warning slow\nerror SW_QUESTION which hand?\n'])
    expect(text).toBe(
      [
        '✓ Bought hero#1 for 1 credit',
        '✓ Bought hero.walk for 2.4 credits',
        '  Together 3.4 credits',
        '  balance 1 to 2',
        'Fetched again, since their results were not here: coin.spin, coin.idle. Nothing paid.',
        '2 bought before: nothing paid',
        '',
        '  atlas    scale  pages             frames  animations',
        '  sprites     2×  512×256, 512×256       2           1',
        '  ui          1×  512×256                0           0',
        '',
        'a note',
        '',
        'Frames to check:',
        '  animation  fault    frames     what',
        '  coin.spin  inspect  0, 2-4, 7  check them',
        'See them: npx spritewright review coin.spin',
        '',
        'Placeholders stand in for: hero, coin',
        'Superseded but used, since the new one is not bought: hero.walk, hero.run',
        '✓ 2 files in public/sprites',
        'Load public/sprites/manifest.json (PixiJS) in the game.',
        '',
      ].join('\n'),
    )
    const shownPage = (sha256: string): object => ({ sha256, width: 512, height: 256, contentType: 'image/webp', bytes: 7 })
    expect(json).toEqual({
      bought: [
        { id: 'hero#1', credits: '1' },
        { id: 'hero.walk', credits: '2.4' },
      ],
      ...{
        spent: '3.4',
        fetched: ['coin.spin', 'coin.idle'],
        fromVault: 2,
        out: '/game/public/sprites',
        written: ['manifest.json', 'x.png'],
      },
      balance: {
        before: '0.0001',
        after: '0.0002',
        said: { least: '0.0001', most: '0.0002' },
        isExplained: false,
        words: 'balance 1 to 2',
      },
      sprites: [
        {
          ...{ name: 'hero', atlas: 'sprites', width: 128, height: 64, isPlaceholder: true },
          ...{ superseded: ['walk', 'run'], animations: ['idle'] },
        },
        { name: 'coin', atlas: 'sprites', width: 8, height: 9, isPlaceholder: true, superseded: [], animations: [] },
      ],
      atlases: [
        {
          ...{ name: 'sprites', scale: 2, pages: [shownPage('a'), shownPage('b')], alternates: [[shownPage('c')], []] },
          ...{ frames: 2, animations: ['hero/idle'] },
        },
        { name: 'ui', scale: 1, pages: [shownPage('d')], frames: 0, animations: [] },
      ],
      ...{ quality, errors: [{ code: 'SW_QUESTION', message: 'which hand?', facts }], notes: ['a note'], warnings: ['slow'] },
    })
  })

  test('names the folder of the files as it is seen from the project, and one pack with its engine', async () => {
    const there = await building({ failures: [] }, '--out', 'dist/art')
    expect([there.code, there.text.split('\n').slice(-3)]).toEqual([
      0,
      ['✓ 2 files in dist/art', 'Load dist/art/manifest.json (PixiJS) in the game.', ''],
    ])
    const here = await building({ failures: [], bought: report.bought.slice(0, 1) }, '--out', '.')
    expect(here.text.split('\n').slice(-3)).toEqual(['✓ 2 files in .', 'Load ./manifest.json (PixiJS) in the game.', ''])
    expect(here.text).not.toContain('Together')
    const { text, json } = await building({ failures: [], bought: [] }, '--buy-only')
    expect(text.split('\n').slice(-3)).toEqual([
      expect.stringContaining('hero.walk, hero.run'),
      expect.stringMatching(/^Next: npx spritewright build,/),
      '',
    ])
    expect(json).toMatchObject({ written: [], spent: '0' })
    expect(json).not.toHaveProperty('out')
  })
})

describe('review', () => {
  const picture = new Uint8Array([1])
  const originals: Workshop['originals'] = async () => [
    { file: 'spin/0000.png', bytes: new Uint8Array([2]) },
    { file: 'spin/0001.png', bytes: new Uint8Array([3]) },
  ]
  const review = async (name: string) => ({ name, animations: quality, missing: ['coin.run'], picture, warnings: ['dull'] })
  const init: WorldInit = { files: { '/game/f/spin/0000.png': 'mine' }, workshop: { review, originals } }

  test('shows faulty frames and what is not bought, and writes only the frames that are not there', async () => {
    const { code, text, err, json } = await runBoth(init, 'review', 'coin', '--frames', 'f', '--out', 'o/x.png')
    expect([code, err]).toEqual([0, 'warning dull\n'])
    expect(text.split('\n')).toEqual([
      '✓ Contact sheet of coin.spin, coin.idle: o/x.png',
      '✓ 1 frame as delivered in f; 1 that existed are unchanged',
      'Put touched-up frames into NAME.frames/ beside the spec. They then replace the bought frames.',
      '',
      'Frames to check:',
      '  animation  fault    frames     what',
      '  coin.spin  inspect  0, 2-4, 7  check them',
      '',
      '1 animation with suspicious frames, marked red.',
      'Not bought, and not shown: coin.run',
      'Drop frames with "use", move slipped frames back with "stabilize": true, both free of charge; "take" buys another result.',
      '',
    ])
    const facts = { name: 'coin', file: '/game/o/x.png', animations: quality, missing: ['coin.run'], warnings: ['dull'] }
    expect(json).toEqual({ ...facts, frames: ['/game/f/spin/0001.png'] })
  })

  test('keeps what a person has drawn, and without --frames writes the picture alone', async () => {
    const world = createWorld(init)
    expect(await world.run('review', 'coin', '--frames', 'f', '--out', 'o/x.png')).toBe(0)
    const written = [...world.files]
      .filter(([path]) => path !== '/game/package.json')
      .map(([path, bytes]) => [path, new TextDecoder().decode(bytes)])
    expect(written).toEqual([
      ['/game/f/spin/0000.png', 'mine'],
      ['/game/o/x.png', '\u0001'],
      ['/game/f/spin/0001.png', '\u0003'],
    ])
    const plain = createWorld({
      workshop: { review: async (name) => ({ ...(await review(name)), animations: quality.slice(1), missing: [], warnings: [] }) },
    })
    expect(await plain.run('review', 'coin')).toBe(0)
    const sheet = 'node_modules/.cache/spritewright/review/coin.png'
    expect(plain.out()).toBe(`✓ Contact sheet of coin.idle: ${sheet}\n\nNo frame is suspicious.\n`)
    expect(plain.files.has(`/game/${sheet}`)).toBe(true)
  })

  test.each([
    [[], 'none'],
    [['a', 'b'], '2'],
  ])('of %j is wrong usage, with the names in its facts', async (names, found) => {
    const { code, json } = await runBoth({}, 'review', ...names)
    const message = `Expected one name of a sprite, an animation or a picture, as in "npx spritewright review hero.walk", found ${found}.`
    expect([code, json]).toEqual([2, { error: { code: 'SW_USAGE', message, facts: { names } } }])
  })
})
