import { type Approval, type Approvers, isTrustedKey } from '../credit/approval.ts'
import { formatCredits, parseCredits } from '../credit/credits.ts'
import { hasCode, SpritewrightError } from '../errors.ts'
import { trustedSubmission } from '../job/body.ts'
import type { ProgressListener } from '../job/order.ts'
import { askedFields, type JobPorts, type Order, type OrderReference } from '../job/order.ts'
import { requestHash } from '../sprite-spec/key.ts'
import type { PaidRequest, RequestReference } from '../sprite-spec/request.ts'
import type { LockChange } from '../vault/lock-store.ts'
import { findEntry, type LockEntry, type LockFile } from '../vault/lockfile.ts'
import type { Context } from './context.ts'
import { faultOfResult } from './opener.ts'
import { rememberProject } from './remember.ts'
import type { Session } from './session.ts'
import { readApprovers } from './trust/approvers.ts'
import type { WantedAnimation, WantedAnimations } from './wanted.ts'

/** Returns the approval that the lock file records for a request, or `undefined`. */
export function approvalOf(lock: LockFile, id: string, hash: string): Approval | undefined {
  const approval = findEntry(lock, id, hash)?.approval
  return approval && { ...approval, ceiling: parseCredits(approval.ceiling) }
}

/**
 * Makes the order of a wanted animation under the identity of the session's service. Its reference leads to
 * the orders of its steps.
 */
export function toOrder(session: Session, target: WantedAnimation, { lock, approvers }: OrderFacts): Order {
  const { steps, request: last } = target.requests(session.identity)
  return [...steps, last].reduce<Order | undefined>(
    (before, request) => toOneOrder(session, target, { lock, approvers }, request, before),
    undefined,
  ) as Order
}

/** The lock file from which an order is made, and the approvers whose approvals count. */
export interface OrderFacts {
  readonly lock: LockFile
  readonly approvers: Approvers
}

function toOneOrder(
  session: Session,
  target: WantedAnimation,
  { lock, approvers }: OrderFacts,
  request: PaidRequest,
  before: Order | undefined,
): Order {
  const hash = requestHash(request, session.identity)
  const locked = trustedSubmission(findEntry(lock, request.id, hash), hash, (publicKey) => isTrustedKey(publicKey, approvers))
  return {
    hash,
    request,
    identity: session.identity,
    approval: approvalOf(lock, request.id, hash),
    lockedAttempt: locked?.attempt,
    ...(request.reference ? { reference: toOrderReference(target, request.reference, before) } : {}),
  }
}

function toOrderReference(target: WantedAnimation, reference: RequestReference, before: Order | undefined): OrderReference {
  const { picture } = target
  if (reference.kind === 'request' && before) return { kind: 'order', order: before }
  if (reference.kind === 'file' && picture)
    return { kind: 'file', sha256: picture.sha256, file: { bytes: picture.bytes, contentType: picture.contentType } }
  throw new SpritewrightError('SW_INTERNAL', {
    message: `Expected the reference of "${target.spec.name}" to have a source, found none. Please report this.`,
  })
}

/** An order with an approval. */
export type ApprovedOrder = Order & { readonly approval: Approval }

/**
 * Makes the change of the lock file that records an approval. If another process has given a later approval, that
 * one stays.
 *
 * @param submission Frozen bytes that are taken over with the approval.
 * @default the entry keeps its own frozen bytes
 */
export function toApprovalChange(
  session: Session,
  { request, hash, approval }: ApprovedOrder,
  submission?: LockEntry['submission'],
): LockChange {
  const written = { ...approval, ceiling: formatCredits(approval.ceiling) }
  return {
    id: request.id,
    hash,
    change: (entry) =>
      entry?.approval && entry.approval.at > written.at
        ? entry
        : { service: session.identity, asked: askedFields(request), ...entry, approval: written, ...(submission && { submission }) },
  }
}

/** Returns an order and the orders of all its steps, the first step first. */
export function withSteps(order: Order): readonly Order[] {
  return order.reference?.kind === 'order' ? [...withSteps(order.reference.order), order] : [order]
}

/** All orders of these animations, with their steps, by hash. */
export function ordersOf(session: Session, found: OrderFacts & Pick<WantedAnimations, 'wanted'>): ReadonlyMap<string, Order> {
  const orders = found.wanted.flatMap((target) => withSteps(toOrder(session, target, found)))
  return new Map(orders.map((order) => [order.hash, order] as const))
}

/** How long a run waits for the submission of another machine, longer than a request with its retries. Milliseconds. */
const elsewhereMs = 90_000

/**
 * Collects everything that the `job` room needs for one run.
 *
 * @param run `mayBuy`: whether requests may be submitted. `mayReplay`: whether a submission may be sent
 * again.
 * @default neither
 */
export async function toJobPorts(
  context: Context,
  session: Session,
  run: {
    readonly onProgress?: ProgressListener | undefined
    readonly signal: AbortSignal
    readonly mayBuy?: boolean
    readonly mayReplay?: boolean
  },
): Promise<JobPorts> {
  const { host } = context
  if (run.mayBuy)
    await rememberProject(context).catch((error: unknown) => {
      // Then no approval counts. Executions of earlier submissions are still followed.
      if (!hasCode(error, 'SW_CONFIG')) throw error
      context.warn(error.message)
    })
  return {
    client: session.client,
    capabilities: session.capabilities,
    journal: context.journal,
    lock: context.lock,
    vault: context.vault,
    faultOf: (request, bytes) => faultOfResult(context, request, bytes),
    ledger: context.ledger,
    reservations: context.reservations,
    uploads: session.uploads,
    places: session.places,
    clock: host.clock,
    random: host.random,
    windowMs: context.options.replayWindowMs,
    elsewhereMs: context.sharedJournal && elsewhereMs,
    mayBuy: run.mayBuy ?? false,
    mayReplay: run.mayReplay ?? run.mayBuy ?? false,
    approvers: await readApprovers(context),
    keys: context.keys,
    onProgress: run.onProgress ?? (() => {}),
    warn: context.warn,
    underWay: new Map(),
    signal: run.signal,
  }
}
