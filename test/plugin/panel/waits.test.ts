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
function busyServer(own: object = {}): { readonly actions: Actions; readonly buyer: DevBuyer; readonly steps: JobProgress[] } {
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
  const ports = { ...shown, workshop, buyer, isAttended: true, touchOrigin: () => 'http://localhost' }
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
