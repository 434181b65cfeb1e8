import { SpritewrightError } from '../../errors.ts'
import type { Caller } from '../accounts/accounts.ts'
import { Refusal } from '../http/http.ts'
import type { EventRecord, ExecutionRecord, Put, Status } from '../store/records.ts'
import type { Store } from '../store/store.ts'

/** An event to add; what is not said is null, the status is the execution's own. */
export type NewEvent = Pick<EventRecord, 'kind'> & Partial<Omit<EventRecord, 'kind' | 'status'>>

/** Executions, moved only as the interface's table shows. */
export interface Executions {
  get(id: string): ExecutionRecord
  /** An execution of the caller's account. @throws {Refusal} `resource_not_found`, also for a deleted one; `access_denied` for another account's. */
  owned(caller: Caller, id: string): ExecutionRecord
  /** As {@link Executions.owned}, by the image job's public id. */
  ownedByJob(caller: Caller, jobId: string): ExecutionRecord
  /** Executions of a conversation of the caller's account, oldest first. @throws {Refusal} `resource_not_found` where there are none, whoever else has some. */
  ofConversation(caller: Caller, conversationId: string): ExecutionRecord[]
  /**
   * Changes an execution and adds events in one commit.
   *
   * @param also Further records of the same commit.
   * @throws `SW_INTERNAL` for a move that the table does not have.
   */
  advance(id: string, change: Partial<ExecutionRecord>, events: readonly NewEvent[], also?: readonly Put[]): ExecutionRecord
  /** An execution's event by its number from 1. */
  event(id: string, number: number): EventRecord
  /** Calls `wake` at the next event of an execution, once. @returns Takes the call back. */
  onEvent(id: string, wake: () => void): () => void
}

const moves: Readonly<Record<Status, readonly Status[]>> = {
  queued: ['queued', 'running', 'failed', 'cancelled'],
  running: ['running', 'needs_input', 'completed', 'failed', 'cancelled'],
  needs_input: ['needs_input', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

/** Whether nothing can come any more: it has ended, or its question was answered and another execution goes on. */
export function isOver({ status, followedBy }: ExecutionRecord): boolean {
  return moves[status].length === 0 || followedBy !== null
}

/** Executions over a store. */
export function createExecutions(store: Store): Executions {
  const waiters = new Map<string, Set<() => void>>()
  const all = (): ExecutionRecord[] => [...store.table('execution').values()]
  const get = (id: string): ExecutionRecord => {
    const found = store.table('execution').get(id)
    if (found === undefined) throw nothing()
    return found
  }
  const own = (caller: Caller, execution: ExecutionRecord | undefined): ExecutionRecord => {
    if (execution === undefined || execution.isDeleted) throw nothing()
    if (execution.accountId !== caller.account.id) throw new Refusal('access_denied', 'This key cannot access the execution.')
    return execution
  }
  return {
    get,
    owned: (caller, id) => own(caller, store.table('execution').get(id)),
    ownedByJob: (caller, jobId) =>
      own(
        caller,
        all().find((execution) => execution.jobId === jobId),
      ),
    ofConversation: (caller, conversationId) => {
      const found = all().filter((one) => one.conversationId === conversationId && one.accountId === caller.account.id && !one.isDeleted)
      if (found.length === 0) throw new Refusal('resource_not_found', 'There is no such conversation.')
      return found
    },
    advance: (id, change, events, also = []) => {
      const after = advance(store, get(id), change, events, also)
      const waking = waiters.get(id)
      waiters.delete(id)
      for (const wake of waking ?? []) wake()
      return after
    },
    event: (id, number) => store.table('event').get(`${id}/${number}`)!,
    onEvent: (id, wake) => {
      const waiting = waiters.get(id) ?? new Set()
      waiters.set(id, waiting.add(wake))
      return () => void waiting.delete(wake)
    },
  }
}

function nothing(): Refusal {
  return new Refusal('resource_not_found', 'There is no such execution.')
}

function advance(
  store: Store,
  before: ExecutionRecord,
  change: Partial<ExecutionRecord>,
  events: readonly NewEvent[],
  also: readonly Put[],
): ExecutionRecord {
  const after: ExecutionRecord = { ...before, ...change, events: before.events + events.length }
  // A deletion leaves the state of an ended execution as it is.
  if (after.status !== before.status && !moves[before.status].includes(after.status)) {
    throw new SpritewrightError('SW_INTERNAL', {
      message: `Expected an execution to move from ${before.status} to ${moves[before.status].join(', ') || 'nothing'}, found ${after.status}.`,
      facts: { from: before.status, to: after.status },
    })
  }
  const added = events.map((event, index) => ['event', `${after.id}/${before.events + index + 1}`, toEvent(event, after.status)] as const)
  store.commit([['execution', after.id, after], ...added, ...also])
  return after
}

/** An event as it is stored. */
export function toEvent(event: NewEvent, status: Status): EventRecord {
  return { kind: event.kind, status, progress: event.progress ?? null, message: event.message ?? null, failure: event.failure ?? null }
}
