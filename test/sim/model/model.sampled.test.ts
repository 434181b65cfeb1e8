import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byLevel, level } from '../../level.ts'
import { formatCounts, newCounts } from './check.ts'
import { beginnings, commandsOf } from './commands.ts'
import { finish } from './finish.ts'
import { Play } from './play.ts'
import { prepareResults } from './results.ts'
import { ModelWorld } from './world.ts'

const seeds = Array.from({ length: byLevel({ quick: 1, full: 3, long: 40 }) }, (_, index) => index + 1)
const runs = byLevel({ quick: 4, full: 18, long: 150 })
/** A failure to play again, as it was printed: {"seed":1,"path":"2:0:1","replayPath":"AB:C"}. */
const again = JSON.parse(process.env.SPRITEWRIGHT_MODEL ?? 'null') as { seed: number; path: string; replayPath: string } | null

const counts = newCounts()
beforeAll(prepareResults)
afterAll(() => console.log(`L4: ${formatCounts(counts)}`))

describe('I1, I2, I4, I5, I9, I10: whatever a person does with two machines', () => {
  test.each(again ? [again.seed] : seeds)(
    'commands of seed %i: no more charges than were approved and decided, and every refusal has its reason',
    async (seed) => {
      const property = fc.asyncProperty(beginnings, commandsOf(again?.replayPath), async ({ sprites, isApproved }, commands) => {
        const play = new Play(await ModelWorld.make(), new Map(sprites), counts)
        counts.runs++
        if (isApproved) await play.approve(0, play.project.sprites(0))
        await fc.asyncModelRun(() => ({ model: play, real: play }), commands)
        await finish(play)
      })
      await fc.assert(property, { seed, numRuns: runs, ...(again ? { path: again.path, endOnFailure: true } : {}) })
    },
  )

  // A few runs need not have gone everywhere.
  if (level !== 'quick')
    test.skipIf(again !== null)('the runs went where it is dangerous', () => {
      expect(counts.doubleCharges).toBe(0)
      expect(counts.charges).toBeGreaterThan(3 * counts.runs)
      expect(counts.kills).toBeGreaterThan(counts.runs / 2)
      expect(counts.powerCuts).toBeGreaterThan(counts.runs / 4)
      expect(counts.silentBuilds).toBeGreaterThan(counts.runs)
      // A person accepted a second charge, and it was made. So the runs can tell it from an undecided one.
      expect(counts.decidedCharges).toBeGreaterThan(0)
      const codes = ['SW_APPROVAL', 'SW_BUYER', 'SW_CEILING', 'SW_CONFLICT', 'SW_MISSING', 'SW_QUESTION', 'SW_UNCERTAIN', 'SW_USAGE']
      expect([...counts.refusals.keys()].sort()).toEqual(codes)
    })
})
