import { describe, expect, test } from 'vitest'
import { type ErrorCode, SpritewrightError } from '../../src/errors.ts'
import type { Order, Purchase } from '../../src/job/order.ts'
import { endsEverything, runOrders } from '../../src/job/run-orders.ts'
import { numberedOrder } from '../sim/exhaustive/project.ts'
import { bench, price } from './bench.ts'

const fail = (code: ErrorCode, message = 'No.') => new SpritewrightError(code, { message })
const orders = [1, 2, 3, 4, 5].map((number) => numberedOrder(number, price))
const bought = ({ request: { id }, hash }: Order): Purchase => ({ id, hash, sha256: 's', credits: '2.4', isFresh: true })

test.each<[unknown, boolean]>([
  [fail('SW_KEY_REFUSED'), true],
  [fail('SW_INTERRUPTED'), true],
  [fail('SW_DISK'), true],
  [fail('SW_LOCKFILE'), true],
  [fail('SW_CEILING'), false],
  [Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' }), true],
  [Object.assign(new Error('x'), { code: 'ERR_X' }), false],
  [Object.assign(new Error('x'), { code: 5, syscall: 'write' }), false],
  [new Error('x'), false],
  [undefined, false],
])('the run ends after %o: %s', (error, isEnd) => {
  expect(endsEverything(error)).toBe(isEnd)
})

describe('a run of several orders', () => {
  test('goes on after a failure, and reports failures in their order and purchases by id', async () => {
    const made = bench()
    const errors = [fail('SW_CEILING', 'Too dear.'), undefined, fail('SW_UNREACHABLE'), undefined, undefined]
    // The first failure comes last.
    const work = async (_ports: unknown, order: Order): Promise<Purchase> => {
      const index = orders.indexOf(order)
      for (let turn = 0; turn < 10 * (5 - index); turn++) await Promise.resolve()
      if (errors[index]) throw errors[index]
      return bought(order)
    }
    const mixed = [3, 4, 1, 2, 0].map((index) => orders[index] as Order)
    const { failures, purchases } = await runOrders(made, mixed, 5, work)
    expect(failures).toEqual([
      { order: orders[2], error: errors[2] },
      { order: orders[0], error: errors[0] },
    ])
    expect(purchases.map(({ id }) => id)).toEqual(['hero.2', 'hero.4', 'hero.5'])
    expect(made.progress.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { id: 'hero.3', phase: 'waiting', message: 'the service does not answer' },
      { id: 'hero.walk', phase: 'failed', message: 'Too dear.' },
    ])
  })

  test('begins no other order after an error of the disk, or after a result had to be kept elsewhere', async () => {
    const begun: string[] = []
    const work = async (_ports: unknown, order: Order): Promise<Purchase> => {
      begun.push(order.request.id)
      if (begun.length === 2) throw fail('SW_DISK')
      return bought(order)
    }
    const { failures } = await runOrders(bench(), orders, 1, work)
    expect([begun, failures.map(({ order }) => order.request.id)]).toEqual([['hero.walk', 'hero.2'], ['hero.2']])
    const made = bench()
    const rescued = await runOrders({ ...made, vault: { ...made.vault, rescued: ['/state/a', '/state/a'] } }, orders, 1, work)
    expect(rescued.failures).toMatchObject([{ order: orders[0], error: { code: 'SW_DISK', facts: { rescued: ['/state/a'] } } }])
    expect(begun).toHaveLength(2)
  })

  test('reports an interrupted order without a failed state: it goes on at the service', async () => {
    const stop = new AbortController()
    const made = bench({}, { signal: stop.signal })
    const work = async (): Promise<Purchase> => {
      stop.abort()
      throw fail('SW_CEILING')
    }
    const { failures } = await runOrders(made, orders, 1, work)
    expect([failures.length, made.progress]).toEqual([1, []])
  })
})
