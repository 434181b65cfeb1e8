import { describe, expect, test } from 'vitest'
import { settle } from '../../src/job/delivery/deliver.ts'
import { findEntry, type LockEntry } from '../../src/vault/lockfile.ts'
import { type Bench, bench, frozenOf, order } from './bench.ts'

const review = { frameCount: 7, background: 'remove' as const, keptBackgroundFrames: [2], inspectionFrames: [], sourceShiftedFrames: [] }
const result = { sha256: '0'.repeat(64), bytes: 5 }
const done = { attempt: 1, executionId: 'e' }
const own = { id: 'e', conversation: 'c' }
const foreign = { id: 'x', conversation: null }
const { attempt, key, body, bodySha256, maxCredits } = frozenOf(1)
const frozen = { attempt, key, body, bodySha256: bodySha256.padEnd(64, '0'), maxCredits }
const next = { ...frozen, attempt: 2, key: 'k2' }

/** Settles the records of an execution over an entry of the lock file. Returns its sections afterwards. */
async function settled(entry: Partial<LockEntry> | undefined, ...records: readonly (keyof typeof append)[]) {
  const made = bench()
  const { lock } = made
  if (entry) await lock.change(order.request.id, order.hash, () => ({ service: order.identity, asked: { prompt: 'p' }, ...entry }))
  await made.record('frozen', { ...frozenOf(1), bodySha256: frozen.bodySha256 })
  for (const type of records) await append[type](made)
  await settle(made, order, await made.view())
  const { submission, execution, result: stored } = findEntry(await lock.read(), order.request.id, order.hash) ?? {}
  return { submission, execution, result: stored, moves: await made.moves() }
}

const completed = (made: Bench, of: typeof review | null) =>
  made.record('completed', { ...done, downloadUrl: 'https://files.test/a', contentType: 'application/zip', review: of })
const append = {
  accepted: (made: Bench) => made.record('accepted', { ...done, conversationId: 'c' }),
  completed: (made: Bench) => completed(made, null),
  reviewed: (made: Bench) => completed(made, { ...review, keptBackgroundFrames: [] }),
  failed: (made: Bench) => made.record('failed', { ...done, status: 'failed', error: null }),
  stored: (made: Bench) => made.record('stored', { ...done, ...result }),
  abandoned: (made: Bench) => made.record('decided', { ...done, about: 'execution', decision: 'abandon', approvedAt: null }),
}

describe('the lock file after a step', () => {
  test('has the execution, and after its end the result', async () => {
    expect(await settled(undefined, 'accepted')).toMatchObject({ execution: own, result: undefined })
    expect(await settled({ submission: frozen }, 'accepted', 'completed')).toMatchObject({ submission: frozen, execution: own })
    expect(await settled({}, 'accepted', 'completed', 'stored')).toMatchObject({ execution: own, result })
    expect(await settled({ execution: own }, 'accepted', 'failed')).toMatchObject({ execution: undefined, result: undefined })
    expect(await settled({ submission: frozen })).toMatchObject({ submission: frozen, execution: undefined, moves: [] })
  })

  test('has the review of the record, or else its own', async () => {
    const before = { result: { ...result, review } }
    const reviewed = await settled(before, 'accepted', 'reviewed', 'stored')
    expect(reviewed.result).toEqual({ ...result, review: { ...review, keptBackgroundFrames: [] } })
    expect((await settled(before, 'accepted', 'completed', 'stored')).result).toEqual({ ...result, review })
    expect((await settled({}, 'accepted', 'completed', 'stored')).result).toEqual(result)
  })

  test.each<[string, Partial<LockEntry>, readonly (keyof typeof append)[]]>([
    ['another machine has an execution that is unknown here', { submission: frozen, execution: foreign }, ['accepted']],
    ['another machine has replaced the stored one', { submission: frozen, execution: foreign }, ['accepted', 'completed', 'stored']],
    ['the next attempt is frozen', { submission: next }, ['accepted']],
    ['the next attempt is frozen after a failure', { submission: next }, ['accepted', 'failed']],
    ['the next attempt is under way', { submission: next, execution: own }, ['accepted', 'completed', 'stored']],
    ['the next attempt is bought', { submission: next, result: { ...result, bytes: 6 } }, ['accepted', 'completed', 'stored']],
    ['the stored result was given up', { submission: next }, ['accepted', 'completed', 'stored', 'abandoned']],
  ])('stays as it is if %s', async (_why, entry, records) => {
    expect(await settled(entry, ...records)).toMatchObject({ submission: undefined, execution: undefined, result: undefined, ...entry })
  })

  test('goes back to the bytes of the result if the next attempt was only frozen', async () => {
    const after = await settled({ submission: next }, 'accepted', 'completed', 'stored')
    expect(after).toMatchObject({ submission: frozen, execution: own, result })
  })
})

test('the ledger has a hold from its acceptance on, and how it ended', async () => {
  const moves = async (...records: readonly (keyof typeof append)[]) => (await settled({}, ...records)).moves
  expect(await moves('accepted')).toEqual(['held 1 e'])
  expect(await moves('accepted', 'completed')).toEqual(['held 1 e', 'settled 1 e'])
  expect(await moves('accepted', 'failed')).toEqual(['held 1 e', 'restored 1 e'])
})
