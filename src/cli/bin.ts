#!/usr/bin/env node
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { codeFiles, packageVersion } from '../host/code-files.ts'
import { stateFolder } from '../host/host.ts'
import { startProgram } from '../host/kept-code.ts'

// The edge of the process: everything that the program is handed is made here, and nowhere else is the process ended.
const argv = process.argv.slice(2)
let isDone = false
// Nothing is left that could end the run, and it has not ended.
process.once('beforeExit', () => {
  if (isDone) return
  process.exitCode = 1
  process.stderr.write(
    'error SW_INTERNAL Expected the command to come to an end, found that it waits for what never comes. Look at what your configuration waits for; if it waits for nothing, please report this. Nothing that was paid for is lost: run the command again.\n',
  )
})
void run().finally(() => {
  isDone = true
})

/** A reader that goes away is no failure; a disk that does not take what was asked for is one, whatever else went well. */
function heedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    process.once('exit', (code) => {
      process.stderr.write(`error SW_DISK The output could not be written: ${error.message}. Make room and run the command again.\n`)
      if (code === 0) process.exitCode = 1
    })
  })
}

/** For code that V8 has compiled; undefined where the user has no folder. The one for temporary files may be laid out by others, and what lies there is run. */
function compiledFolder(): string | undefined {
  const state = stateFolder(process.env, homedir)
  return isAbsolute(state) ? join(state, 'compiled') : undefined
}

async function run(): Promise<void> {
  heedOutput()
  const program = startProgram<typeof import('./whole.ts')>(join(import.meta.dirname, 'whole.cjs'), {
    files: codeFiles(),
    folder: compiledFolder(),
    use: JSON.stringify([/^[a-z]+$/.exec(argv[0] ?? '')?.[0], process.execArgv, process.env.NODE_OPTIONS]),
    now: Date.now(),
  })
  const { nodeHost, runProgram, SpritewrightError, tempName, ...parts } = program.exports
  const interrupt = new AbortController()
  const stop = (): void => {
    if (interrupt.signal.aborted) process.exit(130)
    interrupt.abort(new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted.' }))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const host = nodeHost()
  process.exitCode = await runProgram(argv, {
    host,
    version: packageVersion(import.meta.filename),
    signal: interrupt.signal,
    createWorkshop: parts.createWorkshop,
    specSchema: parts.specSchema,
    startService: parts.startService,
    ask: async (message) => {
      const { confirm, isCancel } = await import('@clack/prompts')
      const answer = await confirm({ message, initialValue: false, output: process.stderr, signal: interrupt.signal })
      return isCancel(answer) ? undefined : answer
    },
  })
  await host.net.close()
  // What ended early has compiled too little to be worth keeping.
  if (process.exitCode === 0) program.keep((path) => tempName(host.random, path))
}
