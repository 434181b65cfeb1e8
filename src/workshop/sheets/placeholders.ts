import type { Bitmap } from '../../../atlas/index.ts'
import type { Context } from '../../project/context.ts'
import { type PlanItem, servicesOf } from '../../project/plan.ts'
import type { Survey } from '../../project/survey.ts'
import type { WantedAnimation } from '../../project/wanted.ts'
import { groupBy } from '../../sheets/group.ts'
import type { PlaceholderSource } from '../../sheets/placeholder.ts'
import { buildKey, requestHash } from '../../sprite-spec/key.ts'
import { type AnimationSpec, type SpriteSpec, stepsOf } from '../../sprite-spec/spec.ts'
import { findEntry, type LockFile } from '../../vault/lockfile.ts'

/** Version of the placeholders. It must be raised when equal sources give other placeholders. */
const drawing = 3

/** Creates the sources of placeholders for a survey. */
export interface PlaceholderMaker {
  of(item: PlanItem, target: WantedAnimation): Promise<PlaceholderSource>
}

/** The pictures and sizes that are known before anything is drawn. */
export function createPlaceholderMaker(
  context: Context,
  found: Survey,
  readResult: (item: PlanItem) => Promise<readonly Bitmap[]>,
): PlaceholderMaker {
  const bought = found.items.filter(({ state, result }) => state === 'bought' && result !== undefined)
  const siblings = groupBy(bought, ({ spec }) => spec)
  return {
    of: async ({ spec, animation }, target) => {
      const last = madePicture(found.lock, target)
      // A build fetches a lost picture again. Until then, the first picture of the chain is used.
      const made = last !== undefined && (await context.vault.has(last)) ? last : undefined
      const sha256 = made ?? target.picture?.sha256
      const prompt = wordsOf(spec, animation)
      const isMarked = context.options.placeholders.mark
      const like = siblings.get(spec)?.find((other) => other.animation.isPicture === animation.isPicture)
      return {
        kind: 'placeholder',
        sha256: buildKey({ drawing, from: sha256 ?? { prompt }, isMarked, like: like?.result ?? null }),
        read: async () => (made === undefined ? target.picture?.bytes : await context.vault.read(made)),
        prompt,
        isMarked,
        readLike: like && (() => readResult(like)),
      }
    },
  }
}

/**
 * The last bought picture of a sprite's chain, by its hash. It is the nearest to the later animation. Only
 * the lock file decides, because the service of the later purchase is unknown yet.
 */
function madePicture(lock: LockFile, target: WantedAnimation): string | undefined {
  const chains = servicesOf(lock).map((service) =>
    target.requests(service).steps.map((step) => findEntry(lock, step.id, requestHash(step, service))?.result?.sha256),
  )
  const reached = chains.map((results) => results.findLastIndex((result) => result !== undefined))
  const best = reached.indexOf(Math.max(...reached))
  return chains[best]?.[reached[best] ?? -1]
}

/** The content of the picture, as far as words describe it. */
function wordsOf(spec: SpriteSpec, animation: AnimationSpec): string {
  const [first, ...others] = stepsOf(spec, animation).flatMap((step) => (step.kind === 'image' ? [] : [step]))
  const later = animation.isPicture ? others.map(({ prompt }) => prompt) : []
  return [...(first && (animation.isPicture || first.kind === 'text') ? [first.prompt] : []), ...later, spec.prompt].join('\n')
}
