import { join } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Clock } from '../host/clock.ts'
import type { Disk } from '../host/disk.ts'
import { inParallel } from '../host/in-parallel.ts'
import { publish } from '../host/publish.ts'
import type { Random } from '../host/random.ts'
import { sha256 } from '../host/sha256.ts'
import type { BlobStore } from '../stores/blob-store.ts'
import { isEqual } from '../stores/exchange.ts'
import { storeError } from '../stores/failures.ts'
import { hashPattern, type ObjectFolder } from './objects.ts'

/** Ports of a layer. */
export interface SharedPorts {
  readonly disk: Disk
  readonly random: Random
  readonly clock: Pick<Clock, 'mono'>
}

/**
 * The results that machines share. `has` and `read` never fail: if the store cannot be reached, a result counts as
 * missing, and a warning says so.
 */
export interface SharedLayer extends ObjectFolder {
  /** Whether the store had wrong bytes under this name, which good bytes have not replaced yet. */
  isWrong(hash: string): boolean
  /**
   * Stores the bytes, and replaces wrong bytes. If the store does not accept them, the result is owed: a later
   * {@link SharedLayer.pushOwed} tries again, also in another process.
   */
  share(bytes: Uint8Array): Promise<void>
  /**
   * Pushes the owed results to the store. Warns if the store still accepts none.
   *
   * @param read Reads a result of this machine.
   */
  pushOwed(read: (hash: string) => Promise<Uint8Array | undefined>): Promise<void>
  /**
   * The results that the store did not accept in this process, each with the reason in complete sentences. While there
   * is such a result, `probe` fails.
   */
  readonly unshared: ReadonlyMap<string, string>
  /** All failures of the store in this process, in sentences. */
  readonly troubles: ReadonlySet<string>
}

/** Pause after a failed read, in milliseconds: thousands of results may be missing, and each would fail. */
const restMs = 30_000

/**
 * Creates the layer over a store.
 *
 * @param open Opens the store. It must call its argument when the store has wrong bytes under a name.
 * @param owed Folder with one file for each result that may be missing in the store.
 * @param warn Receives one sentence for a person.
 */
export function createSharedLayer(
  { disk, random, clock }: SharedPorts,
  open: (onDamage: (hash: string) => void) => ObjectFolder,
  owed: string,
  warn: (message: string) => void,
): SharedLayer {
  const wrong = new Set<string>()
  const unshared = new Map<string, string>()
  const troubles = new Set<string>()
  let isBackAt = Number.NEGATIVE_INFINITY
  const say = (message: string): void => {
    if (!troubles.has(message)) warn(message)
    troubles.add(message)
  }
  const store: ObjectFolder = open((hash) => {
    wrong.add(hash)
    say(
      `The shared store ${store.folder} has wrong bytes under the name ${hash}. They were not used. Good bytes replace them as soon as a build has them here; a machine that has them already replaces them with npx spritewright store verify.`,
    )
  })
  const tryRead = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    if (clock.mono() < isBackAt) return undefined
    try {
      return await call()
    } catch (error) {
      if (clock.mono() >= isBackAt) say(`${(error as Error).message} Until then, results that only the shared store has count as missing.`)
      isBackAt = clock.mono() + restMs
      return undefined
    }
  }
  const put = async (bytes: Uint8Array): Promise<string> => {
    const hash = await store.put(bytes)
    wrong.delete(hash)
    unshared.delete(hash)
    isBackAt = Number.NEGATIVE_INFINITY
    await disk.remove(join(owed, hash))
    return hash
  }
  const owe = (hash: string, error: unknown): void => {
    const why = `The result ${hash} is safe on this machine, but the shared store ${store.folder} did not take it: ${(error as Error).message} The next build pushes it.`
    unshared.set(hash, why)
    say(why)
  }
  return {
    ...store,
    put,
    probe: async () => {
      const [why] = unshared.values()
      if (why === undefined) return store.probe()
      throw new SpritewrightError('SW_STORE', { message: `Nothing more is bought. ${why}`, facts: { store: store.folder } })
    },
    has: async (hash) => (await tryRead(() => store.has(hash))) ?? false,
    read: (hash) => tryRead(() => store.read(hash)),
    isWrong: (hash) => wrong.has(hash),
    unshared,
    troubles,
    share: async (bytes) => {
      const hash = sha256(bytes)
      try {
        // If the process is killed after this write, the next process finds the file and pushes the result.
        await publish(disk, random, join(owed, hash), new TextEncoder().encode(`${hash}\n`))
        await put(bytes)
      } catch (error) {
        owe(hash, error)
      }
    },
    pushOwed: async (read) => {
      const marked = (await disk.list(owed)).filter((name) => hashPattern.test(name))
      const hashes = [...new Set([...marked, ...unshared.keys()])]
      unshared.clear()
      await inParallel(hashes, async (hash) => {
        // After one failure, the other results wait for the next build, because there may be thousands.
        if (unshared.size > 0) return
        const bytes = await read(hash)
        if (bytes) await put(bytes).catch((error: unknown) => unshared.size > 0 || owe(hash, error))
        // The result was deleted here meanwhile, so there is nothing to push.
        else await disk.remove(join(owed, hash))
      })
    },
  }
}

/** Object of the probe. Its bytes are always the same, so that a store has only one such object. */
const probeBytes = new TextEncoder().encode('spritewright: may results be stored here?\n')

/** Name of the object of the probe. */
export const probeHash = sha256(probeBytes)

/**
 * Makes a store of results an object folder without a listing. A put counts when the store returns equal bytes.
 *
 * @param onDamage Called when the store has wrong bytes under a name.
 */
export function toObjectFolder(blobs: BlobStore, onDamage: (hash: string) => void): ObjectFolder {
  const write = async (bytes: Uint8Array): Promise<string> => {
    const hash = sha256(bytes)
    await blobs.put(hash, bytes)
    const after = await blobs.get(hash)
    if (after && isEqual(after, bytes)) return hash
    throw storeError({ address: blobs.address, work: `give cas/${hash} back as written`, found: after ? 'other bytes' : 'nothing' })
  }
  const read = async (hash: string): Promise<Uint8Array | undefined> => {
    const bytes = await blobs.get(hash)
    if (bytes === undefined || sha256(bytes) === hash) return bytes
    onDamage(hash)
    return undefined
  }
  return {
    folder: blobs.address,
    isListed: false,
    rescued: [],
    probe: async () => void (await write(probeBytes)),
    has: (hash) => blobs.has(hash),
    read,
    put: async (bytes) => ((await read(sha256(bytes))) ? sha256(bytes) : write(bytes)),
    remove: (hash) => blobs.remove(hash),
    list: async () => [],
    survey: () => blobs.list(),
    quarantined: async () => [],
  }
}
