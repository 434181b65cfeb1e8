import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A small file system of its own that a test can fill. */
export interface SmallDisk {
  readonly folder: string
  /** Fills it except for `pages` free pages of 4 KiB. */
  fill(pages: number): Promise<void>
  /** Frees the filled space. */
  empty(): Promise<void>
  remove(): Promise<void>
}

const page = 4096

/**
 * Mounts a file system in memory. Returns `undefined` if this process may not mount, because it is not root
 * or the system is not Linux.
 */
export async function mountSmallDisk(bytes: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'spritewright-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder])
  } catch {
    await rm(folder, { recursive: true, force: true })
    return undefined
  }
  const filler = join(folder, 'filler')
  const empty = (): Promise<void> => rm(filler, { force: true })
  return {
    folder,
    empty,
    fill: async (pages) => {
      await empty()
      const { stdout } = await run('df', ['--output=avail', '-B', `${page}`, folder])
      const free = Number.parseInt(stdout.split('\n')[1] ?? '', 10)
      await writeFile(filler, Buffer.alloc(Math.max(0, free - pages) * page))
    },
    remove: async () => {
      await run('umount', ['-l', folder])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
