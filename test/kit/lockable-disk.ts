import type { Disk } from '../../src/host/disk.ts'
import { nodeHost } from '../../src/host/host.ts'

/**
 * This machine's disk with one file that cannot be read or written. On Windows, virus scanners and editors
 * lock a file like this for a moment.
 */
export interface LockableDisk {
  readonly disk: Disk
  /** Paths of all reads, in order. */
  readonly read: string[]
  /**
   * Locks a file, and unlocks the one before.
   *
   * @param path Absolute path; if `undefined`, no file is locked.
   * @param half What a read returns instead, like a file that is being written.
   * @default it cannot be read
   */
  lock(path: string | undefined, half?: Uint8Array): void
}

const machine = nodeHost()

/** A lockable disk on which nothing is locked yet. */
export function lockable(): LockableDisk {
  let locked: string | undefined
  let half: Uint8Array | undefined
  const read: string[] = []
  const pass = (path: string): void => {
    if (path === locked && !half) throw Object.assign(new Error('busy'), { code: 'EBUSY' })
  }
  const disk: Disk = {
    ...machine.disk,
    read: async (path) => {
      read.push(path)
      pass(path)
      return path === locked && half ? half : machine.disk.read(path)
    },
    move: async (from, to) => {
      pass(to)
      await machine.disk.move(from, to)
    },
  }
  return {
    disk,
    read,
    lock: (path, bytes) => {
      locked = path
      half = bytes
    },
  }
}
