import type { Bitmap } from '../../../atlas/index.ts'
import { type Figure, limbAt } from './figure.ts'
import type { Pose } from './pose.ts'
import { createRig, type Point } from './rig.ts'

/** Largest side of a frame, px. */
const LARGEST = 512
/** Clear pixels that stay around a figure. */
const MARGIN = 2

/**
 * The frame of a figure. It is the same for every motion of one reference, so a game can switch animations
 * without a jump.
 */
export interface Stage {
  /** Even. */
  readonly width: number
  readonly height: number
  /** Place of the figure's foot point. */
  readonly origin: Point
  /** Frame pixels per reference pixel; 1 except for large references. */
  readonly scale: number
  /** Place of the top left corner of the reference. */
  readonly corner: Point
}

/**
 * Plans a frame with the foot point in its middle, as far above the bottom as in the reference. The frame is
 * at least as large as the reference and has room to move.
 */
export function planStage(reference: Bitmap, figure: Figure): Stage {
  const below = Math.max(MARGIN + 1, reference.height - figure.bottom)
  const reach = Math.max(figure.right - figure.centreX, figure.centreX - figure.left)
  const swing = figure.held === undefined ? 0 : figure.held.pivotX - figure.centreX + figure.held.reach + 0.16 * figure.height
  const roomX = Math.max(reference.width, figure.height * 1.5, reach * 2.4, swing * 2)
  const roomY = Math.max(reference.height, figure.height * 1.35 + below)
  const scale = Math.min(1, LARGEST / roomX, LARGEST / roomY)
  const [width, height] = [toEven(roomX * scale), toEven(roomY * scale)]
  const corner = { x: whole(width / 2 - figure.centreX * scale, scale), y: whole(height - (figure.bottom + below) * scale, scale) }
  return { width, height, scale, corner, origin: { x: corner.x + figure.centreX * scale, y: corner.y + figure.bottom * scale } }
}

/** An unscaled figure stays on the pixel grid, so at rest it equals the reference. */
function whole(value: number, scale: number): number {
  return scale === 1 ? Math.round(value) : value
}

function toEven(value: number): number {
  return Math.max(8, 2 * Math.ceil(value / 2 - 1e-9))
}

/**
 * Reduces the reach of the poses until every frame holds the whole figure. If that is not enough, it makes
 * the figure smaller.
 */
export function fitPoses(stage: Stage, figure: Figure, poses: readonly Pose[]): { poses: readonly Pose[]; stage: Stage } {
  for (const reach of [1, 0.92, 0.84, 0.76, 0.68, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]) {
    const fitted = reach === 1 ? poses : poses.map((pose) => damp(pose, reach))
    if (fitted.every((pose) => isWithin(stage, figure, pose))) return { poses: fitted, stage }
  }
  const fitted = poses.map((pose) => damp(pose, 0.1))
  for (let factor = 0.95; factor > 0.2; factor -= 0.05) {
    const smaller = { ...stage, scale: stage.scale * factor }
    if (fitted.every((pose) => isWithin(smaller, figure, pose))) return { poses: fitted, stage: smaller }
  }
  return { poses: fitted.map((pose) => damp(pose, 0)), stage: { ...stage, scale: stage.scale * 0.2 } }
}

/**
 * Figures below this height, px, move more strongly, by at most this factor: whole pixels would hide small
 * moves.
 */
const SMALL = 72
const STRONGEST = 2.2

/** The pose for small pixel art. A move by a part of a pixel becomes a move by one. */
export function strengthen(pose: Pose, figure: Figure): Pose {
  const gain = figure.isPixelArt ? Math.min(STRONGEST, Math.max(1, SMALL / figure.height)) : 1
  // Large squashes are strong enough.
  const stretch = (by: number): number => Math.sign(by) * Math.max(Math.abs(by), Math.min(Math.abs(by) * gain, 0.06))
  return {
    ...pose,
    x: pose.x * gain,
    bob: pose.bob * gain,
    lean: pose.lean * gain,
    curl: pose.curl * gain,
    scaleX: 1 + stretch(pose.scaleX - 1),
    scaleY: 1 + stretch(pose.scaleY - 1),
  }
}

/** The pose with less of everything: 1 is the whole of it, 0 is rest. */
export function damp(pose: Pose, reach: number): Pose {
  return {
    ...pose,
    x: pose.x * reach,
    y: pose.y * reach,
    lean: pose.lean * reach,
    curl: pose.curl * reach,
    arm: pose.arm * reach,
    flap: pose.flap * reach,
    brace: pose.brace * reach,
    scaleX: 1 + (pose.scaleX - 1) * reach,
    scaleY: 1 + (pose.scaleY - 1) * reach,
  }
}

function isWithin(stage: Stage, figure: Figure, pose: Pose): boolean {
  const rig = createRig(figure, pose, stage.origin, stage.scale)
  for (let i = 0; i < figure.outline.length; i += 2) {
    const [x, y] = [figure.outline[i]!, figure.outline[i + 1]!]
    const at = rig.place(x + 0.5, y + 0.5, limbAt(figure, x, y))
    const reach = 0.5 * stage.scale * Math.max(1, pose.scaleX, pose.scaleY) + MARGIN
    if (at.x < reach || at.y < reach || at.x > stage.width - reach || at.y > stage.height - reach) return false
  }
  return true
}
