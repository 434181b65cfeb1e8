import { describe, expect, test, vi } from 'vitest'
import { type ActionPorts, createActions } from '../../plugin/panel/server/actions.ts'
import { type BuyerPorts, createBuyer } from '../../plugin/panel/server/buyer.ts'
import { type ErrorCode, type JobProgress, SpritewrightError } from '../../src/index.ts'
import type { PendingPurchase, PendingReport } from '../../src/workshop/api/overview-report.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { patienceMs } from '../kit/patience.ts'

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

test('looks that wait for one that runs are one look, at all that was saved, or at everything if one of them asks for that', async () => {
  const asked: (readonly string[] | undefined)[] = []
  const nothing: PendingReport = { orders: [], mayBuy: true, canAsk: true }
  let buyer: ReturnType<typeof createBuyer>
  let waiting: Promise<unknown> = Promise.resolve()
  const workshop = {
    pending: async (changed?: readonly string[]): Promise<PendingReport> => {
      asked.push(changed)
      // Three looks are asked for while this one runs, at first at two files, then at everything.
      if (asked.length === 1) waiting = Promise.all([buyer.look([hero]), buyer.look([coin]), buyer.look([hero])])
      if (asked.length === 2) waiting = Promise.all([buyer.look([hero]), buyer.look(), buyer.look([coin])])
      return nothing
    },
    host: {},
  } as unknown as BuyerPorts['workshop']
  buyer = createBuyer({ workshop, log: () => {}, onProgress: () => {}, onChange: () => {} })
  await buyer.look([coin])
  await waiting
  await waiting
  await buyer.close()
  expect(asked).toEqual([[coin], [hero, coin, hero], undefined])
})

test('what may not be bought here is not begun', async () => {
  const { buyer, bought, answers } = world()
  answers.push({ mayBuy: false })
  await buyer.look()
  await buyer.close()
  expect(bought).toEqual([])
})

test('a purchase is of approved requests alone, and the end of the server stops it and waits for its end', async () => {
  const asked: { readonly signal?: AbortSignal }[] = []
  let end = (): void => {}
  const workshop = {
    pending: async () => ({ orders: [{ id: 'hero.walk', state: 'approved', mark: '', approved: '' }], mayBuy: true, canAsk: true }),
    build: (request: { readonly signal?: AbortSignal }) => {
      asked.push(request)
      return new Promise((resolve) => {
        end = () => resolve({ bought: [] })
      })
    },
    host: {},
  } as unknown as BuyerPorts['workshop']
  const buyer = createBuyer({ workshop, log: () => {}, onProgress: () => {}, onChange: () => {} })
  await buyer.look()
  expect(asked).toMatchObject([{ names: ['hero.walk'], buyOnly: true, approvedOnly: true }])
  let isClosed = false
  const closing = buyer.close().then(() => {
    isClosed = true
  })
  await new Promise(setImmediate)
  expect([asked[0]?.signal?.aborted, isClosed]).toEqual([true, false])
  end()
  await closing
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
  await vi.waitFor(() => expect(begun).toEqual(['first', 'again']), { timeout: patienceMs })
  await buyer.look()
  await buyer.close()
  expect(begun).toEqual(['first', 'again'])
})

/** One build that the buyer has begun. A test ends it. */
interface Build {
  readonly names: readonly string[]
  note(progress: JobProgress): void
  end(bought?: readonly { id: string; credits: bigint }[]): void
  fail(error: unknown): void
}

