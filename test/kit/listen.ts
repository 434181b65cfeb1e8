import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { ViteDevServer } from 'vite'

/**
 * Listens on a free port.
 *
 * Vite's own choice, port 0, fails on a busy machine: it finds a free port, gives it back and then listens on it.
 */
export async function listenAnywhere(server: ViteDevServer): Promise<void> {
  await server.listen(await freePort())
}

/**
 * A port of loopback that is free now. Systems give outgoing connections and port 0 numbers of 32,768 and more, so
 * only another caller of this function could take it before it is used. Clients of the web refuse 10,080 (a bad port of
 * the fetch standard), and no other number of 10,000 or more.
 */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(11_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if (tries === 100) throw error
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
