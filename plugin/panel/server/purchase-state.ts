import { isAboveCeiling } from '../../../src/credit/credits.ts'
import { hasCode, type OverviewItem, type OverviewOrphan, type PlanStep } from '../../../src/index.ts'
import type { PanelUndecided, PurchaseState } from '../../protocol/protocol.ts'
import type { BuyerFailure } from './buyer.ts'

/** Facts about a paid request that are not in the project's records. */
export interface PurchaseFacts {
  /** Ids whose approval does not count here. */
  readonly others: ReadonlySet<string>
  /** Its current price, if prices were requested. */
  readonly price: bigint | undefined
  readonly failures: readonly BuyerFailure[]
}

type Paid = OverviewItem | PlanStep | OverviewOrphan

/**
 * The panel's id of a request that no spec asks for any more. Another request may have its name meanwhile.
 */
export function orphanId({ id, hash }: Pick<OverviewOrphan, 'id' | 'hash'>): string {
  return `${id}@${hash.slice(0, 8)}`
}

function isOrphanId(id: string): boolean {
  return id.includes('@')
}

/**
 * All names that work may use for a request. A step that several sprites share has one name for each of them.
 */
export function namesOf({ id, sprites }: { readonly id: string; readonly sprites?: readonly string[] }): readonly string[] {
  return sprites?.map((name) => `${name}${id.slice(id.indexOf('#'))}`) ?? [id]
}

/** The state of a request, for a person. */
export function purchaseState(one: Paid, { others, price, failures }: PurchaseFacts): PurchaseState {
  const { id, state, ceiling } = one
  if (others.has(id)) return 'adoptable'
  if (state !== 'approved') return state
  const isDearer = price !== undefined && ceiling !== undefined && isAboveCeiling(price, ceiling)
  return isDearer || hasFailedWith(failures, one, 'SW_PRICE_VERSION') ? 'outpriced' : state
}

/**
 * What a person has to decide about a request, if anything. Only the service knows that it has lost an
 * execution, so this case is read from the failure.
 */
export function panelUndecided(one: Paid, failures: readonly BuyerFailure[]): PanelUndecided | undefined {
  const { state, undecided } = one
  if (undecided !== undefined) return undecided
  return (state === 'running' || state === 'lost') && hasFailedWith(failures, one, 'SW_UNCERTAIN') ? 'execution' : undefined
}

/**
 * Failures that still apply. They no longer apply if the request was bought after all, or if a person has
 * decided about it.
 */
export function openFailures(failures: readonly BuyerFailure[], paid: readonly Paid[]): readonly BuyerFailure[] {
  const byName = new Map(paid.flatMap((one) => namesOf(one).map((name) => [name, one] as const)))
  return failures.filter(({ ids, error }) =>
    ids.some((id) => {
      const one = byName.get(id)
      // The failure of an orphan is shown only while the orphan is open.
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
    // An error names an orphan by an id that another request may have now.
    if (ids.some(isOrphanId)) return hasCode(error, code) && ids.includes(one.id)
    return hasCode(error, code) && names.includes((error as { facts?: { id?: unknown } }).facts?.id)
  })
}
