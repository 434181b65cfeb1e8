import { createHash } from 'node:crypto'
import { sep } from 'node:path'
import type { Clock } from '../host/clock.ts'
import type { Disk, DiskStat } from '../host/disk.ts'
import { replaceLightly } from '../host/publish.ts'
import type { Random } from '../host/random.ts'
import { makeRoom, usedLatelyMs } from './cache-room.ts'

/** What can be made again, by build key. Losing it costs time, never money: a folder that takes nothing, or gives nothing back, is worth a warning. */
export interface BuildCache {
  /** The bytes kept under a key; undefined where there are none, or where they were damaged. */
  read(key: string): Promise<Uint8Array | undefined>
  /** Whether something is kept under a key, which counts as a use; whether it is whole shows when it is read. */
  has(key: string): Promise<boolean>
  /** @param parts Are kept one after the other. */
  write(key: string, ...parts: readonly Uint8Array[]): Promise<void>
  /** Ends a build that went well: whatever was written since the last time must give its bytes back, and where the folder has become too large, what was used least recently goes. */
  finish(): Promise<void>
}

/** What a cache needs. */
export interface CachePorts {
  readonly disk: Disk
  readonly random: Random
  readonly clock: Pick<Clock, 'wall'>
  /** Takes one sentence for a person. */
  readonly warn: (message: string) => void
}

/** A SHA-256. */
const headBytes = 32

/** A use is noted where the last one that was noted is older than this. Must be well under {@link usedLatelyMs}. */
const noteAfterMs: number = usedLatelyMs / 2

/**
 * A folder of files `<key>.bin`, each led by the SHA-256 of what follows; every read is verified.
 *
 * @param maxBytes What the folder holds at most after {@link BuildCache.finish}; see {@link makeRoom}.
 */
export function createBuildCache(ports: CachePorts, folder: string, maxBytes: number): BuildCache {
  const { disk, random, clock } = ports
  const place = (key: string): string => `${folder}${sep}${key}.bin`
  const used = new Set<string>()
  const written = new Set<string>()
  const tell = (what: string): void =>
    ports.warn(`${folder} ${what}. What is built is right all the same; the next build takes longer. Look at that folder, or delete it.`)
  /** Notes a use by the time of the file. One that cannot be noted goes a little earlier. */
  const note = async (path: string, lastMs: number): Promise<void> => {
    if (clock.wall() - lastMs >= noteAfterMs) await disk.touch(path, clock.wall()).catch(() => {})
  }
  /** What a power cut has emptied is not worth the moment that an empty file is given. */
  const look = async (key: string): Promise<DiskStat | undefined> => {
    const stat = await disk.stat(place(key))
    return stat && stat.bytes >= headBytes ? stat : undefined
  }
  const use = async (key: string, { changedMs }: DiskStat): Promise<void> => {
    used.add(`${key}.bin`)
    await note(place(key), changedMs)
  }
  return {
    read: async (key) => {
      const stat = await look(key)
      if (!stat) return undefined
      // Another process may have taken it away since.
      const bytes = await disk.read(place(key)).catch(() => undefined)
      const content = bytes && contentOf(bytes)
      if (!content) return undefined
      await use(key, stat)
      return content
    },
    has: async (key) => {
      const stat = await look(key)
      if (stat) await use(key, stat)
      return stat !== undefined
    },
    write: async (key, ...parts) => {
      const head = digest(...parts)
      try {
        // Nothing is synced: what a crash tears is read as missing, and made again.
        await replaceLightly(disk, random, place(key), Buffer.concat([head, ...parts]))
        used.add(`${key}.bin`)
        written.add(key)
      } catch (error) {
        tell(`does not take what is to be kept (${(error as NodeJS.ErrnoException).code ?? String(error)})`)
      }
    },
    finish: async () => {
      const promised = [...written]
      const kept = new Set(used)
      written.clear()
      used.clear()
      // What was only read has been verified by that, and has not made the folder larger.
      if (promised.length === 0) return
      for (const key of promised) {
        const bytes = await disk.read(place(key)).catch(() => undefined)
        // Whole, though perhaps another build's by now: of equal keys the words are as good as ours.
        if (bytes && contentOf(bytes)) continue
        await disk.remove(place(key)).catch(() => {})
        tell('does not give back what was written into it a moment ago')
      }
      await makeRoom(disk, folder, { maxBytes, kept, now: clock.wall() }).catch(() => {})
    },
  }
}

/** What follows a head that is its SHA-256; undefined where it is not. */
function contentOf(bytes: Uint8Array): Uint8Array | undefined {
  const content = bytes.subarray(headBytes)
  return isSame(digest(content), bytes.subarray(0, headBytes)) ? content : undefined
}

function digest(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.from(a.buffer, a.byteOffset, a.length).equals(b)
}
