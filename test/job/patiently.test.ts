import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { askedFields } from '../../src/job/order.ts'
import { patiently } from '../../src/job/patiently.ts'
import type { SubmissionOutcome } from '../../src/service/wire.ts'
import { findEntry } from '../../src/vault/lockfile.ts'
import { bench, errorOf, order } from './bench.ts'

const down = new SpritewrightError('SW_STORE', { message: 'The store is down.', facts: { store: 's3' } })
const accepted: SubmissionOutcome = { kind: 'accepted', executionId: 'e1', conversationId: 'c1' }
const refused: SubmissionOutcome = { kind: 'refused', status: 422, error: errorOf('invalid_request') }

/** Fails this often before it succeeds. */
const failing = (times: number, error: Error = down) => {
  const calls = { count: 0 }
  const record = async (): Promise<void> => {
    calls.count++
    if (calls.count <= times) throw error
  }
  return { calls, record }
}

describe('an answer of the service while the shared journal is down', () => {
  test('is recorded as soon as the journal takes it', async () => {
    const made = bench()
    const { calls, record } = failing(2)
    await patiently(made, order, accepted, record)
    expect([calls.count, made.slept]).toEqual([3, [5_000, 5_000]])
    expect(made.progress).toMatchObject([
      { id: 'hero.walk', phase: 'waiting' },
      { id: 'hero.walk', phase: 'waiting' },
    ])
    expect(findEntry(await made.lock.read(), order.request.id, order.hash)).toBeUndefined()
  })

  test.each([
    [accepted, { id: 'e1', conversation: 'c1' }, 'accepted it as execution e1', 'it is fetched, and not paid again'],
    [refused, undefined, 'has answered', 'the same submission is repeated under the same key'],
  ])('ends after ten minutes with %j in the lock file and in the error', async (outcome, execution, answer, next) => {
    const made = bench()
    const { calls, record } = failing(1_000)
    const error = await patiently(made, order, outcome, record).catch((one: unknown) => one)
    expect(error).toMatchObject({ code: 'SW_STORE', facts: { store: 's3', id: 'hero.walk' }, cause: down })
    expect((error as SpritewrightError).facts.execution).toBe(execution?.id)
    expect((error as Error).message).toContain(answer)
    expect((error as Error).message).toContain(next)
    expect(calls.count).toBe(122)
    expect(findEntry(await made.lock.read(), order.request.id, order.hash)?.execution).toEqual(execution)
  })

  test('is in the lock file in place of the execution that asked', async () => {
    const made = bench()
    const asking = { service: order.identity, asked: askedFields(order.request), execution: { id: 'e0', conversation: 'c1' } }
    await made.lock.change(order.request.id, order.hash, () => asking)
    await expect(patiently(made, order, accepted, failing(1_000).record)).rejects.toMatchObject({ code: 'SW_STORE' })
    const execution = { id: 'e1', conversation: 'c1' }
    expect(findEntry(await made.lock.read(), order.request.id, order.hash)).toEqual({ ...asking, execution })
  })

  test('gets one more try after an interruption', async () => {
    const stop = new AbortController()
    const made = bench({}, { signal: stop.signal })
    const calls: number[] = []
    const record = async (): Promise<void> => {
      calls.push(made.slept.length)
      if (calls.length === 2) stop.abort()
      throw down
    }
    await expect(patiently(made, order, accepted, record)).rejects.toMatchObject({ code: 'SW_STORE', facts: { execution: 'e1' } })
    expect(calls).toEqual([0, 1])
  })

  test('any other error ends it at once', async () => {
    const { calls, record } = failing(1, new TypeError('a fault of ours'))
    await expect(patiently(bench(), order, accepted, record)).rejects.toThrow('a fault of ours')
    expect(calls.count).toBe(1)
  })
})
