import { join } from 'node:path'
import { tempTargetOf } from '../../host/publish.ts'
import { sha256 } from '../../host/sha256.ts'
import type { Context } from '../../project/context.ts'
import { uploadsFolder } from '../../project/session.ts'
import { ordersFolder } from '../../project/store-folder.ts'
import { checkoutFile } from '../../project/trust/checkout.ts'
import type { VaultPlace } from '../../vault/layers.ts'
import { lockFolderOf, lockName, lockPartName } from '../../vault/lock-parts.ts'

/**
 * Minimum age of a leftover. A younger file may belong to a run that is still writing it, on this machine or
 * on another one with a clock of its own.
 */
const dayMs = 24 * 60 * 60_000

const recordName = /^\d{4,}\.json$/

/** Temporary files of one folder that were to become one of our own. */
interface Leftovers {
  readonly folder: string
  /** Possible names of the finished file. */
  readonly target: RegExp
  /** Decides about each file that is old enough. A file for which it returns false is not ours to delete. */
  readonly mayDelete?: (path: string, target: string) => Promise<boolean>
}

/**
 * Removes temporary files that a crash has left beside results, records and the lock file. It removes only
 * files with the exact form of our names, only files older than a day, and only if nothing is lost with them.
 * A whole result that never received its name gets it. A torn result is deleted if the whole one is here. A
 * record that was never published stays while its submission waits for an answer, since it may hold that
 * answer.
 *
 * @returns Paths of the deleted files.
 */
export async function sweepTemps(context: Context): Promise<readonly string[]> {
  const { disk, clock } = context.host
  const swept: string[] = []
  for (const { folder, target, mayDelete } of await findLeftovers(context)) {
    for (const name of await disk.list(folder)) {
      const becomes = tempTargetOf(name)
      if (becomes === undefined || !target.test(becomes)) continue
      const path = join(folder, name)
      const found = await disk.stat(path)
      if (!found || found.isFolder || !(clock.wall() - found.changedMs > dayMs)) continue
      if (mayDelete && !(await mayDelete(path, becomes))) continue
      await disk.remove(path)
      swept.push(path)
    }
  }
  return swept
}

async function findLeftovers(context: Context): Promise<readonly Leftovers[]> {
  const { disk } = context.host
  const places: Leftovers[] = [
    ...[context.options.root, ordersFolder(context)].flatMap((folder) => [
      { folder, target: exactly(lockName) },
      { folder: join(folder, lockFolderOf(lockName)), target: lockPartName },
    ]),
    { folder: context.storeFolder, target: exactly(checkoutFile) },
    { folder: uploadsFolder(context), target: /^[0-9a-f]{64}\.[0-9a-f]{12}\.json$/ },
    ...context.vault.places.filter(({ store }) => store.isListed).map((place) => resultNook(context, place)),
    { folder: join(context.storeFolder, 'submissions', 'unshared'), target: /^[0-9a-f]{64}$/ },
  ]
  for (const folder of [context.storeFolder, ...(context.copyFolder === undefined ? [] : [context.copyFolder])]) {
    const records = join(folder, 'submissions')
    // An unpublished share of the budget reserves nothing.
    places.push({ folder: join(records, 'budget'), target: recordName })
    for (const request of (await disk.list(records)).filter((name) => /^[0-9a-f]{64}$/.test(name)))
      places.push({ folder: join(records, request), target: recordName, mayDelete: () => isAnswered(context, request) })
  }
  if (context.copyFolder !== undefined) places.push({ folder: context.copyFolder, target: exactly(checkoutFile) })
  return places
}

function exactly(name: string): RegExp {
  return new RegExp(`^${name.replaceAll('.', '\\.')}$`)
}

function resultNook(context: Context, { store }: VaultPlace): Leftovers {
  return {
    folder: store.folder,
    target: /^(?:probe|[0-9a-f]{64}\.(?:zip|png|bin))$/,
    mayDelete: async (path, target) => {
      if (target === 'probe') return true
      const hash = target.slice(0, 64)
      const bytes = await context.host.disk.read(path)
      if (sha256(bytes) === hash) await store.put(bytes)
      return (await store.read(hash)) !== undefined
    },
  }
}

/** Whether the records leave no question that an unpublished record could answer. */
async function isAnswered(context: Context, request: string): Promise<boolean> {
  const view = await context.journal.read(request).catch(() => undefined)
  // If a chain cannot be read, none of its files is deleted.
  if (!view) return false
  const { accepted, stored, sends, answer } = view.submission
  const isOpen = (list: typeof sends): boolean => list.some((send) => send.answer.kind !== 'refused')
  if (stored) return true
  return !(isOpen(sends) && !accepted) && !(answer && isOpen(answer.sends))
}
