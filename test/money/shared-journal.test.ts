import { describe, expect, test } from 'vitest'
import type { Options } from '../../src/options/options.ts'
import { expectCount } from '../kit/expect-count.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { type Machine, minutes, type ProcessInit, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

const options: Options = { store: { journal: '/share/journal' } }
const person = (own: number, ...trusted: readonly number[]): ProcessInit => ({
  options,
  env: { ...keyEnv(own), SPRITEWRIGHT_APPROVERS: trusted.map((number) => testKey(number).fingerprint).join(',') },
})
const one = person(1, 2)
const two = person(2, 1)

/** Keys are remembered for only a minute, so a later second POST is charged again. */
const forgetful = { retentionMs: minutes }
/** Whether a call of the disk makes the record of the answer to the first POST. */
const isAnswer = (call: string): boolean => call.startsWith('link /share/journal/') && call.endsWith('/0004.json')

const empty = ({ files }: Team['share']): void => {
  for (const path of [...files.keys()]) files.delete(path)
}

/** Two clones, of which one has approved a sprite. Each user trusts the other. */
async function oneApproval(service: Parameters<typeof team>[0] = {}): Promise<Team & { readonly second: Machine }> {
  const all = await team(service)
  await all.first.approve({}, one)
  const second = all.clone(all.first)
  return { ...all, second }
}

