import type { AnimationQuality } from '../../workshop.ts'
import { ink } from './ink.ts'
import type { Printer } from './printer.ts'

/** Prints a table of suspicious frames, or nothing if no frame is suspicious. */
export function printFlags(printer: Printer, quality: readonly AnimationQuality[]): void {
  const rows = quality.flatMap(({ id, flags }) =>
    flags.map(({ fault, frames, words }) => [ink('bold', id), fault, listFrames(frames), ink('dim', words)]),
  )
  if (rows.length === 0) return
  printer.line()
  printer.line('Frames to check:')
  printer.table(['animation', 'fault', 'frames', 'what'], rows)
}

/** Formats indices as ranges: `0-3, 7`. */
function listFrames(frames: readonly number[]): string {
  const stretches: [first: number, last: number][] = []
  for (const frame of frames) {
    const open = stretches.at(-1)
    if (open && open[1] === frame - 1) open[1] = frame
    else stretches.push([frame, frame])
  }
  return stretches.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ')
}
