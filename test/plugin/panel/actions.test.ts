import { expect, test } from 'vitest'
import { type ActionPorts, type Actions, createActions, spendingActions } from '../../../plugin/panel/server/actions.ts'
import { atService } from '../../../plugin/panel/server/buyer.ts'
import type { ActionName } from '../../../plugin/protocol/actions.ts'
import type { ApproveRequest, TouchAnswer, TouchChallenge } from '../../../src/index.ts'
import { ManualClock } from '../../kit/manual-clock.ts'
import { staleAsks } from '../panel-client.ts'

const { hash } = staleAsks.revoke
const walk = { name: 'walk', frames: 4, fps: 10 }
const picture = { name: 'portrait', frames: 1, fps: 12, isPicture: true }
const meantPicture = { ...picture, name: 'emblem', meant: ['loop'] }
const spec = { name: 'hero', file: '', reference: { kind: 'file' }, animations: [walk, picture, meantPicture] }
const items = [
  { id: 'coin.spin', hash: 'b'.repeat(64), spec: { ...spec, name: 'coin' }, animation: walk, takes: [{ take: 9 }] },
  { id: 'hero.walk', hash, spec, animation: walk, takes: [{ take: 2 }, { take: 5 }, { take: 1 }] },
  { id: 'hero.portrait', hash, spec, animation: picture, takes: [{ take: 1 }] },
]

/** Actions, and everything that they ask for, in order. */
function recorded(own: object = {}): { readonly actions: Actions; readonly calls: readonly unknown[][] } {
  const calls: unknown[][] = []
  const keep =
    (name: string, answer?: unknown) =>
    async (...asked: readonly unknown[]): Promise<unknown> => {
      calls.push([name, ...asked])
      return answer
    }
  const written = { file: '/game/hero.sprite.json', digest: 'after' }
  const workshop = {
    mayBuy: true,
    prices: keep('prices', { balance: 0n }),
    approve: async ({ confirm, onWritten, given, touch }: ApproveRequest) => {
      calls.push(['approve', given])
      const line = { operation: 'sprite_sheet' as const, prompt: '', quote: 24_000n, ceiling: 24_000n }
      if (!(await confirm([{ ...line, id: 'hero.walk', hash }], 0n))) return { approved: [], untouched: [] }
      if (given === 'touched') calls.push(['touched', await touch?.({ challenge: 'c', credentials: [] } as unknown as TouchChallenge)])
      onWritten?.()
      return { approved: ['hero.walk'], untouched: [] }
    },
    answer: keep('answer'),
    recover: keep('recover', { bought: [{ id: 'hero.walk', credits: 1n }] }),
    revoke: keep('revoke', { revoked: ['hero.walk'], inFlight: ['hero#1'] }),
    cancel: keep('cancel', []),
    editSpec: async ({ edit, ...asked }: { edit(now: object): unknown }) => {
      const edits = edit(spec)
      calls.push(['editSpec', asked, edits])
      return written
    },
    undoSpecEdit: keep('undoSpecEdit', written),
    createSprite: keep('createSprite', { file: '/game/fox.sprite.json' }),
    requests: { remove: keep('remove') },
    trust: { touchState: async () => undefined, wordOf: (key: string) => `word of ${key}` },
    host: { clock: new ManualClock() },
    ...own,
  }
  const buyer = {
    closing: new AbortController().signal,
    run: async (ids: readonly string[], work: (...asked: readonly unknown[]) => Promise<unknown>) => {
      calls.push(['run', ids])
      calls.push(['ran', await work('onProgress', 'signal', () => calls.push(['written']))])
    },
    retry: async () => void calls.push(['retry']),
  }
  const ports = {
    ...{ workshop, buyer, isAttended: true, touchOrigin: () => 'http://localhost:7', quote: keep('quote') },
    overview: async () => ({ items }),
    changed: (paths: readonly string[]) => {
      calls.push(['changed', paths])
      return 8
    },
  }
  return { actions: createActions(ports as unknown as ActionPorts), calls }
}

const told = [['changed', atService]]
const wrote = [['changed', ['/game/hero.sprite.json']]]
const edited = { digest: 'after', revision: 8 }
const asked = { sprite: 'hero', digest: hash, picture: undefined }
const bytes = new Uint8Array([104, 105])

