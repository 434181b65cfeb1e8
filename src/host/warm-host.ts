import { type Clock, nodeClock } from './clock.ts'
import type { Disk } from './disk.ts'
import { readNow, statNow } from './look.ts'

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
    disk: { read: async (path) => readNow(path), stat: async (path) => statNow(path) },
    env: process.env,
  }
}
