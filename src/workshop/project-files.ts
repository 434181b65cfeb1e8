import { basename, dirname, extname, join } from 'node:path'
import { isInside } from '../host/real-path.ts'
import type { Context } from '../project/context.ts'
import { spriteFile } from '../sprite-spec/spec-file.ts'
import { isLockPath } from '../vault/lock-parts.ts'

/**
 * The role of a file in a project: its configuration; a source (a spec, a picture, an override of frames); or
 * `kept`, a file that builds write too (the lock file, a paid result).
 */
export type FileRole = 'configuration' | 'source' | 'kept'

/** The files of a project, for watchers. */
export interface ProjectFiles {
  /** Folder of the paid results, absolute. Of its files, only the names matter. */
  readonly results: string
  /**
   * The role of a file. Undefined if no sprite depends on it.
   *
   * @param path Absolute.
   */
  roleOf(path: string): FileRole | undefined
  /** Whether a path is a file of the lock file: `sprites.lock.json`, or one in `sprites.lock/`. */
  isLock(path: string): boolean
  /** A text that changes with the lock file and with the names of the paid results. */
  readKept(): Promise<string>
  /**
   * The approvals in the lock file that a person gave. Approvals under standing ceilings, which builds write,
   * are left out.
   */
  readApprovals(): Promise<ReadonlySet<string>>
}

/** The parts of a project that {@link projectFiles} needs. */
export interface ProjectFilesPorts {
  readonly options: Pick<Context['options'], 'root' | 'store'>
  readonly ownFiles: Context['ownFiles']
  readonly lock: Pick<Context['lock'], 'path' | 'read' | 'readTexts'>
  readonly host: Pick<Context['host'], 'disk'>
}

/** Endings of pictures that a spec may name. */
export const pictureEndings: ReadonlySet<string> = new Set(['.png', '.apng', '.jpg', '.jpeg', '.webp', '.gif', '.aseprite', '.ase'])
/** Overrides of frames. Their pictures are pictures like all others. */
const touchedUp = /\.frames[\\/][^\\/]+\.json$/i
const configuration = /^spritewright\.config\.(ts|js|mjs|json)$/

/**
 * Creates the file roles of a project. It decides by names alone, and reads nothing before a method is
 * called.
 *
 * @param configFile Absolute path of the configuration that was read; undefined if the project has none.
 */
export function projectFiles({ options, lock, host, ownFiles }: ProjectFilesPorts, configFile: string | undefined): ProjectFiles {
  const { root } = options
  const store = options.store.dir
  const results = join(store, 'results')
  return {
    results,
    isLock: (path) => isLockPath(lock.path, path),
    roleOf: (path) => {
      if (path === configFile || (dirname(path) === root && configuration.test(basename(path)))) return 'configuration'
      if (isInside(store, path)) return isInside(results, path) ? 'kept' : undefined
      if (isLockPath(lock.path, path)) return 'kept'
      if (isInside(join(root, 'node_modules'), path)) return undefined
      const isPicture = touchedUp.test(path) || pictureEndings.has(extname(path).toLowerCase())
      const isSource = spriteFile(root, path) !== undefined || isPicture || ownFiles.has(path)
      return isSource ? 'source' : undefined
    },
    readKept: async () => JSON.stringify([await lock.readTexts(), await host.disk.list(results)]),
    readApprovals: async () => {
      const { animations, steps = {} } = await lock.read()
      const entries = [...Object.values(animations).flatMap((requests) => Object.values(requests)), ...Object.values(steps)]
      return new Set(entries.flatMap(({ approval }) => (approval && approval.given !== 'standing' ? JSON.stringify(approval) : [])))
    },
  }
}
