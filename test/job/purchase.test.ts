import { describe, expect, test } from 'vitest'
import type { Approval } from '../../src/credit/approval.ts'
import { formatCredits } from '../../src/credit/credits.ts'
import type { NetRequest, NetResponse } from '../../src/host/net.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { UploadPicture } from '../../src/job/chain.ts'
import { freeze } from '../../src/job/freeze.ts'
import type { JobPorts, Order, Purchase } from '../../src/job/order.ts'
import { purchase } from '../../src/job/purchase.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import { findEntry, type LockEntry } from '../../src/vault/lockfile.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { answerSmall, emptyService, type Fate } from '../kit/small-service.ts'
import { jobPorts, numberedOrder, ownKey, usualRules } from '../sim/exhaustive/project.ts'
import { toNetResponse } from '../sim/exhaustive/world.ts'
import { type Bench, bench, errorOf, frozenOf, order, price } from './bench.ts'

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
  const whole = numberedOrder(1, price) as Order & { readonly approval: Approval; readonly reference: UploadPicture }
  const { approval, hash, reference, request } = whole
  const approved = { credits: price, priceVersion: approval.priceVersion, approval }
  const frozenAs = async (attempt: number): Promise<readonly unknown[]> => {
    await clock.run(freeze(ports, whole, attempt, approved, reference))
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

describe('beside another machine', () => {
  const other: Approval = { ...(numberedOrder(1, price).approval as Approval), at: '2026-09-21T15:00:00.000Z' }
  /** Runs a purchase over a journal that another machine has just written to. */
  async function beside(over: Partial<JobPorts>, write: (made: Bench) => Promise<unknown>) {
    const made = bench(
      {
        submit: async (_submission, record) => {
          await record()
          return { kind: 'refused', status: 422, error: errorOf('invalid_request') }
        },
        balance: async () => 9n * price,
        estimate: async () => ({ ...estimate, credits: price }),
      },
      {
        elsewhereMs: 90_000,
        uploads: { referenceId: async () => 'a0000000-0000-4000-8000-000000000001', forget: async () => {} },
        ...over,
      },
    )
    await write(made)
    const error = await purchase(made, order).catch((one: unknown) => one)
    return {
      error,
      slept: made.slept,
      posts: (await made.types()).filter((type) => type === 'sent').length,
      progress: made.progress,
    }
  }
  const estimate = {
    ...{ priceVersion: other.priceVersion, frameCount: 7, background: 'remove' as const, referenceUsd: '0', referenceCreditCents: 0 },
  }

  test('bytes that it has just frozen under its own approval get fifteen seconds', async () => {
    const frozen = (made: Bench) => made.record('frozen', frozenOf(1, { approvedAt: '2026-09-21T13:00:00.000Z' }))
    const waited = await beside({}, frozen)
    expect(waited.slept).toEqual(Array.from({ length: 8 }, () => 2_000))
    expect(waited.progress[0]).toEqual({ id: 'hero.walk', phase: 'waiting', message: 'another machine is submitting it' })
    expect(waited.progress.slice(8).map(({ phase }) => phase)).toEqual(['checking', 'uploading', 'submitting'])
    expect([waited.posts, waited.error]).toEqual([
      1,
      expect.objectContaining({ code: 'SW_REFUSED', facts: expect.objectContaining({ status: 422 }) }),
    ])
    expect((await beside({ elsewhereMs: undefined }, frozen)).slept).toEqual([])
    expect((await beside({}, (made) => made.record('frozen', frozenOf(1)))).slept).toEqual([])
  })

  test('a POST under its own API key gets as long as it may take, then a person decides', async () => {
    const sentWith = (keyTag: string) => async (made: Bench) => {
      await made.record('frozen', frozenOf(1))
      await made.record('sent', { attempt: 1, send: 1, keyTag })
    }
    const waited = await beside({ elsewhereMs: 5_000 }, sentWith('of another key'))
    expect([waited.slept, waited.posts]).toEqual([[2_000, 2_000, 2_000], 1])
    expect(waited.error).toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'key', balanceBefore: '9', balanceNow: '21.6' } })
    expect((await beside({ elsewhereMs: undefined }, sentWith('of another key'))).slept).toEqual([])
    const answered = await beside({}, async (made) => {
      await sentWith('of another key')(made)
      await made.record('unknown', { attempt: 1, send: 1, status: 500, message: 'x' })
    })
    expect([answered.slept, answered.error]).toEqual([[], expect.objectContaining({ code: 'SW_UNCERTAIN' })])
  })

  test('a POST of somebody whose records do not count here gets as long as it may take, then a person decides', async () => {
    const sent = async ({ client, clock, disk }: Bench): Promise<void> => {
      const theirs = createJournal({ disk, clock, random: countingRandom(), keys: ringOf(testKey(9)) }, '/game/.spritewright/submissions')
      const view = await theirs.append(order.hash, await theirs.read(order.hash), 'frozen', frozenOf(1))
      if (view) await theirs.append(order.hash, view, 'sent', { attempt: 1, send: 1, keyTag: client.keyTag(order.hash) })
    }
    const waited = await beside({ elsewhereMs: 5_000 }, sent)
    expect([waited.slept, waited.posts]).toEqual([[2_000, 2_000, 2_000], 1])
    expect(waited.error).toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'records' } })
    expect((await beside({ elsewhereMs: undefined }, sent)).slept).toEqual([])
  })

  test('an answer whose arrival is unknown is told as an answer', async () => {
    let balance = price
    const made = bench({
      balance: async () => {
        if (balance < 0n) throw new Error('down')
        return balance
      },
    })
    await made.record('frozen', frozenOf(1))
    await made.record('accepted', { attempt: 1, executionId: 'e1', conversationId: null })
    const words = { questionId: 'q', key: 'k', text: 'left', assetId: null }
    await made.record('answerFrozen', { attempt: 1, executionId: 'e1', conversationId: 'c', ...words })
    await made.record('answerSent', { attempt: 1, send: 1, keyTag: made.client.keyTag(order.hash) })
    await made.clock.sleep(11 * 60_000)
    await expect(purchase(made, order)).rejects.toMatchObject({
      code: 'SW_UNCERTAIN',
      message: expect.stringContaining('Whether the answer to "hero.walk" arrived is unknown'),
      facts: { balanceBefore: '9', balanceNow: '2.4' },
    })
    balance = -1n
    await expect(purchase(made, order)).rejects.toMatchObject({
      message: expect.stringContaining('Whether the answer to "hero.walk" arrived is unknown'),
      facts: { balanceBefore: '9', balanceNow: undefined },
    })
  })

  test('a balance that cannot be read is missing in the evidence', async () => {
    const made = bench({ balance: async () => Promise.reject(new Error('down')) })
    await made.record('frozen', frozenOf(1))
    await made.record('sent', { attempt: 1, send: 1, keyTag: 'of another key' })
    const error = await purchase(made, order).catch((one: unknown) => one)
    expect(error).toMatchObject({ code: 'SW_UNCERTAIN', facts: { balanceBefore: '9', balanceNow: undefined } })
    expect((error as Error).message).toContain('Whether "hero.walk" was bought is unknown')
  })
})

