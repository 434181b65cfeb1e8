import type { VaultPlace } from '../../vault/layers.ts'
import type { SessionKeeper } from '../session.ts'
import type { Shop } from '../shop.ts'
import { createFetcher, type Fetcher } from './fetch.ts'
import { idsOf, takeInventory } from './inventory.ts'
import { narrow } from './names.ts'
import type { PlaceName, StoredResult, VerifiedResult, VerifyReport } from './reports.ts'
import { sweepTemps } from './sweep.ts'

/** What the copies of one result are worth. */
interface Copies {
  /** The good bytes, of the first place that has them. */
  readonly good?: Uint8Array
  readonly goodIn: readonly PlaceName[]
  /** Damaged copies; they are in quarantine by now. */
  readonly damaged: readonly PlaceName[]
  /** Why a copy could not be read at all, or not be set aside. */
  readonly troubles: readonly string[]
}

/** Reads every named result and mends what can be mended. See `ResultStore.verify`. */
export async function verify(shop: Shop, keeper: SessionKeeper, names: readonly string[], signal: AbortSignal): Promise<VerifyReport> {
  const inventory = await takeInventory(shop, keeper.host)
  const results = narrow(inventory, names).filter((result) => result.uses.length > 0)
  const fetcher = createFetcher(shop, keeper, signal)
  // One that was set aside was here: it is owed, also where the run that found it damaged came no further.
  const setAside = new Set(inventory.quarantined.map((copy) => copy.sha256))
  const findings: VerifiedResult[] = []
  let bytes = 0
  for (const result of results) {
    signal.throwIfAborted()
    const copies = await readCopies(shop, result)
    bytes += (copies.good?.length ?? 0) * copies.goodIn.length
    const isOwed = result.state === 'used' || names.length > 0 || setAside.has(result.sha256)
    const finding = await mend(shop, fetcher, result, copies, isOwed)
    if (finding) findings.push(finding)
  }
  return {
    checked: results.length,
    good: results.length - findings.length,
    bytes,
    findings,
    swept: await sweepTemps(shop),
    warnings: [...shop.warnings, ...inventory.errors.map((error) => error.message)],
  }
}

async function readCopies(shop: Shop, result: StoredResult): Promise<Copies> {
  const goodIn: PlaceName[] = []
  const damaged: PlaceName[] = []
  const troubles: string[] = []
  let good: Uint8Array | undefined
  for (const { name, store } of shop.vault.places.filter((place) => result.places.includes(place.name))) {
    try {
      const bytes = await store.read(result.sha256)
      if (bytes) goodIn.push(name)
      else damaged.push(name)
      good ??= bytes
    } catch (error) {
      troubles.push(`the copy in ${store.folder} cannot be read, or not be set aside: ${(error as Error).message}`)
    }
  }
  return { ...(good ? { good } : {}), goodIn, damaged, troubles }
}

/** Undefined where there was nothing to do. */
async function mend(
  shop: Shop,
  fetcher: Fetcher,
  result: StoredResult,
  copies: Copies,
  isOwed: boolean,
): Promise<VerifiedResult | undefined> {
  const { good, damaged, troubles } = copies
  const finding = (outcome: VerifiedResult['outcome'], words: string): VerifiedResult => ({
    sha256: result.sha256,
    ids: idsOf(result),
    outcome,
    damaged,
    words: [words, ...troubles].join('; '),
  })
  if (good) {
    const lacking = shop.vault.places.filter((place) => isToMend(place, copies))
    if (lacking.length === 0 && troubles.length === 0) return undefined
    for (const { store } of lacking) {
      const trouble = await tryPut(store, good)
      if (trouble !== undefined) return finding('missing', trouble)
    }
    return finding('mended', lacking.length > 0 ? `copied from the good one (${copies.goodIn.join(', ')})` : 'a good copy is here')
  }
  if (!isOwed && damaged.length === 0 && troubles.length === 0)
    return finding('absent', 'no present spec asks for it; by its name or hash it is fetched all the same')
  const why = await fetcher.fetch(result)
  return why === undefined ? finding('mended', 'fetched again from the service, free of charge') : finding('missing', why)
}

/** A place whose copy was damaged; and the project, where a good copy lies elsewhere on this machine only. */
function isToMend({ name }: VaultPlace, { damaged, goodIn }: Copies): boolean {
  return damaged.includes(name) || (name === 'project' && goodIn.every((place) => place !== 'project' && place !== 'shared'))
}

async function tryPut(store: VaultPlace['store'], bytes: Uint8Array): Promise<string | undefined> {
  try {
    await store.put(bytes)
    return undefined
  } catch (error) {
    return `a good copy is here, and ${store.folder} did not take it: ${(error as Error).message}`
  }
}
