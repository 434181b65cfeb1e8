import { expect, test } from 'vitest'
import { toOffer } from '../../../plugin/protocol/state/offer.ts'
import type { StateParts } from '../../../plugin/protocol/state/parts.ts'
import { toOpenSprite, toPanelState } from '../../../plugin/protocol/state/state.ts'
import { approvedWords, orphanWords, priceOf, serviceWords } from '../../../plugin/protocol/state/words.ts'
import { SpritewrightError } from '../../../src/errors.ts'

const approval = { buyer: 'ab'.repeat(16), given: 'clicked', at: '2026-01-01T00:00:00.000Z', priceVersion: 'v1', verdict: 'valid' } as const
const approvedAt = Date.parse(approval.at)
const question = { questionId: 'q', text: 'Which hand?', requiresAsset: false }
const hero = {
  ...{
    name: 'hero',
    file: '/game/sprites/hero.sprite.json',
    prompt: 'a knight',
    background: 'transparent',
    atlas: 'units',
    pixelArt: true,
  },
  ...{ reference: { kind: 'file', path: './hero.png' }, size: { kind: 'box', width: 64, height: 32 }, anchor: { x: 0.5, y: 1 } },
  animations: [] as object[],
}
const walk = { name: 'walk', prompt: 'walks', frames: 8, take: 2, fps: 10, loop: true, use: [1, 0], options: {}, meant: ['loop'] }
const idle = { name: 'idle', prompt: 'idles', frames: 4, take: 1, fps: 12, loop: true }
hero.animations = [walk, idle]
const chest = {
  ...{ name: 'chest', file: '/game/art/chest.sprite.json', prompt: '', background: 'keep', atlas: 'sprites', pixelArt: false },
  ...{ reference: { kind: 'own', path: './chest/' }, animations: [{ name: 'open', frames: 2, take: 1, fps: 6 }] },
}
const request = (prompt: string): object => ({ operation: 'sprite_sheet', prompt })
const frame = { page: 0, x: 2, y: 3, width: 4, height: 5, offsetX: 1, offsetY: 2, sourceWidth: 8, sourceHeight: 9 }
const flag = { fault: 'blank', from: 'frames', frames: [1], words: 'empty' }
const page = (sha256: string): object => ({ sha256: sha256.repeat(64), width: 20, height: 10, bytes: new Uint8Array(3) })

