import { relative, sep } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { QueuedJob } from '../../host/net/job-queue.ts'
import { sha256 } from '../../host/sha256.ts'
import type { JobPorts, Order, Purchase } from '../../job/order.ts'
import { purchase } from '../../job/purchase.ts'
import { type OrdersReport, runOrders } from '../../job/run-orders.ts'
import type { Context } from '../../project/context.ts'
import { withSteps } from '../../project/orders.ts'
import type { Session } from '../../project/session.ts'
import type { WantedAnimation } from '../../project/wanted.ts'
import { followJob } from '../../queue/follow.ts'
import { type OrderMessage, parseFailure, progressMessage } from '../../queue/messages.ts'
import type { Queues } from '../../queue/open.ts'
import { animationId } from '../../sprite-spec/request.ts'
import { readSettled } from '../../stores/exchange.ts'
import { findEntry } from '../../vault/lockfile.ts'
import { commitDisk, readCommittedLock, readCommittedOrder, refusedOrder } from './committed-order.ts'

/** Orders that a build follows at the same time. The worker does two at a time anyway. */
const atOnce = 64

/**
 * Sends orders to the worker and follows each to its end. Then the records of the shared journal say what was
 * bought, and the result comes from the shared store. Nothing that the queue says is believed.
 *
 * @param wanted The animations of the orders.
 * @throws `SW_ORDER` if the project is in no commit. An order fails with it if the present commit does not ask for
 *   it, or lacks its approval.
 */
export async function sendOrders(
  context: Context,
  session: Session & { readonly queues: Queues },
  ports: JobPorts,
  orders: readonly Order[],
  wanted: readonly WantedAnimation[],
): Promise<OrdersReport> {
  const { host, options } = context
  const { queues } = session
  const commit = await host.repository?.head(options.root)
  if (commit === undefined) {
    throw new SpritewrightError('SW_ORDER', {
      message: `Expected ${options.root} to be in a git repository with a commit, found none. The worker buys what is committed and pushed: commit specs, pictures and sprites.lock*, push, and build again.`,
    })
  }
  const folder = await host.repository?.inside(options.root)
  const disk = commitDisk(context, commit)
  const committed = { disk, lock: await readCommittedLock(context, disk) }
  const targets = new Map(wanted.map((target) => [animationId(target.spec, target.animation), target] as const))
  // Each build sends its orders with the numbers 1, 2, 3 …, so the worker takes one of each build in turn.
  const numbers = new Map(orders.map(({ hash }, index) => [hash, index + 1] as const))
  const order = async (run: JobPorts, one: Order): Promise<Purchase> => {
    const { id } = one.request
    const target = targets.get(id)
    const file = relative(options.root, target?.spec.file ?? '')
    const message: OrderMessage = {
      id,
      hash: one.hash,
      commit,
      file: file.split(sep).join('/'),
      ...(target?.picture ? { reference: target.picture.sha256 } : {}),
      project: context.name.replace(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, 200),
      ...(folder ? { folder } : {}),
    }
    await readCommittedOrder(context, session, committed, message)
    const unseen = withSteps(one).find(({ request, hash, approval }) => {
      const inCommit = findEntry(committed.lock, request.id, hash)?.approval
      return approval && inCommit?.signature !== approval.signature
    })
    if (unseen) throw refusedOrder(message, `the lock file there lacks the approval of "${unseen.request.id}".`)
    const settled = await followJob(
      queues,
      queues.orders,
      {
        // What the worker refuses at another commit may be right at this one. Projects of one repository may want the same.
        id: [one.hash, commit, ...(folder ? [sha256(folder).slice(0, 16)] : [])].join('-'),
        data: message,
        // What has been sent already holds one of the account's places, so it comes first.
        priority: async () => ((await run.journal.read(one.hash)).submission.sends.length > 0 ? 0 : (numbers.get(one.hash) ?? 1)),
      },
      {
        clock: host.clock,
        patienceMs: options.store.patienceMs,
        afterwards: 'Orders that were sent stay in the queue.',
        signal: run.signal,
        onJob: tellProgress(run, one),
      },
    )
    if (settled.state === 'failed') throw parseFailure(settled.failure, { id })
    // A store may show the worker's last records some seconds late.
    await readSettled(
      host.clock,
      () => run.journal.read(one.hash),
      ({ submission }) => submission.stored === undefined,
    )
    return { ...(await purchase(run, one)), isFresh: true }
  }
  return runOrders({ ...ports, mayBuy: false, mayReplay: false }, orders, atOnce, order)
}

/** Reports what the worker reports, once each. */
function tellProgress({ onProgress }: JobPorts, { request: { id } }: Order): (job: QueuedJob) => void {
  let told = ''
  return (job) => {
    const read = progressMessage.safeParse(job.progress)
    // An order that waits for a remote is in no hands meanwhile.
    const progress = read.success && (job.state === 'active' || read.data.phase === 'waiting') ? read.data : undefined
    const text = `${job.state} ${JSON.stringify(job.progress)}`
    if (text === told) return
    told = text
    if (job.state === 'waiting' && !progress) onProgress({ id, phase: 'waiting', message: 'it is ordered; the worker buys it in turn' })
    // The end is reported when the result is here.
    else if (progress && !(progress.id === id && progress.phase === 'bought')) onProgress(progress)
  }
}
