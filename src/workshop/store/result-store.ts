import { inParallel } from '../../host/in-parallel.ts'
import type { Context } from '../../project/context.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { interruptible } from '../interrupt.ts'
import { pull, push } from './copy.ts'
import { takeInventory, withShared } from './inventory.ts'
import { narrow } from './names.ts'
import { prune } from './prune.ts'
import type { ResultStore, StoreReport } from './reports.ts'
import { verify } from './verify.ts'

/** Opens the part of the workshop that manages the paid results. None of it buys. */
export function openResultStore(
  context: Context,
  connection: ServiceConnection,
  openOther: (root: string) => Promise<Context>,
): ResultStore {
  const never = new AbortController().signal
  return {
    list: (names = []) => list(context, connection.host, names),
    verify: (request = {}) => {
      const { signal = never } = request
      return interruptible(signal, 'nothing', () => verify(context, connection, { ...request, signal }))
    },
    prune: (request, signal = never) => interruptible(signal, 'nothing', () => prune(context, connection, request, signal)),
    push: (names = [], signal = never, onProgress = () => {}) =>
      interruptible(signal, 'nothing', () => push(context, connection.host, names, { signal, onProgress })),
    pull: (names = [], signal = never, onProgress = () => {}) =>
      interruptible(signal, 'nothing', () => pull(context, connection.host, names, { signal, onProgress })),
    unnamed: (folders = [], signal = never) =>
      interruptible(signal, 'nothing', async () => (await import('./gc.ts')).findUnnamed(context, openOther, folders, signal)),
  }
}

async function list(context: Context, host: string | undefined, names: readonly string[]): Promise<StoreReport> {
  const inventory = await takeInventory(context, host)
  const results = await inParallel(narrow(inventory, names), (result) => withShared(context, result))
  const hashes = new Set(results.map((result) => result.sha256))
  return {
    results,
    quarantined: inventory.quarantined.filter((copy) => names.length === 0 || hashes.has(copy.sha256)),
    othersInShared: inventory.othersInShared,
    warnings: [...context.warnings, ...inventory.errors.map((error) => error.message)],
  }
}
