import { expect, test, vi } from 'vitest'
import { type BuyerPorts, createBuyer } from '../../plugin/panel/server/buyer.ts'
import type { PendingReport } from '../../src/workshop/api/overview-report.ts'

const hero = '/game/hero.sprite.json'
const coin = '/game/coin.sprite.json'

/** A buyer of a project in which `hero.walk` is due, the reports that it reads, and its purchases. */
function world() {
  const bought: string[] = []
  const answers: (Partial<PendingReport> | Error)[] = []
  const workshop = {
    pending: async (changed?: readonly string[]): Promise<PendingReport> => {
      const answer = answers.shift() ?? {}
      if (answer instanceof Error) throw answer
      const isAsked = !changed || changed.includes(hero)
      return {
        orders: isAsked && bought.length === 0 ? [{ id: 'hero.walk', state: 'approved', mark: '', approved: '' }] : [],
        mayBuy: true,
        canAsk: true,
        ...answer,
      }
    },
    build: async ({ names = [] }: { names?: readonly string[] } = {}) => {
      bought.push(...names)
      return { bought: [] }
    },
    host: {},
  } as unknown as BuyerPorts['workshop']
  const buyer = createBuyer({ workshop, log: () => {}, onProgress: () => {}, onChange: () => {} })
  return { buyer, bought, answers }
}

test.each<readonly [string, Partial<PendingReport> | Error]>([
  ['that failed', new Error('torn')],
  ['at which nothing could be asked', { canAsk: false, orders: [] }],
])('what was saved before a look %s is found by the next one', async (_what, answer) => {
  const { buyer, bought, answers } = world()
  answers.push(answer)
  await buyer.look([hero])
  expect(bought).toEqual([])
  await buyer.look([coin])
  await buyer.close()
  expect(bought).toEqual(['hero.walk'])
})

test('after a look that went well, only what was saved since is looked at', async () => {
  const { buyer, bought } = world()
  await buyer.look([coin])
  await buyer.look([coin])
  expect(bought).toEqual([])
  await buyer.close()
})

test('what is approved anew while a run of it ends is begun again, and what fails under one approval is not', async () => {
  let approved = 'first'
  const begun: string[] = []
  const workshop = {
    pending: async (): Promise<PendingReport> => ({
      orders: [{ id: 'hero.walk', state: 'approved', mark: approved, approved }],
      mayBuy: true,
      canAsk: true,
    }),
    build: async () => {
      begun.push(approved)
      approved = 'again'
      throw new Error('was given up')
    },
    host: {},
  } as unknown as BuyerPorts['workshop']
  const buyer = createBuyer({ workshop, log: () => {}, onProgress: () => {}, onChange: () => {} })
  await buyer.look()
  await vi.waitFor(() => expect(begun).toEqual(['first', 'again']), { timeout: 20_000 })
  await buyer.look()
  await buyer.close()
  expect(begun).toEqual(['first', 'again'])
})
