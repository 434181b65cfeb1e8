import { describe, expect, test } from 'vitest'
import { signApproval } from '../../src/credit/approval.ts'
import type { Credits } from '../../src/credit/credits.ts'
import { noSubmission, type Send, type Submission } from '../../src/job/records/submission.ts'
import { changedFields, supersededBy } from '../../src/project/last-purchase.ts'
import { identify, type PlanFacts, planAnimation, servicesOf, standingOf } from '../../src/project/plan.ts'
import { embeddedHost, type ServiceIdentity, type SheetRequest } from '../../src/sprite-spec/request.ts'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
import { testKey } from '../kit/keys.ts'

const hash = 'a'.repeat(64)
const noon = 1_790_000_000_000
const minute = 60_000

/** The state of a request that this checkout has sent. */
function stateOf(submission: Partial<Submission>, more: Partial<PlanFacts> = {}): string {
  const facts: PlanFacts = {
    lock: { version: 1, animations: {} } satisfies LockFile,
    approvers: { own: undefined, others: new Set() },
    submissionOf: () => ({ ...noSubmission, attempt: 1, frozen, sends: [send(minute)], ...submission }),
    isKept: () => true,
    decision: { wall: noon, mono: 10 * minute, windowMs: 8 * minute },
    ...more,
  }
  const { state, undecided, question } = standingOf(facts, 'hero.walk', hash)
  return [state, ...(undecided ? [`${undecided} undecided`] : []), ...(question ? ['asked'] : [])].join(', ')
}

const frozen = {
  ...{ attempt: 1, key: 'k', body: '{}', bodySha256: 'b', maxCredits: '2', ceiling: '2', priceVersion: '1' },
  approvedAt: '2026-01-01T00:00:00.000Z',
}
const accepted = { attempt: 1, send: 1, executionId: 'e', conversationId: null, approvedAt: 'then' }
const error = { code: 'X', reason: 'x', message: 'no', category: 'X', retryable: false, requestId: null, details: null }
const question = { id: 'q', text: 'Which hand?' } as unknown as NonNullable<Submission['question']>
const send = (ageMs: number, answer: Send['answer'] = { kind: 'none' }): Send => ({
  ...{ send: 1, at: noon - ageMs, mono: 10 * minute - ageMs, keyTag: 'k', answer },
})
const answer = (sent: Send): NonNullable<Submission['answer']> => ({ frozen: {} as never, sends: [sent] })
const refused = { kind: 'refused', status: 429, error } as const

test.each<[string, string, Partial<Submission>]>([
  ['nothing was sent', 'missing', { sends: [] }],
  ['it was sent and not answered yet', 'running', { sends: [send(minute)] }],
  ['it was sent too long ago', 'uncertain, submission undecided', { sends: [send(9 * minute)] }],
  ['every POST was refused', 'missing', { sends: [send(minute, refused)] }],
  ['the second of two POSTs was not answered', 'running', { sends: [send(minute, refused), send(minute)] }],
  ['the service has other bytes', 'failed, conflict undecided', { sends: [send(9 * minute, { ...refused, status: 409 })] }],
  ['it was accepted', 'running', { accepted }],
  ['the service asks', 'question, asked', { accepted, question }],
  ['the service asks, and its answer was refused', 'question, asked', { accepted, question, answer: answer(send(minute, refused)) }],
  ['the service asks, and it was answered', 'running', { accepted, question, answer: answer(send(minute)) }],
  ['its answer was never confirmed', 'uncertain, answer undecided', { accepted, question, answer: answer(send(9 * minute)) }],
  ['it failed for good', 'failed', { accepted, failed: { attempt: 1, executionId: 'e', status: 'failed', error } }],
  ['a person gave it up', 'failed', { abandoned: { about: 'submission', approvedAt: null }, sends: [send(minute)] }],
  ['its records are not our own', 'uncertain, submission undecided', { isForeign: true, sends: [send(minute)] }],
  ['its answer is not our own', 'uncertain, answer undecided', { isForeign: true, accepted, question, answer: answer(send(minute)) }],
  ['its result is here', 'bought', { accepted, stored: { attempt: 1, sha256: 'b' } as never }],
])('a request is told as it is: %s', (_, state, submission) => {
  expect(stateOf(submission)).toBe(state)
})

