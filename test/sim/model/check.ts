import { sha256 } from '../../../src/host/sha256.ts'
import type { Table } from './table.ts'
import type { ModelWorld } from './world.ts'

/** The folder of a vault's results. */
const results = '/game/.spritewright/results'

/** Counts over all runs. */
export interface Counts {
  runs: number
  commands: number
  kills: number
  powerCuts: number
  charges: number
  /** Second charges of one request without a person's decision: must be 0. */
  doubleCharges: number
  /** Second charges that a person accepted by a decision. */
  decidedCharges: number
  /** Builds right after "done", and how many of them had to make no request. */
  secondBuilds: number
  silentBuilds: number
  /** Charged results that no spec needed at the end, so the run asked for them again. */
  askedAgain: number
  refusals: Map<string, number>
}

/** No counts yet. */
export function newCounts(): Counts {
  return {
    runs: 0,
    commands: 0,
    kills: 0,
    powerCuts: 0,
    charges: 0,
    doubleCharges: 0,
    decidedCharges: 0,
    secondBuilds: 0,
    silentBuilds: 0,
    askedAgain: 0,
    refusals: new Map(),
  }
}

/** The counts in one sentence. */
export function formatCounts(counts: Counts): string {
  const { runs, commands, kills, powerCuts, charges, doubleCharges, decidedCharges, secondBuilds, silentBuilds, askedAgain, refusals } =
    counts
  const codes = [...refusals].sort().map(([code, count]) => `${code} ${count}`)
  return `${runs} runs, ${commands} commands, ${kills} kills (${powerCuts} with the power), ${charges} charges, ${doubleCharges} double charges (${decidedCharges} second ones that a person had decided), ${secondBuilds} builds after "done" (${silentBuilds} had to be silent, and were), ${askedAgain} results asked for again; ${codes.join(', ')}`
}

/** A broken promise, in words. */
export class Broken extends Error {}

/**
 * Checks money, keys and results. Called after every command.
 *
 * @throws {@link Broken}
 */
export function checkAll(table: Table, world: ModelWorld): void {
  const [violation] = world.wire.violations
  if (violation !== undefined) throw new Broken(violation)
  const [mistake] = world.sim.service.mistakes()
  if (mistake !== undefined) throw new Broken(`the service itself made a mistake: ${String(mistake)}`)
  for (const [name, charges] of world.charges()) {
    const row = table.rows().find((one) => one.name === name)
    if (!row) throw new Broken(`"${name}" was charged, and nobody ever asked for it`)
    if (charges.length > row.allowed) throw new Broken(`"${name}" was charged ${charges.length} times, allowed are ${row.allowed} (I1)`)
    const keys = new Set(charges.map(({ key }) => key)).size
    if (keys > 1 + row.givenUpTimes)
      throw new Broken(`"${name}" was charged under ${keys} keys, and was given up ${row.givenUpTimes} times (I1)`)
    for (const { credits } of charges)
      if (credits > row.highest) throw new Broken(`"${name}" was charged ${credits}, its ceiling is ${row.highest} (I1)`)
  }
  for (const [index, machine] of world.machines.entries()) {
    for (const { name, cells } of table.rows()) {
      const kept = cells[index as 0 | 1].kept
      if (kept === undefined) continue
      const bytes = machine.disk.peek(`${results}/${kept}.zip`) ?? machine.disk.peek(`${results}/${kept}.png`)
      if (!bytes || sha256(bytes) !== kept)
        throw new Broken(`the result of "${name}" was in the vault of ${machine.name} and is not any more (I4)`)
    }
  }
}
