import { createHash } from 'node:crypto'
import { type Bitmap, createBitmap, resize } from '../../../atlas/index.ts'
import { type AccentPlan, type Colour, drawAccents, telling } from './accents.ts'
import { cutOut } from './background.ts'
import { type Figure, type Limb, limbAt, measureFigure } from './figure.ts'
import { chooseMotion } from './motion.ts'
import { type Point, type Pose, REST } from './pose.ts'
import { createRig } from './rig.ts'
import { fitPoses, planStage, type Stage, withReach } from './stage.ts'
import { type Canvas, createCanvas, createLayer, drawLayer, toBitmap, toCanvas } from './warp.ts'

/** An order for the embedded service's artist. */
export interface Commission {
  /** One picture of a character, a creature or a thing, from the side or the front. */
  readonly reference: Bitmap
  /** The sprite's prompt. Its last line is the animation's, and its words choose the motion. */
  readonly prompt: string
  /** 1 or more. */
  readonly frames: number
  /**
   * `remove` cuts a flat background away, `keep` moves the figure in front of it. A picture that cannot be
   * separated moves as a whole before itself.
   */
  readonly background: 'remove' | 'keep'
  /**
   * The first result for a commission is variant 0. The next ones move less, glint elsewhere, and stand in
   * another light, so that they differ at every size.
   *
   * @default 0
   */
  readonly variant?: number
  /** Called and awaited after each frame. The caller may show progress, or throw to stop. */
  readonly onFrame?: (index: number) => void | Promise<void>
}

/**
 * Animates one picture. It cuts the figure out, finds feet, trunk and wings by the outline, and bends these
 * parts through the poses of a motion, which flows from its last frame into its first. The same commission
 * gives the same bytes.
 *
 * @returns Frames of one even size, at most 512 px a side: the canvas of the reference, widened if a motion
 *   needs more room. The size depends on the reference alone, so animations of one sprite fit together. Pixel
 *   art keeps its own colours.
 */
export async function animate(commission: Commission): Promise<Bitmap[]> {
  const draw = await prepare(commission)
  const light = lightOf(commission.variant ?? 0)
  const frames: Bitmap[] = []
  for (let index = 0; index < commission.frames; index++) {
    frames.push(inLight(draw(index), light))
    await commission.onFrame?.(index)
  }
  return frames
}

/** The light of a variant: factors on red, green and blue. That of the first one changes nothing. */
function lightOf(variant: number): Colour {
  // A golden angle apart, so that no two variants that a person compares have nearly the same.
  const turn = variant * 2.4
  const channel = (at: number): number => (variant === 0 ? 1 : 0.9 + 0.09 * Math.cos(turn + at))
  return [channel(0), channel(2.1), channel(4.2)]
}

function inLight(frame: Bitmap, light: Colour): Bitmap {
  for (let at = 0; at < frame.data.length; at += 4)
    for (let channel = 0; channel < 3; channel++) frame.data[at + channel] = Math.round(frame.data[at + channel]! * light[channel]!)
  return frame
}

/** Longest side of a frame, px. */
const LONGEST = 512

/**
 * Pixel art below this height, px, moves more strongly, by at most this factor: whole pixels would hide small
 * moves.
 */
const SMALL = 72
const STRONGEST = 2.2

/** @returns A function that draws one frame. */
async function prepare(commission: Commission): Promise<(index: number) => Bitmap> {
  const { reference, prompt, frames, background, variant = 0 } = commission
  const { figure: bitmap, backdrop, isSeparate } = cutOut(reference)
  const figure = measureFigure(bitmap)
  if (figure === undefined) return () => createBitmap(reference.width, reference.height)
  const stage = planStage(reference, figure)
  const shrink = LONGEST / Math.max(stage.width, stage.height)
  if (shrink < 1) {
    const [width, height] = [reference.width, reference.height].map((side) => Math.max(1, Math.floor(side * shrink)))
    return prepare({ ...commission, reference: await resize(reference, width!, height!, 'lanczos') })
  }
  const motion = chooseMotion(prompt)
  const gain = figure.isPixelArt ? Math.min(STRONGEST, Math.max(1, SMALL / figure.height)) : 1
  const reach = gain * 0.75 ** Math.min(variant, 3)
  const wanted = Array.from({ length: frames }, (_, i) => {
    const at = i / frames
    const pose = motion({ at, turn: at * 2 * Math.PI, legs: figure.legs.length, hasWings: figure.hasWings })
    return withReach({ ...REST, ...pose }, reach)
  })
  const poses = fitPoses(stage, figure, wanted)
  const seed = createHash('sha256')
    .update(prompt)
    .update(reference.data)
    .update(variant === 0 ? '' : String(variant))
    .digest()
  const plan: AccentPlan = { figure, stage, seed, colour: telling(figure) }
  // Without the background, a figure that cannot be separated from it would be cut out as a rectangle.
  const ground = backdrop === undefined || (background === 'remove' && isSeparate) ? undefined : extend(backdrop, stage)
  const parts = toParts(figure)
  return (index) => {
    const canvas = createCanvas(stage.width, stage.height)
    if (ground !== undefined) canvas.pixels.set(ground.pixels)
    drawPose(canvas, plan, parts, poses[index]!)
    return toBitmap(canvas)
  }
}

