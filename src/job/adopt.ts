import { findEntry } from '../vault/lockfile.ts'
import type { JournalView } from './journal.ts'
import type { JobPorts, Order } from './order.ts'

/** An execution that only the lock file knows (another machine, or a journal that is gone) is taken over: from there on only GET. */
export async function adoptExecution(ports: Pick<JobPorts, 'journal' | 'lock'>, order: Order, view: JournalView): Promise<JournalView> {
  const { accepted, stored, attempt, abandoned } = view.submission
  if (accepted || stored || abandoned?.about === 'execution') return view
  const entry = findEntry(await ports.lock.read(), order.request.id, order.hash)
  if (!entry?.execution || (entry.submission !== undefined && entry.submission.attempt < attempt)) return view
  const body = {
    attempt: entry.submission?.attempt ?? Math.max(attempt, 1),
    executionId: entry.execution.id,
    conversationId: entry.execution.conversation,
    approvedAt: entry.approval?.at ?? null,
  }
  return (
    (await ports.journal.append(order.hash, view, 'accepted', body)) ?? adoptExecution(ports, order, await ports.journal.read(order.hash))
  )
}
