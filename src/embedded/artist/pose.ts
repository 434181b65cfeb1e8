/** A place in a picture, px. */
export interface Point {
  x: number
  y: number
}

/** The movement of the feet of a figure with legs, in one frame. */
export interface Gait {
  /** Place of the first leg in the step cycle, 0 to 1. Neighbouring legs are half a cycle apart. */
  readonly phase: number
  /** Reach of a foot before and behind its place, in leg lengths. */
  readonly stride: number
  /** Height of a swinging foot, in leg lengths. */
  readonly lift: number
  /** Share of the cycle in which a foot is on the ground: 0.6 walks, 0.4 runs. */
  readonly stance: number
}

/** A bend that travels along the body. */
export interface Wave {
  /** Sideways reach at the free end, in figure heights. */
  readonly reach: number
  /** Radians. */
  readonly phase: number
  /** Number of waves along the body. */
  readonly count: number
  /** The end that moves. The other one is fixed. */
  readonly free: 'top' | 'bottom'
}

/** A drawn accent behind or over the figure. `at` runs from 0 to 1 during its short life. */
export interface Accent {
  readonly kind: 'slash' | 'glints' | 'dust' | 'aura'
  readonly at: number
}

/**
 * The reference picture unchanged, as a pose for a figure of any size. Lengths are in figure heights; x points
 * right, y up from the foot line. Angles are in radians; a positive one leans to the right.
 */
export const REST = {
  x: 0,
  y: 0,
  /** Scale about the foot point. */
  scaleX: 1,
  scaleY: 1,
  /** Turn of the whole figure about the height `pivot`. */
  tilt: 0,
  pivot: 0,
  /** Sideways shift of the top: straight (`lean`), and bent so that the lower half is still (`curl`). */
  lean: 0,
  curl: 0,
  /** Rise of everything above the legs. The feet stay. */
  bob: 0,
  /** Sideways growth of the chest, as a share of its width. */
  chest: 0,
  /** Turn of the head about the neck. */
  nod: 0,
  /** Turn of the held object about the hand. */
  arm: 0,
  /** Turn of the wings about their roots. A wing is everything outside of the trunk's columns. */
  flap: 0,
  /** Turn about the vertical axis. It scales the width by its cosine. */
  turn: 0,
  waves: [] as readonly Wave[],
  gait: undefined as Gait | undefined,
  /**
   * How far the rear foot stays behind when the body lunges, and how far the feet are drawn up in the air, in
   * figure heights.
   */
  brace: 0,
  tuck: 0,
  /** Factor on the colours, and share of white mixed in. */
  light: 1,
  flash: 0,
  /** Whether the lowest point rests on the foot line (plus `y`), whatever the rest of the pose does. */
  planted: true,
  accents: [] as readonly Accent[],
}

/** One frame of a motion. */
export type Pose = Readonly<typeof REST>

/** A moment of a motion, and facts about the figure that moves. */
export interface Moment {
  /** 0 to under 1. */
  readonly at: number
  /** `at` as an angle, radians. */
  readonly turn: number
  /** Number of feet that can step: 0 for a slime or a ghost, 2 for a knight, 4 for a fox. */
  readonly legs: number
  /** Whether the figure has wide parts on both sides, like wings. */
  readonly hasWings: boolean
}

/** A motion gives for each moment what differs from {@link REST}. Its end flows into its start. */
export type Motion = (moment: Moment) => Partial<Pose>

/**
 * The value at `at` of a curve through ascending keys `[at, value]`. It is flat at each key and eases between
 * them.
 */
export function track(at: number, ...keys: readonly (readonly [number, number])[]): number {
  const next = keys.findIndex(([key]) => key >= at)
  if (next === -1) return keys[keys.length - 1]![1]
  if (next === 0) return keys[0]![1]
  const [fromAt, from] = keys[next - 1]!
  const [toAt, to] = keys[next]!
  return from + (to - from) * smooth(fromAt, toAt, at)
}

/** 0 up to `from`, 1 from `to` on, an S-curve between. */
export function smooth(from: number, to: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)))
  return t * t * (3 - 2 * t)
}

/** Progress from 0 to 1 while `at` runs from `from` to `to`; undefined outside. */
export function span(at: number, from: number, to: number): number | undefined {
  return at < from || at > to ? undefined : (at - from) / (to - from)
}
