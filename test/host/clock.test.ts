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
  stop.abort(new Error('too late'))
})