describe('a journal that two machines share', () => {
  test('of two approvals of one request on two branches the newer one counts: it is bought once, and both have its result', async () => {
    const { first, clone, wait, posts, charged } = await team(forgetful)
    const second = clone(first)
    await second.approve({}, two)
    await first.approve({}, one)
    await expect(second.build({}, two)).rejects.toMatchObject({ code: 'SW_APPROVAL', message: expect.stringContaining('newer approval') })
    await first.build({}, one)
    await wait(2 * minutes)
    await second.build({}, two)
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
    expect(second.results()).toEqual([sheetOf('a knight walk')])
    expect(second.entry('hero.walk').execution).toEqual(first.entry('hero.walk').execution)
  })

  test('two that build in the same moment buy once', async () => {
    const { first, second, run, charged } = await oneApproval()
    const workshops = await Promise.all([first.open(one), second.open(two)])
    await run(Promise.all(workshops.map((workshop) => workshop.build({ buyOnly: true }))))
    expect(charged()).toEqual(['a knight walk'])
    expect(second.results()).toEqual(first.results())
  })

  test.each([
    ['before the record of the POST', (call: string) => call.startsWith('link /share/journal/') && call.endsWith('/0003.json'), 0],
    ['before it has read that record back', (call: string) => call.startsWith('read /share/journal/') && call.endsWith('/0003.json'), 0],
    [
      'after the POST, before its answer is recorded',
      (call: string) => call.startsWith('link /share/journal/') && call.endsWith('/0004.json'),
      1,
    ],
  ])('a machine that died %s is taken over by the other: one charge', async (_when, isLast, sent) => {
    const { first, second, wait, posts, charged } = await oneApproval()
    await first.dieBuilding(isLast, one)
    expect(posts()).toBe(sent)
    await wait(7 * minutes)
    await second.build({}, two)
    expect(charged()).toEqual(['a knight walk'])
    await first.build({}, one)
    expect(first.results()).toEqual(second.results())
    expectCount(charged(), 1)
  })

  test('after eight minutes a person decides, on whichever machine', async () => {
    const { first, second, wait, posts, charged } = await oneApproval(forgetful)
    await first.dieBuilding(isAnswer, one)
    const before = posts()
    await wait(9 * minutes)
    for (const [machine, who] of [
      [second, two],
      [first, one],
    ] as const)
      await expect(machine.build({}, who)).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'window' } })
    expect(posts()).toBe(before)
    expect(charged().length).toBeLessThanOrEqual(1)
  })

  test('the total of the project holds over both machines', async () => {
    const { first, clone, charged } = await team()
    first.write('sprites/tower.sprite.json', specOf('a tower', 'hero'))
    const second = clone(first)
    const withTotal = (init: ProcessInit): ProcessInit => ({ ...init, options: { ...options, approval: { total: '2' } } })
    await first.approve({ names: ['hero'] }, withTotal(one))
    await second.approve({ names: ['tower'] }, withTotal(two))
    await first.build({ names: ['hero'] }, withTotal(one))
    await expect(second.build({ names: ['tower'] }, withTotal(two))).rejects.toMatchObject({ code: 'SW_CEILING' })
    expect(charged()).toEqual(['a knight walk'])
  })

  test('without the store nothing is sent, and nothing is recorded elsewhere', async () => {
    const { first, share, posts } = await team()
    await first.approve({}, one)
    empty(share)
    await expect(first.build({}, one)).rejects.toMatchObject({ code: 'SW_STORE' })
    expect(posts()).toBe(0)
    expect(first.records().map(({ type }) => type)).toEqual(['approved'])
  })

  test.each([
    ['for a while', 3, 'charged'],
    ['for longer than a run waits', 20, 'SW_STORE'],
  ])('an answer of the service that the store does not take %s is recorded later: one charge', async (_how, awayMinutes, ending) => {
    const { first, world, wait, posts, charged } = await team(forgetful)
    await first.approve({}, one)
    let backAt = 0
    const away = new Error('the share is not mounted')
    const guard = (call: string): undefined => {
      if (backAt === 0 && isAnswer(call)) backAt = world.clock.wall() + awayMinutes * minutes
      if (call.includes('/share/') && world.clock.wall() < backAt) throw away
      return undefined
    }
    const building = first.build({}, { ...one, guard })
    if (ending === 'charged') expect((await building).bought).toHaveLength(1)
    else {
      await expect(building).rejects.toMatchObject({ code: 'SW_STORE', facts: { id: 'hero.walk', execution: expect.any(String) } })
      // The lock file has its execution, so nobody has to decide about it.
      await wait(20 * minutes)
      await first.build({}, one)
    }
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
    expect(first.results()).toEqual([sheetOf('a knight walk')])
  })

  test('what is bought is built without the store', async () => {
    const { first, share } = await team()
    await first.approve({}, one)
    await first.build({}, one)
    empty(share)
    expect((await first.build({ frozen: true }, one)).bought).toEqual([])
  })

  test('records of somebody whom nobody trusts cause no POST', async () => {
    const { first, clone, wait, posts } = await team(forgetful)
    const second = clone(first)
    await second.approve({}, two)
    await first.approve({}, person(3))
    await first.dieBuilding(isAnswer, person(3))
    const before = posts()
    await wait(3 * minutes)
    await expect(second.build({}, two)).rejects.toMatchObject({ code: 'SW_UNCERTAIN', facts: { because: 'records' } })
    expect(posts()).toBe(before)
  })

  test('another store is another journal: an approval that was given beside the first does not count there', async () => {
    const { first, share, posts } = await team()
    await first.approve({}, { options })
    share.files.set('/share/other/.keep', new Uint8Array())
    const name = share.files.get('/share/journal/journal.json')
    if (name) share.files.set('/share/other/journal.json', name)
    await expect(first.build({}, { options: { store: { journal: '/share/other' } } })).rejects.toMatchObject({ code: 'SW_JOURNAL' })
    expect(posts()).toBe(0)
  })

  test('every clone of one user may use the approvals of the others, since they all know what was bought', async () => {
    const { first, clone, charged } = await team()
    await first.approve({}, { options })
    const second = clone(first)
    const key = [...first.disk.files].find(([path]) => path.endsWith('signing-key.pem'))
    if (key) second.disk.files.set(...key)
    await second.build({}, { options })
    expect(charged()).toEqual(['a knight walk'])
  })
})
