import { formatCredits, parseCredits } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import type { Clock } from '../host/clock.ts'
import type { Random } from '../host/random.ts'
import type { Caller } from './accounts.ts'
import { Refusal } from './http.ts'
import type { ResolvedEmbeddedOptions } from './options.ts'
import { priceOf, type SpritePricing } from './pricing.ts'
import type { EventKind, EventRecord, ExecutionRecord, SheetRequest, Status } from './records.ts'
import { invalid, type Shapes } from './shapes.ts'
import { type Store, sha256Of } from './store.ts'

/** A submission as it came over the wire. */
export interface Submission {
  readonly caller: Caller
  readonly idempotencyKey: string | undefined
  readonly body: Uint8Array
  readonly requestId: string
}

/** An event to add; what is not said is null, the status is the execution's own. */
export type NewEvent = Pick<EventRecord, 'kind'> & Partial<Omit<EventRecord, 'kind' | 'status'>>

/** Executions: taken in once a key, moved only as the interface's table shows. */
export interface Executions {
  /**
   * Takes a submission in, or finds the one that its key and bytes stand for. `isNew` tells which.
   *
   * @throws {Refusal} `conflict` for other bytes under a known key; `invalid_request`, `feature_unavailable` or `access_denied` for what cannot be run, nothing being started then.
   */
  accept(submission: Submission): { readonly execution: ExecutionRecord; readonly isNew: boolean }
  get(id: string): ExecutionRecord
  /** An execution of the caller's account. @throws {Refusal} `resource_not_found`, or `access_denied` for another account's. */
  owned(caller: Caller, id: string): ExecutionRecord
  /** As {@link Executions.owned}, by the image job's public id. */
  ownedByJob(caller: Caller, jobId: string): ExecutionRecord
  /** Changes an execution and adds events in one commit. @throws `SW_INTERNAL` for a move that the table does not have. */
  advance(id: string, change: Partial<ExecutionRecord>, events: readonly NewEvent[]): ExecutionRecord
  /** An execution's event by its number from 1. */
  event(id: string, number: number): EventRecord
  /** Calls `wake` at the next event of an execution, once. @returns Takes the call back. */
  onEvent(id: string, wake: () => void): () => void
}

/** What {@link createExecutions} stands on. */
export interface ExecutionsGround {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly options: ResolvedEmbeddedOptions
  /** Today's prices. */
  readonly pricing: () => SpritePricing
}

