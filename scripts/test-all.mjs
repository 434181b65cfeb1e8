// npm run test:all: the checks, `npm test`, and then every test that `npm test` leaves out or samples. The last line
// counts all of it, with one test for the checks and one for the CPU time of `npm test`.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const total = { passed: 0, failed: 0, skipped: 0 }

count('npm run check', run('npm', ['run', 'check']))
const quick = runLevel('quick', 'npm', ['test'])
runLevel('full', process.execPath, ['scripts/test.mjs', 'full'])
if (quick?.cpuSeconds !== undefined) {
  const allowed = quick.budgetSeconds * Math.max(1, quick.slowness)
  count(`npm test takes at most ${Math.round(allowed)} s of CPU, took ${Math.round(quick.cpuSeconds)} s`, quick.cpuSeconds <= allowed)
}
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`)
process.exitCode = total.failed > 0 ? 1 : 0

/** Runs a level and adds its counts. A run that wrote none is one failure. */
function runLevel(level, command, args) {
  const file = join(root, 'test-results', `${level}.json`)
  rmSync(file, { force: true })
  run(command, args)
  try {
    const counts = JSON.parse(readFileSync(file, 'utf8'))
    for (const key of Object.keys(total)) total[key] += counts[key]
    return counts
  } catch {
    count(`the level "${level}" ended with its counts`, false)
    return undefined
  }
}

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0
}

function count(name, isPassed) {
  console.log(`${isPassed ? '✓' : '✗'} ${name}`)
  total[isPassed ? 'passed' : 'failed']++
}
