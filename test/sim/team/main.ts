import { explore, noReport, type Report } from '../exhaustive/exhaustive.ts'
import type { Answer, Errand } from '../exhaustive/main.ts'
import type { Scenario } from '../exhaustive/scenario.ts'
import { atOnce, race, teamScenarios } from './scenarios.ts'
import { runTeamSeed } from './seeds.ts'
import { exploreRace, exploreSwitches } from './switches.ts'

const all: readonly { readonly name: string; readonly run: (errand: Errand) => Promise<Report> }[] = [
  ...teamScenarios.map((scenario) => ({ name: scenario.name, run: (errand: Errand) => explore(atLevel(scenario, errand)) })),
  ...atOnce.map((scenario) => ({ name: scenario.name, run: (errand: Errand) => exploreSwitches(atLevel(scenario, errand)) })),
  { name: race.name, run: () => exploreRace(race) },
  { name: 'seeds', run: ({ level }) => playSeeds({ quick: 2, full: 60, long: 20_000 }[level ?? 'full']) },
]

/** At the level "quick", a schedule has one surprise. */
function atLevel(scenario: Scenario, { level }: Errand): Scenario {
  return level === 'quick' ? { ...scenario, surprises: Math.min(1, scenario.surprises) } : scenario
}

async function playSeeds(count: number): Promise<Report> {
  const report = { ...noReport() }
  for (let seed = 1; seed <= count; seed++) {
    const { processes, deaths, charges } = await runTeamSeed(seed)
    report.schedules++
    report.runs += processes
    report.crashes += deaths
    report.charges += charges
  }
  return report
}

async function main(errand: Errand): Promise<void> {
  for (const [index, { name, run }] of all.entries()) {
    if (index % errand.of !== errand.part || (errand.names && !errand.names.includes(name))) continue
    const report = await run(errand)
    process.stdout.write(`${JSON.stringify({ name, report } satisfies Answer)}\n`)
  }
}

try {
  await main(JSON.parse(process.argv[2] ?? '{"part":0,"of":1}') as Errand)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
