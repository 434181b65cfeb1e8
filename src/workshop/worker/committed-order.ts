import { join, resolve } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import type { Order } from '../../job/order.ts'
import type { Context } from '../../project/context.ts'
import { toOrder } from '../../project/orders.ts'
import type { Session } from '../../project/session.ts'
import { readApprovers } from '../../project/trust/approvers.ts'
import { toWantedAnimations, type WantedAnimation } from '../../project/wanted.ts'
import type { OrderMessage } from '../../queue/messages.ts'
import { animationId } from '../../sprite-spec/request.ts'
import { tryReadSpec } from '../../sprite-spec/scan.ts'
import { lockFolderOf, lockName } from '../../vault/lock-parts.ts'
import { createLockStore } from '../../vault/lock-store.ts'
import type { LockFile } from '../../vault/lockfile.ts'

/**
 * Makes an order from the spec and the picture of a commit. Client and worker do the same, so a client sends no
 * order that the worker cannot find. The message only says where to look.
 *
 * @param disk See {@link commitDisk}.
 * @param lock The commit's lock file.
 * @throws `SW_ORDER` if the commit asks for something else.
 */
export async function readCommittedOrder(
  context: Context,
  session: Session,
  { disk, lock }: { readonly disk: Disk; readonly lock: LockFile },
  message: OrderMessage,
): Promise<Order> {
  const target = await readTarget(context, disk, message)
  const order = toOrder(session, target, { lock, approvers: await readApprovers(context) })
  if (order.hash !== message.hash) throw refusedOrder(message, 'at that commit it asks for something else.')
  return order
}

/** Reads the lock file of a commit. */
export function readCommittedLock({ host, options: { root } }: Context, disk: Disk): Promise<LockFile> {
  return createLockStore({ ...host, disk }, join(root, lockName)).read()
}

async function readTarget(context: Context, disk: Disk, message: OrderMessage): Promise<WantedAnimation> {
  const { id, file, reference } = message
  const { root } = context.options
  const { spec } = await tryReadSpec(disk, join(root, ...file.split('/')), root)
  if (spec instanceof SpritewrightError) throw refusedOrder(message, `its spec cannot be read there: ${spec.message}`)
  const isWanted = (sprite: string, animation: string): boolean => animationId({ name: sprite }, { name: animation }) === id
  const inCommit = { ...context, host: { ...context.host, disk } }
  const { wanted, errors } = await toWantedAnimations(inCommit, { specs: [spec], errors: [] }, isWanted)
  const [target] = wanted
  if (errors[0]) throw refusedOrder(message, `it cannot be bought as it is there: ${errors[0].message}`)
  if (!target) throw refusedOrder(message, `${file} has no such animation or picture.`)
  if (target.picture?.sha256 !== reference) throw refusedOrder(message, 'its reference picture at that commit is another one.')
  return target
}

/**
 * A disk that reads files from a commit, by their paths in the work tree. It lists only the folder of the lock
 * file; other folders look empty. Its other calls go to the real disk.
 */
export function commitDisk({ host, options: { root } }: Context, commit: string): Disk {
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
    list: async (folder) => {
      if (folder !== lockFolderOf(join(root, lockName))) return []
      const files = (await host.repository?.readFolder(root, commit, folder)) ?? new Map<string, Uint8Array>()
      for (const [name, bytes] of files) known.set(join(folder, name), Promise.resolve(bytes))
      return [...files.keys()].sort()
    },
  }
}

/** The error for an order that a worker does not carry out. */
export function refusedOrder({ id, commit }: OrderMessage, why: string, cause?: unknown): SpritewrightError {
  return new SpritewrightError('SW_ORDER', {
    message: `The worker does not buy "${id}" of commit ${commit.slice(0, 12)}: ${why} Nothing was sent. Commit its spec, its picture and sprites.lock*, push, and build again; a dev server does so by itself.`,
    facts: { id, commit },
    cause,
  })
}
