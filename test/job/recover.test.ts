import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { JobPorts, Order } from '../../src/job/order.ts'
import { createJournal, type JournalView } from '../../src/job/records/journal.ts'
import { recordDecision, type ShownDecision } from '../../src/job/recover.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { countingRandom } from '../kit/memory-disk.ts'
import { type Bench, bench, errorOf, executionOf, frozenOf, order } from './bench.ts'

const minute = 60_000
const refusal = (status: number) => new SpritewrightError('SW_REFUSED', { message: 'Refused.', facts: { status } })
const gone = { execution: async () => Promise.reject(refusal(404)) }
const asset = { assetId: 'a', downloadUrl: 'https://files.test/a', contentType: null, width: null, height: null }
const accepted = { attempt: 1, executionId: 'e1', conversationId: null }
const decisions = async ({ view }: Bench) => (await view()).records.filter(({ type }) => type === 'decided').map(({ body }) => body)
const abandon = (ports: JobPorts, shown?: ShownDecision, one: Order = order) => recordDecision(ports, one, 'abandon', shown)
const rest = { attempt: 1, ceiling: '3', balanceBefore: '9' }

/** A POST without an answer, longer ago than it may be repeated. */
async function unanswered(client: Parameters<typeof bench>[0] = {}): Promise<Bench> {
  const made = bench(client)
  await made.record('frozen', frozenOf(1))
  await made.record('sent', { attempt: 1, send: 1, keyTag: made.client.keyTag(order.hash) })
  await made.clock.sleep(11 * minute)
  return made
}

/** An execution that was accepted. */
async function running(client: Parameters<typeof bench>[0], isCompleted = false): Promise<Bench> {
  const made = bench(client)
  await made.record('frozen', frozenOf(1))
  await made.record('accepted', accepted)
  if (isCompleted) await made.record('completed', { ...accepted, ...asset, review: null })
  return made
}

describe('a person decides about a POST without an answer', () => {
  test.each(['replay', 'abandon'] as const)('to %s it, once', async (decision) => {
    const made = await unanswered()
    const since = (await made.view()).records[1]?.at
    const open = await recordDecision(made, order, decision, { attempt: 1, about: 'submission' })
    expect(open).toEqual({ about: 'submission', isConflict: false, since, ...rest })
    expect(await decisions(made)).toEqual([{ attempt: 1, about: 'submission', decision, approvedAt: order.approval?.at }])
    expect(await recordDecision(made, order, decision, undefined)).toBeUndefined()
    expect(await decisions(made)).toHaveLength(1)
  })

  test.each<ShownDecision>([
    { attempt: 2, about: 'submission' },
    { attempt: 1, about: 'answer' },
    { attempt: 1, about: 'conflict' },
    { attempt: 1, about: 'submission', executionId: 'e1' },
  ])('but not if %j was shown', async (shown) => {
    const made = await unanswered()
    expect(await abandon(made, shown)).toBeUndefined()
    expect(await decisions(made)).toEqual([])
  })

  test('with the approval of the lock file, if no spec asks for it any more', async () => {
    const made = await unanswered()
    const approval = { ceiling: '3', priceVersion: 'v', buyer: 'b', at: '2026-02-02T00:00:00.000Z' }
    await made.lock.change(order.request.id, order.hash, () => ({ service: order.identity, asked: { prompt: 'p' }, approval }) as LockEntry)
    await abandon(made, undefined, { ...order, approval: undefined })
    expect(await decisions(made)).toMatchObject([{ approvedAt: approval.at }])
    const bare = await unanswered()
    await abandon(bare, undefined, { ...order, approval: undefined })
    expect(await decisions(bare)).toMatchObject([{ approvedAt: null }])
  })

  test('and where it was given is recorded', async () => {
    const made = await unanswered()
    await recordDecision(made, order, 'replay', undefined, { shell: 'agent' })
    expect(await decisions(made)).toMatchObject([{ decision: 'replay', shell: 'agent' }])
  })

  test('again from the records, if another process wrote the next one first', async () => {
    const made = await unanswered()
    const other = await made.journal.read(order.hash)
    let isFirst = true
    const append: JobPorts['journal']['append'] = async (...record) => {
      if (!isFirst) return made.journal.append(...record)
      isFirst = false
      await made.journal.append(order.hash, other, 'approved', { attempt: 1, at: '2026-01-01T00:00:00.000Z' })
      return undefined
    }
    expect(await abandon({ ...made, journal: { ...made.journal, append } })).toMatchObject({ about: 'submission' })
    expect(await made.types()).toEqual(['frozen', 'sent', 'approved', 'decided'])
  })

  test('but not while it may still be repeated, nor before anything was sent', async () => {
    const made = bench()
    await made.record('frozen', frozenOf(1))
    expect(await abandon(made)).toBeUndefined()
    await made.record('sent', { attempt: 1, send: 1, keyTag: made.client.keyTag(order.hash) })
    expect(await abandon(made)).toBeUndefined()
  })
})

