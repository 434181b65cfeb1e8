import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from '../kit/project.ts'

const workerScript = fileURLToPath(new URL('worker-process.mjs', import.meta.url))

/** The machine of a worker. */
export interface WorkerMachine {
  /** The clone in which the worker starts. */
  readonly clone: TestProject
  /**
   * The user's state folder (`XDG_STATE_HOME`).
   *
   * @default one in the clone
   */
  readonly state?: string
}

/** Workers that run. */
export interface Workers {
  /**
   * Kills the active worker, or one that stands by.
   *
   * @returns Whether there was one.
   */
  kill(which: 'active' | 'standby'): boolean
  /** Everything that they have said. */
  said(): string
  /** Ends them in order, and returns everything that they have said. */
  end(): Promise<string>
}

/** Starts a worker on each machine. If one ends, it is started again, as by a supervisor. */
export function startWorkers(machines: readonly WorkerMachine[], env: Readonly<Record<string, string>>): Workers {
  const running = new Map<ChildProcess, 'starting' | 'standby' | 'active'>()
  const ends: Promise<void>[] = []
  let said = ''
  let isOver = false
  const hear = (child: ChildProcess, text: string): void => {
    said += text
    if (text.includes('stands by') || text.includes('lost its lease')) running.set(child, 'standby')
    if (text.includes('This worker is active.')) running.set(child, 'active')
  }
  const start = (machine: WorkerMachine): void => {
    const { clone, state = join(clone.root, '.state') } = machine
    const { PATH = '', HOME = '' } = process.env
    const child = spawn(process.execPath, [workerScript], {
      cwd: clone.root,
      env: { PATH, HOME, XDG_STATE_HOME: state, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    running.set(child, 'starting')
    child.stdout?.on('data', (part: Buffer) => hear(child, part.toString()))
    ends.push(
      new Promise((resolve) => {
        child.on('close', () => {
          running.delete(child)
          if (!isOver) start(machine)
          resolve()
        })
      }),
    )
  }
  machines.forEach(start)
  return {
    kill: (which) => {
      const [found] = [...running].find(([, state]) => state === which) ?? []
      if (found) running.set(found, 'starting')
      return found?.kill('SIGKILL') ?? false
    },
    said: () => said,
    end: async () => {
      isOver = true
      for (const child of running.keys()) child.kill('SIGINT')
      while (ends.length > 0) await ends.pop()
      return said
    },
  }
}
