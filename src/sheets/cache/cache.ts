import { createHash } from 'node:crypto'
import { join, sep } from 'node:path'
import type { Clock } from '../../host/clock.ts'
import type { Disk } from '../../host/disk.ts'
import { replaceLightly, tempTargetOf } from '../../host/publish.ts'
import type { Random } from '../../host/random.ts'
import type { DeliveryLayout } from '../sources.ts'

/**
 * Raised when equal inputs give other bytes than before, or an entry has another shape. Every key of the
 * cache contains it.
 */
export const formatVersion: number = 25

/**
 * The build cache: data that can be made again, by build key. It has two kinds of entries, the cut frames of
 * an animation (`animation.ts`) and the pages of a group (`sheet.ts`). Losing an entry costs time, never
 * money, so a folder that cannot be written is a warning.
 */
export interface BuildCache {
  /** Reads the bytes of an entry. Returns `undefined` if the entry is missing or damaged. */
  read(key: string): Promise<Uint8Array | undefined>
  /** @param parts Bytes of the entry, written one after the other. */
  write(key: string, ...parts: readonly Uint8Array[]): Promise<void>
  /**
   * Ends a successful build: checks the entries that were written since the last call, and removes the least
   * recently used entries if the folder is too large.
   */
  finish(): Promise<void>
}

/** Ports for reading animations. */
export interface AnimationPorts {
  readonly cache: BuildCache
  /**
   * Version of the libraries that read, scale and encode pictures: another version may make other bytes.
   *
   * @default none
   */
  readonly codec?: string | undefined
  readonly layout?: DeliveryLayout | undefined
}

/** Ports of the cache. */
export interface CachePorts {
  readonly disk: Disk
  readonly random: Random
  readonly clock: Pick<Clock, 'wall'>
  /** Receives a warning for a person. */
  readonly warn: (message: string) => void
}

/**
 * If any process has used an entry within this time, the entry is not removed, because a build of that
 * process may need it again. Milliseconds.
 */
const usedLatelyMs = 10 * 60 * 1000

/**
 * A use is recorded if the last recorded use is older than this. Must be well under {@link usedLatelyMs}.
 * Milliseconds.
 */
const recordAfterMs = usedLatelyMs / 2

/** A temporary file of this age belongs to a process that crashed. Milliseconds. */
const strandedMs = 60 * 60 * 1000

/** Bytes of a SHA-256. */
const digestBytes = 32

/**
 * A folder of files `<key>.bin`. Each file starts with the SHA-256 of its other bytes, and every read verifies
 * the hash. The modification time of a file is its last use.
 *
 * @param maxBytes Size of the folder after {@link BuildCache.finish}. Entries that this build used, or
 * another process wrote or used lately, may exceed it.
 */
export function createBuildCache(ports: CachePorts, folder: string, maxBytes: number): BuildCache {
  const { disk, random, clock } = ports
  const place = (key: string): string => `${folder}${sep}${key}.bin`
  const used = new Set<string>()
  const written = new Set<string>()
  /** Bytes that may be written before the folder must be listed again. */
  let room = 0
  const warn = (what: string): void =>
    ports.warn(`${folder} ${what}. The build is right, but the next one takes longer. Check that folder, or delete it.`)
  // Another process may have removed the file.
  const readWhole = async (key: string): Promise<Uint8Array | undefined> => {
    const bytes = await disk.read(place(key)).catch(() => undefined)
    const content = bytes?.subarray(digestBytes)
    return content && digest([content]).equals(bytes!.subarray(0, digestBytes)) ? content : undefined
  }
  return {
    read: async (key) => {
      const stat = await disk.stat(place(key))
      // A power cut can leave an empty file. A read would wait for its content, so the size is checked first.
      if (!stat || stat.bytes < digestBytes) return undefined
      const content = await readWhole(key)
      if (!content) return undefined
      used.add(`${key}.bin`)
      // If the use of an entry cannot be recorded, the entry is only removed earlier.
      if (clock.wall() - stat.changedMs >= recordAfterMs) await disk.touch(place(key), clock.wall()).catch(() => {})
      return content
    },
    write: async (key, ...parts) => {
      try {
        // The file is not synced. If a crash tears an entry, its check fails, and a build makes it again.
        await replaceLightly(disk, random, place(key), Buffer.concat([digest(parts), ...parts]))
        used.add(`${key}.bin`)
        written.add(key)
        room -= parts.reduce((sum, { length }) => sum + length, digestBytes)
      } catch (error) {
        warn(`does not accept new entries (${(error as NodeJS.ErrnoException).code ?? String(error)})`)
      }
    },
    finish: async () => {
      const [promised, kept] = [[...written], new Set(used)]
      written.clear()
      used.clear()
      // A build that only read has not made the folder larger.
      if (promised.length === 0) return
      for (const key of promised) {
        // Another build may have written the same key since. Every complete entry is right.
        if (await readWhole(key)) continue
        await disk.remove(place(key)).catch(() => {})
        warn('does not return the bytes that were just written')
      }
      // A dev server finishes after every few sprites, and the folder of a large project has many entries.
      if (room > 0) return
      const bytes = await removeOld(disk, folder, { maxBytes, kept, now: clock.wall() }).catch(() => maxBytes)
      room = maxBytes - bytes
    },
  }
}

function digest(parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/**
 * Removes temporary files of crashes, and the least recently used entries until the others fit. Entries with the
 * same time are removed in the order of their names. A file that cannot be removed is skipped. Returns the bytes
 * that remain.
 */
async function removeOld(
  disk: Disk,
  folder: string,
  { maxBytes, kept, now }: { readonly maxBytes: number; readonly kept: ReadonlySet<string>; readonly now: number },
): Promise<number> {
  const entries: { readonly name: string; readonly bytes: number; readonly usedMs: number }[] = []
  const remove = (name: string): Promise<void> => disk.remove(join(folder, name)).catch(() => {})
  for (const name of await disk.list(folder)) {
    const isTemporary = tempTargetOf(name) !== undefined
    // Earlier versions wrote stamps and compiled code.
    if (!isTemporary && !/^[0-9a-f]{64}\.(?:bin|stamp|kept)$/.test(name)) continue
    const stat = await disk.stat(join(folder, name))
    if (!stat || stat.isFolder) continue
    if (!isTemporary) entries.push({ name, bytes: stat.bytes, usedMs: stat.changedMs })
    else if (now - stat.changedMs >= strandedMs) await remove(name)
  }
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { name, bytes, usedMs } of entries.sort((a, b) => a.usedMs - b.usedMs || (a.name < b.name ? -1 : 1))) {
    if (total <= maxBytes) break
    if (kept.has(name) || now - usedMs < usedLatelyMs) continue
    await remove(name)
    total -= bytes
  }
  return total
}
