import { once } from 'node:events'
import { Writable } from 'node:stream'
import { type CommandArgs, usageError } from '../../arguments.ts'
import type { CommandContext } from '../../context.ts'
import { askPrices } from './prices.ts'
import { createToolServer, type ServerPackage } from './server.ts'

/**
 * `spritewright mcp`: serves tools to a coding agent over stdio until stdin ends, or Ctrl-C. This process has no API
 * key: neither from its environment nor from a file.
 */
export async function mcp(context: CommandContext, args: CommandArgs): Promise<number> {
  const { ownProcess, host, signal } = context.parts
  ownProcess.dropVariable('SPRITEWRIGHT_API_KEY')
  const { main, stdio } = await loadPackage()
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      host.terminal.write(chunk.toString())
      done()
    },
  })
  const factory = await createToolServer(main, { ...context, prices: (names) => askPrices(context, args.text('config'), names) })
  const isOver = Promise.race(['end', 'close'].map((event) => once(ownProcess.input, event, { signal }).catch(() => {})))
  const served = stdio.serveStdio(factory, { transport: new stdio.StdioServerTransport(ownProcess.input, output) })
  await isOver
  await served.close()
  return 0
}

type StdioPart = typeof import('@modelcontextprotocol/server/stdio')
type Loaded = { readonly main: ServerPackage; readonly stdio: StdioPart }

/** @throws `SW_USAGE` if the optional package is not installed. */
async function loadPackage(): Promise<Loaded> {
  try {
    return { main: await import('@modelcontextprotocol/server'), stdio: await import('@modelcontextprotocol/server/stdio') }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw usageError(
      'Expected the package @modelcontextprotocol/server, found none. Install it: npm install --save-dev @modelcontextprotocol/server',
    )
  }
}
