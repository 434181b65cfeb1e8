import { basename, join } from 'node:path'
import type { Approvers } from '../credit/approval.ts'
import { createLedger, type Ledger } from '../credit/ledger.ts'
import type { KeyRing } from '../credit/signing-key.ts'
import type { Host } from '../host/host.ts'
import type { InstalledPackage } from '../host/modules/installed-package.ts'
import { sha256 } from '../host/sha256.ts'
import { createJournal, type Journal } from '../job/records/journal.ts'
import { createReservations, type Reservations } from '../job/records/reservations.ts'
import { type KeySearch, refuseKey, searchFor } from '../key-search.ts'
import type { Credentials } from '../options/credentials.ts'
import type { ResolvedOptions } from '../options/options.ts'
import { type BuildCache, createBuildCache } from '../sheets/cache/cache.ts'
import { noPatience, type Patience } from '../stores/patience.ts'
import type { RecordStore } from '../stores/record-store.ts'
import { createVault, type Vault } from '../vault/layers.ts'
import { lockName } from '../vault/lock-parts.ts'
import { createLockStore, type LockStore } from '../vault/lock-store.ts'
import { openPersonRequests, type PersonRequests } from './requests.ts'
import { openSharedJournal, openSharedResults } from './shared-stores.ts'
import { readApprovers } from './trust/approvers.ts'
import { type CheckoutName, openCheckoutName } from './trust/checkout.ts'
import { openTrustedHosts, type TrustedHosts } from './trust/hosts.ts'
import { openKeyRing } from './trust/key-ring.ts'
import { readOwnerLimits } from './trust/owner-limits.ts'
import { openProjectMemory, type ProjectMemory } from './trust/project-memory.ts'
import { openProjectTotal, type ProjectTotal } from './trust/project-total.ts'
import { openStandingFile, type StandingFile } from './trust/standing-file.ts'
import { openTouchKeys, type TouchKeys } from './trust/touch-keys.ts'

/** The host, the options and the stored files of one project. Every part of the workshop uses it. */
export interface Context {
  readonly host: Host
  /** Name of the project, for people: that of its `package.json`, or its folder. */
  readonly name: string
  readonly options: ResolvedOptions
  readonly credentials: Credentials
  /** Finds the API key of `credentials` in bytes that are shown, shipped or written. */
  readonly keySearch: KeySearch
  /** Folder of results, journal and ledger, absolute. */
  readonly storeFolder: string
  /** Folder of the journal's second copy, outside the project; `undefined` if none is kept. */
  readonly copyFolder: string | undefined
  /**
   * Name of the configuration file. Messages name it as the source of the service's address, if the
   * configuration gives that address.
   */
  readonly configSource: string
  /** The user's own signing key. */
  readonly keys: KeyRing
  /** Name of this checkout's journal. */
  readonly checkout: CheckoutName
  /** Facts about the project that this user's runs store, in addition to the journal. */
  readonly memory: ProjectMemory
  /** Authenticators whose touches count. */
  readonly touchKeys: TouchKeys
  /** Addresses that the user has confirmed for the API key. */
  readonly hosts: TrustedHosts
  /** Standing ceilings that the user has accepted for this project. */
  readonly standing: StandingFile
  /** Limit of all purchases of this project. */
  readonly total: ProjectTotal
  /** Reads the project's name in records, and the budgets of this machine's owner. */
  readonly limits: () => ReturnType<typeof readOwnerLimits>
  /** What programs ask a person to decide. */
  readonly requests: PersonRequests
  readonly lock: LockStore
  readonly vault: Vault
  readonly journal: Journal
  /** Store of the journal that a team shares; missing if this checkout has its own. */
  readonly sharedJournal?: RecordStore | undefined
  /** The waits for shared stores that do not answer. */
  readonly patience: Patience
  readonly ledger: Ledger
  readonly reservations: Reservations
  readonly cache: BuildCache
  /**
   * Versions of sharp, which reads, scales and encodes pictures, and of zlib; missing if they were not read.
   */
  readonly codec?: string | undefined
  /** Package that encodes KTX2; missing if no format needs it. */
  readonly textures?: InstalledPackage | undefined
  /** Warnings for a person, each once, in the order of their first occurrence. */
  readonly warnings: string[]
  /** Adds a warning, unless the list has it already. */
  readonly warn: (message: string) => void
  /** Files and folders of own art that were read, absolute. */
  readonly ownFiles: Set<string>
}

