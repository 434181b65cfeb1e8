import {
  formatCredits,
  type JobProgress,
  type LedgerReport,
  type OverviewItem,
  type OverviewOrphan,
  type PlanStep,
} from '../../../../src/index.ts'
import { isToBuy, meaningOf, stateSentence } from '../../../../src/project/states.ts'
import type { PanelLedger, PanelOrphan, PanelPaid, PanelProgress } from '../../../protocol/protocol.ts'
import { factsOfFailures, namesOf, orphanId } from '../failures.ts'
import { approvedWords, orphanWords, priceOf } from '../words.ts'
import type { StateIndex, StateParts } from './parts.ts'

/** A paid request with its state, in the form of the panel. */
export function toPaid(parts: StateParts, one: OverviewItem | PlanStep | OverviewOrphan, { spent, lines }: StateIndex): PanelPaid {
  const { id, approval, ceiling, executionId, question, hash, attempt, request } = one
  const quote = isToBuy(one) ? parts.prices?.of(request) : undefined
  // The person who approved it since has seen a newer price.
  const isOutdated = approval !== undefined && (parts.prices?.at ?? 0) < Date.parse(approval.at)
  const facts = { ...one, ...factsOfFailures(one, parts.failures), ...(quote && !isOutdated ? { quote } : {}) }
  const { undecided } = facts
  const price = quote && priceOf(quote, request.operation)
  const cost = spent.get(hash ?? '')
  const line = lines.get(hash ?? '')
  const approvedAt = approval?.at ?? line?.approvedAt
  const now = namesOf(one).flatMap((name) => parts.progress.get(name) ?? [])[0]
  return {
    ...{ id, hash, attempt, executionId, question, price, undecided },
    ...meaningOf(facts),
    words: stateSentence(facts, price?.words ?? ''),
    prompt: request.prompt,
    ceiling: ceiling === undefined ? undefined : formatCredits(ceiling),
    approved: approval && approvedWords(approval),
    spent: cost === undefined ? undefined : formatCredits(cost),
    approvedAt: approvedAt === undefined ? undefined : Date.parse(approvedAt),
    endedAt: line?.state === 'settled' || line?.state === 'restored' ? line.at : undefined,
    held: line?.state === 'held' ? formatCredits(line.credits) : undefined,
    progress: now && { ...toPanelProgress(now), id },
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

/** A ledger stays the same object until its records change, and has a line for each purchase. */
const ledgers = new WeakMap<LedgerReport, PanelLedger>()

/** The credits of the project. Returns the same object for the same ledger. */
export function toLedger(ledger: LedgerReport): PanelLedger {
  const known = ledgers.get(ledger) ?? toNewLedger(ledger)
  ledgers.set(ledger, known)
  return known
}

function toNewLedger({ lines, held, settled, restored, uncertain, elsewhere }: LedgerReport): PanelLedger {
  let soFar = 0n
  return {
    held: formatCredits(held),
    settled: formatCredits(settled),
    restored: formatCredits(restored),
    uncertain: formatCredits(uncertain),
    elsewhere: formatCredits(elsewhere),
    entries: lines.map(({ balanceBefore: _, ...line }) => {
      if (line.state === 'settled' && line.origin === 'here') soFar += line.credits
      return { ...line, credits: formatCredits(line.credits), settledSoFar: formatCredits(soFar) }
    }),
  }
}
