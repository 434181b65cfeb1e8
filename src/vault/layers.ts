import { join } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import { sha256 } from '../host/sha256.ts'
import type { BlobStore } from '../stores/blob-store.ts'
import { createObjectStore, type ObjectFolder, type ObjectStore } from './objects.ts'
import { createSharedLayer, type SharedLayer, type SharedPorts, toObjectFolder } from './shared-layer.ts'

/** One folder of the vault, or its shared store. */
export interface VaultPlace {
  /**
   * Other projects use `shared` too. `rescue` has results of this project that its own folder did not accept.
   */
  readonly name: 'project' | 'shared' | 'rescue'
  readonly store: ObjectFolder
}

/** The vault of a project, with all its places. */
export interface Vault extends ObjectStore, Pick<SharedLayer, 'unshared' | 'troubles'> {
  /** The project's own folder first. */
  readonly places: readonly VaultPlace[]
  /**
   * Checks that the shared store accepts bytes and returns them. Does nothing without a shared store.
   *
   * @throws `SW_STORE`, or the disk's error.
   */
  probeShared(): Promise<void>
  /** Pushes the results that the shared store does not have yet; see {@link SharedLayer.pushOwed}. */
  pushOwed(): Promise<void>
}

/** Folders for results. */
export interface VaultFolders {
  /** The project's store, with results in `results/` and damaged results in `quarantine/`. */
  readonly local: string
  /** A parent folder that existed before any of our folders: the folder of the project. */
  readonly root?: string | undefined
  /** A folder that several checkouts share, or a store. */
  readonly shared?: string | BlobStore | undefined
  /** Folders for results that the project's folder does not accept, tried in this order. */
  readonly rescue?: readonly string[]
}

/**
 * Creates the vault: the project's own results first, then a shared store if one is configured. A result found
 * in the shared store is copied into the project. A bought result is written to both places.
 *
 * If the shared store does not accept a result, `put` does not fail, because the paid bytes are already safe in the
 * project: `unshared` lists the result, and a later run pushes it. If the project cannot be written, the bytes go to
 * a rescue folder, and `rescued` names it.
 *
 * @param warn Receives one sentence for a person.
 */
export function createVault(ports: SharedPorts, folders: VaultFolders, warn: (message: string) => void): Vault {
  const local = createObjectStore(ports, join(folders.local, 'results'), join(folders.local, 'quarantine'), folders.root)
  const open = (folder: string, onDamage?: (hash: string) => void): ObjectFolder =>
    createObjectStore(ports, folder, join(folder, 'quarantine'), undefined, onDamage)
  const { shared: where } = folders
  const openShared = (onDamage: (hash: string) => void): ObjectFolder =>
    typeof where === 'object' ? toObjectFolder(where, onDamage) : open(where ?? '', onDamage)
  // The list of owed results belongs to the records of this machine, which are never committed.
  const owed = join(folders.local, 'submissions', 'unshared')
  const shared = where === undefined ? undefined : createSharedLayer(ports, openShared, owed, warn)
  const rescue = (folders.rescue ?? []).map((folder) => open(folder))
  const others = [...(shared ? [shared] : []), ...rescue]
  const rescued: string[] = []
  const store = async (bytes: Uint8Array): Promise<string> => {
    try {
      return await local.put(bytes)
    } catch (error) {
      rescued.push(await putElsewhere(rescue, local.folder, bytes, error))
      return sha256(bytes)
    }
  }
  const read = async (hash: string): Promise<Uint8Array | undefined> => {
    const failures: unknown[] = []
    for (const one of [local, ...others]) {
      const found = await one.read(hash).catch((error: unknown) => void failures.push(error))
      if (!found) continue
      // Reading works even if the project still cannot be written.
      if (one !== local) await local.put(found).catch(() => {})
      if (shared?.isWrong(hash)) await shared.share(found)
      return found
    }
    if (failures.length > 0) throw failures[0]
    return undefined
  }
  return {
    folder: local.folder,
    places: [
      { name: 'project', store: local },
      ...(shared ? [{ name: 'shared' as const, store: shared }] : []),
      ...rescue.map((store) => ({ name: 'rescue' as const, store })),
    ],
    rescued,
    unshared: shared?.unshared ?? new Map(),
    troubles: shared?.troubles ?? new Set(),
    probe: async () => {
      await local.probe()
      await shared?.probe()
    },
    probeShared: async () => shared?.probe(),
    has: async (hash) => {
      for (const one of [local, ...others]) if (!(one === shared && shared.isWrong(hash)) && (await one.has(hash))) return true
      return false
    },
    read,
    put: async (bytes) => {
      const hash = await store(bytes)
      await shared?.share(bytes)
      return hash
    },
    pushOwed: async () => shared?.pushOwed(read),
  }
}

/**
 * Returns the folder that took the bytes.
 *
 * @throws `SW_DISK` if no folder took them.
 */
async function putElsewhere(rescue: readonly ObjectStore[], folder: string, bytes: Uint8Array, cause: unknown): Promise<string> {
  for (const one of rescue) {
    try {
      await one.put(bytes)
      return one.folder
    } catch {
      // The next folder may take it.
    }
  }
  throw new SpritewrightError('SW_DISK', {
    message: `A paid result could not be written to ${[folder, ...rescue.map((one) => one.folder)].join(', nor to ')}: ${(cause as Error).message}. It is still at the service: make room, or make the folder writable, and build again; it is fetched again for free.`,
    facts: { folder },
    cause,
  })
}
