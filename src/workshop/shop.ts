import { join } from 'node:path'
import { type BuildCache, createBuildCache } from '../build/cache.ts'
import type { Credentials } from '../credentials.ts'
import { createLedger, type Ledger } from '../credit/ledger.ts'
import type { Host } from '../host/host.ts'
import { publish } from '../host/publish.ts'
import { createJournal, type Journal } from '../job/journal.ts'
import type { ResolvedOptions } from '../options.ts'
import { createVault } from '../vault/layers.ts'
import { createLockStore, type LockStore } from '../vault/lockfile.ts'
import type { ObjectStore } from '../vault/objects.ts'

/** What every part of the workshop works with: the world, the options, and the project's papers. */
export interface Shop {
  readonly host: Host
  readonly options: ResolvedOptions
  readonly credentials: Credentials
  /** Folder of results, journal and ledger, absolute. */
  readonly storeFolder: string
  readonly lock: LockStore
  readonly vault: ObjectStore
  readonly journal: Journal
  readonly ledger: Ledger
  readonly cache: BuildCache
  /** Sentences for a person, in the order in which they came up; each once. */
  readonly warnings: string[]
}

/** Lays out the project's papers; nothing is touched on disk. */
export function openShop(host: Host, options: ResolvedOptions, credentials: Credentials): Shop {
  const warnings: string[] = []
  const storeFolder = options.store.dir
  const warn = (message: string): void => void (warnings.includes(message) || warnings.push(message))
  return {
    host,
    options,
    credentials,
    storeFolder,
    lock: createLockStore(host, join(options.root, 'sprites.lock.json')),
    vault: createVault(host, { local: storeFolder, ...(options.store.shared === undefined ? {} : { shared: options.store.shared }) }, warn),
    journal: createJournal(host, join(storeFolder, 'submissions')),
    ledger: createLedger(host.disk, join(storeFolder, 'ledger.jsonl')),
    cache: createBuildCache(host, join(options.root, 'node_modules', '.cache', 'spritewright')),
    warnings,
  }
}

/**
 * The name of this checkout's journal, as approvals name their buyer: `SPRITEWRIGHT_BUYER`, or a random id made once. It is also the salt of the API key's fingerprint.
 */
export async function readBuyer(shop: Shop): Promise<string> {
  const named = shop.host.env.SPRITEWRIGHT_BUYER?.trim()
  if (named) return named
  const path = join(shop.storeFolder, 'buyer')
  await publishOnce(shop, path)
  return new TextDecoder().decode(await shop.host.disk.read(path)).trim()
}

async function publishOnce(shop: Shop, path: string): Promise<void> {
  if (await shop.host.disk.stat(path)) return
  await publish(shop.host.disk, shop.host.random, path, new TextEncoder().encode(`${shop.host.random.uuid()}\n`))
}
