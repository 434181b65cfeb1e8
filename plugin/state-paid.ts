import { formatCredits, type JobProgress, type LedgerReport, type OverviewItem, type PlanStep } from '../src/index.ts'
import type { PanelLedger, PanelPaid } from './panel/protocol.ts'
import { panelStanding, panelUndecided } from './standing.ts'
import type { StateIndex, StateParts } from './state-parts.ts'
import { priceOf, standingWords } from './words.ts'

/** Where something that is paid for stands. */
export function toPaid(parts: StateParts, one: OverviewItem | PlanStep, { spent }: StateIndex): PanelPaid {
  const { id, ceiling, executionId, question, hash, attempt, request } = one
  const quote = isUnsent(one) ? parts.prices?.of(request) : undefined
  const { failures } = parts
  const standing = panelStanding(one, { others: parts.overview.others, price: quote?.credits, failures })
  const undecided = panelUndecided(one, failures)
  const price = quote && priceOf(quote, request.operation)
  const cost = spent.get(hash ?? '')
  const now = parts.progress.get(id)
  return {
    id,
    ...(hash === undefined ? {} : { hash }),
    ...(attempt === undefined ? {} : { attempt }),
    standing,
    words: standingWords(standing, one, price),
    prompt: request.prompt,
    ...(price ? { price } : {}),
    ...(ceiling === undefined ? {} : { ceiling: formatCredits(ceiling) }),
    ...(cost === undefined ? {} : { spent: formatCredits(cost) }),
    ...(executionId === undefined ? {} : { executionId }),
    ...(now ? { progress: toPanelProgress(now) } : {}),
    ...(question ? { question: { id: question.questionId, text: question.text, needsAsset: question.requiresAsset } } : {}),
    ...(undecided === undefined ? {} : { undecided }),
  }
}

/** Progress without amounts, which JSON could not write. */
export function toPanelProgress({ id, phase, progress, message }: JobProgress): NonNullable<PanelPaid['progress']> {
  return { id, phase, ...(progress === undefined ? {} : { progress }), ...(message === undefined ? {} : { message }) }
}

/** Whether it is still to be bought, and an approval leads on. */
export function isUnsent({ state, undecided }: Pick<PlanStep, 'state' | 'undecided'>): boolean {
  if (undecided !== undefined) return false
  return state === 'missing' || state === 'approved' || state === 'failed'
}

/** The money of the project. */
export function toLedger({ lines, held, settled, restored, uncertain, elsewhere }: LedgerReport): PanelLedger {
  let soFar = 0n
  return {
    held: formatCredits(held),
    settled: formatCredits(settled),
    restored: formatCredits(restored),
    uncertain: formatCredits(uncertain),
    elsewhere: formatCredits(elsewhere),
    entries: lines.map(({ id, attempt, state, credits, at, origin, executionId }) => {
      if (state === 'settled' && origin === 'here') soFar += credits
      return {
        id,
        attempt,
        state,
        credits: formatCredits(credits),
        at,
        origin,
        ...(executionId === undefined ? {} : { executionId }),
        settledSoFar: formatCredits(soFar),
      }
    }),
  }
}
