import { settle } from '../job/deliver.ts'
import { findEntry, findOwnEntry, type LockChange } from '../vault/lockfile.ts'
import type { Shop } from './shop.ts'
import type { Survey } from './survey.ts'

/**
 * Writes into the lock file what only the journal, or an entry under another name, knows of results that are here: after a crash between the two, after another
 * process has overwritten a change, after a rename. Other checkouts see the lock file alone.
 */
export async function mendLock(shop: Shop, found: Survey): Promise<void> {
  const ports = { lock: shop.lock, ledger: shop.ledger, clock: shop.host.clock }
  const changes: LockChange[] = []
  for (const { id, hash, state, request } of [...found.items, ...found.steps]) {
    const entry = hash === undefined ? undefined : findEntry(found.lock, id, hash)
    if (state !== 'bought' || hash === undefined || !entry || findOwnEntry(found.lock, id, hash)?.result) continue
    const { result, execution } = entry
    if (result) changes.push({ id, hash, change: (now) => (now?.result ? now : { ...entry, ...now, execution, result }) })
    else await settle(ports, { hash, request, identity: entry.service, approval: undefined }, await shop.journal.read(hash))
  }
  if (changes.length > 0) await shop.lock.changeAll(changes)
}
