import { isAboveCeiling } from '../../../src/credit/credits.ts'
import { hasCode, type OverviewItem, type OverviewOrphan, type PlanStep } from '../../../src/index.ts'
import type { PanelStanding, PanelUndecided } from '../../protocol/protocol.ts'
import type { BuyerFailure } from './buyer.ts'

/** What is known of a paid thing beside the project's papers. */
export interface StandingParts {
  /** Ids whose approval does not count here. */
  readonly others: ReadonlySet<string>
  /** What it costs now, where somebody has asked. */
  readonly price: bigint | undefined
  readonly failures: readonly BuyerFailure[]
}

type Paid = OverviewItem | PlanStep | OverviewOrphan

/** What the panel calls a request that no spec asks for any more: its name may be that of another one by now. */
export function orphanId({ id, hash }: Pick<OverviewOrphan, 'id' | 'hash'>): string {
  return `${id}@${hash.slice(0, 8)}`
}

function isOrphanId(id: string): boolean {
  return id.includes('@')
}

/** Whatever work may call it: a step that several sprites share goes by any of their names. */
export function namesOf(one: Paid): readonly string[] {
  return 'sprites' in one ? one.sprites.map((name) => `${name}${one.id.slice(one.id.indexOf('#'))}`) : [one.id]
}

/** Where something stands, for a person. */
export function panelStanding(one: Paid, { others, price, failures }: StandingParts): PanelStanding {
  const { id, state, ceiling } = one
  if (others.has(id)) return 'adoptable'
  if (state !== 'approved') return state
  const isDearer = price !== undefined && ceiling !== undefined && isAboveCeiling(price, ceiling)
  return isDearer || hasFailedWith(failures, one, 'SW_PRICE_VERSION') ? 'outpriced' : state
}

/** What a person has to decide about it, if anything. That the service has lost an execution is known only from asking it, so the failure tells. */
export function panelUndecided(one: Paid, failures: readonly BuyerFailure[]): PanelUndecided | undefined {
  const { state, undecided } = one
  if (undecided !== undefined) return undecided
  return (state === 'running' || state === 'lost') && hasFailedWith(failures, one, 'SW_UNCERTAIN') ? 'execution' : undefined
}

/** Failures that hold by what stands now: what was bought after all has not failed, and what a person has decided about waits for nobody. */
export function openFailures(failures: readonly BuyerFailure[], paid: readonly Paid[]): readonly BuyerFailure[] {
  const standing = new Map(paid.flatMap((one) => namesOf(one).map((name) => [name, one] as const)))
  return failures.filter(({ ids, error }) =>
    ids.some((id) => {
      const one = standing.get(id)
      // What no spec asks for any more is told while it is open, and no longer.
      if (one === undefined) return !isOrphanId(id)
      if (one.state === 'bought') return false
      return one.undecided !== undefined || one.state === 'running' || one.state === 'lost' || !isUndecided(error)
    }),
  )
}

function isUndecided(error: unknown): boolean {
  return hasCode(error, 'SW_UNCERTAIN') || hasCode(error, 'SW_CONFLICT')
}

function hasFailedWith(failures: readonly BuyerFailure[], one: Paid, code: 'SW_PRICE_VERSION' | 'SW_UNCERTAIN'): boolean {
  const names: readonly unknown[] = namesOf(one)
  return failures.some(({ ids, error }) => {
    // An error calls an earlier request by the name that another one has now.
    if (ids.some(isOrphanId)) return hasCode(error, code) && ids.includes(one.id)
    return hasCode(error, code) && names.includes((error as { facts?: { id?: unknown } }).facts?.id)
  })
}
