import { type Credits, parseCredits } from '../credit/credits.ts'
import type { PlanItem } from '../project/plan.ts'
import { mirrorsOf } from '../sprite-spec/mirrors.ts'
import { animationId } from '../sprite-spec/request.ts'
import { findEntry, type LockFile } from '../vault/lockfile.ts'

/** A mirror image, which costs nothing. */
export interface MirroredItem {
  /** `sprite.animation`. */
  readonly id: string
  /** Id of its source. */
  readonly of: string
  /** What a purchase in its place would cost: the price of the source, or what it cost at most. Missing if unknown. */
  readonly credits?: Credits | undefined
}

/** The mirror images of bought animations and pictures, in the order of their sources. */
export function mirroredItems(items: readonly PlanItem[], lock: LockFile): { readonly mirrored?: readonly MirroredItem[] } {
  const mirrored = items.flatMap((item) =>
    mirrorsOf(item.spec, item.animation).map((name) => ({
      id: animationId(item.spec, { name }),
      of: item.id,
      credits: priceOf(item, lock),
    })),
  )
  return mirrored.length > 0 ? { mirrored } : {}
}

function priceOf({ id, hash, quote }: PlanItem, lock: LockFile): Credits | undefined {
  const maximum = hash === undefined ? undefined : findEntry(lock, id, hash)?.submission?.maxCredits
  return quote?.credits ?? (maximum === undefined ? undefined : parseCredits(maximum))
}
