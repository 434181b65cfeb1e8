import { expect, test } from 'vitest'
import type { Approval } from '../../src/credit/approval.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { idempotencyKey, type JobPorts } from '../../src/job/order.ts'
import { purchase } from '../../src/job/purchase.ts'
import type { JournalView } from '../../src/job/records/journal.ts'
import type { RecordBodies, RecordType } from '../../src/job/records/record.ts'
import { type Bench, bench, errorOf, executionOf, frozenOf, order, price } from './bench.ts'

type Outcome = Awaited<ReturnType<JobPorts['client']['submit']>>

const approval = order.approval as Approval
const place = { key: idempotencyKey(order.identity, order.hash, 1), id: 'hero.walk' }
const sheet = new TextEncoder().encode('PK a sheet')
const stored = { sha256: sha256(sheet), bytes: sheet.length }
const asset = { assetId: 'a', downloadUrl: 'https://files.test/a', contentType: 'application/zip', width: 8, height: 9 }
const other = { ...asset, downloadUrl: 'https://files.test/b' }
const accepted: Outcome = { kind: 'accepted', executionId: 'e1', conversationId: 'c1' }
const unread: Outcome = { kind: 'unknown', status: 503, message: 'it was busy' }
const error = errorOf('rate_limited', { retryable: true, requestId: 'r5' })
const refusal = (status: number, retryAfterMs?: number): Outcome => ({ kind: 'refused', status, error, retryAfterMs }) as Outcome

/**
 * A run that notes each thing that it does, in order.
 *
 * @param answers What the places answer, from the first question on.
 */
function noting(
  outcomes: readonly (Outcome | Error)[],
  over: Partial<JobPorts> = {},
  answers: { readonly take?: readonly ('had' | 'waited')[]; readonly holds?: readonly boolean[] } = {},
) {
  const left = [...outcomes]
  const takes = [...(answers.take ?? [])]
  const holds = [...(answers.holds ?? [])]
  const calls: (readonly unknown[])[] = []
  const note = (...call: unknown[]): void => void calls.push(call)
  const isRun = (signal: AbortSignal | undefined): boolean => signal === made.signal
  const made: Bench = bench(
    {
      estimate: async (frames, background, signal) => {
        note('estimate', frames, background, isRun(signal))
        return {
          priceVersion: approval.priceVersion,
          credits: price,
          frameCount: 7,
          background,
          referenceUsd: '0',
          referenceCreditCents: 0,
        }
      },
      balance: async (signal) => {
        note('balance', isRun(signal))
        return 9n * price
      },
      submit: async ({ key, body }, record, signal) => {
        await record()
        note('POST', key, sha256(body), isRun(signal))
        const outcome = left.shift()
        if (outcome instanceof Error) throw outcome
        return outcome as Outcome
      },
      execution: async (id) => {
        note('execution', id)
        return executionOf('completed', { assets: [asset, other] })
      },
      download: async (url, signal) => {
        note('download', url, isRun(signal))
        return { bytes: sheet } as never
      },
    },
    {
      places: {
        ...{ taken: async () => [], refused: async () => {} },
        take: async (applicant, signal) => {
          note('take', applicant, isRun(signal))
          return takes.shift() ?? 'taken'
        },
        holds: async (key) => {
          note('holds', key)
          return holds.shift() ?? true
        },
        keep: async (applicant, job) => note('keep', applicant, job),
        leave: async (key) => note('leave', key),
      },
      uploads: {
        referenceId: async (hash, file, signal) => {
          note('upload', hash, file.contentType, isRun(signal))
          return 'a0000000-0000-4000-8000-000000000001'
        },
        forget: async (hash) => note('forget', hash),
      },
      ...over,
    },
  )
  const ports: JobPorts = {
    ...made,
    journal: {
      ...made.journal,
      append: async <T extends RecordType>(hash: string, view: JournalView, type: T, body: RecordBodies[T]) => {
        note(type, type === 'frozen' ? (body as RecordBodies['frozen']).key : body)
        return made.journal.append(hash, view, type, body)
      },
    },
    reservations: {
      ...made.reservations,
      reserve: async (share) => {
        note('reserve', share)
        return made.reservations.reserve(share)
      },
    },
    vault: {
      ...made.vault,
      probe: async () => note('probe'),
      probeShared: async () => note('probeShared'),
      put: async (bytes) => {
        note('put', sha256(bytes))
        return made.vault.put(bytes)
      },
    },
    clock: {
      ...made.clock,
      sleep: async (ms, signal) => {
        note('sleep', ms, isRun(signal))
        return made.clock.sleep(ms)
      },
    },
    onProgress: ({ phase }) => note(phase),
  }
  return { ...made, calls, run: async () => purchase(ports, order) }
}