/**
 * Opens the stores of a project. Nothing is read or written on disk.
 *
 * @param project.name Name in its `package.json`. Two projects may have the same path, one after the other or in
 * two containers.
 * @param patience See {@link Context.patience}.
 * @default no call waits
 */
export function openContext(
  host: Host,
  options: ResolvedOptions,
  credentials: Credentials,
  project: { readonly name: string | undefined; readonly configSource: string },
  patience: Patience = noPatience,
): Context {
  const warnings: string[] = []
  const storeFolder = options.store.dir
  const place = placeId(options.root, project.name)
  const copyFolder = journalCopy(host, options, place)
  const warn = (message: string): void => void (warnings.includes(message) || warnings.push(message))
  const { root } = options
  const keySearch = searchFor(credentials.key?.reveal())
  const check = (bytes: Uint8Array, path: string): void => refuseKey(keySearch, bytes, path)
  const keys = openKeyRing(host)
  const sharedJournal =
    options.store.journal === undefined ? undefined : openSharedJournal(host, options.store.journal, options.root, patience)
  const checkout = openCheckoutName(host, keys, { own: storeFolder, copy: copyFolder }, sharedJournal)
  const memory = openProjectMemory(host, keys, place)
  const touchKeys = openTouchKeys(host, keys)
  const approvers = (): Promise<Approvers> => readApprovers({ host, keys, checkout, memory, touchKeys, options })
  const shared = sharedJournal && { store: sharedJournal, approvers }
  const folder = join(storeFolder, 'submissions')
  const places = { folder, root, copy: copyFolder && join(copyFolder, 'submissions'), warn, check, shared }
  const standing = openStandingFile(host, keys, place)
  const ports = { disk: host.disk, random: host.random, clock: host.clock, keys }
  const journal = createJournal(ports, places)
  const turn = { path: join(storeFolder, 'submissions', 'turn'), clock: host.clock }
  const lock = createLockStore(host, join(options.root, lockName), turn, check)
  const sharedResults = options.store.shared === undefined ? undefined : openSharedResults(host, options.store.shared, patience)
  const total = openProjectTotal(options.approval.total, standing, memory)
  const limits = () => readOwnerLimits(host, root, project.name)
  return {
    host,
    name: project.name ?? basename(options.root),
    options,
    credentials,
    keySearch,
    storeFolder,
    copyFolder,
    configSource: project.configSource,
    keys,
    checkout,
    memory,
    touchKeys,
    sharedJournal,
    hosts: openTrustedHosts(host),
    standing,
    total,
    requests: openPersonRequests(host, place),
    lock,
    vault: createVault(host, { local: storeFolder, root, shared: sharedResults, rescue: rescueFolders(host, place) }, warn),
    journal,
    limits,
    reservations: createReservations(ports, places, { journal, lock }, total.read, total.howToRaise, limits),
    patience,
    ledger: createLedger(host.disk, join(storeFolder, 'ledger.jsonl')),
    cache: createBuildCache(
      { disk: host.disk, random: host.random, clock: host.clock, warn },
      join(root, 'node_modules', '.cache', 'spritewright'),
      options.cache.maxBytes,
    ),
    warnings,
    warn,
    ownFiles: new Set(),
  }
}

/** Folders for a paid result that cannot be written to the project's own folder. */
function rescueFolders(host: Pick<Host, 'stateFolder' | 'tempFolder'>, place: string): readonly string[] {
  return [join(host.stateFolder, 'journals', place, 'results'), join(host.tempFolder, `spritewright-${place}`)]
}

/**
 * Names a project by its path and its own name. By this name, data outside the project is found again after all
 * uncommitted files were deleted.
 */
function placeId(root: string, projectName: string | undefined): string {
  return sha256(JSON.stringify([root, projectName ?? null])).slice(0, 16)
}

/**
 * Folder of the journal's second copy. The embedded service's state is deleted with the project, so its
 * journal has no copy outside: `undefined`.
 */
function journalCopy(host: Host, options: ResolvedOptions, place: string): string | undefined {
  return options.service === 'embedded' ? undefined : join(host.stateFolder, 'journals', place)
}