/** A project with each kind of request, all of it made up. */
const parts = {
  ...{ root: '/game', folder: 'packages/game', engines: ['pixi'], revision: 9, open: ['hero', 'nobody', 'chest'] },
  access: { mayAct: true, mayBuy: false, words: 'CI' },
  overview: {
    items: [
      {
        ...{ id: 'hero.walk', spec: hero, animation: walk, request: request('a knight walks'), state: 'bought', hash: 'h1', attempt: 2 },
        ...{ executionId: 'exe-1', ceiling: 24_000n, changed: [], result: 'cd' },
        takes: [
          { take: 1, state: 'lost' },
          { take: 2, state: 'bought' },
        ],
      },
      {
        ...{ id: 'hero.idle', spec: hero, animation: idle, request: request('a knight idles'), state: 'approved', hash: 'h2' },
        ...{ ceiling: 30_000n, approval, changed: ['prompt'], takes: [{ take: 1, state: 'approved' }] },
      },
    ],
    own: [{ id: 'chest.open', spec: chest, animation: chest.animations[0] }],
    steps: [
      {
        ...{ id: 'hero#1', ids: ['hero#1', 'orc#1'], sprites: ['hero', 'orc'], state: 'running', hash: 'h3', attempt: 1 },
        request: { operation: 'text_to_image', prompt: 'a knight' },
      },
    ],
    orphans: [
      {
        ...{ id: 'hero.run', hash: 'abcdef0123456789', state: 'question', question, executionId: 'exe-4', attempt: 1, ceiling: 10_000n },
        request: request('a knight runs'),
      },
    ],
    digests: new Map([[hero.file, 'd1']]),
    errors: [new SpritewrightError('SW_SPEC', { message: 'Expected a text.', facts: { file: '/game/x.sprite.json', line: 3, column: 7 } })],
    ...{ warnings: ['one', 'two'], mayBuy: false, service: { kind: 'remote', host: 'api.example.com', canAsk: true } },
  },
  sheets: {
    sprites: [
      {
        ...{ name: 'hero', atlas: 'hero', width: 64, height: 32, isPlaceholder: true, animations: [], file: hero.file },
        ...{ superseded: ['idle'], touchedUp: { walk: [1] } },
      },
    ],
    atlases: [
      {
        ...{ name: 'hero', scale: 2, pages: [page('a'), page('b')], animations: [{ name: 'hero/walk', frames: [] as object[] }] },
        frames: [{ ...frame, name: 'hero/walk/0001', hull: [], anchor: { x: 0, y: 0 }, boxes: {}, borders: {} }],
      },
      { name: 'hero', scale: 1, pages: [page('c')], animations: [], frames: [] },
    ],
    quality: [{ id: 'hero.walk', figures: {}, flags: [flag] }],
  },
  ledger: {
    ...{
      held: 10_000n,
      settled: 24_000n,
      restored: 1n,
      uncertain: 2n,
      elsewhere: 3n,
      sprites: [],
      repaired: 0,
      warnings: ['two', 'three'],
    },
    lines: [
      { id: 'hero.walk', hash: 'h1', attempt: 1, state: 'settled', credits: 4_000n, at: 100, origin: 'here', isPicture: false },
      {
        id: 'hero.walk',
        hash: 'h1',
        attempt: 2,
        state: 'settled',
        credits: 20_000n,
        at: 200,
        origin: 'here',
        isPicture: false,
        approvedAt: approval.at,
      },
      { id: 'hero#1', hash: 'h3', attempt: 1, state: 'held', credits: 10_000n, at: 300, origin: 'here', isPicture: true },
    ],
  },
  prices: {
    ...{ at: approvedAt + 1, balance: 500_000n, service: { host: 'api.example.com', keyMode: 'live' } },
    newSprite: { credits: 16_000n, frames: 8 },
    of: () => ({ credits: 24_000n, priceVersion: 'v1' }),
    usd: () => '0.24',
  },
  ...{ errors: [new Error('of a sheet')], priceError: undefined },
  requests: [{ id: 'r', verb: 'approve', names: [], why: 'x', from: 'mcp', at: 1 }],
  progress: new Map([['orc#1', { id: 'orc#1', phase: 'running', progress: 0.5, message: 'drawing', held: 10_000n, settled: 0n }]]),
  failures: [{ ids: ['hero.idle'], error: new SpritewrightError('SW_FAILED', { message: 'refused', facts: { id: 'hero.idle' } }) }],
  urlOf: ({ sha256 }: { sha256: string }) => `pages/${sha256.slice(0, 2)}`,
} as unknown as StateParts
;(parts.sheets.atlases[0]!.animations[0]!.frames as unknown as object[]).push(
  { name: 'hero/walk/0001', durationMs: 120 },
  { name: 'gone', durationMs: 1 },
)

