import { join, resolve } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import { publish } from '../../host/publish.ts'
import type { Order } from '../../job/order.ts'
import type { Context } from '../../project/context.ts'
import { toOrder } from '../../project/orders.ts'
import type { Session } from '../../project/session.ts'
import { toWantedAnimations, type WantedAnimation } from '../../project/survey.ts'
import { readApprovers } from '../../project/trust/approvers.ts'
import type { OrderMessage } from '../../queue/messages.ts'
import { tryReadSpec } from '../../spec/scan.ts'
import { createLockStore, type LockStore } from '../../vault/lock-store.ts'

/** An order that a commit asks for, with the lock file of that commit. */
export interface CommittedOrder {
  readonly order: Order
  readonly lock: LockStore
}

/** Folder of the lock files of commits, in the worker's store. It may be deleted at any time. */
export function ordersFolder({ storeFolder }: Pick<Context, 'storeFolder'>): string {
  return join(storeFolder, 'orders')
}

/** Makes orders from commits alone. */
export type OrderReader = (message: OrderMessage) => Promise<CommittedOrder>

/**
 * Creates the reader. It reads the spec, the picture and the lock file of a commit. The message only says where
 * to look. It is compared with what is found there.
 *
 * The reader throws `SW_ORDER` if no remote branch has the commit, or if the commit asks for something else.
 */
export function createOrderReader(context: Context, session: Session): OrderReader {
  const { host, options } = context
  const { root } = options
  let lastFetch: Promise<unknown> = Promise.resolve()
  const isPushed = async (commit: string): Promise<boolean> => (await host.repository?.isPushed(root, commit)) === true
  /** Fetches if the commit is not known yet. One fetch at a time, since git locks its references. */
  const checkPushed = async (message: OrderMessage): Promise<void> => {
    const { commit } = message
    if (await isPushed(commit)) return
    const fetching = lastFetch.then(async () => {
      if (!(await isPushed(commit))) await host.repository?.fetch(root)
    })
    lastFetch = fetching.catch(() => {})
    await fetching.catch((cause: unknown) => {
      throw refused(message, `the worker could not fetch: ${(cause as Error).message.trim()}.`, cause)
    })
    if (!(await isPushed(commit))) throw refused(message, 'no branch of the remote has that commit.')
  }
  return async (message) => {
    await checkPushed(message)
    const disk = commitDisk(context, message.commit)
    const target = await readTarget(context, disk, message)
    const lock = await openCommittedLock(context, disk, message.commit)
    const order = toOrder(session, target, { lock: await lock.read(), approvers: await readApprovers(context) })
    if (order.hash !== message.hash) throw refused(message, 'at that commit it asks for something else.')
    return { order, lock }
  }
}

async function readTarget(context: Context, disk: Disk, message: OrderMessage): Promise<WantedAnimation> {
  const { id, file, reference } = message
  const { root } = context.options
  const { spec } = await tryReadSpec(disk, join(root, ...file.split('/')), root)
  if (spec instanceof SpritewrightError) throw refused(message, `its spec cannot be read there: ${spec.message}`)
  const isWanted = (sprite: string, animation: string): boolean => `${sprite}.${animation}` === id
  const inCommit = { ...context, host: { ...context.host, disk } }
  const { wanted, errors } = await toWantedAnimations(inCommit, { specs: [spec], errors: [] }, isWanted)
  const [target] = wanted
  if (errors[0]) throw refused(message, `it cannot be bought as it is there: ${errors[0].message}`)
  if (!target) throw refused(message, `${file} has no such animation there.`)
  if (target.picture?.sha256 !== reference) throw refused(message, 'its reference picture is another one there.')
  return target
}

/** Reads files of a commit by their paths in the work tree. Only reading leads to the commit. */
function commitDisk({ host, options: { root } }: Context, commit: string): Disk {
  const known = new Map<string, Promise<Uint8Array | undefined>>()
  const find = (path: string): Promise<Uint8Array | undefined> => {
    const isInside = resolve(path).startsWith(join(root, '/'))
    const found = known.get(path) ?? (isInside ? host.repository?.read(root, commit, path) : undefined) ?? Promise.resolve(undefined)
    known.set(path, found)
    return found
  }
  return {
    ...host.disk,
    stat: async (path) => {
      const bytes = await find(path)
      return bytes && { bytes: bytes.length, changedMs: 0, isFolder: false }
    },
    read: async (path) => {
      const bytes = await find(path)
      if (bytes) return bytes
      throw Object.assign(new Error(`${path} is not in the commit`), { code: 'ENOENT' })
    },
    list: async () => [],
  }
}

/**
 * Opens a copy of the commit's lock file. A purchase changes the copy. The clone's own file stays as it is, and
 * the client's build writes the result into the file of its checkout.
 */
async function openCommittedLock(context: Context, disk: Disk, commit: string): Promise<LockStore> {
  const path = join(ordersFolder(context), commit, 'sprites.lock.json')
  const committed = join(context.options.root, 'sprites.lock.json')
  const { host } = context
  const isThere = (await host.disk.stat(path)) !== undefined
  if (!isThere && (await disk.stat(committed))) await publish(host.disk, host.random, path, await disk.read(committed))
  return createLockStore(host, path)
}

function refused({ id, commit }: OrderMessage, why: string, cause?: unknown): SpritewrightError {
  return new SpritewrightError('SW_ORDER', {
    message: `The worker does not buy "${id}" of commit ${commit.slice(0, 12)}: ${why} Nothing was sent. Commit its spec, its picture and sprites.lock.json, push, and build again.`,
    facts: { id, commit },
    cause,
  })
}
