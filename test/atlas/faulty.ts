import { type Bitmap, createBitmap, resize } from '../../atlas/index.ts'
import { qualityLimits } from '../../atlas/quality/limits.ts'
import type { QualityFault } from '../../atlas/quality/report.ts'
import type { Drawn } from './drawn.ts'

/** A sequence with an injected fault. */
export interface Faulty {
  readonly frames: readonly Bitmap[]
  /** Frames with the fault; a flag must name one of these. */
  readonly at: readonly number[]
}

/** Puts a fault into a clean sequence. Returns `undefined` if this motion cannot have it. */
export type Spoil = (clean: Drawn, strength: number, chance: () => number) => Faulty | undefined | Promise<Faulty | undefined>

/** How to inject each fault, and how strongly: in multiples of the documented limit, if it has one. */
export const spoils: Readonly<Record<QualityFault, { readonly spoil: Spoil; readonly strengths: readonly number[] }>> = {
  'foot-line': { spoil: (clean, strength, chance) => slip(clean, strength, chance, 'y'), strengths: [1, 1.5, 3, -1.5] },
  'body-anchor': { spoil: (clean, strength, chance) => slip(clean, strength, chance, 'x'), strengths: [1, 1.5, 3, -1.5] },
  scale: { spoil: pump, strengths: [1.25, 2, 4] },
  'loop-seam': { spoil: cutShort, strengths: [1.1, 1.4, 1.8] },
  palette: { spoil: tint, strengths: [1.25, 2, 4] },
  halo: { spoil: ring, strengths: [0.5, 0.7, 1] },
  background: { spoil: leaveBackground, strengths: [0, 1, 2] },
  duplicate: { spoil: repeat, strengths: [1, 2] },
  blank: { spoil: wipe, strengths: [0, 1] },
  'cut-off': { spoil: cutOff, strengths: [1, 2, 4] },
}

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly middle: number
}

/** The figure's box and centre, over all solid pixels. */
function boxOf(frame: Bitmap): Box {
  let [left, top, right, bottom, sum, count] = [frame.width, frame.height, 0, 0, 0, 0]
  for (let y = 0; y < frame.height; y++)
    for (let x = 0; x < frame.width; x++) {
      if (frame.data[(y * frame.width + x) * 4 + 3]! < 128) continue
      left = Math.min(left, x)
      right = Math.max(right, x + 1)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y + 1)
      sum += x
      count++
    }
  return { left, top, right, bottom, middle: sum / count }
}

function sizeOf(frames: readonly Bitmap[]): number {
  const sizes = frames.map(boxOf).map((box) => Math.sqrt((box.right - box.left) * (box.bottom - box.top)))
  return sizes.sort((a, b) => a - b)[frames.length >> 1]!
}

export function moved(frame: Bitmap, dx: number, dy: number): Bitmap {
  const target = createBitmap(frame.width, frame.height)
  for (let y = Math.max(0, dy); y < Math.min(frame.height, frame.height + dy); y++)
    for (let x = Math.max(0, dx); x < Math.min(frame.width, frame.width + dx); x++) {
      const from = ((y - dy) * frame.width + x - dx) * 4
      target.data.set(frame.data.subarray(from, from + 4), (y * frame.width + x) * 4)
    }
  return target
}

/** The same frames with room on all sides, so that nothing is cut off. */
export function roomy(frames: readonly Bitmap[], room: number): Bitmap[] {
  return frames.map((frame) => {
    const target = createBitmap(frame.width + 2 * room, frame.height + 2 * room)
    for (let y = 0; y < frame.height; y++)
      target.data.set(frame.data.subarray(y * frame.width * 4, (y + 1) * frame.width * 4), ((y + room) * target.width + room) * 4)
    return target
  })
}

function pick(chance: () => number, count: number): number {
  return Math.floor(chance() * count)
}

function replaced<T>(all: readonly T[], at: number, by: T): T[] {
  return all.map((one, index) => (index === at ? by : one))
}

