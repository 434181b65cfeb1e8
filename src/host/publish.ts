import { dirname, sep } from 'node:path'
import type { Disk } from './disk.ts'
import type { Random } from './random.ts'

/** Makes a folder and those above it, durably: a folder whose own name is lost takes everything in it along. */
export async function ensureFolder(disk: Disk, folder: string): Promise<void> {
  if (await disk.stat(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await ensureFolder(disk, parent)
  await disk.makeFolder(folder)
  if (parent !== folder) await disk.syncFolder(parent)
}

/**
 * Makes the names of a folder and of those above it durable. Another process may have made them, and be killed before it comes to that: whoever relies on what lies in them sees to it himself, once.
 *
 * @param root Where it ends: a folder that was there before any of ours. A folder that does not lie in it has its own name synced, and no more.
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
 * Publishes bytes under a name that nobody else may have taken: temporary file in the same folder, fsync, `link`, fsync of the folder.
 *
 * @param mode Permissions of the file, e.g. `0o600`. @default those of the process
 * @returns `true` when this call made the name, durable; `false` when it was there before (its bytes are left as they are).
 */
export async function publish(disk: Disk, random: Random, path: string, bytes: Uint8Array, mode?: number): Promise<boolean> {
  const folder = dirname(path)
  await ensureFolder(disk, folder)
  const temp = tempName(random, path)
  try {
    await disk.writeTemp(temp, bytes, mode)
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
  /** Puts them in the file's place: a reader, also after a crash, sees either the old bytes or the new ones. */
  commit(): Promise<void>
  discard(): Promise<void>
}

/** Writes what is to replace a file beside it; nothing is replaced yet. */
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
 * Replaces a whole file so that a reader sees either the old bytes or the new ones, as long as the machine runs: nothing is synced. For what can be made again, and is verified when it is read.
 * Its folder is made where it is missing.
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

/** Replaces a whole file so that a reader, also after a crash, sees either the old bytes or the new ones. */
export async function replaceFile(disk: Disk, random: Random, path: string, bytes: Uint8Array): Promise<void> {
  const staged = await stageFile(disk, random, path, bytes)
  await staged.commit()
}

/** A name beside a file, for its next bytes, that nobody else has. See {@link tempTargetOf}. */
export function tempName(random: Random, path: string): string {
  return `${path}.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`
}

/** The file that a temporary one of {@link publish} or {@link replaceFile} was to become, by its name or path; undefined for every other name. */
export function tempTargetOf(name: string): string | undefined {
  return /^(.+)\.[0-9a-f]{16}\.tmp$/s.exec(name)?.[1]
}
