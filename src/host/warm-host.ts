import { readFileSync, statSync } from 'node:fs'
import { type Clock, nodeClock } from './clock.ts'
import type { Disk } from './disk.ts'

/** The part of this machine that a warm start looks at. Its few looks at the disk do not wait for one another. */
export interface WarmHost {
  readonly clock: Pick<Clock, 'wall'>
  readonly disk: Pick<Disk, 'read' | 'stat'>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** This machine; the rest of it is not loaded for that. */
export function warmHost(): WarmHost {
  return {
    clock: nodeClock(),
    disk: {
      read: async (path) => readFileSync(path),
      stat: async (path) => {
        const found = statSync(path, { throwIfNoEntry: false })
        return found && { bytes: found.isDirectory() ? 0 : found.size, changedMs: found.mtimeMs, isFolder: found.isDirectory() }
      },
    },
    env: process.env,
  }
}
