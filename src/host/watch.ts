import { type FSWatcher, type Stats, unwatchFile, watchFile, watch as watchFolder } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isInside, realPath } from './real-path.ts'

/** A watcher of folders and files. */
export interface FileWatcher {
  /** Watches further paths. A path that is already watched is not watched twice. */
  add(paths: readonly string[]): void
  /** Watches the names in a folder, as {@link watchNames} does. No folder is watched twice. */
  addNames(folder: string): void
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
 * Files of a store. Watchers of a project leave them out: they would watch each of them by itself, and systems
 * limit the number of watches. For the results, see {@link watchNames}.
 */
export const insideStore: RegExp = /[\\/]\.spritewright[\\/]/

/** Stands for the records as a changed path: something may have happened at the service, and no file was saved. */
export const recordsPath: string = '.spritewright'

/** A watcher of the names in a folder. */
export interface NameWatcher {
  /** Begins to watch if that has not happened, and the folder exists now. To be called when it may exist. */
  look(): void
  close(): void
}

/** The options of chokidar by which it has decided how to watch; `CHOKIDAR_USEPOLLING` comes before them. */
export interface Polling {
  readonly usePolling?: boolean
  /** Milliseconds. */
  readonly interval?: number
}

/**
 * Watches the names in a folder by a single watch, however many files it has. It does not list the folder.
 *
 * @param listeners `onChange` gets a path that came, went or was written; the folder if it is polled.
 * @param polling Of the watcher of the project's other files.
 */
export function watchNames(
  folder: string,
  { onChange, onError }: WatchListeners,
  { usePolling = false, interval = 100 }: Polling,
): NameWatcher {
  if (usePolling) {
    const poll = (now: Stats, before: Stats): void => {
      if (now.mtimeMs !== before.mtimeMs) onChange(folder)
    }
    watchFile(folder, { persistent: false, interval }, poll)
    return { look: () => {}, close: () => unwatchFile(folder, poll) }
  }
  let watcher: FSWatcher | undefined
  let isClosed = false
  const end = (): void => {
    watcher?.close()
    watcher = undefined
  }
  const look = (): void => {
    if (watcher || isClosed) return
    try {
      watcher = watchFolder(folder, { persistent: false }, (_event, name) => {
        if (name !== null && name !== basename(folder)) return onChange(join(folder, name))
        // The folder itself is gone. Another one may be there already.
        end()
        look()
      })
      // On Windows, the removal of the folder is an error.
      watcher.on('error', end)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onError(error as Error)
    }
  }
  look()
  return {
    look,
    close: () => {
      isClosed = true
      end()
    },
  }
}

/** Whether links have led back to a folder around this one. Chokidar would follow them again and again. */
function isCircle(path: string, stats: Stats | undefined): boolean {
  if (stats?.isDirectory() !== true) return false
  const isAround = (above: string): boolean =>
    isInside(realPath(path), realPath(above)) || (above !== dirname(above) && isAround(dirname(above)))
  return isAround(dirname(path))
}

/**
 * Watches on this machine with chokidar, which is loaded only here. As everywhere, chokidar polls if
 * `CHOKIDAR_USEPOLLING` is set.
 */
export const nodeWatchFiles: WatchFiles = async (folders, { onChange, onError }) => {
  const { watch } = await import('chokidar')
  const watcher = watch([...folders], {
    ignored: (path, stats) => ['node_modules', '.git'].includes(basename(path)) || insideStore.test(path) || isCircle(path, stats),
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: stableMs, pollInterval: 10 },
  })
  watcher.on('add', onChange).on('change', onChange).on('unlink', onChange)
  const names = new Map<string, NameWatcher>()
  watcher.on('raw', () => {
    for (const one of names.values()) one.look()
  })
  // A link that leads to itself has no file.
  watcher.on('error', (error) => ((error as NodeJS.ErrnoException).code === 'ELOOP' ? undefined : onError(error as Error)))
  await new Promise<void>((resolve) => watcher.once('ready', resolve))
  return {
    add: (paths) => void watcher.add([...paths]),
    addNames: (folder) => {
      if (!names.has(folder)) names.set(folder, watchNames(folder, { onChange, onError }, watcher.options))
    },
    close: () => {
      for (const one of names.values()) one.close()
      return watcher.close()
    },
  }
}
