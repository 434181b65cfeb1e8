import { parseCredits } from '../../../src/credit/credits.ts'
import type { Order } from '../../../src/job/order.ts'
import type { RecordStore } from '../../../src/stores/record-store.ts'
import { answerSmall } from '../../kit/small-service.ts'
import { checkRun } from '../exhaustive/checks.ts'
import { brokenBy, noReport, type Report, scenarioStart } from '../exhaustive/exhaustive.ts'
import { type ProcessEnd, SimulatedProcess, type Surroundings } from '../exhaustive/process.ts'
import { numberedOrder, orderedHash, orderUnder, otherKey, ownKey, type ProcessPorts } from '../exhaustive/project.ts'
import type { Scenario } from '../exhaustive/scenario.ts'
import { type Outcome, PlayedWorld, toNetResponse, toOracle, type World } from '../exhaustive/world.ts'
import { checkEnd, checkTotal } from '../invariants.ts'
import { overWire } from './wires.ts'

const minute = 60_000

/** When one of two machines stands still and the other goes on. */
interface Switch {
  /** The step of the first machine at which it stands still, from 1. */
  readonly first: number
  /** The step of the second machine at which the first goes on. Without it, the second machine ends first. */
  readonly second: number | undefined
  /** How long the machine that stood still sleeps longer. */
  readonly sleepMs: number
  /** How long the first machine has slept when the second one begins. */
  readonly aheadMs?: number
}

/** Two builds on two machines. */
interface Pair {
  readonly world: World
  readonly played: PlayedWorld
  readonly orders: readonly [Order, Order]
  readonly request: Surroundings['request']
  /** Which calls of the store are steps. */
  readonly isStep: (what: string) => boolean
  readonly ended: (process: SimulatedProcess, end: ProcessEnd) => string
}

interface Played {
  readonly isReached: readonly [boolean, boolean]
  readonly ends: readonly string[]
}

/** Plays two builds, each on a machine of its own, with one or two changes from one to the other. */
async function play(pair: Pair, at: Switch, scenario: Scenario): Promise<Played> {
  const { world, played, orders } = pair
  const counts = [0, 0]
  const story: string[] = []
  const ends: string[] = []
  const seats = world.team?.seats ?? []
  const processes: SimulatedProcess[] = []
  /** Lets one machine run, at the time of the other. */
  const goOn = (index: number, sleepMs: number): void => {
    const [own, other] = [processes[index], processes[1 - index]] as [SimulatedProcess, SimulatedProcess]
    own.clock.now = Math.max(own.clock.now, other.clock.now) + sleepMs
    other.isHeld = true
    own.isHeld = false
  }
  let firstEnds = (): void => {}
  const firstEnded = new Promise<void>((resolve) => {
    firstEnds = resolve
  })
  let secondStops = (): void => {}
  const secondStopped = new Promise<void>((resolve) => {
    secondStops = resolve
  })
  let second: Promise<void> | undefined
  const run = async (index: number): Promise<void> => {
    const process = processes[index] as SimulatedProcess
    const key = scenario.team?.users[index] === 'other' ? otherKey : ownKey
    const share = (ports: ProcessPorts): RecordStore => {
      const link = played.link(ports, { outcome: () => 'ok', onStep: (what) => step(index, what) })
      return overWire(scenario.team?.adapter ?? 'none', link, ports)
    }
    const end = await process.run(orders[index] as Order, { total: parseCredits(scenario.ceiling), hasCopy: scenario.hasCopy, key, share })
    ends.push(pair.ended(process, end))
  }
  const step = async (index: number, what: string): Promise<void> => {
    if (!pair.isStep(what)) return
    const count = (counts[index] ?? 0) + 1
    counts[index] = count
    if (count !== (index === 0 ? at.first : at.second)) return
    story.push(`machine ${index} stands still: ${what}`)
    if (index === 0) {
      goOn(1, at.aheadMs ?? 0)
      second = run(1)
      second.catch(() => {}).finally(secondStops)
      await secondStopped
      goOn(0, at.sleepMs)
    } else {
      secondStops()
      await firstEnded
      goOn(1, at.sleepMs)
    }
  }
  for (const index of [0, 1]) {
    const { disk, wallShift, bootAt } = seats[index] as World
    const onChange = (): void => {}
    processes.push(new SimulatedProcess({ disk, now: world.now, wallShift, bootAt }, index + 1, { request: pair.request, onChange }))
  }
  try {
    await run(0).finally(firstEnds)
    await second
  } catch (error) {
    throw brokenBy(error, [...story, `the sleep is of ${at.sleepMs / minute} minutes`])
  }
  return { isReached: [story.length > 0, story.length > 1], ends }
}

