import { type Credits, formatCredits, sumCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import { keyOf, monthTime, type Reservation, type Share } from './shares.ts'

/** A limit that the owner of a machine sets for the purchases that this machine sends. */
export interface OwnerBudget {
  readonly credits: Credits
  /** `month`: a calendar month in UTC. */
  readonly per: 'month' | 'ever'
  /**
   * Name of a project.
   *
   * @default all projects of the journal together
   */
  readonly project?: string | undefined
  /**
   * Fingerprint of a key whose approvals count.
   *
   * @default all approvals together
   */
  readonly approver?: string | undefined
}

/** What the owner of a machine decides about a project. No file of the project has a say in it, unless it is the name. */
export interface OwnerLimits {
  readonly project?: string
  readonly budgets: readonly OwnerBudget[]
}

/**
 * Finds a budget that a share would exceed. Pure. A share that does not name its project or its approver counts in the
 * budget of each. A later month counts too, because the clocks of two machines differ.
 *
 * @param taken All shares that count. An earlier share of the same attempt is replaced.
 * @param now Wall clock, milliseconds since the Unix epoch.
 * @returns The error; `undefined` if the share fits.
 */
export function fullBudget(
  budgets: readonly OwnerBudget[],
  share: Reservation,
  taken: ReadonlyMap<string, Share>,
  now: number,
): SpritewrightError | undefined {
  const others = [...taken].flatMap(([key, other]) => (key === keyOf(share) ? [] : [other]))
  for (const budget of budgets) {
    const from = budget.per === 'month' ? monthStart(now) : Number.NEGATIVE_INFINITY
    const counted = others.filter((other) => counts(budget, other) && monthTime(other) >= from)
    const spent = sumCredits(counted.map(({ credits }) => credits))
    if (counts(budget, share) && spent + share.credits > budget.credits) return budgetError(budget, share, spent, now)
  }
  return undefined
}

function counts({ project, approver }: OwnerBudget, share: Reservation): boolean {
  const isOf = (limit: string | undefined, value: string | undefined): boolean =>
    limit === undefined || value === undefined || limit === value
  return isOf(project, share.project) && isOf(approver, share.approver)
}

/** The start of a month in UTC, in milliseconds since the Unix epoch. */
function monthStart(now: number, later = 0): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
}

function budgetError({ credits, per, project, approver }: OwnerBudget, share: Reservation, spent: Credits, now: number): SpritewrightError {
  const left = credits > spent ? credits - spent : 0n
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
  const until = per === 'month' ? day(monthStart(now, 1)) : undefined
  const of = [project && ` of the project ${JSON.stringify(project)}`, approver && ` for approvals by ${approver}`].filter(Boolean).join('')
  const since = until === undefined ? '' : ` since ${day(monthStart(now))}`
  const anew = until === undefined ? '' : ` It starts anew on ${until} (UTC).`
  const facts = { id: share.id, price: formatCredits(share.credits), spent: formatCredits(spent), left: formatCredits(left) }
  return new SpritewrightError('SW_CEILING', {
    message: `"${share.id}" costs ${facts.price} credits. The budget${of} is ${formatCredits(credits)} credits${until === undefined ? '' : ' a month'}; ${facts.spent} are settled, held or possibly spent${since}, and ${facts.left} are left. Nothing was sent, and the approval stays valid.${anew} The owner of the machine that buys changes it: worker.budgets in settings.json of its state folder.`,
    facts: { ...facts, budget: formatCredits(credits), per, project, approver, until },
  })
}