const moves: Readonly<Record<Status, readonly Status[]>> = {
  queued: ['queued', 'running', 'failed', 'cancelled'],
  running: ['running', 'needs_input', 'completed', 'failed', 'cancelled'],
  needs_input: ['needs_input', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

/** Whether nothing can come any more. */
export function isEnded(status: Status): boolean {
  return moves[status].length === 0
}

/** Executions over a store. */
export function createExecutions(ground: ExecutionsGround): Executions {
  const { store } = ground
  const waiters = new Map<string, Set<() => void>>()
  const get = (id: string): ExecutionRecord => {
    const found = store.table('execution').get(id)
    if (found === undefined) throw new Refusal('resource_not_found', 'There is no such execution.')
    return found
  }
  const own = (caller: Caller, execution: ExecutionRecord): ExecutionRecord => {
    if (execution.accountId !== caller.account.id) throw new Refusal('access_denied', 'This key cannot access the execution.')
    return execution
  }
  return {
    accept: (submission) => accept(ground, submission),
    get,
    owned: (caller, id) => own(caller, get(id)),
    ownedByJob: (caller, jobId) => {
      const found = [...store.table('execution').values()].find((execution) => execution.jobId === jobId)
      if (found === undefined) throw new Refusal('resource_not_found', 'There is no such image job.')
      return own(caller, found)
    },
    advance: (id, change, events) => {
      const after = advance(store, get(id), change, events)
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

function advance(store: Store, before: ExecutionRecord, change: Partial<ExecutionRecord>, events: readonly NewEvent[]): ExecutionRecord {
  const after: ExecutionRecord = { ...before, ...change, events: before.events + events.length }
  if (!moves[before.status].includes(after.status)) {
    throw new SpritewrightError('SW_INTERNAL', {
      message: `Expected an execution to move from ${before.status} to ${moves[before.status].join(', ') || 'nothing'}, found ${after.status}.`,
      facts: { from: before.status, to: after.status },
    })
  }
  store.commit([
    ['execution', after.id, after],
    ...events.map((event, index) => ['event', `${after.id}/${before.events + index + 1}`, toEvent(event, after.status)] as const),
  ])
  return after
}

function toEvent(event: NewEvent, status: Status): EventRecord {
  const kind: EventKind = event.kind
  return { kind, status, progress: event.progress ?? null, message: event.message ?? null, failure: event.failure ?? null }
}

/** Without an await from the look at the key to the commit: of two equal submissions at once one starts, both get the same answer. */
function accept(ground: ExecutionsGround, submission: Submission): { execution: ExecutionRecord; isNew: boolean } {
  const { store, clock, random, options } = ground
  const { caller, body, requestId } = submission
  const key = readIdempotencyKey(submission.idempotencyKey)
  const place = `${caller.account.id} ${key}`
  const bodySha256 = sha256Of(body)
  const known = store.table('idempotency').get(place)
  if (known !== undefined && clock.wall() - known.atMs < options.retentionMs) {
    if (known.bodySha256 !== bodySha256)
      throw new Refusal('conflict', 'This Idempotency-Key was used with another request body.', { field: 'Idempotency-Key' })
    return { execution: store.table('execution').get(known.executionId)!, isNew: false }
  }
  const request = readRequest(options.shapes, caller, body)
  const price = check(ground, caller, request)
  const execution: ExecutionRecord = {
    id: random.uuid(),
    conversationId: random.uuid(),
    accountId: caller.account.id,
    jobId: random.uuid(),
    requestId,
    bodySha256,
    request,
    price,
    money: 'none',
    status: 'queued',
    failedAt: null,
    failure: null,
    delivery: null,
    events: 1,
  }
  store.commit([
    ['execution', execution.id, execution],
    ['event', `${execution.id}/1`, toEvent({ kind: 'started', message: 'Taken in.' }, 'queued')],
    ['idempotency', place, { bodySha256, executionId: execution.id, atMs: clock.wall() }],
  ])
  return { execution, isNew: true }
}

function readIdempotencyKey(key: string | undefined): string {
  if (key === undefined || !/^[\x21-\x7e]{1,255}$/.test(key)) throw invalid('Idempotency-Key', '1 to 255 visible ASCII characters')
  return key
}

function readRequest(shapes: Shapes, caller: Caller, body: Uint8Array): SheetRequest {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw invalid('body', 'JSON in UTF-8')
  }
  const request = shapes.readSubmission(value)
  if (!caller.account.operations.includes(request.operation))
    throw new Refusal('feature_unavailable', 'This operation is not available to this account.')
  return request
}

/** @returns The price, decimal text. */
function check(ground: ExecutionsGround, caller: Caller, request: SheetRequest): string {
  const pricing = ground.pricing()
  const { minimum_frames: minimum, maximum_frames: maximum } = pricing
  if (request.frames < minimum || request.frames > maximum)
    throw invalid('animation.frame_count', `an integer from ${minimum} to ${maximum}`)
  const upload = ground.store.table('upload').get(request.referenceId)
  if (upload === undefined) throw invalid('reference_asset_id', 'the id of an uploaded reference')
  if (upload.accountId !== caller.account.id) throw new Refusal('access_denied', 'This key cannot access the reference.')
  const price = priceOf(pricing, request.frames, request.background)
  if (price > parseCredits(request.maxCredits))
    throw new Refusal('invalid_request', 'The price is above max_credits; nothing was started and nothing is held.', {
      field: 'max_credits',
      current_credits: formatCredits(price),
    })
  return formatCredits(price)
}