async function playAll(
  makePair: () => Pair,
  scenario: Scenario,
  sleeps: readonly Pick<Switch, 'sleepMs' | 'aheadMs'>[],
  isOnce: boolean,
  report: Counts,
): Promise<void> {
  for (const sleep of sleeps) {
    for (let first = 1, isReached = true; isReached; first++) {
      for (let second = 0, isLeft = true; isLeft; second++) {
        const pair = makePair()
        const played = await play(pair, { ...sleep, first, second: second === 0 ? undefined : second }, scenario)
        isReached = played.isReached[0]
        isLeft = isReached && !isOnce && (second === 0 || played.isReached[1])
        report.schedules++
        report.runs += played.ends.length
        for (const words of played.ends) report.ends[words] = (report.ends[words] ?? 0) + 1
        report.charges += pair.played.service.executions.length > 0 ? 1 : 0
      }
    }
  }
}

type Counts = ReturnType<typeof noReport> & { ends: Record<string, number> }

/**
 * Two machines that both believe that they may buy. The first one stands still at a call of the store, while
 * the second runs to its end, or to a call of its own. A machine that stood still may sleep longer than the
 * replay window.
 */
export async function exploreSwitches(scenario: Scenario): Promise<Report> {
  const report: Counts = { ...noReport(), ends: {} }
  const ceiling = parseCredits(scenario.ceiling)
  for (const outcome of scenario.outcomes) {
    const makePair = (isStep: Pair['isStep']) => (): Pair => {
      const world = scenarioStart(scenario)
      let posts = 0
      const choose = (_what: string, events: readonly string[]): number => (++posts === 1 ? events.indexOf(outcome) : 0)
      const outcomes: readonly Outcome[] = scenario.outcomes
      const rules = { rules: scenario.rules, ceiling, request: orderedHash, outcomes, faultyPosts: 1, prices: scenario.prices }
      const played = new PlayedWorld(world, rules, choose, () => {})
      return {
        world,
        played,
        orders: [orderUnder(ceiling), orderUnder(ceiling, scenario.team?.users[1] === 'other' ? otherKey : ownKey)],
        request: (process, wanted) => played.request(process, wanted),
        isStep,
        ended: (process, end) => checkRun(process, played, end),
      }
    }
    const sleeps = scenario.downtimes.map((sleepMs) => ({ sleepMs }))
    const [anyCall, writes] = [makePair(() => true), makePair((what) => what.includes('put'))]
    await playAll(anyCall, scenario, sleeps, true, report)
    if (scenario.surprises > 1) await playAll(writes, scenario, [{ sleepMs: 0 }], false, report)
  }
  return report
}

/** Two machines need a sprite each, and the total of the project has room for one. */
export async function exploreRace(scenario: Scenario): Promise<Report> {
  const report: Counts = { ...noReport(), ends: {} }
  const ceiling = parseCredits(scenario.ceiling)
  const [first, second] = [numberedOrder(1, ceiling), numberedOrder(2, ceiling)]
  const makePair = (): Pair => {
    const world = scenarioStart(scenario)
    const rules = { rules: scenario.rules, ceiling, request: '', outcomes: scenario.outcomes, faultyPosts: 0, prices: [] }
    const played = new PlayedWorld(
      world,
      rules,
      () => 0,
      () => {},
    )
    return {
      world,
      played,
      orders: [first, second],
      request: (process, wanted) => {
        const { now } = process.clock
        const turn = answerSmall(scenario.rules, played.service, { ...wanted, body: wanted.body ?? new Uint8Array() }, now)
        played.service = turn.state
        const executions = turn.state.executions.map((execution) => toOracle(execution, scenario.rules, execution.key, now))
        checkTotal(executions, 0n, ceiling)
        return toNetResponse(turn.response)
      },
      isStep: (what) => what.includes('put'),
      ended: (_process, end) => checkEnd(end.kind === 'done' ? undefined : end.code, end.kind === 'done' ? '' : end.message),
    }
  }
  await playAll(
    makePair,
    scenario,
    scenario.downtimes.map((aheadMs) => ({ sleepMs: 0, aheadMs })),
    false,
    report,
  )
  return report
}
