#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { Writable } from 'node:stream'
import { SpritewrightError } from '../errors.ts'
import { nodeHost, stateFolder } from '../host/host.ts'
import { nodeOwnProcess } from '../host/own-process.ts'
import { nodeWatchFiles } from '../host/watch.ts'

// The entry of the process. The parts of the program are made here, and only this file ends the process.
const argv = process.argv.slice(2)
let isDone = false
cacheCompiledCode()
// No work is left in the event loop, but the run has not ended.
process.once('beforeExit', () => {
  if (isDone) return
  process.exitCode = 1
  process.stderr.write(
    'error SW_INTERNAL Expected the command to end, found it waiting without any work left. Check whether your configuration waits for something; if not, please report this. No paid result is lost: run the command again.\n',
  )
})
void run().then(async () => {
  isDone = true
  // Leftovers of other code would keep the process alive for ever: a timer of a configuration, a watch that chokidar
  // began while it was being closed.
  await Promise.all([process.stdout, process.stderr].map(flush))
  process.exit()
})

/** Resolves when the stream has taken all output, and its errors are known. */
function flush(stream: NodeJS.WriteStream): Promise<unknown> {
  return new Promise((resolve) => Writable.prototype.write.call(stream, '', 'utf8', () => setImmediate(resolve)))
}

/**
 * Turns on the compile cache of Node 22.1 and newer, in our state folder. The default of Node is a shared
 * folder for temporary files. Another user may have made that folder, and cached code is executed.
 */
function cacheCompiledCode(): void {
  const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown }
  const state = stateFolder(process.env, homedir)
  if (!isAbsolute(state)) return
  // Node makes the folders, for this user alone.
  const before = process.umask(0o077)
  enableCompileCache?.(join(state, 'compiled'))
  process.umask(before)
}

/** Handles errors of the output. A closed pipe is no failure. A disk that refuses the output is a failure. */
function heedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    process.once('exit', (code) => {
      process.stderr.write(`error SW_DISK The output could not be written: ${error.message}. Make room and run the command again.\n`)
      if (code === 0) process.exitCode = 1
    })
  })
}

/** The version of the package. This file is built into `dist/src/cli`. */
function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as { readonly version: string }
  return manifest.version
}

async function run(): Promise<void> {
  heedOutput()
  const interrupt = new AbortController()
  const stop = (): void => {
    if (interrupt.signal.aborted) process.exit(130)
    interrupt.abort(new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted.' }))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  // Loaded after the compile cache is on, so that the program is cached too.
  const { runProgram } = await import('./program.ts')
  const host = nodeHost()
  // A configuration is a program. Its output must not get into a JSON document or a file of Markdown.
  process.stdout.write = process.stderr.write.bind(process.stderr)
  process.exitCode = await runProgram(argv, {
    host,
    version: packageVersion(),
    signal: interrupt.signal,
    createWorkshop: async (init) => (await import('../workshop.ts')).createWorkshop(init),
    specSchema: async () => (await import('../workshop.ts')).specJsonSchema(),
    startService: async (init) => (await import('./embedded.ts')).startService(init),
    watchFiles: nodeWatchFiles,
    ownProcess: nodeOwnProcess(import.meta.filename),
    ask: async (message) => {
      const { confirm, isCancel } = await import('@clack/prompts')
      const answer = await confirm({ message, initialValue: false, output: process.stderr, signal: interrupt.signal })
      return isCancel(answer) ? undefined : answer
    },
    choose: async (message, choices) => {
      const { select, isCancel } = await import('@clack/prompts')
      const answer = await select({ message, options: [...choices], output: process.stderr, signal: interrupt.signal })
      return isCancel(answer) ? undefined : answer
    },
    askText: async (message, preset) => {
      const { text, isCancel } = await import('@clack/prompts')
      const shown = preset === undefined ? {} : { placeholder: preset, defaultValue: preset }
      const answer = await text({ message, ...shown, output: process.stderr, signal: interrupt.signal })
      return isCancel(answer) ? undefined : (answer ?? '').trim() || (preset ?? '')
    },
  })
  await host.net.close()
}
