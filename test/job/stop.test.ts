import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { StopReason } from '../../src/job/decision.ts'
import { checkRead, goesOnError, notYoursError, refusedAnswerError, refusedError, stopError } from '../../src/job/stop.ts'
import { errorOf, order } from './bench.ts'

const id = 'hero.walk'
const facts = { id, retryable: false, requestId: 'r1' }

describe('a refused POST', () => {
  test.each([
    [401, errorOf('authentication_failed'), 'SW_KEY_REFUSED', /Check SPRITEWRIGHT_API_KEY/],
    [422, errorOf('invalid_request', { details: { field: 'max_credits' } }), 'SW_CEILING', /submitted at\. /],
    [422, errorOf('invalid_request', { details: { field: 'max_credits', current_credits: '3.1' } }), 'SW_CEILING', /: 3\.1 credits now\./],
    [422, errorOf('invalid_request', { details: { field: 'reference_asset_id' } }), 'SW_REFUSED', /uploads the picture anew/],
    [429, errorOf('rate_limited'), 'SW_REFUSED', /Wait a minute/],
    [403, errorOf('feature_unavailable'), 'SW_CAPABILITY', /\(feature_unavailable\): It says why\. Nothing was bought/],
    [422, errorOf('invalid_request'), 'SW_REFUSED', /\(invalid_request\): It says why\. Nothing was bought/],
  ])('with %d and %j is %s', (status, error, code, message) => {
    const found = refusedError(id, status, error)
    expect(found).toMatchObject({ code, facts: { ...facts, status, reason: error.reason } })
    expect(found.facts.details).toBe(error.details)
    expect(found.message).toMatch(message)
  })

  test.each([
    [401, errorOf('authentication_failed'), 'SW_KEY_REFUSED'],
    [403, errorOf('feature_unavailable'), 'SW_CAPABILITY'],
    [422, errorOf('invalid_request'), 'SW_REFUSED'],
  ])('of an answer with %d and %j is %s', (status, error, code) => {
    const found = refusedAnswerError(id, status, error)
    expect(found).toMatchObject({ code, facts: { ...facts, status, reason: error.reason } })
    if (status !== 401) expect(found.message).toContain('Its question is still open')
    expect(refusedAnswerError(id, status, { ...error, details: { field: 'x' } }).facts.details).toEqual({ field: 'x' })
  })
})

const stop = (why: StopReason, evidence = {}, windowMs = 600_000) => stopError({ windowMs }, order, why, evidence)

