import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
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
  /**
   * Every text of 64 hex digits in the JSON files of some names: as they are staged, and in all commits of branches,
   * tags, stashes and reflogs, here and at each remote. Fetches them, and forgets none.
   *
   * @param names Paths from any folder of the repository; `*` stands for anything but a slash.
   * @throws With the words of git, if anything of this cannot be read, is no JSON, or is missing in a shallow clone.
   */
  hashesIn(folder: string, names: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Reads the files of one folder of a commit, without those in folders of it. Links and submodules are left out.
   *
   * @param path Absolute, where the folder would be in the work tree.
   * @returns The files by name. Empty if the commit has no such folder.
   * @throws If git fails.
   */
  readFolder(folder: string, commit: string, path: string): Promise<ReadonlyMap<string, Uint8Array>>
}

/** Longest run of git, in milliseconds. */
const longestMs = 10_000
const longestFetchMs = 120_000
/** Largest file that is read from a commit: the largest reference picture, and more than any spec. */
const mostBytes = 2 ** 27

/** The arguments of git for a folder, and the options of its process. @throws Without a repository. */
function toProcess(folder: string, call: readonly string[]) {
  const real = realPath(folder)
  const root = findRepository(real)
  if (root === undefined) throw new Error('no repository')
  const options = {
    // Windows searches for a program in the current folder first, which is often the project.
    cwd: dirname(process.execPath),
    env: { ...gitEnv(process.env), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
    windowsHide: true,
  }
  const place = [`--git-dir=${join(root, '.git')}`, `--work-tree=${root}`, '-C', real]
  const quiet = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0']
  return { args: [...quiet, ...place, ...call], options }
}

/** Runs git for a folder. @throws With the words of git, and without a repository. */
async function runGit(folder: string, call: readonly string[], timeout = longestMs, input = ''): Promise<Buffer> {
  const { args, options } = toProcess(folder, ['--literal-pathspecs', ...call])
  return new Promise((resolve, reject) => {
    const limits = { timeout, maxBuffer: mostBytes, encoding: 'buffer' as const }
    const child = execFile('git', args, { ...options, ...limits }, (error, stdout) => (error ? reject(error) : resolve(stdout)))
    child.stdin?.on('error', () => {}).end(input)
  })
}

/** Runs git, and reads its output line by line. @throws If git says anything: it leaves out what it cannot read. */
async function* linesOf(folder: string, call: readonly string[], input = ''): AsyncGenerator<string> {
  const { args, options } = toProcess(folder, call)
  const child = spawn('git', args, options)
  const ended = once(child, 'close')
  ended.catch(() => {})
  const words = text(child.stderr)
  child.stdin.on('error', () => {}).end(input)
  yield* createInterface({ input: child.stdout })
  const [code] = await ended
  if (code !== 0 || (await words) !== '') throw new Error((await words).trim() || `the exit code ${code} of git`)
}

/** Fetches every ref of every remote, without a name here. Returns their commits. */
async function fetchAll(folder: string): Promise<readonly string[]> {
  const ask = async (call: readonly string[], input = ''): Promise<readonly string[]> =>
    (await runGit(folder, call, longestFetchMs, input)).toString().match(/.+/g) ?? []
  if ((await ask(['rev-parse', '--is-shallow-repository'])).join() !== 'false')
    throw new Error('a clone without all of its commits (git fetch --unshallow gets them)')
  const tips: string[] = []
  for (const remote of await ask(['remote'])) {
    const refs = (await ask(['ls-remote', '--', remote])).map((line) => line.split('\t'))
    const names = refs.flatMap(([, name = '']) => (/^refs\/.*[^}]$/.test(name) ? name : []))
    const quietly = ['--quiet', '--no-prune', '--no-tags', '--no-recurse-submodules', '--stdin']
    if (names.length > 0) await ask(['fetch', ...quietly, '--', remote], names.join('\n'))
    tips.push(...refs.flatMap(([tip = '']) => tip))
  }
  return tips
}

/** The versions of some files, by the names of their objects. */
async function versionsOf(folder: string, names: readonly string[], tips: readonly string[]): Promise<ReadonlySet<string>> {
  const files = ['--', ...names.map((name) => `:(top,glob)**/${name}`)]
  const found = new Set<string>()
  for await (const line of linesOf(folder, ['ls-files', '--stage', ...files])) found.add(line.split(' ')[1] ?? '')
  const every = ['--all', '--reflog', '--full-history', '-m', '--root', '--stdin']
  const plain = ['--raw', '--no-abbrev', '--no-renames', '--no-ext-diff', '--format=']
  const log = ['--no-replace-objects', '-c', 'log.diffMerges=separate', 'log', ...every, ...plain, ...files]
  for await (const line of linesOf(folder, log, tips.join('\n')))
    for (const version of line.split(' ').slice(2, 4)) if (/[^0]/.test(version)) found.add(version)
  return found
}

