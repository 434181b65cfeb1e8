import { join } from 'node:path'
import type { Disk } from '../host/disk.ts'
import type { Random } from '../host/random.ts'
import { createObjectStore, type ObjectFolder, type ObjectStore } from './objects.ts'

/** One folder of the vault. */
export interface VaultPlace {
  /** `shared` belongs to other projects as well. */
  readonly name: 'project' | 'shared'
  readonly store: ObjectFolder
}

/** The vault of a project, and the folders that it is made of. */
export interface Vault extends ObjectStore {
  /** The project's own folder first. */
  readonly places: readonly VaultPlace[]
}

/**
 * The vault: the project's own results first, then a shared folder where one is configured. What is found in the shared
 * one is copied into the project; what is bought goes to both. A shared folder that cannot be written is told, never fatal:
 * the paid bytes are safe in the project by then.
 *
 * @param warn Takes one sentence for a person.
 */
export function createVault(
  ports: { disk: Disk; random: Random },
  folders: { readonly local: string; readonly shared?: string },
  warn: (message: string) => void,
): Vault {
  const local = createObjectStore(ports, join(folders.local, 'results'), join(folders.local, 'quarantine'))
  const own: VaultPlace = { name: 'project', store: local }
  if (folders.shared === undefined) return { ...local, places: [own] }
  const sharedFolder = folders.shared
  const shared = createObjectStore(ports, sharedFolder, join(sharedFolder, 'quarantine'))
  return {
    folder: local.folder,
    places: [own, { name: 'shared', store: shared }],
    has: async (hash) => (await local.has(hash)) || (await shared.has(hash)),
    read: async (hash) => {
      const own = await local.read(hash)
      if (own) return own
      const other = await shared.read(hash)
      if (other) await local.put(other)
      return other
    },
    put: async (bytes) => {
      const hash = await local.put(bytes)
      try {
        await shared.put(bytes)
      } catch (error) {
        warn(`The result is safe in ${local.folder}, but the shared store ${sharedFolder} did not take it: ${(error as Error).message}`)
      }
      return hash
    },
  }
}