/** A buyer whose builds a test ends, over orders that it sets. */
function desk() {
  const orders: PendingPurchase[] = []
  const builds: Build[] = []
  const lines: string[] = []
  const errors: string[] = []
  const noted: JobProgress[] = []
  const sleeps: { readonly ms: number; wake(): void }[] = []
  let changes = 0
  const workshop = {
    pending: async (): Promise<PendingReport> => ({ orders: [...orders], mayBuy: true, canAsk: true }),
    build: ({ names, onProgress }: { names: readonly string[]; onProgress: (now: JobProgress) => void }) =>
      new Promise((resolve, reject) => {
        builds.push({ names, note: onProgress, end: (bought = []) => resolve({ bought }), fail: reject })
      }),
    host: { clock: { sleep: (ms: number) => new Promise<void>((wake) => sleeps.push({ ms, wake })) } },
  } as unknown as BuyerPorts['workshop']
  const buyer = createBuyer({
    workshop,
    log: (line, isError = false) => void (isError ? errors : lines).push(line),
    onProgress: (now) => void noted.push(now),
    onChange: () => {
      changes += 1
    },
  })
  /** Waits for builds that have begun. */
  const begun = async (count: number): Promise<Build> => {
    await vi.waitFor(() => expect(builds).toHaveLength(count), { timeout: patienceMs })
    return builds[count - 1] as Build
  }
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return { buyer, orders, builds, lines, errors, noted, sleeps, begun, settled, changes: () => changes }
}

const order = (id: string, own: Partial<PendingPurchase> = {}): PendingPurchase =>
  ({ id, state: 'approved', mark: `mark of ${id}`, approved: `approval of ${id}`, ...own }) as PendingPurchase
const step = (id: string, phase: JobProgress['phase'], progress?: number): JobProgress =>
  ({ id, phase, ...(progress === undefined ? {} : { progress }) }) as JobProgress
const failure = (code: ErrorCode, id?: string) =>
  new SpritewrightError(code, { message: `${code} of ${id ?? 'all'}`, facts: id === undefined ? {} : { id } })

