import type { PanelProgress, RequestRow } from '../../../protocol/protocol.ts'
import { creditsWords, sumOf } from './words.ts'

const inWork: ReadonlySet<RequestRow['state']> = new Set(['approved', 'running', 'question'])

/** How far the purchases are that were approved together, or while others of them were in work. */
export interface BatchReport {
  /** 0 to 1. */
  readonly share: number
  /** `5 of 14 · 12.4 of 36.4 credits · about 1 min left`. */
  readonly words: string
}

/**
 * How far everything is that is in work, by the records alone: a page that is opened again shows the same. The time
 * that is left is told once something is bought; it follows from the time so far.
 *
 * @param progressOf The latest progress of a request.
 * @returns `undefined` if nothing is in work.
 */
export function readBatch(
  all: readonly RequestRow[],
  progressOf: (paid: RequestRow) => PanelProgress | undefined,
): BatchReport | undefined {
  const open = all.filter(({ state }) => inWork.has(state))
  if (open.length === 0) return undefined
  const { ended, ms } = endedOf(all, open)
  const own = [...open, ...ended]
  const done = ended.length + open.reduce((sum, paid) => sum + (progressOf(paid)?.progress ?? 0), 0)
  const asking = open.filter(({ state }) => state === 'question').length
  // Nobody knows when a person answers.
  const left = ended.length === 0 || asking > 0 ? undefined : (ms / ended.length) * (own.length - done)
  const failed = ended.filter(({ state }) => state === 'failed').length
  const bought = ended.filter(({ state }) => state !== 'failed')
  const parts = [
    `${ended.length} of ${own.length}`,
    moneyWords(sumOf(bought.map(costOf)), sumOf(own.map(costOf))),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(asking > 0 ? [`${asking} ${asking === 1 ? 'waits' : 'wait'} for your answer`] : []),
    ...(left === undefined ? [] : [`about ${durationWords(left)} left`]),
  ]
  return { share: done / own.length, words: parts.filter((part) => part !== '').join(' · ') }
}

/** The purchases that ended after the first of the others was approved, and how long that took, in milliseconds. */
function endedOf(all: readonly RequestRow[], open: readonly RequestRow[]): { readonly ended: readonly RequestRow[]; readonly ms: number } {
  let since = Math.min(...open.map(({ approvedAt = Number.POSITIVE_INFINITY }) => approvedAt))
  const ended: RequestRow[] = []
  const latestFirst = all
    .flatMap((paid) => (paid.endedAt === undefined || inWork.has(paid.state) ? [] : [{ paid, at: paid.endedAt }]))
    .toSorted((a, b) => b.at - a.at)
  for (const { paid, at } of latestFirst) {
    if (at < since) break
    since = Math.min(since, paid.approvedAt ?? since)
    ended.push(paid)
  }
  return { ended, ms: (ended[0]?.endedAt ?? 0) - since }
}

function costOf({ spent, held, price, ceiling }: RequestRow): string | undefined {
  return spent ?? held ?? price?.credits ?? ceiling
}

function moneyWords(spent: string | undefined, total: string | undefined): string {
  return spent === undefined || total === undefined ? '' : `${spent} of ${creditsWords(total)}`
}

/** `10 s`, `50 s`, `1 min`, `12 min`: no finer than it can be known. */
function durationWords(ms: number): string {
  const seconds = Math.max(10, Math.ceil(ms / 10_000) * 10)
  return seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