/**
 * Shifts the whole figure from both neighbours by a multiple of the limit. If the strength is negative, the
 * figure drifts steadily over all frames. Only looping motions (`walk`, `idle`) can have this fault.
 */
function slip(clean: Drawn, strength: number, chance: () => number, axis: 'x' | 'y'): Faulty | undefined {
  const share = axis === 'y' ? qualityLimits.footLine : qualityLimits.bodyAnchor
  const limit = Math.max(qualityLimits.leastShiftPx, share * sizeOf(clean.frames))
  const frames = roomy(clean.frames, Math.ceil(limit * 8))
  const count = frames.length
  const sign = chance() < 0.5 ? -1 : 1
  const shift = (frame: Bitmap, by: number): Bitmap => (axis === 'x' ? moved(frame, by, 0) : moved(frame, 0, by))
  if (strength < 0) {
    if (!['walk', 'idle'].includes(clean.motion)) return undefined
    const whole = -strength * limit
    return { frames: frames.map((frame, at) => shift(frame, sign * Math.round((whole * at) / (count - 1)))), at: [count - 1] }
  }
  const at = pick(chance, count)
  const boxes = frames.map(boxOf)
  const places = (box: Box): number[] => (axis === 'y' ? [box.top, box.bottom] : [box.left, box.right, box.middle])
  // The motion's own shift there is added.
  const own = Math.max(
    ...[at + 1, at + count - 1].flatMap((other) =>
      places(boxes[other % count]!).map((place, i) => Math.abs(place - places(boxes[at]!)[i]!)),
    ),
  )
  if (own > limit * 3) return undefined
  return { frames: replaced(frames, at, shift(frames[at]!, sign * Math.ceil(strength * limit + own))), at: [at] }
}

async function pump(clean: Drawn, strength: number, chance: () => number): Promise<Faulty | undefined> {
  const frames = roomy(clean.frames, 40)
  const count = frames.length
  const at = pick(chance, count)
  const boxes = frames.map(boxOf)
  const sizes = boxes.map((box) => [Math.log(box.right - box.left), Math.log(box.bottom - box.top)] as const)
  const own = Math.max(
    ...[at + 1, at + count - 1].flatMap((i) => [0, 1].map((side) => Math.abs(sizes[i % count]![side]! - sizes[at]![side]!))),
  )
  if (own > 0.1) return undefined
  const factor = Math.exp((chance() < 0.5 ? -1 : 1) * (strength * qualityLimits.scale + own))
  const frame = frames[at]!
  const [width, height] = [Math.round(frame.width * factor), Math.round(frame.height * factor)]
  const scaled = await resize(frame, width, height, 'lanczos')
  const target = createBitmap(frame.width, frame.height)
  const box = boxes[at]!
  const [dx, dy] = [Math.round(box.middle - box.middle * factor), Math.round(box.bottom - box.bottom * factor)]
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [toX, toY] = [x + dx, y + dy]
      if (toX < 0 || toY < 0 || toX >= frame.width || toY >= frame.height) continue
      target.data.set(scaled.data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4), (toY * frame.width + toX) * 4)
    }
  return { frames: replaced(frames, at, target), at: [at] }
}

/** Mean difference of two frames, premultiplied, over every pixel. */
function apart(a: Bitmap, b: Bitmap): number {
  let sum = 0
  for (let at = 0; at < a.data.length; at += 4) {
    const [alphaA, alphaB] = [a.data[at + 3]!, b.data[at + 3]!]
    if (alphaA + alphaB === 0) continue
    sum += Math.abs(alphaA - alphaB)
    for (let channel = 0; channel < 3; channel++) sum += Math.abs(a.data[at + channel]! * alphaA - b.data[at + channel]! * alphaB) / 255
  }
  return sum
}

/**
 * A part of the motion. The distance from its last frame to its first is a multiple of the limit, measured in
 * the motion's largest step.
 */
