import type { AsepriteTag } from '../../atlas/index.ts'
import type { ArtSequence } from './source.ts'

/** Most frames of all tags together, which may overlap. */
const mostTagged = 1_000_000

/**
 * The animations of a file with frame times: one for each tag. Without tags, the file is one animation, or one
 * picture.
 *
 * @param durations Display time of each frame of the file, in milliseconds.
 * @param part Reads a run of frames, from its first to its last frame.
 * @see The file format of Aseprite, "Tags Chunk".
 */
export function toTagged(
  tags: readonly AsepriteTag[],
  durations: readonly number[],
  part: (from: number, to: number) => Pick<ArtSequence, 'sha256' | 'read' | 'boxes'>,
): readonly ArtSequence[] {
  const all = tags.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  if (all > mostTagged) throw new Error(`Expected at most ${mostTagged} frames in all tags together, found ${all}. Split the file.`)
  const last = durations.length - 1
  const whole: AsepriteTag = { name: '', from: 0, to: last, direction: 'forward', repeat: 0 }
  return (tags.length > 0 ? tags : [whole]).map((tag) => {
    const { name, from, to } = tag
    const isPicture = tag === whole && last === 0
    const own = { name, isPicture, frames: to - from + 1, ...playOf(tag), ...part(from, to) }
    return isPicture ? own : { ...own, durations: durations.slice(from, to + 1) }
  })
}

/** A repeat of 0 plays without end. A ping-pong counts each way. */
function playOf({ from, to, direction, repeat }: AsepriteTag): Pick<ArtSequence, 'play' | 'loop' | 'yoyo'> {
  const forward = Array.from({ length: to - from + 1 }, (_, index) => index)
  const ways = direction.endsWith('reverse') ? [[...forward].reverse(), forward] : [forward, [...forward].reverse()]
  const isPingPong = direction.startsWith('pingpong')
  const [first, second] = ways as [number[], number[]]
  if (repeat === 0) return { ...(first === forward ? {} : { play: first }), loop: true, yoyo: isPingPong }
  // The frames at the turning points are shown once.
  const play = Array.from({ length: Math.min(repeat, 100) }, (_, at) =>
    isPingPong && at > 0 ? (at % 2 === 1 ? second : first).slice(1) : first,
  ).flat()
  return { ...(repeat === 1 && first === forward ? {} : { play }), loop: false, yoyo: false }
}
