import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const meter = join(import.meta.dirname, 'meter.cjs')
const counter = ['perf', 'stat', '-x', ',', '-e', 'instructions:u,task-clock']
/** Whether Linux' `perf` exists and may count. A busy machine changes times, but not instructions. */
const canCount =
  countOf(spawnSync(counter[0], [...counter.slice(1), process.execPath, '-e', '0'], { encoding: 'utf8' }).stderr) !== undefined

/**
 * Runs a script as a process of its own and measures it completely: its threads, and its end if perf counts.
 *
 * @param {{ script: string, args?: readonly string[], cwd?: string, env?: Record<string, string> }} job
 * @returns {Promise<{ cpuS: number, wallS: number, peakMb: number, instructionsG?: number, stdout: string }>}
 * Instructions (10⁹, in user mode) if they can be counted.
 */
export async function measureProcess({ script, args = [], cwd, env = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const file = join(folder, 'meter.json')
  const since = performance.now()
  try {
    const counts = join(folder, 'counts')
    const [command, ...rest] = [
      ...(canCount ? [...counter, '-o', counts, '--'] : []),
      process.execPath,
      '--require',
      meter,
      script,
      ...args,
    ]
    const child = spawn(command, rest, {
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
    const counted = canCount ? countOf(readFileSync(counts, 'utf8')) : undefined
    // Counts from outside include the end of the process.
    return { ...JSON.parse(readFileSync(file, 'utf8')), ...counted, wallS, stdout }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns `undefined` if nothing was counted. */
function countOf(text) {
  const [instructions, ms] = ['instructions', 'task-clock'].map(
    (event) => new RegExp(`^([\\d.]+),[^,]*,${event}`, 'm').exec(text ?? '')?.[1],
  )
  return instructions && ms ? { instructionsG: Number(instructions) / 1e9, cpuS: Number(ms) / 1e3 } : undefined
}

/**
 * Runs variants in turn (A B C, A C B …), so that a busy moment affects all of them.
 *
 * @returns Name → the median of each figure, and the result of the last run.
 */
export async function inTurn(variants, rounds) {
  const runs = new Map(variants.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    // Each variant is first in turn, and every other round is reversed. After a long run, the machine is in
    // another state than after a short one.
    const first = round % variants.length
    const order = [...variants.slice(first), ...variants.slice(0, first)]
    for (const { name, run } of round % 2 === 0 ? order : order.reverse()) runs.get(name).push(await run(round))
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
