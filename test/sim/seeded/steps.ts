import { acceptCeilings } from '../../kit/keys.ts'
import { isWork } from './draw.ts'
import { type Machine, sharedFolder } from './machine.ts'
import type { Action, Fault, Step } from './plan.ts'
import type { SpriteState } from './project.ts'
import { type Outcome, runProcess, workOf } from './work.ts'
import type { SeededWorld } from './world.ts'

/** Longest time that a process may take by the world's clock, in milliseconds. */
const longestMs = 30 * 60 * 60_000

/** Plays a step with its faults to its end. */
export async function playStep(world: SeededWorld, step: Step): Promise<readonly Outcome[]> {
  // People need a moment between two commands.
  await world.clock.run(world.clock.sleep(2_500))
  const outcomes = step.actions.map((action, run) => {
    const faults = step.faults.map(({ fault }) => fault).filter((fault) => fault.run === run)
    return play(world, action, faults)
  })
  const ended = await world.clock.run(Promise.all(outcomes), longestMs)
  for (const machine of world.machines) machine.disk.heal()
  world.shared?.heal()
  return ended
}

/** Before any fault, the person at each machine accepts the standing ceilings if the plan has them. */
export async function acceptBudget(world: SeededWorld): Promise<void> {
  if (world.plan.budget === undefined) return
  for (const machine of world.machines)
    await world.clock.run(
      runProcess(
        world,
        machine,
        [],
        () => {},
        async (workshop) => void (await acceptCeilings(workshop)),
      ),
      longestMs,
    )
}

async function play(world: SeededWorld, action: Action, faults: readonly Fault[]): Promise<Outcome> {
  const machine = world.machines['machine' in action ? action.machine : 0]
  if (!machine) return { codes: [] }
  const job = isWork(action) ? workOf(world, machine, action) : undefined
  if (!job) {
    await change(world, machine, action)
    return { codes: [] }
  }
  const outcome = await runProcess(world, machine, faults, (event) => void change(world, machine, event), job)
  for (const code of outcome.codes) world.seen.set(code, (world.seen.get(code) ?? 0) + 1)
  return outcome
}

/**
 * Applies an action that is not a process of spritewright. Everything that can happen at once happens before
 * the first await.
 */
async function change(world: SeededWorld, machine: Machine, action: Action): Promise<void> {
  switch (action.do) {
    case 'wait':
      return world.clock.sleep(action.ms)
    case 'edit':
      return edit(world, machine, action)
    case 'commit':
      return world.git.commit(machine, action.conflicts)
    case 'pull':
      return world.git.pull(machine, action.conflicts)
    case 'sync': {
      world.git.commit(machine, action.conflicts)
      const other = world.machines[1 - machine.index]
      return other && world.git.pull(other, action.conflicts)
    }
    case 'checkout':
      return world.git.checkout(machine, action.back)
    case 'rotateKey':
      return world.rotateKey(machine, action.revokes)
    case 'price':
      return world.changePrice(action.percent)
    case 'priceVersion':
      return world.changePriceVersion()
    case 'capability':
      return world.changeCapability(action.has)
    case 'clockBack':
      machine.wallOffsetMs -= action.ms
      return
    case 'powerCut':
      return machine.powerCut(action.kept)
    case 'clean':
      return clean(world, machine)
    case 'deleteCache':
      return machine.disk.erase('/game/node_modules/.cache')
    case 'deleteJournals':
      world.oracle.loses(machine)
      machine.disk.erase('/game/.spritewright/submissions')
      return machine.disk.erase('/state/journals')
    case 'deleteObject':
    case 'rotObject':
      return harmObject(machine, action)
    default:
      return
  }
}

function edit(world: SeededWorld, machine: Machine, { sprite, field }: Extract<Action, { do: 'edit' }>): void {
  const state = world.specs[machine.index]?.[sprite]
  if (!state) return
  // Two values each, so that a second edit leads back to an earlier request.
  const changed: Partial<SpriteState> = {
    prompt: { prompt: 3 - state.prompt },
    frames: { frames: state.frames === 7 ? 8 : 7 },
    take: { take: state.take === 1 ? 2 : 1 },
    animations: { animations: 3 - state.animations },
    // From pictures it leads to animations of the same names.
    reference: { reference: state.reference === 0 ? 1 : 0 },
  }[field] as Partial<SpriteState>
  world.writeSpec(machine, sprite, { ...state, ...changed })
}

/**
 * Deletes everything that version control does not know: the store, the cache, and the lock file if it was
 * never committed.
 */
function clean(world: SeededWorld, machine: Machine): void {
  // If the second copy of the journal could not be written, this deletes the only one.
  const isDiskBad = world.plan.steps.some(({ faults }) => faults.some(({ fault }) => fault.fault === 'disk'))
  if (isDiskBad) world.oracle.loses(machine)
  machine.disk.erase('/game/.spritewright')
  machine.disk.erase('/game/node_modules')
  if (!world.git.knows(machine)) machine.disk.erase('/game/sprites.lock.json')
}

function harmObject(machine: Machine, action: Extract<Action, { do: 'deleteObject' | 'rotObject' }>): void {
  const folder = action.do === 'rotObject' && action.shared && machine.shared ? sharedFolder : '/game/.spritewright/results'
  const disk = machine.diskOf(folder)
  const paths = disk.paths(folder).filter((path) => /\.(zip|png)$/.test(path))
  const path = paths[action.pick % paths.length]
  if (path === undefined) return
  if (action.do === 'deleteObject') disk.erase(path)
  else disk.rot(path, action.bit)
}
