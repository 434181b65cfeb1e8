import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { ViteDevServer } from 'vite'

/**
 * Listens on a free port. Vite first finds a free port and then listens on it, so another process of a busy
 * machine may take the port in between. In that case, this function tries again, up to five times in all.
 */
export async function listenAnywhere(server: ViteDevServer): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await server.listen(0)
      return
    } catch (error) {
      if (tries === 5 || !/ is already in use$/.test((error as Error).message)) throw error
    }
  }
}

/** A port of loopback that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
