import { explore, type Report } from '../exhaustive/exhaustive.ts'
import type { Answer, Errand } from '../exhaustive/main.ts'
import type { Scenario } from '../exhaustive/scenario.ts'
import { atOnce, race, teamScenarios } from './scenarios.ts'
import { exploreRace, exploreSwitches } from './switches.ts'

const all: readonly (readonly [Scenario, (scenario: Scenario) => Promise<Report>])[] = [
  ...teamScenarios.map((scenario) => [scenario, explore] as const),
  ...atOnce.map((scenario) => [scenario, exploreSwitches] as const),
  [race, exploreRace],
]

async function main({ names, part, of }: Errand): Promise<void> {
  for (const [index, [scenario, run]] of all.entries()) {
    if (index % of !== part || (names && !names.includes(scenario.name))) continue
    const report = await run(scenario)
    process.stdout.write(`${JSON.stringify({ name: scenario.name, report } satisfies Answer)}\n`)
  }
}

try {
  await main(JSON.parse(process.argv[2] ?? '{"part":0,"of":1}') as Errand)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
