import { identify, type KnownService, type PlanItem, planAnimation } from '../build/plan.ts'
import { SpritewrightError } from '../errors.ts'
import { noSubmission, type Submission } from '../job/record.ts'
import type { Capabilities } from '../service/wire.ts'
import { type ReferencePicture, readReference } from '../spec/reference.ts'
import { type SheetRequest, toSheetRequest } from '../spec/request.ts'
import { readSpecs } from '../spec/scan.ts'
import type { AnimationSpec, SpriteSpec } from '../spec/spec.ts'
import type { LockFile } from '../vault/lockfile.ts'
import type { Shop } from './shop.ts'

/** One animation of the project with the picture that it asks to be animated. */
export interface Wish {
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  readonly request: SheetRequest
  readonly reference: ReferencePicture
}

/** Whether an item still has to be sent for the first time, by its state. */
export function isUnsent(item: PlanItem): boolean {
  return item.state === 'missing' || item.state === 'approved' || item.state === 'failed'
}

/** What the project asks for, and where all of it stands. */
export interface Survey {
  /** By sprite name and in the order of the spec. */
  readonly wishes: readonly Wish[]
  /** One for each wish, in the same order. */
  readonly items: readonly PlanItem[]
  readonly lock: LockFile
  /** Specs and references that cannot be read. */
  readonly errors: readonly SpritewrightError[]
}

/** Reads the wishes of all specs, or of those that are named. A broken spec stands in `errors`; the others go on. */
export async function readWishes(
  shop: Shop,
  names: readonly string[] = [],
): Promise<{ wishes: readonly Wish[]; errors: readonly SpritewrightError[] }> {
  const scan = await readSpecs(shop.host, shop.options.root, shop.options.specs)
  const errors = [...scan.errors]
  const wishes: Wish[] = []
  const isWanted = selector(scan.specs, names, errors.length > 0)
  for (const spec of scan.specs) {
    const animations = spec.animations.filter((animation) => isWanted(spec.name, animation.name))
    if (animations.length === 0) continue
    try {
      refuseChain(spec)
      const reference = await readReference(shop.host.disk, spec)
      for (const animation of animations)
        wishes.push({ spec, animation, reference, request: toSheetRequest(spec, animation, reference.sha256) })
    } catch (error) {
      if (!(error instanceof SpritewrightError)) throw error
      errors.push(error)
    }
  }
  return { wishes, errors }
}

/** Where every wish stands, by the project's papers and, where it is known, the service's identity. */
export async function survey(shop: Shop, names: readonly string[], known: KnownService, keyTag?: string): Promise<Survey> {
  const { wishes, errors } = await readWishes(shop, names)
  const lock = await shop.lock.read()
  const submissions = new Map<string, Submission>()
  const kept = new Set<string>()
  for (const { request } of wishes) {
    const hash = identify(request, lock, known)?.hash
    if (hash === undefined) continue
    const { submission } = await shop.journal.read(hash)
    submissions.set(hash, submission)
    const result = submission.stored?.sha256 ?? lock.animations[request.id]?.[hash]?.result?.sha256
    if (result !== undefined && (await shop.vault.has(result))) kept.add(result)
  }
  const decision = { wall: shop.host.clock.wall(), mono: shop.host.clock.mono(), windowMs: shop.options.replayWindowMs, keyTag }
  const items = wishes.map(({ spec, animation, request }) =>
    planAnimation({
      spec,
      animation,
      request,
      lock,
      known,
      submissionOf: (hash) => submissions.get(hash) ?? noSubmission,
      isKept: (sha256) => kept.has(sha256),
      decision,
    }),
  )
  return { wishes, items, lock, errors }
}

/**
 * Checks the references of what is still to be bought against what the service takes, before anything is uploaded.
 *
 * @throws `SW_REFERENCE`, one for each sprite.
 */
export async function checkReferences(shop: Shop, items: readonly PlanItem[], limits: Capabilities): Promise<void> {
  const errors: unknown[] = []
  for (const spec of new Set(items.filter(isUnsent).map((item) => item.spec)))
    await readReference(shop.host.disk, spec, limits).catch((error: unknown) => errors.push(error))
  throwAll(errors)
}

/** Throws what was found wrong: one error as it is, several as one `AggregateError`. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, errors.map((error) => (error as Error).message).join('\n'))
}

function selector(
  specs: readonly SpriteSpec[],
  names: readonly string[],
  isPartial: boolean,
): (sprite: string, animation: string) => boolean {
  if (names.length === 0) return () => true
  const ids = specs.flatMap((spec) => [spec.name, ...spec.animations.map((animation) => `${spec.name}.${animation.name}`)])
  const unknown = names.filter((name) => !ids.includes(name))
  if (unknown.length > 0 && !isPartial) {
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected the name of a sprite or of an animation, found ${unknown.map((name) => JSON.stringify(name)).join(', ')}. There are: ${ids.slice(0, 40).join(', ') || 'no specs yet (spritewright init writes a first one)'}.`,
      facts: { unknown },
    })
  }
  return (sprite, animation) => names.includes(sprite) || names.includes(`${sprite}.${animation}`)
}

/** Image executions are no part of this version: a chain is refused before anything is read or sent. */
function refuseChain(spec: SpriteSpec): void {
  if (spec.reference.kind === 'file') return
  throw new SpritewrightError('SW_CAPABILITY', {
    message: `${spec.file}: "reference" is a chain of steps; this version of spritewright buys animations of a picture file only. Make the picture first and name its file.`,
    facts: { file: spec.file, sprite: spec.name },
  })
}
