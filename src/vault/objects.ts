import { join } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import { inParallel } from '../host/in-parallel.ts'
import { ensureFolder, publish, replaceFile, syncNames } from '../host/publish.ts'
import type { Random } from '../host/random.ts'
import { sha256 } from '../host/sha256.ts'
import type { StoredObject } from '../stores/blob-store.ts'

/** Paid bytes by their SHA-256. No object is ever changed or evicted. */
export interface ObjectStore {
  /** Folder of the objects, or the address of their store. */
  readonly folder: string
  /** Stores the bytes durably and returns their SHA-256. If they are stored already, nothing changes. */
  put(bytes: Uint8Array): Promise<string>
  /**
   * Reads the bytes and checks them against their name. A damaged object is moved to the quarantine folder,
   * never deleted. Returns `undefined` if there is no such object or if it was damaged.
   *
   * @throws `SW_VAULT` if Git LFS has left a pointer in place of the object. Such an object was not fetched.
   */
  read(hash: string): Promise<Uint8Array | undefined>
  /** Whether an object of that name exists. Its bytes are not read. */
  has(hash: string): Promise<boolean>
  /**
   * Writes and removes a file as large as a small result, so that money is spent only if a result can be
   * stored. Fails with the disk's error.
   */
  probe(): Promise<void>
  /** Folders with results of this process that `folder` did not accept, one entry for each result. */
  readonly rescued: readonly string[]
}

/** An object, or a damaged copy of one, listed by its name. */
export interface StoredFile {
  /** SHA-256 of the bytes, read from the name. */
  readonly hash: string
  /** Absolute path. */
  readonly path: string
}

/** A folder of objects, with the calls of the commands that maintain it. */
export interface ObjectFolder extends ObjectStore {
  /** Whether this is a folder. For a store, the two lists are empty, because no listing of a store is trusted. */
  readonly isListed: boolean
  /** All objects, sorted by hash. Their bytes are not read. */
  list(): Promise<readonly StoredFile[]>
  /** All objects with sizes and ages, also of a store. Only for a person's eyes. @throws `SW_STORE` */
  survey(): Promise<readonly StoredObject[]>
  /** The damaged copies in quarantine, sorted by path. */
  quarantined(): Promise<readonly StoredFile[]>
  /** Removes an object durably and for good. Only a person's command that names the object may call this. */
  remove(hash: string): Promise<void>
}

/** Size of the probe file, in bytes. */
const probeBytes = 65_536

/** A SHA-256 in lower-case hex. */
export const hashPattern: RegExp = /^[0-9a-f]{64}$/
const endings = ['zip', 'png', 'bin'] as const
const objectName = /^([0-9a-f]{64})\.(?:zip|png|bin)$/
const quarantineName = /^([0-9a-f]{64})\.[0-9a-f]{8}\.(?:zip|png|bin)$/

/** Start of the small pointer that Git LFS leaves in place of an unfetched file. */
const pointerStart = 'version https://git-lfs.github.com/spec/'
const pointerBytes = 1024

function isPointer(bytes: Uint8Array): boolean {
  return bytes.length < pointerBytes && Buffer.from(bytes.subarray(0, pointerStart.length)).toString('latin1') === pointerStart
}

/** Chooses the ending by the first bytes, for people and version control. Readers only check the content. */
function endingOf(bytes: Uint8Array): (typeof endings)[number] {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return 'zip'
  return bytes[0] === 0x89 && bytes[1] === 0x50 && bytes[2] === 0x4e ? 'png' : 'bin'
}

/**
 * Creates a folder of objects: `<sha256>.zip` for sheets, `.png` for pictures, `.bin` for any other bytes.
 *
 * @param quarantine Folder for damaged objects.
 * @param root A parent folder that existed before any of our folders. If `undefined`, the folder's creator makes its
 * name durable.
 * @param onDamage Called for each object that goes to the quarantine.
 */
