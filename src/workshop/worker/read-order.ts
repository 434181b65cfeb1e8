import { mayAdopt } from '../../job/adopt.ts'
import type { Order } from '../../job/order.ts'
import type { Submission } from '../../job/records/submission.ts'
import type { Context } from '../../project/context.ts'
import { withSteps } from '../../project/orders.ts'
import type { Session } from '../../project/session.ts'
import { openOwnLock } from '../../project/store-folder.ts'
import { branchNames } from '../../project/trust/approvers.ts'
import type { OrderMessage } from '../../queue/messages.ts'
import type { LockStore } from '../../vault/lock-store.ts'
import { findEntry, type LockEntry, type LockFile } from '../../vault/lockfile.ts'
import { commitDisk, readCommittedLock, readCommittedOrder, refusedOrder } from './committed-order.ts'
import { waitFor } from './wait-for.ts'

/** An order that a commit asks for, with the worker's own lock file. */
export interface CommittedOrder {
  readonly order: Order
  readonly lock: LockStore
}

/** How long a fetch counts, in milliseconds. */
const freshMs = 10_000
/** Longest time that an order waits for a fetch before others get its turn, in milliseconds. */
export const holdMs = 10_000

/** Thrown if a clone could not fetch in time, so that nobody knows whether a branch of its remote has the commit. */
export class Unfetched extends Error {}

/** Makes orders from the commits of one clone alone. */
export interface OrderReader {
  /** Whether a branch of the remote has the commit of an order, as of the last fetch. */
  has(message: OrderMessage): Promise<boolean>
  /**
   * Fetches, and makes the order.
   *
   * @throws {@link Unfetched}. `SW_ORDER` if no remote branch has the commit, if the commit asks for something else,
   *   if its approval is not the newest one on the named branches, or if the lock file names an execution that the
   *   journal has never seen.
   */
  read(message: OrderMessage): Promise<CommittedOrder>
}

/**
 * Creates the reader. It reads the spec, the picture and the lock file of a commit. The message only says where
 * to look. It is compared with what is found there.
 *
 * Approvals are judged by the branches that the owner of the worker names, by default the remote's default branch.
 * Another branch can ask for what such a branch approves, and can revive nothing.
 */
export function createOrderReader(context: Context, session: Session, signal: AbortSignal): OrderReader {
  const { host, options } = context
  const lock = openOwnLock(context)
  const refresh = createRefresh(context, signal)
  const has = async ({ commit, project, folder = '' }: OrderMessage): Promise<boolean> => {
    // Clients of earlier versions name neither their project nor its folder.
    if (project !== undefined && folder !== (await host.repository?.inside(options.root))) return false
    return ((await host.repository?.tipsWith(options.root, commit)) ?? []).length > 0
  }
  const read = async (message: OrderMessage): Promise<CommittedOrder> => {
    await refresh(await has(message))
    if (!(await has(message))) throw refusedOrder(message, 'no branch of the remote has that commit.')
    const disk = commitDisk(context, message.commit)
    const file = await readCommittedLock(context, disk)
    const order = await readCommittedOrder(context, session, { disk, lock: file }, message)
    const branches = await readBranches(context, message)
    const stale = new Set<string>()
    for (const { request, hash, approval } of withSteps(order)) {
      const approvals = branches.flatMap((other) => findEntry(other, request.id, hash)?.approval ?? [])
      const newest = approvals.reduce<(typeof approvals)[number] | undefined>((a, b) => (a && a.at >= b.at ? a : b), undefined)
      const { submission } = await context.journal.read(hash)
      if (approval && newest?.signature !== approval.signature) {
        if (!isUnderWay(submission)) throw refusedOrder(message, notNewest(context, request.id))
        stale.add(hash)
      }
      const isUnrecorded = (entry: LockEntry | undefined): boolean => entry !== undefined && mayAdopt(submission, entry)
      // Paid by this worker while the shared journal failed. The purchase records it.
      if (isUnrecorded(findEntry(await lock.read(), request.id, hash))) continue
      const entry = findEntry(file, request.id, hash)
      if (isUnrecorded(entry))
        throw refusedOrder(message, `its lock file names an execution of "${request.id}" that the journal of the team does not know.`)
      const kept = entry && stale.has(hash) ? { ...entry, approval: undefined } : entry
      if (kept) await lock.change(request.id, hash, (own) => (own && isUnrecorded(own) ? own : kept))
    }
    return { order: withoutApprovals(order, stale), lock }
  }
  return { has, read }
}

