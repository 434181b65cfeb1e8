import { SpritewrightError } from '../../errors.ts'
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

/** An order that a commit asks for, with the worker's own lock file. */
export interface CommittedOrder {
  readonly order: Order
  readonly lock: LockStore
}

/** How long the branches of a fetch count as the present ones, in milliseconds. */
const freshMs = 10_000

/** How long an order waits for a remote that does not answer, and the pause between two tries, in milliseconds. */
const patienceMs = 10 * 60_000
const pauseMs = 10_000

/**
 * Makes orders from commits alone.
 *
 * @param onWait Receives why an order waits, each time that the worker could not fetch.
 */
export type OrderReader = (message: OrderMessage, onWait: (why: string) => void) => Promise<CommittedOrder>

/**
 * Creates the reader. It reads the spec, the picture and the lock file of a commit. The message only says where
 * to look. It is compared with what is found there.
 *
 * Approvals are judged by the branches that the owner of the worker names, by default the remote's default branch.
 * Another branch can ask for what such a branch approves, and can revive nothing.
 *
 * The reader throws `SW_QUEUE` if the remote does not answer for ten minutes, and `SW_ORDER` if no remote branch has
 * the commit, if the commit asks for something else, if its approval is not the newest one on the named branches, or
 * if the lock file names an execution that the journal has never seen.
 */
export function createOrderReader(context: Context, session: Session, signal: AbortSignal): OrderReader {
  const { host, options } = context
  const { root } = options
  const lock = openOwnLock(context)
  let lastFetch: Promise<unknown> = Promise.resolve()
  let fetchedAt = Number.NEGATIVE_INFINITY
  /** One fetch at a time, since git locks its references. */
  const refresh = (isEnough: () => Promise<boolean>): Promise<void> => {
    const fetching = lastFetch.then(async () => {
      if (host.clock.mono() - fetchedAt < freshMs && (await isEnough())) return
      await host.repository?.fetch(root)
      fetchedAt = host.clock.mono()
    })
    lastFetch = fetching.catch(() => {})
    return fetching
  }
  /** Fetches until a branch of the remote has the commit. */
  const findTips = async (message: OrderMessage, onWait: (why: string) => void): Promise<void> => {
    const { id, commit } = message
    const find = async (): Promise<readonly string[]> => (await host.repository?.tipsWith(root, commit)) ?? []
    const begun = host.clock.mono()
    for (;;) {
      const cause = await refresh(async () => (await find()).length > 0).then(
        () => undefined,
        (error: Error) => error,
      )
      if (!cause) break
      const why = cause.message.trim()
      if (host.clock.mono() - begun > patienceMs) throw unfetched(id, commit, why, cause)
      onWait(`the worker could not fetch, and tries again: ${why}`)
      await host.clock.sleep(pauseMs, signal)
    }
    if ((await find()).length === 0) throw refusedOrder(message, 'no branch of the remote has that commit.')
  }
  return async (message, onWait) => {
    await findTips(message, onWait)
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

function unfetched(id: string, commit: string, why: string, cause: Error): SpritewrightError {
  return new SpritewrightError('SW_QUEUE', {
    message: `The worker waited ten minutes for the remote of its clone, to read "${id}" from commit ${commit.slice(0, 12)}; found: ${why}. Nothing was sent. Make sure that git fetch works there without a question, then build again.`,
    facts: { id, commit },
    cause,
  })
}
