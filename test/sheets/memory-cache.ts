import type { BuildCache } from '../../src/sheets/cache/cache.ts'

/** A cache in memory that records its reads. */
export interface MemoryCache extends BuildCache {
  readonly kept: Map<string, Uint8Array>
  /** Keys of successful reads, in order. */
  readonly reads: string[]
}

/** An empty cache, or a copy of another one. */
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
    // As in a file, the bytes of an entry are behind a digest.
    write: async (key, ...parts) => void kept.set(key, new Uint8Array(Buffer.concat([new Uint8Array(32), ...parts])).subarray(32)),
    finish: async () => {},
  }
}
