import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { adoptExecution } from '../../src/job/adopt.ts'
import { deliver, recordStored, settle, watch } from '../../src/job/delivery/deliver.ts'
import { embeddedHost } from '../../src/sprite-spec/request.ts'
import { findEntry, type LockEntry } from '../../src/vault/lockfile.ts'
import { type Bench, bench, executionOf, frozenOf, order } from './bench.ts'

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

test('an execution of the lock file is taken over at most once, and beside a running one only if the other has been left', async () => {
  const made = bench()
  const lockOf = { service: order.identity, asked: { prompt: 'p' }, execution: { id: 'x', conversation: null } }
  await made.lock.change(order.request.id, order.hash, () => lockOf)
  await made.record('frozen', frozenOf(1))
  await made.record('sent', { attempt: 1, send: 1, keyTag: made.client.keyTag(order.hash) })
  // The execution of our own POST is known, so there is nothing to repeat.
  const view = await made.record('accepted', { attempt: 1, executionId: 'e1', conversationId: null })
  expect(await adoptExecution(made, order, view)).toBe(view)
  // Another process is first: its record does not say that the execution was left, so this one is added to it.
  await made.record('asked', { attempt: 1, executionId: 'e2', question: { questionId: 'q', text: '?', requiresAsset: false } })
  const left = await adoptExecution(made, order, view, true)
  expect(left.submission.executions).toEqual(['e1', 'x'])
  expect((await made.types()).slice(3)).toEqual(['asked', 'accepted'])
  expect(await adoptExecution(made, order, left, true)).toBe(left)
})

test('the ledger has a hold from its acceptance on, and how it ended', async () => {
  const moves = async (...records: readonly (keyof typeof append)[]) => (await settled({}, ...records)).moves
  expect(await moves('accepted')).toEqual(['held 1 e'])
  expect(await moves('accepted', 'completed')).toEqual(['held 1 e', 'settled 1 e'])
  expect(await moves('accepted', 'failed')).toEqual(['held 1 e', 'restored 1 e'])
})

