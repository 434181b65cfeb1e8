import { type Credits, formatCredits, sumCredits } from './credits.ts'

/** Standing ceilings of the configuration. A sprite within them needs no approval of its own. */
export interface Budget {
  /** Limit for all missing animations of one sprite together. */
  readonly perSprite?: Credits | undefined
  /** Limit for all purchases of one run. */
  readonly perRun?: Credits | undefined
  /** Limit for all credits that this project has held, settled or perhaps spent. */
  readonly total?: Credits | undefined
}

/** One purchase that a standing approval would have to cover. */
export interface BudgetLine {
  readonly sprite: string
  readonly credits: Credits
}

/**
 * Finds the sprites that the standing ceilings cover. A sprite is covered as a whole or not at all. Without
 * `perSprite`, no sprite is covered.
 *
 * @param spent Settled, held and uncertain credits of the project so far.
 * @param approved Credits that this run is going to spend for requests with their own approval.
 * @returns The names of covered sprites, and for each other sprite the reason, in words.
 */
export function coverByBudget(
  budget: Budget,
  lines: readonly BudgetLine[],
  spent: Credits,
  approved: Credits,
): { readonly covered: ReadonlySet<string>; readonly refused: ReadonlyMap<string, string> } {
  const covered = new Set<string>()
  const refused = new Map<string, string>()
  if (budget.perSprite === undefined) return { covered, refused }
  let run = approved
  for (const sprite of [...new Set(lines.map((line) => line.sprite))].sort()) {
    const cost = sumCredits(lines.filter((line) => line.sprite === sprite).map((line) => line.credits))
    const why = refusal(budget, cost, run, spent)
    if (why === undefined) {
      covered.add(sprite)
      run += cost
    } else refused.set(sprite, why)
  }
  return { covered, refused }
}

function refusal(budget: Budget, cost: Credits, run: Credits, spent: Credits): string | undefined {
  if (budget.perSprite !== undefined && cost > budget.perSprite)
    return `${formatCredits(cost)} is above approval.perSprite ${formatCredits(budget.perSprite)}`
  if (budget.perRun !== undefined && run + cost > budget.perRun)
    return `this run would cost ${formatCredits(run + cost)}, above approval.perRun ${formatCredits(budget.perRun)}`
  if (budget.total !== undefined && spent + run + cost > budget.total)
    return `the project would reach ${formatCredits(spent + run + cost)}, above approval.total ${formatCredits(budget.total)}`
  return undefined
}
