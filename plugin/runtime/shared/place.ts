/** Where something was being played. */
export interface Place {
  /** Which of the frames was shown, from 0 on. */
  readonly index: number
  /** Names of all frames, in playing order. */
  readonly frames: readonly string[]
}

/**
 * Where playing goes on in a new list of frames: at the frame that is shown, where it is played at all; else as far on the way as before.
 *
 * @param frames Names of the new list, in playing order.
 * @returns An index into `frames`; 0 where there are none.
 */
export function goOnAt({ index, frames: before }: Place, frames: readonly string[]): number {
  const share = before.length > 1 ? index / (before.length - 1) : 0
  const far = Math.min(Math.max(0, frames.length - 1), Math.round(share * Math.max(0, frames.length - 1)))
  const shown = before[index]
  if (shown === undefined || frames[index] === shown) return shown === undefined ? far : index
  // A frame may be played several times, there and back.
  const same = frames.flatMap((name, at) => (name === shown ? [at] : []))
  return same.sort((a, b) => Math.abs(a - far) - Math.abs(b - far))[0] ?? far
}