test('a bought result that no place has is lost, not missing', () => {
  expect(stateOf({ accepted, stored: { attempt: 1, sha256: 'b' } as never }, { isKept: () => false })).toBe('lost')
})

test('a request whose service is unknown is missing', () => {
  expect(standingOf({} as PlanFacts, 'hero.walk', undefined)).toEqual({ state: 'missing' })
})

const live: ServiceIdentity = { host: 'here', keyMode: 'live', apiVersion: '1' }
const request: SheetRequest = {
  ...{ operation: 'sprite_sheet', id: 'hero.walk', prompt: 'a knight', frames: 7, background: 'remove', take: 1 },
  reference: { kind: 'file', sha256: 'c'.repeat(64) },
}
const asked = { prompt: 'a knight', frames: 7, background: 'remove', reference: 'c'.repeat(64) } as const
const entryOf = (day: number, over: Partial<LockEntry> = {}): LockEntry => ({
  ...{ service: live, asked, approval: { ceiling: '2', priceVersion: 'v', buyer: 'b', at: `2026-01-0${day}T00:00:00.000Z` } },
  ...over,
})
const resultOf = (name: string): Partial<LockEntry> => ({ result: { sha256: name, bytes: 1 } })
const lockOf = (entries: Readonly<Record<string, LockEntry>>): LockFile => ({ version: 1, animations: { 'hero.walk': entries } })

test('the result that plays on is the newest one of another request of this animation, of its kind and from its service', () => {
  const elsewhere = { service: { ...live, host: 'there' } }
  const lock = lockOf({
    one: entryOf(1, resultOf('first')),
    two: entryOf(2, { ...resultOf('second'), asked: { ...asked, frames: 9 } }),
    three: entryOf(3, { ...resultOf('elsewhere'), ...elsewhere }),
    four: entryOf(4),
    five: entryOf(5, { ...resultOf('picture'), asked: { prompt: 'a knight', operation: 'text_to_image' } }),
    [hash]: entryOf(6, resultOf('itself')),
  })
  expect(supersededBy(request, hash, lock, 'here').superseded).toEqual({ sha256: 'second', frames: 9, review: undefined })
  expect(supersededBy(request, hash, lock, undefined).superseded?.sha256).toBe('elsewhere')
  expect(supersededBy(request, undefined, lock, 'here').superseded?.sha256).toBe('itself')
  expect(supersededBy({ ...request, id: 'hero.run' }, hash, lock, 'here')).toEqual({})
})

test.each<[string, Partial<SheetRequest>, readonly string[]]>([
  ['nothing', {}, ['service']],
  ['its prompt', { prompt: 'a king' }, ['prompt']],
  ['its picture', { reference: { kind: 'file', sha256: 'd'.repeat(64) } }, ['reference']],
  ['its frames', { frames: 8 }, ['frames']],
  ['its background', { background: 'keep' }, ['background']],
  ['its take', { take: 2 }, ['take']],
  ['its options', { options: { seed: 1 } }, ['options']],
  ['frames and prompt', { frames: 8, prompt: 'a king' }, ['prompt', 'frames']],
])('a request that differs from the last one by %s is told so', (_what, over, fields) => {
  const older = entryOf(1, { ...resultOf('old'), asked: { prompt: 'an older one' } })
  expect(changedFields({ ...request, ...over }, lockOf({ one: older, two: entryOf(2) }), 'here')).toEqual(fields)
})

test('without an entry of this service the most similar one of another counts, and without any none', () => {
  const service = { ...live, host: 'there' }
  const near = entryOf(2, { service, asked: { ...asked, frames: 8 } })
  for (const farDay of [1, 3]) {
    const lock = lockOf({ one: entryOf(farDay, { service, asked: { prompt: 'a king', frames: 1 } }), two: near })
    expect(changedFields(request, lock, 'here'), `day ${farDay}`).toEqual(['frames'])
  }
  expect(changedFields(request, lockOf({ one: entryOf(1, { approval: undefined }) }), 'here')).toEqual([])
})

