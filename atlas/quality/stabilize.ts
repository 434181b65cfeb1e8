import { type Bitmap, blit, createBitmap, crop } from '../bitmap.ts'
import { visibleBox } from '../frames/trim.ts'
import { qualityLimits } from './limits.ts'
import { type FrameMeasure, measureFrames } from './measure.ts'
import { closes, figureSize, jumpsOver, type Shifts, shiftsOf } from './motion.ts'
import { presentIn } from './pictures.ts'

/** Options of {@link stabilize}. */
export interface StabilizeOptions {
  /** Whether the first frame follows the last. */
  readonly loop: boolean
  /**
   * Whether the animation plays forwards and backwards.
   *
   * @default false
   */
  readonly yoyo?: boolean
  /**
   * Indices of frames that the service shifted. Each of them is placed between the nearest unshifted frames.
   *
   * @default []
   */
  readonly shifted?: readonly number[]
}

/** A whole number of pixels to the right and down. */
export interface Move {
  readonly x: number
  readonly y: number
}

/** Stabilised frames, all of one size. */
export interface Stabilized {
  /** The same bitmaps if nothing moved. */
  readonly frames: readonly Bitmap[]
  /** The move of each frame. */
  readonly moves: readonly Move[]
  /** Top left corner of the old canvas on the new one; 0, 0 if the canvas did not grow. */
  readonly origin: Move
}

/**
 * Moves displaced frames back and removes a creep from a loop, in whole pixels. A trimmed frame keeps its
 * pixels and gets another offset, which moves its pivot.
 *
 * The place of a frame is measured by the median column of the body and by the foot line. A frame moves only
 * if the whole figure is displaced from both neighbours, by the rules of the quality check. Natural motion (a
 * bob, a swinging arm, a leap, the beat of a run) is kept: a sequence without flags does not change.
 *
 * @param frames In playing order, all of one size.
 * @returns The frames; nothing is cut off. If a move would push visible pixels over the edge, the canvas of
 * all frames grows by the same amount on opposite sides, so that its centre stays.
 */
export function stabilize(frames: readonly Bitmap[], options: StabilizeOptions): Stabilized {
  const moves = planMoves(frames, options)
  if (moves.every(({ x, y }) => x === 0 && y === 0)) return { frames, moves, origin: { x: 0, y: 0 } }
  const room = roomFor(frames, moves)
  return { frames: frames.map((frame, at) => place(frame, moves[at]!, room)), moves, origin: room }
}

function planMoves(frames: readonly Bitmap[], { loop, yoyo, shifted = [] }: StabilizeOptions): Move[] {
  const moves = frames.map(() => ({ x: 0, y: 0 }))
  const measures = measureFrames(frames)
  const present = presentIn(measures)
  if (present.length < 4) return moves
  let shown = present.map((at) => measures[at]!)
  const isClosed = closes(shown, loop && yoyo !== true)
  const move = (place: number, by: Move): void => {
    moves[present[place]!]!.x += by.x
    moves[present[place]!]!.y += by.y
    shown = shown.map((measure, at) => (at === place ? movedMeasure(measure, by) : measure))
  }
  for (const { place, by } of returnShifted(
    shown,
    present.flatMap((at, i) => (shifted.includes(at) ? [i] : [])),
    isClosed,
  ))
    move(place, by)
  const size = figureSize(shown)
  const limits = {
    down: Math.max(qualityLimits.leastShiftPx, qualityLimits.footLine * size),
    across: Math.max(qualityLimits.leastShiftPx, qualityLimits.bodyAnchor * size),
  }
  // Each round moves only the most displaced frame, because its neighbours may be displaced too. A frame
  // never moves further than it is displaced.
  const touched = new Set<number>()
  for (let round = 0; round < 2 * present.length; round++) {
    const { down, across } = shiftsOf(shown, isClosed)
    const [place, by] = nextMove(down, across, limits)
    if (place === undefined) break
    touched.add(place)
    move(place, by)
  }
  // After all moves, each moved frame is centred between its neighbours.
  for (const place of touched) {
    const off = (value: (measure: FrameMeasure) => number): number => whole(offsetFromNeighbours(shown, place, value, isClosed))
    move(place, {
      x: moves[present[place]!]!.x === 0 ? 0 : -off(({ core }) => core),
      y: moves[present[place]!]!.y === 0 ? 0 : -off(({ foot }) => foot),
    })
  }
  const { down, across } = shiftsOf(shown, isClosed)
  const creepY = Math.abs(down.creep) >= limits.down ? down.creep : 0
  const creepX = Math.abs(across.creep) >= limits.across ? across.creep : 0
  // The first frame stays. Each later frame is moved by its share of the creep.
  if (creepX !== 0 || creepY !== 0)
    for (const place of present.keys())
      move(place, { x: whole((creepX * place) / present.length), y: whole((creepY * place) / present.length) })
  return moves
}