/**
 * Fetches the branches of a clone, one fetch at a time, since git locks its references. All who wait share the next
 * one. After a failure, the clone rests.
 *
 * @returns A function that is called with whether a fetch of before is enough, and throws {@link Unfetched}.
 */
function createRefresh(
  { host: { clock, repository }, options: { root } }: Context,
  signal: AbortSignal,
): (isEnough: boolean) => Promise<void> {
  let last = { at: Number.NEGATIVE_INFINITY, isOver: true, failure: undefined as Error | undefined, done: Promise.resolve() }
  const begin = (): typeof last => {
    const made: typeof last = { at: clock.mono(), isOver: false, failure: undefined, done: Promise.resolve() }
    const end = (failure?: Error): void => void Object.assign(made, { isOver: true, failure })
    made.done = (async () => repository?.fetch(root))().then(() => end(), end)
    return made
  }
  /** The first fetch that began after a time. */
  const after = async (since: number): Promise<typeof last> => {
    while (last.at < since) {
      if (last.isOver) last = begin()
      else await last.done
    }
    await last.done
    return last
  }
  return async (isEnough) => {
    const now = clock.mono()
    const heldMs = last.isOver || now - last.at < holdMs ? holdMs : 0
    const fetching = after(isEnough || last.failure ? now - freshMs : now)
    const onSlow = () => ({ failure: new Error('its remote has not answered yet') })
    const { failure } = await waitFor<{ readonly failure: Error | undefined }>(clock, heldMs, fetching, onSlow, signal)
    if (failure) throw new Unfetched(failure.message.trim(), { cause: failure })
  }
}

/** Whether a submission may have, or has, an execution that no person has given up and that has not failed. */
function isUnderWay({ accepted, failed, abandoned, sends }: Submission): boolean {
  if (failed || abandoned) return false
  return accepted !== undefined || sends.some(({ answer }) => answer.kind !== 'refused')
}

/** What was sent goes on without its approval, whatever the branches say now. If it fails, nothing is sent after it. */
function withoutApprovals(order: Order, hashes: ReadonlySet<string>): Order {
  const { reference } = order
  return {
    ...order,
    ...(hashes.has(order.hash) ? { approval: undefined } : {}),
    ...(reference?.kind === 'order' ? { reference: { kind: 'order', order: withoutApprovals(reference.order, hashes) } } : {}),
  }
}

/** Reads the lock files of the branches by which approvals are judged. */
async function readBranches(context: Context, message: OrderMessage): Promise<readonly LockFile[]> {
  const { host, options } = context
  const names = branchNames(host)
  const tips = (await host.repository?.tipsOf(options.root, names)) ?? []
  if (tips.length === 0) {
    const what =
      names.length === 0 ? 'the default branch of its remote (git remote set-head origin --auto)' : `a branch ${names.join(', ')}`
    throw refusedOrder(message, `its clone does not know ${what}. SPRITEWRIGHT_BRANCHES names the branches whose approvals count.`)
  }
  return Promise.all(tips.map((tip) => readCommittedLock(context, commitDisk(context, tip))))
}

function notNewest({ host }: Context, id: string): string {
  const names = branchNames(host)
  const where = names.length === 0 ? "the remote's default branch" : names.join(', ')
  return `its approval of "${id}" is not the newest one on ${where}. Merge it there, or let SPRITEWRIGHT_BRANCHES of the worker name its branch.`
}
