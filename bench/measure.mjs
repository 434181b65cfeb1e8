import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const meter = pathToFileURL(join(import.meta.dirname, 'meter.mjs')).href

/**
 * Runs a script as a process of its own and measures it whole, threads too.
 *
 * @param {{ script: string, args?: readonly string[], cwd?: string, env?: Record<string, string> }} job
 * @returns {Promise<{ cpuS: number, wallS: number, peakMb: number, stdout: string }>}
 */
export async function measureProcess({ script, args = [], cwd, env = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const file = join(folder, 'meter.json')
  const since = performance.now()
  try {
    const child = spawn(process.execPath, ['--import', meter, script, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, BENCH_METER: file },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (part) => (stdout += part))
    child.stderr.on('data', (part) => (stderr += part))
    const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
    const wallS = (performance.now() - since) / 1000
    if (code !== 0) throw new Error(`${script} ended with ${code}: ${(stderr || stdout).slice(-800)}`)
    return { ...JSON.parse(readFileSync(file, 'utf8')), wallS, stdout }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs variants in turn (A B C, A B C …), so that a busy moment meets all of them. @returns Name → the median of each figure, and what the last run returned. */
export async function inTurn(variants, rounds) {
  const runs = new Map(variants.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    // Each begins in its turn: what comes behind a long run is measured on another machine than what comes behind a short one.
    const first = round % variants.length
    for (const { name, run } of [...variants.slice(first), ...variants.slice(0, first)]) runs.get(name).push(await run(round))
  }
  return new Map([...runs].map(([name, all]) => [name, { ...all.at(-1), ...medians(all) }]))
}

function medians(runs) {
  const figures = Object.keys(runs[0]).filter((key) => typeof runs[0][key] === 'number')
  return Object.fromEntries(figures.map((key) => [key, median(runs.map((run) => run[key]))]))
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}