describe('a purchase stops', () => {
  test.each([
    ['failed', errorOf('generation_failed'), 'failed: It says why (generation_failed). Its hold is restored. To try again'],
    ['failed', null, 'failed: the service gives no reason. Its hold is restored.'],
    ['cancelled', null, 'was cancelled. It is not charged.'],
    ['cancelled', errorOf('stopped'), 'was cancelled: It says why (stopped). Its hold is restored.'],
    ['failed', errorOf('too_many_active_jobs', { retryable: true }), 'the approval stays'],
  ])('at an execution that %s with %j', (status, error, words) => {
    const found = stop({ kind: 'failed', status, error })
    expect(found).toMatchObject({
      code: 'SW_FAILED',
      facts: { id, status, reason: error?.reason, retryable: error?.retryable, requestId: error?.requestId },
    })
    expect(found.message).toContain(words)
  })

  test.each(['window', 'clock', 'key', 'refused'] as const)('at an unknown outcome because of %s, with the evidence', (because) => {
    const why: StopReason = { kind: 'uncertain', since: 5, because }
    const found = stop(why, { before: '9', now: '6.6' })
    expect(found).toMatchObject({
      code: 'SW_UNCERTAIN',
      facts: { id, hash: order.hash, since: 5, because, balanceBefore: '9', balanceNow: '6.6' },
    })
    expect(found.message).toContain('The balance was 9 credits before, now it is 6.6 ')
    for (const evidence of [{ before: '9' }, { now: '6.6' }, {}]) expect(stop(why, evidence).message).not.toContain('The balance')
  })

  test.each([
    ['window', 'more than 10 minutes ago'],
    ['clock', 'the clock has gone back since'],
    ['key', 'under another API key'],
    ['refused', 'its repetition was refused'],
    ['records', 'records that were not written with your key'],
  ] as const)('with the reason and the evidence of %s, for a purchase and for an answer', (because, words) => {
    const why: StopReason = { kind: 'uncertain', since: 5, because }
    for (const isAnswer of [false, true]) {
      const found = stop(why, { before: '9', now: '6.6', isAnswer })
      expect(found.message).toContain(words)
      expect(found.facts).toEqual({ id, hash: order.hash, since: 5, because, balanceBefore: '9', balanceNow: '6.6' })
    }
  })

  test('at a refusal like at the refusal itself', () => {
    const error = errorOf('rate_limited')
    const [found, refused] = [stop({ kind: 'refused', status: 429, error }), refusedError(id, 429, error)]
    expect([found.code, found.message, found.facts]).toEqual([refused.code, refused.message, refused.facts])
  })

  test('at an unknown answer and at records of somebody else, with the commands for them', () => {
    const words = stop({ kind: 'uncertain', since: 5, because: 'window' }, { isAnswer: true }).message
    expect(words).toContain('Whether the answer to "hero.walk" arrived is unknown')
    const foreign = stop({ kind: 'uncertain', since: 5, because: 'records' })
    expect(foreign).toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'records' } })
    expect(foreign.message).not.toContain('--replay')
  })

  test.each([
    [45_000, '45 seconds'],
    [60_000, '1 minutes'],
    [90_000, '1.5 minutes'],
    [100_000, '1.7 minutes'],
    [600_000, '10 minutes'],
  ])('and says a window of %d ms as %s', (windowMs, words) => {
    expect(stop({ kind: 'uncertain', since: 5, because: 'window' }, {}, windowMs).message).toContain(`more than ${words} ago`)
  })

  test('at a conflict and at what was given up', () => {
    expect(stop({ kind: 'conflict' })).toMatchObject({ code: 'SW_CONFLICT', facts: { id, hash: order.hash } })
    expect(stop({ kind: 'conflict' }).message).toContain('npx spritewright recover hero.walk --replay')
    expect(stop({ kind: 'abandoned' }).message).toContain('npx spritewright approve hero.walk')
    expect(stop({ kind: 'abandoned' })).toMatchObject({ code: 'SW_APPROVAL', facts: { id, hash: order.hash } })
  })
})

test.each([
  ['project', undefined, 'It names no project'],
  ['project', 'p1', 'set SPRITEWRIGHT_PROJECT=p1 in the environment'],
  ['other', 'p1', 'not by you. Nothing was sent. Build where'],
] as const)('an approval of the verdict %s and the project %s says what to do', (verdict, project, words) => {
  const found = notYoursError([id, 'hero.run'], { buyer: 'b'.repeat(40), ...(project ? { project } : {}) }, verdict, 'hero')
  expect(found).toMatchObject({ code: 'SW_BUYER', facts: { ids: [id, 'hero.run'], verdict, buyer: 'b'.repeat(40) } })
  expect(Object.hasOwn(found.facts, 'project')).toBe(project !== undefined)
  expect(found.facts.project).toBe(project)
  expect(found.message).toContain('"hero.walk", "hero.run": approved ')
  expect(found.message).toContain(words)
  expect(found.message).toContain('npx spritewright approve hero --adopt')
})

test('an error of the network names the execution that goes on, any other error stays as it is', () => {
  const lost = new SpritewrightError('SW_UNREACHABLE', { message: 'No answer.', facts: { host: 'h' } })
  const found = goesOnError(order.request, 'e1', lost)
  expect(found).toMatchObject({ code: 'SW_UNREACHABLE', facts: { host: 'h', id, execution: 'e1' }, cause: lost })
  expect((found as Error).message).toContain('its credits stay held')
  const picture = { ...order.request, operation: 'upscale' } as typeof order.request
  expect((goesOnError(picture, 'e1', lost) as Error).message).not.toContain('held')
  const other = new SpritewrightError('SW_WIRE', { message: 'No JSON.' })
  expect(goesOnError(order.request, 'e1', other)).toBe(other)
})

test('a reply that cannot be read ends the run, and no other outcome does', () => {
  const unknown = { kind: 'unknown', status: 200, message: 'No JSON.' } as const
  expect(() => checkRead(id, { ...unknown, isUnread: true })).toThrow(
    expect.objectContaining({ code: 'SW_WIRE', facts: { id, status: 200, isUnread: true } }),
  )
  for (const outcome of [undefined, unknown, { kind: 'accepted', executionId: 'e', conversationId: null } as const])
    expect(checkRead(id, outcome)).toBe(undefined)
})
