import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { realPath } from './real-path.ts'

/**
 * Returns the files that git tracks at or under some names of a folder, as paths from that folder.
 *
 * Empty if there is no git, no repository or no such folder, and if git refuses to answer.
 */
export type TrackedFiles = (folder: string, names: readonly string[]) => Promise<readonly string[]>

/** Longest run of git, in milliseconds. */
const longestMs = 10_000

/** Uses the git of this machine. Git starts no file monitor and takes no lock. */
export function nodeTrackedFiles(): TrackedFiles {
  // A hook of another repository sets this variable. Only the folder must choose the repository.
  const { GIT_INDEX_FILE: _index, ...env } = process.env
  const options = {
    // Windows searches for a program in the current folder first, which is often the project.
    cwd: dirname(process.execPath),
    env: { ...env, GIT_OPTIONAL_LOCKS: '0' },
    timeout: longestMs,
    maxBuffer: 2 ** 24,
    windowsHide: true,
  }
  return async (folder, names) => {
    const real = realPath(folder)
    const root = findRepository(real)
    if (root === undefined) return []
    const place = [`--git-dir=${join(root, '.git')}`, `--work-tree=${root}`, '-C', real]
    const call = ['-c', 'core.fsmonitor=false', '--literal-pathspecs', ...place, 'ls-files', '-z', '--', ...names]
    return new Promise((resolve) => {
      execFile('git', call, options, (error, stdout) => resolve(error ? [] : stdout.split('\0').filter((path) => path !== '')))
    })
  }
}

/**
 * The nearest folder with `.git` in it, from the given one upwards. Git itself would also accept a folder in
 * the shape of a bare repository. That shape can be committed; `.git` cannot.
 */
function findRepository(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder
  const above = dirname(folder)
  return above === folder ? undefined : findRepository(above)
}
