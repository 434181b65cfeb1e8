import type { Approvers } from '../credit/approval.ts'
import { hasCode, type SpritewrightError } from '../errors.ts'
import { inParallel } from '../host/in-parallel.ts'
import type { JournalView } from '../job/records/journal.ts'
import { noSubmission, type Submission } from '../job/records/submission.ts'
import type { Capabilities } from '../service/wire.ts'
import { requestHash } from '../sprite-spec/key.ts'
import { readReference, referencePath } from '../sprite-spec/reference.ts'
import { animationId, type ServiceIdentity } from '../sprite-spec/request.ts'
import { findEntry, type LockFile } from '../vault/lockfile.ts'
import type { Context } from './context.ts'
import {
  identify,
  type KeyTagOf,
  type KnownService,
  type PlanFacts,
  type PlanItem,
  type PlanStep,
  planAnimation,
  standingOf,
} from './plan.ts'
import { doubtAbout } from './reference-doubts.ts'
import { isUnsent } from './states.ts'
import { readApprovers } from './trust/approvers.ts'
import { type OwnAnimation, readWantedAnimations, type WantedAnimation, type WantedAnimations } from './wanted.ts'

/** All wanted animations of the project with their states. */
export interface Survey {
  /** Sorted by sprite name, then in the order of the spec. */
  readonly wanted: readonly WantedAnimation[]
  /** Own art, by sprite name, then in the order of the source. */
  readonly own: readonly OwnAnimation[]
  /** One for each wanted animation, in the same order. */
  readonly items: readonly PlanItem[]
  /**
   * Steps that are bought, or that an unbought animation needs, each once. Sorted by sprite name and place in the
   * chain.
   */
  readonly steps: readonly PlanStep[]
  readonly lock: LockFile
  /** The approvers whose approvals count. */
  readonly approvers: Approvers
  /** Submission of a request, as the journal recorded it when the survey read it, by request hash. */
  readonly submissionOf: (hash: string) => Submission
  /** Errors of specs and references that cannot be read. */
  readonly errors: readonly SpritewrightError[]
}

/**
 * Determines the states of the wanted animations from the stored files.
 *
 * @param known Identity of the service, if it is known.
 * @param keyTagOf Fingerprint of today's API key for a request hash.
 */
export async function survey(context: Context, names: readonly string[], known: KnownService, keyTagOf?: KeyTagOf): Promise<Survey> {
  return surveyWanted(context, await readWantedAnimations(context, names), await context.lock.read(), known, keyTagOf)
}

/**
 * Determines the states of these animations.
 *
 * @param lock The lock file, read now or a moment ago.
 */
export async function surveyWanted(
  context: Context,
  { wanted, own, errors }: WantedAnimations,
  lock: LockFile,
  known: KnownService,
  keyTagOf?: KeyTagOf,
): Promise<Survey> {
  const asked = wanted.map((target) => {
    const id = animationId(target.spec, target.animation)
    const found = identify(id, (identity) => requestHash(target.requests(identity).request, identity), lock, known)
    const identity = found?.identity ?? unknownIdentity
    const { steps, request } = target.requests(identity)
    return {
      target,
      request,
      hash: found?.hash,
      steps: found ? steps.map((step) => ({ step, hash: requestHash(step, identity) })) : steps.map((step) => ({ step, hash: undefined })),
    }
  })
  const facts = await readFacts(
    context,
    lock,
    asked.flatMap(({ request, hash, steps }) => [
      [request.id, hash] as const,
      ...steps.map(({ step, hash: own }) => [step.id, own] as const),
    ]),
    keyTagOf,
  )
  const items = asked.map(({ target, request, hash }) =>
    planAnimation(facts, target.spec, target.animation, request, hash, known.identity?.host ?? known.host),
  )
  const steps = new Map<string, PlanStep>()
  for (const [index, { target, steps: needed }] of asked.entries()) {
    for (const { step, hash } of needed) {
      const standing = standingOf(facts, step.id, hash)
      if (standing.state !== 'bought' && !isUnsent(items[index] as PlanItem)) continue
      const key = hash ?? step.id
      const before = steps.get(key)
      steps.set(key, {
        ...(before ?? { ...standing, id: step.id, request: step }),
        sprites: [...new Set([...(before?.sprites ?? []), target.spec.name])],
        ids: [...new Set([...(before?.ids ?? []), step.id])],
      })
    }
  }
  return { wanted, own, items, steps: [...steps.values()], lock, approvers: facts.approvers, submissionOf: facts.submissionOf, errors }
}

