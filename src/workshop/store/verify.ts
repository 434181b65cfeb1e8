import { inParallel } from '../../host/in-parallel.ts'
import type { Context } from '../../project/context.ts'
import { regain } from '../../project/recovery/regain.ts'
import type { ServiceConnection } from '../../project/session.ts'
import type { VaultPlace } from '../../vault/layers.ts'
import { createFetcher, faultOfStored } from './fetch.ts'
import { idsOf, takeInventory } from './inventory.ts'
import { narrow } from './names.ts'
import type { PlaceName, StoredResult, VerifiedResult, VerifyReport, VerifyRequest } from './reports.ts'
import { sweepTemps } from './sweep.ts'

/** The copies of one result. */
interface Copies {
  /** The whole bytes, of the first place that has them. */
  readonly good?: Uint8Array
  readonly goodIn: readonly PlaceName[]
  /** Damaged copies. They are in quarantine already. */
  readonly damaged: readonly PlaceName[]
  /** Copies that could not be read, or not be set aside, with the reason. */
  readonly unreadable: ReadonlyMap<PlaceName, string>
}

/** Reads and opens every named result, and repairs what it can. See `ResultStore.verify`. */
export async function verify(
  context: Context,
  connection: ServiceConnection,
  request: VerifyRequest & { readonly signal: AbortSignal },
): Promise<VerifyReport> {
  const { names = [], onFetch = () => {}, onProgress = () => {}, signal } = request
  const inventory = await takeInventory(context, connection.host)
  const results = narrow(inventory, names).filter((result) => result.uses.length > 0)
  const fetcher = createFetcher(context, connection, signal)
  const refetch = (result: StoredResult): Promise<string | undefined> => {
    onFetch(idsOf(result))
    return fetcher.fetch(result)
  }
  // A result that was set aside was here before. So it is restored, even if the run that set it aside stopped
  // after that.
  const setAside = new Set(inventory.quarantined.map((copy) => copy.sha256))
  let bytes = 0
  let done = 0
  const verifyOne = async (result: StoredResult): Promise<VerifiedResult | undefined> => {
    signal.throwIfAborted()
    const copies = await readCopies(context, result)
    bytes += (copies.good?.length ?? 0) * copies.goodIn.length
    const isOwed = result.state === 'used' || names.length > 0 || setAside.has(result.sha256)
    const finding = (await mend(context, refetch, result, copies, isOwed)) ?? (await open(context, connection, result, copies, request))
    onProgress(++done, results.length)
    return finding
  }
  const findings = (await inParallel(results, verifyOne)).filter((finding) => finding !== undefined)
  return {
    checked: results.length,
    good: results.length - findings.length,
    bytes,
    findings,
    swept: await sweepTemps(context),
    warnings: [...context.warnings, ...inventory.errors.map((error) => error.message)],
  }
}

async function readCopies(context: Context, result: StoredResult): Promise<Copies> {
  const goodIn: PlaceName[] = []
  const damaged: PlaceName[] = []
  const unreadable = new Map<PlaceName, string>()
  let good: Uint8Array | undefined
  for (const { name, store } of context.vault.places) {
    try {
      if (!(await store.has(result.sha256))) continue
      const bytes = await store.read(result.sha256)
      if (bytes) goodIn.push(name)
      else damaged.push(name)
      good ??= bytes
    } catch (error) {
      unreadable.set(name, (error as Error).message)
    }
  }
  return { good, goodIn, damaged, unreadable }
}

/**
 * Repairs one result.
 *
 * @param refetch Fetches it from the service. It returns the reason why not, or undefined if the result is
 *   here.
 * @returns Undefined if there was nothing to do.
 */
async function mend(
  context: Context,
  refetch: (result: StoredResult) => Promise<string | undefined>,
  result: StoredResult,
  copies: Copies,
  isOwed: boolean,
): Promise<VerifiedResult | undefined> {
  const { good, goodIn, damaged, unreadable } = copies
  const troubles = [...unreadable].map(([name, why]) => `${name}: ${why}`)
  const finding = (outcome: VerifiedResult['outcome'], ...words: readonly string[]): VerifiedResult => ({
    sha256: result.sha256,
    ids: idsOf(result),
    outcome,
    damaged,
    words: words.join('; '),
  })
  if (good) {
    const lacking = context.vault.places.filter((place) => isToMend(place, copies))
    if (lacking.length === 0) return undefined
    for (const { store } of lacking) {
      const trouble = await tryPut(store, good)
      if (trouble !== undefined) return finding('unmended', trouble, ...troubles)
    }
    return finding('mended', `copied from the good one (${goodIn.join(', ')})`, ...troubles)
  }
  if (!isOwed && damaged.length === 0 && troubles.length === 0)
    return finding('absent', 'no present spec asks for it; to fetch it anyway, give its name or hash')
  const why = await refetch(result)
  if (why !== undefined) return finding('unmended', why, ...troubles)
  return finding('mended', 'fetched again from the service, free of charge', ...troubles)
}

/** The places with an unusable copy, and the project if a whole copy had to be stored elsewhere. */
function isToMend({ name }: VaultPlace, { damaged, unreadable, goodIn }: Copies): boolean {
  if (name === 'rescue') return false
  return damaged.includes(name) || unreadable.has(name) || (name === 'project' && goodIn.includes('rescue') && !goodIn.includes('project'))
}

async function tryPut(store: VaultPlace['store'], bytes: Uint8Array): Promise<string | undefined> {
  try {
    await store.put(bytes)
    return undefined
  } catch (error) {
    return `a good copy is here, and ${store.folder} did not take it: ${(error as Error).message}`
  }
}

/**
 * Opens a whole result. If it cannot be read and a spec asks for it, fetches it again.
 *
 * @returns Undefined if it can be read.
 */
async function open(
  context: Context,
  connection: ServiceConnection,
  result: StoredResult,
  { good }: Copies,
  { onFetch = () => {}, signal }: VerifyRequest & { readonly signal: AbortSignal },
): Promise<VerifiedResult | undefined> {
  const why = good && faultOfStored(context, result, good)
  if (why === undefined) return undefined
  const ids = idsOf(result)
  const finding = (outcome: VerifiedResult['outcome'], words: string): VerifiedResult => ({
    sha256: result.sha256,
    ids,
    outcome,
    damaged: [],
    words: `it cannot be read: ${why} ${words}`,
  })
  const use = result.uses.find(({ state }) => state === 'used')
  if (!use) return finding('unreadable', 'No present spec asks for it; npx spritewright store prune deletes it by its hash.')
  onFetch(ids)
  const now = await regain(context, connection, use.request, signal)
  if (now.why !== undefined) return finding('unmended', now.why)
  return finding('mended', `It was fetched again, free of charge, as ${now.sha256?.slice(0, 12)}; this copy is kept.`)
}
