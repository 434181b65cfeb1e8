import { expect, test } from 'vitest'
import { formatCredits, parseCredits } from '../../src/credit/credits.ts'
import type { NetRequest, NetResponse } from '../../src/host/net.ts'
import type { Order, Purchase } from '../../src/job/order.ts'
import { purchase } from '../../src/job/purchase.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { answerSmall, emptyService, type Fate } from '../kit/small-service.ts'
import { jobPorts, numberedOrder, ownKey, usualRules } from '../sim/exhaustive/project.ts'
import { toNetResponse } from '../sim/exhaustive/world.ts'

const price = parseCredits('2.4')

/** What a service has accepted: the price, and the number of the upload from which it draws. */
type Charge = readonly [credits: string, upload: number]

/**
 * A checkout in memory, and the service that it buys from.
 *
 * @param total Ceiling of everything that the project ever buys.
 * @param fate How the n-th execution ends, from 0.
 */
function desk(total: bigint, fate: (index: number) => Fate = () => 'completes') {
  const clock = new ManualClock()
  const charges: Charge[] = []
  let state = emptyService(price)
  const request = async (wanted: NetRequest): Promise<NetResponse> => {
    const body = wanted.body ?? new Uint8Array()
    const turn = answerSmall({ ...usualRules, fate }, state, { ...wanted, body }, clock.wall())
    if (turn.state.executions.length > state.executions.length)
      charges.push([formatCredits(price), Number(/"a0{7}-0000-4000-8000-(\d+)"/.exec(new TextDecoder().decode(body))?.[1])])
    state = turn.state
    return toNetResponse(turn.response)
  }
  const world = { disk: new MemoryDisk(), clock, random: countingRandom(), net: { request, close: async () => {} } }
  const ports = jobPorts(world, { total, hasCopy: false, key: ownKey })
  return { charges, buy: (order: Order): Promise<Purchase> => clock.run(purchase(ports, order)) }
}

test('a request above the rest of the total is refused before anything is sent', async () => {
  const { buy, charges } = desk(2n * price - 1n)
  await buy(numberedOrder(1, price))
  await expect(buy(numberedOrder(2, price))).rejects.toMatchObject({
    code: 'SW_CEILING',
    facts: { id: 'hero.2', price: '2.4', committed: '2.4', total: '4.7999' },
  })
  expect(charges).toEqual([['2.4', 1]])
})

test('first attempts of one picture share its upload, and only a further attempt uploads the picture anew', async () => {
  const { buy, charges } = desk(9n * price, (index) => (index === 1 ? 'fails, may be tried again' : 'completes'))
  for (const number of [1, 2, 3]) await buy(numberedOrder(number, price))
  expect(charges).toEqual([
    ['2.4', 1],
    ['2.4', 1],
    ['2.4', 2],
    ['2.4', 2],
  ])
})
