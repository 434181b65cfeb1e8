import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createLedger, type Ledger } from '../credit/ledger.ts'
import type { KeyRing } from '../credit/signing-key.ts'
import type { Host } from '../host/host.ts'
import { createJournal, type Journal } from '../job/records/journal.ts'
import { createReservations, type Reservations } from '../job/records/reservations.ts'
import type { Credentials } from '../options/credentials.ts'
import { type KeySearch, refuseKey, searchFor } from '../options/key-search.ts'
import type { ResolvedOptions } from '../options/options.ts'
import { type BuildCache, createBuildCache } from '../sheets/cache/cache.ts'
import { createVault, type Vault } from '../vault/layers.ts'
import { createLockStore, type LockStore } from '../vault/lock-store.ts'
import type { TexturePackage } from './packages.ts'
import { type CheckoutName, openCheckoutName } from './trust/checkout.ts'
import { openTrustedHosts, type TrustedHosts } from './trust/hosts.ts'
import { openKeyRing } from './trust/key-ring.ts'
import { openProjectTotal, type ProjectTotal } from './trust/project-total.ts'
import { openStandingFile, type StandingFile } from './trust/standing-file.ts'

/** What every part of the workshop works with: the world, the options, and the project's papers. */
export interface Context {
  readonly host: Host
  readonly options: ResolvedOptions
  readonly credentials: Credentials
  /** Finds the key of `credentials` in what is shown, shipped or written. */
  readonly keySearch: KeySearch
  /** Folder of results, journal and ledger, absolute. */
  readonly storeFolder: string
  /** Folder of the journal's second copy, outside the project; undefined where none is kept. */
  readonly copyFolder: string | undefined
  /** Names where the service's address stands, if a configuration gives it: the name of its file. */
  readonly configSource: string
  /** The user's own signing key. */
  readonly keys: KeyRing
  /** Name of this checkout's journal. */
  readonly checkout: CheckoutName
  /** Addresses that the user has confirmed for the API key. */
  readonly hosts: TrustedHosts
  /** Standing ceilings that the user has accepted for this project. */
  readonly standing: StandingFile
  /** Limit of everything that this project buys. */
  readonly total: ProjectTotal
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
 * @param project.name Of its `package.json`: two projects may stand at one path, one after the other or in two containers.
 */
export function openContext(
  host: Host,
  options: ResolvedOptions,
  credentials: Credentials,
  project: { readonly name: string | undefined; readonly configSource: string },
): Context {
  const warnings: string[] = []
  const storeFolder = options.store.dir
  const place = placeId(options.root, project.name)
  const copyFolder = journalCopy(host, options, place)
  const warn = (message: string): void => void (warnings.includes(message) || warnings.push(message))
  const { root } = options
  const keySearch = searchFor(credentials.key?.reveal())
  const check = (bytes: Uint8Array, path: string): void => refuseKey(keySearch, bytes, path)
  const places = { folder: join(storeFolder, 'submissions'), root, copy: copyFolder && join(copyFolder, 'submissions'), warn, check }
  const keys = openKeyRing(host)
  const standing = openStandingFile(host, keys, place)
  const ports = { disk: host.disk, random: host.random, clock: host.clock, keys }
  const journal = createJournal(ports, places)
  const turn = { path: join(storeFolder, 'submissions', 'turn'), clock: host.clock }
  const lock = createLockStore(host, join(options.root, 'sprites.lock.json'), turn, check)
  const total = openProjectTotal(options.approval.total, standing)
  return {
    host,
    options,
    credentials,
    keySearch,
    storeFolder,
    copyFolder,
    configSource: project.configSource,
    keys,
    checkout: openCheckoutName(host, keys, { own: storeFolder, copy: copyFolder }),
    hosts: openTrustedHosts(host),
    standing,
    total,
    lock,
    vault: createVault(host, { local: storeFolder, root, shared: options.store.shared, rescue: rescueFolders(host, place) }, warn),
    journal,
    reservations: createReservations(ports, places, { journal, lock }, total.read, total.howToRaise),
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