test('an approval for a live key comes before a result of a test key, and of two live ones the result', () => {
  const trial: ServiceIdentity = { ...live, keyMode: 'test' }
  const other: ServiceIdentity = { ...live, host: 'there' }
  const hashOf = ({ host, keyMode }: ServiceIdentity): string => `${host} ${keyMode === 'test' ? 'a' : 'b'}`
  const lock = (more: Partial<LockEntry>) =>
    lockOf({
      [hashOf(trial)]: entryOf(1, { service: trial, ...resultOf('trial') }),
      [hashOf(live)]: entryOf(1),
      [hashOf(other)]: entryOf(1, { service: other, ...more }),
    })
  expect(identify('hero.walk', hashOf, lock(resultOf('r')), {})?.identity).toBe(other)
  expect(identify('hero.walk', hashOf, lock(resultOf('r')), { host: 'here' })?.identity).toBe(live)
  expect(identify('hero.walk', hashOf, lock({}), { identity: trial })).toEqual({ identity: trial, hash: 'here a' })
  expect(identify('hero.walk', hashOf, lockOf({}), {})).toBe(undefined)
})

test('an approval says that it was given in the shell of an agent if the journal knows exactly this one', () => {
  const shellOf = (at: string) => {
    const lock = lockOf({ [hash]: entryOf(1) })
    const submissionOf = (): Submission => ({ ...noSubmission, newest: { at, isRevoked: false, shell: 'agent' } })
    const decision = { wall: noon, mono: 0, windowMs: minute }
    return standingOf(
      { lock, approvers: { own: undefined, others: new Set() }, submissionOf, isKept: () => true, decision },
      'hero.walk',
      hash,
    ).approval?.shell
  }
  expect(shellOf('2026-01-01T00:00:00.000Z')).toBe('agent')
  expect(shellOf('2026-01-02T00:00:00.000Z')).toBe(undefined)
})

