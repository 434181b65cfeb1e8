import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createBitmap } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { type FaultPlan, parseFaultPlan } from '../../src/embedded/options/fault-plan.ts'
import type { Makers } from '../../src/embedded/options/options.ts'
import { expectCount } from '../kit/expect-count.ts'
import { rememberedMakers } from '../kit/remembered-makers.ts'
import { asking, type Team, team } from '../sim/two-machines.ts'
import { approveAll, world } from './world.ts'

const page = readFileSync(new URL('../../docs/faults.md', import.meta.url), 'utf8')
/** The rules of the page, as plans that `serve --faults` reads. */
const plans = [...page.matchAll(/^\| `(\{ "when".*\})` \|/gm)].map(([, rule]) => parseFaultPlan(`{ "rules": [${rule}] }`, 'faults.json'))
const deedOf = ({ rules }: FaultPlan): FaultPlan['rules'][number]['do'] => rules[0]!.do
const named = (isMeant: (plan: FaultPlan) => boolean): [string, FaultPlan][] =>
  plans.filter(isMeant).map((plan) => [JSON.stringify(plan.rules[0]), plan])

const waits = named((plan) => deedOf(plan).file === undefined && (deedOf(plan).retryAfter ?? 0) < 300)
const ends = named((plan) => (deedOf(plan).retryAfter ?? 0) > 300)
const files = named((plan) => deedOf(plan).file !== undefined)

/** A team at a service with a plan, and the times at which its rule's requests arrive, in milliseconds. */
async function playing(plan: FaultPlan): Promise<{ made: Team; times: number[]; paths: string[] }> {
  const times: number[] = []
  const paths: string[] = []
  const { method, origin, path = '*' } = plan.rules[0]!.when ?? {}
  const pattern = new RegExp(`^${path.replaceAll('*', '.*')}$`)
  const isAnswer = path.startsWith('/v1/conversations/')
  const made = await team({
    ...(isAnswer ? asking : {}),
    faults: plan,
    onRequest: (request) => {
      if ((method ?? request.method) !== request.method || (origin ?? request.origin) !== request.origin) return
      if (!pattern.test(request.path.replace(/\?.*$/, ''))) return
      times.push(made.world.clock.mono())
      paths.push(request.path)
    },
  })
  await made.first.approve()
  if (isAnswer) {
    await expect(made.first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await made.run((await made.first.open()).answer({ name: 'hero', text: 'the left one' }))
  }
  return { made, times, paths }
}

test('the page has rules of every kind', () => {
  expect([waits.length, ends.length, files.length]).toEqual([10, 2, 4])
})

test.each(waits)('C29: %s is waited out, and paid once', async (_, plan) => {
  const { made, times } = await playing(plan)
  await made.first.build()
  expect(made.charged()).toEqual(['a knight walk'])
  expect(made.first.results()).toHaveLength(1)
  expect(made.posts()).toBe(plan.rules[0]!.when?.path === '/v1/execute' ? 2 : 1)
  const { retryAfter = 0, stream } = deedOf(plan)
  expect(stream).toBeUndefined()
  // A rule for streams is played for as long as the execution takes, which is less than the wait.
  if (plan.rules[0]!.when?.times === undefined) expect(times).toHaveLength(1)
  else {
    expect(times.length).toBeGreaterThan(plan.rules[0]!.when.times)
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1000 * retryAfter)
  }
})

test.each(ends)('C29: %s ends the run with the time of the next try, and nothing is lost', async (_, plan) => {
  const { made, times } = await playing(plan)
  const begun = made.world.clock.wall()
  const failure = await made.first.build().catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'SW_REFUSED', facts: { retryAt: expect.any(String) } })
  expect((failure as Error).message).toMatch(/not to try again before 20\d\d-\d\d-\d\dT/)
  const { retryAt } = (failure as { facts: { retryAt: string } }).facts
  expect(Date.parse(retryAt) - begun).toBeGreaterThanOrEqual(3_600_000)
  expect(times).toHaveLength(1)
  await made.wait(3_600_000)
  await made.first.build()
  expect(made.charged()).toEqual(['a knight walk'])
  expect(made.first.results()).toHaveLength(1)
})

/** Makers of a small sheet. */
const makers: Makers = {
  image: rememberedMakers.image,
  sheet: async () => {
    const frames = Array.from({ length: 7 }, (_, index) => createBitmap(8, 8, new Uint8Array(256).fill(30 * (index + 1))))
    const { zip, width, height } = await packDelivery(frames, defaultShapes.names)
    return { bytes: zip, contentType: 'application/zip', width, height, review: null }
  },
}

describe('a file', () => {
  test.each(files)('%s is built in one run, and paid once', async (_, plan) => {
    const w = await world({ makers, faults: plan })
    await approveAll(await w.workshop())
    const { sheets, warnings } = await (await w.workshop()).build()
    expect(sheets.sprites).toMatchObject([{ name: 'hero', isPlaceholder: false }])
    expect([w.posts(), w.service.charges().length]).toEqual([1, 1])
    const isOdd = deedOf(plan).file === 'odd-frame'
    expectCount(
      w.service.requests().filter(({ origin }) => origin === 'assets'),
      isOdd ? 1 : 2,
    )
    expect(warnings.join()).toMatch(isOdd ? /^$/ : /fetched again, for free/)
    expect(sheets.quality?.flatMap(({ flags }) => flags.map(({ fault }) => fault)).includes('frame-size')).toBe(isOdd)
  })
})