function cutShort({ frames }: Drawn, strength: number, chance: () => number): Faulty | undefined {
  const stretches: Bitmap[][] = []
  const known = new Map<Bitmap, Map<Bitmap, number>>(frames.map((frame) => [frame, new Map()]))
  const between = (a: Bitmap, b: Bitmap): number => {
    const found = known.get(a)!.get(b) ?? known.get(b)!.get(a) ?? apart(a, b)
    known.get(a)!.set(b, found)
    return found
  }
  for (let start = 0; start < frames.length; start++)
    for (let kept = frames.length - 1; kept >= Math.max(5, frames.length / 2); kept--) {
      const own = Array.from({ length: kept }, (_, at) => frames[(start + at) % frames.length]!)
      const steps = own.slice(1).map((frame, at) => between(own[at]!, frame))
      if (between(own[kept - 1]!, own[0]!) >= strength * qualityLimits.loopSeam * Math.max(...steps)) stretches.push(own)
    }
  const own = stretches[pick(chance, stretches.length)]
  return own && { frames: own, at: [0, own.length - 1] }
}

/** A copy of a frame. `paint` gets each pixel, and `at` is the index of its four bytes. */
function painted(frame: Bitmap, paint: (data: Uint8Array, at: number, x: number, y: number) => void): Bitmap {
  const data = frame.data.slice()
  for (let y = 0, at = 0; y < frame.height; y++) for (let x = 0; x < frame.width; x++, at += 4) paint(data, at, x, y)
  return createBitmap(frame.width, frame.height, data)
}

/** Shifts all colours by a multiple of the limit: of one frame, or increasingly over the second half. */
function tint({ frames }: Drawn, strength: number, chance: () => number): Faulty {
  const by = strength * qualityLimits.palette
  const way = [chance() - 0.5, chance() - 0.5, chance() - 0.5]
  const length = Math.hypot(...way)
  const count = frames.length
  const isSlow = chance() < 0.4
  const at = pick(chance, count)
  const first = count >> 1
  const change = (frame: Bitmap, share: number): Bitmap =>
    painted(frame, (data, at) => {
      for (let channel = 0; channel < 3 && data[at + 3]! > 0; channel++) {
        const own = data[at + channel]!
        const wanted = (share * by * way[channel]!) / length
        // Away from the ends of the scale, so that the step has its full size.
        data[at + channel] = own + wanted < 0 || own + wanted > 255 ? own - wanted : own + wanted
      }
    })
  if (isSlow)
    return {
      frames: frames.map((frame, i) => (i <= first ? frame : change(frame, 0.5 + (0.5 * (i - first)) / (count - 1 - first)))),
      at: [count - 1],
    }
  return { frames: replaced(frames, at, change(frames[at]!, 1)), at: [at] }
}

/**
 * Adds a rim of one or two pixels to a part of the outline, in white, light grey or screen green, or blends
 * soft edges with it.
 */
function ring({ frames }: Drawn, strength: number, chance: () => number): Faulty {
  const colour = [
    [255, 255, 255],
    [225, 225, 230],
    [0, 220, 30],
  ][pick(chance, 3)]!
  const width = 1 + pick(chance, 2)
  const isAll = chance() < 0.5
  const at = pick(chance, frames.length)
  const turn = chance() * 2 * Math.PI
  const draw = (frame: Bitmap): Bitmap => {
    const box = boxOf(frame)
    const [centreX, centreY] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
    const alphaAt = (x: number, y: number): number =>
      x < 0 || y < 0 || x >= frame.width || y >= frame.height ? 0 : frame.data[(y * frame.width + x) * 4 + 3]!
    const isNear = (x: number, y: number): boolean => {
      for (let dy = -width; dy <= width; dy++) for (let dx = -width; dx <= width; dx++) if (alphaAt(x + dx, y + dy) >= 128) return true
      return false
    }
    return painted(frame, (data, at, x, y) => {
      if (data[at + 3]! >= 128 || !isNear(x, y)) return
      const angle = (Math.atan2(y - centreY, x - centreX) + turn + 4 * Math.PI) % (2 * Math.PI)
      if (angle <= strength * 2 * Math.PI) data.set([...colour, Math.max(200, data[at + 3]!)], at)
    })
  }
  return isAll ? { frames: frames.map(draw), at: frames.map((_, i) => i) } : { frames: replaced(frames, at, draw(frames[at]!)), at: [at] }
}

