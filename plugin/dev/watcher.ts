import { resolve } from 'node:path'
import type { ViteDevServer } from 'vite'
import { watchNames } from '../../src/host/watch.ts'
import type { ProjectFiles } from '../../src/index.ts'
import { readError } from '../failure.ts'
import { createLog } from '../log.ts'

/**
 * Calls `refresh` when a spec, a picture, an export of touched-up frames, the lock file or a paid result
 * changes. Other programs may write them in any order. It passes the paths of all changes since the last
 * call.
 *
 * Changes during a call lead to one more call: `isStale` then returns true, because the read data is
 * outdated. An error of `refresh` goes to Vite's log, and the next call gets no paths, because it is unknown
 * what was read. A changed configuration restarts the server.
 *
 * @returns Ends the watch of the results. Vite ends the others.
 */
export function watchProject(
  server: ViteDevServer,
  root: string,
  { results, roleOf }: ProjectFiles,
  refresh: (isStale: () => boolean, changed: readonly string[] | undefined) => Promise<void>,
): () => void {
  let isRunning = false
  let isLost = false
  const due = new Set<string>()
  const run = async (path: string): Promise<void> => {
    due.add(path)
    if (isRunning) return
    isRunning = true
    while (due.size > 0) {
      const changed = isLost ? undefined : [...due]
      due.clear()
      isLost = false
      await refresh(() => due.size > 0, changed).catch((error: unknown) => {
        isLost = true
        createLog(server.config).error(readError(error).message)
      })
    }
    isRunning = false
  }
  const matters = (path: string): boolean => {
    const role = roleOf(path)
    return role !== undefined && role !== 'configuration'
  }
  const listeners = {
    onChange: (path: string) => void run(path),
    onError: (error: Error) => createLog(server.config).error(readError(error).message),
  }
  const names = server.config.server.watch === null ? undefined : watchNames(results, listeners, server.watcher.options)
  server.watcher.add(root)
  server.watcher.on('all', (event, path) => {
    if (event === 'addDir' || event === 'unlinkDir') return
    if (roleOf(path) === 'configuration') void restart(server)
    else if (matters(path)) void run(path)
  })
  // Of several changes of a file within 50 ms, `all` reports only the first. The last one counts.
  server.watcher.on('raw', (_event, path, details) => {
    names?.look()
    const { watchedPath = root } = details as { watchedPath?: string }
    // A file is watched by itself, or as part of a folder.
    const changed = matters(watchedPath) ? watchedPath : resolve(watchedPath, path || '.')
    if (matters(changed)) void run(changed)
  })
  return () => names?.close()
}

/**
 * Calls `look` when the lock file has changed, after an approval, a purchase, or a pull of other people's
 * changes.
 */
export function watchLockFile(server: ViteDevServer, root: string, { isLock }: Pick<ProjectFiles, 'isLock'>, look: () => void): void {
  server.watcher.on('all', (_event, path) => {
    if (isLock(path)) look()
  })
  server.watcher.on('raw', (_event, path, details) => {
    const { watchedPath = root } = details as { watchedPath?: string }
    if (isLock(watchedPath) || isLock(resolve(watchedPath, path || '.'))) look()
  })
}

async function restart(server: ViteDevServer): Promise<void> {
  createLog(server.config).info('its configuration changed, the server restarts.')
  await server.restart()
}
