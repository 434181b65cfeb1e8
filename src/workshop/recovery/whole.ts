import { SpritewrightError } from '../../errors.ts'
import type { Order } from '../../job/order.ts'
import type { Context } from '../../project/context.ts'
import { toOrder } from '../../project/orders.ts'
import type { KnownService, PlanItem } from '../../project/plan.ts'
import { type RegainRun, regainOrder } from '../../project/recovery/regain.ts'
import type { ServiceConnection, Session } from '../../project/session.ts'
import { type Survey, survey, surveyWanted, throwAll } from '../../project/survey.ts'
import type { WantedAnimation } from '../../project/wanted.ts'
import type { BuildRequest } from '../api/reports.ts'

/** The part of a project of which a build makes its sheets. */
export interface WholeProject {
  readonly survey: Survey
  /** Whether something is left out, since it is neither named nor bought. */
  readonly isPartial: boolean
  /** Ids of lost results that were fetched, beside the named ones. */
  readonly fetched: readonly string[]
}

/**
 * Adds the rest of the project to what a build was asked for by name, because a game loads all of its sprites
 * from the files of one build. Fetches lost results, for free. What is not bought is left out with a warning, unless
 * it gets a placeholder.
 */
export async function toWholeProject(
  context: Context,
  connection: ServiceConnection,
  { named, known, request }: { readonly named: Survey; readonly known: KnownService; readonly request: BuildRequest },
): Promise<WholeProject> {
  if ((request.names ?? []).length === 0 || request.buyOnly === true) return { survey: named, isPartial: false, fetched: [] }
  let all = await survey(context, [], known)
  const ids = new Set(named.items.map(({ id }) => id))
  const lost = all.items.filter(({ id, state }) => state === 'lost' && !ids.has(id))
  const fetched: string[] = []
  for (const item of lost) {
    const { sha256, why } = await regainOrder(context, connection, findItemOrder(all, item), request)
    if (sha256 !== undefined) fetched.push(item.id)
    if (why !== undefined) context.warnings.push(`${item.id}: ${why}`)
  }
  if (lost.length > 0) all = await surveyWanted(context, all, await context.lock.read(), known)
  // A sprite that cannot be read must not go from the files of the game. What was named is bought by now.
  throwAll(all.errors)
  return { ...withoutUnbought(context, all), fetched }
}

/** The part of a project that a build ships: everything that is bought or has a placeholder. A warning names the rest. */
export function withoutUnbought(context: Context, all: Survey): Pick<WholeProject, 'survey' | 'isPartial'> {
  const isMade = (index: number): boolean => all.items[index]?.state === 'bought' || context.options.build.unbought === 'placeholder'
  const made = {
    ...all,
    items: all.items.filter((_, index) => isMade(index)),
    wanted: all.wanted.filter((_, index) => isMade(index)),
  }
  const missing = all.items.filter((_, index) => !isMade(index))
  if (missing.length > 0) {
    const sprites = new Set(made.items.map(({ spec }) => spec.name))
    const names = new Set(missing.map(({ id, spec }) => (sprites.has(spec.name) ? id : spec.name)))
    context.warnings.push(`Left out of the atlases, since not bought: ${[...names].join(', ')}.`)
  }
  return { survey: made, isPartial: missing.length > 0 }
}

/** The results of a run, before anything opens them. */
export interface UnopenedResults {
  readonly survey: Survey
  /** The service of the survey. */
  readonly known: KnownService
  /** What fetching a result again gave in this run already, by id. It is not fetched once more. */
  readonly fetched: ReadonlyMap<string, string>
  readonly run: RegainRun & { readonly frozen?: boolean | undefined }
}

/**
 * Makes something of the results of a survey. If one of them turns out to be damaged here, or cannot be read,
 * fetches it again and starts over: one build is enough.
 *
 * @param make Must be repeatable.
 * @throws The error of `make`, with the reason why the result is not here again.
 */
export async function withWholeResults<T>(
  context: Context,
  connection: ServiceConnection,
  { survey, known, fetched, run }: UnopenedResults,
  make: (survey: Survey) => Promise<T>,
): Promise<T> {
  let found = survey
  const reasons = new Map<string, string | undefined>(fetched)
  for (;;) {
    try {
      return await make(found)
    } catch (error) {
      const item = isUnusable(error) && found.items.find(({ id }) => id === error.facts.id)
      if (!item) throw error
      if (run.frozen === true && error.code === 'SW_DELIVERY')
        throw withReason(error, 'With --frozen it is not fetched again, since the lock file would change: run npx spritewright build.')
      if (reasons.has(item.id)) throw withReason(error, reasons.get(item.id))
      const { sha256, why } = await regainOrder(context, connection, findItemOrder(found, item), run)
      if (sha256 === undefined) throw withReason(error, why)
      // If the result is here and unreadable, the next round gives the reader's error.
      reasons.set(item.id, why)
      found = await surveyWanted(context, found, await context.lock.read(), known)
    }
  }
}

/** Finds the order of an item, if the service of the session has its identity. */
export function findItemOrder({ items, wanted, lock, approvers }: Survey, item: PlanItem): (session: Session) => Order | undefined {
  return (session) => {
    const order = toOrder(session, wanted[items.indexOf(item)] as WantedAnimation, { lock, approvers })
    return order.hash === item.hash ? order : undefined
  }
}

/** Whether an error says that the bytes of a result cannot be used. */
function isUnusable(error: unknown): error is SpritewrightError {
  return error instanceof SpritewrightError && (error.code === 'SW_VAULT' || error.code === 'SW_DELIVERY')
}

function withReason(error: SpritewrightError, reason: string | undefined): SpritewrightError {
  if (reason === undefined) return error
  return new SpritewrightError(error.code, { message: `${error.message} ${reason}`, facts: error.facts, cause: error })
}
