import type { Shop } from '../../project/context.ts'
import { identify, type PlanItem, type PlanState, standingOf } from '../../project/plan.ts'
import type { SessionKeeper } from '../../project/session.ts'
import { readFacts, type Survey, type Wish } from '../../project/survey.ts'
import { requestHash } from '../../spec/key.ts'
import type { LockFile } from '../../vault/lockfile.ts'

/** The takes of each animation, in the order of the items. */
export async function readTakes(
  shop: Shop,
  keeper: SessionKeeper,
  { wishes, items, lock }: Survey,
): Promise<readonly (readonly { readonly take: number; readonly state: PlanState }[])[]> {
  const others = items.map((item, index) => otherTakes(keeper, lock, wishes[index] as Wish, item))
  const asked = others.flat().map(([id, hash]) => [id, hash] as const)
  const facts = await readFacts(shop, lock, asked, undefined)
  return items.map((item, index) =>
    [
      { take: item.animation.take, state: item.state },
      ...(others[index] ?? []).map(([id, hash, take]) => ({ take, state: standingOf(facts, id, hash).state })),
    ].sort((a, b) => a.take - b.take),
  )
}

/** What the lock file has of the same request under another number. */
function otherTakes(
  keeper: SessionKeeper,
  lock: LockFile,
  wish: Wish,
  { id, animation }: PlanItem,
): readonly (readonly [id: string, hash: string, take: number])[] {
  const entries = Object.hasOwn(lock.animations, id) ? Object.values(lock.animations[id] ?? {}) : []
  const numbers = new Set(entries.flatMap(({ asked }) => asked.take ?? []))
  numbers.delete(animation.take)
  return [...numbers].flatMap((take) => {
    const found = identify(id, (identity) => requestHash({ ...wish.requests(identity).sheet, take }, identity), lock, { host: keeper.host })
    return found ? [[id, found.hash, take] as const] : []
  })
}