const nothing = { canBeApproved: false, canBeRevoked: false, wantsPerson: false }
const shown = { isPlaceholder: false, isSuperseded: false }
const own = { ...nothing, word: 'own art', tone: 'good', next: 'nothing', state: 'own', id: 'chest.open' }
const bought = { ...nothing, word: 'bought', tone: 'good', next: 'nothing', state: 'bought' }
const walkRow = {
  ...bought,
  ...shown,
  id: 'hero.walk',
  name: 'walk',
  ceiling: '2.4',
  spent: '2.4',
  approvedAt,
  endedAt: 200,
  take: 2,
  frames: 8,
}
const idleRow = {
  ...{ ...nothing, canBeRevoked: true, word: 'approved', tone: 'busy', next: 'build', state: 'approved', id: 'hero.idle', name: 'idle' },
  ...{ ceiling: '3', approvedAt, take: 1, frames: 4, isPlaceholder: false, isSuperseded: true },
  price: { priceVersion: 'v1', usd: '0.24', credits: '2.4', words: '2.4 credits will be held.' },
}
const heroHead = {
  ...{ name: 'hero', background: 'transparent', file: 'sprites/hero.sprite.json', digest: 'd1', art: 'aaaaaaaaaaaa bbbbbbbbbbbb' },
}
const chestHead = { name: 'chest', background: 'keep', file: 'art/chest.sprite.json', digest: '', art: '' }
const openHero = {
  ...{ ...heroHead, prompt: 'a knight', reference: './hero.png', atlas: 'units', size: { width: 64, height: 32 }, pixelArt: true },
  ...{ frame: { width: 64, height: 32 }, anchor: { x: 0.5, y: 1 }, isPlaceholder: true },
  pages: [
    { url: 'pages/aa', width: 20, height: 10 },
    { url: 'pages/bb', width: 20, height: 10 },
  ],
  animations: [
    {
      ...{ ...walkRow, hash: 'h1', attempt: 2, executionId: 'exe-1', words: expect.any(String), prompt: 'walks', fps: 10, loop: true },
      ...{ use: [1, 0], meant: ['loop'], touchedUp: [1], played: [{ ...frame, index: 1, durationMs: 120 }], flags: [flag], changed: [] },
      takes: [
        { take: 1, state: 'lost', word: 'result missing', tone: 'warn', isChosen: false },
        { take: 2, state: 'bought', word: 'bought', tone: 'good', isChosen: true },
      ],
    },
    {
      ...{ ...idleRow, hash: 'h2', words: expect.stringContaining('3 credits'), prompt: 'idles', approved: 'clicked', fps: 12, loop: true },
      ...{ meant: [], touchedUp: [], played: [], flags: [], changed: ['prompt'] },
      takes: [{ take: 1, state: 'approved', word: 'approved', tone: 'busy', isChosen: true }],
    },
  ],
}
const openChest = {
  ...{ ...chestHead, prompt: '', reference: './chest/', atlas: 'sprites', size: null, frame: { width: 0, height: 0 }, anchor: null },
  ...{ pixelArt: false, isPlaceholder: true, pages: [] },
  animations: [
    {
      ...{ ...own, ...shown, name: 'open', take: 1, frames: 2, fps: 6, words: expect.any(String) },
      ...{ meant: [], touchedUp: [], played: [], flags: [], takes: [], changed: [] },
    },
  ],
}
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('a state has each fact of each request, once, and nothing that a page must not know', () => {
  expect(plain(toPanelState(parts))).toEqual({
    ...{ version: 1, revision: 9, project: 'game', folder: 'packages/game', engines: ['pixi'], access: parts.access },
    service: { mode: 'live', host: 'api.example.com', balance: '50', newSprite: { credits: '1.6', frames: 8 }, words: '' },
    sprites: [
      { ...chestHead, animations: [{ ...own, ...shown, name: 'open', take: 1, frames: 2, faults: 0 }] },
      {
        ...heroHead,
        animations: [
          { ...walkRow, faults: 1 },
          { ...idleRow, faults: 0 },
        ],
      },
    ],
    open: [openHero, openChest],
    steps: [
      {
        ...{ ...nothing, word: 'in work', tone: 'busy', next: 'build', state: 'running', id: 'hero#1', held: '1', hash: 'h3', attempt: 1 },
        ...{ progress: { id: 'hero#1', phase: 'running', progress: 0.5, message: 'drawing' }, words: expect.any(String) },
        ...{ prompt: 'a knight', operation: 'text_to_image', sprites: ['hero', 'orc'], ids: ['hero#1', 'orc#1'] },
      },
    ],
    orphans: [
      {
        ...{ ...nothing, wantsPerson: true, word: 'question', tone: 'warn', next: 'answer', state: 'question', id: 'hero.run@abcdef01' },
        ...{ was: 'hero.run', ceiling: '1', hash: 'abcdef0123456789', attempt: 1, executionId: 'exe-4', question, prompt: 'a knight runs' },
        words: expect.stringMatching(/^An earlier version .* question/),
      },
    ],
    requests: parts.requests,
    totals: { counts: { own: 1, bought: 1, approved: 1, running: 1 }, price: '2.4' },
    ledger: { held: '1', settled: '2.4', restored: '0.0001', uncertain: '0.0002', elsewhere: '0.0003' },
    errors: [
      { code: 'SW_SPEC', message: 'Expected a text.', file: 'x.sprite.json', line: 3, column: 7 },
      { code: 'SW_INTERNAL', message: 'of a sheet' },
      { code: 'SW_FAILED', message: 'refused', id: 'hero.idle' },
    ],
    warnings: ['one', 'two', 'three'],
  })
  expect(plain(toOpenSprite(parts, 'hero'))).toEqual(openHero)
  expect(toOpenSprite(parts, 'nobody')).toBeUndefined()
})

