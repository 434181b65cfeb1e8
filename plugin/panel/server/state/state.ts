import { basename, relative } from 'node:path'
import { sumCredits } from '../../../../src/credit/credits.ts'
import { formatCredits, type OverviewItem, type PlanStep, type PriceList } from '../../../../src/index.ts'
import { isToBuy } from '../../../../src/project/states.ts'
import { toPanelError } from '../../../failure.ts'
import type { PanelError, PanelPaid, PanelState, ShownState } from '../../../protocol/protocol.ts'
import { namesOf, openFailures, orphanId } from '../failures.ts'
import { serviceWords } from '../words.ts'
import { toLedger, toOrphan, toPaid } from './paid.ts'
import { indexParts, type StateParts } from './parts.ts'
import { type SpriteMemo, toKnownSprite } from './sprite.ts'

/**
 * Makes the state that the panel shows. Pure, except for the memo.
 *
 * @param memo Of the states before.
 * @default nothing was before
 */
export function toPanelState(parts: StateParts, memo: SpriteMemo = new Map()): PanelState {
  const { root, overview, ledger, prices } = parts
  const items = bySprite(overview.items)
  const drawn = bySprite(overview.own)
  const names = [...new Set([...items.keys(), ...drawn.keys()])].sort()
  for (const name of memo.keys()) if (!items.has(name) && !drawn.has(name)) memo.delete(name)
  const index = indexParts(parts)
  const sprites = names.map((name) => toKnownSprite(memo, parts, { items: items.get(name) ?? [], drawn: drawn.get(name) ?? [] }, index))
  const steps = overview.steps.map((step) => ({ ...toPaid(parts, step, index), operation: step.request.operation, sprites: step.sprites }))
  const orphans = overview.orphans.map((one) => toOrphan(parts, one, index))
  const total = prices && sumPrices([...overview.items, ...overview.steps].filter(isToBuy), prices)
  const { keyMode } = prices?.service ?? {}
  const { kind, host, canAsk } = overview.service
  return {
    version: 1,
    revision: parts.revision,
    project: basename(root),
    folder: relative(process.cwd(), root).replaceAll('\\', '/'),
    engines: parts.engines,
    access: parts.access,
    service: {
      mode: kind === 'embedded' ? 'embedded' : canAsk ? (keyMode ?? 'unasked') : 'none',
      host,
      balance: prices && formatCredits(prices.balance),
      newSprite: prices && { ...prices.newSprite, credits: formatCredits(prices.newSprite.credits) },
      words: serviceWords(overview.service, parts.priceError),
    },
    sprites,
    steps,
    orphans,
    totals: {
      counts: countStates([...sprites.flatMap(({ animations }) => animations), ...steps]),
      price: total === undefined ? undefined : formatCredits(total),
    },
    ledger: toLedger(ledger),
    errors: toErrors(parts, [...sprites.flatMap(({ animations }) => animations), ...steps, ...orphans]),
    warnings: [...new Set([...overview.warnings, ...ledger.warnings])],
  }
}

function bySprite<T extends Pick<OverviewItem, 'spec'>>(all: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const sprites = new Map<string, T[]>()
  for (const one of all) sprites.set(one.spec.name, [...(sprites.get(one.spec.name) ?? []), one])
  return sprites
}

/** Sums prices. A request with two names is bought once. Returns `undefined` if a request has no price. */
function sumPrices(open: readonly (OverviewItem | PlanStep)[], prices: PriceList): bigint | undefined {
  // A request has no hash before anything is recorded of it. Its id is not part of what is bought.
  const distinct = new Map(open.map(({ hash, request }) => [hash ?? JSON.stringify({ ...request, id: '' }), prices.of(request)?.credits]))
  const amounts = [...distinct.values()]
  return amounts.every((amount) => amount !== undefined) ? sumCredits(amounts) : undefined
}

function countStates(all: readonly { readonly state: ShownState }[]): PanelState['totals']['counts'] {
  const counts: Partial<Record<ShownState, number>> = {}
  for (const { state } of all) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

/**
 * Errors of specs come first, because they hide the rest. A purchase that has failed or is undecided by the records is
 * an error, also if another server has seen it happen.
 */
function toErrors({ root, overview, failures, errors, priceError }: StateParts, shown: readonly PanelPaid[]): readonly PanelError[] {
  const open = openFailures(failures, [
    ...overview.items,
    ...overview.steps,
    ...overview.orphans.map((one) => ({ ...one, id: orphanId(one) })),
  ])
  const told = new Set(open.flatMap(({ error, ids }) => [toPanelError(error, root).id, ...(ids.length === 1 ? ids : [])]))
  const recorded = shown.filter(
    (one) => (one.state === 'failed' || one.undecided !== undefined) && !namesOf(one).some((name) => told.has(name)),
  )
  const all = [
    ...overview.errors.map((error) => toPanelError(error, root)),
    ...errors.map((error) => toPanelError(error, root)),
    ...open.map(({ error, ids }) => toPanelError(error, root, ids.length === 1 ? ids[0] : undefined)),
    ...recorded.map(({ id, undecided, words }) => ({
      code: undecided === undefined ? 'SW_FAILED' : undecided === 'conflict' ? 'SW_CONFLICT' : 'SW_UNCERTAIN',
      message: words,
      id,
    })),
    ...(priceError === undefined ? [] : [toPanelError(priceError, root)]),
  ]
  return [...new Map(all.map((error) => [`${error.code} ${error.id} ${error.message}`, error])).values()]
}
