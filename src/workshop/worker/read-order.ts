import { join } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import { mayAdopt } from '../../job/adopt.ts'
import type { Order } from '../../job/order.ts'
import { refuseKey } from '../../options/key-search.ts'
import type { Context } from '../../project/context.ts'
import { withSteps } from '../../project/orders.ts'
import { ordersFolder, type Session } from '../../project/session.ts'
import type { OrderMessage } from '../../queue/messages.ts'
import { createLockStore, type LockStore } from '../../vault/lock-store.ts'
import { findEntry, type LockEntry } from '../../vault/lockfile.ts'
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
 * The reader throws `SW_QUEUE` if the remote does not answer for ten minutes, and `SW_ORDER` if no remote branch has the commit, if the commit asks for something else, if no
 * such branch has the approval any more, or if the lock file names an execution that the journal has never seen.
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
  /** The newest commits of the branches that have the commit. */
  const findTips = async (message: OrderMessage, onWait: (why: string) => void): Promise<readonly string[]> => {
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
    const tips = await find()
    if (tips.length === 0) throw refusedOrder(message, 'no branch of the remote has that commit.')
    return tips
  }
  return async (message, onWait) => {
    const tips = await findTips(message, onWait)
    const disk = commitDisk(context, message.commit)
    const file = await readCommittedLock(context, disk)
    const order = await readCommittedOrder(context, session, { disk, lock: file }, message)
    const newest = await Promise.all(tips.map((tip) => readCommittedLock(context, commitDisk(context, tip))))
    for (const { request, hash, approval } of withSteps(order)) {
      const isCurrent = newest.some((other) => findEntry(other, request.id, hash)?.approval?.signature === approval?.signature)
      if (approval && !isCurrent) throw refusedOrder(message, `no branch with that commit has this approval of "${request.id}" any more.`)
      const { submission } = await context.journal.read(hash)
      const isUnrecorded = (entry: LockEntry | undefined): boolean => entry !== undefined && mayAdopt(submission, entry)
      // Paid by this worker while the shared journal failed. The purchase records it.
      if (isUnrecorded(findEntry(await lock.read(), request.id, hash))) continue
      const entry = findEntry(file, request.id, hash)
      if (isUnrecorded(entry))
        throw refusedOrder(message, `its lock file names an execution of "${request.id}" that the journal of the team does not know.`)
      if (entry) await lock.change(request.id, hash, (own) => (own && isUnrecorded(own) ? own : entry))
    }
    return { order, lock }
  }
}

/**
 * Opens the worker's own lock file, which purchases change. The clone's file stays as it is, and the client's build
 * writes the result into the file of its checkout. An execution that the shared journal lacks is only here, so the
 * file outlives the worker.
 */
export function openOwnLock(context: Context): LockStore {
  const { host, keySearch } = context
  const folder = ordersFolder(context)
  const turn = { path: join(folder, 'turn'), clock: host.clock }
  return createLockStore(host, join(folder, 'sprites.lock.json'), turn, (bytes, path) => refuseKey(keySearch, bytes, path))
}

function unfetched(id: string, commit: string, why: string, cause: Error): SpritewrightError {
  return new SpritewrightError('SW_QUEUE', {
    message: `The worker waited ten minutes for the remote of its clone, to read "${id}" from commit ${commit.slice(0, 12)}; found: ${why}. Nothing was sent. Make sure that git fetch works there without a question, then build again.`,
    facts: { id, commit },
    cause,
  })
}
