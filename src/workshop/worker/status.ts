import type { Context } from '../../project/context.ts'
import { openProjectQueues } from '../../project/session.ts'
import { leaseId, leaseNote, orderMessage, parseFailure, progressMessage } from '../../queue/messages.ts'
import type { Queues } from '../../queue/open.ts'

/** What goes on at the queue of a project. */
export interface WorkerStatus {
  /** Address of the queue, without a password. */
  readonly queue: string
  /** Missing if no worker has given a sign. Times are milliseconds since the Unix epoch, by its own clock. */
  readonly worker?: { readonly by: string; readonly since: number; readonly seen: number; readonly hasEnded: boolean }
  readonly running: readonly OrderStatus[]
  readonly waiting: readonly OrderStatus[]
  /** The last orders that failed, for a day. */
  readonly failed: readonly OrderStatus[]
}

/** One order. */
export interface OrderStatus {
  /** `sprite.animation`, or `?` for a message that is no order. */
  readonly id: string
  /** Name of its project, as the client says. Clients of earlier versions say none. */
  readonly project?: string | undefined
  readonly commit?: string
  /** How far it is, or why it failed. */
  readonly message?: string
  /** Its phase, if it runs. */
  readonly phase?: string
  /** When it reached its state, milliseconds since the Unix epoch. */
  readonly at: number
}

/** Most orders of each state that are read. */
const most = 200

/** Reads the status from the queue. Needs no API key. */
export async function readWorkerStatus(context: Context): Promise<WorkerStatus> {
  const queues = await openProjectQueues(context)
  try {
    return await readStatus(queues)
  } finally {
    await queues.close()
  }
}

/** Reads the status from an open queue. */
export async function readStatus(queues: Queues): Promise<WorkerStatus> {
  const list = async (state: 'active' | 'waiting' | 'failed'): Promise<readonly OrderStatus[]> =>
    (await queues.orders.list(state, most)).map(({ data, progress, failure, at }) => {
      const order = orderMessage.safeParse(data)
      const now = progressMessage.safeParse(progress)
      const message = failure === '' ? (now.success ? (now.data.message ?? now.data.phase) : undefined) : parseFailure(failure).message
      const phase = now.success && state === 'active' ? { phase: now.data.phase } : {}
      return {
        ...(order.success ? { id: order.data.id, project: order.data.project, commit: order.data.commit } : { id: '?' }),
        message,
        at,
        ...phase,
      }
    })
  const note = leaseNote.safeParse((await queues.lease.read(leaseId))?.data)
  const { state, by, since, seen } = note.success ? note.data : { state: 'free' as const }
  const worker =
    by === undefined || since === undefined || seen === undefined ? {} : { worker: { by, since, seen, hasEnded: state !== 'held' } }
  return { queue: queues.address, ...worker, running: await list('active'), waiting: await list('waiting'), failed: await list('failed') }
}
