import { expect, test } from 'vitest'
import { type ActionPorts, type Actions, createActions } from '../../../plugin/panel/server/actions.ts'
import { type BuyerPorts, createBuyer, type DevBuyer } from '../../../plugin/panel/server/buyer.ts'
import type { ActionName, ActionRequest } from '../../../plugin/protocol/actions.ts'
import type { ApproveRequest, JobProgress, TouchChallenge } from '../../../src/index.ts'
import { ManualClock } from '../../kit/manual-clock.ts'
import { staleAsks } from '../panel-client.ts'

const hash = staleAsks.revoke.hash
const never = new Promise<never>(() => {})
const offered = { id: 'hero.walk', operation: 'sprite_sheet' as const, hash, prompt: '', quote: 24_000n, ceiling: 24_000n }
/** A request that the dev server has sent, and whose outcome a person has to wait for. */
const waiting: JobProgress = { id: 'hero.walk', phase: 'waiting', message: 'for a free place' }

/**
 * The actions of a server on which no look ends: another one runs, and reads a project of forty sprites. Uploads,
 * places and purchases do not end either.
 */
function busyServer(
  own: object = {},
  panel: object = {},
): { readonly actions: Actions; readonly buyer: DevBuyer; readonly steps: JobProgress[] } {
  const steps: JobProgress[] = []
  const spec = { name: 'hero', file: '', animations: [{ name: 'walk', frames: 7, fps: 12 }] }
  const written = async () => ({ file: '/game/hero.sprite.json', digest: hash })
  const workshop = {
    mayBuy: true,
    pending: () => never,
    build: () => never,
    prices: async () => ({ balance: 0n }),
    approve: async ({ confirm, onWritten }: ApproveRequest) => {
      const isSure = await confirm([offered], 1_000_000n)
      if (!isSure) return { approved: [], untouched: [] }
      onWritten?.()
      return never
    },
    answer: ({ onProgress }: { onProgress(step: JobProgress): void }) => {
      onProgress(waiting)
      return never
    },
    recover: async ({ decision, onProgress }: { decision: string; onProgress(step: JobProgress): void }) => {
      if (decision === 'abandon') return { bought: [] }
      onProgress({ ...waiting, phase: 'submitting' })
      return never
    },
    revoke: async () => ({ revoked: ['hero.walk'], inFlight: [] }),
    cancel: async () => [{ status: 'cancelled' }],
    editSpec: written,
    undoSpecEdit: written,
    createSprite: written,
    requests: { remove: async () => {} },
    host: {},
    trust: { touchState: async () => undefined, wordOf: () => 'kilomukuzu' },
    ...own,
  }
  const buyer = createBuyer({
    workshop: workshop as unknown as BuyerPorts['workshop'],
    log: () => {},
    onProgress: (step) => steps.push(step),
    onChange: () => {},
  })
  void buyer.look()
  const item = { id: 'hero.walk', hash, spec, animation: spec.animations[0], takes: [{ take: 1 }] }
  const shown = { overview: async () => ({ items: [item] }), quote: async () => {}, changed: () => 7 }
  const ports = { ...shown, workshop, buyer, isAttended: true, touchOrigin: () => 'http://localhost', ...panel }
  return { actions: createActions(ports as unknown as ActionPorts), buyer, steps }
}

/** Whether an action answers although nothing else ends. */
async function answers(action: Promise<unknown>): Promise<unknown> {
  let answer: unknown = 'waits'
  action.then(
    (answered) => {
      answer = answered
    },
    (error: unknown) => {
      answer = error
    },
  )
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  return answer
}

test.each(Object.keys(staleAsks) as ActionName[])('%s is answered while looks, uploads and purchases go on', async (name) => {
  const { actions } = busyServer()
  const act = actions[name] as (ask: unknown) => Promise<unknown>
  const ask = name === 'offer' ? { ids: [] } : staleAsks[name]
  const answer = await answers(act(ask))
  const others = { offer: { sum: '2.4' }, enrol: { word: 'kilomukuzu' }, touch: { code: 'SW_CHANGED' } }
  expect(answer).toMatchObject(name in others ? others[name as keyof typeof others] : { revision: 7 })
})

test('giving up is answered while looks go on', async () => {
  expect(await answers(busyServer().actions.recover({ ...staleAsks.recover, decision: 'abandon' }))).toEqual({ revision: 7 })
})

