// npm test [-- arguments of vitest]: the quick level of the tests. With a level first, `node scripts/test.mjs full`
// or `long`: the tests that the quick level leaves out or samples. test/level.ts sets the counts of a level.
//
// The last lines say what was skipped and why, the CPU time, and "N passed, N failed".
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runMeasured, slowness } from './cpu-time.mjs'
import { prepareTests } from './prepare-tests.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const levels = ['quick', 'full', 'long']
const [level, ...args] = levels.includes(process.argv[2] ?? '') ? process.argv.slice(2) : ['quick', ...process.argv.slice(2)]
/** Vitest's own report, and the counts for `npm run test:all`. */
const results = join(root, 'test-results')
const report = join(results, `${level}-report.json`)
/** CPU seconds that `npm test` may take on the machine of `slowness()`. `npm run test:all` checks them. */
const budgetSeconds = 480

prepareTests(level)
mkdirSync(results, { recursive: true })
rmSync(report, { force: true })
const slowBefore = slowness()
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const { code, cpuSeconds, isWhole } = await runMeasured(
  process.execPath,
  [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
  { ...process.env, SPRITEWRIGHT_TESTS: level },
)
// A machine that others use may be slow for a part of the run only.
const slow = Math.max(slowBefore, slowness())
const counts = countTests()
for (const [what, count] of counts.missing) console.log(`Skipped: ${count} ${count === 1 ? 'test' : 'tests'}, ${what}.`)
if (cpuSeconds !== undefined) console.log(describeTime(cpuSeconds))
console.log(`${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`)
const { missing: _missing, ...totals } = counts
writeFileSync(join(results, `${level}.json`), `${JSON.stringify({ ...totals, cpuSeconds, slowness: slow, isWhole, budgetSeconds })}\n`)
process.exitCode = counts.failed > 0 ? 1 : 0

/** A file that could not even be loaded counts as one failure, and a run that failed counts at least one. */
function countTests() {
  const { numPassedTests: passed, numFailedTests, testResults } = readReport()
  const unloaded = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  )
  const skipped = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => !['passed', 'failed'].includes(status)),
  )
  const missing = new Map()
  for (const { fullName } of skipped) {
    // test/kit/needs.ts puts it into the name.
    const need = /\[needs ([^\]]+)\]/.exec(fullName)?.[1]
    const what = need === undefined ? 'which say why where they are written' : `for want of ${need}`
    missing.set(what, (missing.get(what) ?? 0) + 1)
  }
  return { passed, failed: Math.max(numFailedTests + unloaded.length, code === 0 ? 0 : 1), skipped: skipped.length, missing }
}

function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] }
  }
}

/** @param {number} seconds */
function describeTime(seconds) {
  const sum = `${Math.round(seconds)} s of CPU for everything that the tests started`
  const part = isWhole ? '' : ' (at least: processes that outlive their parent are not counted here)'
  const budget = level === 'quick' && args.length === 0 ? `, of ${Math.round(budgetSeconds * Math.max(1, slow))} s` : ''
  return `${sum}${budget}${part}. This machine needs ${slow.toFixed(2)} times the usual CPU time now.`
}
