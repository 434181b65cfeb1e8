import { dirname, join } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import type { Host } from '../host/host.ts'
import { refuseKey } from '../key-search.ts'
import type { ResolvedOptions } from '../options/options.ts'
import { lockFolderOf, lockName } from '../vault/lock-parts.ts'
import { createLockStore, type LockStore } from '../vault/lock-store.ts'
import type { Context } from './context.ts'
import { checkoutFile } from './trust/checkout.ts'

/** Default folder of the store (`store.dir`), relative to the root. */
const defaultStore = '.spritewright'

/**
 * Makes sure that files written into the project stay in it: a committed link would redirect the writes. If the
 * program's own options set `store.dir`, this folder itself may be a link.
 *
 * @throws `SW_DISK` if the store, one of its parts, the folder of a request, the lock file or the cache is a
 * link.
 */
export async function refuseLinks(disk: Pick<Disk, 'links'>, { root, store }: Pick<ResolvedOptions, 'root' | 'store'>): Promise<void> {
  const cache = join(root, 'node_modules', '.cache')
  const isDefault = store.dir === join(root, defaultStore)
  const places: readonly (readonly [folder: string, names?: readonly string[]])[] = [
    [root, [lockName, lockFolderOf(lockName), ...(isDefault ? [defaultStore] : [])]],
    [join(root, lockFolderOf(lockName))],
    [store.dir],
    ...['submissions', 'uploads', 'orders', join('orders', lockFolderOf(lockName)), 'embedded'].map(
      (part) => [join(store.dir, part)] as const,
    ),
    [dirname(cache), ['.cache']],
    [cache, ['spritewright']],
    [join(cache, 'spritewright')],
  ]
  for (const [folder, names] of places) {
    const name = (await disk.links(folder)).find((link) => names?.includes(link) ?? true)
    if (name !== undefined) throw isLink(join(folder, name))
  }
}

function isLink(path: string): SpritewrightError {
  return new SpritewrightError('SW_DISK', {
    message: `Expected ${path} to be inside this project, found a symbolic link: files would be written elsewhere. Nothing was written. Remove the link; to keep the store elsewhere, name it as store.dir in the options of the Vite plugin or of createWorkshop.`,
    facts: { file: path },
  })
}

/**
 * Parts of the store that record the actions of this machine, and the name that distinguishes this checkout
 * from another clone. Unlike results, they must not be committed.
 */
const records = ['submissions', 'uploads', 'orders', 'ledger.jsonl', checkoutFile]

/**
 * The places that only this user may read: the state folder, and the records in the store. Results are art, and
 * may be committed.
 */
export function privatePlaces({ stateFolder }: Pick<Host, 'stateFolder'>, storeFolder: string): readonly string[] {
  return [stateFolder, ...records.map((part) => join(storeFolder, part))]
}

/**
 * Makes sure that no records came with a commit: they would describe purchases of another machine, or invented
 * purchases. If a checkout's name were committed, all clones of one user would count as the same checkout.
 *
 * @throws `SW_JOURNAL` if git tracks a record.
 */
export async function refuseTrackedRecords(host: Pick<Host, 'trackedFiles'>, storeFolder: string): Promise<void> {
  const [first, ...more] = (await host.trackedFiles?.(storeFolder, records)) ?? []
  if (first === undefined) return
  // A person copies this command into a shell, and the folder's name may come from a commit, so the name is
  // quoted.
  const places = records.map((part) => `'${join(storeFolder, part).replaceAll("'", "'\\''")}'`).join(' ')
  throw new SpritewrightError('SW_JOURNAL', {
    message: `Expected the records in ${storeFolder} to be of this machine alone, found ${first}${more.length > 0 ? ` and ${more.length} more` : ''} tracked by git: records of another machine could hide a purchase or make one up. Nothing was sent. Take them out of the repository: git rm -r --cached --ignore-unmatch ${places}, and add them to .gitignore.`,
    facts: { folder: storeFolder, tracked: [first, ...more].slice(0, 20) },
  })
}

/** Folder of a worker's own lock file. */
export function ordersFolder({ storeFolder }: Pick<Context, 'storeFolder'>): string {
  return join(storeFolder, 'orders')
}

/**
 * Opens the worker's own lock file, which purchases change. The clone's `sprites.lock.json` stays unchanged, and the
 * client's build writes the result into the lock file of its checkout. If the shared journal lacks an execution, only
 * this file has it, so the file stays after the worker ends.
 */
export function openOwnLock(context: Context): LockStore {
  const { host, keySearch } = context
  const folder = ordersFolder(context)
  const turn = { path: join(folder, 'turn'), clock: host.clock }
  return createLockStore(host, join(folder, lockName), turn, (bytes, path) => refuseKey(keySearch, bytes, path))
}
