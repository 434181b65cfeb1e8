import { describe, expect, test } from 'vitest'
import { defaultProfile, type Profile } from '../../src/service/profile.ts'
import type { Workshop } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { heroSpec } from '../kit/project.ts'
import { byLevel, level } from '../level.ts'
import { approveAll, type World, world } from './world.ts'

const thrown = (): never => {
  throw new TypeError('no such member')
}
const rejected = async (): Promise<never> => thrown()
type Parts = Readonly<Record<string, unknown>>

/** A workshop whose service has these parts, whatever their types. */
function withParts(w: World, parts: Parts): Promise<Workshop> {
  return w.workshop(
    { service: { baseUrl: w.service.url, profile: parts as Partial<Profile> } },
    { SPRITEWRIGHT_TRUSTED_HOSTS: w.service.url },
  )
}

const failureOf = (
  promise: Promise<unknown>,
): Promise<{ code: string; message: string; facts: Record<string, unknown>; exitCode: number }> =>
  promise.then(
    () => Promise.reject(new Error('Expected a refusal, found none.')),
    (error) => error as never,
  )
/** Every second one in the quick level. */
const sampled = <T>(rows: readonly T[]): readonly T[] => rows.filter((_, index) => index % byLevel({ quick: 2, full: 1, long: 1 }) === 0)
let drawn = 0

if (level !== 'quick')
  test('an acceptance that cannot be read ends the run: no other order is sent into the same reader', async () => {
    const w = await world()
    const sprites = ['one', 'two', 'three', 'four']
    for (const name of sprites) await w.project.write(`sprites/${name}.sprite.json`, heroSpec(['walk']).replace('a small figure', name))
    await approveAll(await w.workshop())
    const error = await failureOf((await withParts(w, { readAccepted: thrown })).build())
    const codes = [error, ...((error as unknown as { errors?: { code: string }[] }).errors ?? [])].map(({ code }) => code)
    expect(codes).toContain('SW_WIRE')
    expect(w.posts()).toBeLessThanOrEqual(2)
    await (await w.workshop()).build()
    expectCount(w.service.charges(), sprites.length + 1)
  })

describe('a part of the profile that fails before the submission', () => {
  const failing: [string, Parts][] = [
    ['uploadReference', { uploadReference: thrown }],
    ['uploadReference', { uploadReference: rejected }],
    ['uploadReference', { uploadReference: async () => 7 }],
    ['executeBody', { executeBody: thrown }],
    ['executeBody', { executeBody: rejected }],
    ['executeBody', { executeBody: async () => ({ a: 1 }) }],
    ['executeBody', { executeBody: () => [] }],
    ['executeBody', { executeBody: () => new Map([['a', 1]]) }],
    ['executeBody', { executeBody: () => ({ credits: 1n }) }],
    ['executeBody', { executeBody: () => ({ drawn: ++drawn }) }],
    ['readBalance', { readBalance: thrown }],
    ['readBalance', { readBalance: rejected }],
    ['readBalance', { readBalance: () => 12.5 }],
  ]
  test.each(sampled(failing))(
    '%s: %o stops the run by its name, sends and reserves nothing, and a corrected one buys once',
    async (part, parts) => {
      const w = await world()
      const sound = await w.workshop()
      await approveAll(sound)
      // The bytes that were frozen with the approval do not fit another price, and the upload is forgotten.
      w.service.setPricing({ first_tier_cents: 30 })
      await w.project.remove('.spritewright/uploads')
      const error = await failureOf((await withParts(w, parts)).build())
      expect([error.code, error.facts.part]).toEqual(['SW_CONFIG', part])
      expect(error.message).toMatch(new RegExp(`service profile's ${part}, found .*Correct that part of service\\.profile`, 's'))
      expect([w.posts(), w.service.holds(), (await sound.ledger()).uncertain]).toEqual([0, [], 0n])
      expect((await sound.build()).bought).toHaveLength(1)
      expectCount(w.service.charges(), 1)
    },
  )

  test('a balance that is no decimal names the part', async () => {
    const w = await world()
    await approveAll(await w.workshop())
    const error = await failureOf((await withParts(w, { readBalance: () => 'a lot' })).build())
    expect([error.code, w.posts()]).toEqual(['SW_WIRE', 0])
    expect(error.message).toContain("the service profile's readBalance")
  })
})

