import type { Order } from '../job/order.ts'
import type { PaidRequest, ServiceIdentity } from '../spec/request.ts'
import { isStepId, type LockEntry, type LockFile } from '../vault/lockfile.ts'
import type { Shop } from './shop.ts'

/** A request that no spec asks for any more (its prompt was edited, its sprite renamed or deleted), by what the lock file says of it. */
export interface Orphan {
  /** As it was called when it was sent. */
  readonly id: string
  readonly hash: string
  readonly entry: LockEntry
}

/**
 * Requests in flight that no spec asks for: paid, or perhaps paid, and still to be fetched.
 *
 * @param names Of sprites or animations; empty for all.
 * @param asked Hashes that the specs of those names ask for.
 */
export async function listOrphans(shop: Shop, names: readonly string[], asked: ReadonlySet<string>): Promise<readonly Orphan[]> {
  const isNamed = (id: string): boolean => names.length === 0 || names.includes(id) || names.includes(id.split(/[.#]/)[0] ?? id)

  const entries = entriesByHash(await shop.lock.read())
  const orphans: Orphan[] = []
  for (const hash of await shop.journal.requests()) {
    const found = entries.get(hash)
    if (asked.has(hash) || !found || found.entry.result || !isNamed(found.id)) continue
    const { accepted, stored, failed, abandoned, sends } = (await shop.journal.read(hash)).submission
    const isOpen = accepted !== undefined || sends.some((send) => send.answer.kind !== 'refused')
    if (isOpen && !stored && !failed && !abandoned) orphans.push({ ...found, hash })
  }
  return orphans
}

function entriesByHash(lock: LockFile): ReadonlyMap<string, { readonly id: string; readonly entry: LockEntry }> {
  const animations = Object.entries(lock.animations).flatMap(([id, requests]) =>
    Object.entries(requests).map(([hash, entry]) => [hash, { id, entry }] as const),
  )
  const steps = Object.entries(lock.steps ?? {}).map(([hash, entry]) => [hash, { id: `step#${hash.slice(0, 8)}`, entry }] as const)
  return new Map([...steps, ...animations])
}

/** Orders that bring orphans home. They carry no approval: nothing new is ever sent for them. */
export async function findOrphans(
  shop: Shop,
  names: readonly string[],
  asked: ReadonlySet<string>,
  identity: ServiceIdentity,
): Promise<readonly Order[]> {
  const isHere = ({ service }: LockEntry): boolean => service.host === identity.host && service.keyMode === identity.keyMode
  return (await listOrphans(shop, names, asked))
    .filter(({ entry }) => isHere(entry))
    .map(({ id, hash, entry }) => ({ hash, identity: entry.service, request: toRequest(id, entry), approval: undefined }))
}

/** The request as the lock file remembers it: enough to name it and to look at what is delivered, never enough to send it. */
function toRequest(id: string, { asked }: LockEntry): PaidRequest {
  const { prompt, operation, frames, background, options, take, reference } = asked
  const from = { kind: 'file' as const, sha256: reference ?? '' }
  if (isStepId(id))
    return { operation: (operation ?? 'text_to_image') as 'text_to_image', id, prompt, ...(reference ? { reference: from } : {}) }
  return {
    operation: 'sprite_sheet',
    id,
    prompt,
    reference: from,
    frames: frames ?? 0,
    background: background ?? 'remove',
    take: take ?? 1,
    ...(options ? { options } : {}),
  }
}
