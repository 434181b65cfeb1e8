import { dirname, sep } from 'node:path'
import type { Disk } from './disk.ts'
import type { Random } from './random.ts'

/**
 * Makes a folder and those above it, durably. If a folder's own name is lost, everything in it is lost too.
 */
export async function ensureFolder(disk: Disk, folder: string): Promise<void> {
  if (await disk.stat(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await ensureFolder(disk, parent)
  await disk.makeFolder(folder)
  if (parent !== folder) await disk.syncFolder(parent)
}

/**
 * Makes the names of a folder and of those above it durable. Another process may have made them, and may have
 * been killed before the sync. So each process that relies on files in them calls this itself, once.
 *
 * @param root The last folder. It existed before any of ours. If `folder` is not inside it, only the name of
 * `folder` is synced.
 */
export async function syncNames(disk: Disk, folder: string, root: string): Promise<void> {
  const inside = root.endsWith(sep) ? root : `${root}${sep}`
  let parent = dirname(folder)
  await disk.syncFolder(parent)
  while (parent.startsWith(inside) && parent !== root) {
    parent = dirname(parent)
    await disk.syncFolder(parent)
  }
}

/**
 * Publishes bytes under a name that only one process can make: temporary file in the same folder, fsync,
 * `link`, fsync of the folder.
 *
 * @returns `true` if this call made the name, durably; `false` if the name existed before (its bytes are
 * unchanged).
 */
export async function publish(disk: Disk, random: Random, path: string, bytes: Uint8Array): Promise<boolean> {
  const folder = dirname(path)
  await ensureFolder(disk, folder)
  const temp = tempName(random, path)
  try {
    await disk.writeTemp(temp, bytes)
    await disk.sync(temp)
    await disk.link(temp, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await disk.remove(temp)
  }
  await disk.syncFolder(folder)
  return true
}

/** New bytes for a file, durable under a temporary name. */
export interface StagedFile {
  /** Replaces the file. A reader, even after a crash, sees either the old bytes or the new ones. */
  commit(): Promise<void>
  discard(): Promise<void>
}

/** Writes the next bytes of a file beside it. Replaces nothing yet. */
export async function stageFile(disk: Disk, random: Random, path: string, bytes: Uint8Array): Promise<StagedFile> {
  const folder = dirname(path)
  await ensureFolder(disk, folder)
  const temp = tempName(random, path)
  const orDiscard = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      await disk.remove(temp)
      throw error
    }
  }
  await orDiscard(async () => {
    await disk.writeTemp(temp, bytes)
    await disk.sync(temp)
  })
  return {
    commit: async () => {
      await orDiscard(() => disk.move(temp, path))
      await disk.syncFolder(folder)
    },
    discard: () => disk.remove(temp),
  }
}

/**
 * Replaces a whole file. A reader sees either the old bytes or the new ones as long as the machine runs,
 * because nothing is synced. Only for files that can be made again and are verified when read. Makes the
 * folder if it is missing.
 */
export async function replaceLightly(disk: Disk, random: Random, path: string, bytes: Uint8Array): Promise<void> {
  const temp = tempName(random, path)
  await disk.makeFolder(dirname(path))
  try {
    await disk.writeTemp(temp, bytes)
    await disk.move(temp, path)
  } catch (error) {
    await disk.remove(temp)
    throw error
  }
}

/** Replaces a whole file. A reader, even after a crash, sees either the old bytes or the new ones. */
export async function replaceFile(disk: Disk, random: Random, path: string, bytes: Uint8Array): Promise<void> {
  const staged = await stageFile(disk, random, path, bytes)
  await staged.commit()
}

/** A unique name beside a file, for its next bytes. See {@link tempTargetOf}. */
export function tempName(random: Random, path: string): string {
  return `${path}.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`
}

/**
 * The target of a temporary file of {@link publish} or {@link replaceFile}, by its name or path. Returns
 * `undefined` for any other name.
 */
export function tempTargetOf(name: string): string | undefined {
  return /^(.+)\.[0-9a-f]{16}\.tmp$/s.exec(name)?.[1]
}