/**
 * The environment of git, and of other programs that are not ours. Git's transports and helpers for credentials are
 * such programs too. They must not get our keys and passwords. `GIT_INDEX_FILE` is of a hook of another repository:
 * only the folder must choose the repository.
 */
export function gitEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOurs = (name: string): boolean => /^(?:SPRITEWRIGHT_.*|PGPASSWORD|GIT_INDEX_FILE)$/i.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOurs(name)))
}

/** Uses the git of this machine. Git starts no file monitor and takes no lock. */
export function nodeTrackedFiles(): TrackedFiles {
  return async (folder, names) => {
    const found = await runGit(folder, ['ls-files', '-z', '--', ...names]).catch(() => '')
    return found.toString().match(/[^\0]+/g) ?? []
  }
}

/** Uses the git of this machine. */
export function nodeRepository(): Repository {
  const words = async (folder: string, call: readonly string[]): Promise<string> =>
    (await runGit(folder, call).catch(() => '')).toString().trim()
  const tips = async (folder: string, which: readonly string[]): Promise<readonly string[]> => [
    ...new Set((await words(folder, ['for-each-ref', '--format=%(objectname)', ...which])).match(/.+/g)),
  ]
  return {
    head: async (folder) => (await words(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])) || undefined,
    inside: async (folder) => (await words(folder, ['rev-parse', '--show-prefix'])).replace(/\/$/, ''),
    fetch: async (folder) => {
      await runGit(folder, ['fetch', '--quiet', '--prune', '--no-tags', '--no-recurse-submodules'], longestFetchMs)
      // Git does not do so by itself: a clone may lack the default branch, or know one of before.
      await runGit(folder, ['remote', 'set-head', 'origin', '--auto'], longestFetchMs).catch(() => {})
    },
    tipsWith: (folder, commit) => tips(folder, [`--contains=${commit}`, 'refs/remotes']),
    tipsOf: (folder, names) =>
      tips(
        folder,
        (names.length === 0 ? ['HEAD'] : names).map((name) => `refs/remotes/*/${name}`),
      ),
    read: async (folder, commit, path) => {
      const found = await runGit(folder, ['cat-file', 'blob', `${commit}:${insideOf(folder, path)}`]).catch(() => undefined)
      return found && new Uint8Array(found)
    },
    hashesIn: async (folder, names) => {
      const versions = await versionsOf(folder, names, await fetchAll(folder))
      const hashes = new Set<string>()
      let isFirst = false
      for await (const line of linesOf(folder, ['--no-replace-objects', 'cat-file', '--batch'], [...versions].join('\n'))) {
        // A pointer of Git LFS, or an encrypted file, would hide what it names.
        if (isFirst && !/^\s*(?:\{|<{7}|$)/.test(line)) throw new Error('a version of one of the files that is no JSON')
        isFirst = /^[0-9a-f]{40,64} blob \d+$/.test(line)
        if (/^[0-9a-f]{40,64} missing$/.test(line)) throw new Error(`the object ${line}`)
        for (const [hash] of line.matchAll(/[0-9a-f]{64}/g)) hashes.add(hash)
      }
      return hashes
    },
    readFolder: async (folder, commit, path) => {
      const tree = await runGit(folder, ['ls-tree', '-z', '--full-tree', commit, '--', `${insideOf(folder, path)}/`])
      // `100644 blob 8f94139338f9404f26296befa88755fc2598c289<TAB>sprites.lock/hero.json`
      const files = [...tree.toString().matchAll(/(?<=^|\0)100\d+ blob ([0-9a-f]+)\t(?:[^\0]*\/)?([^\0]+)/g)]
      if (files.length === 0) return new Map()
      const blobs = await runGit(folder, ['cat-file', '--batch'], longestMs, files.map(([, id]) => `${id}\n`).join(''))
      return new Map(splitBatch(blobs).map((bytes, index) => [files[index]?.[2] ?? '', bytes] as const))
    },
  }
}

/** The path that git has for a path in the work tree. */
function insideOf(folder: string, path: string): string {
  const root = findRepository(realPath(folder)) ?? ''
  return relative(root, join(realPath(folder), relative(folder, path)))
    .split(sep)
    .join('/')
}

/** Separates the output of `git cat-file --batch`: for each object `ID blob SIZE`, a line end, its bytes, a line end. */
function splitBatch(output: Buffer): readonly Uint8Array[] {
  const all: Uint8Array[] = []
  for (let at = 0; at < output.length; ) {
    const begin = output.indexOf(10, at) + 1
    const size = /^\S+ blob (\d+)$/.exec(output.toString('latin1', at, begin - 1))?.[1]
    if (size === undefined) throw new Error(`git cannot read ${output.toString('latin1', at, begin - 1)}`)
    at = begin + Number(size) + 1
    all.push(new Uint8Array(output.subarray(begin, at - 1)))
  }
  return all
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
