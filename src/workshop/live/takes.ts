import type { Context } from '../../project/context.ts'
import { identify, type PlanItem, type PlanState, standingOf } from '../../project/plan.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { readFacts, type Survey } from '../../project/survey.ts'
import type { WantedAnimation } from '../../project/wanted.ts'
import { requestHash } from '../../sprite-spec/key.ts'
import type { LockFile } from '../../vault/lockfile.ts'

/** The takes of each animation, in the order of the items. */
export async function readTakes(
  context: Context,
  connection: ServiceConnection,
  { wanted, items, lock }: Survey,
): Promise<readonly (readonly { readonly take: number; readonly state: PlanState }[])[]> {
  const others = items.map((item, index) => otherTakes(connection, lock, wanted[index] as WantedAnimation, item))
  const asked = others.flat().map(([id, hash]) => [id, hash] as const)
  const facts = await readFacts(context, lock, asked, undefined)
  return items.map((item, index) =>
    [
      { take: item.animation.take, state: item.state },
      ...(others[index] ?? []).map(([id, hash, take]) => ({ take, state: standingOf(facts, id, hash).state })),
    ].sort((a, b) => a.take - b.take),
  )
}

/** The lock entries of the same request with another take number. */
function otherTakes(
  connection: ServiceConnection,
  lock: LockFile,
  target: WantedAnimation,
  { id, animation }: PlanItem,
): readonly (readonly [id: string, hash: string, take: number])[] {
  const entries = Object.hasOwn(lock.animations, id) ? Object.values(lock.animations[id] ?? {}) : []
  const numbers = new Set(entries.map(({ asked }) => asked.take ?? 1))
  numbers.delete(animation.take)
  return [...numbers].flatMap((take) => {
    const found = identify(id, (identity) => requestHash({ ...target.requests(identity).request, take }, identity), lock, {
      host: connection.host,
    })
    return found ? [[id, found.hash, take] as const] : []
  })
}
