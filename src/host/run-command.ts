import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { gitEnv } from './git.ts'

/**
 * Runs a program without a shell, with a text on its stdin. What it prints is dropped. It gets none of our variables
 * with keys and passwords. Rejects if it cannot start, or ends with another code than 0. After ten seconds, or when the
 * signal is aborted, it is killed, and the call rejects too.
 *
 * @param argv The program and its arguments.
 */
export type RunCommand = (argv: readonly string[], input: string, signal: AbortSignal) => Promise<void>

/** Longest run, in milliseconds. */
const longestMs = 10_000

/** Runs programs of this machine. */
export function nodeRunCommand(): RunCommand {
  return ([program = '', ...args], input, signal) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        // Windows searches for a program in the current folder first, which is often the project.
        cwd: dirname(process.execPath),
        env: gitEnv(process.env),
        stdio: ['pipe', 'ignore', 'ignore'],
        windowsHide: true,
        signal,
        timeout: longestMs,
        killSignal: 'SIGKILL',
      })
      child.once('error', reject)
      child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code ?? 'a signal'}`))))
      // A program that reads nothing closes its stdin early.
      child.stdin.on('error', () => {})
      child.stdin.end(input)
    })
}