test('a key that the service knows with other bytes is shown as a conflict', async () => {
  const made = bench()
  await made.record('frozen', frozenOf(1))
  for (const send of [1, 2]) {
    await made.record('sent', { attempt: 1, send, keyTag: made.client.keyTag(order.hash) })
    await made.record('refused', { attempt: 1, send, status: 409, error: errorOf('idempotency_conflict') })
  }
  const since = (await made.view()).records[1]?.at
  expect(await abandon(made, { attempt: 1, about: 'submission' })).toBeUndefined()
  expect(await abandon(made, { attempt: 1, about: 'conflict' })).toEqual({ about: 'submission', isConflict: true, since, ...rest })
})

test.each([
  ['an answer', false, 'answer'],
  ['a submission, if the execution of the answer failed', true, 'submission'],
] as const)('records of somebody else after an answer are about %s', async (_what, hasFailed, about) => {
  const made = await running({})
  const { disk, clock } = made
  const theirs = createJournal({ disk, clock, random: countingRandom(), keys: ringOf(testKey(9)) }, '/game/.spritewright/submissions')
  const words = { questionId: 'q', key: 'k', text: 'left', assetId: null }
  const view = await theirs.append(order.hash, await theirs.read(order.hash), 'answerFrozen', {
    ...{ attempt: 1, executionId: 'e1', conversationId: 'c' },
    ...words,
  })
  await theirs.append(order.hash, view as JournalView, 'answerSent', { attempt: 1, send: 1, keyTag: 'k' })
  if (hasFailed)
    await made.record('failed', {
      attempt: 1,
      executionId: 'e1',
      status: 'failed',
      error: errorOf('generation_failed', { retryable: true }),
    })
  // Nothing is sent again because of records of somebody else.
  await expect(recordDecision(made, order, 'replay', undefined)).rejects.toMatchObject({ code: 'SW_USAGE', facts: { id: 'hero.walk' } })
  expect(await abandon(made)).toMatchObject({ about, isConflict: false })
})

test('an answer that was never confirmed is about its execution', async () => {
  const made = await running({})
  const words = { questionId: 'q', key: 'k', text: 'left', assetId: null }
  await made.record('answerFrozen', { attempt: 1, executionId: 'e1', conversationId: 'c', ...words })
  await made.record('answerSent', { attempt: 1, send: 1, keyTag: made.client.keyTag(order.hash) })
  await made.clock.sleep(11 * minute)
  expect(await abandon(made, { attempt: 1, about: 'answer', executionId: 'e7' })).toBeUndefined()
  expect(await abandon(made, { attempt: 1, about: 'answer', executionId: 'e1' })).toMatchObject({ about: 'answer', ...rest })
  expect(await decisions(made)).toEqual([{ attempt: 1, about: 'answer', decision: 'abandon', approvedAt: order.approval?.at }])
})

