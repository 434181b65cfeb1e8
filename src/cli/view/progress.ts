import { formatCredits, sumCredits } from '../../credit/credits.ts'
import type { JobProgress } from '../../workshop.ts'
import { cutInk, type Ink, ink, type Style } from './ink.ts'

/** The shown state of one execution. */
export interface JobRow {
  readonly id: string
  readonly phase: JobProgress['phase']
  /** 0 to 1; undefined if the service does not report it. */
  readonly progress?: number
  readonly message?: string
  readonly held: bigint
  readonly settled: bigint
  /** Monotonic milliseconds of the first and of the last report. */
  readonly startedAt: number
  readonly changedAt: number
}

/** All progress so far, in the order of the first reports. */
export interface ProgressState {
  readonly rows: readonly JobRow[]
}

/** The state before any report. */
export const emptyProgress: ProgressState = { rows: [] }

/** Whether a phase is the end of an execution. */
export function isEnd(phase: JobRow['phase']): boolean {
  return phase === 'bought' || phase === 'failed'
}

/**
 * Adds one report.
 *
 * @param at Monotonic milliseconds.
 */
export function applyProgress(state: ProgressState, news: JobProgress, at: number): ProgressState {
  const before = state.rows.find((row) => row.id === news.id)
  const isSamePhase = before?.phase === news.phase
  const progress = news.progress ?? (isSamePhase ? before.progress : undefined)
  const message = news.message ?? (isSamePhase ? before.message : undefined)
  const row: JobRow = {
    id: news.id,
    phase: news.phase,
    // Hints may arrive out of order. A bar never shrinks.
    ...(progress === undefined ? {} : { progress: clampShare(Math.max(progress, isSamePhase ? (before.progress ?? 0) : 0)) }),
    message,
    held: news.held ?? before?.held ?? 0n,
    settled: news.settled ?? before?.settled ?? 0n,
    startedAt: before?.startedAt ?? at,
    changedAt: at,
  }
  return { rows: before ? state.rows.map((other) => (other === before ? row : other)) : [...state.rows, row] }
}

/** Held and settled credits over all executions. */
export function sumProgress(state: ProgressState): { readonly held: bigint; readonly settled: bigint } {
  return { held: sumCredits(state.rows.map((row) => row.held)), settled: sumCredits(state.rows.map((row) => row.settled)) }
}

const barWidth = 20
const rowLimit = 12

/**
 * Draws the progress: a bar for each execution, at most twelve (active ones first), and a line with the
 * money.
 *
 * @param at Monotonic milliseconds.
 * @param columns Width of the terminal; every line is shorter. An unknown width is 0, which counts as 80.
 */
export function layProgress(state: ProgressState, at: number, columns: number): Ink[][] {
  const atWork = state.rows.filter((row) => !isEnd(row.phase))
  const ended = state.rows.filter((row) => isEnd(row.phase))
  // If not all executions fit, the active and the last ended ones are shown.
  const endedRoom = Math.max(0, rowLimit - atWork.length)
  const shown = new Set([...atWork.slice(0, rowLimit), ...(endedRoom === 0 ? [] : ended.slice(-endedRoom))])
  const rows = state.rows.filter((row) => shown.has(row))
  const idWidth = Math.max(0, ...rows.map((row) => row.id.length))
  const lines = rows.map((row) => layRow(row, idWidth, at))
  const hidden = state.rows.length - rows.length
  if (hidden > 0) lines.push([ink('dim', `  and ${hidden} more`)])
  const { held, settled } = sumProgress(state)
  const bought = state.rows.filter((row) => row.phase === 'bought').length
  lines.push([
    ink('dim', '  held '),
    ink(held > 0n ? 'yellow' : 'dim', formatCredits(held)),
    ink('dim', ' · settled '),
    ink(settled > 0n ? 'green' : 'dim', formatCredits(settled)),
    ink('dim', ` credits · ${bought} of ${state.rows.length} bought`),
  ])
  return lines.map((line) => cutInk(line, columns > 1 ? columns - 1 : 79))
}

function layRow(row: JobRow, idWidth: number, at: number): Ink[] {
  const share = row.phase === 'bought' || row.phase === 'downloading' ? 1 : row.phase === 'running' ? (row.progress ?? 0) : 0
  const full = Math.round(share * barWidth)
  // In binary, 0.29 × 100 is a little less than 29.
  const percent = row.phase === 'running' && row.progress !== undefined ? `${Math.floor(row.progress * 100 + 1e-9)} %` : ''
  const end = isEnd(row.phase) ? row.changedAt : at
  const words = row.phase === 'bought' && row.settled > 0n ? `${formatCredits(row.settled)} credits` : (row.message ?? '')
  return [
    `  ${row.id.padEnd(idWidth)}  `,
    ink(phaseStyle(row.phase), '█'.repeat(full)),
    ink('dim', '░'.repeat(barWidth - full)),
    ` ${percent.padStart(5)}  `,
    ink(phaseStyle(row.phase), row.phase.padEnd(11)),
    ink('dim', ` ${formatSeconds(end - row.startedAt)}  ${words}`.trimEnd()),
  ]
}

function phaseStyle(phase: JobRow['phase']): Style {
  if (phase === 'bought') return 'green'
  if (phase === 'failed') return 'red'
  if (phase === 'waiting') return 'yellow'
  return 'cyan'
}

function clampShare(share: number): number {
  return share >= 0 ? Math.min(1, share) : 0
}

/** `0:07`, `12:30`. */
function formatSeconds(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  return `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, '0')}`
}
