import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Disk } from '../host/disk.ts'
import { replaceLightly } from '../host/publish.ts'
import type { Random } from '../host/random.ts'

/** What can be made again, by build key. Losing it costs time, never money. */
export interface BuildCache {
  /** The bytes kept under a key; undefined where there are none, or where they were damaged. */
  read(key: string): Promise<Uint8Array | undefined>
  /** @param parts Are kept one after the other. */
  write(key: string, ...parts: readonly Uint8Array[]): Promise<void>
}

/** A folder of files `<key>.bin`, each led by the SHA-256 of what follows; every read is verified. */
export function createBuildCache(ports: { disk: Disk; random: Random }, folder: string): BuildCache {
  const place = (key: string): string => join(folder, `${key}.bin`)
  return {
    read: async (key) => {
      if (!(await ports.disk.stat(place(key)))) return undefined
      const bytes = await ports.disk.read(place(key))
      const content = bytes.subarray(32)
      return Buffer.from(digest(content)).equals(Buffer.from(bytes.subarray(0, 32))) ? content : undefined
    },
    // Nothing is synced: what a crash tears is read as missing, and made again.
    write: (key, ...parts) => replaceLightly(ports.disk, ports.random, place(key), Buffer.concat([digest(...parts), ...parts])),
  }
}

function digest(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}