test('a profile in a JSON configuration is refused before any request', async () => {
  const w = await world()
  const asked = w.service.requests().length
  for (const profile of [{ readAccepted: 1 }, { readAccepted: 'code' }, {}]) {
    await w.project.write('spritewright.config.json', JSON.stringify({ service: { profile } }))
    const error = await failureOf(w.workshop())
    expect([error.code, error.exitCode]).toEqual(['SW_CONFIG', 2])
    expect(error.message).toContain('Expected no service.profile, because JSON has no functions')
  }
  expect(w.service.requests()).toHaveLength(asked)
})

describe('readAccepted that cannot read the answer', () => {
  const unreadable: [string, Parts][] = [
    ['throws', { readAccepted: thrown }],
    ['rejects', { readAccepted: rejected }],
    ['returns nothing', { readAccepted: () => undefined }],
    ['returns a number', { readAccepted: () => ({ executionId: 7 }) }],
    ['returns a way out of the path', { readAccepted: () => ({ executionId: '..' }) }],
    ['returns a conversation that is no text', { readAccepted: () => ({ executionId: 'x', conversationId: 7 }) }],
  ]
  test.each(sampled(unreadable))(
    '%s: one POST, one error, and the corrected one gets what was bought under the same key',
    async (_, parts) => {
      const w = await world()
      await approveAll(await w.workshop())
      for (const posts of [1, 2]) {
        const error = await failureOf((await withParts(w, parts)).build())
        expect([error.code, error.exitCode, w.posts()]).toEqual(['SW_WIRE', 4, posts])
        expect(error.message).toMatch(
          /accepted "hero\.walk" \(status 202\).*Its answer: \{.*execution_id.*Correct service\.profile.*paid once/s,
        )
      }
      expect((await (await w.workshop()).build()).bought).toHaveLength(1)
      const keys = w.service.requests().filter(({ path, method }) => method === 'POST' && path === '/v1/execute')
      expect(keys).toHaveLength(3)
      expectCount(w.service.charges(), 1)
      expect(w.service.holds()).toEqual([])
    },
  )

  test('the default one ends a run by one error too', async () => {
    const other = new TextEncoder().encode('{"id":"e1"}')
    const w = await world({
      after: async (request, response) =>
        request.path === '/v1/execute' ? { status: 202, headers: { 'content-type': 'application/json' }, body: other } : response,
    })
    await approveAll(await w.workshop())
    const error = await failureOf((await w.workshop()).build())
    expect([error.code, w.posts()]).toEqual(['SW_WIRE', 1])
    expect(error.message).toContain('Its answer: {"id":"e1"}')
  })

  test('an answer to a question, too, is sent once and is repeated under the same key', async () => {
    const w = await world({ ask: ({ answers }) => (answers.length === 0 ? { text: 'Which hand?' } : undefined) })
    await approveAll(await w.workshop())
    expect((await failureOf((await w.workshop()).build())).code).toBe('SW_QUESTION')
    const answers = (): number => w.service.requests().filter(({ path }) => path.endsWith('/answers')).length
    const answer: Profile['answer'] = async (...args) => {
      await defaultProfile.answer(...args)
      return thrown()
    }
    const error = await failureOf((await withParts(w, { answer })).answer({ name: 'hero', text: 'the left one' }))
    expect([error.code, answers()]).toEqual(['SW_WIRE', 1])
    expect(error.message).toContain("service profile's answer")
    expect((await (await w.workshop()).build()).bought).toHaveLength(1)
    expect(answers()).toBe(2)
    expectCount(w.service.charges(), 1)
  })
})

test.each<[string, Parts, string]>([
  ['throws', { readEvent: thrown, readDelivery: thrown }, "the service profile's readDelivery, found TypeError: no such member"],
  ['rejects', { readEvent: rejected, readDelivery: rejected }, 'cannot be read'],
])('a profile whose readEvent %s delays nothing, and whose readDelivery does loses nothing', async (_, parts, words) => {
  const w = await world()
  await approveAll(await w.workshop())
  const error = await failureOf((await withParts(w, parts)).build())
  expect([error.code, error.exitCode]).toEqual(['SW_DELIVERY', 4])
  expect(error.message).toContain(words)
  expect((await (await w.workshop()).build()).bought).toEqual([])
  expectCount(w.service.charges(), 1)
})
