import { inParallel } from '../../host/in-parallel.ts'
import { settle } from '../../job/delivery/deliver.ts'
import type { ProgressListener } from '../../job/order.ts'
import type { Context } from '../../project/context.ts'
import type { Survey } from '../../project/survey.ts'
import type { ServiceIdentity } from '../../sprite-spec/request.ts'
import type { LockChange } from '../../vault/lock-store.ts'
import { findEntry, findOwnEntry } from '../../vault/lockfile.ts'

/**
 * Writes results that are stored here into the lock file if only the journal, or an entry under another name,
 * has them. That happens after a crash between the two, after another process has overwritten a change, after
 * a rename, or after an edit by hand. Other checkouts see the lock file alone.
 *
 * @param identity Of the service that answered in this run. Results without a lock entry were found under it.
 */
export async function reconcileLock(context: Context, found: Survey, identity?: ServiceIdentity): Promise<void> {
  const ports = { lock: context.lock, ledger: context.ledger, clock: context.host.clock }
  const changes: LockChange[] = []
  for (const { id, hash, state, request, result: bought } of [...found.items, ...found.steps]) {
    const entry = hash === undefined ? undefined : findEntry(found.lock, id, hash)
    if (state !== 'bought' || hash === undefined || findOwnEntry(found.lock, id, hash)?.result?.sha256 === bought) continue
    const service = entry?.service ?? identity
    if (!service) continue
    const { result, execution } = entry ?? {}
    if (entry && result?.sha256 === bought)
      changes.push({ id, hash, change: (now) => (now?.result ? now : { ...entry, ...now, execution, result }) })
    else await settle(ports, { hash, request, identity: service, approval: undefined }, await context.journal.read(hash))
  }
  if (changes.length > 0) await context.lock.changeAll(changes)
}

/**
 * Copies bought results into the project that only another place of the vault has: the shared store, or a place
 * outside the project, which is not committed and may be cleared by the system. If the project's folder still
 * takes nothing, that is a warning.
 *
 * @returns Whether all of them could be read. If not, their state has changed.
 */
export async function bringHome(
  context: Context,
  found: Survey,
  { onProgress = () => {}, signal }: { readonly onProgress?: ProgressListener | undefined; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  const { places } = context.vault
  const home = places.find(({ name }) => name === 'project')?.store
  const abroad: { readonly id: string; readonly result: string }[] = []
  for (const { id, state, result } of [...found.items, ...found.steps])
    if (state === 'bought' && result !== undefined && home && !(await home.has(result))) abroad.push({ id, result })
  const read = await inParallel(abroad, async ({ id, result }) => {
    signal?.throwIfAborted()
    onProgress({ id, phase: 'downloading', message: 'bought before' })
    if (!(await context.vault.read(result))) return false
    onProgress({ id, phase: 'bought' })
    if (await home?.has(result)) return true
    for (const { name, store } of places)
      if (name === 'rescue' && (await store.has(result)))
        context.warnings.push(
          `The result of "${id}" is not in ${home?.folder}, which takes no more files. Make room and build again. It is kept in ${store.folder}`,
        )
    return true
  })
  return read.every((isRead) => isRead)
}