function whole(value: number): number {
  // Avoids −0, which would not equal the move of a frame that stays.
  return Math.round(value) || 0
}

function nextMove(
  down: Shifts,
  across: Shifts,
  limits: { readonly down: number; readonly across: number },
): [place: number | undefined, by: Move] {
  const worst = (shifts: Shifts, limit: number): number | undefined =>
    jumpsOver(shifts, limit).sort((a, b) => Math.abs(shifts.jumps[b]!) - Math.abs(shifts.jumps[a]!) || a - b)[0]
  const lowest = worst(down, limits.down)
  if (lowest !== undefined) return [lowest, { x: 0, y: whole(-down.jumps[lowest]!) }]
  const aside = worst(across, limits.across)
  return [aside, { x: aside === undefined ? 0 : whole(-across.jumps[aside]!), y: 0 }]
}

function offsetFromNeighbours(
  measures: readonly FrameMeasure[],
  at: number,
  value: (measure: FrameMeasure) => number,
  isClosed: boolean,
): number {
  const count = measures.length
  const [before, after] = isClosed ? [(at + count - 1) % count, (at + 1) % count] : [at - 1, at + 1]
  return value(measures[at]!) - (value(measures[before]!) + value(measures[after]!)) / 2
}

/**
 * Moves the frames that the service shifted. Each of them goes to the mean place of the nearest unshifted frames
 * before and after it. If the service shifted more than half of the frames, no frame moves.
 */
function returnShifted(measures: readonly FrameMeasure[], shifted: readonly number[], isClosed: boolean): { place: number; by: Move }[] {
  const count = measures.length
  if (shifted.length === 0 || shifted.length > count / 2) return []
  const find = (from: number, step: 1 | -1): number | undefined => {
    for (let i = 1; i < count; i++) {
      const at = from + i * step
      if (!isClosed && (at < 0 || at >= count)) return undefined
      if (!shifted.includes((at + count) % count)) return (at + count) % count
    }
    return undefined
  }
  return shifted.map((place) => {
    const around = [find(place, -1), find(place, 1)].flatMap((at) => (at === undefined ? [] : [measures[at]!]))
    const mean = (value: (measure: FrameMeasure) => number): number => around.reduce((sum, one) => sum + value(one), 0) / around.length
    const own = measures[place]!
    return { place, by: { x: whole(mean(({ core }) => core) - own.core), y: whole(mean(({ foot }) => foot) - own.foot) } }
  })
}

function movedMeasure(measure: FrameMeasure, { x, y }: Move): FrameMeasure {
  return {
    ...measure,
    foot: measure.foot + y,
    head: measure.head + y,
    centreY: measure.centreY + y,
    left: measure.left + x,
    right: measure.right + x,
    core: measure.core + x,
    centreX: measure.centreX + x,
  }
}

/** Columns to add on each side, and rows to add above and below. */
function roomFor(frames: readonly Bitmap[], moves: readonly Move[]): Move {
  let [across, down] = [0, 0]
  for (const [at, frame] of frames.entries()) {
    const box = visibleBox(frame, 0)
    if (box === undefined) continue
    const { x, y } = moves[at]!
    across = Math.max(across, -(box.left + x), box.right + x - frame.width)
    down = Math.max(down, -(box.top + y), box.bottom + y - frame.height)
  }
  return { x: across, y: down }
}

function place(frame: Bitmap, move: Move, room: Move): Bitmap {
  const target = createBitmap(frame.width + 2 * room.x, frame.height + 2 * room.y)
  const box = visibleBox(frame, 0)
  if (box === undefined) return target
  blit(
    target,
    crop(frame, box.left, box.top, box.right - box.left, box.bottom - box.top),
    box.left + move.x + room.x,
    box.top + move.y + room.y,
  )
  return target
}
