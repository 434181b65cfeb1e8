import type { Bitmap } from '../../../atlas/index.ts'
import { type Figure, limbAt } from './figure.ts'
import { type Pose, REST } from './pose.ts'
import { createRig } from './rig.ts'

/** Clear pixels that stay around a figure. */
const MARGIN = 2

/**
 * The frame of a figure. It is the same for every motion of one reference, so a game can switch animations
 * without a jump.
 */
export type Stage = ReturnType<typeof planStage>

/**
 * Plans a frame with the foot point in its middle, as far above the bottom as in the reference. The frame is
 * at least as large as the reference and has room to move.
 */
export function planStage(reference: Bitmap, figure: Figure) {
  const below = Math.max(MARGIN + 1, reference.height - figure.bottom)
  const reach = Math.max(figure.right - figure.centreX, figure.centreX - figure.left)
  const swing = figure.held === undefined ? 0 : figure.held.pivotX - figure.centreX + figure.held.reach + 0.16 * figure.height
  const width = toEven(Math.max(reference.width, figure.height * 1.5, reach * 2.4, swing * 2))
  const height = toEven(Math.max(reference.height, figure.height * 1.35 + below))
  // On the pixel grid, so a figure at rest equals the reference.
  const corner = { x: Math.round(width / 2 - figure.centreX), y: height - figure.bottom - below }
  return {
    /** Even. */
    width,
    height,
    /** Place of the top left corner of the reference. */
    corner,
    /** Place of the figure's foot point. */
    origin: { x: corner.x + figure.centreX, y: corner.y + figure.bottom },
  }
}

function toEven(value: number): number {
  return Math.max(8, 2 * Math.ceil(value / 2 - 1e-9))
}

/** Reduces the reach of the poses until every frame holds the whole figure. */
export function fitPoses(stage: Stage, figure: Figure, poses: readonly Pose[]): readonly Pose[] {
  let fitted = poses
  for (let reach = 0.92; reach > 0 && !fitted.every((pose) => isWithin(stage, figure, pose)); reach -= 0.08)
    fitted = poses.map((pose) => withReach(pose, reach))
  return fitted
}

const moves = ['x', 'y', 'lean', 'curl', 'bob', 'arm', 'flap', 'brace', 'scaleX', 'scaleY'] as const

/** The pose with less or more of its moves: 0 is rest, 1 the whole of it. */
export function withReach(pose: Pose, reach: number): Pose {
  return { ...pose, ...Object.fromEntries(moves.map((move) => [move, REST[move] + (pose[move] - REST[move]) * reach])) }
}

function isWithin(stage: Stage, figure: Figure, pose: Pose): boolean {
  const place = createRig(figure, pose, stage.origin)
  const reach = 0.5 * Math.max(1, pose.scaleX, pose.scaleY) + MARGIN
  return figure.outline.every(({ x, y }) => {
    const at = place(x + 0.5, y + 0.5, limbAt(figure, x, y))
    return at.x >= reach && at.y >= reach && at.x <= stage.width - reach && at.y <= stage.height - reach
  })
}
