import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatCredits } from '../../src/credit/credits.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import type { Workshop } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { acceptCeilings, keyEnv } from '../kit/keys.ts'
import { heroSpec } from '../kit/project.ts'
import { approveAll, drop, isExecute, type World, world } from './world.ts'

const minute = 60_000

/**
 * The answers of the first `count` submissions never arrive. `isHeard` says whether the service receives the
 * submissions.
 */
function deaf(count: number, isHeard: boolean): EmbeddedOptions {
  let seen = 0
  return isHeard
    ? { after: async (request, response) => (isExecute(request) && ++seen <= count ? drop : response) }
    : { before: async (request) => (isExecute(request) && ++seen <= count ? drop : undefined) }
}

/** A purchase whose outcome is unknown, an hour later by the workshop's clock. */
async function uncertain(options: EmbeddedOptions): Promise<{ w: World; workshop: Workshop }> {
  const w = await world(options)
  const first = await w.workshop()
  await approveAll(first)
  await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
  w.skip(60 * minute)
  const workshop = await w.workshop()
  await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_UNCERTAIN' })
  return { w, workshop }
}

describe('recover --replay', () => {
  test.each([
    ['heard', true],
    ['never heard', false],
  ])('the same bytes go out under the same key: one charge, where the first was %s', async (_what, isHeard) => {
    const { w, workshop } = await uncertain(deaf(6, isHeard))
    const report = await workshop.recover({ name: 'hero', decision: 'replay' })
    expect(report.decided).toMatchObject([{ id: 'hero.walk', about: 'submission', balanceBefore: 1_000_000n }])
    expect(report.bought).toHaveLength(1)
    expectCount(w.service.charges(), 1)
    expect(report.balance).toBe(1_000_000n - report.bought[0]!.credits)
    const posts = w.posts()
    await (await w.workshop()).build()
    expect(w.posts()).toBe(posts)
  })

  test('of earlier words goes to the service that they were sent to, and to no other; given up it can be anywhere', async () => {
    const { w } = await uncertain(deaf(6, false))
    const { service: other } = await world()
    await w.project.write('sprites/hero.sprite.json', heroSpec().replace('a small figure', 'somebody else'))
    const moved = await w.workshop({}, { SPRITEWRIGHT_BASE_URL: other.url, SPRITEWRIGHT_API_KEY: other.key })
    await expect(moved.recover({ name: 'hero', decision: 'replay' })).rejects.toMatchObject({ code: 'SW_USAGE' })
    expect(other.requests().filter(({ method }) => method === 'POST')).toEqual([])
    expect((await moved.recover({ name: 'hero', decision: 'abandon' })).decided).toMatchObject([{ id: 'hero.walk' }])
    expect([other.charges(), w.service.charges()]).toEqual([[], []])
  })

  test('approval.total counts the charge that it may lead to', async () => {
    const { w, workshop } = await uncertain(deaf(6, true))
    const price = (await workshop.ledger()).uncertain
    const tight = await w.workshop({ approval: { total: formatCredits(price * 2n - 1n) } })
    await expect(tight.recover({ name: 'hero', decision: 'replay' })).rejects.toMatchObject({ code: 'SW_CEILING' })
    const wide = await acceptCeilings(await w.workshop({ approval: { total: formatCredits(price * 2n) } }))
    // The decision holds for a window. Any build may do the rest.
    await wide.build({ buyOnly: true })
    expectCount(w.service.charges(), 1)
  })

  test('where it is lost again, a later day asks a person again', async () => {
    const { w, workshop } = await uncertain(deaf(12, false))
    await expect(workshop.recover({ name: 'hero.walk', decision: 'replay' })).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    w.skip(60 * minute)
    await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_UNCERTAIN' })
    expect(w.service.charges()).toEqual([])
  })
})

