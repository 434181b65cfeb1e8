import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest. Those that calculate and those that wait for browsers and processes take
 * turns, so that the workers seldom want the processor at the same time.
 */
const longest = [
  ...['sim/seeded/seeded', 'e2e/start-pages', 'security/planted', 'e2e/panel-flows', 'sim/seeded/second', 'e2e/live'],
  ...[
    'worker/outages',
    'worker/worker',
    'sim/exhaustive/exhaustive',
    'e2e/panel-widths',
    'sim/model/model',
    'plugin/build',
    'kill/purchase',
    'e2e/examples',
  ],
  ...['sheets/cached', 'plugin/swap', 'sim/variants/variants', 'docs-site', 'embedded/artist', 'plugin/dev', 'atlas/quality'],
]

const folder = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Begins with the longest files, because all workers wait for one that begins last. The rest is in vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const paths = longest.map((name) => join(folder, `${name}.test.ts`))
    const gone = paths.find((path) => !existsSync(path))
    if (gone) throw new Error(`Expected a file of tests at ${gone}, found none. Correct the list of the longest files.`)
    const placeOf = ({ moduleId }: TestSpecification): number => (paths.includes(moduleId) ? paths.indexOf(moduleId) : paths.length)
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
