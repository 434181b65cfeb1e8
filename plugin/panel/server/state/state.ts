import { basename, relative } from 'node:path'
import { sumCredits } from '../../../../src/credit/credits.ts'
import { formatCredits, type OverviewItem, type PlanStep, type PriceList } from '../../../../src/index.ts'
import { isToBuy } from '../../../../src/project/states.ts'
import { toPanelError } from '../../../failure.ts'
import type { PanelError, PanelOrphan, PanelSprite, PanelState, ShownState } from '../../../protocol/protocol.ts'
import { factsOfFailures, namesOf, openFailures, orphanId } from '../failures.ts'
import { serviceWords } from '../words.ts'
import { toJson } from './json.ts'
import { toOrphan, toPaid } from './paid.ts'
import { indexParts, type StateIndex, type StateParts } from './parts.ts'
import { type ShownItem, toSprite, toSpriteRow } from './sprite.ts'

/** Makes the state that the panel shows. Pure. */
export function toPanelState(parts: StateParts): PanelState {
  const { root, overview, ledger, prices } = parts
  const { held, settled, restored, uncertain, elsewhere } = ledger
  const index = indexParts(parts)
  const items = itemsByName([...overview.items, ...overview.own])
  const sprites = [...items.keys()].sort().map((name) => toSpriteRow(parts, items.get(name) ?? [], index))
  const steps = overview.steps.map((step) => ({
    ...toPaid(parts, step, index),
    operation: step.request.operation,
    sprites: step.sprites,
    ids: step.ids,
  }))
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
      newSprite: prices && toJson(prices.newSprite),
      words: serviceWords(overview.service, parts.priceError),
    },
    sprites,
    open: parts.open.filter((name) => items.has(name)).map((name) => toSprite(parts, items.get(name) ?? [], index)),
    steps,
    orphans,
    totals: {
      counts: countStates([...sprites.flatMap(({ animations }) => animations), ...steps]),
      price: total === undefined ? undefined : formatCredits(total),
    },
    ledger: toJson({ held, settled, restored, uncertain, elsewhere }),
    errors: toErrors(parts, orphans, index),
    warnings: [...new Set([...overview.warnings, ...ledger.warnings])],
  }
}

/** The details of a sprite; `undefined` if there is no such sprite. */
export function toOpenSprite(parts: StateParts, name: string): PanelSprite | undefined {
  const items = [...parts.overview.items, ...parts.overview.own].filter(({ spec }) => spec.name === name)
  return items.length === 0 ? undefined : toSprite(parts, items, indexParts(parts))
}

function itemsByName(all: readonly ShownItem[]): ReadonlyMap<string, readonly ShownItem[]> {
  const sprites = new Map<string, ShownItem[]>()
  for (const one of all) {
    const own = sprites.get(one.spec.name) ?? []
    own.push(one)
    sprites.set(one.spec.name, own)
  }
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
function toErrors(parts: StateParts, orphans: readonly PanelOrphan[], index: StateIndex): readonly PanelError[] {
  const { root, overview, failures, errors, priceError } = parts
  const paid = [...overview.items, ...overview.steps]
  const open = openFailures(failures, [...paid, ...overview.orphans.map((one) => ({ ...one, id: orphanId(one) }))])
  const told = new Set(open.flatMap(({ error, ids }) => [toPanelError(error, root).id, ...(ids.length === 1 ? ids : [])]))
  const stuck = paid.filter((one) => one.state === 'failed' || factsOfFailures(one, failures).undecided !== undefined)
  const recorded = [
    ...stuck.map((one) => ({ names: namesOf(one), ...toPaid(parts, one, index) })),
    ...orphans.filter(({ state, undecided }) => state === 'failed' || undecided !== undefined).map((one) => ({ names: [one.id], ...one })),
  ].filter(({ names }) => !names.some((name) => told.has(name)))
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
