import { beforeEach, describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { JobQueue } from '../../src/host/net/job-queue.ts'
import { type LeaseInit, takeLease } from '../../src/workshop/worker/lease.ts'
import { createStallWatch, type StallWatch } from '../../src/workshop/worker/stalls.ts'
import type { OrderStatus } from '../../src/workshop/worker/status.ts'
import type { WorkerEvent } from '../../src/workshop.ts'
import { ManualClock } from '../kit/manual-clock.ts'

const minute = 60_000
let clock: ManualClock
let told: WorkerEvent[]
let running: OrderStatus[]
let waiting: OrderStatus[]
let isQueueAway: boolean
let waits: string[]
let watch: StallWatch

/** Lets minutes pass, one by one, and calls `each` before each of them. */
async function pass(minutes: number, each = (): void => {}): Promise<void> {
  for (let passed = 0; passed < minutes; passed++) {
    each()
    await clock.advance(minute)
  }
}
const order = (phase: string, message?: string): OrderStatus => ({ id: 'hero.walk', at: 0, phase, ...(message ? { message } : {}) })
const messages = (): readonly string[] => told.flatMap(({ kind, message }) => (kind === 'stalled' ? [message] : []))

beforeEach(() => {
  clock = new ManualClock()
  told = []
  running = []
  waiting = []
  isQueueAway = false
  waits = []
  watch = createStallWatch(
    clock,
    async () => {
      if (isQueueAway) throw new Error('no route')
      return { queue: 'redis://queue', running, waiting, failed: [] }
    },
    () => waits,
    (event) => {
      told.push(event)
      watch.tell(event)
    },
  )
  void watch.run(new AbortController().signal)
})

test('trouble that lasts ten minutes is told once, shorter trouble is not', async () => {
  watch.tell({ kind: 'trouble', message: 'no queue' })
  await pass(9)
  watch.tell({ kind: 'standby', message: 'another' })
  await pass(30)
  expect(told).toEqual([])
  watch.tell({ kind: 'trouble', message: 'no store' })
  await pass(11)
  expect(messages()).toEqual(['This worker has bought nothing for 10 minutes, because it cannot work: no store'])
})

test('a worker for which nothing is ordered, or that buys, or that stands by is not stalled', async () => {
  watch.tell({ kind: 'active', message: 'active' })
  await pass(30)
  running = [order('running')]
  await pass(30, () => watch.tell({ kind: 'bought', message: 'bought' }))
  watch.tell({ kind: 'standby', message: 'another' })
  isQueueAway = true
  await pass(30)
  expect(told).toEqual([])
})

test.each([
  [
    'an order waits for a place',
    () => (running = [order('waiting', 'both places are taken')]),
    'hero.walk is not bought: both places are taken',
  ],
  ['a job at the service does not end', () => (running = [order('running', 'drawing 40 %')]), 'hero.walk is not bought: running'],
  [
    'one order waits for a place beside one at work',
    () => (running = [{ ...order('running'), id: 'owl.fly' }, order('waiting', 'both places are taken')]),
    'hero.walk is not bought: both places are taken',
  ],
  ['no order gets its turn', () => (waiting = [{ id: 'hero.walk', at: 0 }]), 'hero.walk is not bought: it waits for its turn'],
  ['the lease is lost', () => watch.tell({ kind: 'lost', message: 'it slept' }), 'it cannot work: it slept'],
  ['a store is away', () => (waits = ['the shared store s3://team does not answer']), 'the shared store s3://team does not answer'],
  ['the queue is away', () => (isQueueAway = true), 'the queue cannot be read: no route'],
])('if %s, ten minutes without a purchase are told with that reason, and again after twice the time', async (_what, happen, why) => {
  watch.tell({ kind: 'active', message: 'active' })
  happen()
  await pass(9)
  expect(told).toEqual([])
  await pass(36)
  expect(messages()).toEqual([10, 20, 40].map((minutes) => `This worker has bought nothing for ${minutes} minutes, because ${why}`))
})

test('another reason is told at once, and so is the end of it', async () => {
  watch.tell({ kind: 'active', message: 'active' })
  running = [order('waiting', 'both places are taken')]
  await pass(12)
  waits = ['the store is away']
  await pass(1)
  expect(messages()[1]).toBe('This worker has bought nothing for 13 minutes, because the store is away')
  waits = []
  running = []
  await pass(1)
  expect(told.at(-1)).toEqual({ kind: 'active', message: 'Nothing waits to be bought any more.' })
})

test('a purchase ends the trouble, and ten whole minutes without the next one are told anew, of the first order that waits', async () => {
  watch.tell({ kind: 'trouble', message: 'no store' })
  await pass(12)
  await clock.advance(30_000)
  watch.tell({ kind: 'bought', message: 'bought' })
  running = [order('running'), { ...order('waiting', 'first'), id: 'owl.fly' }, order('waiting', 'second')]
  await pass(11)
  running = []
  watch.tell({ kind: 'trouble', message: 'no store' })
  watch.tell({ kind: 'active', message: 'active' })
  await pass(1)
  expect(told).toEqual([
    { kind: 'stalled', message: 'This worker has bought nothing for 10 minutes, because it cannot work: no store' },
    { kind: 'stalled', message: 'This worker has bought nothing for 10 minutes, because owl.fly is not bought: first' },
    { kind: 'active', message: 'Nothing waits to be bought any more.' },
  ])
})

test('a queue that is emptied again and again is told, one that was emptied once is not', async () => {
  watch.tell({ kind: 'active', message: 'active' })
  await pass(5)
  watch.emptied()
  await pass(30)
  expect(told).toEqual([])
  await pass(11, () => watch.emptied())
  expect(messages()).toEqual(['This worker has bought nothing for 10 minutes, because the queue is emptied again and again'])
})

describe('a lease of thirty seconds', () => {
  const start = () => {
    const clock = new ManualClock()
    const calls: string[] = []
    const notes: object[] = []
    const told: unknown[] = []
    const says = { take: true as boolean | Error, renew: true as boolean | Error, back: true as boolean | Error, isThere: true, data: {} }
    const answer = (name: 'take' | 'renew' | 'back', call: string): boolean => {
      calls.push(call)
      const found = says[name]
      if (found instanceof Error) throw found
      return found
    }
    const held = {
      renew: async () => answer('renew', 'renew'),
      note: async (note: object) => void notes.push(note),
      putBack: async () => void answer('back', 'back'),
    }
    const queue = {
      read: async (id: string) => {
        calls.push(`read ${id}`)
        return says.isThere ? {} : undefined
      },
      take: async (id: string, data: object, ms: number) =>
        answer('take', `take ${id} ${JSON.stringify(data)} ${ms}`) ? { ...held, data: says.data } : undefined,
    } as unknown as JobQueue
    const init: LeaseInit = {
      clock,
      by: 'desk 7',
      leaseMs: 30_000,
      onWait: (why, error) => told.push(error ? [why, error.code] : why),
      onEmptied: () => told.push('emptied'),
    }
    const stop = new AbortController()
    return { clock, calls, notes, told, says, stop, take: () => takeLease(queue, init, stop.signal) }
  }
  const take = 'take lease {"state":"free"} 30000'
  const away = new SpritewrightError('SW_QUEUE', { message: 'away' })

  test('is renewed and noted every ten seconds until it is given up, and says who had it before', async () => {
    const made = start()
    const { clock, calls, notes, says } = made
    says.data = { state: 'released', by: 'old', since: 1, seen: 2 }
    const since = clock.wall()
    const lease = await made.take()
    expect(lease.before).toEqual(says.data)
    await clock.advance(20_000)
    expect(calls).toEqual([take, 'renew', 'renew'])
    await lease.release('released')
    await clock.advance(60_000)
    expect(calls.slice(3)).toEqual(['back'])
    const note = (state: string, ms: number): object => ({ state, by: 'desk 7', since, seen: since + ms })
    expect(notes).toEqual([note('held', 0), note('held', 10_000), note('held', 20_000), note('released', 20_000)])
    expect([lease.lost.aborted, made.told]).toEqual([false, []])
  })

  test('is waited for while another one holds it; a new reason is told, and in an emptied queue its holder comes first', async () => {
    const { clock, calls, told, says, take: begin } = start()
    says.take = false
    let isTaken = false
    const taking = begin().finally(() => {
      isTaken = true
    })
    await clock.advance(10_000)
    expect(calls).toEqual([take, 'read lease', take])
    says.take = away
    await clock.advance(10_000)
    expect(told).toEqual([expect.stringContaining('stands by'), ['away', 'SW_QUEUE']])
    says.isThere = false
    says.take = true
    await clock.advance(20_000)
    expect([isTaken, calls.slice(5)]).toEqual([false, Array.from({ length: 11 }, () => 'read lease')])
    await clock.advance(1000)
    expect([(await taking).before, calls.at(-1)]).toEqual([{ state: 'held' }, take])
    expect(told.slice(2)).toEqual([expect.stringContaining('stands by')])
  })

  test('is not waited for after a mistake, or an interruption', async () => {
    const wrong = start()
    wrong.says.take = new Error('a mistake')
    await expect(wrong.take()).rejects.toThrow('a mistake')
    const ended = start()
    ended.says.take = false
    ended.stop.abort(new Error('ended'))
    await expect(ended.take()).rejects.toThrow('ended')
  })

  test('that an emptied queue has lost is taken again, unless another one was faster', async () => {
    const made = start()
    const lease = await made.take()
    made.says.renew = false
    await made.clock.advance(10_000)
    expect([made.told, made.calls, lease.lost.aborted]).toEqual([['emptied'], [take, 'renew', take], false])
    made.says.take = false
    await made.clock.advance(10_000)
    expect([lease.lost.aborted, made.told]).toEqual([true, ['emptied']])
    await lease.release('held')
    expect(made.calls).not.toContain('back')
  })

  test('is lost when the queue does not answer for longer than it lasts, and may not be given back then', async () => {
    const made = start()
    const lease = await made.take()
    made.says.renew = away
    await made.clock.advance(30_000)
    expect(lease.lost.aborted).toBe(false)
    await made.clock.advance(10_000)
    expect(lease.lost.aborted).toBe(true)
    const other = start()
    const next = await other.take()
    other.says.back = away
    await expect(next.release('released')).resolves.toBeUndefined()
    const last = await other.take()
    other.says.back = new Error('a mistake')
    await expect(last.release('released')).rejects.toThrow('a mistake')
  })
})
