import type { BuildCache } from '../../src/sheets/cache/cache.ts'

/** A cache in memory, which says what was read from it. */
export interface MemoryCache extends BuildCache {
  readonly kept: Map<string, Uint8Array>
  /** Keys that were read and there, in that order. */
  readonly reads: string[]
}

/** A cache with nothing in it, or with what another one has. */
export function memoryCache(other?: MemoryCache): MemoryCache {
  const kept = new Map(other?.kept)
  const reads: string[] = []
  return {
    kept,
    reads,
    read: async (key) => {
      const bytes = kept.get(key)
      if (bytes) reads.push(key)
      return bytes
    },
    write: async (key, ...parts) => void kept.set(key, new Uint8Array(Buffer.concat(parts))),
    finish: async () => {},
  }
}
