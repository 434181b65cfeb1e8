import { drawPlan } from './draw.ts'
import { Violation } from './oracle.ts'
import { listPlan, type Plan, withoutParts } from './plan.ts'
import { prepareResults } from './project.ts'
import { settle } from './settle.ts'
import { acceptBudget, playStep } from './steps.ts'
import { SeededWorld } from './world.ts'

/** Figures of one seed. */
export interface SeedReport {
  readonly steps: number
  readonly processes: number
  /** Processes and machines that died. */
  readonly crashes: number
  /** Faults of disks and networks that happened. */
  readonly faults: number
  /** Submissions and answers that left a machine. */
  readonly posts: number
  readonly charges: number
  /** Charges beyond one for each request and buyer. A person's decision covers each of them. */
  readonly extraCharges: number
  /** Decisions of people about submissions whose outcome is unknown. */
  readonly decisions: number
  /** How often processes ended with each code, and machines with each end. */
  readonly seen: ReadonlyMap<string, number>
}

/** A seed that broke a promise. */
export class SeedFailure extends Error {
  readonly plan: Plan
  readonly violation: Violation

  constructor(plan: Plan, violation: Violation) {
    super(`Seed ${plan.seed}: ${violation.message}\n${listPlan(plan).join('\n')}`, { cause: violation })
    this.plan = plan
    this.violation = violation
  }
}

/**
 * Plays one seed: the whole workshop on one or two machines against the embedded service. The seed decides
 * all faults.
 *
 * @param without Ids of steps and faults to leave out, see `listPlan`.
 * @throws {SeedFailure} If a promise is broken.
 */
export async function runSeed(seed: number | string, without: ReadonlySet<string> = new Set()): Promise<SeedReport> {
  return runPlan(withoutParts(drawPlan(seed), without))
}

/**
 * Plays a plan.
 *
 * @throws {SeedFailure}
 */
export async function runPlan(plan: Plan): Promise<SeedReport> {
  await prepareResults()
  // Stack traces of handled errors are slow. A failure names the seed to play again.
  const depth = Error.stackTraceLimit
  Error.stackTraceLimit = 1
  try {
    return await play(plan)
  } finally {
    Error.stackTraceLimit = depth
  }
}

async function play(plan: Plan): Promise<SeedReport> {
  const world = await SeededWorld.open(plan)
  const look = (): void => {
    world.oracle.checkMoney(world.total)
    world.oracle.checkKept()
    if (world.oracle.violation) throw world.oracle.violation
  }
  try {
    await acceptBudget(world)
    for (const step of plan.steps) {
      await playStep(world, step)
      look()
    }
    await settle(world)
    look()
  } catch (error) {
    if (error instanceof Violation) throw new SeedFailure(plan, error)
    // A run that does not end, or an error of the world itself.
    throw new SeedFailure(plan, new Violation('I9', (error as Error).stack ?? String(error)))
  } finally {
    await world.service.stop()
  }
  return {
    steps: plan.steps.length,
    crashes: world.machines.reduce((sum, machine) => sum + machine.crashes, 0),
    faults: world.injected + world.machines.reduce((sum, machine) => sum + machine.disk.injected, world.shared?.injected ?? 0),
    posts: world.oracle.posts,
    charges: world.service.charges().length,
    extraCharges: world.oracle.extraCharges,
    decisions: world.decisions,
    processes: world.processes,
    seen: world.seen,
  }
}
