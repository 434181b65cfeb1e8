import { describe, expect, test } from 'vitest'
import type { ContractContext } from '../../../src/contract/check.ts'
import { lifeChecks } from '../../../src/contract/life/checks.ts'
import type { LifeOutcome } from '../../../src/contract/outcome.ts'
import { resolveProfile } from '../../../src/service/profile.ts'
import { events, executed, paidId, zip } from './executed.ts'
import { otherId } from './held-job.ts'

type Answer = NonNullable<LifeOutcome['accepted']>

function answer(status: number, body: unknown): Answer {
  const text = JSON.stringify(body)
  return { method: 'GET', path: '/v1/x', status, headers: {}, bytes: new TextEncoder().encode(text), text, json: body }
}

describe('of what was seen of an execution,', () => {
  const read = (more: object = {}, job: object = {}): Answer =>
    answer(200, { ...executed, ...more, image_job: { ...executed.image_job, ...job } })
  const review = (more: object) => ({ reads: [read({}, { frame_review: { ...executed.image_job.frame_review, ...more } })] })
  const asset = (more: object) => ({ reads: [read({}, { finished_assets: [{ ...executed.image_job.finished_assets[0], ...more }] })] })
  const went = (...statuses: string[]) => ({ reads: [...statuses.map((status) => read({ status })), read()] })
  const [accepted, other] = [answer(202, { execution_id: paidId }), answer(202, { execution_id: otherId })]
  const conflict = (status: number, reason: string): Answer => answer(status, { error: { reason } })
  const seenEvents = events.map(({ event, id, data }) => ({ event, data, lastEventId: id }))
  const sound: LifeOutcome = {
    price: 16_000n,
    accepted,
    executionId: paidId,
    replayed: accepted,
    conflicting: conflict(409, 'conflict'),
    underpriced: conflict(422, 'invalid_request'),
    isFree: false,
    initial: { ...answer(202, paidId), headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
    streams: [200, 200, 200, 200, 429],
    cancelled: conflict(409, 'conflict'),
    balanceBefore: 100_000n,
    balancesHeld: [84_000n, 84_000n],
    balanceAfter: 84_000n,
    reads: [read({ status: 'queued' }), read({ status: 'running' }), read()],
    versionless: conflict(422, 'invalid_request'),
    events: seenEvents,
    resumed: { after: '2', events: seenEvents.slice(2) },
    redirect: answer(302, ''),
    file: { ...answer(200, ''), bytes: zip },
    isElsewhere: true,
  }
  const failed = [read({ status: 'failed' })]
  const gone = ['C25 not checkable', 'C26 not checkable', 'C34 not checkable', 'C35 not checkable', 'C37 not checkable']
  const rows: readonly [string, LifeOutcome, readonly string[]][] = [
    ['all that is promised', {}, []],
    [
      '402 at submission',
      { accepted: answer(402, {}) },
      ['C3 broken', 'C4 broken', 'N3 not checkable', 'C14 not checkable', 'C14 not checkable'],
    ],
    [
      'an acceptance without a name',
      { accepted, executionId: undefined, stopped: 'None.' },
      ['N3 broken', 'C3 not checkable', 'C15 not checkable', 'C5 not checkable'],
    ],
    ['another execution for a key', { replayed: other }, ['C3 broken', 'C14 not checkable', 'C14 not checkable']],
    ['another status for a key', { replayed: { ...accepted, status: 200 } }, ['C3 broken', 'C14 not checkable', 'C14 not checkable']],
    ['no repetition', { replayed: undefined }, ['C3 not checkable']],
    ['other bytes that are accepted', { conflicting: accepted }, ['C3 broken']],
    ['other bytes that are too large', { conflicting: conflict(409, 'quota_exceeded') }, ['C3 broken']],
    ['a fault of the service for a low maximum', { underpriced: answer(500, {}) }, ['C15 broken']],
    ['a low maximum that fails later', { underpriced: other, underpricedStatus: 'failed' }, ['C14 not checkable', 'C14 not checkable']],
    [
      'a low maximum that runs',
      { underpriced: other, underpricedStatus: 'running' },
      ['C15 broken', 'C14 not checkable', 'C14 not checkable'],
    ],
    ['JSON for a stream', { initial: accepted }, ['C5 not checkable']],
    ['no need of a version', { versionless: read() }, ['C2 broken']],
    ['a version that is refused as access', { versionless: conflict(422, 'access_denied') }, ['C2 broken']],
    ['a status of its own', went('dreaming'), ['C6 broken']],
    ['running before queued', went('running', 'queued'), ['C6 broken']],
    ['an end that is none', went('failed'), ['C6 broken']],
    ['a question that went on', went('needs_input'), ['C6 broken']],
    ['a queue that waits', went('queued', 'queued', 'running', 'running'), []],
    ['a job of a wrong kind', { reads: [read({}, { public_job_id: 3 }), read()] }, ['C16 broken']],
    ['an asset of a wrong kind', { reads: [read({}, { finished_assets: [{ asset_id: 3 }] }), read()] }, ['C16 broken']],
    ['a review of a wrong kind', { reads: [read({}, { frame_review: { background: 3 } }), read()] }, ['C16 broken']],
    ['a question while it runs', { reads: [read({ status: 'running', question: {} }), read()] }, ['C9 broken']],
    ['a cancelled sprite', { cancelled: answer(200, {}) }, ['C11 broken']],
    ['a fault at cancelling', { cancelled: answer(500, {}) }, ['C11 broken']],
    ['one balance without the hold', { balancesHeld: [84_000n, 100_000n] }, ['C14 broken']],
    ['nothing held', { balancesHeld: [] }, ['C14 not checkable']],
    ['a smaller charge', { balanceAfter: 84_001n }, ['C14 broken']],
    ['a test key', { isFree: true }, ['C14 not checkable', 'C14 not checkable']],
    [
      'a price for a failure',
      { reads: failed, redirect: undefined, file: undefined, streams: undefined },
      ['C14 broken', 'C23 not checkable', 'C24 not checkable', ...gone],
    ],
    [
      'no price for a failure',
      { reads: failed, redirect: undefined, file: undefined, streams: undefined, balanceAfter: 100_000n },
      ['C23 not checkable', 'C24 not checkable', ...gone],
    ],
    [
      'a job that its streams ended',
      { reads: failed, redirect: undefined, file: undefined, balanceAfter: 100_000n },
      ['C23 broken', ...gone],
    ],
    ['no events', { events: [] }, ['C21 broken', 'N6 not checkable', 'C22 not checkable']],
    ['an unknown event', { events: seenEvents.with(1, { event: 'song', data: '{}', lastEventId: '2' }) }, ['C21 broken']],
    ['no start', { events: seenEvents.slice(1) }, ['C21 broken']],
    ['no end', { events: seenEvents.slice(0, 2), resumed: { after: '2', events: [] } }, ['C21 broken']],
    ['events without names', { resumed: undefined }, ['C22 broken']],
    ['an event twice', { resumed: { after: '2', events: seenEvents.slice(1) } }, ['C22 broken']],
    ['an event left out', { resumed: { after: '1', events: seenEvents.slice(2) } }, ['C22 broken']],
    ['a fifth stream', { streams: [200, 200, 200, 200, 200] }, ['C24 broken']],
    ['streams of others', { streams: [200, 200, 200, 429, 429] }, ['C24 not checkable']],
    ['a stream that is a fault', { streams: [200, 200, 200, 500, 429] }, ['C24 broken']],
    ['a file without a redirect', { redirect: answer(200, '') }, ['C25 broken']],
    ['a file at the API', { isElsewhere: false }, ['C25 broken']],
    ['a file that is refused', { file: answer(403, '') }, ['C25 broken', 'C34 not checkable', 'C37 not checkable']],
    ['no download', { redirect: undefined }, ['C25 not checkable', 'C26 broken']],
    ['a file that is no archive', { file: { ...answer(200, ''), bytes: new Uint8Array(99) } }, ['C34 broken', 'C37 broken']],
    ['six frames reviewed', review({ frame_count: 6 }), ['C35 broken']],
    ['another background', review({ background: 'keep' }), ['C35 broken']],
    ['no review', { reads: [read({}, { frame_review: null })] }, ['C35 broken']],
    ['an asset that is said to be a PNG', asset({ content_type: 'image/png' }), ['C37 broken']],
    ['an asset of one frame', asset({ width: 4, height: 4 }), []],
    ['an asset narrower than a frame', asset({ width: 3, height: 4 }), ['C37 broken']],
    ['an asset lower than a frame', asset({ width: 4, height: 3 }), ['C37 broken']],
    ['an asset without a size', asset({ width: null, height: null }), []],
  ]

  test.each(rows)('%s is judged as it is', async (_what, change, expected) => {
    const seen: LifeOutcome = { ...sound, ...change }
    const context = { life: async () => seen, profile: resolveProfile() } as unknown as ContractContext
    const found: string[] = []
    for (const { clause, run } of lifeChecks) {
      const finding = await run(context)
      if (finding === 'not checkable' || (typeof finding === 'object' && 'notCheckable' in finding)) found.push(`${clause} not checkable`)
      else if (typeof finding === 'object' && 'broken' in finding) found.push(`${clause} broken`)
    }
    expect(found.sort()).toEqual([...expected].sort())
  })
})
