import { resolve } from 'node:path'
import { Writable } from 'node:stream'
import { findPackage } from '../../../host/modules/installed-package.ts'
import { type CommandArgs, usageError } from '../../arguments.ts'
import type { CommandContext, ProgramParts } from '../../context.ts'
import { askPrices } from './prices.ts'
import { createToolServer, type ServerPackage, type StdioModule } from './server.ts'
import type { ToolPorts } from './tool.ts'

/** The variable of the API key. This process must not have it. */
const keyName = 'SPRITEWRIGHT_API_KEY'
const packageName = '@modelcontextprotocol/server'

/**
 * `spritewright mcp`: serves tools to a coding agent over stdio until stdin ends, or Ctrl-C. This process has no API
 * key: neither from its environment nor from a file.
 */
export async function mcp({ parts, root }: CommandContext, args: CommandArgs): Promise<number> {
  const own = parts.ownProcess
  const { [keyName]: key, ...env } = parts.host.env
  own.dropVariable(keyName)
  const sdk = await loadServerPackage(parts, root)
  const config = args.text('config')
  const place = config === undefined ? {} : { config: resolve(parts.host.workingFolder, config) }
  const host = { ...parts.host, env }
  const ports: ToolPorts = {
    root,
    host,
    packageFolder: own.packageFolder,
    specSchema: parts.specSchema,
    withWorkshop: async (work) => {
      const workshop = await parts.createWorkshop({ host, root, envDir: false, ...place })
      try {
        return await work(workshop)
      } finally {
        await workshop.close()
      }
    },
    prices: (names) => askPrices(own, { root, ...place }, names, { signal: parts.signal, hadKey: key !== undefined }),
  }
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      host.terminal.write(chunk.toString())
      done()
    },
  })
  const transport = new sdk.stdio.StdioServerTransport(own.input, output)
  const factory = await createToolServer(sdk.main, parts.version, ports)
  const isOver = new Promise<void>((ended) => {
    for (const event of ['end', 'close', 'error']) own.input.once(event, () => ended())
    parts.signal.addEventListener('abort', () => ended(), { once: true })
  })
  const served = sdk.stdio.serveStdio(factory, { transport })
  await isOver
  await served.close()
  return 0
}

/** @throws `SW_USAGE` if the optional package is not installed. */
async function loadServerPackage(
  { host }: ProgramParts,
  root: string,
): Promise<{ readonly main: ServerPackage; readonly stdio: StdioModule }> {
  const found = await findPackage(host.disk, packageName, [root], 'dist/index.mjs')
  if (!found)
    throw usageError(`Expected the package ${packageName}, found none. Install it: npm install --save-dev ${packageName}`, {
      package: packageName,
    })
  const load = async (name: string): Promise<unknown> => import(/* @vite-ignore */ new URL(name, found.entry).href)
  return { main: (await load('index.mjs')) as ServerPackage, stdio: (await load('stdio.mjs')) as StdioModule }
}
