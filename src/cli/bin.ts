#!/usr/bin/env node
import { join } from 'node:path'
import { warmFiles } from '../host/warm-files.ts'
import { leaveStamp, stampFile, type WarmRun, warmOutput } from './warm.ts'

// The edge of the process: everything that the program is handed is made here, and nowhere else is the process ended.
// Where nothing has changed since the last build, no more than the imports above is loaded.
const files = warmFiles()
const run: WarmRun = {
  argv: process.argv.slice(2),
  workingFolder: process.cwd(),
  env: process.env,
  program: [
    process.version,
    process.platform,
    process.arch,
    process.execArgv.join(' '),
    files.digest(join(import.meta.dirname, '../../../package.json')),
    files.shape(import.meta.filename),
    files.mayBeTerminal(1) && process.stdout.isTTY === true ? 'stdout' : '',
    files.mayBeTerminal(2) && process.stderr.isTTY === true ? 'stderr' : '',
  ],
}

const stamp = stampFile(files, run)
const output = stamp === undefined ? undefined : warmOutput(files, stamp, Date.now())
if (output === undefined) await runInFull()
else {
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

async function runInFull(): Promise<void> {
  heedOutput()
  const [{ createRequire }, { SpritewrightError }, { nodeHost }, { runProgram }, { recordHost }] = await Promise.all([
    import('node:module'),
    import('../errors.ts'),
    import('../host/host.ts'),
    import('./program.ts'),
    import('./warm-record.ts'),
  ])
  const interrupt = new AbortController()
  const stop = (): void => {
    if (interrupt.signal.aborted) process.exit(130)
    interrupt.abort(new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted.' }))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const recorder = stamp === undefined ? undefined : recordHost(nodeHost(), files, stamp)
  const host = recorder?.host ?? nodeHost()
  process.exitCode = await runProgram(run.argv, {
    host,
    version: (createRequire(import.meta.url)('spritewright/package.json') as { version: string }).version,
    signal: interrupt.signal,
    isOutputTerminal: process.stdout.isTTY === true,
    createWorkshop: async (init) => (await import('../workshop.ts')).createWorkshop(init),
    specSchema: async () => (await import('../workshop.ts')).specJsonSchema(),
    startService: async (init) => (await import('./embedded.ts')).startService(init),
    ask: async (message) => {
      const { confirm, isCancel } = await import('@clack/prompts')
      const answer = await confirm({ message, initialValue: false, output: process.stderr, signal: interrupt.signal })
      return isCancel(answer) ? undefined : answer
    },
    onAtRest: (out) => recorder?.settle(out),
  })
  await host.net.close()
  const seen = process.exitCode === 0 ? await recorder?.toStamp() : undefined
  if (stamp !== undefined && seen) leaveStamp(files, stamp, seen, run, host.random.uuid())
}