describe('a standing is told whole', () => {
  /** The standing of a request, of which this checkout knows this and the lock file that. */
  const whole = (submission: Partial<Submission>, entry?: Partial<LockEntry>, more: Partial<PlanFacts> = {}) => {
    const facts: PlanFacts = {
      lock: lockOf(entry ? { [hash]: entryOf(1, entry) } : {}),
      approvers: { own: undefined, others: new Set() },
      submissionOf: () => ({ ...noSubmission, attempt: 1, frozen, sends: [send(minute)], ...submission }),
      isKept: () => true,
      decision: { wall: noon, mono: 10 * minute, windowMs: 8 * minute },
      ...more,
    }
    const { note, ...standing } = standingOf(facts, 'hero.walk', hash)
    return { ...standing, hasNote: note !== undefined }
  }
  const stored = { attempt: 1, sha256: 'own' } as never
  const bare = { approval: undefined }
  const base = { hash, attempt: 1, executionId: undefined, hasNote: false }

  test('before anything was sent, with its ceiling and without an attempt', () => {
    const nothing = { sends: [], attempt: 0 }
    const { approval, ...rest } = whole(nothing, {})
    expect(rest).toEqual({ hash, executionId: undefined, hasNote: false, state: 'approved', ceiling: 20_000n })
    expect(approval).toEqual({ priceVersion: 'v', buyer: 'b', at: '2026-01-01T00:00:00.000Z', verdict: expect.any(String) })
    expect(whole(nothing)).toEqual({ hash, executionId: undefined, hasNote: false, state: 'missing' })
  })

  test('while it is under way, and when the service asks', () => {
    expect(whole({})).toEqual({ ...base, state: 'running', hasNote: true })
    expect(whole({ accepted })).toEqual({ ...base, state: 'running', executionId: 'e' })
    expect(whole({ accepted, question })).toEqual({ ...base, state: 'question', executionId: 'e', question })
  })

  test('when it has a result, here or lost', () => {
    expect(whole({ accepted, stored })).toEqual({ ...base, state: 'bought', executionId: 'e', result: 'own' })
    expect(whole({ accepted, stored }, undefined, { isKept: () => false })).toEqual({
      ...{ ...base, state: 'lost', executionId: 'e', result: 'own' },
    })
    const inLock = { ...bare, ...resultOf('theirs') }
    expect(whole({ sends: [] }, inLock)).toEqual({ ...base, state: 'bought', result: 'theirs' })
    expect(whole({ sends: [] }, { ...inLock, service: { ...live, host: embeddedHost } }, { isKept: () => false })).toEqual({
      ...{ ...base, state: 'lost', result: 'theirs', hasNote: true },
    })
  })

  test('when another machine has bought it under a later attempt', () => {
    const execution = { id: 'theirs', conversation: null }
    const failed = { accepted, failed: { attempt: 1, executionId: 'e', status: 'failed', error } }
    const later = { ...bare, execution, submission: { ...frozen, attempt: 2 } }
    expect(whole(failed, later)).toEqual({ ...base, attempt: 2, state: 'running', executionId: 'theirs' })
    expect(whole(failed, { ...later, ...resultOf('theirs') })).toEqual({
      ...{ ...base, attempt: 2, state: 'bought', executionId: 'theirs', result: 'theirs' },
    })
  })

  test('when it has ended badly, and whoever has to decide is told about what', () => {
    expect(whole({ sends: [send(9 * minute)] })).toEqual({ ...base, state: 'uncertain', undecided: 'submission', hasNote: true })
    expect(whole({ accepted, question, answer: answer(send(9 * minute)) })).toEqual({
      ...{ ...base, state: 'uncertain', executionId: 'e', undecided: 'answer', hasNote: true },
    })
    expect(whole({ isForeign: true })).toEqual({ ...base, state: 'uncertain', isForeign: true, undecided: 'submission', hasNote: true })
    expect(whole({ abandoned: { about: 'submission', approvedAt: null } })).toEqual({ ...base, state: 'failed', hasNote: true })
  })

  test('when it has failed, in the words of the service', () => {
    const noteOf = (status: string, message: string | undefined): string | undefined =>
      standingOf(
        {
          lock: lockOf({}),
          approvers: { own: undefined, others: new Set() },
          submissionOf: () => ({
            ...{ ...noSubmission, attempt: 1, frozen, sends: [send(minute)], accepted },
            failed: { attempt: 1, executionId: 'e', status, error: message === undefined ? null : { ...error, message } },
          }),
          isKept: () => true,
          decision: { wall: noon, mono: 10 * minute, windowMs: 8 * minute },
        },
        'hero.walk',
        hash,
      ).note
    expect([noteOf('failed', 'Too dark.'), noteOf('failed', undefined), noteOf('cancelled', undefined)]).toEqual([
      'Too dark',
      'failed',
      'cancelled',
    ])
  })
})

test('the result that plays on has its frames, review and most credits, and of a picture one frame', () => {
  const review = { frameCount: 9, background: 'remove' } as never
  const submission = { ...frozen, maxCredits: '2.4' }
  const paid = entryOf(1, { submission, result: { sha256: 'old', bytes: 1, review }, asked: { ...asked, frames: undefined } })
  expect(supersededBy(request, hash, lockOf({ one: paid }), 'here')).toEqual({
    superseded: { sha256: 'old', frames: 7, review, credits: 24_000n },
  })
  expect(changedFields({ ...request, id: 'toString' }, lockOf({}), 'here')).toEqual([])
  const steps = { 'hero.step': { other: entryOf(1, { service: { ...live, host: 'there' } }) } }
  expect(servicesOf({ version: 1, animations: { a: { one: paid, two: paid } }, steps: steps['hero.step'] as never })).toEqual([
    live,
    { ...live, host: 'there' },
  ])
})

test('of equal purchases at two services the lower hash counts, and what others bought there counts for nothing', () => {
  const there: ServiceIdentity = { ...live, host: 'there' }
  const bought = (service: ServiceIdentity) => entryOf(1, { service, ...resultOf('r') })
  const animations = { 'hero.walk': { here: bought(live), there: bought(there) }, 'hero.run': { other: bought(there) } }
  const found = (id: string, hashOf: (host: string) => string) => identify(id, ({ host }) => hashOf(host), { version: 1, animations }, {})
  expect(found('hero.walk', (host) => host)).toEqual({ identity: live, hash: 'here' })
  expect(found('hero.run', (host) => (host === 'here' ? 'another' : 'other'))).toEqual({ identity: there, hash: 'other' })
  const turned = { 'hero.walk': { b: bought(live), a: bought(there) } }
  const hashOf = ({ host }: ServiceIdentity): string => (host === 'here' ? 'b' : 'a')
  expect(identify('hero.walk', hashOf, { version: 1, animations: turned }, {})).toEqual({ identity: there, hash: 'a' })
})

