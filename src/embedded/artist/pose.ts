/** How the feet of a figure with legs move in one frame. */
export interface Gait {
  /** 0 to 1, where in the step cycle the first leg is; neighbours are half a cycle apart. */
  readonly phase: number
  /** How far a foot reaches before and behind its place, in leg lengths. */
  readonly stride: number
  /** How high a swinging foot is lifted, in leg lengths. */
  readonly lift: number
  /** Part of the cycle a foot stands on the ground, 0 to 1: 0.6 walks, 0.4 runs. */
  readonly stance: number
}

/** A travelling bend of the body. */
export interface Wave {
  /** Sideways reach at the free end, in figure heights. */
  readonly reach: number
  /** Radians. */
  readonly phase: number
  /** Waves along the body. */
  readonly count: number
  /** The end that is free to move; the other one holds still. */
  readonly free: 'top' | 'bottom'
}

/** A drawn accent over or under the figure. `at` runs from 0 to 1 over its short life. */
export interface Accent {
  readonly kind: 'slash' | 'glints' | 'dust' | 'aura' | 'impact'
  readonly at: number
}

/**
 * One frame of a motion, for a figure of any size. Lengths are in figure heights, x to the right, y upwards from the foot line; angles in radians,
 * positive leaning to the right. {@link REST} is the reference picture itself.
 */
export interface Pose {
  readonly x: number
  readonly y: number
  /** Width and height about the foot point. */
  readonly scaleX: number
  readonly scaleY: number
  /** Turn of the whole figure about the height `pivot`. */
  readonly tilt: number
  readonly pivot: number
  /** Sideways reach of the top: straight, and bent (the lower half holds still). */
  readonly lean: number
  readonly curl: number
  /** Rise of everything above the legs; the feet stay. */
  readonly bob: number
  /** Growth of the chest sideways, as a part of its width. */
  readonly chest: number
  /** Turn of the head and what hangs on it about the neck. */
  readonly nod: number
  /** Turn of what is held before the body (right of its core) about the shoulder. */
  readonly arm: number
  /** Turn of the wings (all beside the core, both sides) about their roots. */
  readonly flap: number
  /** Turn about the vertical axis: the width becomes its cosine. */
  readonly turn: number
  readonly waves: readonly Wave[]
  readonly gait?: Gait
  /** How far the rear foot stays behind when the body lunges, and the feet are drawn up in the air, in figure heights. */
  readonly brace: number
  readonly tuck: number
  /** Factor on the colours, and the part of pure white (or `flashColor`) mixed in. */
  readonly light: number
  readonly flash: number
  /** Whether the lowest point rests on the foot line (plus `y`), whatever the rest of the pose does. */
  readonly planted: boolean
  readonly accents: readonly Accent[]
}

/** The reference picture unchanged. */
export const REST: Pose = {
  x: 0,
  y: 0,
  scaleX: 1,
  scaleY: 1,
  tilt: 0,
  pivot: 0,
  lean: 0,
  curl: 0,
  bob: 0,
  chest: 0,
  nod: 0,
  arm: 0,
  flap: 0,
  turn: 0,
  waves: [],
  brace: 0,
  tuck: 0,
  light: 1,
  flash: 0,
  planted: true,
  accents: [],
}

/** What a motion may know of the figure it moves. */
export interface Build {
  /** Feet that can step: 0 for a slime or a ghost, 2 for a knight, 4 for a fox. */
  readonly legs: number
  /** Whether something as wide as wings stands out on both sides. */
  readonly hasWings: boolean
}

/** A motion: where in it (0 to under 1 when cyclic, 0 to 1 otherwise) → the pose. */
export interface Motion {
  /** Whether its end flows into its start. */
  readonly cyclic: boolean
  readonly pose: (at: number, build: Build) => Pose
}

/** Value at `at` of a curve through the keys `[at, value]`, which are ascending; it rests at each key and eases between. */
export function track(at: number, ...keys: readonly (readonly [number, number])[]): number {
  const next = keys.findIndex(([key]) => key >= at)
  if (next === -1) return keys[keys.length - 1]![1]
  if (next === 0) return keys[0]![1]
  const [fromAt, from] = keys[next - 1]!
  const [toAt, to] = keys[next]!
  return from + (to - from) * smooth(fromAt, toAt, at)
}

/** 0 up to `from`, 1 from `to` on, and an S-curve between. */
export function smooth(from: number, to: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)))
  return t * t * (3 - 2 * t)
}

/** 0 to 1 while `at` runs from `from` to `to`; nothing outside. */
export function span(at: number, from: number, to: number): number | undefined {
  return at < from || at > to ? undefined : (at - from) / (to - from)
}