test('an answer that waits for a place is shown as waiting', async () => {
  const { actions, buyer, steps } = busyServer()
  await answers(actions.answer(staleAsks.answer as ActionRequest<'answer'>))
  expect([steps, buyer.progress.get('hero.walk')]).toEqual([[waiting], waiting])
})

test('the end of the server ends an approval that still uploads', async () => {
  let isEnded = false
  const { actions, buyer } = busyServer({
    pending: async () => ({ orders: [], mayBuy: true, canAsk: true }),
    approve: ({ confirm, onWritten }: ApproveRequest, signal: AbortSignal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          isEnded = true
          reject(signal.reason)
        })
        void confirm([offered], 1_000_000n).then(onWritten)
      }),
  })
  await actions.approve(staleAsks.approve as ActionRequest<'approve'>)
  await buyer.close()
  expect(isEnded).toBe(true)
})

test('what was approved by a touch is bought, although no file has changed', async () => {
  const orders: object[] = []
  const begun: (readonly string[])[] = []
  const { actions } = busyServer({
    host: { clock: new ManualClock() },
    trust: { touchState: async () => ({}) },
    pending: async () => ({ orders: [...orders], mayBuy: true, canAsk: true }),
    build: ({ names }: { names: readonly string[] }) => {
      begun.push(names)
      return never
    },
    approve: async ({ confirm, touch }: ApproveRequest) => {
      await confirm([offered], 1_000_000n)
      await touch?.({ challenge: 'c', words: '' } as unknown as TouchChallenge)
      orders.push({ id: 'hero.walk', state: 'approved', mark: '1' })
      return { approved: ['hero.walk'], untouched: [] }
    },
  })
  expect(await actions.approve(staleAsks.approve as ActionRequest<'approve'>)).toMatchObject({ touch: { challenge: 'c' } })
  expect(begun).toEqual([])
  await answers(actions.touch(staleAsks.touch as ActionRequest<'touch'>))
  expect(begun).toEqual([['hero.walk']])
})

test.each([
  ['clicked', undefined, true],
  ['unattended', undefined, false],
  ['touched', 'enrolled', false],
  ['touched', 'needed', true],
] as const)('an approval is given as %s with a touch %s, at a terminal that a person watches: %s', async (given, touch, isAttended) => {
  const asked: ApproveRequest[] = []
  const approve = async (request: ApproveRequest) => {
    asked.push(request)
    await request.confirm([offered], 1_000_000n)
    return { approved: ['hero.walk'], untouched: [] }
  }
  const { actions } = busyServer({ approve, trust: { touchState: async () => touch } }, { isAttended })
  await actions.approve({ ...staleAsks.approve, ceiling: '2.5', adopt: true } as ActionRequest<'approve'>).catch(() => {})
  expect(asked).toMatchObject([{ given, names: ['hero.walk'], max: 25_000n, adopt: true }])
})

test('an offer has the service of the worker that sells, how a touch stands, and what it leaves out', async () => {
  const approve = async ({ confirm }: ApproveRequest) => {
    await confirm([{ ...offered, warning: 'dear' }], 30_000n, { host: 'api.example', keyMode: 'live', priceVersions: ['1'] })
    return { approved: [], untouched: ['coin.spin'] }
  }
  const { actions } = busyServer({ approve, trust: { touchState: async () => 'needed' } })
  const { worker, ...offer } = await actions.offer({ ids: [] })
  expect(offer).toMatchObject({ sum: '2.4', balance: '3', touch: 'needed', untouched: ['coin.spin'], lines: [{ warning: 'dear' }] })
  expect(worker).toContain('api.example')
})

/** A server that keeps what its workshop is asked for, and which files pages are told of. */
function recorded(animation: object = {}, takes: readonly { readonly take: number }[] = [{ take: 1 }]) {
  const calls: unknown[][] = []
  const keep =
    (name: string, answer: unknown = {}) =>
    async (...asked: readonly unknown[]) => {
      calls.push([name, ...asked])
      return answer
    }
  const walk = { name: 'walk', frames: 4, fps: 10, ...animation }
  const spec = { name: 'hero', file: '', animations: [walk] }
  const written = { file: '/game/hero.sprite.json', digest: 'after' }
  const { actions } = busyServer(
    {
      ...{ answer: keep('answer'), cancel: keep('cancel', [{ status: 'running' }]), recover: keep('recover') },
      ...{ createSprite: keep('createSprite', written), undoSpecEdit: keep('undoSpecEdit', written), requests: { remove: keep('remove') } },
      editSpec: async ({ edit, ...asked }: { edit(now: object): unknown }) => {
        calls.push(['editSpec', asked, edit(spec)])
        return written
      },
    },
    {
      overview: async () => ({ items: [{ id: 'hero.walk', hash, spec, animation: walk, takes }] }),
      changed: (paths: readonly string[]) => {
        calls.push(['changed', paths])
        return 8
      },
    },
  )
  return { actions, calls }
}

