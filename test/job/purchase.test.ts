import { expect, test } from 'vitest'
import type { Approval } from '../../src/credit/approval.ts'
import { formatCredits, parseCredits } from '../../src/credit/credits.ts'
import type { NetRequest, NetResponse } from '../../src/host/net.ts'
import type { UploadPicture } from '../../src/job/chain.ts'
import { freeze } from '../../src/job/freeze.ts'
import type { Order, Purchase } from '../../src/job/order.ts'
import { purchase } from '../../src/job/purchase.ts'
import { findEntry, type LockEntry } from '../../src/vault/lockfile.ts'
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
  return { charges, clock, ports, buy: (order: Order): Promise<Purchase> => clock.run(purchase(ports, order)) }
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

test('the bytes of a further attempt are frozen without the execution and the result of the attempt before, those of the same attempt beside them', async () => {
  const { clock, ports } = desk(9n * price)
  const order = numberedOrder(1, price) as Order & { readonly approval: Approval; readonly reference: UploadPicture }
  const { approval, hash, reference, request } = order
  const approved = { credits: price, priceVersion: approval.priceVersion, approval }
  const frozenAs = async (attempt: number): Promise<readonly unknown[]> => {
    await clock.run(freeze(ports, order, attempt, approved, reference))
    const entry = findEntry(await ports.lock.read(), request.id, hash)
    return [entry?.submission?.attempt, entry?.execution?.id, entry?.result?.sha256]
  }
  expect(await frozenAs(1)).toEqual([1, undefined, undefined])
  const execution = { id: 'given-up', conversation: null }
  const result = { sha256: '0'.repeat(64), bytes: 1 }
  await ports.lock.change(request.id, hash, (entry) => ({ ...(entry as LockEntry), execution, result }))
  expect(await frozenAs(1)).toEqual([1, execution.id, result.sha256])
  expect(await frozenAs(2)).toEqual([2, undefined, undefined])
})