/**
 * Legs, the darkest (the far one) first, then the body, then the held object. Legs reach up under the body to
 * hide the seam.
 */
function toParts(figure: Figure) {
  const { bitmap, held } = figure
  const toPart = (limb: Limb | undefined, owns: (x: number, y: number) => boolean) => ({ limb, layer: createLayer(toCanvas(bitmap, owns)) })
  const under = Math.max(2, Math.round(figure.height * 0.05))
  const legs = [...figure.legs].sort((a, b) => a.shade - b.shade)
  // The body includes the hand and the part of the object in it, so a turning blade leaves no hole.
  const isHand = (x: number, y: number): boolean =>
    held !== undefined && Math.hypot(x - held.pivotX, y - held.pivotY) < 0.07 * figure.height
  const isBody = (x: number, y: number): boolean => {
    const limb = limbAt(figure, x, y)
    return limb === undefined || (limb === held && isHand(x, y))
  }
  return [
    ...legs.map((leg) => toPart(leg, (x, y) => y >= leg.hip - under && x >= leg.left[y]! && x < leg.right[y]!)),
    toPart(undefined, isBody),
    ...(held === undefined ? [] : [toPart(held, (x, y) => held.mask[y * bitmap.width + x] === 1)]),
  ]
}

function drawPose(canvas: Canvas, plan: AccentPlan, parts: ReturnType<typeof toParts>, pose: Pose): void {
  const { figure, stage } = plan
  const isCrisp = figure.isPixelArt
  if (!isCrisp) drawAccents(canvas, plan, pose.accents, 'behind')
  const rig = createRig(figure, pose, stage.origin)
  const middle = stage.origin.y - (pose.y + 0.5) * figure.height
  for (const { width, height, shift, flat } of slicesOf(pose.turn, figure.height, isCrisp, plan.colour))
    for (const { limb, layer } of parts) {
      const place = (x: number, y: number): Point => {
        const at = rig(x, y, limb)
        at.x = stage.origin.x + (at.x - stage.origin.x) * width + shift
        at.y = middle + (at.y - middle) * height
        return at
      }
      drawLayer(canvas, layer, place, { isCrisp, across: Math.round(Math.abs(1 / width)), light: pose.light, flash: pose.flash, flat })
    }
  if (!isCrisp) drawAccents(canvas, plan, pose.accents, 'before')
}

/**
 * Layers of a turned figure: a dark rim from the far face to the near one, a lighter band inside it, and the
 * near face last. Pixel art has no rim.
 *
 * @returns Factor on the width (negative for the back), factor on the height, offset to the right in px, and
 *   the one colour that fills the layer instead of the picture.
 */
function slicesOf(turn: number, size: number, isCrisp: boolean, colour: Colour) {
  const width = toWidth(turn)
  const depth = isCrisp ? 0 : 0.1 * size * Math.sin(turn) * (Math.cos(turn) >= 0 ? 0.5 : -0.5)
  const count = Math.min(7, Math.ceil(Math.abs(depth) / 1.1))
  const shifts = Array.from({ length: count }, (_, i) => depth * (2 * (i / count) - 1))
  const band: Colour = [colour[0] * 0.72, colour[1] * 0.6, colour[2] * 0.55]
  const outline = shifts.map((shift) => ({ width, height: 1, shift, flat: RIM }))
  const inside = shifts.slice(Math.ceil(count * 0.2)).map((shift) => ({ width: width * 0.98, height: 0.93, shift, flat: band }))
  return [...outline, ...inside, { width, height: 1, shift: depth, flat: undefined }]
}

/** Near black, like most outlines. */
const RIM: Colour = [0.165, 0.118, 0.231]

function toWidth(turn: number): number {
  const width = Math.cos(turn)
  return Math.abs(width) < 0.04 ? 0.04 * (width < 0 ? -1 : 1) : width
}

/** The background in the size of the frame. Its border pixels repeat outwards. */
function extend(backdrop: Bitmap, { width, height, corner }: Stage): Canvas {
  const source = toCanvas(backdrop, () => true)
  const canvas = createCanvas(width, height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const fromX = Math.min(backdrop.width - 1, Math.max(0, x - corner.x))
      const fromY = Math.min(backdrop.height - 1, Math.max(0, y - corner.y))
      const from = (fromY * backdrop.width + fromX) * 4
      canvas.pixels.set(source.pixels.subarray(from, from + 4), (y * width + x) * 4)
    }
  return canvas
}