test('an approval that has ended is as none, and its note says why; one of another person stays until it is taken over', () => {
  const key = testKey(1)
  const at = '2026-01-01T00:00:00.000Z'
  const terms = {
    ceiling: 20_000n as Credits,
    priceVersion: 'v',
    at,
    given: 'typed',
    checkout: 'c',
    expires: '2030-01-01T00:00:00.000Z',
  } as const
  const { ceiling: _, ...signed } = signApproval(key, hash, live, terms)
  const standing = (own: string, over: Partial<Submission>, wall = noon) =>
    standingOf(
      {
        lock: lockOf({ [hash]: entryOf(1, { approval: { ...signed, ceiling: '2' } }) }),
        approvers: { own, others: new Set(), checkout: 'c' },
        submissionOf: () => ({ ...noSubmission, ...over }),
        isKept: () => true,
        decision: { wall, mono: 10 * minute, windowMs: 8 * minute },
      },
      'hero.walk',
      hash,
    )
  const known = { at, isRevoked: false }
  const newest = { at: '2026-02-01T00:00:00.000Z', isRevoked: true }
  const { publicKey: _key, signature: _signature, checkout: _checkout, ...shown } = signed
  expect(standing(key.fingerprint, { newest: known })).toEqual({
    ...{ hash, executionId: undefined, state: 'approved', ceiling: 20_000n, approval: { ...shown, verdict: 'valid' } },
  })
  const ended = { hash, executionId: undefined, state: 'missing' }
  expect(standing(key.fingerprint, { newest })).toEqual({ ...ended, note: 'approved earlier (typed), and that approval was taken back' })
  expect(standing(key.fingerprint, { newest: known }, Date.parse('2030-01-01T00:00:00.000Z'))).toEqual({
    ...{ ...ended, note: 'approved earlier (typed), and that approval has expired (2030-01-01)' },
  })
  const failed = { attempt: 1, frozen, sends: [send(minute)], abandoned: { about: 'submission', approvedAt: at } } as const
  expect(standing(key.fingerprint, { ...failed, newest })).toEqual({
    ...{ ...ended, attempt: 1, state: 'failed', note: 'given up; approve it again to buy it' },
  })
  expect(standing('another', { newest })).toMatchObject({ state: 'approved', ceiling: 20_000n, approval: { verdict: 'other' } })
})

test('an animation is told with its request, what has changed, its review, and the result that plays on', () => {
  const review = { frameCount: 7, background: 'remove' } as never
  const old = entryOf(1, { ...resultOf('old'), asked: { ...asked, frames: 9 } })
  const [spec, animation] = [{ name: 'hero' } as never, { name: 'walk' } as never]
  const plan = (more: Record<string, LockEntry>, of: string | undefined = hash) =>
    planAnimation(
      {
        lock: lockOf({ old, ...more }),
        approvers: { own: undefined, others: new Set() },
        submissionOf: () => noSubmission,
        isKept: () => true,
        decision: { wall: noon, mono: 0, windowMs: minute },
      },
      ...([spec, animation, request, of, 'here'] as const),
    )
  const known = { id: 'hero.walk', spec, animation, request }
  const superseded = { sha256: 'old', frames: 9, review: undefined }
  const missing = { ...known, state: 'missing', changed: ['frames'], review: undefined, superseded }
  expect(plan({})).toEqual({ ...missing, hash, executionId: undefined })
  expect(plan({ [hash]: entryOf(2, { approval: undefined, result: { sha256: 'new', bytes: 1, review } }) })).toEqual({
    ...{ ...known, hash, executionId: undefined, state: 'bought', result: 'new', changed: [], review },
  })
  expect(plan({ [hash]: entryOf(2) })).toMatchObject({ state: 'approved', changed: [], superseded })
})
