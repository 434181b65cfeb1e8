import type { Disk } from '../../src/host/disk.ts'
import { nodeHost } from '../../src/host/host.ts'

/** This machine's disk with one file that nobody may read or write, as virus scanners and editors on Windows lock one for a moment. */
export interface LockableDisk {
  readonly disk: Disk
  /** Every path that was read, in that order. */
  readonly read: string[]
  /** @param path Absolute; undefined: none is locked. */
  lock(path: string | undefined): void
}

const machine = nodeHost()

/** Nothing is locked yet. */
export function lockable(): LockableDisk {
  let locked: string | undefined
  const read: string[] = []
  const pass = (path: string): void => {
    if (path === locked) throw Object.assign(new Error('busy'), { code: 'EBUSY' })
  }
  const disk: Disk = {
    ...machine.disk,
    read: async (path) => {
      read.push(path)
      pass(path)
      return machine.disk.read(path)
    },
  }
  return {
    disk,
    read,
    lock: (path) => {
      locked = path
    },
  }
}
