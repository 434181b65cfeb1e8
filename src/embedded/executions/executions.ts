import { SpritewrightError } from '../../errors.ts'
import type { Caller } from '../accounts/accounts.ts'
import { Refusal } from '../http/http.ts'
import type { EventRecord, ExecutionRecord, Put, Status } from '../store/records.ts'
import type { Store } from '../store/service-store.ts'

/** An event to add. A missing field is null; a missing status is that of the execution. */
export type NewEvent = Pick<EventRecord, 'kind'> & Partial<Omit<EventRecord, 'kind' | 'status'>>

const moves: Readonly<Record<Status, readonly Status[]>> = {
  queued: ['queued', 'running', 'failed', 'cancelled'],
  running: ['running', 'needs_input', 'completed', 'failed', 'cancelled'],
  needs_input: ['needs_input', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

/**
 * Whether no event can come any more: the execution has ended, or its question was answered and another
 * execution continues.
 */
export function isOver({ status, followedBy }: ExecutionRecord): boolean {
  return moves[status].length === 0 || followedBy !== null
}

/** Executions. They change only as the interface's table of states allows. */
export type Executions = ReturnType<typeof createExecutions>

/** Creates executions over a store. */
export function createExecutions(store: Store) {
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
    /**
     * An execution of the caller's account.
     *
     * @throws {Refusal} `resource_not_found` if it does not exist or was deleted; `access_denied` if it belongs
     *   to another account.
     */
    owned: (caller: Caller, id: string): ExecutionRecord => own(caller, store.table('execution').get(id)),
    /** As `owned`, by the public id of the image job. */
    ownedByJob: (caller: Caller, jobId: string): ExecutionRecord => {
      const found = all().find((execution) => execution.jobId === jobId)
      return own(caller, found)
    },
    /**
     * Executions of a conversation of the caller's account, oldest first.
     *
     * @throws {Refusal} `resource_not_found` if this account has none there, even if another one has.
     */
    ofConversation: (caller: Caller, conversationId: string): ExecutionRecord[] => {
      const found = all().filter((one) => one.conversationId === conversationId && one.accountId === caller.account.id && !one.isDeleted)
      if (found.length === 0) throw new Refusal('resource_not_found', 'There is no such conversation.')
      return found
    },
    /**
     * Changes an execution and adds events in one commit.
     *
     * @param also More records for the same commit.
     * @throws `SW_INTERNAL` for a change of state that the table does not allow.
     */
    advance: (id: string, change: Partial<ExecutionRecord>, events: readonly NewEvent[], also: readonly Put[] = []): ExecutionRecord => {
      const before = get(id)
      const after: ExecutionRecord = { ...before, ...change, events: before.events + events.length }
      checkMove(before.status, after.status)
      const added = events.map((event, index) => ['event', `${id}/${before.events + index + 1}`, toEvent(event, after.status)] as const)
      store.commit([['execution', id, after], ...added, ...also])
      const waking = waiters.get(id)
      waiters.delete(id)
      for (const wake of waking ?? []) wake()
      return after
    },
    /** An execution's event by its number from 1. */
    event: (id: string, number: number): EventRecord => store.table('event').get(`${id}/${number}`)!,
    /**
     * Calls `wake` once, at the next event of an execution.
     *
     * @returns A function that unsubscribes.
     */
    onEvent: (id: string, wake: () => void): (() => void) => {
      const waiting = waiters.get(id) ?? new Set()
      waiters.set(id, waiting.add(wake))
      return () => void waiting.delete(wake)
    },
  }
}

function nothing(): Refusal {
  return new Refusal('resource_not_found', 'There is no such execution.')
}

function checkMove(from: Status, to: Status): void {
  // A deletion keeps the status of an ended execution.
  if (from === to || moves[from].includes(to)) return
  throw new SpritewrightError('SW_INTERNAL', {
    message: `Expected an execution to move from ${from} to ${moves[from].join(', ') || 'nothing'}, found ${to}.`,
    facts: { from, to },
  })
}

/** The stored form of an event. */
export function toEvent(event: NewEvent, status: Status): EventRecord {
  return { kind: event.kind, status, progress: event.progress ?? null, message: event.message ?? null, failure: event.failure ?? null }
}
