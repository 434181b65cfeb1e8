import type { ViteDevServer } from 'vite'
import type { Overview } from '../../../src/index.ts'
import { countItems } from '../../../src/project/states.ts'
import type { PluginLog } from '../../log.ts'
import { namesOf } from '../../news.ts'
import type { PanelOrigin } from './origin.ts'

/**
 * Opens the panel when the server listens, and prints its address below Vite's own, in the terminal alone. Below it,
 * once, what is a placeholder and which spec is broken.
 */
export function printAddress(server: ViteDevServer, origin: PanelOrigin, log: PluginLog, overview: () => Promise<Overview>): void {
  const { printUrls, listen } = server
  let isTold = false
  server.listen = async (port, isRestart) => {
    const listening = await listen(port, isRestart)
    await origin.open(isRestart)
    return listening
  }
  server.printUrls = () => {
    printUrls()
    origin.print()
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
    `${open.length} of ${countItems(items.length, items)} are placeholders: ${namesOf(open)}. See their prices in the panel, or: npx spritewright plan`,
  )
}
