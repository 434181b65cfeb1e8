import { resolve } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import { inParallel } from '../../host/in-parallel.ts'
import { distinctFolders } from '../../host/real-path.ts'
import type { Context } from '../../project/context.ts'
import { openOwnLock } from '../../project/store-folder.ts'
import { readSettings } from '../../project/trust/settings.ts'
import { lockFolderOf, lockName } from '../../vault/lock-parts.ts'
import { probeHash } from '../../vault/shared-layer.ts'
import { findShared } from './copy.ts'
import type { UnnamedReport } from './reports.ts'

const lockFiles = [lockName, `${lockFolderOf(lockName)}/*.json`]

/** Lists what no clone of a shared store names. See `ResultStore.unnamed`. */
export async function findUnnamed(
  context: Context,
  openOther: (root: string) => Promise<Context>,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<UnnamedReport> {
  const { host, options } = context
  const { store } = findShared(context)
  // Before the clones: what is bought and named meanwhile is not in this list.
  const objects = await store.survey()
  const given = folders.map((folder) => resolve(host.workingFolder, folder))
  const { worker } = await readSettings(host)
  const clones = distinctFolders([options.root, ...given, ...(worker?.projects ?? []).map(({ dir }) => dir)])
  const named = new Set([probeHash])
  for (const root of clones) {
    signal.throwIfAborted()
    const other = root === options.root ? undefined : await openOther(root)
    try {
      const clone = other ?? context
      const found = clone.vault.places.find(({ name }) => name === 'shared')?.store.folder
      if (given.includes(root) && found !== store.folder) throw otherStore(root, store.folder, found)
      for (const hash of await namesOf(clone)) named.add(hash)
    } finally {
      await other?.sharedJournal?.close()
    }
  }
  const unnamed = objects.filter(({ sha256 }) => !named.has(sha256)).sort((a, b) => a.writtenMs - b.writtenMs)
  const now = host.clock.wall()
  const results = unnamed.map(({ writtenMs, ...one }) => ({ ...one, days: Math.floor((now - writtenMs) / 86_400_000) }))
  return { store: store.folder, clones, stored: objects.length, results, warnings: context.warnings }
}

/**
 * Every hash that a clone names, in any commit, in its folder or in its journal. Rather too many count than too few.
 *
 * @throws If anything of it cannot be read.
 */
async function namesOf(context: Context): Promise<ReadonlySet<string>> {
  const { host, options, journal, lock } = context
  const history = await (host.repository?.hashesIn(options.root, lockFiles) ?? Promise.reject(new Error('no git'))).catch(
    (cause: Error) => {
      throw new SpritewrightError('SW_ORDER', {
        message: `Expected to read every commit of ${options.root} and of its remotes, found ${cause.message}. Nothing is listed, because a lock file there may name any result. Mend the clone, and run again.`,
        facts: { root: options.root },
        cause,
      })
    },
  )
  const now = JSON.stringify([await lock.read(), await openOwnLock(context).read()])
  const named = new Set([...history, ...(now.match(/[0-9a-f]{64}/g) ?? [])])
  const requests = new Set([...(await journal.requests()), ...(await context.reservations.shares()).map(({ hash }) => hash)])
  await inParallel([...requests], async (request) => {
    for (const record of (await journal.read(request)).records) if (record.type === 'stored') named.add(record.body.sha256)
  })
  return named
}

function otherStore(root: string, expected: string, found = 'none'): SpritewrightError {
  return new SpritewrightError('SW_USAGE', {
    message: `Expected the folder of a project that shares results in ${expected}, found ${root}, which names ${found}. Nothing is listed. Give the folder with its configuration, or leave it out.`,
    facts: { root, expected, found },
  })
}
