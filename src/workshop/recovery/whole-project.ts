import type { Context } from '../../project/context.ts'
import type { KnownService } from '../../project/plan.ts'
import { regainOrder } from '../../project/regain.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { type Survey, survey, surveyWanted, throwAll } from '../../project/survey.ts'
import type { BuildRequest } from '../api/reports.ts'
import { findItemOrder } from './whole-results.ts'

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
  return { survey: made, isPartial: missing.length > 0, fetched }
}
