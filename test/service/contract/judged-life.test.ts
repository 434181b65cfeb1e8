import { describe, expect, test } from 'vitest'
import type { ContractContext, Finding } from '../../../src/contract/check.ts'
import { lifeChecks } from '../../../src/contract/life/checks.ts'
import type { LifeOutcome } from '../../../src/contract/outcome.ts'
import { resolveProfile } from '../../../src/service/profile.ts'
import { events, executed, paidId, shortZip, zip } from './executed.ts'
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

  const more: readonly [string, LifeOutcome][] = [
    ['another status of a submission', { accepted: answer(503, { error: { message: 'm'.repeat(90) } }), executionId: undefined }],
    ['an initial stream without the name', { initial: { ...answer(202, 'x'), headers: { 'content-type': 'Text/Event-Stream' } } }],
    ['a delivery of six frames', { file: { ...answer(200, ''), bytes: shortZip } }],
    ['frames counted from one', review({ source_shifted_frames: [7] })],
    ['no asset', { reads: [read({}, { finished_assets: [] })] }],
    ['further fields', { reads: [read({ mood: 1, x: 2 }), read({ mood: 1, zest: 3 })] }],
    ['an execution that cannot be read', { reads: [answer(200, { status: 7 })] }],
    ['many unknown events', { events: seenEvents.map((one, at) => ({ ...one, event: `kind-${at}-${'x'.repeat(40)}` })) }],
  ]

  type Findings = readonly (readonly [string, Finding])[]
  const known = new Map<LifeOutcome, Promise<Findings>>()
  const judge = (change: LifeOutcome): Promise<Findings> => {
    const context = { life: async () => ({ ...sound, ...change }), profile: resolveProfile() } as unknown as ContractContext
    return Promise.all(lifeChecks.map(async ({ clause, run }) => [clause, await run(context)] as const))
  }
  /** What each check finds, in the order of the checks. Each change is judged once, for all tests. */
  const judged = (change: LifeOutcome): Promise<Findings> => {
    const findings = known.get(change) ?? judge(change)
    known.set(change, findings)
    return findings
  }

  test.each(rows)('%s is judged as it is', async (_what, change, expected) => {
    const found: string[] = []
    for (const [clause, finding] of await judged(change)) {
      if (finding === 'not checkable' || (typeof finding === 'object' && 'notCheckable' in finding)) found.push(`${clause} not checkable`)
      else if (typeof finding === 'object' && 'broken' in finding) found.push(`${clause} broken`)
    }
    expect(found.sort()).toEqual([...expected].sort())
  })

  test('what is not as it should be is told in these words, with the part of the profile that would help', async () => {
    const told: string[] = []
    for (const [what, change] of [...rows, ...more]) {
      told.push(`${what}:`)
      for (const [clause, finding] of await judged(change))
        if (typeof finding === 'object') told.push(`  ${clause} ${Object.entries(finding).flat().join(' ')}`)
    }
    expect(`\n${told.join('\n')}`).toMatchInlineSnapshot(`
      "
      all that is promised:
      402 at submission:
        C4 broken Expected credit to be checked after the acceptance, found 402 at submission.
        C3 broken Expected the same 202 for the same bytes under the same key, found 202 with another body.
        C14 notCheckable Another execution was started that should not have been.
        C14 notCheckable Another execution was started that should not have been.
      an acceptance without a name:
        N3 broken None. profilePart readAccepted
        C3 notCheckable None.
        C15 notCheckable None.
        C5 notCheckable None.
      another execution for a key:
        C3 broken Expected the same 202 for the same bytes under the same key, found 202 with another body.
        C14 notCheckable Another execution was started that should not have been.
        C14 notCheckable Another execution was started that should not have been.
      another status for a key:
        C3 broken Expected the same 202 for the same bytes under the same key, found 200 with another body.
        C14 notCheckable Another execution was started that should not have been.
        C14 notCheckable Another execution was started that should not have been.
      no repetition:
        C3 notCheckable A service that forgets keys would charge twice: --spend 3.2 would cover it.
      other bytes that are accepted:
        C3 broken Expected 409 conflict for other bytes under a used Idempotency-Key, found 202.
      other bytes that are too large:
        C3 broken Expected 409 conflict for other bytes under a used Idempotency-Key, found 409 quota_exceeded.
      a fault of the service for a low maximum:
        C15 broken Expected a price above max_credits to be refused, found 500.
      a low maximum that fails later:
        C15 kept It is accepted and fails then, with nothing charged.
        C14 notCheckable Another execution was started that should not have been.
        C14 notCheckable Another execution was started that should not have been.
      a low maximum that runs:
        C15 broken Expected a price above max_credits to be refused, found it accepted and "running".
        C14 notCheckable Another execution was started that should not have been.
        C14 notCheckable Another execution was started that should not have been.
      JSON for a stream:
        C5 notCheckable A repeated submission is answered as JSON; only a first submission could show it.
      no need of a version:
        C2 broken Expected 422 invalid_request for a read without Service-Version, found 200.
      a version that is refused as access:
        C2 broken Expected 422 invalid_request for a read without Service-Version, found 422 access_denied.
      a status of its own:
        C6 broken Expected a status of the interface, found "dreaming"; spritewright would wait.
      running before queued:
        C6 broken Expected no move from running to queued, found one.
      an end that is none:
        C6 broken Expected no move from failed to completed, found one.
      a question that went on:
        C6 broken Expected no move from needs_input to completed, found one.
      a queue that waits:
      a job of a wrong kind:
        C16 broken Expected image_job.public_job_id as a text, found a number.
      an asset of a wrong kind:
        C16 broken Expected finished_assets.asset_id as a text, found a number.
      a review of a wrong kind:
        C16 broken Expected frame_review.background as a text, found a number.
      a question while it runs:
        C9 broken Expected question as null while the status is not needs_input, found one with running.
      a cancelled sprite:
        C11 broken Expected a refusal to cancel a sprite, found 200. profilePart cancellable
      a fault at cancelling:
        C11 broken Expected a refusal to cancel a sprite, found 500.
      one balance without the hold:
        C14 broken Expected 8.4 credits available while 1.6 are held, found 8.4, 10; somebody else may use the account.
      nothing held:
      a smaller charge:
        C14 broken Expected 8.4 credits at the end, found 8.4001; somebody else may use the account.
      a test key:
        C14 notCheckable Test mode uses no credits here.
        C14 notCheckable Test mode uses no credits here.
      a price for a failure:
        C14 broken Expected 10 credits at the end, found 8.4; somebody else may use the account.
      no price for a failure:
      a job that its streams ended:
        C23 broken Expected the execution to complete after its streams were closed, found failed.
      no events:
        C21 broken Expected the events of the execution, found a stream without any.
      an unknown event:
        C21 broken Expected the seven kinds of event, found also song; they are ignored.
      no start:
        C21 broken Expected started first, found progress.
      no end:
        C21 broken Expected done last, found progress.
      events without names:
        C22 broken Expected events with identifiers to resume from, found none.
      an event twice:
        C22 broken Expected the 1 events after the one named by Last-Event-ID, found 2: some are repeated.
      an event left out:
        C22 broken Expected the 2 events after the one named by Last-Event-ID, found 1.
      a fifth stream:
        C24 broken Expected four streams and a refusal of the fifth with 429, found 200, 200, 200, 200, 200.
      streams of others:
        C24 notCheckable Other streams of this key were open.
      a stream that is a fault:
        C24 broken Expected four streams and a refusal of the fifth with 429, found 200, 200, 200, 500, 429.
      a file without a redirect:
        C25 broken Expected a redirect to a signed URL, found 200.
      a file at the API:
        C25 broken Expected the signed URL on another origin than the API, found it there or found none.
      a file that is refused:
        C25 broken Expected the file at the signed URL without credentials, found 403.
      no download:
        C26 broken Expected a download_url under /v1/image-jobs/ on the origin of the API, found none.
      a file that is no archive:
        C34 broken The archive breaks the rule "no-eocd": expected an end record, found none in 99 bytes: no ZIP, or one cut short. profilePart readDelivery
        C37 broken Expected content_type as that of the file, found "application/zip".
      six frames reviewed:
        C35 broken Expected frame_review.frame_count as 7, found 6.
      another background:
        C35 broken Expected frame_review.background as remove, found "keep".
      no review:
        C35 broken Expected frame_review with a completed sprite, found none.
      an asset that is said to be a PNG:
        C37 broken Expected content_type as that of the file, found "image/png".
      an asset of one frame:
      an asset narrower than a frame:
        C37 broken Expected width and height of at least one frame, found less.
      an asset lower than a frame:
        C37 broken Expected width and height of at least one frame, found less.
      an asset without a size:
      another status of a submission:
        C4 broken Expected 202 for the submission, found 503 "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm". profilePart executeBody
        C14 notCheckable Another execution was started that should not have been.
        C14 notCheckable Another execution was started that should not have been.
      an initial stream without the name:
        C5 kept It names no execution; spritewright asks for JSON by default.
      a delivery of six frames:
        C34 broken Expected 7 frames, found 6. profilePart readDelivery
      frames counted from one:
        C35 broken Expected frames counted from 0, found one that is not there.
      no asset:
        C37 broken Expected one finished asset, found none.
      further fields:
        C39 kept It has mood, x, zest too.
      an execution that cannot be read:
        C6 broken Expected a status of the interface, found ""; spritewright would wait.
        C16 broken Expected execution.status as a text, found a number.
        C14 broken Expected 10 credits at the end, found 8.4; somebody else may use the account.
        C23 broken Expected the execution to complete after its streams were closed, found undefined.
        C39 broken Expected an execution that can be read, found one that cannot.
      many unknown events:
        C21 broken Expected the seven kinds of event, found also kind-0-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, kind-1-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, ki; they are ignored. Expected started first, found kind-0-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx. Expected done last, found kind-2-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.
        C22 broken Expected the 1 events after the one named by Last-Event-ID, found 1."
    `)
  })

  test('what was not seen is not judged, and each check tells why nothing more was seen', async () => {
    const none = Object.fromEntries(Object.keys(sound).map((key) => [key, undefined]))
    const findings = async (change: LifeOutcome) => (await judged({ ...none, ...change })).map(([, finding]) => finding)
    expect([await findings({}), await findings({ stopped: 'Stopped.' })]).toEqual([
      lifeChecks.map(() => 'not checkable'),
      lifeChecks.map(() => ({ notCheckable: 'Stopped.' })),
    ])
  })
})
