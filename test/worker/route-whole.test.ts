import { describe, expect, test } from 'vitest'
import type { SpritewrightError } from '../../src/errors.ts'
import { PutBack } from '../../src/host/net/job-queue.ts'
import type { Order } from '../../src/job/order.ts'
import type { Context } from '../../src/project/context.ts'
import type { OrderMessage } from '../../src/queue/messages.ts'
import type { Clone } from '../../src/workshop/worker/clones.ts'
import { refusedOrder } from '../../src/workshop/worker/committed-order.ts'
import { type CommittedOrder, Unfetched } from '../../src/workshop/worker/read-order.ts'
import { createRouter } from '../../src/workshop/worker/route.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

const over = new AbortController()

describe('the clone of an order', () => {
  const message: OrderMessage = { id: 'hero.walk', hash: 'a'.repeat(64), commit: 'c'.repeat(40), file: 'hero.sprite.json' }
  const refused = (why: string): SpritewrightError => refusedOrder(message, why)
  interface Reader {
    readonly name: string
    /** Whether it has the commit, before and after it has read. */
    readonly has?: readonly [before: boolean, after: boolean]
    readonly reads: CommittedOrder | Error | 'silence'
    readonly reasons?: ReadonlyMap<string, string>
  }
  const order = { order: { hash: 'h' } as unknown as Order, lock: {} as CommittedOrder['lock'] }

  function routerOf(...readers: readonly Reader[]) {
    const clock = new ManualClock()
    const calls: string[] = []
    const list = (): readonly Clone[] =>
      readers.map(({ name, has = [true, true], reads, reasons = new Map() }) => {
        let isRead = false
        const reader = {
          has: async () => has[isRead ? 1 : 0],
          read: async () => {
            calls.push(`read ${name}`)
            isRead = true
            if (reads === 'silence') return new Promise<never>(() => {})
            if (reads instanceof Error) throw reads
            return reads
          },
        }
        const host = { clock, disk: new MemoryDisk(), stateFolder: '/state', env: {} }
        const approvers = {
          ...{ keys: { read: async () => undefined }, checkout: { read: async () => 'desk' }, memory: { read: async () => undefined } },
          ...{ touchKeys: { list: async () => [] }, options: {} },
        }
        const context = { host, patience: { reasons }, ...approvers }
        return { name, reader, context: context as unknown as Context } as unknown as Clone
      })
    const route = createRouter(list, over.signal)
    const waits: string[] = []
    const run = async (asked: OrderMessage = message): Promise<unknown> => {
      const routed = await route(asked, (why) => waits.push(why)).catch((error: unknown) => error)
      return routed instanceof Error ? routed : (routed as { clone: Clone }).clone.name
    }
    return { clock, calls, waits, run }
  }

  test('is the only one that has its commit, or the first that can read it', async () => {
    const other = routerOf({ name: 'a', has: [false, false], reads: order }, { name: 'b', reads: order })
    expect([await other.run(), other.calls]).toEqual(['b', ['read b']])
    const fetched = routerOf({ name: 'a', has: [false, false], reads: refused('no.') }, { name: 'b', has: [false, true], reads: order })
    expect([await fetched.run(), fetched.calls, fetched.waits]).toEqual(['b', ['read a', 'read b'], []])
  })

  test.each<[string, readonly Reader[], string]>([
    ['in its own words if it has the commit', [{ name: 'a', reads: refused('it is old.') }], refused('it is old.').message],
    [
      'with the error that is no refusal, of the clones that have the commit',
      [
        { name: 'a', has: [false, true], reads: refused('it is old.') },
        { name: 'b', has: [false, true], reads: new Error('the disk is away') },
      ],
      'the disk is away',
    ],
    [
      'of those that have the commit, whatever others say',
      [
        { name: 'a', has: [false, false], reads: new Error('the disk is away') },
        { name: 'b', has: [false, true], reads: refused('it is old.') },
      ],
      refused('it is old.').message,
    ],
    [
      'by the names of all if none has the commit',
      [
        { name: 'a', has: [false, false], reads: refused('no.') },
        { name: 'b', has: [false, false], reads: refused('no.') },
      ],
      refused(
        'no branch of the remote has that commit. The worker serves a, b. To let it serve another project, clone it there and add { "dir": "/path/of/the/clone" } to worker.projects in settings.json of the worker\'s state folder.',
      ).message,
    ],
  ])('is none %s', async (_what, readers, words) => {
    expect(await routerOf(...readers).run()).toMatchObject({ message: words })
  })

  test('is none of a project that is not served, which is named with its folder', async () => {
    const { run } = routerOf({ name: 'a', has: [false, false], reads: refused('no.') })
    expect(await run({ ...message, project: 'space', folder: 'games/space' })).toMatchObject({
      message: refused(
        'no branch of the remote has that commit for a project in games/space. The worker serves a. To let it serve "space", if that is another project, clone it there and add { "dir": "/path/of/the/clone" } to worker.projects in settings.json of the worker\'s state folder.',
      ).message,
    })
  })

  test('is waited for while it cannot fetch, and after ten minutes the order fails', async () => {
    const cause = new Unfetched('could not resolve host')
    const { clock, run, waits } = routerOf({ name: 'a', has: [false, false], reads: cause })
    const why = 'the worker could not fetch, and tries again: could not resolve host'
    const first = (await run()) as PutBack
    expect([first, first.message, first.afterMs]).toEqual([expect.any(PutBack), cause.message, 5000])
    await clock.advance(600_000)
    expect(await run()).toBeInstanceOf(PutBack)
    await clock.advance(1)
    expect(await run()).toMatchObject({
      code: 'SW_QUEUE',
      message:
        'The worker waited ten minutes for the remote of its clone, to read "hero.walk" from commit cccccccccccc; found: could not resolve host. Nothing was sent. Make sure that git fetch works there without a question, then build again.',
      facts: { id: 'hero.walk', commit: message.commit },
      cause,
    })
    // The next try waits for ten minutes of its own.
    expect(await run()).toBeInstanceOf(PutBack)
    expect(waits).toEqual([why, why, why])
  })

  test('leaves its turn while a store of it does not answer, before and while it is read', async () => {
    const reasons = new Map([['s', 'the store is away']])
    const away = routerOf({ name: 'a', reads: order, reasons })
    expect([await away.run(), away.calls, away.waits]).toEqual([expect.any(PutBack), [], ['the store is away']])
    const later = new Map<string, string>()
    const slow = routerOf({ name: 'a', reads: 'silence', reasons: later })
    let outcome: unknown
    void slow.run().then((one) => {
      outcome = one
    })
    await slow.clock.advance(30_000)
    expect([outcome, slow.calls, slow.waits]).toEqual([undefined, ['read a'], []])
    later.set('s', 'the store is away now')
    await slow.clock.advance(10_000)
    expect([outcome, slow.waits]).toEqual([expect.any(PutBack), ['the store is away now']])
  })
})
