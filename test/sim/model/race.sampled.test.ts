import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatCredits } from '../../../src/credit/credits.ts'
import type { Options } from '../../../src/options/options.ts'
import { acceptCeilings } from '../../kit/keys.ts'
import { byLevel } from '../../level.ts'
import { newCounts } from './check.ts'
import type { Ending } from './machine.ts'
import { Play } from './play.ts'
import type { SpriteName } from './project.ts'
import { type Racer, race } from './race.ts'
import { prepareResults } from './results.ts'
import { noteApproval } from './table.ts'
import { ModelWorld } from './world.ts'

const numRuns = byLevel({ quick: 1, full: 10, long: 400 })
const sprites: readonly SpriteName[] = ['hero', 'tower']
const build = (name: string, names: readonly SpriteName[] = []): Racer => ({
  name,
  work: (workshop) => workshop.build({ buyOnly: true, names }),
})

const totals = { races: 0, calls: 0, charges: 0 }
beforeAll(prepareResults)
afterAll(() =>
  console.log(`L4, two at once: ${totals.races} races, ${totals.calls} calls put in order, ${totals.charges} charges, 0 double charges`),
)

/** Plays races in orders that fast-check decides, and prints the order that breaks a promise. */
async function allRaces(seed: number, play: (scheduler: fc.Scheduler, play: Play) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const one = new Play(await ModelWorld.make(), new Map(sprites.map((name) => [name, 0])), newCounts())
    await play(scheduler, one)
    one.check()
    totals.races++
    totals.calls += scheduler.report().length
    totals.charges += charged(one).length
  })
  await fc.assert(property, { seed, numRuns })
}

function charged(play: Play): readonly bigint[] {
  return [...play.world.charges().values()].flat().map(({ credits }) => credits)
}

/** Codes of the refusals. */
function codesOf(endings: readonly Ending<unknown>[]): readonly string[] {
  return endings.flatMap((ending) => (ending.how === 'refused' ? ending.refusals.map(({ code }) => code) : []))
}

/** Expects that everything is bought exactly once, and that a build has no questions. */
async function expectBoughtOnce(play: Play): Promise<void> {
  await play.build(0)
  const charges = [...play.world.charges().values()]
  expect(charges.map((all) => all.length)).toEqual([1, 1, 1])
}

describe('two builds in one process on one project, whoever is first at the disk', () => {
  test('what was approved is bought once, and both are done', () =>
    allRaces(1, async (scheduler, play) => {
      await play.approve(0, sprites)
      expect(codesOf(await race(play.world, scheduler, [build('one'), build('other')]))).toEqual([])
      await expectBoughtOnce(play)
    }))

  test('a standing approval is taken by both, and each thing is bought once', () =>
    allRaces(2, async (scheduler, play) => {
      for (const row of play.project.wanted(0)) noteApproval(row, 0, play.table.identities[0], play.world.price(row.isPicture), true)
      const options: Options = { approval: { perSprite: '100' } }
      const { machines, sim } = play.world
      await sim.clock.run(machines[0].start(acceptCeilings, { options }))
      expect(codesOf(await race(play.world, scheduler, [build('one'), build('other')], options))).toEqual([])
      await expectBoughtOnce(play)
    }))

  test('after a build that died with its submission on the way, both send it again, and it is charged once', () =>
    allRaces(3, async (scheduler, play) => {
      await play.approve(0, sprites)
      await play.build(0, { death: { since: 'submission', at: 1, moment: 'before' } })
      expect(codesOf(await race(play.world, scheduler, [build('one'), build('other')]))).toEqual([])
      await expectBoughtOnce(play)
    }))

  test('the last credit of the total is taken by one of them alone', () =>
    allRaces(4, async (scheduler, play) => {
      await play.approve(0, sprites)
      // The sheet of the hero and the two purchases of the tower cost 1.6 + 1 + 1.6 together.
      const total = play.world.price(false) * 2n + play.world.price(true) - 1n
      const options: Options = { approval: { total: formatCredits(total) } }
      const endings = await race(play.world, scheduler, [build('one', ['hero']), build('other', ['tower'])], options)
      expect(codesOf(endings)).toEqual(['SW_CEILING'])
      expect(charged(play).reduce((sum, credits) => sum + credits, 0n)).toBeLessThanOrEqual(total)
    }))

  test('an approval in the middle of a build changes nothing of what is bought', () =>
    allRaces(5, async (scheduler, play) => {
      await play.approve(0, sprites)
      const again: Racer = { name: 'approval', work: (workshop) => workshop.approve({ names: [], confirm: async () => true }) }
      expect(codesOf(await race(play.world, scheduler, [build('build'), again]))).toEqual([])
      await expectBoughtOnce(play)
    }))

  test('a giving up in the middle of a build: at most what was decided is charged', () =>
    allRaces(6, async (scheduler, play) => {
      await play.approve(0, sprites)
      await play.build(0, { death: { since: 'submission', at: 1, moment: 'before' } })
      await play.world.wait(11 * 60_000)
      const recover: Racer = { name: 'recover', work: (workshop) => workshop.recover({ name: 'hero', decision: 'abandon' }) }
      const codes = codesOf(await race(play.world, scheduler, [build('build'), recover]))
      expect(['SW_APPROVAL', 'SW_UNCERTAIN']).toEqual(expect.arrayContaining([...codes]))
      // Nothing more was sent for the hero. Its only submission may have been charged.
      expect(play.world.wire.seen('a hero, walk').posts).toBe(1)
    }))
})
