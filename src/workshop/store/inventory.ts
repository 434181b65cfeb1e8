import type { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import type { VaultPlace } from '../../vault/layers.ts'
import { type NamedResult, quarantineNameOf, readStoreRecords, strength } from './records.ts'
import type { PlaceName, QuarantinedCopy, StoredResult, StoreReport } from './reports.ts'

/** The records and the places of results together. */
export interface Inventory extends Omit<StoreReport, 'warnings'> {
  /** Errors of reading. While there are any, it is not certain which results are wanted. */
  readonly errors: readonly SpritewrightError[]
}

/**
 * Lists the names of all objects and reads all records. It reads no object, and asks no store that is not a
 * folder.
 *
 * @param host Of the configured service.
 */
export async function takeInventory(context: Context, host: string | undefined): Promise<Inventory> {
  const { named, errors } = await readStoreRecords(context, host)
  const uses = new Map<string, NamedResult[]>()
  for (const one of named) uses.set(one.sha256, [...(uses.get(one.sha256) ?? []), one])
  const places = new Map<string, Map<PlaceName, string>>([...uses.keys()].map((hash) => [hash, new Map()]))
  let othersInShared = 0
  for (const place of context.vault.places) {
    for (const { hash, path } of await place.store.list()) {
      // Other projects' results in a shared store are not listed.
      if (place.name === 'shared' && !places.has(hash)) othersInShared++
      else {
        const paths = places.get(hash) ?? new Map<PlaceName, string>()
        if (!paths.has(place.name)) paths.set(place.name, path)
        places.set(hash, paths)
      }
    }
  }
  const results: StoredResult[] = []
  for (const [sha256, paths] of places) results.push(await toResult(context, sha256, uses.get(sha256) ?? [], paths))
  const quarantined = (await Promise.all(context.vault.places.map((place) => listQuarantine(context, place)))).flat()
  return { results: results.sort(inOrder), quarantined, othersInShared, errors }
}

async function toResult(
  context: Context,
  sha256: string,
  named: readonly NamedResult[],
  paths: ReadonlyMap<PlaceName, string>,
): Promise<StoredResult> {
  const [path] = paths.values()
  // A damaged file may have any size, so the recorded size comes first.
  const bytes = named[0]?.bytes ?? (path === undefined ? undefined : (await context.host.disk.stat(path))?.bytes)
  return {
    sha256,
    bytes,
    state: strength.find((state) => named.some((one) => one.state === state)) ?? 'unknown',
    uses: named.map(({ sha256: _sha256, bytes: _bytes, ...use }) => use),
    places: [...paths.keys()],
  }
}

async function listQuarantine(context: Context, { name, store }: VaultPlace): Promise<readonly QuarantinedCopy[]> {
  return Promise.all(
    (await store.quarantined()).map(async ({ hash, path }) => ({
      name: quarantineNameOf(path),
      sha256: hash,
      path,
      place: name,
      bytes: (await context.host.disk.stat(path))?.bytes ?? 0,
    })),
  )
}

/** Adds the shared store to the places of a result if it has it and is not a folder. The store is asked. */
export async function withShared({ vault }: Context, result: StoredResult): Promise<StoredResult> {
  const shared = vault.places.find(({ name }) => name === 'shared')?.store
  if (!shared || shared.isListed || !(await shared.has(result.sha256))) return result
  return { ...result, places: [...result.places, 'shared'] }
}

/** The names of a result, each once. */
export function idsOf(result: StoredResult): readonly string[] {
  return [...new Set(result.uses.map((use) => use.id))].sort()
}

/** Sorts by name, used results first, then by take and hash. Results without a name come last. */
function inOrder(a: StoredResult, b: StoredResult): number {
  const [left, right] = [a, b].map(sortKeys)
  for (const [index, x] of (left ?? []).entries()) {
    const y = right?.[index] ?? ''
    if (x !== y) return x < y ? -1 : 1
  }
  return 0
}

function sortKeys(result: StoredResult): readonly (string | number)[] {
  const { uses, state, sha256 } = result
  return [uses.length > 0 ? 0 : 1, idsOf(result)[0] ?? '', strength.indexOf(state), uses[0]?.take ?? 0, sha256]
}