test('before prices are asked for, and where the last request for them failed, a state says so and has no amounts', () => {
  const unasked = toPanelState({ ...parts, prices: undefined, priceError: new Error('away') })
  expect(unasked.service).toEqual({ mode: 'unasked', host: 'api.example.com', balance: undefined, newSprite: undefined, words: 'away' })
  expect([unasked.totals.price, unasked.errors.at(-1)]).toEqual([undefined, { code: 'SW_INTERNAL', message: 'away' }])
  const of = (service: StateParts['overview']['service']): unknown =>
    toPanelState({ ...parts, overview: { ...parts.overview, service } }).service.mode
  expect([of({ kind: 'embedded', canAsk: true }), of({ kind: 'remote', canAsk: false }), of({ kind: 'none', canAsk: false })]).toEqual([
    ...['embedded', 'none', 'none'],
  ])
  expect(toPanelState({ ...parts, prices: { ...parts.prices!, of: () => undefined } as never }).totals.price).toBeUndefined()
})

test('an offer has each fact of its lines, their sums, and for which service it is', () => {
  const line = { operation: 'sprite_sheet', hash: 'h', prompt: 'walks', quote: 24_000n, ceiling: 30_000n } as const
  const lines = [
    { ...line, id: 'hero.walk', usd: '0.24', warning: 'dear' },
    { ...line, id: 'hero#1', operation: 'text_to_image', quote: 10_000n, ceiling: 10_000n, usd: '0.10' },
  ] as const
  const worker = { host: 'api.example.com', keyMode: 'live', priceVersions: ['v1'] } as const
  const shownLine = { operation: 'sprite_sheet', hash: 'h', prompt: 'walks', price: '2.4', ceiling: '3' }
  expect(plain(toOffer({ lines, balance: 500_000n, worker }, ['coin.spin'], 'needed'))).toEqual({
    lines: [
      { ...shownLine, id: 'hero.walk', warning: 'dear' },
      { ...shownLine, id: 'hero#1', operation: 'text_to_image', price: '1', ceiling: '1' },
    ],
    ...{ sum: '3.4', usd: '0.34', ceilings: '4', balance: '50', touch: 'needed', untouched: ['coin.spin'] },
    worker: expect.stringMatching(/api\.example\.com \(live key\).* v1/),
  })
  expect(plain(toOffer({ lines: [], balance: 0n }))).toEqual({ lines: [], sum: '0', ceilings: '0', balance: '0', untouched: [] })
})

test('the words about a price, an approval, an earlier request and the service are those of its case', () => {
  const quote = { credits: 10_000n, priceVersion: 'v1', usd: '0.10' }
  expect(priceOf(quote, 'text_to_image')).toEqual({ ...quote, credits: '1', words: '1 credit will be charged on delivery.' })
  expect(priceOf(quote, 'sprite_sheet').words).toBe('1 credit will be held.')
  expect(approvedWords(approval)).toBe('clicked')
  expect(approvedWords({ ...approval, given: undefined })).toBe('in an unknown way')
  expect(approvedWords({ ...approval, verdict: 'other' })).toBe('by abababab (clicked)')
  const orphan = (state: string, executionId?: string): string => orphanWords('NOW', { state, executionId } as never)
  const [sent, running, failed] = [orphan('running'), orphan('running', 'exe-1'), orphan('failed', 'exe-1')]
  expect([/not answered yet/.test(sent), /fetches its result/.test(running), failed.endsWith(' NOW')]).toEqual([true, true, true])
  expect([sent, running].filter((words) => words.includes('NOW'))).toEqual([])
  const away = new Error('away')
  expect(serviceWords({ kind: 'none', canAsk: false }, away)).toMatch(/SPRITEWRIGHT_BASE_URL.*embedded/)
  expect(serviceWords({ kind: 'remote', canAsk: false }, away)).toMatch(/^There is no API key\. Set SPRITEWRIGHT_API_KEY/)
  expect([serviceWords({ kind: 'remote', canAsk: true }, away), serviceWords({ kind: 'remote', canAsk: true }, 'no')]).toEqual(['away', ''])
})
