import { expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { settle } from '../../src/job/delivery/deliver.ts'
import type { JournalView } from '../../src/job/records/journal.ts'
import { findEntry, type LockEntry } from '../../src/vault/lockfile.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { jobPorts, numberedOrder, ownKey } from '../sim/exhaustive/project.ts'

const price = parseCredits('2.4')
const order = numberedOrder(1, price)
const net = { request: async () => Promise.reject(new Error('no request')), close: async () => {} }
const review = { frameCount: 7, background: 'remove' as const, keptBackgroundFrames: [2], inspectionFrames: [], sourceShiftedFrames: [] }
const other = { ...review, keptBackgroundFrames: [] }

test.each([
  ['of the record', other, other],
  ['of the lock file if the record has none', null, review],
])('a stored result in the lock file has the review %s', async (_which, recorded, expected) => {
  const world = { disk: new MemoryDisk(), clock: new ManualClock(), random: countingRandom(), net }
  const ports = jobPorts(world, { total: price, hasCopy: false, key: ownKey })
  const { journal, lock } = ports
  const { hash, request, identity } = order
  const result = { sha256: '0'.repeat(64), bytes: 5 }
  await lock.change(request.id, hash, () => ({ service: identity, asked: { prompt: 'p' }, result: { ...result, review } }) as LockEntry)
  const done = { attempt: 1, executionId: 'e' }
  let view = (await journal.append(hash, await journal.read(hash), 'accepted', { ...done, conversationId: 'c' })) as JournalView
  const completed = { ...done, downloadUrl: 'https://files.test/a', contentType: 'application/zip', review: recorded }
  view = (await journal.append(hash, view, 'completed', completed)) as JournalView
  view = (await journal.append(hash, view, 'stored', { ...done, ...result })) as JournalView
  await settle(ports, order, view)
  expect(findEntry(await lock.read(), request.id, hash)).toMatchObject({
    execution: { id: 'e', conversation: 'c' },
    result: { ...result, review: expected },
  })
})
