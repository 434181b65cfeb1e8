import { describe, expect, test } from 'vitest'
import { follow } from '../../src/job/delivery/follow.ts'
import type { ServiceClient } from '../../src/service/client.ts'
import type { ServiceEvent } from '../../src/service/wire.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { executionOf } from './bench.ts'

const event = (kind: string, status: string | null = null): ServiceEvent => ({ kind, id: null, status, progress: null, message: null })

/** Follows an execution. Its first connection has these events and ends; the n-th later one is given by `later`. */
function followed(events: readonly ServiceEvent[], later: 'ends' | 'hangs', first: 'ends' | 'hangs' = 'hangs') {
  const clock = new ManualClock()
  const opened: number[] = []
  const push: { event?: (event: ServiceEvent) => void } = {}
  let reads = 0
  let status = 'running'
  const client = {
    execution: async () => {
      reads++
      return executionOf(status)
    },
    events: async function* () {
      const isFirst = opened.push(clock.mono()) === 1
      if (isFirst) yield* events
      if ((isFirst ? first : later) === 'ends') return
      for (;;)
        yield await new Promise<ServiceEvent>((resolve) => {
          push.event = resolve
        })
    },
  } as unknown as ServiceClient
  const end = follow({ client, clock }, 'e1')
  const complete = async () => {
    status = 'completed'
    return (await clock.run(end)).status
  }
  return { clock, opened, push, reads: () => reads, complete }
}

describe('a hint of the stream', () => {
  test.each([
    ['asset', null, 1],
    ['question', null, 1],
    ['progress', 'queued', 1],
    ['progress', null, 0],
    ['progress', 'running', 0],
  ] as const)('%s with the status %s leads to %d reads at once', async (kind, status, more) => {
    const { clock, push, reads, complete } = followed([event('progress', 'running')], 'hangs')
    // The first events are over.
    await clock.advance(40_000)
    const before = reads()
    push.event?.(event(kind, status))
    await clock.advance(1)
    expect(reads() - before).toBe(more)
    expect(await complete()).toBe('completed')
  })

  test('counts while the stream is open: its state is read after half a minute of silence, without a stream often', async () => {
    const open = followed([event('progress')], 'hangs')
    // The first read comes before the stream.
    await open.clock.advance(10_000)
    const before = open.reads()
    await open.clock.advance(20_000)
    expect(open.reads()).toBe(before)
    const ended = followed([event('progress')], 'hangs', 'ends')
    await ended.clock.advance(30_000)
    expect(ended.reads()).toBeGreaterThan(before + 3)
    expect([await open.complete(), await ended.complete()]).toEqual(['completed', 'completed'])
  })

  test('a stream without events is opened again after one, two, four and eight seconds', async () => {
    const { clock, opened, complete } = followed([], 'ends', 'ends')
    await clock.advance(60_000)
    expect(opened.map((at) => at - (opened[0] ?? 0))).toEqual([0, 1_000, 3_000, 7_000, 15_000])
    await complete()
    expect(clock.sleepers).toBe(0)
  })
})
