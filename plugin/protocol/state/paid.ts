import { formatCredits, type JobProgress, type OverviewItem, type OverviewOrphan, type PlanStep } from '../../../src/index.ts'
import { isToBuy, meaningOf, type StateFacts, stateSentence } from '../../../src/project/states.ts'
import { factsOfFailures, namesOf, orphanId } from './failures.ts'
import type { Json } from './json.ts'
import type { IndexedParts, StateParts } from './parts.ts'
import { approvedWords, orphanWords, priceOf } from './words.ts'

/** Any paid request of an overview. */
export type PaidItem = OverviewItem | PlanStep | OverviewOrphan

/** A paid request in the list. */
export type RequestRow = Json<ReturnType<typeof toRequestRow>>

/** A paid request: an animation or a step of a chain. */
export type PanelPaid = Json<ReturnType<typeof toPaid>>

/** One paid step of a reference chain. */
export type PanelStep = Json<ReturnType<typeof toStep>>

/** A request of an earlier version of a spec. It has an `id` of its own: `hero.walk@1a2b3c4d`. */
export type PanelOrphan = Json<ReturnType<typeof toOrphan>>

/** Progress of a purchase. The data of `event: progress`. */
export type PanelProgress = ReturnType<typeof toPanelProgress>

/**
 * What a person has to decide by `recover`:
 *
 * - `submission`, `answer`: it was sent, and its outcome is unknown.
 * - `conflict`: the service knows the key with other bytes.
 * - `execution`: the service does not know the execution any more. It can only be given up.
 */
export type PanelUndecided = NonNullable<StateFacts['undecided']>

/** The facts that decide what the state of a request means, with those that no record has. */
export function factsOf({ prices, failures }: StateParts, one: PaidItem) {
  const { approval, request } = one
  const quote = isToBuy(one) ? prices?.of(request) : undefined
  // The person who approved it since has seen a newer price.
  const isOutdated = approval !== undefined && (prices?.at ?? 0) < Date.parse(approval.at)
  const facts = { ...one, ...factsOfFailures(one, failures), quote: isOutdated ? undefined : quote }
  return { facts, price: quote && priceOf({ ...quote, usd: prices?.usd([quote]) }, request.operation) }
}

/** A paid request in the list. */
export function toRequestRow(parts: IndexedParts, one: PaidItem) {
  const { id, approval, ceiling, hash = '' } = one
  const { facts, price } = factsOf(parts, one)
  const cost = parts.spent.get(hash)
  const line = parts.lines.get(hash)
  const approvedAt = approval?.at ?? line?.approvedAt
  const now = namesOf(one).flatMap((name) => parts.progress.get(name) ?? [])[0]
  return {
    ...meaningOf(facts),
    /** `hero.walk`, or `hero#2` for a step. Every action uses this name. */
    id,
    /** By the last `quote`. Missing if the request need not be bought, or if prices were not requested. */
    price,
    /** The approved maximum. */
    ceiling: ceiling === undefined ? undefined : formatCredits(ceiling),
    /** Its cost so far over all attempts, by the ledger. */
    spent: cost === undefined ? undefined : formatCredits(cost),
    /** When it was approved. */
    approvedAt: approvedAt === undefined ? undefined : Date.parse(approvedAt),
    /** When its latest attempt here ended, bought or not. */
    endedAt: line?.state === 'settled' || line?.state === 'restored' ? line.at : undefined,
    /** The credits that the service holds for it, by the ledger. */
    held: line?.state === 'held' ? formatCredits(line.credits) : undefined,
    /** Its progress; only while this server or another process watches its execution. */
    progress: now && { ...toPanelProgress(now), id },
  }
}

/** A paid request with all its details. */
export function toPaid(parts: IndexedParts, one: PaidItem) {
  const { hash, attempt, executionId, question, request, approval } = one
  const { facts, price } = factsOf(parts, one)
  return {
    ...toRequestRow(parts, one),
    /** Request hash. Actions about one purchase send it back. Missing if the service that would sell it is unknown. */
    hash,
    /** The attempt that counts, from 1; missing if nothing was ever about to be sent. */
    attempt,
    executionId,
    question,
    undecided: facts.undecided,
    /** One plain sentence: its state, and what to do. */
    words: stateSentence(facts, price?.words ?? ''),
    /** Description of the animation; for a step, its text. */
    prompt: request.prompt,
    /** Who approved it, and how, in a few words; only until it is bought. */
    approved: approval && approvedWords(approval),
  }
}

/** A step of a reference chain with all its details. */
export function toStep(parts: IndexedParts, step: PlanStep) {
  return { ...toPaid(parts, step), operation: step.request.operation, sprites: step.sprites, ids: step.ids }
}

/** The same for a request that no spec asks for any more. */
export function toOrphan(parts: IndexedParts, one: OverviewOrphan) {
  const known = { ...one, id: orphanId(one) }
  const { price: _, ...paid } = toPaid(parts, known)
  return {
    ...paid,
    /** Its id when it was sent. Another request may have that id now. */
    was: one.id,
    words: orphanWords(paid.words, known),
  }
}

/** Progress without amounts, which JSON cannot encode. */
export function toPanelProgress({ held: _, settled: __, ...progress }: JobProgress) {
  return progress
}
