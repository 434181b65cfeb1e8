import { formatCredits, parseCredits } from '../../../../src/credit/credits.ts'
import type { PanelLedgerEntry } from '../../../protocol/protocol.ts'

/** The credits that had been paid at some time. */
export interface ChartStep {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly id: string
  /** The exact sum of all credits paid until then. */
  readonly soFar: string
}

/**
 * The credits paid here over time, oldest first. Credits without a recorded time are part of the first step.
 */
export function stepsOf(entries: readonly PanelLedgerEntry[]): readonly ChartStep[] {
  const paid = entries.filter((entry) => entry.state === 'settled' && entry.origin === 'here')
  const dated = paid.filter((entry) => entry.at > 0).sort((a, b) => a.at - b.at)
  let sum = paid.filter((entry) => entry.at === 0).reduce((before, entry) => before + parseCredits(entry.credits), 0n)
  return dated.map(({ at, id, credits }) => {
    sum += parseCredits(credits)
    return { at, id, soFar: formatCredits(sum) }
  })
}

/** The smallest of 1, 2, 5, 10, 20 … that is not less. */
export function niceCeiling(credits: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(credits, 0.1)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((nice) => nice >= credits - 1e-9) ?? credits
}
