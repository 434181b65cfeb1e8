import { parseCredits } from '../../../src/credit/credits.ts'
import type { NetRequest, NetResponse } from '../../../src/host/net.ts'
import type { Order } from '../../../src/job/order.ts'
import { answerSmall } from '../../kit/small-service.ts'
import { SimulatedProcess, type Surroundings } from '../exhaustive/process.ts'
import { approvedProject, numberedOrder, ownKey, usualRules } from '../exhaustive/project.ts'
import { everything, firstWorld } from '../exhaustive/scenario.ts'
import { toNetResponse, toOracle } from '../exhaustive/world.ts'
import { checkEnd, checkTotal } from '../invariants.ts'
import type { Counter } from './explorations.ts'

const ceiling = parseCredits(everything.ceiling)

/**
 * Two builds of one checkout need a sprite each, and the project's ceiling has room for one. The second build
 * runs after each change of the first in turn.
 */
export async function raceForCredits(counter: Counter): Promise<void> {
  const [first, second] = [numberedOrder(1, ceiling), numberedOrder(2, ceiling)]
  for (let at = 1, isReached = true; isReached; at++) {
    counter.runs += 2
    isReached = await raceOnce(first, second, at)
  }
}

/** @returns Whether the first build made that many changes. */
async function raceOnce(first: Order, second: Order, at: number): Promise<boolean> {
  const world = firstWorld(everything, approvedProject(everything.ceiling))
  const checkout = { total: ceiling, hasCopy: false, key: ownKey }
  const run = async (process: SimulatedProcess, order: Order): Promise<void> => {
    const end = await process.run(order, checkout)
    checkEnd(end.kind === 'done' ? undefined : end.code, end.kind === 'done' ? '' : end.message)
  }
  let state = world.service
  let changes = 0
  const surroundings: Surroundings = {
    request: (process: SimulatedProcess, wanted: NetRequest): NetResponse => {
      const { now } = process.clock
      const turn = answerSmall(usualRules, state, { ...wanted, body: wanted.body ?? new Uint8Array() }, now)
      state = turn.state
      checkTotal(
        state.executions.map((execution) => toOracle(execution, usualRules, execution.key, now)),
        0n,
        ceiling,
      )
      return toNetResponse(turn.response)
    },
    onChange: async () => {
      if (++changes !== at) return
      machine.isHeld = true
      await run(new SimulatedProcess(machine, 2, surroundings), second)
      machine.isHeld = false
    },
  }
  const machine: SimulatedProcess = new SimulatedProcess(world, 1, surroundings)
  await run(machine, first)
  return changes >= at
}
