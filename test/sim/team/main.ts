import { explore } from '../exhaustive/exhaustive.ts'
import type { Answer, Errand } from '../exhaustive/main.ts'
import { teamScenarios } from './scenarios.ts'

async function main({ names, part, of }: Errand): Promise<void> {
  for (const [index, scenario] of teamScenarios.entries()) {
    if (index % of !== part || (names && !names.includes(scenario.name))) continue
    const report = await explore(scenario)
    process.stdout.write(`${JSON.stringify({ name: scenario.name, report } satisfies Answer)}\n`)
  }
}

try {
  await main(JSON.parse(process.argv[2] ?? '{"part":0,"of":1}') as Errand)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
