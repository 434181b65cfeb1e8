import { hasCode } from '../../errors.ts'
import { isUnsent } from '../../job/records/submission.ts'
import type { Context } from '../../project/context.ts'
import type { KnownService } from '../../project/plan.ts'
import { entriesByHash, isNamed } from '../../project/recovery/unasked.ts'
import { survey } from '../../project/survey.ts'
import type { LockChange } from '../../vault/lock-store.ts'
import { approvedIds, findEntry, type LockEntry, type LockFile } from '../../vault/lockfile.ts'
import { revokeApprovals } from './approvals.ts'

/** The result of taking approvals back. */
export interface RevokeReport {
  /** Ids whose approvals start nothing any more. */
  readonly revoked: readonly string[]
  /** Ids that were sent already. They go on, and nothing is sent after them if they fail. */
  readonly inFlight: readonly string[]
}

/**
 * Takes approvals back: the journal remembers it first, then the lock file loses them. Requests of earlier versions
 * of the specs are included. Sends nothing.
 *
 * @param names Of sprites or animations; empty for all.
 * @throws `SW_USAGE` for an unknown name.
 */
export async function revoke(context: Context, known: KnownService, names: readonly string[]): Promise<RevokeReport> {
  const lock = await context.lock.read()
  const ids = new Map([...entriesByHash(lock)].flatMap(([hash, { id }]) => (isNamed(names, id) ? [[hash, id] as const] : [])))
  const found = await survey(context, names, known).catch((error: unknown) => {
    // A sprite that was removed from the project still has its name in the lock file.
    if (ids.size > 0 && hasCode(error, 'SW_USAGE')) return undefined
    throw error
  })
  for (const { hash, id } of [...(found?.steps ?? []), ...(found?.items ?? [])]) if (hash !== undefined) ids.set(hash, id)
  const report = { revoked: [] as string[], inFlight: [] as string[] }
  const changes: LockChange[] = []
  for (const [hash, id] of [...ids].sort(([, a], [, b]) => (a < b ? -1 : 1))) {
    const entry = findEntry(lock, id, hash)
    const { newest, stored } = (await context.journal.read(hash)).submission
    const isGiven = entry?.approval !== undefined || newest?.isRevoked === false
    if (!isGiven || stored || entry?.result) continue
    // Also for one in flight: if it fails, nothing is sent after it.
    const { accepted, failed, abandoned, sends } = await revokeApprovals(context, hash, entry?.approval?.at)
    const isOpen = (accepted ?? entry?.execution) !== undefined || !isUnsent(sends)
    if (isOpen && !failed && !abandoned) report.inFlight.push(id)
    else {
      report.revoked.push(id)
      changes.push(...withoutApproval(lock, hash))
    }
  }
  await context.lock.changeAll(changes)
  return report
}

/** Removes the approval of a request from every entry that has it. */
function withoutApproval(lock: LockFile, hash: string): readonly LockChange[] {
  const change = (entry: LockEntry | undefined): LockEntry => ({ ...(entry as LockEntry), approval: undefined })
  return approvedIds(lock, hash).map((id) => ({ id, hash, change }))
}
