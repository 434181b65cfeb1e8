import { describe, expect, test } from 'vitest'
import { acceptCeilings } from '../kit/keys.ts'
import { byLevel, level } from '../level.ts'
import { addSprite, type SimulatedWorld, simulatedWorld } from './world.ts'

/**
 * The shortest possible time to buy `count` sprites, in seconds. Each sprite takes `posts` POSTs and a job of
 * `jobSeconds`. The limits are 10 POSTs and 20 downloads a minute and two active jobs.
 */
function lowerBound(count: number, posts: number, jobSeconds: number): number {
  const batch = 10 / posts
  const windows = Math.floor((count - 1) / batch)
  const rest = count - windows * batch
  const byPosts = 60 * windows + Math.ceil(rest / 2) * jobSeconds
  const byJobs = Math.ceil(count / 2) * jobSeconds
  const byDownloads = 60 * Math.floor((count - 1) / 20) + jobSeconds
  return Math.max(byPosts, byJobs, byDownloads)
}

/** Builds everything under a standing approval and returns figures of the run. */
async function buildAll(world: SimulatedWorld): Promise<{ seconds: number; refused: number; mostActive: number; bought: number }> {
  const workshop = await world.workshop({ approval: { perSprite: '100' } })
  await world.clock.run(acceptCeilings(workshop))
  const start = world.clock.mono()
  let active = 0
  let mostActive = 0
  const report = await world.clock.run(
    workshop.build({
      buyOnly: true,
      onProgress: () => {
        active = world.service.holds().length
        mostActive = Math.max(mostActive, active)
      },
    }),
  )
  const seconds = (world.clock.mono() - start) / 1000
  await world.clock.run(workshop.close())
  return {
    seconds,
    mostActive,
    bought: report.bought.length,
    refused: world.service.requests().filter((note) => note.status === 429).length,
  }
}

/** More sprites, more POSTs for each, and jobs that end sooner or later, than in the quick level. */
const shorterAndLonger: [number, number, number][] = [
  [40, 20, 1],
  [40, 5, 2],
  [40, 20, 2],
  [40, 60, 2],
]

describe('C30, C31, C41: the schedule under the service’s limits', () => {
  test.each([
    ...byLevel({ quick: [[16, 20, 1]], full: shorterAndLonger, long: shorterAndLonger }),
    // Takes a minute and a half; `npm run sim` includes it.
    ...(level === 'long' ? [[1000, 20, 2] as [number, number, number]] : []),
  ])(
    '%i sprites, jobs of %i s, %i POSTs each: no 429, never a third job, within a twentieth of the bound',
    async (count, jobSeconds, posts) => {
      const world = await simulatedWorld(jobSeconds * 1000)
      for (let index = 0; index < count; index++)
        addSprite(world, `s${String(index).padStart(4, '0')}`, posts === 1 ? 0 : index, posts === 1 ? 'shared' : undefined)
      const run = await buildAll(world)
      const bound = lowerBound(count, posts, jobSeconds)
      console.log(
        `${count} sprites, T = ${jobSeconds} s, p = ${posts}: ${run.seconds.toFixed(1)} s, bound ${bound} s, ${((run.seconds / bound) * 100).toFixed(1)} %`,
      )
      expect(run.bought).toBe(count)
      expect(run.refused).toBe(0)
      expect(run.mostActive).toBeLessThanOrEqual(2)
      expect(run.seconds).toBeLessThanOrEqual(bound * 1.05)
    },
  )
})