const reference = order.reference?.kind === 'file' ? order.reference.sha256 : ''
const share = { id: 'hero.walk', hash: order.hash, attempt: 1, credits: price, round: 0, approver: approval.buyer }
const keyTag = bench().client.keyTag(order.hash)

/** One POST, with the body of the frozen bytes. */
async function postOf({ view }: Bench, send: number, isHeld: boolean): Promise<readonly unknown[]> {
  return [
    ['submitting'],
    ...(isHeld ? [['holds', place.key]] : []),
    ['reserve', share],
    ['sent', { attempt: 1, send, keyTag }],
    ['POST', place.key, (await view()).submission.frozen?.bodySha256, true],
  ]
}

const checks = [
  ['estimate', 7, 'remove', true],
  ['balance', true],
] as const
const begin = [['take', place, true], ['checking'], ...checks, ['probeShared'], ['uploading'], ['upload', reference, 'image/png', true]]
const done = { attempt: 1, executionId: 'e1' }
const end = [
  ['accepted', { ...done, conversationId: 'c1' }],
  ['keep', place, { executionId: 'e1' }],
  ['execution', 'e1'],
  ['running'],
  ['leave', place.key],
  ['completed', { ...done, downloadUrl: asset.downloadUrl, contentType: 'application/zip', width: 8, height: 9, review: null }],
  ['downloading'],
  ['download', asset.downloadUrl, true],
  ['put', stored.sha256],
  ['stored', { ...done, ...stored }],
  ['bought'],
]
const bought = { id: 'hero.walk', hash: order.hash, sha256: stored.sha256, credits: '2.4', isFresh: true }

test('a purchase takes a place, checks, freezes, reserves, records, sends and fetches, in this order', async () => {
  const made = noting([accepted])
  expect(await made.run()).toEqual(bought)
  expect(made.calls).toEqual([...begin, ['frozen', place.key], ...(await postOf(made, 1, true)), ...end])
  expect(await made.moves()).toEqual(['held 1 e1', 'settled 1 e1'])
  made.calls.length = 0
  expect(await made.run()).toEqual({ ...bought, isFresh: false })
  expect(made.calls).toEqual([['bought']])
})

test('a POST without an answer is sent again under the place that it has, after a pause, and makes no check again', async () => {
  const made = noting([unread, accepted])
  expect(await made.run()).toEqual(bought)
  const pause = made.slept[0]
  expect(made.calls).toEqual([
    ...[...begin, ['frozen', place.key], ...(await postOf(made, 1, true))],
    ['unknown', { attempt: 1, send: 1, status: 503, message: 'it was busy' }],
    ['keep', place, {}],
    ...[['waiting'], ['sleep', pause, true]],
    ...(await postOf(made, 2, false)),
    ...end,
  ])
  expect(pause).toBeLessThanOrEqual(1_000)
})

test('a POST that a limit refuses waits as long as the service asks, takes a place again, and a refusal for good ends the run', async () => {
  const made = noting([refusal(429, 90_000), refusal(422)])
  await expect(made.run()).rejects.toMatchObject({ code: 'SW_REFUSED', facts: { id: 'hero.walk', status: 422, requestId: 'r5' } })
  expect(made.calls).toEqual([
    ...[...begin, ['frozen', place.key], ...(await postOf(made, 1, true))],
    ['refused', { attempt: 1, send: 1, status: 429, error }],
    ...[['waiting'], ['sleep', 90_000, true], ['take', place, true]],
    ...(await postOf(made, 2, true)),
    ['refused', { attempt: 1, send: 2, status: 422, error }],
    ['leave', place.key],
  ])
})

