import { findEntry, type LockEntry } from '../vault/lockfile.ts'
import { decide } from './decision.ts'
import { factsNow, type JobPorts, type Order } from './order.ts'
import type { JournalView } from './records/journal.ts'
import type { Submission } from './records/submission.ts'

/**
 * Takes over an execution that only the lock file knows: another machine started it, or the journal is gone.
 * After that the execution is only read (GET).
 *
 * @param isLeft Whether an answer that was given elsewhere has started an execution that replaces the
 * journal's one.
 */
export async function adoptExecution(
  ports: Pick<JobPorts, 'journal' | 'lock' | 'clock' | 'windowMs' | 'client' | 'mayReplay'>,
  order: Order,
  view: JournalView,
  isLeft = false,
): Promise<JournalView> {
  // A POST of our own may be repeated. Its answer names the execution that the POST started. That execution
  // may differ from the one in the lock file.
  if (ports.mayReplay && !view.submission.accepted && decide(view.submission, factsNow(ports, order)).do === 'replay') return view
  const entry = findEntry(await ports.lock.read(), order.request.id, order.hash)
  if (!entry?.execution || !mayAdopt(view.submission, entry, isLeft)) return view
  const body = {
    attempt: entry.submission?.attempt ?? Math.max(view.submission.attempt, 1),
    executionId: entry.execution.id,
    conversationId: entry.execution.conversation,
    // Whatever the file says, only an approval that is given from now on starts another attempt.
    approvedAt: new Date(ports.clock.wall()).toISOString(),
  }
  const next = await ports.journal.append(order.hash, view, 'accepted', body)
  return next ?? adoptExecution(ports, order, await ports.journal.read(order.hash), isLeft)
}

/**
 * Whether an entry's execution may be taken over. The journal must never have seen it, and it must be of this
 * attempt or a later one. The entry's execution may replace one that failed, was given up, or waits for an
 * answer. It may also replace one whose answer has started a further execution. It replaces no other
 * execution.
 */
export function mayAdopt(submission: Submission, entry: LockEntry, isLeft = false): boolean {
  const { attempt, accepted, completed, stored, failed, abandoned, question, executions } = submission
  if (!entry.execution || executions?.includes(entry.execution.id)) return false
  if ((entry.submission?.attempt ?? Math.max(attempt, 1)) < attempt) return false
  if (!accepted || failed || abandoned) return true
  return !completed && !stored && (isLeft || question !== undefined)
}
