import { formatCredits, type JobProgress, type OverviewItem, type OverviewOrphan, type PlanStep } from '../../../../src/index.ts'
import { isToBuy, meaningOf, stateSentence } from '../../../../src/project/states.ts'
import type { PanelOrphan, PanelPaid, PanelProgress, RequestRow } from '../../../protocol/protocol.ts'
import { factsOfFailures, namesOf, orphanId } from '../failures.ts'
import { approvedWords, orphanWords, priceOf } from '../words.ts'
import type { StateIndex, StateParts } from './parts.ts'

/** Any paid request of an overview. */
export type PaidItem = OverviewItem | PlanStep | OverviewOrphan

/** The facts that decide what the state of a request means, with those that no record has. */
export function factsOf({ prices, failures }: StateParts, one: PaidItem) {
  const { approval, request } = one
  const quote = isToBuy(one) ? prices?.of(request) : undefined
  // The person who approved it since has seen a newer price.
  const isOutdated = approval !== undefined && (prices?.at ?? 0) < Date.parse(approval.at)
  const facts = { ...one, ...factsOfFailures(one, failures), quote: isOutdated ? undefined : quote }
  return { facts, price: quote && priceOf(quote, request.operation) }
}

/** A paid request in the list. */
export function toRequestRow(parts: StateParts, one: PaidItem, { spent, lines }: StateIndex): RequestRow {
  const { id, approval, ceiling, hash = '' } = one
  const { facts, price } = factsOf(parts, one)
  const cost = spent.get(hash)
  const line = lines.get(hash)
  const approvedAt = approval?.at ?? line?.approvedAt
  const now = namesOf(one).flatMap((name) => parts.progress.get(name) ?? [])[0]
  return {
    ...{ id, price, ...meaningOf(facts) },
    ceiling: ceiling === undefined ? undefined : formatCredits(ceiling),
    spent: cost === undefined ? undefined : formatCredits(cost),
    approvedAt: approvedAt === undefined ? undefined : Date.parse(approvedAt),
    endedAt: line?.state === 'settled' || line?.state === 'restored' ? line.at : undefined,
    held: line?.state === 'held' ? formatCredits(line.credits) : undefined,
    progress: now && { ...toPanelProgress(now), id },
  }
}

/** A paid request with all its details. */
export function toPaid(parts: StateParts, one: PaidItem, index: StateIndex): PanelPaid {
  const { hash, attempt, executionId, question, request, approval } = one
  const { facts, price } = factsOf(parts, one)
  return {
    ...toRequestRow(parts, one, index),
    ...{ hash, attempt, executionId, question, undecided: facts.undecided },
    words: stateSentence(facts, price?.words ?? ''),
    prompt: request.prompt,
    approved: approval && approvedWords(approval),
  }
}

/** The same for a request that no spec asks for any more. */
export function toOrphan(parts: StateParts, one: OverviewOrphan, index: StateIndex): PanelOrphan {
  const known = { ...one, id: orphanId(one) }
  const { price: _, ...paid } = toPaid(parts, known, index)
  return { ...paid, was: one.id, words: orphanWords(paid.words, known) }
}

/** Progress without amounts, which JSON cannot encode. */
export function toPanelProgress({ held: _, settled: __, ...progress }: JobProgress): PanelProgress {
  return progress
}
