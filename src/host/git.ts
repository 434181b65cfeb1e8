import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { realPath } from './real-path.ts'

/**
 * Returns the files that git tracks at or under some names of a folder, as paths from that folder.
 *
 * Empty if there is no git, no repository or no such folder, and if git refuses to answer.
 */
export type TrackedFiles = (folder: string, names: readonly string[]) => Promise<readonly string[]>

/**
 * A clone, read by the objects of its commits. No file of a commit is checked out, so no hook, filter, link or
 * submodule of it has an effect.
 */
export interface Repository {
  /** The present commit of a folder's repository. Returns `undefined` if there is none. */
  head(folder: string): Promise<string | undefined>
  /** The path of a folder inside its repository, with forward slashes. Empty for the root, and without a repository. */
  inside(folder: string): Promise<string>
  /**
   * Fetches the branches of the default remote, and forgets those that it has no more. Learns the default branch of
   * `origin`.
   *
   * @throws With the words of git.
   */
  fetch(folder: string): Promise<void>
  /** The newest commits of the remote branches that have a commit, as of the last fetch. */
  tipsWith(folder: string, commit: string): Promise<readonly string[]>
  /**
   * The newest commits of remote branches, as of the last fetch.
   *
   * @param names Of branches, as the remote has them; `*` stands for anything but a slash. Empty for the remote's
   * default branch.
   */
  tipsOf(folder: string, names: readonly string[]): Promise<readonly string[]>
  /**
   * Reads a file of a commit.
   *
   * @param path Absolute, where the file would be in the work tree.
   * @returns `undefined` if the commit has no such file.
   */
  read(folder: string, commit: string, path: string): Promise<Uint8Array | undefined>
}

/** Longest run of git, in milliseconds. */
const longestMs = 10_000
const longestFetchMs = 120_000
/** Largest file that is read from a commit: the largest reference picture, and more than any spec. */
const mostBytes = 2 ** 27

/** Runs git for a folder. Returns its output, or the error with its words. `undefined` without a repository. */
async function runGit(folder: string, call: readonly string[], timeout = longestMs): Promise<Buffer | Error | undefined> {
  const real = realPath(folder)
  const root = findRepository(real)
  if (root === undefined) return undefined
  const options = {
    // Windows searches for a program in the current folder first, which is often the project.
    cwd: dirname(process.execPath),
    env: { ...gitEnv(process.env), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
    timeout,
    maxBuffer: mostBytes,
    windowsHide: true,
    encoding: 'buffer' as const,
  }
  const place = [`--git-dir=${join(root, '.git')}`, `--work-tree=${root}`, '-C', real]
  const quiet = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0']
  return new Promise((resolve) => {
    execFile('git', [...quiet, '--literal-pathspecs', ...place, ...call], options, (error, stdout) => resolve(error ?? stdout))
  })
}

/**
 * The environment of git, and of other programs that are not ours. Git's transports and helpers for credentials are other programs, and must not get our keys and
 * passwords. `GIT_INDEX_FILE` is of a hook of another repository: only the folder must choose the repository.
 */
export function gitEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOurs = (name: string): boolean => /^(?:SPRITEWRIGHT_.*|PGPASSWORD|GIT_INDEX_FILE)$/i.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOurs(name)))
}

/** Uses the git of this machine. Git starts no file monitor and takes no lock. */
export function nodeTrackedFiles(): TrackedFiles {
  return async (folder, names) => {
    const found = await runGit(folder, ['ls-files', '-z', '--', ...names])
    return Buffer.isBuffer(found)
      ? found
          .toString()
          .split('\0')
          .filter((path) => path !== '')
      : []
  }
}

/** Uses the git of this machine. */
export function nodeRepository(): Repository {
  const words = async (folder: string, call: readonly string[]): Promise<string> => {
    const found = await runGit(folder, call)
    return Buffer.isBuffer(found) ? found.toString().trim() : ''
  }
  const tips = async (folder: string, which: readonly string[]): Promise<readonly string[]> => {
    const found = await words(folder, ['for-each-ref', '--format=%(objectname)', ...which])
    return [...new Set(found.split('\n').filter((tip) => tip !== ''))]
  }
  return {
    head: async (folder) => (await words(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])) || undefined,
    inside: async (folder) => (await words(folder, ['rev-parse', '--show-prefix'])).replace(/\/$/, ''),
    fetch: async (folder) => {
      const found = await runGit(folder, ['fetch', '--quiet', '--prune', '--no-tags', '--no-recurse-submodules'], longestFetchMs)
      if (!Buffer.isBuffer(found)) throw found ?? new Error('no repository')
      // Git does not do so by itself: a clone may lack the default branch, or know one of before.
      await runGit(folder, ['remote', 'set-head', 'origin', '--auto'], longestFetchMs)
    },
    tipsWith: (folder, commit) => tips(folder, [`--contains=${commit}`, 'refs/remotes']),
    tipsOf: (folder, names) =>
      tips(
        folder,
        (names.length === 0 ? ['HEAD'] : names).map((name) => `refs/remotes/*/${name}`),
      ),
    read: async (folder, commit, path) => {
      const root = findRepository(realPath(folder))
      const inside =
        root === undefined
          ? ''
          : relative(root, join(realPath(folder), relative(folder, path)))
              .split(sep)
              .join('/')
      const found = await runGit(folder, ['cat-file', 'blob', `${commit}:${inside}`])
      return Buffer.isBuffer(found) ? new Uint8Array(found) : undefined
    },
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
