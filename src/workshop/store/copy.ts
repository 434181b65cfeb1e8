import { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import type { VaultPlace } from '../../vault/layers.ts'
import { idsOf, takeInventory } from './inventory.ts'
import { narrow } from './names.ts'
import type { CopyReport, StoredResult } from './reports.ts'

/**
 * Copies everything that this checkout has and the shared store lacks, used or not: results are safe in a
 * shared store.
 */
export async function push(context: Context, host: string | undefined, names: readonly string[], signal: AbortSignal): Promise<CopyReport> {
  const { own, shared } = findPlaces(context)
  const here = narrow(await takeInventory(context, host), names).filter((result) => result.places.some((place) => place !== 'shared'))
  return copyAll(here, own, shared, signal)
}

/** Copies results that the records name, the shared store has and the project lacks. */
export async function pull(context: Context, host: string | undefined, names: readonly string[], signal: AbortSignal): Promise<CopyReport> {
  const { own, shared } = findPlaces(context)
  const [project, ...rescue] = own
  const named = narrow(await takeInventory(context, host), names).filter((result) => result.uses.length > 0)
  return copyAll(named, [...rescue, shared], project, signal)
}

/** The project's own places, its folder first, and the shared one. */
function findPlaces(context: Context): { readonly own: readonly [VaultPlace, ...VaultPlace[]]; readonly shared: VaultPlace } {
  const shared = context.vault.places.find((place) => place.name === 'shared')
  const [project, ...rescue] = context.vault.places.filter((place) => place.name !== 'shared')
  if (project && shared) return { own: [project, ...rescue], shared }
  throw new SpritewrightError('SW_CONFIG', {
    message:
      "Expected a shared store, found none in the configuration. Write store: { shared: '../our-sprites' } into spritewright.config, with a folder that all who build this can reach (absolute, or from the project).",
    facts: { option: 'store.shared' },
  })
}

async function copyAll(
  results: readonly StoredResult[],
  from: readonly VaultPlace[],
  to: VaultPlace,
  signal: AbortSignal,
): Promise<CopyReport> {
  const copied: string[] = []
  const lacking: StoredResult[] = []
  let bytes = 0
  for (const result of results) {
    if (result.places.includes(to.name)) continue
    signal.throwIfAborted()
    const good = await readGood(result, from)
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

/** Damaged bytes stop here: a read sets them aside. */
async function readGood(result: StoredResult, places: readonly VaultPlace[]): Promise<Uint8Array | undefined> {
  for (const { name, store } of places) {
    const bytes = result.places.includes(name) ? await store.read(result.sha256) : undefined
    if (bytes) return bytes
  }
  return undefined
}
