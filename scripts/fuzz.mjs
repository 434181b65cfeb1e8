// npm run maintain -- fuzz [-- --minutes M] [--from SEED]: strange archives and pictures for the readers, on all cores,
// made from seeds and from the corpora if they are there.
import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { bundleRunner } from './bundle-runner.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, from: { type: 'string', default: '1' } } })
const until = performance.now() + Number(values.minutes) * 60_000
const folder = join(root, 'test-results', `fuzz-${process.pid}`)
const totals = { zip: noTotals(), png: noTotals() }
const batch = 500
let next = Number(values.from)
let told = performance.now()
const broken = []

mkdirSync(folder, { recursive: true })
process.env.SPRITEWRIGHT_CORPORA ??= join(root, '../shared/corpora')
try {
  const runner = await bundleRunner('test/fuzz/runner.ts', folder)
  await Promise.all(Array.from({ length: availableParallelism() }, () => runThread(pathToFileURL(runner))))
  tell()
  if (broken.length > 0) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function noTotals() {
  return { cases: 0, accepted: 0, agreed: 0, rules: new Set() }
}

function tell() {
  for (const [reader, { cases, accepted, agreed, rules }] of Object.entries(totals))
    console.log(`${reader}: ${cases} cases, ${accepted} read, ${agreed} of them the same by another reader, ${rules.size} rules met`)
  console.log(`up to seed ${next - 1}, ${broken.length} broken`)
}

/**
 * Plays batches on a thread until the time is over. The thread may use 512 MB, and if it dies of that, the
 * run ends.
 */
function runThread(runner) {
  return new Promise((resolve, reject) => {
    const thread = new Worker(runner, { resourceLimits: { maxOldGenerationSizeMb: 512 } })
    const errands = []
    const give = () => {
      if (performance.now() > until) return void thread.terminate().then(resolve)
      if (errands.length === 0) {
        errands.push({ reader: 'zip', from: next, count: batch }, { reader: 'png', from: next, count: batch })
        next += batch
      }
      thread.postMessage(errands[0])
    }
    thread.on('message', (answer) => {
      const { reader } = errands.shift()
      const sum = totals[reader]
      for (const name of ['cases', 'accepted', 'agreed']) sum[name] += answer[name]
      for (const rule of answer.rules) sum.rules.add(rule)
      for (const words of answer.broken) console.log(`\n${words}\n`)
      broken.push(...answer.broken)
      if (performance.now() - told > 30_000) {
        told = performance.now()
        tell()
      }
      give()
    })
    thread.on('error', reject)
    give()
  })
}
