import { type Figure, type Limb, limbAt } from './figure.ts'
import type { Held } from './held.ts'
import type { Leg } from './legs.ts'
import { type Point, type Pose, smooth, type Wave } from './pose.ts'

/**
 * Moves a point of the reference to its place in a pose. The next call overwrites the returned object. The limb
 * is that of the point; `undefined` for the body.
 */
export type Rig = (x: number, y: number, limb: Limb | undefined) => Point

/** Share of a leg's length, from the hip, that bends. The rest is the foot, which is stiff. */
const ANKLE = 0.72

/**
 * Bends a figure into a pose.
 *
 * @param origin Place of the figure's foot point (centre of mass, foot line) in the frame, px.
 */
export function createRig(figure: Figure, pose: Pose, origin: Point): Rig {
  const bend = { x: 0, y: 0 }
  const place: Rig = (x, y, limb) => {
    bend.x = (x - figure.centreX) / figure.height
    bend.y = (figure.bottom - y) / figure.height
    if (limb === undefined) bendBody(bend, figure, pose)
    else if ('hip' in limb) bendLeg(bend, figure, pose, limb)
    else turnHeld(bend, figure, pose, limb)
    bendWhole(bend, pose)
    return bend
  }
  const lift = pose.planted ? plantedLift(figure, place) : 0
  return (x, y, limb) => {
    const at = place(x, y, limb)
    at.x = origin.x + (at.x + pose.x) * figure.height
    at.y = origin.y - (at.y + lift + pose.y) * figure.height
    return at
  }
}

/** The lift that brings the lowest bent point back to the foot line. */
function plantedLift(figure: Figure, place: Rig): number {
  return -Math.min(...figure.outline.map(({ x, y }) => place(x + 0.5, y + 1, limbAt(figure, x, y)).y))
}

function bendBody(at: Point, figure: Figure, pose: Pose): void {
  const { x, y } = at
  if (pose.chest !== 0) at.x *= 1 + pose.chest * Math.exp(-(((y - 0.45) / 0.2) ** 2))
  if (pose.flap !== 0) turnWing(at, figure, pose.flap, x)
  if (pose.nod !== 0) turnAbout(at, 0, 0.5, pose.nod * smooth(0.42, 0.72, y))
  if (pose.bob !== 0) at.y += pose.bob * (figure.legs.length > 0 ? 1 : smooth(0, 0.4, y))
  for (const wave of pose.waves) at.x += sideways(wave, y)
}

function sideways(wave: Wave, y: number): number {
  const free = wave.free === 'top' ? Math.max(0, y) : 1 - y
  return wave.reach * free ** 1.5 * Math.sin(wave.phase - free * wave.count * Math.PI * 2)
}

/** A held object is stiff. It turns in the hand and moves with it. */
function turnHeld(at: Point, figure: Figure, pose: Pose, held: Held): void {
  const hand = { x: (held.pivotX - figure.centreX) / figure.height, y: (figure.bottom - held.pivotY) / figure.height }
  turnAbout(at, hand.x, hand.y, pose.arm)
  at.x -= hand.x
  at.y -= hand.y
  bendBody(hand, figure, pose)
  at.x += hand.x
  at.y += hand.y
}

function turnWing(at: Point, figure: Figure, angle: number, x: number): void {
  const toUnits = (column: number): number => (column - figure.centreX) / figure.height
  const [left, right] = [toUnits(figure.coreLeft), toUnits(figure.coreRight)]
  const [root, side] = x > 0 ? [right, 1] : [left, -1]
  const out = (x - root) * side
  if (out <= 0) return
  const span = Math.max(toUnits(figure.right) - right, left - toUnits(figure.left), 0.01)
  const bent = angle * (0.55 + 0.55 * (out / span))
  at.x = root + side * out * Math.cos(bent)
  at.y += out * Math.sin(bent)
}

/** Legs swing about the hip. A leg in the air is drawn up and bends at the knee, and its foot tips. */
function bendLeg(at: Point, figure: Figure, pose: Pose, leg: Leg): void {
  const length = (figure.bottom - leg.hip) / figure.height
  const down = Math.min(1, Math.max(0, 1 - at.y / length))
  const reach = smooth(0, 1, Math.min(1, down / ANKLE)) * 0.45 + Math.min(1, down / ANKLE) * 0.55
  at.y += pose.bob * (1 - reach)
  for (const wave of pose.waves) if (wave.free === 'top') at.x += sideways(wave, length) * (1 - reach)
  if (pose.gait !== undefined) {
    const foot = stepOf((pose.gait.phase + leg.phase) % 1, pose.gait.stance)
    const home = (leg.homeX - leg.footX) / figure.height
    if (down > ANKLE - 0.1)
      turnAbout(at, (leg.footX - figure.centreX) / figure.height, length * (1 - ANKLE), foot.tip * smooth(ANKLE - 0.1, ANKLE + 0.06, down))
    at.x +=
      reach * (home * Math.min(0.75, pose.gait.stride * 1.2) + foot.x * pose.gait.stride * length) +
      foot.lift * pose.gait.lift * length * 0.5 * Math.sin(Math.PI * reach)
    at.y += reach * foot.lift * pose.gait.lift * length
  }
  const rear = leg.footX < figure.centreX ? 1 : 0.25
  at.x -= reach * pose.brace * rear
  at.y += reach * pose.tuck
}

/** Place of a foot in its cycle: on the ground from front to back, then through the air to the front. */
function stepOf(phase: number, stance: number): { x: number; lift: number; tip: number } {
  if (phase < stance) {
    const back = phase / stance
    return { x: 1 - 2 * back, lift: 0, tip: 0 }
  }
  const swing = (phase - stance) / (1 - stance)
  return {
    x: -1 + 2 * smooth(0, 1, swing),
    lift: Math.sin(Math.PI * swing),
    tip: 0.4 * Math.sin(Math.PI * Math.min(1, swing * 1.5)) * (1 - swing) - 0.25 * smooth(0.6, 0.85, swing) * (1 - smooth(0.9, 1, swing)),
  }
}

function bendWhole(at: Point, pose: Pose): void {
  at.x *= pose.scaleX
  at.y *= pose.scaleY
  const up = Math.max(0, at.y)
  at.x += pose.lean * up + pose.curl * up * up
  if (pose.tilt !== 0) turnAbout(at, 0, pose.pivot, pose.tilt)
}

/** Turns clockwise (to the right above the pivot) in the space of poses, in which y points up. */
function turnAbout(at: Point, pivotX: number, pivotY: number, angle: number): void {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [x, y] = [at.x - pivotX, at.y - pivotY]
  at.x = pivotX + x * cos + y * sin
  at.y = pivotY - x * sin + y * cos
}