describe('the end of an execution', () => {
  const asset = { assetId: 'a', downloadUrl: 'https://files.test/a', contentType: null, width: null, height: null }
  const ended = async () => executionOf('completed', { assets: [asset] })
  const question = { questionId: 'q', text: 'Which hand?', requiresAsset: false }
  async function started(over: Parameters<typeof bench>[1] = {}, client: Parameters<typeof bench>[0] = { execution: ended }) {
    const made = bench(client, over)
    await made.record('frozen', { ...frozenOf(1), bodySha256: frozen.bodySha256 })
    return { ...made, from: await append.accepted(made) }
  }

  test.each<[string, (made: Bench) => Promise<unknown>, readonly string[]]>([
    [
      'is recorded after a record about something else',
      (made) => made.record('approved', { attempt: 1, at: 't' }),
      ['approved', 'completed'],
    ],
    ['is not recorded twice', append.completed, ['completed']],
    [
      'is not that of the execution that an answer has started',
      (made) => made.record('answerAccepted', { attempt: 1, executionId: 'e2', conversationId: 'c' }),
      ['answerAccepted'],
    ],
  ])('%s, if another process was first', async (_what, first, types) => {
    const made = await started()
    await first(made)
    await watch(made, order, made.from, 'e')
    expect((await made.types()).slice(2)).toEqual(types)
  })

  test('is not awaited if its question was answered elsewhere, and the lock file or the journal has what goes on', async () => {
    const client = { execution: async () => executionOf('needs_input') }
    const pulled = await started({}, client)
    await pulled.lock.change(order.request.id, order.hash, () => ({ service: order.identity, asked: { prompt: 'p' }, execution: foreign }))
    await watch(pulled, order, pulled.from, 'e')
    expect((await pulled.view()).submission.accepted?.executionId).toBe('x')
    const here = await started({}, client)
    await here.record('answerAccepted', { attempt: 1, executionId: 'e2', conversationId: 'c' })
    await watch(here, order, here.from, 'e')
    expect((await here.types()).slice(2)).toEqual(['answerAccepted'])
  })

  test('needs no place while it asks', async () => {
    const kept: unknown[] = []
    const places = { ...bench().places, keep: async () => void kept.push('kept'), leave: async () => void kept.push('left') }
    const made = await started({ places }, { execution: async () => executionOf('needs_input', { question }) })
    const view = await made.record('asked', { ...done, question })
    await expect(watch(made, order, view, 'e')).rejects.toMatchObject({ code: 'SW_QUESTION' })
    expect(kept).toEqual([])
  })

  test('at a service that has lost it says which service that is', async () => {
    const lost = new SpritewrightError('SW_REFUSED', { message: 'Not found.', facts: { status: 410 } })
    const made = await started({}, { execution: async () => Promise.reject(lost) })
    const identity = { ...order.identity, host: embeddedHost }
    await expect(watch(made, order, made.from, 'e')).rejects.toThrow('The service does not know the execution of "hero.walk" (e)')
    await expect(watch(made, { ...order, identity }, made.from, 'e')).rejects.toThrow(
      'does not know the execution of "hero.walk" (e): each one',
    )
  })

  test('is an error of the disk if the result is only outside of the project and cannot be recorded', async () => {
    const full = new Error('full')
    const { vault, lock } = bench()
    const failing = (rescued: readonly string[]) =>
      started({ vault: { ...vault, rescued }, lock: { ...lock, change: async () => Promise.reject(full) } })
    const kept = await failing(['/state/a', '/state/b', '/state/a'])
    await expect(recordStored(kept, order, kept.from, result.sha256, 5)).rejects.toMatchObject({
      code: 'SW_DISK',
      message: expect.stringMatching(/kept in \/state\/a and \/state\/b$/),
      facts: { id: 'hero.walk', folder: vault.folder, rescued: ['/state/a', '/state/b'] },
      cause: full,
    })
    const none = await failing([])
    await expect(recordStored(none, order, none.from, result.sha256, 5)).rejects.toBe(full)
  })

  test('is followed after the lock file has its execution, with the credits of the frozen bytes if they are known here', async () => {
    const lost = new SpritewrightError('SW_REFUSED', { message: 'No.', facts: { status: 403 } })
    const made = await started({}, { execution: async () => Promise.reject(lost) })
    await expect(watch(made, order, made.from, 'e')).rejects.toBe(lost)
    expect(findEntry(await made.lock.read(), order.request.id, order.hash)?.execution).toEqual(own)
    const pulled = bench({ execution: ended })
    await watch(pulled, order, await append.accepted(pulled), 'e')
    expect(pulled.progress).toEqual([{ id: order.request.id, phase: 'running', message: 'completed' }])
  })

  test('is delivered with the signal of the run, and every error but a lost file stays as it is', async () => {
    const { signal } = new AbortController()
    const seen: unknown[] = []
    const bytes = new TextEncoder().encode('PK')
    const download = async (url: string, given?: AbortSignal) => {
      seen.push(url, given === signal)
      return { bytes } as never
    }
    const made = await started({ signal }, { download })
    await deliver(made, order, made.from, asset.downloadUrl)
    expect([seen, (await made.types()).at(-1), made.warnings]).toEqual([[asset.downloadUrl, true], 'stored', []])
    const refused = new SpritewrightError('SW_REFUSED', { message: 'No.', facts: { status: 403 } })
    const failing = await started({}, { download: async () => Promise.reject(refused) })
    await expect(deliver(failing, order, failing.from, asset.downloadUrl)).rejects.toBe(refused)
  })

  test('that the shared store did not take is new only if neither the records nor the lock file have it', async () => {
    const unshared = new Map([[result.sha256, 'The store is full.']])
    const vault = { ...bench().vault, unshared }
    const pulled = await started({ vault })
    await pulled.lock.change(order.request.id, order.hash, () => ({
      service: order.identity,
      asked: { prompt: 'p' },
      execution: own,
      result,
    }))
    await recordStored(pulled, order, pulled.from, result.sha256, 5)
    const known = await started({ vault })
    await recordStored(known, order, await append.stored(known), result.sha256, 5)
    expect((await known.types()).slice(2)).toEqual(['stored'])
    const fresh = await started({ vault })
    await expect(recordStored(fresh, order, fresh.from, result.sha256, 5)).rejects.toMatchObject({ code: 'SW_STORE' })
  })
})
