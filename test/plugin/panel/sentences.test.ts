import { describe, expect, test } from 'vitest'
import { accessOf } from '../../../plugin/panel/server/access.ts'
import { OfferChanged } from '../../../plugin/panel/server/approval-offer.ts'
import { openWords, revokeWords, toRecover } from '../../../plugin/panel/ui/money/decision-words.ts'
import { addressOf } from '../../../plugin/panel/ui/state/address.ts'
import { firstSettings, scaleOf, speeds, zoomBy, zooms } from '../../../plugin/panel/ui/state/view-settings.ts'
import { allPaid, countWords, creditsWords, progressOf, progressWords, timeWords } from '../../../plugin/panel/ui/state/words.ts'
import type { PanelOffer } from '../../../plugin/protocol/actions.ts'
import type { PanelUndecided } from '../../../plugin/protocol/protocol.ts'
import { orphanWords, serviceWords } from '../../../plugin/protocol/state/words.ts'

const kinds = ['submission', 'answer', 'conflict', 'execution'] as const satisfies readonly PanelUndecided[]

describe('a decision about a purchase', () => {
  test('is asked for in the words of its case, with the most that it may cost', () => {
    expect(kinds.map((undecided) => openWords({ id: 'hero.walk', undecided, ceiling: '2.4' }))).toMatchInlineSnapshot(`
      [
        {
          "abandon": {
            "name": "Give it up",
            "title": "Give hero.walk up?",
            "words": "Nothing more is sent for it. A charge, if there was one, stays, its result is not fetched, and 2.4 credits go on counting as spent. To buy it, approve it again.",
          },
          "replay": {
            "name": "Send it again",
            "title": "Send hero.walk again?",
            "words": "The same bytes go out under the same key. If it was bought and the service knows the key, you get what was bought. If the service has forgotten the key, you pay a second time, at most 2.4 credits.",
          },
          "title": "It is unknown whether this was bought",
          "words": "It was sent and never answered. Until this is decided, 2.4 credits count as spent and nothing more is sent.",
        },
        {
          "abandon": {
            "name": "Take it back",
            "title": "Take the answer for hero.walk back?",
            "words": "It is not sent again, and you can give another answer. If it did arrive, the service continues with it anyway.",
          },
          "replay": {
            "name": "Send it again",
            "title": "Send the answer for hero.walk again?",
            "words": "The same words go out under the same key.",
          },
          "title": "It is unknown whether the answer arrived",
          "words": "It was sent and never confirmed. Until this is decided nothing more is sent.",
        },
        {
          "abandon": {
            "name": "Give it up",
            "title": "Give hero.walk up?",
            "words": "Nothing more is sent under this key, and 2.4 credits go on counting as spent, because the request of the other checkout may be charged. To buy it, approve it again.",
          },
          "replay": {
            "name": "Send it again",
            "title": "Send hero.walk again?",
            "words": "Our bytes are sent once more under the same key. If the service accepts them now, you pay at most 2.4 credits.",
          },
          "title": "The service knows this key with other bytes",
          "words": "Another checkout has sent its own. Pull sprites.lock* from there; decide here only if there is no such checkout.",
        },
        {
          "abandon": {
            "name": "Give it up",
            "title": "Give hero.walk up?",
            "words": "It is not asked for any more. A charge, if there was one, stays, and 2.4 credits go on counting as spent. To buy it, approve it again.",
          },
          "title": "The service has lost this",
          "words": "The service had accepted it, and does not know it any more. Check that this is the service and the account that bought it.",
        },
      ]
    `)
    const unknown = openWords({ id: 'hero.walk', undecided: 'submission', ceiling: undefined })
    expect([
      unknown?.replay?.words.includes('at most its ceiling.'),
      openWords({ id: 'hero.walk', undecided: undefined, ceiling: '1' }),
    ]).toEqual([true, undefined])
    expect(revokeWords('hero.walk', [])).toEqual({
      name: 'Take back',
      title: 'Take the approval of hero.walk back?',
      words:
        'Nothing more is bought for hero.walk, neither for its present prompt nor for an earlier one. A request that was sent already continues.',
    })
  })

  test('names the purchase that was shown, and its execution only if it is about that', () => {
    const shown = { id: 'hero.walk', hash: 'h', attempt: 3, executionId: 'exe-1' }
    const decide = (own: object) => toRecover({ ...shown, ...own } as never, 'abandon')
    const common = { id: 'hero.walk', hash: 'h', attempt: 3, decision: 'abandon' }
    expect(kinds.map((undecided) => decide({ undecided }))).toEqual([
      { ...common, about: 'submission' },
      { ...common, about: 'answer', executionId: 'exe-1' },
      { ...common, about: 'conflict' },
      { ...common, about: 'execution', executionId: 'exe-1' },
    ])
    const bare = { undecided: undefined, hash: undefined, attempt: undefined }
    expect(decide(bare)).toEqual({ id: 'hero.walk', hash: '', attempt: 1, decision: 'abandon', about: 'submission' })
    expect(decide({ undecided: 'execution', executionId: undefined })).toEqual({ ...common, about: 'execution' })
  })
})

