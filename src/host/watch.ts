import { basename } from 'node:path'

/** Folders and files that are watched. */
export interface FileWatcher {
  /** Watches more of them; those that are watched already are not watched twice. */
  add(paths: readonly string[]): void
  close(): Promise<void>
}

/** What a watcher calls. */
export interface WatchListeners {
  /** A file came, changed or went. Its writer is done with it. @param path Absolute. */
  onChange(path: string): void
  /** Something cannot be watched, e.g. since the system's limit of watches is reached. */
  onError(error: Error): void
}

/** Watches folders and all that is in them, without `node_modules` and `.git`; handed in. Resolves when nothing is missed any more. */
export type WatchFiles = (folders: readonly string[], listeners: WatchListeners) => Promise<FileWatcher>

/** A file counts as written when its size has stood still for so long, milliseconds. Exports of large pictures take several writes. */
const stillMs = 50

/** Watches on this machine, by chokidar, which is loaded only here. */
export const nodeWatchFiles: WatchFiles = async (folders, { onChange, onError }) => {
  const { watch } = await import('chokidar')
  const watcher = watch([...folders], {
    ignored: (path) => ['node_modules', '.git'].includes(basename(path)),
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: stillMs, pollInterval: 10 },
  })
  watcher.on('add', onChange).on('change', onChange).on('unlink', onChange)
  watcher.on('error', (error) => onError(error as Error))
  await new Promise<void>((resolve) => watcher.once('ready', resolve))
  return {
    add: (paths) => void watcher.add([...paths]),
    close: () => watcher.close(),
  }
}
