import { type Credits, parseCredits } from '../../credit/credits.ts'
import { knowledgeOf, type LockEntry, type LockFile } from '../../vault/lockfile.ts'
import { type Journal, type JournalView, readUnlessBroken } from './journal.ts'
import { isTakenOver } from './record.ts'
import { keyOf, type Reservation } from './shares.ts'

/**
 * Sums the purchases in the lock file that our reservations do not count: requests that only other machines
 * bought, and requests that both they and this journal may have bought. All machines use the same idempotency
 * key for a request, so the two purchases may be one execution. They are one execution if the service answered one
 * of this journal's POSTs with it.
 *
 * @param taken The shares in the reservation chain.
 * @param isOurs Whether the service answered a POST of this journal with the execution.
 * @param takenOver Number of executions of earlier attempts that were taken over and may be charged.
 */
export async function boughtElsewhere(
  lock: LockFile,
  taken: ReadonlyMap<string, Reservation>,
  isOurs: (hash: string, execution: LockExecution) => Promise<boolean>,
  takenOver: (hash: string, before: number) => Promise<number>,
): Promise<Credits> {
  // A request with two names was bought once. The entry that is further in the purchase counts.
  const entries = new Map<string, readonly [hash: string, entry: LockEntry]>()
  for (const [hash, entry] of [...Object.values(lock.animations), lock.steps ?? {}].flatMap((requests) => Object.entries(requests))) {
    const key = keyOf({ hash, attempt: entry.submission?.attempt ?? 0 })
    const before = entries.get(key)
    if (before === undefined || knowledgeOf(entry) > knowledgeOf(before[1])) entries.set(key, [hash, entry])
  }
  let sum: Credits = 0n
  for (const [hash, { submission, execution, result }] of entries.values()) {
    if (!submission || !(execution ?? result)) continue
    const credits = parseCredits(submission.maxCredits)
    // The attempt in the lock file has replaced the earlier ones, which cost about the same.
    if (submission.attempt > 1) sum += credits * BigInt(await takenOver(hash, submission.attempt))
    const isTaken = taken.has(keyOf({ hash, attempt: submission.attempt }))
    // Anybody may have written the record of our POST, so the record alone does not exclude the purchase from this
    // sum. With a share, the sum of the shares already counts the purchase.
    if (isTaken && (execution === undefined || (await isOurs(hash, execution)))) continue
    sum += credits
  }
  return sum
}

/** An execution in the lock file. */
export type LockExecution = NonNullable<LockEntry['execution']>

/**
 * Whether an execution, or one of its conversation, was the answer to a POST of ours. If the chain is broken, the
 * execution counts as ours, because its share counts too.
 */
export async function wasAnswered(journal: Pick<Journal, 'read'>, hash: string, { id, conversation }: LockExecution): Promise<boolean> {
  const view = await readUnlessBroken(journal, hash)
  if (!view) return true
  return view.records.some(
    (record) =>
      (record.type === 'answerAccepted' || (record.type === 'accepted' && !isTakenOver(record.body))) &&
      (record.body.executionId === id || (conversation !== null && record.body.conversationId === conversation)),
  )
}

/**
 * Counts executions of other machines that were taken over and did not fail, from attempts before the attempt in the
 * lock file. A person gave these executions up, and they may be charged.
 */
export function countTakenOver(view: JournalView | undefined, before: number): number {
  const records = view?.records ?? []
  const hasFailed = (id: string): boolean => records.some((record) => record.type === 'failed' && record.body.executionId === id)
  return records.filter(
    (record) =>
      record.type === 'accepted' && isTakenOver(record.body) && record.body.attempt < before && !hasFailed(record.body.executionId),
  ).length
}