describe('an execution', () => {
  test('that the service has forgotten can be given up, and not sent again', async () => {
    const made = await running(gone)
    await expect(recordDecision(made, order, 'replay', undefined)).rejects.toMatchObject({ code: 'SW_USAGE', facts: { id: 'hero.walk' } })
    const shown = { attempt: 1, about: 'execution' as const, executionId: 'e1' }
    expect(await abandon(made, { ...shown, executionId: 'e7' })).toBeUndefined()
    expect(await abandon(made, shown)).toEqual({ about: 'execution', executionId: 'e1', since: undefined, ...rest })
    expect(await decisions(made)).toEqual([{ ...shown, decision: 'abandon', approvedAt: order.approval?.at }])
    expect(await abandon(made)).toBeUndefined()
  })

  test('whose file is gone can be given up, unless the result is here', async () => {
    const client = {
      execution: async () => executionOf('completed', { assets: [asset] }),
      download: async () => Promise.reject(refusal(410)),
    }
    expect(await abandon(await running(client, true))).toMatchObject({ about: 'execution', executionId: 'e1' })
    const stored = await running(client, true)
    const sha256 = await stored.vault.put(new Uint8Array([1]))
    await stored.record('stored', { ...accepted, sha256, bytes: 1 })
    expect(await abandon(stored)).toBeUndefined()
  })

  test.each([
    ['that runs', executionOf('running'), false],
    ['that waits for an answer', executionOf('needs_input', { question: { questionId: 'q', text: '?', requiresAsset: false } }), false],
    ['whose question was answered elsewhere', executionOf('needs_input'), true],
  ])('%s: it can be given up is %3$s', async (_which, execution, isOpen) => {
    const made = await running({ execution: async () => execution })
    expect((await abandon(made)) !== undefined).toBe(isOpen)
  })

  test('that failed is no case for a decision, and a service that does not answer decides nothing', async () => {
    const made = await running(gone)
    await made.record('failed', { attempt: 1, executionId: 'e1', status: 'failed', error: null })
    expect(await abandon(made)).toBeUndefined()
    const down = await running({
      execution: async () => Promise.reject(new SpritewrightError('SW_UNREACHABLE', { message: 'No answer.' })),
    })
    await expect(abandon(down)).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
  })
})

test('the service is asked about the very execution and file, and an interruption reaches each request', async () => {
  const { signal } = new AbortController()
  const asked: unknown[] = []
  const client = {
    execution: async (...of: readonly unknown[]) => {
      asked.push(of)
      return executionOf('completed', { assets: [asset, { ...asset, downloadUrl: 'https://files.test/b' }] })
    },
    download: async (...of: readonly unknown[]) => {
      asked.push(of)
      return { bytes: new Uint8Array(1) } as never
    },
  }
  const made = await running(client, true)
  expect(await abandon({ ...made, signal })).toBeUndefined()
  const both = (id: string) => [
    [id, signal],
    ['https://files.test/a', signal],
  ]
  expect(asked.splice(0)).toEqual(both('e1'))
  await made.record('frozen', frozenOf(2))
  await made.record('accepted', { ...accepted, executionId: 'e0' })
  expect(await abandon({ ...made, signal })).toBeUndefined()
  expect(asked).toEqual(both('e0'))
})

describe('a stray', () => {
  async function strayed(execution: () => Promise<never> | Promise<ReturnType<typeof executionOf>>, download?: () => Promise<never>) {
    const made = bench({ execution, ...(download ? { download } : {}) })
    await made.record('frozen', frozenOf(1, { ceiling: '4', balance: '7' }))
    await made.record('frozen', frozenOf(1, { ceiling: '5', balance: '8' }))
    await made.record('sent', { attempt: 1, send: 1, keyTag: 'k' })
    await made.record('frozen', frozenOf(2))
    await made.record('accepted', accepted)
    return made
  }

  test('that the service has forgotten is given up with its own ceiling and balance, once', async () => {
    const made = await strayed(async () => Promise.reject(refusal(404)))
    const open = { about: 'execution', executionId: 'e1', attempt: 1, since: undefined, ceiling: '5', balanceBefore: '8' }
    expect(await abandon(made, { attempt: 1, about: 'execution', executionId: 'e1' })).toEqual(open)
    expect((await made.view()).submission.strays).toEqual([{ attempt: 1, executionId: 'e1', end: 'givenUp' }])
    expect(await abandon(made)).toBeUndefined()
  })

  test('is not given up by a run that is interrupted while the service answers', async () => {
    const run = new AbortController()
    const made = await strayed(async () => {
      run.abort(new Error('interrupted'))
      return Promise.reject(refusal(404))
    })
    await expect(abandon({ ...made, signal: run.signal })).rejects.toThrow('interrupted')
    expect(await decisions(made)).toEqual([])
  })

  test.each([
    ['that runs', async () => executionOf('running'), undefined, false],
    ['whose question was answered elsewhere', async () => executionOf('needs_input'), undefined, true],
    ['whose file is gone', async () => executionOf('completed', { assets: [asset] }), async () => Promise.reject(refusal(404)), true],
    ['that cannot be asked for', async () => Promise.reject(refusal(500)), undefined, false],
    [
      'that waits for an answer',
      async () => executionOf('needs_input', { question: { questionId: 'q', text: '?', requiresAsset: false } }),
      undefined,
      false,
    ],
  ])('%s', async (_which, execution, download, isGone) => {
    expect((await abandon(await strayed(execution, download))) !== undefined).toBe(isGone)
  })
})
