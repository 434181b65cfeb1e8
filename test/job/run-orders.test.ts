import { describe, expect, test } from 'vitest'
import { type ErrorCode, SpritewrightError } from '../../src/errors.ts'
import type { JobPorts, Order, Purchase } from '../../src/job/order.ts'
import { purchase } from '../../src/job/purchase.ts'
import { recordDecision } from '../../src/job/recover.ts'
import { endsEverything, runOrders } from '../../src/job/run-orders.ts'
import type { SubmissionOutcome } from '../../src/service/wire.ts'
import { numberedOrder } from '../sim/exhaustive/project.ts'
import { bench, errorOf, order, price } from './bench.ts'

const fail = (code: ErrorCode, message = 'No.') => new SpritewrightError(code, { message })
const orders = [1, 2, 3, 4, 5].map((number) => numberedOrder(number, price))
const bought = ({ request: { id }, hash }: Order): Purchase => ({ id, hash, sha256: 's', credits: '2.4', isFresh: true })

test.each<[unknown, boolean]>([
  [fail('SW_KEY_REFUSED'), true],
  [fail('SW_INTERRUPTED'), true],
  [fail('SW_DISK'), true],
  [fail('SW_LOCKFILE'), true],
  [fail('SW_CEILING'), false],
  [new SpritewrightError('SW_WIRE', { message: 'No JSON.', facts: { isUnread: true } }), true],
  [new SpritewrightError('SW_WIRE', { message: 'No JSON.', facts: { isUnread: false } }), false],
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
    // The last order ends first.
    const work = async (_ports: unknown, order: Order): Promise<Purchase> => {
      const index = orders.indexOf(order)
      for (let turn = 0; turn < 10 * (1 + index); turn++) await Promise.resolve()
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
    const alone = await runOrders(bench(), mixed, 1, work)
    expect([alone.failures.length, alone.purchases.length]).toEqual([2, 3])
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
    expect(rescued.failures).toMatchObject([
      { order: orders[0], error: { code: 'SW_DISK', facts: { id: 'hero.walk', rescued: ['/state/a'] } } },
    ])
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

describe('a POST', () => {
  const unknown: SubmissionOutcome = { kind: 'unknown', status: 503, message: 'busy' }
  const refused: SubmissionOutcome = { kind: 'refused', status: 422, error: errorOf('invalid_request') }
  /** A run whose POSTs get this outcome, and what it reserved and sent. */
  function spender(over: Partial<JobPorts> = {}) {
    const shares: unknown[] = []
    const sent: string[] = []
    const outcome = { next: refused }
    const version = order.approval?.priceVersion ?? ''
    const made = bench(
      {
        submit: async ({ key }, record) => {
          await record()
          sent.push(key)
          return outcome.next
        },
        balance: async () => 9n * price,
        estimate: async () => ({
          ...{ priceVersion: version, frameCount: 7, background: 'remove', credits: price, referenceUsd: '0', referenceCreditCents: 0 },
        }),
      },
      { uploads: { referenceId: async () => 'a0000000-0000-4000-8000-000000000001', forget: async () => {} }, ...over },
    )
    const reservations = { ...made.reservations, reserve: async (share: unknown) => void shares.push(share) }
    return { ...made, reservations, shares, sent, outcome }
  }
  const share = { id: 'hero.walk', hash: order.hash, attempt: 1, credits: price, round: 0, approver: order.approval?.buyer }

  test('reserves its price, and once more after a person has decided to repeat it, for the approver of its bytes', async () => {
    const made = spender()
    made.outcome.next = unknown
    await expect(purchase(made, order)).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    expect(made.shares.length).toBe(made.sent.length)
    expect(made.shares[0]).toEqual(share)
    await made.clock.sleep(11 * 60_000)
    await recordDecision(made, order, 'replay', undefined)
    made.outcome.next = refused
    await expect(purchase(made, { ...order, approval: undefined })).rejects.toMatchObject({ code: 'SW_UNCERTAIN' })
    expect(made.shares.at(-1)).toEqual({ ...share, credits: 2n * price })
    expect(new Set(made.sent).size).toBe(1)
  })

  test('reserves its share anew after another process has released it', async () => {
    const made = spender()
    const reserve = async () => Promise.reject(new Error('full'))
    await expect(purchase({ ...made, reservations: { ...made.reservations, reserve } }, order)).rejects.toThrow('full')
    await made.record('withdrawn', { attempt: 1 })
    await expect(purchase(made, order)).rejects.toMatchObject({ code: 'SW_REFUSED' })
    expect([made.shares, made.sent.length]).toEqual([[{ ...share, round: 1 }], 1])
  })

  test('is not sent by a run that was interrupted before, nor if a result could not be stored', async () => {
    const made = spender()
    await expect(purchase({ ...made, signal: AbortSignal.abort(new Error('interrupted')) }, order)).rejects.toThrow('interrupted')
    const probeShared = async () => Promise.reject(new Error('the store is full'))
    await expect(purchase({ ...made, vault: { ...made.vault, probeShared } }, order)).rejects.toThrow('the store is full')
    expect([made.sent, await made.types()]).toEqual([[], []])
    made.outcome.next = { kind: 'refused', status: 401, error: errorOf('authentication_failed') }
    await expect(purchase(made, order)).rejects.toMatchObject({ code: 'SW_KEY_REFUSED' })
    const probe = async () => Promise.reject(new Error('the disk is full'))
    await expect(purchase({ ...made, vault: { ...made.vault, probe } }, order)).rejects.toThrow('the disk is full')
    expect(made.sent).toHaveLength(1)
  })

  test('after a refusal needs the checks of a first one: a price that rose meanwhile stops it', async () => {
    const made = spender()
    made.outcome.next = { kind: 'refused', status: 401, error: errorOf('authentication_failed') }
    await expect(purchase(made, order)).rejects.toMatchObject({ code: 'SW_KEY_REFUSED' })
    const client = { ...made.client, balance: async () => price - 1n }
    await expect(purchase({ ...made, client }, order)).rejects.toMatchObject({ code: 'SW_BALANCE' })
    expect(made.sent).toHaveLength(1)
  })
})
