import { dirname } from 'node:path'
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
 * Publishes bytes under a name that nobody else may have taken: temporary file in the same folder, fsync, `link`, fsync of the folder.
 *
 * @returns `true` when this call made the name, durable; `false` when it was there before (its bytes are left as they are).
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

/** Replaces a whole file so that a reader, also after a crash, sees either the old bytes or the new ones. */
export async function replaceFile(disk: Disk, random: Random, path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path)
  await ensureFolder(disk, folder)
  const temp = tempName(random, path)
  try {
    await disk.writeTemp(temp, bytes)
    await disk.sync(temp)
    await disk.move(temp, path)
  } catch (error) {
    await disk.remove(temp)
    throw error
  }
  await disk.syncFolder(folder)
}

function tempName(random: Random, path: string): string {
  return `${path}.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`
}

/** The file that a temporary one of {@link publish} or {@link replaceFile} was to become, by its name or path; undefined for every other name. */
export function tempTargetOf(name: string): string | undefined {
  return /^(.+)\.[0-9a-f]{16}\.tmp$/s.exec(name)?.[1]
}
