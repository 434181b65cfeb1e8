import { relative, resolve } from 'node:path'
import { formatCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { decodeText } from '../../host/project-style.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext, RunningService, ServiceInit } from '../context.ts'
import { ink } from '../view/ink.ts'

/** A fixed port, so that the line in `.env.local` stays valid. */
const defaultPort = 4747
const defaultFolder = '.spritewright/embedded'

/**
 * `spritewright serve`: runs the embedded service on loopback until Ctrl-C, which ends it with exit code 0.
 */
export async function serve({ printer, parts, root }: CommandContext, args: CommandArgs): Promise<number> {
  const folder = resolve(root, args.text('dir') ?? defaultFolder)
  const credits = args.credits('credits')
  const key = args.text('key')
  const faults = await readFaults(parts.host, args.text('faults'))
  const service = await start(parts.startService, {
    host: parts.host,
    port: args.port('port') ?? defaultPort,
    folder,
    key,
    ...(credits === undefined ? {} : { credits: formatCredits(credits) }),
    faults,
  })
  try {
    const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: service.key }
    printer.document({ url: service.url, key: service.key, folder, env })
    printer.line('The embedded service listens on ', ink('bold', service.url))
    printer.hint(ink('dim', `Its credits are play money; its state is in "${relative(root, folder) || '.'}".`))
    if (faults !== undefined) printer.line(ink('yellow', 'It fails on purpose'), `, as ${faults.file} says.`)
    printer.line()
    printer.line('Copy into .env.local:')
    printer.line()
    for (const [name, value] of Object.entries(env)) printer.line(`  ${name}=${value}`)
    printer.line()
    printer.hint(ink('dim', 'Ctrl-C ends it.'))
    await aborted(parts.signal)
  } finally {
    await service.close()
  }
  printer.note('The embedded service has ended.')
  return 0
}

async function readFaults({ disk, workingFolder }: Host, given: string | undefined): Promise<ServiceInit['faults']> {
  if (given === undefined) return undefined
  const path = resolve(workingFolder, given)
  const bytes = await disk.read(path).catch((error: unknown) => {
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected a file at ${JSON.stringify(given)} for --faults, found none that can be read.`,
      facts: { option: '--faults', file: given },
      cause: error,
    })
  })
  return { text: decodeText(bytes), file: given }
}

async function start(startService: (init: ServiceInit) => Promise<RunningService>, init: ServiceInit): Promise<RunningService> {
  try {
    return await startService(init)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected port ${init.port} to be free, found it ${code === 'EACCES' ? 'forbidden' : 'taken'}. Choose another port: npx spritewright serve --port 0 takes any free port.`,
      facts: { option: '--port', port: init.port, reason: code },
      cause: error,
    })
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
