import { parseCredits } from '../../../src/credit/credits.ts'
import { checkRun } from './checks.ts'
import { type BrokenSchedule, brokenBy, noReport, type Report } from './exhaustive.ts'
import { SimulatedProcess } from './process.ts'
import { approvedProject, orderUnder, ownKey } from './project.ts'
import { firstWorld, type Scenario } from './scenario.ts'
import { PlayedWorld } from './world.ts'

/**
 * Two builds at once. After every single change that the first build makes on the disk, a second build runs
 * from beginning to end, and then the first goes on. This is repeated for every outcome of the first POSTs,
 * whichever build sends them.
 *
 * @throws {BrokenSchedule} At the first broken promise.
 */
export async function exploreRivals(scenario: Scenario): Promise<Report> {
  const report = { ...noReport(), ends: {} as Record<string, number> }
  for (let at = 1; ; at++) {
    const scripts: (readonly number[])[] = [[]]
    let isReached = false
    for (let script = scripts.pop(); script; script = scripts.pop()) {
      const run = await playRivals(scenario, at, script)
      isReached ||= run.isReached
      report.schedules++
      report.runs += run.ends.length
      report.charges += run.isPaid ? 1 : 0
      for (const words of run.ends) report.ends[words] = (report.ends[words] ?? 0) + 1
      for (let place = run.made.length - 1; place >= script.length; place--) {
        for (let other = scenario.outcomes.length - 1; other > 0; other--) scripts.push([...run.made.slice(0, place), other])
      }
    }
    if (!isReached) return report
  }
}

interface RivalRun {
  /** Whether the first build made that many changes. */
  readonly isReached: boolean
  readonly made: readonly number[]
  readonly ends: readonly string[]
  readonly isPaid: boolean
}

async function playRivals(scenario: Scenario, at: number, script: readonly number[]): Promise<RivalRun> {
  const { rules, outcomes, faultyPosts, hasCopy } = scenario
  const order = orderUnder(parseCredits(scenario.ceiling))
  const ceiling = parseCredits(scenario.ceiling)
  const checkout = { total: ceiling, hasCopy, key: ownKey }
  const made: number[] = []
  const choose = (): number => {
    const chosen = script[made.length] ?? 0
    made.push(chosen)
    return chosen
  }
  const world = firstWorld(scenario, approvedProject(scenario.ceiling))
  const played = new PlayedWorld(world, { rules, ceiling, request: order.hash, outcomes, faultyPosts, prices: [] }, choose, () => {})
  const ends: string[] = []
  let changes = 0
  let moment = 'never'
  const surroundings = {
    request: played.request.bind(played),
    onChange: async (what: string, path: string): Promise<void> => {
      if (++changes !== at) return
      moment = `${what} ${path}`
      first.isHeld = true
      const second = new SimulatedProcess(first, 2, surroundings)
      ends.push(checkRun(second, played, await second.run(order, checkout)))
      first.isHeld = false
    },
  }
  const first: SimulatedProcess = new SimulatedProcess(world, 1, surroundings)
  try {
    ends.push(checkRun(first, played, await first.run(order, checkout)))
  } catch (error) {
    throw toTold(error, made, moment, scenario)
  }
  const isPaid = played.oracle(first.clock.now).some(({ money }) => money === 'settled')
  return { isReached: moment !== 'never', made, ends, isPaid }
}

function toTold(error: unknown, made: readonly number[], moment: string, { outcomes }: Scenario): unknown | BrokenSchedule {
  return brokenBy(error, [`POSTs: ${made.map((index) => outcomes[index]).join(', ')}`, `the second build runs after ${moment}`])
}
