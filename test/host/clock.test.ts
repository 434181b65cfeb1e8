import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { nodeClock } from '../../src/host/clock.ts'

const hour = 3_600_000

test('a sleep ends with the reason of its signal, whenever that is aborted', async () => {
  const stop = new AbortController()
  const sleep = nodeClock().sleep(hour, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(sleep).rejects.toThrow('stopped')
  await expect(nodeClock().sleep(hour, stop.signal)).rejects.toThrow('stopped')
})

test('a signal that is aborted after the sleep has ended changes nothing', async () => {
  const stop = new AbortController()
  await nodeClock().sleep(0, stop.signal)
  expect(getEventListeners(stop.signal, 'abort')).toEqual([])
  stop.abort(new Error('too late'))
})

test('the time that never goes back is in whole milliseconds of the process clock', () => {
  const read = (): bigint => process.hrtime.bigint() / 1_000_000n
  const before = read()
  const now = BigInt(nodeClock().mono())
  expect([before <= now, now <= read()]).toEqual([true, true])
})
