#!/usr/bin/env node
import { createRequire } from 'node:module'
import { errorCodes, SpritewrightError } from '../errors.ts'
import { nodeHost } from '../host/host.ts'
import { runProgram } from './program.ts'

// The edge of the process: everything that the program is handed is made here, and nowhere else is the process ended.
const interrupt = new AbortController()
const stop = (): void => {
  if (interrupt.signal.aborted) process.exit(130)
  interrupt.abort(new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted.' }))
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

const host = nodeHost()
// A reader that goes away is no failure; a disk that does not take what was asked for is one, whatever else went well.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  process.once('exit', (code) => {
    host.terminal.note(`error SW_DISK The output could not be written: ${error.message}. Make room and run the command again.\n`)
    if (code === 0) process.exitCode = errorCodes.SW_DISK.exit
  })
})
const manifest = createRequire(import.meta.url)('spritewright/package.json') as { version: string }

process.exitCode = await runProgram(process.argv.slice(2), {
  host,
  version: manifest.version,
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
})
await host.net.close()
