import type { Level } from '../../level.ts'
import { explore, type Report } from './exhaustive.ts'
import { exploreRivals } from './rivals.ts'
import { everything, further, rivals, type Scenario } from './scenario.ts'

/** The task of a process of the simulator. */
export interface Errand {
  /** Names of scenarios; all if there are none. */
  readonly names?: readonly string[]
  readonly part: number
  readonly of: number
  /**
   * Most surprises of a schedule, for scenarios other than {@link everything}. By default, the scenario's own
   * number.
   */
  readonly surprises?: number
  /**
   * {@link everything} runs with one surprise fewer at the level "quick", with one more at "long". "quick" leaves
   * out {@link further}.
   */
  readonly level?: Level
}

/** The answer of the process, one line of JSON for each scenario. */
export interface Answer {
  readonly name: string
  readonly report: Report
}

const more: Readonly<Record<Level, number>> = { quick: -1, full: 0, long: 1 }
const scenarios: readonly Scenario[] = [everything, ...further, rivals]

async function run(scenario: Scenario, { part, of }: Errand): Promise<Report | undefined> {
  if (scenario === everything || scenario.name === everything.name) return explore(scenario, { part, of })
  if (scenarios.findIndex(({ name }) => name === scenario.name) % of !== part) return undefined
  return scenario.name === rivals.name ? exploreRivals(scenario) : explore(scenario)
}

async function main(errand: Errand): Promise<void> {
  for (const scenario of scenarios) {
    if (errand.names && !errand.names.includes(scenario.name)) continue
    if (errand.level === 'quick' && further.includes(scenario)) continue
    const surprises =
      scenario === everything
        ? scenario.surprises + more[errand.level ?? 'full']
        : Math.min(errand.surprises ?? scenario.surprises, scenario.surprises)
    const report = await run({ ...scenario, surprises }, errand)
    if (report) process.stdout.write(`${JSON.stringify({ name: scenario.name, report } satisfies Answer)}\n`)
  }
}

try {
  await main(JSON.parse(process.argv[2] ?? '{"part":0,"of":1}') as Errand)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
