// npm run sim -- --seeds N --minutes M [--from S]: plays seeds of the simulator on all cores, until this many
// are played or this much time has passed.
//
// npm run sim [-- arguments of vitest]: the level "long" of the tests, which takes hours.
import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const seeded = ['--seeds', '--minutes', '--from']
if (process.argv.slice(2).some((word) => seeded.some((name) => word.startsWith(name)))) await runSeeds()
else {
  process.argv.splice(2, 0, 'long')
  await import('./test.mjs')
}

async function runSeeds() {
  const { values } = parseArgs({ options: { seeds: { type: 'string' }, minutes: { type: 'string' }, from: { type: 'string' } } })
  const count = values.seeds === undefined ? Number.POSITIVE_INFINITY : Number(values.seeds)
  const until = performance.now() + (values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes) * 60_000)
  const from = Number(values.from ?? 1)
  const folder = join(root, 'test-results', `sim-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    const { bundleRunner } = await import('./bundle-runner.mjs')
    const runner = await bundleRunner('test/sim/seeded/runner.ts', folder)
    const { addTotals, formatTotals, noTotals } = await import(pathToFileURL(runner).href)
    const totals = noTotals()
    const broken = []
    let next = from
    let told = performance.now()
    const take = () => {
      if (performance.now() > until) return []
      const seeds = Array.from({ length: Math.max(0, Math.min(20, from + count - next)) }, (_, index) => next + index)
      next += seeds.length
      return seeds
    }
    const tell = () => console.log(`up to seed ${next - 1}: ${formatTotals(totals, broken.length)}`)
    const hear = (batch) => {
      addTotals(totals, batch.totals)
      for (const words of batch.broken) console.log(`\n${words}\n`)
      broken.push(...batch.broken)
      if (performance.now() - told < 30_000) return
      told = performance.now()
      tell()
    }
    await Promise.all(Array.from({ length: availableParallelism() }, () => runThread(runner, take, hear)))
    tell()
    if (broken.length > 0) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Plays batches on a thread until there are no more. */
function runThread(runner, take, hear) {
  return new Promise((resolve, reject) => {
    const thread = new Worker(runner)
    const regressions = join(root, 'test/sim/seeded/regressions.json')
    const give = () => {
      const seeds = take()
      if (seeds.length > 0) return thread.postMessage({ seeds, regressions })
      void thread.terminate().then(resolve)
    }
    thread.on('message', (batch) => {
      hear(batch)
      give()
    })
    thread.on('error', reject)
    give()
  })
}
