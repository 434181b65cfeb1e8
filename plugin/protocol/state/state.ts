import { basename } from 'node:path'
import { sumCredits } from '../../../src/credit/credits.ts'
import { formatCredits, type OverviewItem, type PlanStep, type PriceList } from '../../../src/index.ts'
import { isToBuy, type ShownState } from '../../../src/project/states.ts'
import { type PanelError, toPanelError } from '../../failure.ts'
import { factsOfFailures, namesOf, openFailures, orphanId } from './failures.ts'
import { type Json, toJson } from './json.ts'
import { type PanelOrphan, toOrphan, toPaid, toStep } from './paid.ts'
import { type IndexedParts, indexParts, type StateParts } from './parts.ts'
import { type PanelSprite, type ShownItem, toSprite, toSpriteRow } from './sprite.ts'
import { serviceWords } from './words.ts'

/** Everything that the panel shows. */
export type PanelState = Json<ReturnType<typeof toPanelState>>

/** Makes the state that the panel shows. Pure. */
export function toPanelState(all: StateParts) {
  const parts = indexParts(all)
  const { root, overview, ledger } = parts
  const { held, settled, restored, uncertain, elsewhere } = ledger
  const items = itemsByName([...overview.items, ...overview.own])
  const sprites = [...items.keys()].sort().map((name) => toSpriteRow(parts, items.get(name) ?? []))
  const steps = overview.steps.map((step) => toStep(parts, step))
  const orphans = overview.orphans.map((one) => toOrphan(parts, one))
  return {
    /** Version of this protocol. */
    version: 1,
    /** Grows with every change, and from one server to its successor. Events name it. */
    revision: parts.revision,
    /** Name of the project's folder. */
    project: basename(root),
    folder: parts.folder,
    engines: parts.engines,
    access: parts.access,
    service: toService(parts),
    /** By name. A sprite with a broken spec is not here but in `errors`. */
    sprites,
    /** The details of the sprites that the request names in `open`. */
    open: parts.open.filter((name) => items.has(name)).map((name) => toSprite(parts, items.get(name) ?? [])),
    /** Paid steps of reference chains: those that an unbought request needs, and bought ones. */
    steps,
    /**
     * Requests that may have been paid and that no spec asks for any more. A person may decide or answer them,
     * and their results are fetched; they are never approved.
     */
    orphans,
    /** What programs ask a person to decide, the oldest first. */
    requests: parts.requests,
    totals: {
      /** Number of animations and steps in each state that occurs. */
      counts: countStates([...sprites.flatMap(({ animations }) => animations), ...steps]),
      price: toTotal(parts),
    },
    /** The sums of the project's own records. */
    ledger: toJson({ held, settled, restored, uncertain, elsewhere }),
    /** Current errors, the gravest first. A fixed error is removed. */
    errors: toErrors(parts, orphans),
    /** Sentences for a person. */
    warnings: [...new Set([...overview.warnings, ...ledger.warnings])],
  }
}

/** The service, as far as it was asked. It is asked only if the panel sends `quote`. */
function toService({ overview, prices, priceError }: StateParts) {
  const { kind, host, canAsk } = overview.service
  const mode = kind === 'embedded' ? 'embedded' : canAsk ? (prices?.service.keyMode ?? 'unasked') : 'none'
  return {
    /**
     * `embedded`: play money. `none`: no key or no address, see `words`. `unasked`: there is a key, but nothing
     * was asked yet.
     */
    mode: mode as typeof mode,
    /** Host of the service; missing if none is configured. */
    host,
    /** Available credits, as of the last request for them. */
    balance: prices && formatCredits(prices.balance),
    /** Price of the animation that the action `create` writes, as of the last request, and what decides it. */
    newSprite: prices && toJson(prices.newSprite),
    /** What to do if there is no key, or why the last request failed; empty if all is well. */
    words: serviceWords(overview.service, priceError),
  }
}

/**
 * Price of everything that is not bought yet; missing if prices were not requested, or something has no
 * price.
 */
function toTotal({ overview, prices }: StateParts): string | undefined {
  const total = prices && sumPrices([...overview.items, ...overview.steps].filter(isToBuy), prices)
  return total === undefined ? undefined : formatCredits(total)
}

/** The details of a sprite; `undefined` if there is no such sprite. */
export function toOpenSprite(parts: StateParts, name: string): PanelSprite | undefined {
  const items = [...parts.overview.items, ...parts.overview.own].filter(({ spec }) => spec.name === name)
  return items.length === 0 ? undefined : toSprite(indexParts(parts), items)
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

function countStates(all: readonly { readonly state: ShownState }[]): Readonly<Partial<Record<ShownState, number>>> {
  const counts: Partial<Record<ShownState, number>> = {}
  for (const { state } of all) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

/**
 * Errors of specs come first, because they hide the rest. A purchase that has failed or is undecided by the records is
 * an error, also if another server has seen it happen.
 */
function toErrors(parts: IndexedParts, orphans: readonly PanelOrphan[]): readonly PanelError[] {
  const { root, overview, failures, errors, priceError } = parts
  const paid = [...overview.items, ...overview.steps]
  const open = openFailures(failures, [...paid, ...overview.orphans.map((one) => ({ ...one, id: orphanId(one) }))])
  const told = new Set(open.flatMap(({ error, ids }) => [toPanelError(error, root).id, ...(ids.length === 1 ? ids : [])]))
  const stuck = paid.filter((one) => one.state === 'failed' || factsOfFailures(one, failures).undecided !== undefined)
  const recorded = [
    ...stuck.map((one) => ({ names: namesOf(one), ...toPaid(parts, one) })),
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
