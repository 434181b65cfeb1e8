import { expect, test } from 'vitest'
import { exchange, recordBounds, withTries } from '../../src/stores/exchange.ts'
import { storeError } from '../../src/stores/failures.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom } from '../kit/memory-disk.ts'
import { type Reply, scriptedNet } from '../kit/scripted-net.ts'

const request = { method: 'GET', url: 'https://s3.test/a', headers: {} } as const

test.each<[string, Reply]>([
  ['comes', { status: 200, body: 'a' }],
  ['breaks', new Error('broken')],
  ['is longer than its reader takes', { status: 200, body: new Uint8Array(recordBounds.maximumBytes + 1) }],
])('an answer that %s ends its time limit, so that no process waits for it', async (_, reply) => {
  const clock = new ManualClock()
  await exchange({ clock, net: scriptedNet(() => reply) }, request, recordBounds).catch(() => {})
  await clock.advance(0)
  expect(clock.sleepers).toBe(0)
})

test('an answer that does not come in time ends its request', async () => {
  const clock = new ManualClock()
  const answer = exchange({ clock, net: scriptedNet(() => 'silence') }, request, recordBounds)
  answer.catch(() => {})
  await clock.advance(recordBounds.timeoutMs)
  await expect(answer).rejects.toThrow('no whole answer within 20 seconds')
})

test.each([
  ['four times if the failure may pass', { mayPass: true }, 4],
  ['once if it does not', { mayPass: false }, 1],
])('a call that fails is tried %s', async (_, { mayPass }, times) => {
  let tries = 0
  const clock = leapingClock()
  const begun = clock.mono()
  const call = withTries({ clock, random: countingRandom() }, async () => {
    tries++
    throw storeError({ address: 's3://team', work: 'read a', found: 'nothing', mayPass })
  })
  await expect(call).rejects.toMatchObject({ code: 'SW_STORE' })
  expect([tries, clock.mono() - begun]).toEqual([times, mayPass ? 150 + 300 + 600 : 0])
})
