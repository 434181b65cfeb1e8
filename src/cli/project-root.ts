import { dirname, join, relative, resolve } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { decodeText } from '../host/project-style.ts'
import { configNames } from '../options/config-files.ts'

/** Files and folders that only the folder of a project has. */
const ownFiles = [...configNames, 'sprites.lock.json', 'sprites.lock']

/**
 * Resolves `--root`.
 *
 * @param option Value of `--root`. Default: the working folder.
 * @throws `SW_USAGE` if the path is no folder.
 */
export async function resolveRoot(host: Host, option: string | undefined): Promise<string> {
  const root = resolve(host.workingFolder, option ?? '.')
  if (option === undefined || (await host.disk.stat(root))?.isFolder) return root
  throw new SpritewrightError('SW_USAGE', {
    message: `Expected --root to be a folder, found none at ${JSON.stringify(root)}.`,
    facts: { option: '--root', found: root },
  })
}

/**
 * Refuses to work in a folder that is no project, if a project is above or below it. In such a folder, approvals
 * would be missing, and new files would be written to the wrong place. The root of a workspace is a project only if
 * it has a configuration or a lock file.
 *
 * @throws `SW_USAGE` with the folder of the project.
 */
export async function refuseOtherRoot(host: Host, root: string): Promise<void> {
  if (await isProjectFolder(host, root)) return
  const isPackage = await hasOne(host, root, ['package.json'])
  if (isPackage && !(await isWorkspace(host, root))) return
  const projects = (isPackage ? undefined : await folderAbove(host, root, ownFiles)) ?? (await projectsBelow(host, root))
  refuse(root, projects, '--root "."')
}

/**
 * Refuses to begin a project whose specs would also belong to another project: below a project, in a folder of a
 * package, or above a project.
 *
 * @throws `SW_USAGE` with the folder of the project.
 */
export async function refuseSecondProject(host: Host, root: string): Promise<void> {
  if (await isProjectFolder(host, root)) return
  const isPackage = await hasOne(host, root, ['package.json'])
  const above = (await folderAbove(host, root, ownFiles)) ?? (isPackage ? undefined : await folderAbove(host, root, ['package.json']))
  refuse(root, above ?? (await projectsBelow(host, root)), '--here')
}

/** @param insist The option that selects this folder anyway. */
function refuse(root: string, projects: readonly string[], insist: string): void {
  const [first] = projects
  if (first === undefined) return
  const quote = (folder: string): string => JSON.stringify(relative(root, folder))
  throw new SpritewrightError('SW_USAGE', {
    message: `Expected a project in ${JSON.stringify(root)}, found it in ${projects.map(quote).join(', ')}. Go there, or add --root ${quote(first)} to the command. If this folder is meant, add ${insist} to it.`,
    facts: { root, projects },
  })
}

/** Whether a folder has a configuration or a lock file. */
export function isProjectFolder(host: Pick<Host, 'disk'>, folder: string): Promise<boolean> {
  return hasOne(host, folder, ownFiles)
}

async function isWorkspace(host: Host, root: string): Promise<boolean> {
  if (await hasOne(host, root, ['pnpm-workspace.yaml'])) return true
  return decodeText(await host.disk.read(join(root, 'package.json'))).includes('"workspaces"')
}

/** The nearest parent folder that has one of these files. */
async function folderAbove(host: Host, root: string, names: readonly string[]): Promise<readonly [string] | undefined> {
  const folder = dirname(root)
  if (folder === root) return undefined
  return (await hasOne(host, folder, names)) ? [folder] : folderAbove(host, folder, names)
}

async function projectsBelow({ glob }: Host, root: string): Promise<readonly string[]> {
  const found = await glob(
    root,
    ownFiles.map((name) => `*/{,*/}${name === 'sprites.lock' ? `${name}/*.json` : name}`),
  )
  return [...new Set(found.map((path) => dirname(path).replace(/[\\/]sprites\.lock$/, '')))]
}

async function hasOne({ disk }: Pick<Host, 'disk'>, folder: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) if (await disk.stat(join(folder, name))) return true
  return false
}
