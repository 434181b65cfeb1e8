import { join } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import type { Random } from '../host/random.ts'
import { createObjectStore, type ObjectFolder, type ObjectStore, sha256 } from './objects.ts'

/** One folder of the vault. */
export interface VaultPlace {
  /**
   * Other projects use `shared` too. `rescue` receives results of this project that its own folder did not
   * take.
   */
  readonly name: 'project' | 'shared' | 'rescue'
  readonly store: ObjectFolder
}

/** The vault of a project, with the folders that make it up. */
export interface Vault extends ObjectStore {
  /** The project's own folder first. */
  readonly places: readonly VaultPlace[]
}

/** Folders for results. */
export interface VaultFolders {
  /** The project's store, with results in `results/` and damaged results in `quarantine/`. */
  readonly local: string
  /** A folder above it that existed before any of ours: the project's. */
  readonly root?: string | undefined
  /** A folder that several checkouts share. */
  readonly shared?: string | undefined
  /** Folders for results that the project's folder does not take, tried in this order. */
  readonly rescue?: readonly string[]
}

/**
 * Creates the vault: the project's own results first, then a shared folder if one is configured. A result
 * found in the shared folder is copied into the project. A bought result goes to both.
 *
 * If the shared folder cannot be written, that is only a warning, because the paid bytes are already safe in
 * the project. If the project cannot be written, the bytes go to a rescue folder, and `rescued` names it.
 *
 * @param warn Receives one sentence for a person.
 */
export function createVault(ports: { disk: Disk; random: Random }, folders: VaultFolders, warn: (message: string) => void): Vault {
  const local = createObjectStore(ports, join(folders.local, 'results'), join(folders.local, 'quarantine'), folders.root)
  const open = (folder: string): ObjectFolder => createObjectStore(ports, folder, join(folder, 'quarantine'))
  const shared = folders.shared === undefined ? undefined : open(folders.shared)
  const rescue = (folders.rescue ?? []).map(open)
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
  return {
    folder: local.folder,
    places: [
      { name: 'project', store: local },
      ...(shared ? [{ name: 'shared' as const, store: shared }] : []),
      ...rescue.map((store) => ({ name: 'rescue' as const, store })),
    ],
    rescued,
    probe: () => local.probe(),
    has: async (hash) => {
      for (const one of [local, ...others]) if (await one.has(hash)) return true
      return false
    },
    read: async (hash) => {
      const failures: unknown[] = []
      for (const one of [local, ...others]) {
        const found = await one.read(hash).catch((error: unknown) => void failures.push(error))
        if (!found) continue
        // Reading works even if the project still cannot be written.
        if (one !== local) await local.put(found).catch(() => {})
        return found
      }
      if (failures.length > 0) throw failures[0]
      return undefined
    },
    put: async (bytes) => {
      const hash = await store(bytes)
      try {
        await shared?.put(bytes)
      } catch (error) {
        warn(`The result is safe in ${local.folder}, but the shared store ${shared?.folder} did not take it: ${(error as Error).message}`)
      }
      return hash
    },
  }
}

/**
 * Returns the folder that took the bytes.
 *
 * @throws `SW_DISK` if none did.
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
