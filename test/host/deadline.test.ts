import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { withDeadline } from '../../src/host/deadline.ts'
import { ManualClock } from '../kit/manual-clock.ts'

const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test('work that has ended leaves neither a time limit nor a listener at its caller', async () => {
  const clock = new ManualClock()
  const { signal } = new AbortController()
  expect(await withDeadline(clock, 5000, signal, async () => 'done')).toBe('done')
  await expect(withDeadline(clock, 5000, signal, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect([clock.sleepers, getEventListeners(signal, 'abort').length]).toEqual([0, 0])
})

test('work ends with the time limit, or with its caller if that ends first', async () => {
  const clock = new ManualClock()
  const late = withDeadline(clock, 5000, undefined, never)
  late.catch(() => {})
  await clock.advance(5000)
  await expect(late).rejects.toThrow('no whole answer within 5 seconds')
  const stop = new AbortController()
  const stopped = withDeadline(clock, 5000, stop.signal, never)
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
  await expect(withDeadline(clock, 5000, stop.signal, async (signal) => signal.throwIfAborted())).rejects.toThrow('stopped')
})
