import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type BuildCache, createBuildCache } from '../build/cache.ts'
import type { Credentials } from '../credentials.ts'
import { createLedger, type Ledger } from '../credit/ledger.ts'
import type { Host } from '../host/host.ts'
import { publish } from '../host/publish.ts'
import { createJournal, type Journal } from '../job/journal.ts'
import { createReservations, type Reservations } from '../job/reservations.ts'
import type { ResolvedOptions } from '../options.ts'
import { createVault, type Vault } from '../vault/layers.ts'
import { createLockStore, type LockStore } from '../vault/lock-store.ts'
import type { TexturePackage } from './packages.ts'

/** What every part of the workshop works with: the world, the options, and the project's papers. */
export interface Shop {
  readonly host: Host
  readonly options: ResolvedOptions
  readonly credentials: Credentials
  /** Folder of results, journal and ledger, absolute. */
  readonly storeFolder: string
  /** Folder of the second copy of journal and buyer, outside the project; undefined where none is kept. */
  readonly copyFolder: string | undefined
  readonly lock: LockStore
  readonly vault: Vault
  readonly journal: Journal
  readonly ledger: Ledger
  readonly reservations: Reservations
  readonly cache: BuildCache
  /** Version of sharp, which reads, scales and encodes pictures; absent where it is not told. */
  readonly codec?: string | undefined
  /** What encodes KTX2; absent where nothing asks for it. */
  readonly textures?: TexturePackage | undefined
  /** Sentences for a person, in the order in which they came up; each once. */
  readonly warnings: string[]
}

/**
 * Lays out the project's papers; nothing is touched on disk.
 *
 * @param projectName Of its `package.json`: two projects may stand at one path, one after the other or in two containers.
 */
export function openShop(host: Host, options: ResolvedOptions, credentials: Credentials, projectName?: string): Shop {
  const warnings: string[] = []
  const storeFolder = options.store.dir
  const place = placeId(options.root, projectName)
  const copyFolder = journalCopy(host, options, place)
  const warn = (message: string): void => void (warnings.includes(message) || warnings.push(message))
  const { root } = options
  const places = { folder: join(storeFolder, 'submissions'), root, copy: copyFolder && join(copyFolder, 'submissions'), warn }
  const journal = createJournal(host, places)
  const lock = createLockStore(host, join(options.root, 'sprites.lock.json'), {
    path: join(storeFolder, 'submissions', 'turn'),
    clock: host.clock,
  })
  return {
    host,
    options,
    credentials,
    storeFolder,
    copyFolder,
    lock,
    vault: createVault(host, { local: storeFolder, root, shared: options.store.shared, rescue: rescueFolders(host, place) }, warn),
    journal,
    reservations: createReservations(host, places, { journal, lock }, options.approval.total),
    ledger: createLedger(host.disk, join(storeFolder, 'ledger.jsonl')),
    cache: createBuildCache(
      { disk: host.disk, random: host.random, clock: host.clock, warn },
      join(root, 'node_modules', '.cache', 'spritewright'),
      options.cache.maxBytes,
    ),
    warnings,
  }
}

/** Where a paid result of this project goes that its own folder does not take. */
function rescueFolders(host: Pick<Host, 'stateFolder' | 'tempFolder'>, place: string): readonly string[] {
  return [join(host.stateFolder, 'journals', place, 'results'), join(host.tempFolder, `spritewright-${place}`)]
}

/** A name for a project by its place and its own name, so that what belongs to it is found again after everything in it that is not committed is gone. */
function placeId(root: string, projectName: string | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([root, projectName ?? null]))
    .digest('hex')
    .slice(0, 16)
}

/** The embedded service lives in the project and goes with it: nothing of it is kept outside. */
function journalCopy(host: Host, options: ResolvedOptions, place: string): string | undefined {
  return options.service === 'embedded' ? undefined : join(host.stateFolder, 'journals', place)
}

/**
 * The name of this checkout's journal, as approvals name their buyer: `SPRITEWRIGHT_BUYER`, or a random id made once.
 */
export async function readBuyer(shop: Shop): Promise<string> {
  const named = shop.host.env.SPRITEWRIGHT_BUYER?.trim()
  if (named) return named
  const path = join(shop.storeFolder, 'buyer')
  const copy = shop.copyFolder === undefined ? undefined : join(shop.copyFolder, 'buyer')
  const own = (await readName(shop, path)) ?? (copy === undefined ? undefined : await readName(shop, copy)) ?? shop.host.random.uuid()
  await publishOnce(shop, path, own)
  const buyer = (await readName(shop, path)) ?? own
  // The copy is for the day on which the first is gone; a state folder that cannot be written costs nothing today.
  if (copy !== undefined) await publishOnce(shop, copy, buyer).catch(() => {})
  return buyer
}

async function readName(shop: Shop, path: string): Promise<string | undefined> {
  if (!(await shop.host.disk.stat(path))) return undefined
  return new TextDecoder().decode(await shop.host.disk.read(path)).trim() || undefined
}

async function publishOnce(shop: Shop, path: string, name: string): Promise<void> {
  if (await shop.host.disk.stat(path)) return
  await publish(shop.host.disk, shop.host.random, path, new TextEncoder().encode(`${name}\n`))
}