/** Leaves background. 0: all of it; 1: a piece on one side; 2: a thin veil over a part. */
function leaveBackground({ frames }: Drawn, kind: number, chance: () => number): Faulty {
  const at = pick(chance, frames.length)
  const colour = [
    [255, 255, 255],
    [0, 200, 40],
    [90, 140, 220],
  ][pick(chance, 3)]!
  const frame = frames[at]!
  const isLeft = chance() < 0.5
  const reach = frame.width * (0.15 + 0.3 * chance())
  const low = 0.2 * chance() * frame.height
  const alpha = kind === 2 ? 24 + pick(chance, 50) : 255
  const isGround = (x: number, y: number): boolean =>
    kind === 0 || (kind === 1 ? (isLeft ? x < reach : x >= frame.width - reach) : y > low && y < low + frame.height * 0.5)
  const spoiled = painted(frame, (data, from, x, y) => {
    if (data[from + 3] === 0 && isGround(x, y)) data.set([...colour, alpha], from)
  })
  return { frames: replaced(frames, at, spoiled), at: [at] }
}

/** Repeats the previous frame; 2: with a trace of noise. */
function repeat({ frames }: Drawn, kind: number, chance: () => number): Faulty {
  const at = 1 + pick(chance, frames.length - 1)
  const noise = kind === 2 ? 3 : 0
  const spoiled = painted(frames[at - 1]!, (data, from) => {
    if (data[from + 3]! === 0 || noise === 0) return
    for (let channel = from; channel < from + 3; channel++) data[channel] = Math.min(255, data[channel]! + Math.floor(chance() * noise))
  })
  return { frames: replaced(frames, at, spoiled), at: [at] }
}

/** Empties a frame; 1: except for some specks. */
function wipe({ frames }: Drawn, kind: number, chance: () => number): Faulty {
  const at = pick(chance, frames.length)
  const clear = createBitmap(frames[at]!.width, frames[at]!.height)
  for (let i = 0; i < 12 * kind; i++) clear.data.set([200, 200, 200, 255], 4 * pick(chance, clear.width * clear.height))
  return { frames: replaced(frames, at, clear), at: [at] }
}

/**
 * Moves one frame, or all of them, over the edge of the canvas, so far that the contact with the edge is a
 * multiple of the limit.
 */
function cutOff({ frames }: Drawn, strength: number, chance: () => number): Faulty | undefined {
  const [first] = frames
  const limit = Math.max(qualityLimits.leastContactPx, qualityLimits.cutOff * Math.max(first!.width, first!.height))
  const side = pick(chance, 4)
  const at = pick(chance, frames.length)
  const box = boxOf(frames[at]!)
  const [dx, dy] = [
    [0, -1],
    [1, 0],
    [0, 1],
    [-1, 0],
  ][side] as [number, number]
  const room = [box.top, first!.width - box.right, first!.height - box.bottom, box.left][side]!
  for (let deep = 1; deep < 0.4 * (box.bottom - box.top); deep++) {
    const frame = moved(frames[at]!, dx * (room + deep), dy * (room + deep))
    const alphas = Array.from({ length: side % 2 === 0 ? frame.width : frame.height }, (_, i) => {
      const x = side === 1 ? frame.width - 1 : side === 3 ? 0 : i
      const y = side === 0 ? 0 : side === 2 ? frame.height - 1 : i
      return frame.data[(y * frame.width + x) * 4 + 3]!
    })
    const longest = alphas.reduce(
      ({ run, best }, alpha) => ({ run: alpha >= 128 ? run + 1 : 0, best: Math.max(best, alpha >= 128 ? run + 1 : 0) }),
      { run: 0, best: 0 },
    ).best
    if (longest >= strength * limit) return { frames: replaced(frames, at, frame), at: [at] }
  }
  return undefined
}