test('decisions and answers go on with the request that the person saw, and with the bytes of its picture', async () => {
  const { actions, calls } = recorded()
  const { id } = staleAsks.dismiss
  const picture = new Uint8Array([0, 0, 0])
  expect(await actions.cancel({ id: 'hero#1', hash })).toMatchObject({ status: 'running' })
  await actions.recover({ id: 'hero.walk', hash, decision: 'abandon', attempt: 3, about: 'answer', executionId: 'e' })
  await actions.answer({ id: 'hero.walk', hash, questionId: 'q', text: 'left', asset: { name: 'a.png', base64: 'AAAA' } })
  await actions.dismiss({ id })
  expect(calls.filter(([name]) => name !== 'changed')).toMatchObject([
    ['cancel', 'hero#1', undefined, hash],
    ['recover', { name: 'hero.walk', decision: 'abandon', shown: { hash, attempt: 3, about: 'answer', executionId: 'e' } }],
    [
      'answer',
      { name: 'hero.walk', text: 'left', asset: { path: 'a.png', bytes: picture }, shown: { hash, questionId: 'q' } },
      expect.anything(),
    ],
    ['remove', id],
  ])
})

test('an edit writes the fields of its form into the spec that the person saw, and pages are told of that file', async () => {
  const { actions, calls } = recorded({ durations: [10, 20, 30, 40], use: [3, 2, 1, 0] }, [{ take: 3 }, { take: 1 }])
  const at = { id: 'hero.walk', digest: hash }
  const own = { sprite: 'hero', digest: hash }
  expect(await actions.take(at)).toEqual({ digest: 'after', revision: 8, take: 4 })
  await actions['choose-take']({ ...at, take: 1 })
  await actions.use({ ...at, use: [0, 3] })
  await actions.use({ ...at, use: null })
  await actions.edit({ ...own, size: null, anchor: { x: 1 / 3, y: 1 }, animations: { walk: { fps: 5, yoyo: null } } })
  await actions.reword({ ...own, prompt: 'a knight', picture: 'AAAA', animations: { walk: { frames: 9 } } })
  expect(await actions.add({ ...own, name: 'jump', prompt: 'jumps', frames: 8 })).toMatchObject({ id: 'hero.jump' })
  const walk = (field: string, ...value: readonly unknown[]) => ({
    path: ['animations', 'walk', field],
    ...(value.length > 0 ? { value: value[0] } : {}),
  })
  const asked = { ...own, picture: undefined }
  expect(calls.filter(([name]) => name === 'editSpec').map(([, request, edits]) => [request, edits])).toEqual([
    [asked, [walk('take', 4)]],
    [asked, [walk('take', 1)]],
    [asked, [walk('use', [0, 3]), walk('durations', [40, 10])]],
    [asked, [walk('use'), walk('durations', [40, 30, 20, 10])]],
    [asked, [{ path: ['size'] }, { path: ['anchor'], value: [0.3333, 1] }, walk('fps', 5), walk('yoyo')]],
    [{ ...own, picture: new Uint8Array([0, 0, 0]) }, [{ path: ['prompt'], value: 'a knight' }, walk('frames', 9)]],
    [asked, [{ path: ['animations', 'jump'], value: { prompt: 'jumps', frames: 8 } }]],
  ])
  expect(calls.filter(([name]) => name === 'changed')).toEqual(Array(7).fill(['changed', ['/game/hero.sprite.json']]))
})

test('a frame that is played anew gets the time of the rate, and never none', async () => {
  const { actions, calls } = recorded({ durations: [15], use: [2], fps: 240 })
  await actions.use({ id: 'hero.walk', digest: hash, use: [2, 0] })
  expect(calls[0]?.[2]).toMatchObject([{}, { value: [15, 4] }])
})
