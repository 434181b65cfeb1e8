import { formatCredits, parseCredits, sumCredits } from '../../../../src/credit/credits.ts'
import type { PanelPaid, PanelProgress } from '../../../protocol/protocol.ts'
import { creditsWords } from './words.ts'

/** Purchases that began together, or while others were in work. */
export interface Batch {
  /** Milliseconds of the caller's clock. */
  readonly startedAt: number
  /** The expected cost of each, by its id; undefined if it is unknown. */
  readonly costs: ReadonlyMap<string, string | undefined>
}

const inWork: ReadonlySet<PanelPaid['state']> = new Set(['approved', 'running', 'question'])

/**
 * The purchases in work, and those that have ended since the first of them began.
 *
 * @param now Milliseconds of any clock.
 * @returns `undefined` if nothing is in work.
 */
export function nextBatch(before: Batch | undefined, all: readonly PanelPaid[], now: number): Batch | undefined {
  const open = all.filter(({ state }) => inWork.has(state))
  if (open.length === 0) return undefined
  const costs = new Map(before?.costs)
  // Its approval was taken back.
  for (const { id, state } of all) if (state === 'missing') costs.delete(id)
  for (const { id, price, ceiling } of open) costs.set(id, costs.get(id) ?? price?.credits ?? ceiling)
  return { startedAt: before?.startedAt ?? now, costs }
}

/** How far a batch is. */
export interface BatchReport {
  /** 0 to 1. */
  readonly share: number
  /** `5 of 14 · 12.4 of 36.4 credits · about 1 min left`. */
  readonly words: string
}

/**
 * How far a batch is. The time that is left is told once something is bought; it follows from the time so far.
 *
 * @param progressOf The latest progress of a request.
 */
export function readBatch(
  { startedAt, costs }: Batch,
  all: readonly PanelPaid[],
  progressOf: (paid: PanelPaid) => PanelProgress | undefined,
  now: number,
): BatchReport {
  const own = all.filter(({ id }) => costs.has(id))
  const ended = own.filter(({ state }) => !inWork.has(state))
  const bought = ended.filter(({ state }) => state === 'bought')
  const done = ended.length + own.filter((paid) => !ended.includes(paid)).reduce((sum, paid) => sum + (progressOf(paid)?.progress ?? 0), 0)
  const share = own.length === 0 ? 0 : done / own.length
  const asking = own.filter(({ state }) => state === 'question').length
  // Nobody knows when a person answers.
  const left = ended.length === 0 || asking > 0 ? undefined : ((now - startedAt) * (1 - share)) / share
  const failed = ended.filter(({ state }) => state === 'failed').length
  const parts = [
    `${ended.length} of ${own.length}`,
    moneyWords(sum(bought.map(({ id }) => costs.get(id))), sum([...costs.values()])),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(asking > 0 ? [`${asking} ${asking === 1 ? 'waits' : 'wait'} for your answer`] : []),
    ...(left === undefined ? [] : [`about ${durationWords(left)} left`]),
  ]
  return { share, words: parts.filter((part) => part !== '').join(' · ') }
}

function sum(costs: readonly (string | undefined)[]): string | undefined {
  const known = costs.filter((cost) => cost !== undefined)
  return known.length < costs.length ? undefined : formatCredits(sumCredits(known.map((cost) => parseCredits(cost))))
}

function moneyWords(spent: string | undefined, total: string | undefined): string {
  return spent === undefined || total === undefined ? '' : `${spent} of ${creditsWords(total)}`
}

/** `10 s`, `50 s`, `1 min`, `12 min`: no finer than it can be known. */
function durationWords(ms: number): string {
  const seconds = Math.max(10, Math.ceil(ms / 10_000) * 10)
  return seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
