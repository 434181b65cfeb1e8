import { hasCode, type OverviewItem, type OverviewOrphan, type PlanStep } from '../../../src/index.ts'
import type { StateFacts } from '../../../src/project/states.ts'

/** An error of a purchase, and the animations that it is about. */
export interface BuyerFailure {
  readonly ids: readonly string[]
  readonly error: unknown
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

/** All names that work may use for a request. A step that several chains share has one name for each of them. */
export function namesOf({ id, ids = [id] }: { readonly id: string; readonly ids?: readonly string[] }): readonly string[] {
  return ids
}

/**
 * Facts that only failures tell: the price has another version, or the service has lost the execution, about which
 * a person decides.
 */
export function factsOfFailures(one: Paid, failures: readonly BuyerFailure[]): Pick<StateFacts, 'undecided' | 'isRefusedPrice'> {
  const isLost = (one.state === 'running' || one.state === 'lost') && hasFailedWith(failures, one, 'SW_UNCERTAIN')
  return {
    undecided: one.undecided ?? (isLost ? 'execution' : undefined),
    isRefusedPrice: hasFailedWith(failures, one, 'SW_PRICE_VERSION'),
  }
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
