import { basename, dirname, join } from 'node:path'
import { tempTargetOf } from '../../host/publish.ts'
import type { Context } from '../../project/context.ts'
import { checkoutFile } from '../../project/trust/checkout.ts'
import type { VaultPlace } from '../../vault/layers.ts'
import { sha256 } from '../../vault/objects.ts'

/** A younger file may belong to a run that is still writing it, on this machine or on another one with a clock of its own. */
const dayMs = 24 * 60 * 60_000

const recordName = /^\d{4,}\.json$/

/** Temporary files of one folder that were to become one of our own. */
interface Nook {
  readonly folder: string
  /** Names that the finished file may have. */
  readonly target: RegExp
  /** Asked of each file that is old enough; what it leaves behind is none of ours to take. */
  readonly mayGo?: (path: string, target: string) => Promise<boolean>
}

/**
 * Removes the temporary files that a crash has left beside results, records and the lock file: only by the exact name that we give them, only older than a day, and only
 * where nothing is lost with them. A whole result that was never given its name gets it; a torn one goes when the whole one is here; a record that was never published stays while its
 * submission waits for an answer, since it may say what the answer was.
 *
 * @returns Paths of what is gone.
 */
export async function sweepTemps(context: Context): Promise<readonly string[]> {
  const { disk, clock } = context.host
  const swept: string[] = []
  for (const { folder, target, mayGo } of await findNooks(context)) {
    for (const name of await disk.list(folder)) {
      const becomes = tempTargetOf(name)
      if (becomes === undefined || !target.test(becomes)) continue
      const path = join(folder, name)
      const found = await disk.stat(path)
      if (!found || found.isFolder || !(clock.wall() - found.changedMs > dayMs)) continue
      if (mayGo && !(await mayGo(path, becomes))) continue
      await disk.remove(path)
      swept.push(path)
    }
  }
  return swept
}

async function findNooks(context: Context): Promise<readonly Nook[]> {
  const { disk } = context.host
  const nooks: Nook[] = [
    { folder: dirname(context.lock.path), target: exactly(basename(context.lock.path)) },
    { folder: context.storeFolder, target: exactly(checkoutFile) },
    { folder: join(context.storeFolder, 'uploads'), target: /^[0-9a-f]{64}\.[0-9a-f]{12}\.json$/ },
    ...context.vault.places.map((place) => resultNook(context, place)),
  ]
  for (const folder of [context.storeFolder, ...(context.copyFolder === undefined ? [] : [context.copyFolder])]) {
    const records = join(folder, 'submissions')
    // An unpublished share of the budget reserves nothing.
    nooks.push({ folder: join(records, 'budget'), target: recordName })
    for (const request of (await disk.list(records)).filter((name) => /^[0-9a-f]{64}$/.test(name)))
      nooks.push({ folder: join(records, request), target: recordName, mayGo: () => isAnswered(context, request) })
  }
  if (context.copyFolder !== undefined) nooks.push({ folder: context.copyFolder, target: exactly(checkoutFile) })
  return nooks
}

function exactly(name: string): RegExp {
  return new RegExp(`^${name.replaceAll('.', '\\.')}$`)
}

function resultNook(context: Context, { store }: VaultPlace): Nook {
  return {
    folder: store.folder,
    target: /^(?:probe|[0-9a-f]{64}\.(?:zip|png|bin))$/,
    mayGo: async (path, target) => {
      if (target === 'probe') return true
      const hash = target.slice(0, 64)
      const bytes = await context.host.disk.read(path)
      if (sha256(bytes) === hash) await store.put(bytes)
      return (await store.read(hash)) !== undefined
    },
  }
}

/** Whether the records leave nothing open that an unpublished one could answer. */
async function isAnswered(context: Context, request: string): Promise<boolean> {
  const view = await context.journal.read(request).catch(() => undefined)
  // Of a chain that cannot be read, nothing is taken.
  if (!view) return false
  const { accepted, stored, sends, answer } = view.submission
  const isOpen = (list: typeof sends): boolean => list.some((send) => send.answer.kind !== 'refused')
  if (stored) return true
  return !(isOpen(sends) && !accepted) && !(answer && isOpen(answer.sends))
}
