import { join } from 'node:path'
import type { Disk } from '../host/disk.ts'
import { tempTargetOf } from '../host/publish.ts'

/** What any process has used within this time is not taken away: a build of its may need it still. Milliseconds. */
export const usedLatelyMs: number = 10 * 60 * 1000

/** A temporary file of this age belongs to no process any more. Milliseconds. */
const strandedMs = 60 * 60 * 1000

/** How much may stay, and what must. */
export interface RoomRules {
  /** Bytes of all entries together. */
  readonly maxBytes: number
  /** Names that the build before has used: the next one will look for them. */
  readonly kept: ReadonlySet<string>
  /** Wall clock, milliseconds. */
  readonly now: number
}

/**
 * Takes away what was used least recently until a folder of entries (`<key>.bin`) is no larger than it may be, and temporary files that a crash left. What was used in one moment goes in the order of the names.
 *
 * What must stay is not taken, so that the folder may be larger for a while. A file that cannot be removed, or is gone already, is passed over.
 */
export async function makeRoom(disk: Disk, folder: string, { maxBytes, kept, now }: RoomRules): Promise<void> {
  const entries: { readonly name: string; readonly bytes: number; readonly usedMs: number }[] = []
  const remove = (name: string): Promise<void> => disk.remove(join(folder, name)).catch(() => {})
  for (const name of await disk.list(folder)) {
    const isTemporary = tempTargetOf(name) !== undefined
    if (!isTemporary && !/^[0-9a-f]{64}\.(?:bin|stamp|kept)$/.test(name)) continue
    const stat = await disk.stat(join(folder, name))
    if (!stat || stat.isFolder) continue
    if (!isTemporary) entries.push({ name, bytes: stat.bytes, usedMs: stat.changedMs })
    else if (now - stat.changedMs >= strandedMs) await remove(name)
  }
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { name, bytes, usedMs } of entries.sort((a, b) => a.usedMs - b.usedMs || (a.name < b.name ? -1 : 1))) {
    if (total <= maxBytes) return
    if (kept.has(name) || now - usedMs < usedLatelyMs) continue
    await remove(name)
    total -= bytes
  }
}
