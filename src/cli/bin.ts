#!/usr/bin/env node
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { startProgram } from '../host/kept-code.ts'
import { stateFolder } from '../host/state-folder.ts'
import { packageVersion, warmFiles, warmProgram } from '../host/warm-files.ts'
import { leaveStamp, stampFile, warmOutcome } from '../warm/stamp.ts'
import { toWarmRun } from './warm-run.ts'

// The edge of the process: everything that the program is handed is made here, and nowhere else is the process ended.
// Where nothing has changed since the last build, no more than the imports above is loaded.
const files = warmFiles()
const argv = process.argv.slice(2)
const run = toWarmRun({
  argv,
  workingFolder: process.cwd(),
  env: process.env,
  program: [
    ...warmProgram(files, import.meta.filename),
    files.mayBeTerminal(1) && process.stdout.isTTY === true ? 'stdout' : '',
    files.mayBeTerminal(2) && process.stderr.isTTY === true ? 'stderr' : '',
  ],
})

const stamp = run && stampFile(files, run)
const output = stamp === undefined ? undefined : warmOutcome(files, stamp, Date.now())
if (output === undefined) {
  let isDone = false
  // Nothing is left that could end the run, and it has not ended.
  process.once('beforeExit', () => {
    if (isDone) return
    process.exitCode = 1
    process.stderr.write(
      'error SW_INTERNAL Expected the command to come to an end, found that it waits for what never comes. Look at what your configuration waits for; if it waits for nothing, please report this. Nothing that was paid for is lost: run the command again.\n',
    )
  })
  void runInFull().finally(() => {
    isDone = true
  })
} else {
  const rest = files.print(output)
  if (rest.length > 0) heedOutput().write(rest)
}

/** A reader that goes away is no failure; a disk that does not take what was asked for is one, whatever else went well. */
function heedOutput(): NodeJS.WriteStream {
  return process.stdout.on('error', (error: NodeJS.ErrnoException) => {
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

async function runInFull(): Promise<void> {
  heedOutput()
  const program = startProgram<typeof import('./whole.ts')>(join(import.meta.dirname, 'whole.cjs'), {
    files,
    folder: compiledFolder(),
    use: JSON.stringify([/^[a-z]+$/.exec(argv[0] ?? '')?.[0], process.execArgv, process.env.NODE_OPTIONS]),
    now: Date.now(),
  })
  const { nodeHost, recordHost, runProgram, SpritewrightError, tempName, ...parts } = program.exports
  const interrupt = new AbortController()
  const stop = (): void => {
    if (interrupt.signal.aborted) process.exit(130)
    interrupt.abort(new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted.' }))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const recorder = stamp === undefined ? undefined : recordHost(nodeHost(), files, { cache: dirname(stamp) })
  const host = recorder?.host ?? nodeHost()
  process.exitCode = await runProgram(argv, {
    host,
    version: packageVersion(files, import.meta.filename),
    signal: interrupt.signal,
    isOutputTerminal: process.stdout.isTTY === true,
    createWorkshop: parts.createWorkshop,
    specSchema: parts.specSchema,
    startService: parts.startService,
    ask: async (message) => {
      const { confirm, isCancel } = await import('@clack/prompts')
      const answer = await confirm({ message, initialValue: false, output: process.stderr, signal: interrupt.signal })
      return isCancel(answer) ? undefined : answer
    },
    onAtRest: (out) => recorder?.settle((path) => out !== undefined && path.startsWith(out + sep)),
  })
  await host.net.close()
  // What ended early has compiled too little to be worth keeping.
  if (process.exitCode !== 0) return
  program.keep((path) => tempName(host.random, path))
  if (!recorder || !run || stamp === undefined) return
  const sight = await recorder.toSight()
  if (sight) leaveStamp(files, stamp, { ...sight, outcome: recorder.printed }, run, tempName(host.random, stamp))
}
