import { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import { regain } from '../../project/recovery/regain.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { hashPattern } from '../../vault/objects.ts'
import { findShared, readGood } from './copy.ts'
import { createFetcher, type Fetcher, faultOfStored } from './fetch.ts'
import { type Inventory, idsOf, takeInventory, withShared } from './inventory.ts'
import { narrow, type Selection, selectByNames } from './names.ts'
import type { PlaceName, PruneLine, PruneReport, PruneRequest, QuarantinedCopy, Recovery, StoredResult } from './reports.ts'

/** The named results, each once. */
interface Targets {
  readonly results: readonly StoredResult[]
  readonly quarantined: readonly QuarantinedCopy[]
}

/** Deletes named results. Without names, lists the results that could be named. See `ResultStore.prune`. */
export async function prune(
  context: Context,
  connection: ServiceConnection,
  request: PruneRequest,
  signal: AbortSignal,
): Promise<PruneReport> {
  const { fromShared = false } = request
  const read = async (): Promise<Inventory> => {
    const inventory = await readForSure(context, connection)
    return fromShared ? withNamedInShared(context, inventory, request.names) : inventory
  }
  const isMeant = (place: PlaceName): boolean => (place === 'shared') === fromShared
  const first = await read()
  if (request.names.length === 0) return listPrunable(first, isMeant)
  const kept = fromShared ? undefined : await replaceNamed(context, connection, first, request.names, signal)
  const inventory = kept === undefined ? first : await read()
  const targets = chooseTargets(inventory, request.names, isMeant, kept)
  const others = context.vault.places.map(({ name }) => name).filter((place) => !isMeant(place))
  const lines = await weigh(context, inventory, targets, others, createFetcher(context, connection, signal))
  if (request.force !== true) refuseLosses(lines)
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0)
  if (!(await request.confirm(lines))) return { lines, isDone: false, bytes }
  // A question may stay open for an hour, and a spec may be saved meanwhile.
  const names = [...targets.results.map((one) => one.sha256), ...targets.quarantined.map((one) => one.name)]
  const now = chooseTargets(await read(), names, isMeant)
  for (const result of now.results) {
    signal.throwIfAborted()
    for (const { name, store } of context.vault.places) if (isMeant(name)) await store.remove(result.sha256)
  }
  for (const copy of now.quarantined) await context.host.disk.remove(copy.path)
  return { lines, isDone: true, bytes }
}

/**
 * Refuses to prune with unreadable files.
 *
 * @throws If a spec or a chain of records cannot be read: the results that it wants would count as unwanted.
 */
async function readForSure(context: Context, connection: ServiceConnection): Promise<Inventory> {
  const inventory = await takeInventory(context, connection.host)
  if (inventory.errors.length === 1) throw inventory.errors[0]
  if (inventory.errors.length > 1) throw new AggregateError(inventory.errors, 'What is asked for cannot be read.')
  return inventory
}

/**
 * Adds the results that the names mean and the shared store has. Other projects use it too, so each of them is
 * named by its hash.
 *
 * @throws `SW_USAGE` if a name is no hash.
 */
async function withNamedInShared(context: Context, inventory: Inventory, names: readonly string[]): Promise<Inventory> {
  const shared = findShared(context)
  const other = names.find((name) => !/^[0-9a-f]{8,64}(?:\.[0-9a-f]{8})?$/.test(name))
  if (other !== undefined || names.length === 0) throw noHash(other)
  const known = new Set(inventory.results.map(({ sha256 }) => sha256))
  const unknown = names.filter((name) => hashPattern.test(name) && !known.has(name))
  const results: StoredResult[] = []
  for (const sha256 of unknown) if (await shared.store.has(sha256)) results.push({ sha256, state: 'unknown', uses: [], places: ['shared'] })
  for (const result of inventory.results)
    results.push(names.some((name) => result.sha256.startsWith(name)) ? await withShared(context, result) : result)
  return { ...inventory, results }
}

function listPrunable(inventory: Inventory, isMeant: (place: PlaceName) => boolean): PruneReport {
  const lines = [
    ...inventory.results.filter(({ state, places }) => state !== 'used' && places.some(isMeant)).map((result) => toLine(result)),
    ...inventory.quarantined.filter((copy) => isMeant(copy.place)).map((copy) => toQuarantineLine(copy)),
  ]
  return { lines, isDone: false, bytes: lines.reduce((sum, line) => sum + line.bytes, 0) }
}

function toLine(result: StoredResult, recovery?: Recovery): PruneLine {
  const { sha256, bytes = 0, state } = result
  return { name: sha256, ids: idsOf(result), bytes, state, recovery }
}

function toQuarantineLine(copy: QuarantinedCopy, recovery?: Recovery): PruneLine {
  return { name: copy.name, ids: [], bytes: copy.bytes, state: 'quarantined', recovery }
}

/**
 * Fetches named results again that a present spec wants and that cannot be read. A readable copy takes their
 * place in the records, so that the old one may be deleted.
 *
 * @returns The results that stay, with the reason. Undefined if all of them can be read.
 */
async function replaceNamed(
  context: Context,
  connection: ServiceConnection,
  inventory: Inventory,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  let isAny = false
  const kept = new Map<string, string>()
  for (const result of narrow(inventory, names)) {
    const use = result.uses.find(({ state }) => state === 'used')
    const bytes = use && (await context.vault.read(result.sha256))
    const fault = bytes && faultOfStored(context, result, bytes)
    if (!use || fault === undefined) continue
    isAny = true
    const now = await regain(context, connection, use.request, signal)
    if (now.why !== undefined) kept.set(result.sha256, `It cannot be read: ${fault} ${now.why.replace(/\.$/, '')}`)
  }
  return isAny ? kept : undefined
}

