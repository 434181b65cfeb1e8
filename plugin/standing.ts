import { hasCode, type OverviewItem, type PlanStep } from '../src/index.ts'
import type { BuyerFailure } from './buy.ts'
import type { PanelStanding, PanelUndecided } from './panel/protocol.ts'

/** What is known of a paid thing beside the project's papers. */
export interface StandingParts {
  /** Ids that another checkout is to buy. */
  readonly others: ReadonlySet<string>
  /** What it costs now, where somebody has asked. */
  readonly price: bigint | undefined
  readonly failures: readonly BuyerFailure[]
}

type Paid = OverviewItem | PlanStep

/** Where something stands, for a person. */
export function panelStanding({ id, state, ceiling }: Paid, { others, price, failures }: StandingParts): PanelStanding {
  if (others.has(id)) return 'adoptable'
  if (state !== 'approved') return state
  const isDearer = price !== undefined && ceiling !== undefined && price > ceiling
  return isDearer || hasFailedWith(failures, id, 'SW_PRICE_VERSION') ? 'outpriced' : state
}

/** What a person has to decide about it, if anything. That the service has lost an execution is known only from asking it, so the failure tells. */
export function panelUndecided({ id, state, undecided }: Paid, failures: readonly BuyerFailure[]): PanelUndecided | undefined {
  if (undecided !== undefined) return undecided
  return (state === 'running' || state === 'lost') && hasFailedWith(failures, id, 'SW_UNCERTAIN') ? 'execution' : undefined
}

/** Failures that hold by what stands now: what was bought after all has not failed, and what a person has decided about waits for nobody. */
export function openFailures(failures: readonly BuyerFailure[], paid: readonly Paid[]): readonly BuyerFailure[] {
  const standing = new Map(paid.map((one) => [one.id, one] as const))
  return failures.filter(({ ids, error }) =>
    ids.some((id) => {
      const one = standing.get(id)
      if (one === undefined || one.state === 'bought') return one === undefined
      return one.undecided !== undefined || one.state === 'running' || one.state === 'lost' || !isUndecided(error)
    }),
  )
}

function isUndecided(error: unknown): boolean {
  return hasCode(error, 'SW_UNCERTAIN') || hasCode(error, 'SW_CONFLICT')
}

function hasFailedWith(failures: readonly BuyerFailure[], id: string, code: 'SW_PRICE_VERSION' | 'SW_UNCERTAIN'): boolean {
  return failures.some(({ error }) => hasCode(error, code) && (error as { facts?: { id?: unknown } }).facts?.id === id)
}
