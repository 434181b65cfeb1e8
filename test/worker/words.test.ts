import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { OrderMessage } from '../../src/queue/messages.ts'
import { refusedOrder } from '../../src/workshop/worker/committed-order.ts'
import { explained } from '../../src/workshop/worker/explained.ts'
import { createMonitor } from '../../src/workshop/worker/monitor.ts'
import type { WorkerStatus } from '../../src/workshop.ts'
import { systemError } from '../cli/world.ts'
import { ManualClock } from '../kit/manual-clock.ts'

const order: OrderMessage = { id: 'hero.walk', hash: 'a'.repeat(64), commit: 'c'.repeat(40), file: 'sprites/hero.sprite.json' }

describe('the words of a worker for its client', () => {
  const facts = { id: 'hero.walk' }
  const buyer = (verdict: string) => ['SW_BUYER', 'x', { ids: ['hero#2', 'hero.walk'], verdict, buyer: 'sw-key' }] as const
  const approve =
    ' whom the worker knows approves it: npx spritewright approve hero hero.walk --adopt. Then commit sprites.lock*, push, and build.'
  const start = 'The worker does not buy "hero#2", "hero.walk", approved '

  test.each([
    [
      ['SW_MISSING', 'Build with --buy.', facts],
      'The worker must not buy: build.generate is "never" in its clone, or it runs in CI without SPRITEWRIGHT_APPROVERS. Nothing was sent. Change that where it runs, start it again, and build again.',
    ],
    [['SW_CONFIG', 'Wrong.', facts], 'The worker cannot go on. On its machine: Wrong.'],
    [
      ['SW_UNCERTAIN', 'Decide: npx spritewright recover hero.walk --replay.', facts],
      'Decide: npx spritewright recover hero.walk --replay. Do that in the clone of the worker, after git pull there: only its API key and its SPRITEWRIGHT_APPROVERS show what was sent.',
    ],
    [
      buyer('other'),
      `${start}by sw-key. Nothing was sent. If that key may approve, name it in SPRITEWRIGHT_APPROVERS where the worker runs, and start the worker again; settings.json of its user counts without that. Then build again. Else somebody${approve}`,
    ],
    [
      buyer('given'),
      `${start}by sw-key. Nothing was sent. approval.accept or SPRITEWRIGHT_APPROVALS of the worker does not allow the way in which it was given. Somebody${approve}`,
    ],
    [
      buyer('unenrolled'),
      `${start}by sw-key at an authenticator that this machine does not know. Nothing was sent. If that authenticator is one of a person who may approve, name its key in SPRITEWRIGHT_TOUCH_KEYS where the worker runs, start the worker again, and build again. Else somebody${approve}`,
    ],
    [buyer('revoked'), `${start}earlier, and that approval was taken back. Nothing was sent. Somebody${approve}`],
  ] as const)('for %j are whole', ([code, message, facts], words) => {
    const error = new SpritewrightError(code, { message, facts })
    expect((explained(error) as Error).message).toBe(words)
  })

  test('name the disk that failed, and the commit of an order that is refused', () => {
    const disk = explained(systemError('ENOSPC', 'open', '/game/x')) as SpritewrightError
    expect([disk.code, disk.message]).toEqual([
      'SW_DISK',
      "The disk of the worker failed: ENOSPC: made up, open '/game/x'. Make room there, or make the folder writable, and build again.",
    ])
    const cause = new Error('why')
    const refused = refusedOrder(order, 'it is another one.', cause)
    expect([refused.code, refused.message, refused.facts, refused.cause]).toEqual([
      'SW_ORDER',
      'The worker does not buy "hero.walk" of commit cccccccccccc: it is another one. Nothing was sent. Commit its spec, its picture and sprites.lock*, push, and build again; a dev server does so by itself.',
      { id: 'hero.walk', commit: order.commit },
      cause,
    ])
  })
})

