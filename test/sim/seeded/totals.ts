import type { SeedReport } from './seeded.ts'

/** Sums over many seeds. They are plain numbers, so that threads can send them. */
export interface Totals {
  seeds: number
  steps: number
  processes: number
  crashes: number
  faults: number
  posts: number
  charges: number
  decisions: number
  extraCharges: number
}

/** Totals of no seed. */
export function noTotals(): Totals {
  return { seeds: 0, steps: 0, processes: 0, crashes: 0, faults: 0, posts: 0, charges: 0, decisions: 0, extraCharges: 0 }
}

/** Adds a seed's report, or other totals. */
export function addTotals(totals: Totals, more: Totals | SeedReport): void {
  for (const name of Object.keys(totals) as (keyof Totals)[]) totals[name] += name in more ? (more as Totals)[name] : 1
}

/**
 * One line for people. Forbidden events are counted as the seeds that broke a promise: there are none, or the
 * run has failed.
 */
export function formatTotals(totals: Totals, broken: number): string {
  const { seeds, steps, processes, crashes, faults, posts, charges, decisions, extraCharges } = totals
  const promises = broken === 0 ? 'double charges 0, above ceiling 0, lost results 0' : `${broken} SEEDS BROKE A PROMISE`
  return `${seeds} seeds, ${steps} steps, ${processes} processes, ${crashes} crashes, ${faults} injected faults, ${posts} POSTs, ${charges} charges, ${promises}; ${decisions} decisions of people, ${extraCharges} charges that they allowed`
}
