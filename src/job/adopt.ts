import { findEntry, type LockEntry } from '../vault/lockfile.ts'
import { decide } from './decision.ts'
import { factsNow, type JobPorts, type Order } from './order.ts'
import type { JournalView } from './records/journal.ts'
import type { Submission } from './records/submission.ts'

/**
 * Takes over an execution that only the lock file names: another machine started it, or the journal was lost.
 * After that the execution is only read (GET).
 *
 * @param isLeft Whether an answer on another machine has started an execution that replaces the execution in the
 * journal.
 */
export async function adoptExecution(
  ports: Pick<JobPorts, 'journal' | 'lock' | 'clock' | 'windowMs' | 'client' | 'mayReplay'>,
  order: Order,
  view: JournalView,
  isLeft = false,
): Promise<JournalView> {
  // A POST of our own may be repeated. Its answer names the execution that the POST started, which may differ
  // from the execution in the lock file.
  if (ports.mayReplay && !view.submission.accepted && decide(view.submission, factsNow(ports, order)).do === 'replay') return view
  const entry = findEntry(await ports.lock.read(), order.request.id, order.hash)
  if (!entry?.execution || !mayAdopt(view.submission, entry, isLeft)) return view
  const body = {
    attempt: entry.submission?.attempt ?? Math.max(view.submission.attempt, 1),
    executionId: entry.execution.id,
    conversationId: entry.execution.conversation,
    // Only an approval that is given after this time starts another attempt, for every content of the file.
    approvedAt: new Date(ports.clock.wall()).toISOString(),
  }
  const next = await ports.journal.append(order.hash, view, 'accepted', body)
  return next ?? adoptExecution(ports, order, await ports.journal.read(order.hash), isLeft)
}

/**
 * Whether an entry's execution may be taken over. The journal must never have had this execution, and its attempt
 * must be the present one or a later one. The entry's execution may replace an execution that failed, was given up
 * or waits for an answer, or whose answer has started a further execution. It replaces no other execution.
 */
export function mayAdopt(submission: Submission, entry: LockEntry, isLeft = false): boolean {
  const { attempt, accepted, completed, stored, failed, abandoned, question, executions } = submission
  if (!entry.execution || executions?.includes(entry.execution.id)) return false
  if ((entry.submission?.attempt ?? Math.max(attempt, 1)) < attempt) return false
  if (!accepted || failed || abandoned) return true
  return !completed && !stored && (isLeft || question !== undefined)
}
