import { creditsWords } from '../credit/credits.ts'
import type { JobProgress } from '../job/order.ts'

/**
 * Phases that get a line in a log. The run reports its own end, with its cost or what to do.
 */
const phaseWords: Partial<Record<JobProgress['phase'], string>> = {
  queued: 'waits for its turn at the service',
  running: 'is being drawn',
  waiting: 'waits',
}

/**
 * A line for a log, where progress is not drawn: for each change that a person wants to know.
 *
 * @param before The report before this one, of the same purchase.
 * @returns `undefined` if there is nothing new to say.
 */
export function progressLine(now: JobProgress, before: JobProgress | undefined): string | undefined {
  const words = phaseWords[now.phase]
  const isSame = now.phase === before?.phase && (now.phase !== 'waiting' || now.message === before.message)
  if (words === undefined || isSame) return undefined
  const held = now.held !== undefined && now.held > 0n && now.held !== before?.held ? `, ${creditsWords(now.held)} held` : ''
  return `${now.id}: ${words}${now.phase === 'waiting' && now.message ? `: ${now.message}` : held}.`
}

/** Creates a listener that prints such lines. */
export function createProgressLines(print: (line: string) => void): (now: JobProgress) => void {
  const latest = new Map<string, JobProgress>()
  return (now) => {
    const before = latest.get(now.id)
    const line = progressLine(now, before)
    latest.set(now.id, { ...now, ...(now.held === undefined && before?.held !== undefined ? { held: before.held } : {}) })
    if (line !== undefined) print(line)
  }
}
