import { BrokenSchedule } from '../exhaustive/exhaustive.ts'
import { BrokenInvariant } from '../invariants.ts'
import { type ExplorationName, explorations } from './explorations.ts'

/** Exit code of a run that found a broken promise. */
const brokenCode = 3

/** The last line that a run prints. */
export interface RunReport {
  /** Processes of the code that were run. */
  readonly runs: number
  /** The broken promise, if any. */
  readonly broken?: string
  /** The finding, and the schedule that led to it. */
  readonly story?: string
}

// Runs in a process of its own, one for each variant. Its arguments are names of explorations.
const counter = { runs: 0 }
try {
  for (const name of process.argv.slice(2)) await explorations[name as ExplorationName](counter)
  report({ runs: counter.runs })
} catch (error) {
  if (!(error instanceof BrokenSchedule || error instanceof BrokenInvariant)) throw error
  report({ runs: counter.runs, broken: error.invariant, story: error.message })
  process.exitCode = brokenCode
}

function report(what: RunReport): void {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}
