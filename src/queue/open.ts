import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { findPackage } from '../host/modules/installed-package.ts'
import { type HeldJob, type JobQueue, NoTables, type QueueTarget } from '../host/net/job-queue.ts'
import { isPassing } from '../stores/failures.ts'
import { resolveQueueTarget } from './address.ts'

/** The queues between clients and worker. They decide nothing: each may be emptied at any time. */
export interface Queues {
  /** Address without a password. */
  readonly address: string
  /** Orders, by request hash and commit. */
  readonly orders: JobQueue
  /** Inquiries about account and prices, which the worker answers at once. */
  readonly inquiries: JobQueue
  /** One job, whose holder is the active worker. */
  readonly lease: JobQueue
  close(): Promise<void>
}

/** Longest wait for an answer of the server, in milliseconds. */
const timeoutMs = 10_000

/**
 * Opens the queues. Nothing is sent before their first call.
 *
 * @param address `service.queue` of the options.
 * @param root Folder of the project, in which optional packages are searched.
 * @param makesTables Whether PostgreSQL gets the tables of the queues if it has none. Only the worker's user needs
 *   the right to make them.
 * @default no
 * @throws `SW_CONFIG`, `SW_UNTRUSTED_HOST`. Every call of a queue throws `SW_QUEUE` if the server does not answer.
 */
export async function openQueues(host: Host, address: string, root: string, makesTables = false): Promise<Queues> {
  const target = resolveQueueTarget(address, host.env, makesTables)
  const entry = await findEntry(host, target, root)
  const open = (name: string): JobQueue => withErrors(address, host.openQueue(entry, target, `spritewright-${name}`, timeoutMs))
  const [orders, inquiries, lease] = [open('orders'), open('inquiries'), open('lease')]
  return {
    address,
    orders,
    inquiries,
    lease,
    close: async () => void (await Promise.all([orders.close(), inquiries.close(), lease.close()])),
  }
}

/** Finds the module of `bullmq`, and checks that the client of its server is installed too. */
async function findEntry({ disk }: Host, target: QueueTarget, root: string): Promise<string> {
  const client = target.kind === 'redis' ? 'ioredis' : 'pg'
  const [bullmq, driver] = await Promise.all([
    findPackage(disk, 'bullmq', [root], 'dist/cjs/index.js'),
    findPackage(disk, client, [root], 'index.js'),
  ])
  if (bullmq && driver) return bullmq.entry
  throw new SpritewrightError('SW_CONFIG', {
    message: `A queue at ${target.kind}:// needs the packages bullmq and ${client}, found ${bullmq ? `no ${client}` : 'no bullmq'}. Install them: npm install --save-dev bullmq@^6.7.0 ${client}`,
    facts: { package: bullmq ? client : 'bullmq', root },
  })
}

/** Turns failures of the server into our own errors. */
function withErrors(address: string, queue: JobQueue): JobQueue {
  const guarded =
    <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await call(...args)
      } catch (cause) {
        throw cause instanceof NoTables ? neverUsed(address) : queueError(address, cause)
      }
    }
  const held = (job: HeldJob): HeldJob => ({
    data: job.data,
    renew: guarded(job.renew),
    note: guarded(job.note),
    putBack: guarded(job.putBack),
  })
  return {
    ...queue,
    add: guarded(queue.add),
    read: guarded(queue.read),
    remove: guarded(queue.remove),
    list: guarded(queue.list),
    take: guarded(async (...args) => {
      const job = await queue.take(...args)
      return job && held(job)
    }),
  }
}

/** The error for a queue that no worker has ever used, so that waiting does not help. */
function neverUsed(address: string): SpritewrightError {
  return new SpritewrightError('SW_QUEUE', {
    message: `Expected the tables of the queue ${address}, found none: no worker has ever been active there. Nothing was sent. Start the worker once on the machine that has the API key: npx spritewright worker`,
    facts: { queue: address, hasTables: false },
  })
}

/** The error for a server. Its message may contain the address, but never the password. */
function queueError(address: string, cause: unknown): SpritewrightError {
  const found = ((cause as Error).message || 'no answer').replace(/[^\x20-\x7e]/g, ' ').slice(0, 200)
  return new SpritewrightError('SW_QUEUE', {
    message: `Expected the queue ${address} to answer, found: ${found}. Nothing is lost. Check the network, the address and the password in the environment, then run again.`,
    facts: { queue: address, mayPass: isPassing(found) },
    cause,
  })
}
