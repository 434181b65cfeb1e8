import { join } from 'node:path'
import { runProgram } from '../../src/cli/program.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { type Host, nodeHost } from '../../src/host/host.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { noOwnProcess } from './own-process.ts'
import type { CliRun, TestProject } from './project.ts'

/** A program of the CLI that runs in this process. */
export interface HereProgram {
  readonly ended: Promise<CliRun>
  /** Waits until it has written a text, to stdout or stderr. */
  writes(text: string): Promise<void>
  /** Does what Ctrl-C does. */
  interrupt(): void
}

/**
 * Starts the CLI's program in this process, on the real disk and network. That takes a tenth of the time of a process.
 *
 * @param env All environment variables that it has.
 * @param ports Ports that differ from those of this machine.
 * @param typed What a person types at a question; without it there is no terminal to ask at.
 */
export function startHere(
  { root }: TestProject,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  ports: Partial<Host> = {},
  typed?: string,
): HereProgram {
  const machine = nodeHost()
  const interrupt = new AbortController()
  const written = { out: '', err: '' }
  const waiting = new Set<() => void>()
  const write = (to: keyof typeof written, text: string): void => {
    written[to] += text
    for (const look of waiting) look()
  }
  const host: Host = {
    ...machine,
    env,
    stateFolder: join(env.XDG_STATE_HOME ?? join(root, '.state'), 'spritewright'),
    tempFolder: env.TMPDIR ?? machine.tempFolder,
    workingFolder: root,
    terminal: {
      write: (text) => write('out', text),
      note: (text) => write('err', text),
      isOutputTerminal: false,
      isInteractive: false,
      canAsk: typed !== undefined,
      columns: 80,
    },
    ...ports,
  }
  const run = async (): Promise<CliRun> => {
    const code = await runProgram(argv, {
      host,
      version: '0.0.0',
      createWorkshop,
      signal: interrupt.signal,
      watchFiles: async () => Promise.reject(new Error('No watching in this test.')),
      ownProcess: noOwnProcess,
      startService: () => Promise.reject(new Error('No service of its own here.')),
      specSchema: async () => ({}),
      ask: async () => false,
      askText: async () => typed,
      choose: async () => undefined,
    })
    await machine.net.close()
    return { code, signal: null, stdout: written.out, stderr: written.err }
  }
  return {
    ended: run(),
    writes: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!`${written.out}\n${written.err}`.includes(text)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    interrupt: () => interrupt.abort(new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted.' })),
  }
}