describe('buying in dev', () => {
  test('begins what is due in one run, and no part of it again while it runs', async () => {
    const { buyer, orders, builds, begun, settled } = desk()
    orders.push(order('hero.walk'), order('coin.spin', { state: 'running' }))
    await buyer.look()
    expect((await begun(1)).names).toEqual(['hero.walk', 'coin.spin'])
    orders.push(order('gem.turn'))
    await buyer.look()
    expect((await begun(2)).names).toEqual(['gem.turn'])
    await buyer.look()
    await settled()
    expect(builds).toHaveLength(2)
    orders.length = 0
    for (const build of builds) build.end()
    await buyer.close()
  })

  test('shows the last progress of a phase until the run ends, and tells of each new phase', async () => {
    const { buyer, orders, begun, noted, settled, changes } = desk()
    orders.push(order('hero.walk'))
    await buyer.look()
    const build = await begun(1)
    const before = changes()
    build.note(step('hero.walk', 'running', 0.5))
    build.note(step('hero.walk', 'running'))
    expect(buyer.progress.get('hero.walk')).toMatchObject({ phase: 'running', progress: 0.5 })
    expect(changes() - before).toBe(1)
    build.note(step('hero.walk', 'downloading' as JobProgress['phase']))
    expect(buyer.progress.get('hero.walk')?.progress).toBeUndefined()
    expect(changes() - before).toBe(2)
    expect(noted).toHaveLength(3)
    orders.length = 0
    build.end([{ id: 'hero.walk', credits: 16_000n }])
    await settled()
    expect(buyer.progress.size).toBe(0)
    await buyer.close()
  })

  test('says what was bought, for how much', async () => {
    const { buyer, orders, begun, lines, settled } = desk()
    orders.push(order('hero.walk'))
    await buyer.look()
    const build = await begun(1)
    orders.length = 0
    build.end([{ id: 'hero.walk', credits: 16_000n }])
    await settled()
    expect(lines.at(-1)).toContain('1.6')
    await buyer.close()
  })

  test('keeps each failure under the request that it names, or under all of the run; a question and an approval that was taken back are none', async () => {
    const { buyer, orders, begun, errors, lines, settled } = desk()
    orders.push(order('hero.walk'), order('coin.spin'))
    await buyer.look()
    const build = await begun(1)
    const all = [
      failure('SW_FAILED', 'coin.spin'),
      failure('SW_QUESTION', 'hero.walk'),
      failure('SW_FAILED'),
      failure('SW_FAILED', 'other.x'),
      new SpritewrightError('SW_APPROVAL', { message: 'taken back', facts: { id: 'hero.walk', verdict: 'revoked' } }),
    ]
    build.fail(new AggregateError(all))
    await settled()
    const ids = buyer.failures.map((one) => one.ids)
    expect(ids).toEqual([['coin.spin'], ['hero.walk', 'coin.spin'], ['hero.walk', 'coin.spin']])
    expect(errors).toEqual(['SW_FAILED of coin.spin', 'SW_FAILED of all', 'SW_FAILED of other.x'])
    expect(lines).toEqual(expect.arrayContaining(['SW_QUESTION of hero.walk', 'taken back']))
    await buyer.close()
  })

  test('forgets the failure of what is begun again, and keeps those of others', async () => {
    const { buyer, orders, begun, settled } = desk()
    orders.push(order('hero.walk'), order('coin.spin'))
    await buyer.look()
    ;(await begun(1)).fail(new AggregateError([failure('SW_FAILED', 'hero.walk'), failure('SW_FAILED', 'coin.spin')]))
    await settled()
    orders[0] = order('hero.walk', { mark: 'another' })
    await buyer.look()
    const again = await begun(2)
    expect([again.names, buyer.failures.map(({ ids }) => ids)]).toEqual([['hero.walk'], [['coin.spin']]])
    orders.length = 0
    again.end()
    await buyer.close()
  })

  test('tries what has failed again only after a person has done something, and then forgets its failure', async () => {
    const { buyer, orders, builds, begun, settled } = desk()
    orders.push(order('hero.walk'))
    await buyer.look()
    const build = await begun(1)
    build.fail(failure('SW_FAILED', 'hero.walk'))
    await settled()
    await buyer.look()
    await settled()
    expect([builds.length, buyer.failures.length]).toEqual([1, 1])
    await buyer.retry()
    const again = await begun(2)
    expect(buyer.failures).toEqual([])
    orders[0] = order('hero.walk', { mark: 'another' })
    again.fail(failure('SW_FAILED', 'hero.walk'))
    await settled()
    orders[0] = order('hero.walk', { mark: 'a third' })
    await buyer.look()
    orders.length = 0
    ;(await begun(3)).end()
    await buyer.close()
  })

  test.each(['SW_UNREACHABLE', 'SW_QUEUE', 'SW_STORE'] as const)(
    'after %s waits, twice as long each time up to a minute, and from the start after a success',
    async (code) => {
      const { buyer, orders, builds, begun, sleeps, settled } = desk()
      orders.push(order('hero.walk'))
      await buyer.look()
      for (let turn = 1; turn <= 7; turn++) {
        const build = await begun(turn)
        build.fail(failure(code))
        await settled()
        await buyer.look()
        await settled()
        expect([builds.length, sleeps.length]).toEqual([turn, turn])
        sleeps[turn - 1]?.wake()
      }
      expect(sleeps.map(({ ms }) => ms)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
      const good = await begun(8)
      orders[0] = order('hero.walk', { mark: 'next', approved: 'next' })
      good.end()
      const later = await begun(9)
      later.fail(failure(code))
      await settled()
      expect(sleeps.at(-1)?.ms).toBe(2000)
      await buyer.close()
    },
  )

  test('forgets what did not pass in time to be tried again, and tells pages of it', async () => {
    const { buyer, orders, builds, begun, sleeps, settled, changes } = desk()
    orders.push(order('hero.walk', { state: 'running' }))
    await buyer.look()
    const build = await begun(1)
    build.fail(failure('SW_UNREACHABLE', 'hero.walk'))
    await settled()
    expect([buyer.failures.length, sleeps.length]).toEqual([1, 1])
    // A person has to decide about it now.
    orders.length = 0
    const before = changes()
    sleeps[0]?.wake()
    await settled()
    expect([buyer.failures, changes() - before, builds.length]).toEqual([[], 1, 1])
    await buyer.close()
  })

  test('begins anew what a person has answered while the run that asked was ending', async () => {
    const { buyer, orders, begun } = desk()
    orders.push(order('hero.walk'))
    await buyer.look()
    const asking = await begun(1)
    // The answer starts another execution.
    orders[0] = order('hero.walk', { state: 'running', mark: 'of the other execution' })
    await buyer.run(['hero.walk'], async () => [])
    asking.fail(failure('SW_QUESTION', 'hero.walk'))
    const next = await begun(2)
    orders.length = 0
    next.end()
    await buyer.close()
    expect(next.names).toEqual(['hero.walk'])
  })

  test('looks for the commit that a worker could not find, and tries again once there is another one', async () => {
    const { buyer, orders, builds, begun, sleeps, settled } = desk()
    orders.push(order('hero.walk', { mark: 'at a commit' }))
    await buyer.look()
    ;(await begun(1)).fail(failure('SW_ORDER', 'hero.walk'))
    await settled()
    sleeps[0]?.wake()
    await settled()
    expect([builds.length, sleeps.map(({ ms }) => ms)]).toEqual([1, [2000, 2000]])
    orders[0] = order('hero.walk', { mark: 'at another' })
    sleeps[1]?.wake()
    const build = await begun(2)
    build.fail(failure('SW_ORDER', 'hero.walk'))
    await settled()
    sleeps[2]?.wake()
    await settled()
    // That one is looked for in its turn.
    expect([builds.length, sleeps.length]).toEqual([2, 4])
    orders[0] = order('hero.walk', { mark: 'at a third' })
    sleeps[3]?.wake()
    const last = await begun(3)
    orders.length = 0
    last.end()
    await settled()
    expect(buyer.failures).toEqual([])
    await buyer.close()
  })

  test('runs other work until its first step; an error before that is the caller’s, one after it a failure', async () => {
    const { buyer, settled } = desk()
    await expect(buyer.run(['hero.walk'], async () => Promise.reject(failure('SW_FAILED')))).rejects.toMatchObject({ code: 'SW_FAILED' })
    await settled()
    expect(buyer.failures).toEqual([])
    let fail = (_error: unknown): void => {}
    await buyer.run(['hero.walk'], (note) => {
      note(step('hero.walk', 'running', 0.1))
      return new Promise((_, reject) => {
        fail = reject
      })
    })
    expect(buyer.progress.get('hero.walk')?.progress).toBe(0.1)
    fail(failure('SW_FAILED'))
    await settled()
    expect([buyer.failures.map(({ ids }) => ids), buyer.progress.size]).toEqual([[['hero.walk']], 0])
    await buyer.run(['coin.spin'], async () => [])
    await buyer.close()
  })

  test('goes on with an answer that nobody confirmed, though the answer fails, and every page hears of it', async () => {
    const { buyer, orders, begun, changes } = desk()
    const lost = failure('SW_UNREACHABLE', 'hero.walk')
    let before = 0
    const workshop = {
      mayBuy: true,
      answer: async () => {
        before = changes()
        // It is recorded as sent, and thus due.
        orders.push(order('hero.walk', { state: 'running' }))
        throw lost
      },
      host: { clock: new ManualClock() },
    }
    const actions = createActions({ workshop, buyer, isAttended: true, changed: () => 1 } as unknown as ActionPorts)
    await expect(actions.answer({ id: 'hero.walk', hash: '', questionId: 'q', text: 'to the left' })).rejects.toBe(lost)
    expect((await begun(1)).names).toEqual(['hero.walk'])
    expect(changes()).toBeGreaterThan(before)
    orders.length = 0
    ;(await begun(1)).end()
    await buyer.close()
  })

  test('that ends ends the wait of an answer too', async () => {
    const { buyer } = desk()
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const answered = (_request: unknown, signal: AbortSignal): Promise<never> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        begin()
      })
    const workshop = { mayBuy: true, answer: answered, host: { clock: new ManualClock() } }
    const actions = createActions({ workshop, buyer, isAttended: true, changed: () => 1 } as unknown as ActionPorts)
    const answer = expect(actions.answer({ id: 'hero.walk', hash: '', questionId: 'q', text: 'left' })).rejects.toThrow('aborted')
    await begun
    await buyer.close()
    await answer
  })

  test('that ends keeps no failure of what it stops, and begins nothing more', async () => {
    const { buyer, orders, builds, begun, errors } = desk()
    orders.push(order('hero.walk'))
    await buyer.look()
    const build = await begun(1)
    const closing = buyer.close()
    build.fail(failure('SW_UNREACHABLE'))
    await closing
    await buyer.look()
    expect([buyer.failures, errors, builds.length]).toEqual([[], [], 1])
  })
})
