import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { type CliRun, cliBin, type TestProject } from '../kit/project.ts'

const preload = new URL('preload.mjs', import.meta.url).href

/** Where a CLI runs, and its environment. */
interface Mortal {
  readonly project: TestProject
  readonly env: Readonly<Record<string, string>>
}

/** A real CLI that ended normally or killed itself. */
export interface MortalRun extends CliRun {
  /**
   * The steps that it took, in order: `link sprites.lock.json`, `request POST /v1/execute`. A killed process
   * died at the last one.
   */
  readonly steps: readonly string[]
}

/**
 * Runs the real CLI. It kills itself at a step, or finds the disk full from a step on.
 *
 * @param deed See `preload.mjs`, for example `before 7`; empty for a run that is only watched.
 */
export function runMortalCli({ project, env }: Mortal, args: readonly string[], deed = ''): Promise<MortalRun> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, ['--import', preload, cliBin, ...args], {
    cwd: project.root,
    env: {
      PATH,
      HOME,
      SPRITEWRIGHT_MORTAL_ROOT: project.root,
      SPRITEWRIGHT_MORTAL: deed,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const [, stdout, stderr, told] = child.stdio.map((stream) => (stream ? textOf(stream as Readable) : () => ''))
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      const steps = (told?.() ?? '').split('\n').filter((line) => line !== '')
      resolve({ code, signal, stdout: stdout?.() ?? '', stderr: stderr?.() ?? '', steps })
    })
  })
}

function textOf(stream: Readable): () => string {
  const parts: Buffer[] = []
  stream.on('data', (part: Buffer) => parts.push(part))
  return () => Buffer.concat(parts).toString()
}

/**
 * Plays a schedule for 1, 2, 3 … until one of them is the last, two at once.
 *
 * @param play Returns whether the process died at that step. A process that lived had fewer steps.
 * @param stride Plays every n-th schedule.
 * @default 1
 * @returns How many schedules there were.
 */
export async function untilAlive(play: (at: number) => Promise<boolean>, stride = 1): Promise<number> {
  let next = 1
  let played = 0
  let isOver = false
  const lane = async (): Promise<void> => {
    try {
      while (!isOver) {
        const at = next
        next += stride
        played++
        if (!(await play(at))) isOver = true
      }
    } finally {
      isOver = true
    }
  }
  await Promise.all([lane(), lane()])
  return played
}
