import { expect, test } from 'vitest'
import { sha256 } from '../../src/host/sha256.ts'
import { decide } from '../../src/job/decision.ts'
import { foldRecords } from '../../src/job/records/fold.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import { createRecordChains } from '../../src/job/records/open-chains.ts'
import type { JournalRecord, RecordBodies, RecordType } from '../../src/job/records/record.ts'
import { isOver, type ReservationRecord } from '../../src/job/records/shares.ts'
import { expectCount } from '../kit/expect-count.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { figurePng } from '../kit/project.ts'
import { type Machine, specOf, type Team, team } from '../sim/two-machines.ts'

const submissions = '/game/.spritewright/submissions'
const strange = '00000000-0000-4000-8000-00000000dead'

/** Chains as another user writes them: complete, and sealed with another key. */
function theirs({ world }: Team, disk: MemoryDisk) {
  return { disk, random: countingRandom(), clock: world.clock, keys: ringOf(testKey(66)) }
}

test('I11: planted records of a step do not choose the picture that a paid request is sent with', async () => {
  const uploads: string[] = []
  const made = await team({
    before: async (request) => {
      if (request.path === '/v1/reference-assets') uploads.push(sha256(request.body))
      return undefined
    },
  })
  const { first, world } = made
  const steps = { reference: { steps: [{ text: 'a knight' }] }, prompt: 'a knight', animations: { walk: { frames: 7 } } }
  first.write('sprites/hero.sprite.json', JSON.stringify(steps))
  await first.approve()
  const [hash = ''] = Object.keys(first.lock().steps ?? {})
  const picture = figurePng(42)
  const body = { attempt: 1, executionId: strange }
  first.write(`.spritewright/results/${sha256(picture)}.png`, picture)
  const journal = createJournal(theirs(made, first.disk), { folder: submissions })
  const add = async (type: RecordType, more: object): Promise<void> => {
    await journal.append(hash, await journal.read(hash), type, { ...body, ...more } as RecordBodies[RecordType])
  }
  await add('accepted', { conversationId: 'c' })
  await add('completed', { downloadUrl: 'x', contentType: null, review: null })
  await add('stored', { sha256: sha256(picture), bytes: picture.length })
  await expect(first.build()).rejects.toMatchObject({ code: 'SW_JOURNAL', message: expect.stringContaining('without your seal') })
  expect(uploads).not.toContain(sha256(picture))
  expect(world.service.charges()).toEqual([])
})

const tight = { options: { approval: { total: '2' } } }

/** Buys one sprite for 1.6, and approves another one. */
async function spent(): Promise<Team & { readonly hash: string }> {
  const made = await team()
  const { first } = made
  await first.approve({}, tight)
  await first.build({}, tight)
  const [hash = ''] = Object.keys(first.lock().animations['hero.walk'] ?? {})
  return { ...made, hash }
}

/** Asks for the second sprite, by approval and build. */
async function buyMore(machine: Machine): Promise<unknown> {
  machine.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
  return machine.approve({}, tight).then(() => machine.build({}, tight))
}

test('I3, I11: a planted record of the reservations makes no share smaller', async () => {
  const made = await spent()
  const { first, hash } = made
  const reservations = createRecordChains<ReservationRecord>(theirs(made, first.disk), { folder: submissions })
  await reservations.append('budget', await reservations.read('budget'), 'reserved', { id: 'hero.walk', hash, attempt: 1, credits: '0' })
  await expect(buyMore(first)).rejects.toMatchObject({ code: 'SW_CEILING' })
  expectCount(made.charged(), 1)
})

test('I3, I11: a reservation chain that was replaced is not an empty one: what the user has spent stands in the second copy', async () => {
  const made = await spent()
  const { first } = made
  const other = new MemoryDisk()
  const reservations = createRecordChains<ReservationRecord>(theirs(made, other), { folder: submissions })
  await reservations.append('budget', await reservations.read('budget'), 'reserved', {
    id: 'x',
    hash: 'c'.repeat(64),
    attempt: 1,
    credits: '0',
  })
  const [record] = [...other.files].filter(([path]) => path.includes('/budget/'))
  for (const path of [...first.disk.files.keys()]) if (path.startsWith(`${submissions}/budget/`)) first.disk.files.delete(path)
  first.disk.files.set(...(record as [string, Uint8Array]))
  await expect(buyMore(first)).rejects.toMatchObject({ code: 'SW_JOURNAL', message: expect.stringContaining('has been replaced') })
  // Follows the message.
  for (const path of [...first.disk.files.keys()]) if (path.startsWith(`${submissions}/budget/`)) first.disk.files.delete(path)
  await expect(buyMore(first)).rejects.toMatchObject({ code: 'SW_CEILING' })
  expectCount(made.charged(), 1)
})

const record = (n: number, type: RecordType, body: object): JournalRecord =>
  ({ v: 1, n, prev: '', type, at: 1000 + n, mono: 1000 + n, body, sum: String(n) }) as unknown as JournalRecord
const frozen = (attempt: number) => ({
  attempt,
  key: 'k',
  body: '{}',
  bodySha256: 'x',
  maxCredits: '4',
  priceVersion: 'v',
  approvedAt: '2020',
})
const sent = [record(1, 'frozen', frozen(1)), record(2, 'sent', { attempt: 1, send: 1, keyTag: 't' })]
const facts = { wall: 2000, mono: 2000, windowMs: 600_000, keyTag: 't', approvedAt: '2020' }

test('I11: giving up an execution of an earlier attempt does not clear what was planted', () => {
  const paid = [
    ...sent,
    record(3, 'accepted', { attempt: 1, executionId: 'E1' }),
    record(4, 'stored', { attempt: 1, sha256: 'r', bytes: 1 }),
  ]
  const planted = [record(5, 'accepted', { attempt: 2, executionId: 'E2' }), record(6, 'accepted', { attempt: 1, executionId: 'gone' })]
  const givenUp = record(7, 'decided', { attempt: 1, about: 'execution', executionId: 'gone', decision: 'abandon', approvedAt: '2020' })
  const failed = record(8, 'failed', {
    attempt: 2,
    executionId: 'E2',
    status: 'failed',
    error: { reason: 'x', message: 'x', retryable: true },
  })
  const state = foldRecords([...paid, ...planted, givenUp, failed], new Set([...paid, givenUp, failed]))
  expect(decide(state, facts)).toMatchObject({ do: 'stop', why: { because: 'records' } })
})

test('I3, I11: an attempt that nobody has answered is not over because another one was planted behind it', () => {
  const planted = record(3, 'frozen', frozen(2))
  const givenUp = record(4, 'decided', { attempt: 2, about: 'submission', decision: 'abandon', approvedAt: '2020' })
  const state = foldRecords([...sent, planted, givenUp], new Set([...sent, givenUp]))
  expect(isOver(state, 1)).toBe(false)
})