test('a purchase that stops repairs the ledger and the lock file first', async () => {
  const made = bench()
  await made.record('frozen', frozenOf(1))
  await made.record('accepted', { attempt: 1, executionId: 'e1', conversationId: null })
  await made.record('failed', { attempt: 1, executionId: 'e1', status: 'failed', error: errorOf('generation_failed') })
  await expect(purchase(made, order)).rejects.toMatchObject({ code: 'SW_FAILED', facts: { reason: 'generation_failed' } })
  expect(await made.moves()).toEqual(['held 1 e1', 'restored 1 e1'])
})

describe('the result that a purchase ends with', () => {
  const sheet = new TextEncoder().encode('PK\u0003\u0004 a sheet')
  const file = { downloadUrl: 'https://files.test/a', contentType: 'application/zip', review: null }
  const done = { attempt: 1, executionId: 'e1' }
  async function stored(isHere: boolean, client: Parameters<typeof bench>[0] = {}) {
    const made = bench(client)
    await made.record('frozen', frozenOf(1))
    await made.record('accepted', { ...done, conversationId: null })
    await made.record('completed', { ...done, ...file })
    if (isHere) await made.vault.put(sheet)
    await made.record('stored', { ...done, sha256: sha256(sheet), bytes: sheet.length })
    return { ...made, end: purchase(made, order) }
  }
  const bought = { id: 'hero.walk', hash: order.hash, sha256: sha256(sheet), credits: '2.4', isFresh: false }

  test('is the stored one, with its cost', async () => {
    const { end, progress, lock } = await stored(true)
    expect(await end).toEqual(bought)
    expect(progress).toEqual([{ id: 'hero.walk', phase: 'bought', settled: price, held: 0n }])
    expect(findEntry(await lock.read(), order.request.id, order.hash)?.result).toEqual({ sha256: sha256(sheet), bytes: sheet.length })
  })

  test('is fresh in the run that has fetched it, and in no later one', async () => {
    const made = bench({ download: async () => ({ bytes: sheet }) as never })
    await made.record('frozen', frozenOf(1))
    await made.record('accepted', { ...done, conversationId: null })
    await made.record('completed', { ...done, ...file })
    expect([(await purchase(made, order)).isFresh, (await purchase(made, order)).isFresh]).toEqual([true, false])
  })

  test('is fetched again if it is gone', async () => {
    const { end, vault } = await stored(false, { download: async () => ({ bytes: sheet }) as never })
    expect(await end).toEqual(bought)
    expect(await vault.has(sha256(sheet))).toBe(true)
  })

  test('is the one that the service gives today, if its bytes differ', async () => {
    const other = new TextEncoder().encode('PK\u0003\u0004 another')
    const { end, view } = await stored(false, { download: async () => ({ bytes: other }) as never })
    expect(await end).toEqual({ ...bought, sha256: sha256(other) })
    expect((await view()).submission.stored?.sha256).toBe(sha256(other))
  })

  test('of another machine has no cost that is known here', async () => {
    const made = bench()
    await made.record('accepted', { ...done, conversationId: null, approvedAt: '2026-01-01T00:00:00.000Z' })
    await made.record('completed', { ...done, ...file })
    await made.record('stored', { ...done, sha256: await made.vault.put(sheet), bytes: sheet.length })
    expect(await purchase(made, order)).toEqual({ ...bought, credits: undefined })
    expect(made.progress).toEqual([{ id: 'hero.walk', phase: 'bought' }])
  })
})