describe('recover --abandon', () => {
  test('nothing is sent without another approval; with it a new attempt is bought', async () => {
    const { w, workshop } = await uncertain(deaf(6, false))
    const report = await workshop.recover({ name: 'hero', decision: 'abandon' })
    expect(report).toMatchObject({ decided: [{ id: 'hero.walk', about: 'submission' }], bought: [] })
    const posts = w.posts()
    await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect(w.posts()).toBe(posts)
    w.skip(1000)
    const later = await w.workshop()
    await approveAll(later)
    await later.build()
    expectCount(w.service.charges(), 1)
  })

  test('in the shell of a coding agent the decision says so, in the journal and in the ledger', async () => {
    const { w } = await uncertain(deaf(6, false))
    const workshop = await w.workshop({}, { CLAUDECODE: '1' })
    await workshop.recover({ name: 'hero', decision: 'abandon' })
    expect((await workshop.ledger()).lines).toMatchObject([{ decision: 'abandon', shell: 'agent' }])
  })

  test('ends the requests of programs for this decision', async () => {
    const { workshop } = await uncertain(deaf(6, false))
    const ask = { verb: 'recover', why: 'The build stopped.', from: 'shell' } as const
    for (const name of ['hero', 'hero.walk', 'hero.idle']) await workshop.requests.add({ ...ask, names: [name] })
    await workshop.recover({ name: 'hero.walk', decision: 'abandon' })
    expect((await workshop.requests.list()).map(({ names }) => names)).toEqual([['hero.idle']])
  })

  test('an execution that the service does not know any more can be given up, and only that', async () => {
    const w = await world()
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.build()
    await expect(workshop.recover({ name: 'hero', decision: 'abandon' })).rejects.toMatchObject({ code: 'SW_USAGE' })
    await workshop.forget('hero', async () => true)
    await rm(join(w.project.root, '.spritewright', 'results'), { recursive: true })
    const bereft = await w.workshop()
    await expect(bereft.build()).rejects.toMatchObject({ facts: { status: 404 } })
    await expect(bereft.recover({ name: 'hero', decision: 'replay' })).rejects.toMatchObject({ code: 'SW_USAGE' })
    await bereft.recover({ name: 'hero', decision: 'abandon' })
    w.skip(1000)
    await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    await approveAll(await w.workshop())
    await (await w.workshop()).build()
    expectCount(w.service.charges(), 2)
  })
})

test('given up here and bought in another checkout: its lock file brings the result, and nothing is bought again', async () => {
  const { w, workshop } = await uncertain(deaf(6, false))
  await workshop.recover({ name: 'hero', decision: 'abandon' })
  const papers = ['.spritewright', '.state'].map((name) => join(w.project.root, name))
  for (const path of papers) await rename(path, `${path}.here`)
  const other = await w.workshop({}, keyEnv(6))
  await approveAll(other, { adopt: true })
  await other.build()
  for (const path of papers) await rm(path, { recursive: true })
  for (const path of papers) await rename(`${path}.here`, path)
  const here = await w.workshop()
  expect((await here.status()).items[0]).toMatchObject({ state: 'lost' })
  expect(await approveAll(here, { adopt: true })).toMatchObject({ approved: [] })
  await here.build()
  expect((await here.status()).items[0]).toMatchObject({ state: 'bought' })
  expectCount(w.service.charges(), 1)
})

test('nothing waits for a decision: wrong usage', async () => {
  const w = await world()
  const workshop = await w.workshop()
  await expect(workshop.recover({ name: 'hero', decision: 'replay' })).rejects.toMatchObject({ code: 'SW_USAGE' })
})

test('git clean: with the whole folder of the project gone, the journal is read from its second copy', async () => {
  const { w } = await uncertain(deaf(6, true))
  await rm(join(w.project.root, '.spritewright'), { recursive: true })
  const workshop = await w.workshop()
  await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { balanceBefore: '100' } })
  await workshop.recover({ name: 'hero', decision: 'replay' })
  expectCount(w.service.charges(), 1)
})
