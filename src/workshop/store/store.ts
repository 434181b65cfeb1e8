import type { Shop } from '../../project/context.ts'
import type { SessionKeeper } from '../../project/session.ts'
import { interruptible } from '../interrupt.ts'
import { pull, push } from './copy.ts'
import { takeInventory } from './inventory.ts'
import { narrow } from './names.ts'
import { prune } from './prune.ts'
import type { ResultStore, StoreReport } from './reports.ts'
import { verify } from './verify.ts'

/** Opens the part of the counter where the paid results are looked after. None of it buys. */
export function openResultStore(shop: Shop, keeper: SessionKeeper): ResultStore {
  const never = new AbortController().signal
  return {
    list: (names = []) => list(shop, keeper.host, names),
    verify: (request = {}) => {
      const { signal = never } = request
      return interruptible(signal, () => verify(shop, keeper, { ...request, signal }))
    },
    prune: (request, signal = never) => interruptible(signal, () => prune(shop, keeper, request, signal)),
    push: (names = [], signal = never) => interruptible(signal, () => push(shop, keeper.host, names, signal)),
    pull: (names = [], signal = never) => interruptible(signal, () => pull(shop, keeper.host, names, signal)),
  }
}

async function list(shop: Shop, host: string | undefined, names: readonly string[]): Promise<StoreReport> {
  const inventory = await takeInventory(shop, host)
  const results = narrow(inventory, names)
  const hashes = new Set(results.map((result) => result.sha256))
  return {
    results,
    quarantined: inventory.quarantined.filter((copy) => names.length === 0 || hashes.has(copy.sha256)),
    othersInShared: inventory.othersInShared,
    warnings: [...shop.warnings, ...inventory.errors.map((error) => error.message)],
  }
}
