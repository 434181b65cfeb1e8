import type { ViteDevServer } from 'vite'
import type { Overview } from '../../../src/index.ts'
import type { PluginLog } from '../../log.ts'
import { namesOf } from '../../news.ts'

/**
 * Prints the panel's address below Vite's own, in the terminal alone. Below it, once, what is a placeholder
 * and which spec is broken.
 */
export function printAddress(server: ViteDevServer, path: string, log: PluginLog, overview: () => Promise<Overview>): void {
  const print = server.printUrls
  let isTold = false
  server.printUrls = () => {
    print()
    const { local = [], network = [] } = server.resolvedUrls ?? {}
    const [url] = [...local, ...network]
    if (url === undefined) return
    server.config.logger.info(`  ➜  Sprites: ${url}${path}`)
    if (isTold) return
    isTold = true
    // A project that cannot be read is told where it is used.
    overview().then(
      (found) => tellState(found, log),
      () => {},
    )
  }
}

function tellState({ items, errors }: Overview, log: PluginLog): void {
  for (const error of errors) log.error(error.message)
  const open = items.filter(({ state }) => state !== 'bought').map(({ id }) => id)
  if (open.length === 0) return
  log.info(
    `${open.length} of ${items.length} animations are placeholders: ${namesOf(open)}. See their prices in the panel, or: npx spritewright plan`,
  )
}
