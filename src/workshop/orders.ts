import { join } from 'node:path'
import type { Approval } from '../credit/approval.ts'
import { parseCredits } from '../credit/credits.ts'
import type { JobPorts, Order } from '../job/order.ts'
import type { ProgressListener } from '../job/progress.ts'
import { createUploads } from '../job/uploads.ts'
import { requestHash } from '../spec/key.ts'
import { findEntry, type LockFile } from '../vault/lockfile.ts'
import type { Session } from './session.ts'
import { readBuyer, type Shop } from './shop.ts'
import type { Wish } from './survey.ts'

/** The approval that the lock file records for an item, if any. */
export function approvalOf(lock: LockFile, id: string, hash: string): Approval | undefined {
  const approval = findEntry(lock, id, hash)?.approval
  return approval && { ...approval, ceiling: parseCredits(approval.ceiling) }
}

/** An order for a wish, under the identity of the service that answers. */
export function toOrder(session: Session, wish: Wish, lock: LockFile): Order {
  const hash = requestHash(wish.request, session.identity)
  return {
    hash,
    request: wish.request,
    identity: session.identity,
    reference: { bytes: wish.reference.bytes, contentType: wish.reference.contentType },
    approval: approvalOf(lock, wish.request.id, hash),
  }
}

/** Everything that the job room works with, for one run. */
export async function toJobPorts(shop: Shop, session: Session, onProgress: ProgressListener, signal: AbortSignal): Promise<JobPorts> {
  const { host } = shop
  return {
    client: session.client,
    capabilities: session.capabilities,
    journal: shop.journal,
    lock: shop.lock,
    vault: shop.vault,
    ledger: shop.ledger,
    uploads: createUploads(
      { disk: host.disk, random: host.random, client: session.client },
      join(shop.storeFolder, 'uploads'),
      session.identity,
    ),
    clock: host.clock,
    random: host.random,
    windowMs: shop.options.replayWindowMs,
    keySalt: await readBuyer(shop),
    onProgress,
    signal,
  }
}
