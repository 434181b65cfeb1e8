import { dirname, join } from 'node:path'
import { hasCode, type SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import { publish, syncNames, tempName } from '../host/publish.ts'
import type { Random } from '../host/random.ts'
import { isEqual } from './exchange.ts'
import { checkName, storeError, wordsOf } from './failures.ts'
import type { RecordStore } from './record-store.ts'

/** The coarsest clock of a usual file system: FAT counts in steps of two seconds. */
const precisionMs = 2000

/**
 * Opens a folder that several machines share.
 *
 * The folder must exist: if a network folder is not mounted, a new folder would be a journal of this machine alone.
 * So the folder should be below the mount point, which exists even when nothing is mounted.
 *
 * @param folder Absolute path.
 */
export function openFolderRecords({ disk, random }: { disk: Disk; random: Random }, folder: string): RecordStore {
  const pathOf = (name: string): string => join(folder, ...checkName(name).split('/'))
  const inFolder = async <T>(work: string, call: () => Promise<T>): Promise<T> => {
    try {
      if (!(await disk.stat(folder))?.isFolder) throw missing(folder, work)
      return await call()
    } catch (error) {
      if (hasCode(error, 'SW_STORE')) throw error
      throw storeError({
        address: folder,
        work,
        found: wordsOf(error),
        cause: error,
        advice: 'Check the folder and its rights, then run again.',
      })
    }
  }
  return {
    address: folder,
    putIfAbsent: async (name, bytes) => {
      const path = pathOf(name)
      return inFolder(`write ${name}`, async () => {
        if (!(await publish(disk, random, path, bytes))) {
          if (!isEqual(await disk.read(path), bytes)) return 'taken'
          // An earlier try wrote the file, perhaps without a flush.
          await disk.sync(path)
          await disk.syncFolder(dirname(path))
        }
        if (dirname(path) !== folder) await syncNames(disk, dirname(path), folder)
        return 'mine'
      })
    },
    get: async (name) => {
      const path = pathOf(name)
      return inFolder(`read ${name}`, async () => {
        const written = await disk.stat(path)
        if (written === undefined || written.isFolder) return undefined
        const bytes = await disk.read(path)
        return { bytes, ageMs: Math.ceil((await now(disk, random, folder)) - written.changedMs) + precisionMs }
      })
    },
    close: async () => {},
  }
}

/** The time of a new file, by the clock of the folder's machine. A file server's clock may differ from ours. */
async function now(disk: Disk, random: Random, folder: string): Promise<number> {
  const path = tempName(random, join(folder, 'clock'))
  try {
    await disk.writeTemp(path, new Uint8Array(1))
    return (await disk.stat(path))?.changedMs ?? Number.NaN
  } finally {
    await disk.remove(path)
  }
}

function missing(folder: string, work: string): SpritewrightError {
  return storeError({
    address: folder,
    work,
    found: 'no such folder',
    advice:
      'Mount it, or make it once by hand below the mount point. It is never made here, because a journal must not begin anew on one machine.',
  })
}
