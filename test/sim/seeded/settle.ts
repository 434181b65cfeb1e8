import { readChains } from './journals.ts'
import type { Machine } from './machine.ts'
import type { Action } from './plan.ts'
import { playStep } from './steps.ts'
import type { SeededWorld } from './world.ts'

/**
 * Codes with which a machine may end: another machine has the request in flight, so this one cannot go on.
 */
const finalCodes = ['SW_BUYER']

/**
 * Ends a world after its faults. People do what the messages say until nothing is left to do.
 *
 * I9: every machine comes to its end. I10: a further build makes no request. I4: every requested result is
 * here.
 */
export async function settle(world: SeededWorld): Promise<void> {
  await world.changeCapability(true)
  const [first, second] = world.machines
  if (!first) return
  const alone = await workUntilQuiet(world, first, second === undefined)
  if (!second) return checkEnd(world, first, alone)
  // The machines exchange their lock files. Then none has a reason to wait any more.
  for (const machine of [first, second]) world.git.commit(machine, 'both')
  await workUntilQuiet(world, second, false)
  for (const machine of [second, first]) world.git.commit(machine, 'both')
  for (const machine of world.machines) await checkEnd(world, machine, await workUntilQuiet(world, machine, true))
}

/**
 * Builds, does what the refusal says, and builds again, until nothing changes any more.
 *
 * @param isLast Whether the machine has all knowledge of the others. If so, a person decides about conflicts
 * too.
 * @returns The codes that the last build ended with; empty if all is done.
 */
async function workUntilQuiet(world: SeededWorld, machine: Machine, isLast: boolean): Promise<readonly string[]> {
  let last = ''
  let same = 0
  let decisions = 0
  for (let round = 0; round < 30; round++) {
    const codes = await act(world, machine, { do: 'build', machine: machine.index })
    const todo = codes.length === 0 ? undefined : nextAction(world, machine, codes, isLast)
    if (!todo) return codes
    // After one replay in vain, the person gives up.
    const done = await act(world, machine, todo.do === 'recover' && decisions++ > 0 ? { ...todo, decision: 'abandon' } : todo)
    if (world.oracle.violation) return []
    const words = `${codes.join()} after ${JSON.stringify(todo)}: ${done.join() || 'done'}, ${world.oracle.posts} POSTs`
    same = words === last ? same + 1 : 0
    last = words
    // Only another machine can go on, or none. A question that was answered on a machine that forgot it can
    // be given up.
    if (same === 1 && isLast && codes.includes('SW_QUESTION') && decisions++ === 0) {
      await act(world, machine, { do: 'recover', machine: machine.index, decision: 'abandon' })
      if (world.oracle.violation) return []
    } else if (same >= 1) return codes
  }
  world.oracle.check('I9', false, () => `machine ${machine.index} comes to no end; last: ${last}`)
  return []
}

/** The action that a message asks of a person. Returns `undefined` if no action helps. */
function nextAction(world: SeededWorld, machine: Machine, codes: readonly string[], isLast: boolean): Action | undefined {
  const has = (...wanted: string[]): boolean => codes.some((code) => wanted.includes(code))
  const { index } = machine
  if (has('SW_UNREACHABLE')) return { do: 'wait', ms: 30_000 }
  if (has('SW_UNCERTAIN') || (isLast && has('SW_CONFLICT')))
    return { do: 'recover', machine: index, decision: world.plan.steps.length % 3 === 0 ? 'abandon' : 'replay' }
  if (has('SW_APPROVAL', 'SW_CEILING', 'SW_PRICE_VERSION', 'SW_FAILED', 'SW_REFUSED') && world.total === undefined)
    return { do: 'approve', machine: index }
  if (isLast && has('SW_BUYER') && !others(world, machine)) return { do: 'approve', machine: index, adopt: 'checked' }
  if (has('SW_QUESTION')) return { do: 'answer', machine: index }
  if (
    codes.every((code) =>
      ['SW_CONFLICT', 'SW_BUYER', 'SW_APPROVAL', 'SW_CEILING', 'SW_PRICE_VERSION', 'SW_FAILED', 'SW_REFUSED'].includes(code),
    )
  )
    return undefined
  return { do: 'wait', ms: 60_000 }
}

/** Whether another machine has a request of this one's specs in flight. */
function others(world: SeededWorld, machine: Machine): boolean {
  const wanted = new Set(world.paid(machine).map(({ hash }) => hash))
  return world.machines.some(
    (other) => other !== machine && readChains(other, 'current').some((chain) => wanted.has(chain.hash) && chain.isOpen),
  )
}

async function act(world: SeededWorld, machine: Machine, action: Action): Promise<readonly string[]> {
  world.log(`machine ${machine.index}: ${JSON.stringify(action)}`)
  const [outcome] = await playStep(world, { id: `end of ${machine.index}`, actions: [action], faults: [] })
  world.oracle.checkMoney(world.total)
  world.oracle.checkKept()
  return outcome?.codes ?? []
}

function hasLostJournal({ plan }: SeededWorld): boolean {
  const isDiskBad = plan.steps.some(({ faults }) => faults.some(({ fault }) => fault.fault === 'disk'))
  return isDiskBad && plan.steps.some(({ actions }) => actions.some((action) => action.do === 'clean'))
}

async function checkEnd(world: SeededWorld, machine: Machine, codes: readonly string[]): Promise<void> {
  const { oracle } = world
  if (codes.length > 0) {
    world.seen.set(`end ${[...new Set(codes)].sort().join('+')}`, (world.seen.get(`end ${[...new Set(codes)].sort().join('+')}`) ?? 0) + 1)
    const mayEnd = [
      ...finalCodes,
      // The first place of the journal was deleted, and the second was not writable. Only a person can know
      // what was sent.
      ...(hasLostJournal(world) ? ['SW_JOURNAL'] : []),
      ...(world.total === undefined ? [] : ['SW_APPROVAL', 'SW_CEILING', 'SW_PRICE_VERSION', 'SW_FAILED', 'SW_REFUSED']),
    ]
    oracle.check(
      'I9',
      codes.every((code) => mayEnd.includes(code)),
      () => `machine ${machine.index} ends with ${codes.join()}`,
    )
    return
  }
  const { requestsSeen } = oracle
  const wanted = new Set(world.paid(machine).map(({ hash }) => hash))
  // A build still asks the service about a request that no spec needs any more, as long as it is in flight.
  const hasOrphans = readChains(machine, 'current').some((chain) => chain.isInFlight && !wanted.has(chain.hash))
  const again = await act(world, machine, { do: 'build', machine: machine.index })
  oracle.check(
    'I10',
    again.length === 0 && (hasOrphans || oracle.requestsSeen === requestsSeen),
    () => `a second build on machine ${machine.index} asks the service, or ends with ${again.join()}`,
  )
  for (const { id, hash } of world.paid(machine).filter(({ id }) => !id.includes('#')))
    oracle.check('I4', oracle.holds(machine, hash), () => `machine ${machine.index} is done without the result of ${id}`)
}