/** The steps of a survey, without steps that are also pictures of the game, because the items have those. */
export function listedSteps<T extends PlanStep>({ items, steps }: Pick<Survey, 'items'> & { readonly steps: readonly T[] }): readonly T[] {
  const keyOf = ({ hash, request }: PlanStep | PlanItem): string => hash ?? requestHash(request, unknownIdentity)
  const pictures = new Set(items.filter(({ animation }) => animation.isPicture).map(keyOf))
  return pictures.size === 0 ? steps : steps.filter((step) => !pictures.has(keyOf(step)))
}

/** Placeholder for an unknown identity; hashes under it are never used. */
export const unknownIdentity: ServiceIdentity = { host: '', keyMode: 'test', apiVersion: '1' }

/** Reads the stored facts of some requests, for {@link standingOf}. */
export async function readFacts(
  context: Context,
  lock: LockFile,
  asked: readonly (readonly [id: string, hash: string | undefined])[],
  keyTagOf: KeyTagOf | undefined,
): Promise<PlanFacts> {
  const submissions = new Map<string, Submission>()
  const kept = new Set<string>()
  const distinct = new Map(asked.flatMap(([id, hash]) => (hash === undefined ? [] : [[hash, findEntry(lock, id, hash)?.result?.sha256]])))
  await inParallel([...distinct], async ([hash, locked]) => {
    const { submission } = await readForPlan(context, hash, locked !== undefined)
    submissions.set(hash, submission)
    for (const result of new Set([submission.stored?.sha256, locked]))
      if (result !== undefined && (await context.vault.has(result))) kept.add(result)
  })
  return {
    lock,
    approvers: await readApprovers(context),
    submissionOf: (hash) => submissions.get(hash) ?? noSubmission,
    isKept: (sha256) => kept.has(sha256),
    decision: { wall: context.host.clock.wall(), mono: context.host.clock.mono(), windowMs: context.options.replayWindowMs, keyTagOf },
  }
}

/**
 * Reads a request's chain for display. A request that is bought according to the lock file needs no network, and a
 * plan is made even if a shared journal cannot be reached. A purchase reads the journal itself before it sends
 * anything.
 */
async function readForPlan({ journal, warn }: Context, hash: string, isBought: boolean): Promise<JournalView> {
  if (isBought) return journal.peek(hash)
  try {
    return await journal.read(hash)
  } catch (error) {
    if (!hasCode(error, 'SW_STORE')) throw error
    warn(`${error.message} The states come from the records of this machine, and nothing can be bought.`)
    return journal.peek(hash)
  }
}

/**
 * Checks the references of animations that are not bought yet against the service's limits, before any upload. If a
 * reference may not be worth its price, the run gets a warning.
 *
 * @returns These warnings, by sprite.
 * @throws `SW_REFERENCE`, one for each sprite, also for a picture that is damaged.
 */
export async function checkReferences(
  context: Context,
  items: readonly PlanItem[],
  limits: Capabilities,
): Promise<ReadonlyMap<string, string>> {
  const errors: unknown[] = []
  const doubts = new Map<string, string>()
  const specs = new Set(items.filter(isUnsent).map((item) => item.spec))
  for (const spec of [...specs].filter((one) => referencePath(one) !== undefined)) {
    try {
      const picture = await readReference(context.host.disk, spec, limits)
      const doubt = await doubtAbout(context.host.disk, spec, picture, context.options.root)
      if (doubt !== undefined)
        doubts.set(spec.name, `The reference of ${spec.name} ${doubt}: look at ${picture.path} before you pay for it.`)
    } catch (error) {
      errors.push(error)
    }
  }
  throwAll(errors)
  context.warnings.push(...doubts.values())
  return doubts
}

/** Throws the errors of a run: a single error unchanged, several errors as one `AggregateError`. */
export function throwAll(all: readonly unknown[]): void {
  // Several orders may have failed because of one shared step.
  const errors = [...new Set(all)]
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, errors.map((error) => (error as Error).message).join('\n'))
}
