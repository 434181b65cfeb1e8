import type { Host } from '../../host/host.ts'
import { ink } from './ink.ts'
import type { Printer } from './printer.ts'

/** Shows the progress of a command in one line on stderr. */
export interface Counter {
  readonly tell: (done: number, total: number) => void
  /** Removes the line. A second call does nothing. */
  stop(): void
}

const leastGapMs = 100

/**
 * Creates a counter for a terminal. Without a terminal, or with `--quiet`, the counter shows nothing.
 *
 * @param words The counted items, e.g. `results copied`.
 */
export function createCounter({ clock, terminal }: Host, printer: Printer, words: string): Counter {
  const isShown = terminal.isInteractive && !printer.isQuiet
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    tell: (done, total) => {
      if (!isShown || clock.mono() - drawnAt < leastGapMs) return
      drawnAt = clock.mono()
      terminal.note(`\r\x1b[K${printer.paintNotes([ink('dim', `  ${done} of ${total} ${words}`)])}`)
    },
    stop: () => {
      if (drawnAt !== Number.NEGATIVE_INFINITY) terminal.note('\r\x1b[K')
      drawnAt = Number.NEGATIVE_INFINITY
    },
  }
}
