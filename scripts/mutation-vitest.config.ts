import { join, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from '../vitest.config.ts'

// The tests of one room, for `npm run maintain -- mutation`.
const folders = (process.env.SPRITEWRIGHT_MUTATED ?? 'test').split(',')

/** A fault ends its run with the first test that notices it, so the quick files come first. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const msOf = ({ project, moduleId }: TestSpecification): number =>
      this.ctx.cache.getFileTestResults(`${project.name}:${relative(this.ctx.config.root, moduleId)}`)?.duration ?? 0
    return files.toSorted((one, other) => msOf(one) - msOf(other))
  }
}

/**
 * Tests that run the built package, a compiler or a browser in other processes. No fault is switched on there,
 * so they would only take time.
 */
const elsewhere = [
  ...['workshop/scale', 'cli/bin', 'cli/build-watch', 'cli/editors', 'cli/write-types'],
  ...['plugin/swap', 'plugin/types', 'plugin/typings', 'atlas/corpora'],
]

const { projects: _projects, ...test } = base.test ?? {}

export default defineConfig({
  ...base,
  root: join(import.meta.dirname, '..'),
  test: {
    ...test,
    // Stryker runs the tests in threads, which take no flags of V8.
    execArgv: [],
    include: folders.flatMap((folder) => [`${folder}/**/*.test.ts`, `${folder}.*test.ts`]),
    exclude: elsewhere.map((name) => `test/${name}.*test.ts`),
    sequence: { sequencer: ShortestFirst },
  },
})
