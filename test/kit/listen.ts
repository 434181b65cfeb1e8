import type { ViteDevServer } from 'vite'

/**
 * Listens on a port that is free. Vite looks for a free port first and listens on it afterwards, so that another process
 * of a busy machine may take it in between; then it looks again.
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
