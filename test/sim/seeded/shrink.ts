import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { droppable, listPlan, type Plan, withoutParts } from './plan.ts'
import { runPlan, SeedFailure } from './seeded.ts'

/** A plan that once broke a promise, made as small as possible. */
export interface Regression {
  /** Commit at which it was found. */
  readonly commit: string
  readonly violation: string
  readonly plan: Plan
}

/** Leaves out steps and faults one by one, as long as the plan breaks the same promise. */
export async function shrink(failure: SeedFailure): Promise<SeedFailure> {
  let smallest = failure
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const id of droppable(smallest.plan)) {
      const other = await failureOf(withoutParts(smallest.plan, new Set([id])))
      if (other?.violation.invariant !== failure.violation.invariant) continue
      smallest = other
      isSmaller = true
    }
  }
  return smallest
}

async function failureOf(plan: Plan): Promise<SeedFailure | undefined> {
  try {
    await runPlan(plan)
    return undefined
  } catch (error) {
    if (error instanceof SeedFailure) return error
    throw error
  }
}

/** A failure as it is stored and reported. */
export function toRegression({ plan, violation }: SeedFailure): Regression {
  return { commit: commitOf(), violation: violation.message.slice(0, 500), plan }
}

/** The report of a failure: seed, commit, the broken promise, and the rest of the plan. */
export function describeRegression({ commit, violation, plan }: Regression): string {
  return `seed ${plan.seed} at commit ${commit} broke ${violation}\n${listPlan(plan).join('\n')}`
}

function commitOf(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return 'unknown'
  }
}

/**
 * The stored plans of a file.
 *
 * @param path Path of `regressions.json`.
 */
export function readRegressions(path: string): readonly Regression[] {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Regression[]) : []
}

/** Adds a plan to the file, unless it is already there. */
export function keepRegression(path: string, regression: Regression): void {
  const known = readRegressions(path)
  if (known.some(({ plan }) => JSON.stringify(plan) === JSON.stringify(regression.plan))) return
  writeFileSync(path, `${JSON.stringify([...known, regression], null, 1)}\n`)
}
