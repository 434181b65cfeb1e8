import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createProject, openProject, type TestProject } from './project.ts'

const run = promisify(execFile)

/** A project in a repository that several machines clone. */
export interface Studio {
  /** Folder of the results that all machines share. */
  readonly shared: string
  /** Clones the project, as a machine with a state folder of its own. */
  clone(): Promise<TestProject>
  remove(): Promise<void>
}

/** Runs git in a folder, without the settings of this machine. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', '-c', 'commit.gpgsign=false']
  const env = { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const { stdout } = await run('git', ['-C', folder, ...who, ...args], { env })
  return stdout.trim()
}

/** Commits everything of a clone that is not ignored, and pushes it. Returns the commit. */
export async function push({ root }: TestProject, branch = 'main'): Promise<string> {
  await git(root, 'add', '-A')
  await git(root, 'commit', '-qm', 'change', '--allow-empty')
  await git(root, 'push', '-q', 'origin', `HEAD:${branch}`)
  return git(root, 'rev-parse', 'HEAD')
}

/**
 * Makes a repository with a first commit.
 *
 * @param files Of the project, beside those of every test project.
 * @param options Options beside `store.shared`.
 */
export async function createStudio(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: (folder: string) => object,
): Promise<Studio> {
  const folder = await mkdtemp(join(tmpdir(), 'spritewright-studio-'))
  const shared = join(folder, 'results')
  await mkdir(join(folder, 'journal'))
  await git(folder, 'init', '-q', '--bare', '-b', 'main', 'origin.git')
  const first = await createProject(
    {
      '.gitignore': '.spritewright/\n.state/\nnode_modules/\n',
      'spritewright.config.mjs': `export default ${JSON.stringify(options(folder))}`,
      ...files,
    },
    folder,
  )
  await git(first.root, 'init', '-q', '-b', 'main')
  await git(first.root, 'remote', 'add', 'origin', join(folder, 'origin.git'))
  await push(first)
  await first.remove()
  return {
    shared,
    clone: async () => {
      const root = await mkdtemp(join(folder, 'clone-'))
      await git(folder, 'clone', '-q', join(folder, 'origin.git'), root)
      return openProject(root)
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
