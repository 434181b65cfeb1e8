import { basename, extname } from 'node:path'
import type { ViteDevServer } from 'vite'
import { specPath } from './ids.ts'

const pictures = new Set(['.png', '.jpg', '.jpeg', '.webp'])

/**
 * Calls `refresh` when a spec, a picture, the lock file or the configuration changes, in whatever order other programs write them. Changes that come while it runs lead to one more run.
 * What `refresh` throws goes to Vite's log.
 */
export function watchProject(server: ViteDevServer, root: string, refresh: () => Promise<void>): void {
  let isRunning = false
  let isDue = false
  const run = async (): Promise<void> => {
    if (isRunning) {
      isDue = true
      return
    }
    isRunning = true
    do {
      isDue = false
      await refresh().catch((error: unknown) =>
        server.config.logger.error(`[spritewright] ${(error as Error).message}`, { error: error as Error }),
      )
    } while (isDue)
    isRunning = false
  }
  server.watcher.add(root)
  server.watcher.on('all', (event, path) => {
    if (event === 'addDir' || event === 'unlinkDir') return
    if (path.includes('.spritewright') || path.includes('node_modules')) return
    if (specPath.test(path) || basename(path) === 'sprites.lock.json' || pictures.has(extname(path).toLowerCase())) run()
  })
}
