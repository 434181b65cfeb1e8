import { basename, resolve } from 'node:path'

/** A watcher of folders and files. */
export interface FileWatcher {
  /** Watches further paths. A path that is already watched is not watched twice. */
  add(paths: readonly string[]): void
  close(): Promise<void>
}

/** Callbacks of a watcher. */
export interface WatchListeners {
  /**
   * A file was added, changed or removed. Its writer has finished.
   *
   * @param path Absolute.
   */
  onChange(path: string): void
  /** A path cannot be watched, e.g. because the system's limit of watches is reached. */
  onError(error: Error): void
}

/**
 * Watches folders and their content, without `node_modules` and `.git`. Resolves as soon as no change is
 * missed. Passed in.
 */
export type WatchFiles = (folders: readonly string[], listeners: WatchListeners) => Promise<FileWatcher>

/**
 * How long a file's size must stay the same before the file counts as written, in milliseconds. Exports of
 * large pictures take several writes.
 */
const stableMs = 50

/**
 * Files of a store. A watcher would watch each of them by itself, and systems limit the number of watches. The
 * folder of the results is watched: its own events name the files that come and go.
 */
export const insideStore: RegExp = /[\\/]\.spritewright[\\/](?!results$)/

/** Watches on this machine with chokidar, which is loaded only here. */
export const nodeWatchFiles: WatchFiles = async (folders, { onChange, onError }) => {
  const { watch } = await import('chokidar')
  const watcher = watch([...folders], {
    ignored: (path) => ['node_modules', '.git'].includes(basename(path)) || insideStore.test(path),
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: stableMs, pollInterval: 10 },
  })
  watcher.on('add', onChange).on('change', onChange).on('unlink', onChange)
  watcher.on('raw', (_event, name, details) => {
    const { watchedPath = '' } = details as { watchedPath?: string }
    const path = resolve(watchedPath, name ?? '')
    if (insideStore.test(path)) onChange(path)
  })
  watcher.on('error', (error) => onError(error as Error))
  await new Promise<void>((resolve) => watcher.once('ready', resolve))
  return {
    add: (paths) => void watcher.add([...paths]),
    close: () => watcher.close(),
  }
}