describe('the words of the page', () => {
  test('tell each phase of a purchase, the share of one that is drawn, and why one waits', () => {
    const phases = ['checking', 'uploading', 'submitting', 'queued', 'running', 'waiting', 'downloading', 'bought', 'failed'] as const
    expect(phases.map((phase) => progressWords({ id: '', phase, progress: 0.456, message: 'no place' }))).toEqual([
      'asking for the price',
      'sending the picture',
      'submitting',
      'in the queue',
      'being drawn, 46 %',
      'waiting: no place',
      'fetching the result',
      'bought',
      'failed',
    ])
    expect((['running', 'waiting'] as const).map((phase) => progressWords({ id: '', phase }))).toEqual(['being drawn', 'waiting'])
  })

  test('count in one or in many, and have a time to the minute', () => {
    expect(['1', '0', '2.4', '11'].map(creditsWords)).toEqual(['1 credit', '0 credits', '2.4 credits', '11 credits'])
    expect([0, 1, 2].map((count) => countWords(count, 'frame'))).toEqual(['0 frames', '1 frame', '2 frames'])
    expect(countWords(2, 'is', 'are')).toBe('2 are')
    expect([timeWords(0), timeWords(new Date(2026, 2, 2, 14, 5).getTime())]).toEqual(['–', '2 Mar 2026, 14:05'])
  })

  test('find the progress of a step by any of its names, and all paid requests of a state', () => {
    const step = { id: 'hero#1', ids: ['hero#1', 'orc#1'], progress: { id: 'hero#1', phase: 'queued' } } as never
    const orc = { id: 'orc#1', phase: 'running' } as const
    expect([progressOf({ 'orc#1': orc }, step), progressOf({}, step)]).toEqual([orc, { id: 'hero#1', phase: 'queued' }])
    const state = { sprites: [{ animations: ['a', 'b'] }, { animations: ['c'] }], steps: ['d'], orphans: ['e'] } as never
    expect(allPaid(state)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('are at an address that leaves out what is usual', () => {
    expect([
      addressOf({ view: 'sprites' }),
      addressOf({ view: 'sprites', id: 'hero#2' }),
      addressOf({ view: 'wall' }),
      addressOf({ view: 'problems', id: 'hero.walk' }),
    ]).toEqual(['?', '?show=hero%232', '?view=wall', '?view=problems&show=hero.walk'])
  })
})

test('a preview begins in its usual way, and zooms step by step to what fits', () => {
  expect(firstSettings).toEqual({ zoom: 'fit', speed: 1, ground: 'checker', colour: '#5a8f5a', hasOnion: false, hasAnchor: true })
  expect([zooms, speeds]).toEqual([
    ['fit', 1, 2, 3, 4, 5, 6, 7, 8],
    [0.1, 0.25, 0.5, 1, 2],
  ])
  expect([zoomBy('fit', -1), zoomBy('fit', 1), zoomBy(3, 1), zoomBy(3, -1), zoomBy(1, -1), zoomBy(8, 1)]).toEqual([
    'fit',
    1,
    4,
    2,
    'fit',
    8,
  ])
  const scale = (width: number, height: number) => scaleOf('fit', { width, height }, { width: 100, height: 60 })
  expect([
    scale(10, 10),
    scale(30, 10),
    scale(1, 1),
    scale(200, 10),
    scale(10, 6000),
    scaleOf(3, { width: 900, height: 1 }, { width: 1, height: 1 }),
  ]).toEqual([6, 3, 8, 0.5, 0.05, 3])
})

describe('the words of the server', () => {
  const origin = (address: string, isOvertaken = false) =>
    ({
      ...{ token: 'secret', isOvertaken },
      listening: {
        httpServer: { address: () => ({ address, port: 7 }) },
        resolvedUrls: { local: [], network: [] },
        config: { server: {} },
      },
    }) as unknown as Parameters<typeof accessOf>[0]
  const asking = (host: string, token: string) => ({ headers: { host, 'x-spritewright-token': token } })

  test('say what a page may not do, and what to do about it', () => {
    const [own, other] = [asking('localhost:7', 'secret'), asking('evil.example:7', 'secret')]
    expect([
      accessOf(origin('127.0.0.1'), own, true),
      accessOf(origin('127.0.0.1'), own, false),
      accessOf(origin('0.0.0.0'), own, true),
      accessOf(origin('127.0.0.1'), other, true),
      accessOf(origin('127.0.0.1'), asking('localhost:7', 'guess'), true),
      accessOf(origin('127.0.0.1', true), own, true),
    ]).toMatchInlineSnapshot(`
      [
        {
          "mayAct": true,
          "mayBuy": true,
          "words": "",
        },
        {
          "mayAct": true,
          "mayBuy": false,
          "words": "Nothing may be bought here: CI, or build.generate is "never".",
        },
        {
          "mayAct": true,
          "mayBuy": false,
          "words": "This server can be reached from other machines (server.host), so nothing is bought from here. Approve in a terminal: npx spritewright approve",
        },
        {
          "mayAct": false,
          "mayBuy": false,
          "words": "This page only shows: it was not opened by an address of this server. Open the one that the terminal printed.",
        },
        {
          "mayAct": false,
          "mayBuy": false,
          "words": "This page only shows. To act, open the address with #token=… that the terminal printed when the server started.",
        },
        {
          "mayAct": false,
          "mayBuy": false,
          "words": "Expected no service worker at this address, found one, which may have read the token. Nothing is accepted from here. The terminal says what to do.",
        },
      ]
    `)
  })

  test('say what became of an earlier request, and what the service lacks', () => {
    const of = (state: string, executionId?: string) => orphanWords('It failed.', { state, executionId } as never)
    const service = (kind: string, canAsk: boolean) => serviceWords({ kind, canAsk } as never, new Error('away'))
    expect([
      of('running'),
      of('running', 'exe-1'),
      of('failed'),
      service('none', false),
      service('remote', false),
      service('remote', true),
    ]).toMatchInlineSnapshot(`
      [
        "An earlier version of its spec requested it. Sent, and not answered yet. It is not sent again by itself. If its outcome can no longer be known, you decide.",
        "An earlier version of its spec requested it. Under way at the service. A later build fetches its result.",
        "An earlier version of its spec requested it. It failed.",
        "No service is known. Set SPRITEWRIGHT_BASE_URL and SPRITEWRIGHT_API_KEY in .env.local, or try without an account: service: 'embedded' in spritewright.config.",
        "There is no API key. Set SPRITEWRIGHT_API_KEY in .env.local; without it nothing can be priced or bought.",
        "away",
      ]
    `)
  })

  test('name the requests that have changed since an offer was shown, and no others', () => {
    const line = (id: string, hash: string) => ({ id, hash, operation: 'sprite_sheet', prompt: '', price: '1', ceiling: '1' }) as const
    const offer: PanelOffer = {
      lines: [line('a', '1'), line('b', '3'), line('c', '1')],
      sum: '3',
      ceilings: '3',
      balance: '9',
      untouched: [],
    }
    const changed = new OfferChanged(offer, { lines: [line('a', '1'), line('b', '2')] })
    const same = new OfferChanged(offer, { lines: [line('a', '1')] })
    expect([changed, same].map(({ code, message, facts, offer: now }) => [code, message, facts, now === offer])).toEqual([
      [
        'SW_CHANGED',
        'The offer has changed since it was shown. The requests have changed: b. Nothing was approved. Check it, and approve it as it is.',
        { sum: '3', ids: ['a', 'b', 'c'] },
        true,
      ],
      [
        'SW_CHANGED',
        'The offer has changed since it was shown. Nothing was approved. Check it, and approve it as it is.',
        { sum: '3', ids: ['a', 'b', 'c'] },
        true,
      ],
    ])
  })
})
