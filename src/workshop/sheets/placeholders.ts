import type { Bitmap } from '../../../atlas/index.ts'
import type { Context } from '../../project/context.ts'
import type { PlanItem } from '../../project/plan.ts'
import type { Survey } from '../../project/survey.ts'
import type { WantedAnimation } from '../../project/wanted.ts'
import type { PlaceholderSource } from '../../sheets/placeholder.ts'
import { buildKey, requestHash } from '../../sprite-spec/key.ts'
import type { ServiceIdentity } from '../../sprite-spec/request.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
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
  const siblings = new Map<SpriteSpec, PlanItem>()
  for (const item of found.items)
    if (item.state === 'bought' && item.result !== undefined && !siblings.has(item.spec)) siblings.set(item.spec, item)
  return {
    of: async ({ spec }, target) => {
      const last = madePicture(found.lock, target)
      // A build fetches a lost picture again. Until then, the first picture of the chain is used.
      const made = last !== undefined && (await context.vault.has(last)) ? last : undefined
      const sha256 = made ?? target.picture?.sha256
      const prompt = wordsOf(spec)
      const isMarked = context.options.placeholders.mark
      const like = siblings.get(spec)
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
  const services = stepServices.get(lock) ?? servicesOfSteps(lock)
  stepServices.set(lock, services)
  const chains = services.map((service) =>
    target.requests(service).steps.map((step) => findEntry(lock, step.id, requestHash(step, service))?.result?.sha256),
  )
  const reached = chains.map((results) => results.findLastIndex((result) => result !== undefined))
  const best = reached.indexOf(Math.max(...reached))
  return chains[best]?.[reached[best] ?? -1]
}

/** A lock file object never changes, and each sprite of a project asks for the same list. */
const stepServices = new WeakMap<LockFile, readonly ServiceIdentity[]>()

function servicesOfSteps(lock: LockFile): readonly ServiceIdentity[] {
  return [...new Map(Object.values(lock.steps ?? {}).map(({ service }) => [JSON.stringify(service), service])).values()]
}

/** The content of the picture, as far as words describe it. */
function wordsOf({ reference, prompt }: SpriteSpec): string {
  const [first] = reference.kind === 'steps' ? reference.steps : []
  return first?.kind === 'text' ? `${first.text}\n${prompt}` : prompt
}
