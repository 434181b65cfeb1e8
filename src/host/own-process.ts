import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

/** This process and its program, for a command that serves another program. */
export interface OwnProcess {
  /** Folder of this package, absolute. */
  readonly packageFolder: string
  /** What another program sends. It ends when that program goes away. */
  readonly input: Readable
  /** Removes a variable from the environment of this process and of the processes that it starts. */
  dropVariable(name: string): void
  /**
   * Runs this program once more, in a process of its own, with an empty stdin. Its stderr is dropped.
   *
   * @param cwd Its working folder.
   * @returns What it wrote to stdout, whatever its exit code.
   */
  run(args: readonly string[], cwd: string, signal: AbortSignal): Promise<string>
}

/** Longest run of the other process, in milliseconds. */
const longestMs = 120_000
const mostOutputBytes = 2 ** 26

/** This process, through Node. @param bin Absolute path of the program in its package, three folders down. */
export function nodeOwnProcess(bin: string): OwnProcess {
  return {
    packageFolder: join(dirname(bin), '../../..'),
    input: process.stdin,
    dropVariable: (name) => {
      delete process.env[name]
    },
    run: (args, cwd, signal) =>
      new Promise((resolve) => {
        const options = { cwd, signal, timeout: longestMs, maxBuffer: mostOutputBytes, windowsHide: true }
        execFile(process.execPath, [bin, ...args], options, (_error, stdout) => resolve(stdout)).stdin?.end()
      }),
  }
}