test('the metrics of a worker are this text', async () => {
  const clock = new ManualClock()
  const at = clock.wall()
  const status: WorkerStatus = {
    queue: 'redis://127.0.0.1',
    worker: { by: 'tower 1', since: at, seen: at, hasEnded: false },
    running: [
      { id: 'a', at, phase: 'running' },
      { id: 'b', at: at + 1000, phase: 'queued' },
      { id: 'b', at: at + 1000, phase: 'submitting' },
      { id: 'c', at: at + 1000, phase: 'waiting' },
    ],
    waiting: [{ id: 'd', at: at - 60_000 }],
    failed: [{ id: 'e', at: 0 }],
  }
  const monitor = createMonitor(clock, async () => status)
  const ask = async (path: string, method = 'GET'): Promise<readonly [number, string, string]> => {
    const signal = new AbortController().signal
    const { status, headers, body } = await monitor.handle({ method, path, headers: {}, body: new Uint8Array(), signal })
    return [status, `${headers['content-type']} ${headers['cache-control']} ${headers.allow}`, new TextDecoder().decode(body as Uint8Array)]
  }
  monitor.tell({ kind: 'active', message: 'x' })
  monitor.tell({ kind: 'ordered', message: 'x', fields: { hash: 'h', ceiling: '2.4', project: 'castle' } })
  monitor.tell({ kind: 'bought', message: 'x', fields: { hash: 'i', credits: '1.6', project: 'castle' } })
  await clock.advance(5000)
  expect(await ask('/healthz')).toEqual([
    200,
    'application/json no-store undefined',
    `{"state":"active","since":"${new Date(at).toISOString()}"}\n`,
  ])
  expect(await ask('/healthz', 'POST')).toEqual([405, 'text/plain no-store GET', 'Expected GET.\n'])
  expect(await ask('/x')).toEqual([404, 'text/plain no-store undefined', 'Expected /healthz or /metrics.\n'])
  expect((await ask('/metrics'))[2]).toMatchInlineSnapshot(`
    "# HELP spritewright_active Whether this worker is the active one.
    # TYPE spritewright_active gauge
    spritewright_active 1
    # HELP spritewright_healthy Whether it works or stands by in order.
    # TYPE spritewright_healthy gauge
    spritewright_healthy 1
    # HELP spritewright_store_trouble Whether a store failed since the last purchase.
    # TYPE spritewright_store_trouble gauge
    spritewright_store_trouble 0
    # HELP spritewright_queue_up Whether the queue answers.
    # TYPE spritewright_queue_up gauge
    spritewright_queue_up 1
    # HELP spritewright_events_total Events of this worker since its start.
    # TYPE spritewright_events_total counter
    spritewright_events_total{event="identity"} 0
    spritewright_events_total{event="standby"} 0
    spritewright_events_total{event="pause"} 0
    spritewright_events_total{event="http"} 0
    spritewright_events_total{event="active"} 1
    spritewright_events_total{event="ordered"} 1
    spritewright_events_total{event="waiting"} 0
    spritewright_events_total{event="bought"} 1
    spritewright_events_total{event="question"} 0
    spritewright_events_total{event="decision"} 0
    spritewright_events_total{event="limit"} 0
    spritewright_events_total{event="refused"} 0
    spritewright_events_total{event="failed"} 0
    spritewright_events_total{event="warning"} 0
    spritewright_events_total{event="lost"} 0
    spritewright_events_total{event="trouble"} 0
    spritewright_events_total{event="stalled"} 0
    # HELP spritewright_purchases_total Purchases of this worker since its start.
    # TYPE spritewright_purchases_total counter
    spritewright_purchases_total{project="castle"} 1
    # HELP spritewright_credits_settled_total Credits that it settled since its start.
    # TYPE spritewright_credits_settled_total counter
    spritewright_credits_settled_total{project="castle"} 1.6
    # HELP spritewright_credits_held Ceilings of the orders that it carries out now.
    # TYPE spritewright_credits_held gauge
    spritewright_credits_held 2.4
    # HELP spritewright_last_purchase_age_seconds Since its last purchase.
    # TYPE spritewright_last_purchase_age_seconds gauge
    spritewright_last_purchase_age_seconds 5
    # HELP spritewright_orders Orders of the queue, at most 200 of each state; failed ones for a day.
    # TYPE spritewright_orders gauge
    spritewright_orders{state="running"} 4
    spritewright_orders{state="waiting"} 1
    spritewright_orders{state="failed"} 1
    # HELP spritewright_places_used Orders that use a place of the account.
    # TYPE spritewright_places_used gauge
    spritewright_places_used 3
    # HELP spritewright_oldest_order_age_seconds Since the oldest order reached its state.
    # TYPE spritewright_oldest_order_age_seconds gauge
    spritewright_oldest_order_age_seconds 65
    # HELP spritewright_lease_age_seconds Since the last sign of the active worker.
    # TYPE spritewright_lease_age_seconds gauge
    spritewright_lease_age_seconds 5
    "
  `)
})
