import { formatCredits, parseCredits } from '../../../../src/credit/credits.ts'
import type { PanelLedger } from '../../../protocol/protocol.ts'

type Lines = PanelLedger['lines']

/** Each line with the credits that were paid here until then. */
export function withSums(lines: Lines) {
  let sum = 0n
  return lines.map((line) => {
    if (isPaidHere(line)) sum += parseCredits(line.credits)
    return { ...line, soFar: formatCredits(sum) }
  })
}

function isPaidHere({ state, origin }: Lines[number]): boolean {
  return state === 'settled' && origin === 'here'
}

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
export function stepsOf(lines: Lines): readonly ChartStep[] {
  const paid = lines.filter(isPaidHere)
  const dated = paid.filter((line) => line.at > 0).sort((a, b) => a.at - b.at)
  let sum = paid.filter((line) => line.at === 0).reduce((before, line) => before + parseCredits(line.credits), 0n)
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
