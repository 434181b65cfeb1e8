import { beforeEach, expect, test } from 'vitest'
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

test('a queue that is emptied again and again is told, one that was emptied once is not', async () => {
  watch.tell({ kind: 'active', message: 'active' })
  await pass(5)
  watch.emptied()
  await pass(30)
  expect(told).toEqual([])
  await pass(11, () => watch.emptied())
  expect(messages()).toEqual(['This worker has bought nothing for 10 minutes, because the queue is emptied again and again'])
})
