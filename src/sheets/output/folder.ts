import { dirname, join, relative } from 'node:path'
import { z } from 'zod'
import type { OutputFile } from '../../../atlas/index.ts'
import type { Disk } from '../../host/disk.ts'
import type { Random } from '../../host/random.ts'
import { isInside, realPath } from '../../host/real-path.ts'
import { sha256 } from '../../host/sha256.ts'
import { buildKey } from '../../sprite-spec/key.ts'
import type { BuildCache } from '../cache/cache.ts'
import { writeChanged } from './output.ts'

/** Ports of an output folder. */
export interface FolderPorts {
  readonly disk: Disk
  readonly random: Random
  /** Keeps the names and hashes of the written files until the next build. If they are lost, old files stay. */
  readonly cache: BuildCache
}

/** Paths relative to an output folder, with forward slashes, sorted. */
export interface WrittenFiles {
  /** The files of this build. A file whose bytes had not changed was not written. */
  readonly files: readonly string[]
  /** Removed files of an earlier build. */
  readonly removed: readonly string[]
}

const listSchema = z.array(z.tuple([z.string(), z.string()]))

/**
 * Writes the files of a build into a folder, each one completely or not at all. Removes files of the last build that
 * are not in this build, if nobody has changed them since.
 *
 * @param root Folder of the project. The list of files is stored under the relative path of the output folder.
 * @param folder Absolute path of the output folder.
 */
export async function writeFolder(
  ports: FolderPorts,
  { root, folder }: { readonly root: string; readonly folder: string },
  files: readonly OutputFile[],
): Promise<WrittenFiles> {
  const { cache } = ports
  const key = buildKey({ written: relative(root, folder) })
  const earlier = readList(await cache.read(key))
  for (const { file, bytes } of files) await writeChanged(ports, join(folder, file), bytes)
  const names = files.map(({ file }) => file)
  const isMade = new Set(names)
  const removed: string[] = []
  for (const [file, hash] of earlier) if (!isMade.has(file) && (await removeOwn(ports, folder, file, hash))) removed.push(file)
  const list = files.map(({ file, bytes }) => [file, sha256(bytes)])
  await cache.write(key, new TextEncoder().encode(JSON.stringify(list)))
  return { files: names, removed }
}

function readList(bytes: Uint8Array | undefined): z.infer<typeof listSchema> {
  try {
    return bytes ? listSchema.parse(JSON.parse(new TextDecoder().decode(bytes))) : []
  } catch {
    return []
  }
}

/**
 * Removes a file of an earlier build, and its folders if they are empty then.
 *
 * @returns Whether the file was removed. A file with other bytes than the build wrote stays.
 */
async function removeOwn({ disk }: Pick<FolderPorts, 'disk'>, folder: string, file: string, hash: string): Promise<boolean> {
  const path = join(folder, file)
  // A link could lead out of the folder.
  if (!isInside(realPath(folder), realPath(path))) return false
  const stat = await disk.stat(path)
  if (!stat || stat.isFolder || sha256(await disk.read(path)) !== hash) return false
  await disk.remove(path)
  for (let above = dirname(path); above !== folder && (await disk.list(above)).length === 0; above = dirname(above))
    await disk.remove(above)
  return true
}
