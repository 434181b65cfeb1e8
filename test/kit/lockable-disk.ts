import type { Disk } from '../../src/host/disk.ts'
import { nodeHost } from '../../src/host/host.ts'

/** This machine's disk with one file that nobody may read or write, as virus scanners and editors on Windows lock one for a moment. */
export interface LockableDisk {
  readonly disk: Disk
  /** Every path that was read, in that order. */
  readonly read: string[]
  /** @param path Absolute; undefined: none is locked. @param half What is read of it, as of a file that is being written. @default it cannot be read */
  lock(path: string | undefined, half?: Uint8Array): void
}

const machine = nodeHost()

/** Nothing is locked yet. */
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
