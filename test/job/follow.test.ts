import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { follow } from '../../src/job/delivery/follow.ts'
import type { ServiceClient } from '../../src/service/client.ts'
import type { Execution, ServiceEvent } from '../../src/service/wire.ts'
import { ManualClock } from '../kit/manual-clock.ts'

const event = (id: string | null, kind = 'progress', more: Partial<ServiceEvent> = {}): ServiceEvent => ({
  kind,
  id,
  status: null,
  progress: null,
  message: null,
  ...more,
})
const execution = (status: string): Execution => ({ status, question: null, assets: [], error: null }) as unknown as Execution

/** A service that plays one connection after another; after the last, streams end at once. The execution ends when told. */
function playing(connections: readonly (readonly ServiceEvent[] | Error)[]) {
  const asked: (string | null)[] = []
  let reads = 0
  let isDone = false
  const end = (): void => {
    isDone = true
  }
  const client = {
    execution: async () => {
      reads++
      return execution(isDone ? 'completed' : 'running')
    },
    events: async function* (_id: string, lastEventId: string | null) {
      const played = connections[asked.push(lastEventId) - 1] ?? []
      if (played instanceof Error) throw played
      yield* played
    },
  } as unknown as ServiceClient
  return { client, asked, reads: () => reads, end }
}

async function run(connections: readonly (readonly ServiceEvent[] | Error)[], ms: number) {
  const clock = new ManualClock()
  const played = playing(connections)
  const following = follow({ client: played.client, clock }, 'x')
  await clock.advance(ms)
  played.end()
  expect((await clock.run(following)).status).toBe('completed')
  return { ...played, clock }
}

describe('the event stream of an execution', () => {
  test('C22: is continued from the last event that had an id, whatever comes after it', async () => {
    const { asked } = await run([[event('1'), event('2'), event(null)], [event(null)], [event('5')]], 60_000)
    expect(asked.slice(0, 4)).toEqual([null, '2', '2', '5'])
  })

  test('is opened five times in a row without an event, with growing pauses; an event counts anew', async () => {
    const { asked } = await run([[], [], [], [event('1')]], 10 * 60_000)
    expect(asked).toEqual([null, null, null, null, ...Array.from({ length: asked.length - 4 }, () => '1')])
    expect(asked.length).toBeLessThanOrEqual(4 + 5)
  })

  test('is left alone as long as the service asks, and the state is read meanwhile', async () => {
    const at = new Date(1_760_000_000_000 + 1_000 + 45_000).toISOString()
    const away = new SpritewrightError('SW_REFUSED', { message: 'later', facts: { retryAt: at } })
    const early = await run([away], 40_000)
    expect([early.asked.length, early.reads() > 15]).toEqual([1, true])
    expect((await run([away], 50_000)).asked.length).toBeGreaterThan(1)
  })

  test('C23: its end ends nothing: the state alone says that the execution is over', async () => {
    const { reads } = await run([[event('1', 'done')]], 10_000)
    expect(reads()).toBeGreaterThan(2)
  })
})
