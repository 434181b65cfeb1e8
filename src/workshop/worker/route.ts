import { judgeApproval } from '../../credit/approval.ts'
import { hasCode, SpritewrightError } from '../../errors.ts'
import { PutBack } from '../../host/net/job-queue.ts'
import { withSteps } from '../../project/orders.ts'
import { readApprovers } from '../../project/trust/approvers.ts'
import type { OrderMessage } from '../../queue/messages.ts'
import type { Clone } from './clones.ts'
import { refusedOrder } from './committed-order.ts'
import { type CommittedOrder, holdMs, Unfetched } from './read-order.ts'
import { turnMs } from './turns.ts'
import { waitFor } from './wait-for.ts'

/** An order, and the clone in which it is bought. */
export interface RoutedOrder extends CommittedOrder {
  readonly clone: Clone
}

/** How long an order waits for a remote that does not answer, and the pause between two tries, in milliseconds. */
const patienceMs = 10 * 60_000

/** Thrown if a store of a clone does not answer, so that its order cannot be read now. */
class StoreAway extends Error {}

/**
 * Creates a function that finds the clone for an order: one that has its commit, and whose journal and approvers the
 * approval is for. A fork may have the same commit.
 *
 * It throws `PutBack` while no clone could fetch the commit and one of them could not fetch, so that the orders of
 * other projects go on. `onWait` receives why. After ten minutes, it throws `SW_QUEUE`. It also throws `PutBack` while
 * the clone waits for one of its stores, which ends with the clone's patience.
 *
 * @param list The clones of now.
 */
export function createRouter(
  list: () => readonly Clone[],
  signal: AbortSignal,
): (message: OrderMessage, onWait: (why: string) => void) => Promise<RoutedOrder> {
  /** When an order first waited, by `mono`. */
  const since = new Map<string, number>()
  return async (message, onWait) => {
    const key = `${message.hash} ${message.commit} ${message.folder}`
    const clones = list()
    try {
      const routed = await route(clones, message, signal)
      since.delete(key)
      return routed
    } catch (error) {
      const now = clones[0]?.context.host.clock.mono() ?? 0
      const begun = since.get(key) ?? now
      since.delete(key)
      if (error instanceof StoreAway) {
        onWait(error.message)
        throw new PutBack(error.message, turnMs)
      }
      if (!(error instanceof Unfetched)) throw error
      if (now - begun > patienceMs) throw unfetched(message, error)
      since.set(key, begun)
      onWait(`the worker could not fetch, and tries again: ${error.message}`)
      throw new PutBack(error.message, turnMs)
    }
  }
}

async function route(clones: readonly Clone[], message: OrderMessage, signal: AbortSignal): Promise<RoutedOrder> {
  const having = await havingCommit(clones, message)
  const asked = having.length > 0 ? having : clones
  const others: RoutedOrder[] = []
  const reads = asked.map(async (clone) => {
    const routed = { clone, ...(await readInTurn(clone, message, signal)) }
    if (asked.length === 1 || (await isForClone(routed))) return routed
    others.push(routed)
    throw refusedOrder(message, 'its approval is for another project.')
  })
  try {
    return await Promise.any(reads)
  } catch (error) {
    // Whatever none of them accepts, the purchase refuses in its own words.
    if (others[0]) return others[0]
    const errors: readonly unknown[] = (error as AggregateError).errors
    const here = await havingCommit(asked, message)
    if (here.length === 0) throw errors.find((one) => !hasCode(one, 'SW_ORDER')) ?? nowhere(clones, message)
    const told = errors.filter((_, at) => here.includes(asked[at] as Clone))
    throw told.find((one) => !hasCode(one, 'SW_ORDER')) ?? told[0]
  }
}

/** Reads an order from a clone. Others get its turn while a store of the clone does not answer, maybe for minutes. */
async function readInTurn({ reader, context }: Clone, message: OrderMessage, signal: AbortSignal): Promise<CommittedOrder> {
  const { host, patience } = context
  const leaveIfAway = (): void => {
    const [why] = patience.reasons.values()
    if (why !== undefined) throw new StoreAway(why)
  }
  leaveIfAway()
  const reading = reader.read(message)
  for (;;) {
    const order = await waitFor<CommittedOrder | undefined>(host.clock, holdMs, reading, () => undefined, signal)
    if (order) return order
    leaveIfAway()
  }
}

async function havingCommit(clones: readonly Clone[], message: OrderMessage): Promise<readonly Clone[]> {
  const has = await Promise.all(clones.map(({ reader }) => reader.has(message)))
  return clones.filter((_, at) => has[at])
}

/** Whether the approvals of an order were given for the project of a clone. What was sent needs none. */
async function isForClone({ clone: { context }, order }: RoutedOrder): Promise<boolean> {
  const approvers = await readApprovers(context)
  return withSteps(order).every(({ approval, hash, identity }) => {
    if (!approval) return true
    const life = { now: context.host.clock.wall(), newest: { at: approval.at, isRevoked: false } }
    return judgeApproval(approval, hash, identity, approvers, life) === 'valid'
  })
}

function nowhere(clones: readonly Clone[], message: OrderMessage): SpritewrightError {
  const { project, folder } = message
  const where = folder === undefined ? '' : ` for a project in ${folder}`
  const whose = project === undefined ? 'another project' : `"${project}", if that is another project`
  return refusedOrder(
    message,
    `no branch of the remote has that commit${where}. The worker serves ${clones.map(({ name }) => name).join(', ')}. To let it serve ${whose}, clone it there and add { "dir": "/path/of/the/clone" } to worker.projects in settings.json of the worker's state folder.`,
  )
}

function unfetched({ id, commit }: OrderMessage, cause: Error): SpritewrightError {
  return new SpritewrightError('SW_QUEUE', {
    message: `The worker waited ten minutes for the remote of its clone, to read "${id}" from commit ${commit.slice(0, 12)}; found: ${cause.message}. Nothing was sent. Make sure that git fetch works there without a question, then build again.`,
    facts: { id, commit },
    cause,
  })
}