test('a run after a limit makes all the checks of a first POST, and one whose key was refused sends one POST', async () => {
  const made = noting([refusal(429, 300_001), refusal(401), refusal(401)])
  await expect(made.run()).rejects.toMatchObject({ code: 'SW_REFUSED', facts: { status: 429, retryAt: expect.any(String) } })
  made.calls.length = 0
  await expect(made.run()).rejects.toMatchObject({ code: 'SW_KEY_REFUSED', facts: { status: 401 } })
  expect(made.calls).toEqual([
    ['take', place, true],
    ...checks,
    ['probe'],
    ...(await postOf(made, 2, true)),
    ['refused', { attempt: 1, send: 2, status: 401, error }],
    ['leave', place.key],
  ])
})

test('a run that may not repeat a POST sends nothing, and takes no place', async () => {
  const made = noting([{ ...unread, isUnread: true }])
  await expect(made.run()).rejects.toMatchObject({ code: 'SW_WIRE', facts: { id: 'hero.walk', status: 503 } })
  const after = noting([], { mayReplay: false })
  for (const [path, bytes] of made.disk.files) after.disk.files.set(path, bytes)
  await expect(after.run()).rejects.toMatchObject({ code: 'SW_MISSING', facts: { id: 'hero.walk' } })
  expect(after.calls).toEqual([])
})

test('a place that was waited for, and a place that was lost during a wait, start the checks anew, and the bytes stay', async () => {
  const made = noting([accepted], {}, { take: ['waited'], holds: [false] })
  expect(await made.run()).toEqual(bought)
  expect(made.calls).toEqual([
    ...[begin[0], ...begin, ['frozen', place.key], ['submitting'], ['holds', place.key]],
    ...begin.slice(0, 5),
    ...(await postOf(made, 1, true)),
    ...end,
  ])
})

test('a run that waited for a place after a limit sends at once, and a new run makes its checks after the wait', async () => {
  const made = noting([refusal(429, 1_000), refusal(429, 300_001)], {}, { take: ['had', 'waited'] })
  await expect(made.run()).rejects.toMatchObject({ code: 'SW_REFUSED', facts: { status: 429 } })
  expect(made.calls.filter(([what]) => what === 'take' || what === 'POST' || what === 'sleep')).toHaveLength(5)
  const next = noting([accepted], {}, { take: ['waited'] })
  for (const [path, bytes] of made.disk.files) next.disk.files.set(path, bytes)
  expect(await next.run()).toEqual(bought)
  expect(next.calls.slice(0, 5)).toEqual([['take', place, true], ['take', place, true], ...checks, ['probe']])
})

test('a place is given back if the POST fails before it leaves, and kept if it fails after that', async () => {
  const after = noting([new Error('interrupted')])
  await expect(after.run()).rejects.toThrow('interrupted')
  expect(after.calls.at(-1)?.[0]).toBe('POST')
  const before = noting([], { uploads: { referenceId: async () => Promise.reject(new Error('down')), forget: async () => {} } })
  await expect(before.run()).rejects.toThrow('down')
  expect(before.calls.slice(-2)).toEqual([['uploading'], ['leave', place.key]])
})

test('a POST whose age nobody knows is for a person at once, also beside other machines', async () => {
  const sleep = async () => Promise.reject(new Error('it waits'))
  const wall = bench().clock.wall() - 500_000
  const made = noting([], { elsewhereMs: 90_000, clock: { wall: () => wall, mono: () => 2_000_000, sleep } })
  await made.record('frozen', frozenOf(1))
  await made.record('sent', { attempt: 1, send: 1, keyTag })
  await expect(made.run()).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'clock' } })
})