/**
 * Checks the named results.
 *
 * @param kept Why results that a spec wants could not be replaced.
 * @throws `SW_USAGE` for the first name whose results must not be deleted.
 */
function chooseTargets(
  inventory: Inventory,
  names: readonly string[],
  isMeant: (place: PlaceName) => boolean,
  kept: ReadonlyMap<string, string> = new Map(),
): Targets {
  const results = new Set<StoredResult>()
  const quarantined = new Set<QuarantinedCopy>()
  for (const selection of selectByNames(inventory, names)) {
    for (const copy of selection.quarantined) {
      if (!isMeant(copy.place)) throw refuse(selection, elsewhereWords(copy.place))
      quarantined.add(copy)
    }
    for (const result of chooseResults(selection, isMeant, kept)) results.add(result)
  }
  // Its damaged copies are deleted too. Otherwise a later verify would report it as missing.
  const hashes = new Set([...results].map((result) => result.sha256))
  for (const copy of inventory.quarantined) if (isMeant(copy.place) && hashes.has(copy.sha256)) quarantined.add(copy)
  return { results: [...results], quarantined: [...quarantined] }
}

/**
 * Selects results. A hash means exactly that result. A name means the results of its lock entries that no
 * spec wants; other takes stay.
 */
function chooseResults(
  selection: Selection,
  isMeant: (place: PlaceName) => boolean,
  kept: ReadonlyMap<string, string>,
): readonly StoredResult[] {
  const { isHash, results } = selection
  if (results.length === 0) return []
  if (isHash) {
    const [result] = results
    if (result?.state === 'used')
      throw refuse(selection, [`a present spec asks for it: ${idsOf(result).join(', ')}`, kept.get(result.sha256) ?? []].flat().join('. '))
    if (result && !result.places.some(isMeant)) throw refuse(selection, elsewhereWords(result.places[0]))
    return results
  }
  const superseded = results.filter(({ state, places }) => state === 'superseded' && places.some(isMeant))
  if (superseded.length > 0) return superseded
  const takes = results.filter((result) => result.state === 'take').length
  throw refuse(
    selection,
    takes > 0
      ? `its results here belong to a present spec, or to another take of it (${takes}); delete another take by its hash, see npx spritewright store prune`
      : 'a present spec asks for all of its results here',
  )
}

function elsewhereWords(place: PlaceName | undefined): string {
  if (place === undefined) return 'nobody has a copy of it'
  return place === 'shared'
    ? 'only the shared store has it, which other projects use too; with --shared it goes from there'
    : 'the shared store does not have it'
}

function noHash(found: string | undefined): SpritewrightError {
  return new SpritewrightError('SW_USAGE', {
    message: `Expected hashes with --shared, found ${found === undefined ? 'no name' : JSON.stringify(found)}: other projects use the shared store too. The hashes: npx spritewright store ls --json`,
    facts: { option: '--shared', found },
  })
}

function refuse({ name }: Selection, why: string): SpritewrightError {
  return new SpritewrightError('SW_USAGE', {
    message: `Expected a result that may be deleted, found ${JSON.stringify(name)}: ${why}. Nothing was deleted.`,
    facts: { name, why },
  })
}

/** @param others The places that keep their copies. */
async function weigh(
  context: Context,
  inventory: Inventory,
  targets: Targets,
  others: readonly PlaceName[],
  fetcher: Fetcher,
): Promise<readonly PruneLine[]> {
  const lines: PruneLine[] = []
  for (const result of targets.results) lines.push(toLine(result, await recoveryOf(context, result, others, fetcher)))
  for (const copy of targets.quarantined) {
    const along = lines.find((line) => line.name === copy.sha256)
    if (along) {
      lines.push(toQuarantineLine(copy, along.recovery))
      continue
    }
    const whole = inventory.results.find((result) => result.sha256 === copy.sha256)
    const isWhole = whole !== undefined && (await hasGoodCopy(context, whole, ['project', 'shared', 'rescue']))
    lines.push(toQuarantineLine(copy, isWhole ? 'copy' : 'none'))
  }
  return lines
}

async function recoveryOf(context: Context, result: StoredResult, others: readonly PlaceName[], fetcher: Fetcher): Promise<Recovery> {
  if (await hasGoodCopy(context, result, others)) return others.includes('shared') ? 'shared' : 'copy'
  const answer = await fetcher.ask(result)
  return answer.kind === 'kept' ? 'service' : answer.kind === 'unasked' ? 'unasked' : 'none'
}

/** Reads the other copy. A copy that exists by name alone is no reason to delete this one. */
async function hasGoodCopy({ vault }: Context, result: StoredResult, within: readonly PlaceName[]): Promise<boolean> {
  const places = vault.places.filter(({ name }) => within.includes(name))
  return (await readGood(result, places)) !== undefined
}

/**
 * Checks that deleted results can be had again.
 *
 * @throws `SW_USAGE` if one of them could not.
 */
function refuseLosses(lines: readonly PruneLine[]): void {
  const lost = lines.filter((line) => line.recovery === 'none')
  if (lost.length === 0) return
  const words = lost.map((line) => [line.name.slice(0, 12), ...line.ids].join(' ')).join(', ')
  throw new SpritewrightError('SW_USAGE', {
    message: `Nothing could restore ${words}: the service does not have it, or no execution id of it is recorded, and there is no other copy. Nothing was deleted. If it may be lost for good: --force`,
    facts: { names: lost.map((line) => line.name), option: '--force' },
  })
}
