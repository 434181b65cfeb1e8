import { describe, expect, test } from 'vitest'
import type { EmbeddedOptions, HookedRequest } from '../../src/embedded/options/options.ts'
import type { Net } from '../../src/host/net.ts'
import { answering, asking, failing, lost, type Machine, minutes, refusal, sheetOf, type Team, team } from '../sim/two-machines.ts'

/** Keys are remembered for only a minute, so a later second POST is charged again. */
const forgetful = { retentionMs: minutes }
/** A service that receives none of the submissions of the first run. */
const deaf = (): EmbeddedOptions => answering(Array.from({ length: 6 }, () => lost))
const isAnswer = ({ method, path }: HookedRequest): boolean => method === 'POST' && path.includes('answer')

const abandon = async ({ run }: Team, machine: Machine, name = 'hero.walk') =>
  run((await machine.open()).recover({ name, decision: 'abandon' }))

/** A submission was sent without an answer, and a person has given it up. */
async function givenUp(options: EmbeddedOptions = {}): Promise<Team> {
  const made = await team({ ...forgetful, ...deaf(), ...options })
  await made.first.approve()
  await expect(made.first.build()).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
  await made.wait(11 * minutes)
  await abandon(made, made.first)
  return made
}

describe('given up here', () => {
  test('and bought by another machine that took it over: with its lock file and results it counts as bought, is fetched by nobody, and nothing is approved anew', async () => {
    const made = await givenUp()
    const { first, clone, wait, world, posts, charged } = made
    const second = clone(first)
    await second.approve({ adopt: true })
    await second.build()
    const sent = [posts(), world.service.requests().length]
    for (const [path, bytes] of second.disk.files) if (path.includes('/results/')) first.disk.files.set(path, bytes)
    first.pull(second)
    await wait(2 * minutes)
    expect(await first.states()).toEqual(['bought'])
    await first.build({ frozen: true })
    expect([posts(), world.service.requests().length]).toEqual(sent)
    expect(await first.approve({ adopt: true })).toMatchObject({ approved: [], untouched: ['hero.walk'], others: [] })
    await first.build()
    expect([posts(), charged()]).toEqual([sent[0], ['a knight walk']])
    expect(first.entry('hero.walk')).toEqual(second.entry('hero.walk'))
  })

  test('under an approval that is another buyer’s: a build names --adopt, approve names what it leaves alone, and with --adopt it is bought once', async () => {
    const { first, posts, charged } = await givenUp()
    first.edit((lock) => {
      for (const entry of Object.values(lock.animations['hero.walk'] ?? {}))
        if (entry.approval) entry.approval = { ...entry.approval, buyer: 'somebody-else' }
    })
    const sent = posts()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_BUYER', message: expect.stringContaining('approve hero.walk --adopt') })
    expect(await first.approve()).toMatchObject({ approved: [], untouched: ['hero.walk'], others: ['hero.walk'] })
    expect(posts()).toBe(sent)
    expect(await first.approve({ adopt: true })).toMatchObject({ approved: [{ id: 'hero.walk' }], others: [] })
    await first.build()
    expect([posts() - sent, charged()]).toEqual([1, ['a knight walk']])
  })

  test('while the network goes: the decision stands and is told, without a balance', async () => {
    const made = await team(deaf())
    const { first, run, wait, world } = made
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    await wait(11 * minutes)
    const net: Net = {
      ...world.net,
      request: (wanted) => {
        if (first.records().some(({ type }) => type === 'decided')) throw Object.assign(new Error('gone'), { code: 'ENOTFOUND' })
        return world.net.request(wanted)
      },
    }
    const report = await run((await first.open({ net })).recover({ name: 'hero', decision: 'abandon' }))
    expect(report).toEqual({ decided: [expect.objectContaining({ id: 'hero.walk', about: 'submission', ceiling: 16_000n })], bought: [] })
    expect(first.records().at(-1)).toMatchObject({ type: 'decided', body: { decision: 'abandon' } })
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
  })
})

describe('what can never be fetched can be given up, and bought anew', () => {
  test('a delivered file that the service has no more, though it knows the execution', async () => {
    let isGone = true
    const filesGone: EmbeddedOptions = {
      before: async ({ method, path }) =>
        isGone && method === 'GET' && /asset|download/.test(path) ? refusal(404, 'resource_not_found') : undefined,
    }
    const made = await team(filesGone)
    const { first, run, posts, charged } = made
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { status: 404 } })
    await expect(run((await first.open()).recover({ name: 'hero', decision: 'replay' }))).rejects.toMatchObject({ code: 'SW_USAGE' })
    expect((await abandon(made, first)).decided).toMatchObject([{ id: 'hero.walk', about: 'execution', ceiling: 16_000n }])
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
    isGone = false
    await first.approve()
    await first.build()
    expect(first.results()).toEqual([sheetOf('a knight walk')])
    expect([posts(), charged()]).toEqual([2, ['a knight walk', 'a knight walk']])
    const { lines } = await run((await first.open()).ledger())
    expect(lines.map(({ attempt, state, decision }) => [attempt, state, decision])).toEqual([
      [1, 'settled', 'abandon'],
      [2, 'settled', undefined],
    ])
  })

  test('a question that was answered elsewhere, whose lock file never comes', async () => {
    const made = await team(asking)
    const { first, clone, run, posts, charged } = made
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    const second = clone(first)
    await expect(second.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await run((await second.open()).answer({ name: 'hero', text: 'left' }))
    await expect(first.build()).rejects.toMatchObject({
      code: 'SW_QUESTION',
      message: expect.stringContaining('recover hero.walk --abandon'),
    })
    expect((await abandon(made, first)).decided).toMatchObject([{ about: 'execution' }])
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect(posts()).toBe(1)
    // The lock file comes late, and nothing is bought again.
    await second.build()
    first.pull(second)
    await first.build()
    expect(first.results()).toEqual(second.results())
    expect([posts(), charged().length]).toEqual([1, 1])
  })

  test('a question of which nobody knows whether the answer arrived, and which the service says is over', async () => {
    const answerLost: EmbeddedOptions = { ...asking, after: async (request, response) => (isAnswer(request) ? lost : response) }
    const made = await team(answerLost)
    const { first, run, wait, posts, charged } = made
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await expect(run((await first.open()).answer({ name: 'hero', text: 'left' }))).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    await wait(11 * minutes)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'window' } })
    expect((await abandon(made, first)).decided).toMatchObject([{ about: 'answer' }])
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION', message: expect.stringContaining('answered elsewhere') })
    expect((await abandon(made, first)).decided).toMatchObject([{ about: 'execution' }])
    expect(await first.approve()).toMatchObject({ approved: [{ id: 'hero.walk' }] })
    expect([posts(), charged().length]).toEqual([1, 1])
  })
})

test('recover --replay where generate is "never" sends the same bytes again and buys no other attempt when they fail', async () => {
  const { first, run, wait, posts, charged } = await team({ ...deaf(), ...failing('retryable') })
  await first.approve()
  await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
  await wait(11 * minutes)
  const sent = posts()
  const workshop = await first.open({ options: { build: { generate: 'never' } } })
  await expect(run(workshop.recover({ name: 'hero', decision: 'replay' }))).rejects.toMatchObject({ code: 'SW_MISSING' })
  expect([posts() - sent, charged()]).toEqual([1, []])
  expect(
    first
      .records()
      .map(({ type }) => type)
      .slice(-4),
  ).toEqual(['decided', 'sent', 'accepted', 'failed'])
  await first.build()
  expect([posts() - sent, charged()]).toEqual([2, ['a knight walk']])
})