test.each<[ActionName, object, object, readonly (readonly unknown[])[]]>([
  ['quote', {}, { revision: 8 }, [['quote'], ...told]],
  ['approve', staleAsks.approve, { revision: 8 }, [['run', []], ['approve', 'clicked'], ['written'], ['ran', []], ['retry'], ...told]],
  ['enrol', { key: 'ES256.AA.BB' }, { word: 'word of ES256.AA.BB' }, []],
  [
    'revoke',
    { id: 'hero.walk', hash },
    { revision: 8, words: expect.stringMatching(/hero\.walk\..* .*hero#1/) },
    [['revoke', ['hero.walk']], ...told],
  ],
  [
    'answer',
    { id: 'hero.walk', hash, questionId: 'q', text: 'left', asset: { name: 'a.png', base64: 'aGk=' } },
    { revision: 8 },
    [
      ['run', ['hero.walk']],
      [
        'answer',
        {
          name: 'hero.walk',
          text: 'left',
          asset: { path: 'a.png', bytes },
          shown: { hash, questionId: 'q' },
          onProgress: 'onProgress',
        },
        'signal',
      ],
      ['ran', []],
      ...told,
    ],
  ],
  [
    'take',
    { id: 'hero.walk', digest: hash },
    { ...edited, take: 6 },
    [['editSpec', asked, [{ path: ['animations', 'walk', 'take'], value: 6 }]], ...wrote],
  ],
  [
    'choose-take',
    { id: 'hero.portrait', digest: hash, take: 3 },
    edited,
    [['editSpec', asked, [{ path: ['reference', 'steps', 0, 'take'], value: 3 }]], ...wrote],
  ],
  [
    'use',
    { id: 'hero.walk', digest: hash, use: [0] },
    edited,
    [['editSpec', asked, [{ path: ['animations', 'walk', 'use'], value: [0] }]], ...wrote],
  ],
  [
    'edit',
    { sprite: 'hero', digest: hash, animations: { walk: { loop: false }, portrait: { meant: ['blank'] }, emblem: { meant: null } } },
    edited,
    [
      [
        'editSpec',
        asked,
        [
          { path: ['animations', 'walk', 'loop'], value: false },
          { path: ['meant', 'portrait'], value: ['blank'] },
          { path: ['animations', 'emblem', 'meant'] },
        ],
      ],
      ...wrote,
    ],
  ],
  [
    'edit',
    { sprite: 'hero', digest: hash, size: { figure: 4 }, anchor: null },
    edited,
    [['editSpec', asked, [{ path: ['size'], value: { figure: 4 } }, { path: ['anchor'] }]], ...wrote],
  ],
  [
    'edit',
    { sprite: 'hero', digest: hash, anchor: { x: 0.123456, y: 0.98765 } },
    edited,
    [['editSpec', asked, [{ path: ['anchor'], value: [0.1235, 0.9877] }]], ...wrote],
  ],
  [
    'reword',
    { sprite: 'hero', digest: hash, animations: { walk: { prompt: null } } },
    edited,
    [['editSpec', asked, [{ path: ['animations', 'walk', 'prompt'] }]], ...wrote],
  ],
  ['reword', { sprite: 'hero', digest: hash, picture: 'aGk=' }, edited, [['editSpec', { ...asked, picture: bytes }, []], ...wrote]],
  ['undo', { sprite: 'hero', digest: hash }, edited, [['undoSpecEdit', { sprite: 'hero', digest: hash }], ...wrote]],
  [
    'create',
    { name: 'fox', prompt: 'a fox', picture: 'aGk=' },
    { revision: 8, id: 'fox.idle' },
    [
      ['createSprite', { name: 'fox', prompt: 'a fox', picture: bytes }],
      ['changed', ['/game/fox.sprite.json']],
    ],
  ],
  [
    'recover',
    staleAsks.recover,
    { revision: 8 },
    [
      ['run', ['hero.walk']],
      [
        'recover',
        { name: 'hero.walk', decision: 'replay', shown: { hash, attempt: 1, about: 'submission' }, onProgress: 'onProgress' },
        'signal',
      ],
      ['ran', [{ id: 'hero.walk', credits: 1n }]],
      ...told,
    ],
  ],
  ['cancel', { id: 'hero#1', hash }, { revision: 8, status: 'unknown' }, [['cancel', 'hero#1', undefined, hash], ...told]],
  ['dismiss', staleAsks.dismiss, { revision: 8 }, [['remove', staleAsks.dismiss.id], ...told]],
])('%s of %j answers %j, once it has asked for all of this in this order', async (name, ask, answer, expected) => {
  const { actions, calls } = recorded()
  expect(await (actions[name] as (given: object) => Promise<unknown>)(ask)).toEqual(answer)
  expect(calls).toEqual(expected)
})

test('an offer that has changed is refused, and neither buys nor tells of a change; to show it writes nothing', async () => {
  const { actions, calls } = recorded()
  await expect(actions.approve({ ...staleAsks.approve, sum: '2.5' })).rejects.toMatchObject({ code: 'SW_CHANGED', offer: { sum: '2.4' } })
  expect(await actions.offer({ ids: [] })).toMatchObject({ sum: '2.4', lines: [{ id: 'hero.walk', hash }] })
  expect(calls).toEqual([
    ['run', []],
    ['approve', 'clicked'],
    ['approve', undefined],
  ])
})

test('a touch is asked for before anything is written; its answer writes and buys with the origin of the panel', async () => {
  const { actions, calls } = recorded({ trust: { touchState: async () => 'enrolled' } })
  expect(await actions.approve(staleAsks.approve)).toEqual({ revision: 8, touch: { challenge: 'c', credentials: [] } })
  expect(calls).toEqual([['run', []], ['approve', 'touched'], ...told])
  expect(await actions.touch(staleAsks.touch)).toEqual({ revision: 8 })
  const answer: TouchAnswer = { assertion: staleAsks.touch, origin: 'http://localhost:7' }
  expect(calls.slice(3)).toEqual([['touched', answer], ['written'], ['ran', []], ['retry'], ...told])
})

test('where nothing may be bought, what may lead to a charge is refused, nothing is asked for, and giving up goes on', async () => {
  const { actions, calls } = recorded({ mayBuy: false })
  for (const name of ['approve', 'touch', 'answer', 'recover'] as const)
    await expect((actions[name] as (ask: object) => Promise<unknown>)(staleAsks[name])).rejects.toMatchObject({ code: 'SW_MISSING' })
  expect(calls).toEqual([])
  await actions.recover({ ...staleAsks.recover, decision: 'abandon' })
  expect(calls).toEqual([
    ['recover', { name: 'hero.walk', decision: 'abandon', shown: { hash, attempt: 1, about: 'submission' } }],
    ...told,
  ])
  expect([...spendingActions]).toEqual(['approve', 'touch', 'answer', 'recover', 'cancel'])
})

test.each<[ActionName, object, object]>([
  ['revoke', { id: 'hero.walk', hash: 'c'.repeat(64) }, { code: 'SW_CHANGED', facts: { id: 'hero.walk' } }],
  ['revoke', { id: 'hero.jump', hash }, { code: 'SW_USAGE', facts: { name: 'hero.jump' } }],
  ['take', { id: 'hero', digest: hash }, { code: 'SW_USAGE', facts: { name: 'hero' } }],
  ['choose-take', { id: 'hero', digest: hash, take: 1 }, { code: 'SW_USAGE', facts: { name: 'hero' } }],
  ['use', { id: 'hero', digest: hash, use: null }, { code: 'SW_USAGE', facts: { name: 'hero' } }],
  ['edit', { sprite: 'hero', digest: hash, animations: { walk: { fps: 1 }, jump: {} } }, { code: 'SW_USAGE', facts: { name: 'jump' } }],
  ['reword', { sprite: 'hero', digest: hash, animations: { jump: { frames: 8 } } }, { code: 'SW_USAGE', facts: { name: 'jump' } }],
  ['add', { sprite: 'hero', digest: hash, name: 'portrait', prompt: 'x', frames: 8 }, { code: 'SW_USAGE', facts: { name: 'portrait' } }],
])('%s of %j is refused by %j, nothing is written, and no page is told of it', async (name, ask, refusal) => {
  const { actions, calls } = recorded()
  await expect((actions[name] as (given: object) => Promise<unknown>)(ask)).rejects.toMatchObject(refusal)
  expect(calls).toEqual([])
})

test('a refused action says what was expected, what was found, and that nothing was written', async () => {
  const { actions } = recorded()
  const barred = recorded({ mayBuy: false }).actions
  const refusals = [
    actions.revoke({ id: 'hero.walk', hash: 'c'.repeat(64) }),
    actions.take({ id: 'hero', digest: hash }),
    actions.edit({ sprite: 'hero', digest: hash, animations: { jump: {} } }),
    actions.add({ sprite: 'hero', digest: hash, name: 'portrait', prompt: 'x', frames: 8 }),
    actions.touch(staleAsks.touch),
    barred.approve(staleAsks.approve),
  ]
  expect(await Promise.all(refusals.map((one) => one.catch(({ message }: Error) => message)))).toMatchInlineSnapshot(`
    [
      "Expected the request of "hero.walk" that was shown; it has changed since. Nothing was taken back. Check its state, and decide again.",
      "Expected the name of an animation or picture whose spec is in order, found "hero".",
      "Expected an animation of "hero", found "jump". Nothing was written.",
      "Expected a new name of an animation, found "portrait", which "hero" has. Nothing was written. Take another name.",
      "Expected a touch within two minutes, for the last approval that was begun; found none. Nothing was approved. Approve again.",
      "Nothing may be bought here (CI, or build.generate is "never"). Nothing was sent. Approve and buy on a machine that may.",
    ]
  `)
})

test('another animation is written with its prompt and its frames, and answers with its id', async () => {
  const { actions, calls } = recorded()
  const answer = await actions.add({ sprite: 'hero', digest: hash, name: 'jump', prompt: 'jumps', frames: 8 })
  expect([answer, calls]).toEqual([
    { ...edited, id: 'hero.jump' },
    [['editSpec', asked, [{ path: ['animations', 'jump'], value: { prompt: 'jumps', frames: 8 } }]], ...wrote],
  ])
})
