import { SpritewrightError } from '../../errors.ts'
import type { VaultPlace } from '../../vault/layers.ts'
import type { Shop } from '../shop.ts'
import { idsOf, takeInventory } from './inventory.ts'
import { narrow } from './names.ts'
import type { CopyReport, StoredResult } from './reports.ts'

/** Copies what the project has and the shared store lacks, used or not: a shared store is where results are safe. */
export async function push(shop: Shop, host: string | undefined, names: readonly string[], signal: AbortSignal): Promise<CopyReport> {
  const { project, shared } = findPlaces(shop)
  const own = narrow(await takeInventory(shop, host), names).filter((result) => result.places.includes('project'))
  return copyAll(own, project, shared, signal)
}

/** Copies what the papers name, the shared store has and the project lacks. */
export async function pull(shop: Shop, host: string | undefined, names: readonly string[], signal: AbortSignal): Promise<CopyReport> {
  const { project, shared } = findPlaces(shop)
  const named = narrow(await takeInventory(shop, host), names).filter((result) => result.uses.length > 0)
  return copyAll(named, shared, project, signal)
}

function findPlaces(shop: Shop): { readonly project: VaultPlace; readonly shared: VaultPlace } {
  const find = (name: VaultPlace['name']): VaultPlace | undefined => shop.vault.places.find((place) => place.name === name)
  const [project, shared] = [find('project'), find('shared')]
  if (project && shared) return { project, shared }
  throw new SpritewrightError('SW_CONFIG', {
    message:
      "Expected a shared store, found none in the configuration. Write store: { shared: '../our-sprites' } into spritewright.config, with a folder that all who build this can reach (absolute, or from the project).",
    facts: { option: 'store.shared' },
  })
}

async function copyAll(results: readonly StoredResult[], from: VaultPlace, to: VaultPlace, signal: AbortSignal): Promise<CopyReport> {
  const copied: string[] = []
  const lacking: StoredResult[] = []
  let bytes = 0
  for (const result of results) {
    if (result.places.includes(to.name)) continue
    signal.throwIfAborted()
    // Bytes that are not what their name says stop here: reading sets them aside.
    const good = result.places.includes(from.name) ? await from.store.read(result.sha256) : undefined
    if (!good) {
      lacking.push(result)
      continue
    }
    await to.store.put(good)
    copied.push(result.sha256)
    bytes += good.length
  }
  return {
    copied,
    bytes,
    present: results.length - copied.length - lacking.length,
    lacking: lacking.map((result) => ({ sha256: result.sha256, ids: idsOf(result), isUsed: result.state === 'used' })),
    folder: to.store.folder,
  }
}
