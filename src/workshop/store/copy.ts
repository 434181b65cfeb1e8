import { SpritewrightError } from '../../errors.ts'
import { inParallel } from '../../host/in-parallel.ts'
import type { Context } from '../../project/context.ts'
import type { VaultPlace } from '../../vault/layers.ts'
import { idsOf, takeInventory } from './inventory.ts'
import { narrow } from './names.ts'
import type { CopyReport, StoredResult, StoreProgress } from './reports.ts'

/** How a copy can be stopped, and who is told about it. */
interface CopyRun {
  readonly signal: AbortSignal
  readonly onProgress: StoreProgress
}

/**
 * Copies everything that this checkout has and the shared store lacks, used or not: results are safe in a
 * shared store.
 */
export async function push(context: Context, host: string | undefined, names: readonly string[], run: CopyRun): Promise<CopyReport> {
  const { own, shared } = findPlaces(context)
  const here = narrow(await takeInventory(context, host), names).filter((result) => result.places.some((place) => place !== 'shared'))
  return copyAll(context, here, own, shared, run)
}

/** Copies results that the records name, the shared store has and the project lacks. */
export async function pull(context: Context, host: string | undefined, names: readonly string[], run: CopyRun): Promise<CopyReport> {
  const { own, shared } = findPlaces(context)
  const [project, ...rescue] = own as [VaultPlace, ...VaultPlace[]]
  const named = narrow(await takeInventory(context, host), names).filter((result) => result.uses.length > 0)
  return copyAll(context, named, [...rescue, shared], project, run)
}

/** The project's own places, its folder first, and the shared one. */
function findPlaces(context: Context): { readonly own: readonly VaultPlace[]; readonly shared: VaultPlace } {
  return { own: context.vault.places.filter((place) => place.name !== 'shared'), shared: findShared(context) }
}

/**
 * Finds the shared store.
 *
 * @throws `SW_CONFIG` if none is configured.
 */
export function findShared(context: Context): VaultPlace {
  const shared = context.vault.places.find((place) => place.name === 'shared')
  if (shared) return shared
  throw new SpritewrightError('SW_CONFIG', {
    message:
      "Expected a shared store, found none in the configuration. Write store: { shared: 's3://bucket/prefix' } into spritewright.config, or https://host/path of a cache, or a folder that all who build this can reach (absolute, or from the project).",
    facts: { option: 'store.shared' },
  })
}

/** Copies in parallel. A run that ended early is continued by the next one: a copy that is there is skipped. */
async function copyAll(
  context: Context,
  results: readonly StoredResult[],
  from: readonly VaultPlace[],
  { store }: VaultPlace,
  { signal, onProgress }: CopyRun,
): Promise<CopyReport> {
  let done = 0
  const copyOne = async (result: StoredResult): Promise<Uint8Array | 'present' | undefined> => {
    signal.throwIfAborted()
    if (await store.has(result.sha256)) return 'present'
    const good = await readGood(result, from)
    if (good) await store.put(good)
    return good
  }
  const copies = await inParallel(results, async (result) => {
    const copy = await copyOne(result)
    onProgress(++done, results.length)
    return copy instanceof Uint8Array ? copy.length : copy
  })
  const lacking = results.filter((_, index) => copies[index] === undefined)
  return {
    copied: results.flatMap(({ sha256 }, index) => (typeof copies[index] === 'number' ? [sha256] : [])),
    bytes: copies.reduce<number>((sum, copy) => sum + (typeof copy === 'number' ? copy : 0), 0),
    present: copies.filter((copy) => copy === 'present').length,
    lacking: lacking.map((result) => ({ sha256: result.sha256, ids: idsOf(result), isUsed: result.state === 'used' })),
    folder: store.folder,
    warnings: context.warnings,
  }
}

/** Reads a result from the first place that has it whole. A read sets damaged bytes aside. */
export async function readGood({ sha256 }: StoredResult, places: readonly VaultPlace[]): Promise<Uint8Array | undefined> {
  for (const { store } of places) {
    const bytes = await store.read(sha256)
    if (bytes) return bytes
  }
  return undefined
}
