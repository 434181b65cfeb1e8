import { execFile } from 'node:child_process'
import type { Bundle } from '../bundle.ts'
import type { Errand } from '../exhaustive/main.ts'

/** The outcome of a process of a simulator. */
export interface SimulatorRun {
  readonly lines: readonly string[]
  /** The broken promise and its schedule; empty if all promises were kept. */
  readonly failure: string
}

/**
 * Runs a bundled simulator in a process of its own. Its flags suit many short runs: room for young objects,
 * and no long traces.
 */
export function runSimulator({ file }: Bundle, errand: Errand): Promise<SimulatorRun> {
  const flags = ['--max-semi-space-size=64', '--stack-trace-limit=1']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...flags, file, JSON.stringify(errand)], { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error && stderr === '') return reject(error)
      resolve({ lines: stdout.split('\n').filter((line) => line !== ''), failure: stderr.trim() })
    })
  })
}