export function createObjectStore(
  ports: { disk: Disk; random: Random },
  folder: string,
  quarantine: string,
  root?: string,
  onDamage: (hash: string) => void = () => {},
): ObjectFolder {
  const { disk, random } = ports
  const place = (hash: string, ending: string): string => {
    if (!hashPattern.test(hash)) {
      throw new SpritewrightError('SW_VAULT', {
        message: `Expected the name of a result as 64 hex digits, found ${JSON.stringify(hash.slice(0, 80))}. Restore sprites.lock* from version control.`,
        facts: { hash },
      })
    }
    return join(folder, `${hash}.${ending}`)
  }
  const find = async (hash: string): Promise<string | undefined> => {
    for (const ending of endings) if (await disk.stat(place(hash, ending))) return ending
    return undefined
  }
  const read = async (hash: string): Promise<Uint8Array | undefined> => {
    const ending = await find(hash)
    if (ending === undefined) return undefined
    const bytes = await disk.read(place(hash, ending))
    if (sha256(bytes) === hash) return bytes
    if (isPointer(bytes)) throw pointerError(place(hash, ending))
    onDamage(hash)
    await disk.makeFolder(quarantine)
    await disk.move(place(hash, ending), join(quarantine, `${hash}.${Buffer.from(random.bytes(4)).toString('hex')}.${ending}`))
    return undefined
  }
  /**
   * Handles a name that exists already. Its bytes are checked first, because a damaged object would hide the good
   * bytes. The folder is synced, because the process that made the name may have ended before its sync.
   */
  const takeUp = async (path: string, hash: string, bytes: Uint8Array): Promise<void> => {
    if (isPointer(await disk.read(path))) await replaceFile(disk, random, path, bytes)
    else if ((await read(hash)) === undefined) await publish(disk, random, path, bytes)
    else await disk.syncFolder(folder)
  }
  let isRooted = false
  const namesIn = async (place: string, pattern: RegExp): Promise<readonly StoredFile[]> =>
    (await disk.list(place)).flatMap((name) => {
      const hash = pattern.exec(name)?.[1]
      return hash === undefined ? [] : [{ hash, path: join(place, name) }]
    })
  return {
    folder,
    isListed: true,
    rescued: [],
    probe: async () => {
      const path = join(folder, `probe.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`)
      await ensureFolder(disk, folder)
      try {
        await disk.writeTemp(path, new Uint8Array(probeBytes))
        await disk.sync(path)
      } finally {
        await disk.remove(path)
      }
    },
    read,
    list: () => namesIn(folder, objectName),
    survey: async () =>
      inParallel(await namesIn(folder, objectName), async ({ hash, path }) => {
        const { bytes = 0, changedMs = Number.NaN } = (await disk.stat(path)) ?? {}
        return { sha256: hash, bytes, writtenMs: changedMs }
      }),
    quarantined: () => namesIn(quarantine, quarantineName),
    remove: async (hash) => {
      // The same bytes always get the same ending, but an earlier version may have chosen another ending.
      const own = (
        await Promise.all(endings.map(async (ending) => ((await disk.stat(place(hash, ending))) ? [place(hash, ending)] : [])))
      ).flat()
      for (const path of own) await disk.remove(path)
      if (own.length > 0) await disk.syncFolder(folder)
    },
    has: async (hash) => (await find(hash)) !== undefined,
    put: async (bytes) => {
      const hash = sha256(bytes)
      const path = place(hash, endingOf(bytes))
      if (!(await publish(disk, random, path, bytes))) await takeUp(path, hash, bytes)
      if (root !== undefined && !isRooted) await syncNames(disk, folder, root)
      isRooted = true
      return hash
    },
  }
}

function pointerError(path: string): SpritewrightError {
  return new SpritewrightError('SW_VAULT', {
    message: `Expected a paid result at ${path}, found a pointer of Git LFS: the file itself was not fetched. Run git lfs pull (in CI: check out with LFS). Without LFS, npx spritewright store verify fetches it from the service, for free.`,
    facts: { path },
  })
}
