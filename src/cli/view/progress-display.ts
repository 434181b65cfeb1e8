import type { Host } from '../../host/host.ts'
import { createProgressLines } from '../../workshop/progress-line.ts'
import type { JobProgress, ProgressListener } from '../../workshop.ts'
import type { Printer } from './printer.ts'
import { applyProgress, emptyProgress, isEnd, layProgress, type ProgressState } from './progress.ts'

/** Shows progress on stderr while a command works. */
export interface ProgressDisplay {
  readonly listener: ProgressListener
  /** The progress reported so far. */
  state(): ProgressState
  /**
   * Draws the last state and leaves it on the screen. Later reports are kept and not shown. A second call
   * does nothing.
   */
  stop(): void
}

const tickMs = 250
const leastGapMs = 40

/**
 * Shows bars on a terminal, and elsewhere a line for each change. With `--quiet` or `--json`, no lines are shown;
 * with `--quiet`, no bars either.
 */
export function createProgressDisplay(host: Host, printer: Printer): ProgressDisplay {
  let state = emptyProgress
  const { clock, terminal } = host
  let isStopped = false
  const isDrawn = terminal.isInteractive && !printer.isQuiet
  const screen = isDrawn ? createScreen(host, printer, () => state) : undefined
  const tell = isDrawn || printer.isQuiet || printer.isJson ? () => {} : createProgressLines((line) => printer.note(`  ${line}`))
  return {
    state: () => state,
    listener: (news: JobProgress) => {
      state = applyProgress(state, news, clock.mono())
      if (isStopped) return
      screen?.refresh(isEnd(news.phase))
      tell(news)
    },
    stop: () => {
      isStopped = true
      screen?.stop()
    },
  }
}

interface Screen {
  refresh(isUrgent: boolean): void
  stop(): void
}

/** Redraws a few lines at the bottom. A timer updates the seconds. */
function createScreen({ clock, terminal }: Host, printer: Printer, state: () => ProgressState): Screen {
  const stopped = new AbortController()
  let drawn = 0
  let drawnAt = Number.NEGATIVE_INFINITY
  let isTicking = false
  const erase = (): string => (drawn === 0 ? '' : `\x1b[${drawn}A\x1b[0J`)
  const draw = (): void => {
    if (state().rows.length === 0) return
    const lines = layProgress(state(), clock.mono(), terminal.columns)
    terminal.note(`${erase()}${lines.map((line) => `${printer.paintNotes(line)}\n`).join('')}`)
    drawn = lines.length
    drawnAt = clock.mono()
  }
  printer.uncover = () => {
    if (stopped.signal.aborted) return
    terminal.note(erase())
    drawn = 0
  }
  const tick = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await clock.sleep(tickMs, stopped.signal)
      draw()
    }
  }
  return {
    refresh: (isUrgent) => {
      if (stopped.signal.aborted) return
      if (isUrgent || clock.mono() - drawnAt >= leastGapMs) draw()
      if (isTicking) return
      isTicking = true
      // Only the abort of `stop` ends the loop.
      tick().catch(() => {})
    },
    stop: () => {
      if (stopped.signal.aborted) return
      stopped.abort()
      draw()
    },
  }
}
