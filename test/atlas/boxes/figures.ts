import type { Bitmap } from '../../../atlas/index.ts'

// Animations whose boxes are known by construction. Nothing here is code of the product: shapes are circles, ellipses,
// thick lines and chains, painted by their distance from a pixel.

/** Left, top, width and height, in pixels of the frame. */
export type Known = readonly [x: number, y: number, width: number, height: number]

/** An animation with its boxes. */
export interface KnownAnimation {
  readonly name: string
  readonly frames: readonly Bitmap[]
  /** One for each frame. */
  readonly body: readonly Known[]
  readonly feet: readonly Known[]
  readonly hurt: readonly Known[]
  /** Only frames in which a weapon sticks out. */
  readonly hit: readonly (Known | undefined)[]
}

interface Point {
  readonly x: number
  readonly y: number
}

/** A thick line with round ends; from a point to itself it is a disc. `squash` flattens it. */
interface Part {
  readonly from: Point
  readonly to: Point
  readonly radius: number
  readonly kind: 'trunk' | 'limb' | 'thin' | 'glow'
}

/** Poses of one figure: its parts in a frame, and the line below its feet. */
interface Pose {
  readonly parts: readonly Part[]
  readonly middle: number
  readonly ground: number
  readonly weapon?: Part | undefined
}

type Chance = () => number

/** Numbers from 0 to 1 by a seed (mulberry32). */
function seeded(seed: number): Chance {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const kinds = ['walk', 'attack', 'jump', 'idle', 'beast', 'blob'] as const

/** Draws the animation of a seed. */
export function drawKnown(seed: number): KnownAnimation {
  const chance = seeded(seed * 9973 + 17)
  const range = (from: number, to: number): number => from + (to - from) * chance()
  const kind = kinds[seed % kinds.length]!
  const side = Math.round(range(72, 224))
  const size = { width: Math.round(side * range(1, 1.5)), height: side }
  const figure = kind === 'beast' ? beast(size, chance) : kind === 'blob' ? blob(size, chance) : person(kind, size, chance)
  const frames = figure.poses.map(({ parts }) => paint(parts, size, chance))
  const inside = (box: Known): Known => clip(box, size)
  return {
    name: `${kind} ${seed}`,
    frames,
    body: figure.poses.map(({ middle, ground }) =>
      inside([middle - figure.width / 2, ground - figure.height, figure.width, figure.height]),
    ),
    feet: figure.poses.map((pose) => inside(feetOf(pose, figure.height))),
    hurt: figure.poses.map(({ parts }) => inside(around(parts.filter((part) => part.kind === 'trunk' || part.kind === 'limb')))),
    hit: figure.poses.map((pose) => {
      const free = pose.weapon && freePart(pose, pose.weapon, figure)
      return free && inside(around([free]))
    }),
  }
}

interface Figure {
  readonly poses: readonly Pose[]
  /** Of the body. */
  readonly width: number
  readonly height: number
}

/** A person with legs, arms, a weapon, hair or a scarf, and perhaps the glow of a blow. */
function person(kind: 'walk' | 'attack' | 'jump' | 'idle', { width, height }: Size, chance: Chance): Figure {
  const range = (from: number, to: number): number => from + (to - from) * chance()
  const tall = height * range(0.55, 0.75)
  const head = tall * range(0.12, 0.2)
  const trunk = tall * range(0.1, 0.16)
  const leg = tall * range(0.28, 0.38)
  const limb = trunk * range(0.34, 0.5)
  const arm = trunk * range(0.3, 0.42)
  const count = 6 + Math.floor(chance() * 6)
  const ground = height - range(2, height * 0.08)
  const stride = range(0.25, 0.6)
  const facing = chance() < 0.5 ? -1 : 1
  const blade = tall * range(0.3, 0.6)
  const edge = Math.max(1, trunk * range(0.06, 0.14))
  const hasWeapon = kind === 'attack' || chance() < 0.5
  const hair = Math.floor(chance() * 3)
  const drift = kind === 'walk' ? range(0, width * 0.15) : 0
  const start = width / 2 - (facing * drift) / 2
  const poses = Array.from({ length: count }, (_, at): Pose => {
    const turn = (at / count) * 2 * Math.PI
    const lift = kind === 'jump' ? Math.sin((at / (count - 1)) * Math.PI) * (ground - tall - 2) * 0.9 : 0
    const lean = kind === 'attack' ? Math.sin(turn) * trunk * 0.4 : 0
    const middle = start + (facing * drift * at) / count + lean
    const floor = ground - Math.max(0, lift)
    const bob = kind === 'jump' ? 0 : Math.abs(Math.sin(turn)) * tall * 0.02
    const hip = { x: middle, y: floor - leg - bob }
    const neck = { x: middle, y: floor - tall + 2 * head + bob }
    const swing = kind === 'walk' ? Math.sin(turn) * stride : kind === 'attack' ? 0.25 : 0.08
    const length = leg + bob - limb
    const foot = (by: number): Point => ({ x: hip.x + Math.sin(by) * length, y: hip.y + Math.cos(by) * length })
    // The lower foot stands on the floor.
    const down = floor - limb - Math.max(foot(swing).y, foot(-swing).y)
    const stand = (by: number): Point => ({ x: foot(by).x, y: foot(by).y + down })
    const shoulder = { x: middle, y: neck.y + trunk * 0.8 }
    const reach = tall * 0.24
    const raised = kind === 'attack' ? -2.4 + 2.8 * Math.min(1, (2 * at) / count) : kind === 'walk' ? 1.2 - 0.5 * Math.sin(turn) : 1.1
    const hand = { x: shoulder.x + facing * Math.cos(raised) * reach, y: shoulder.y + Math.sin(raised) * reach }
    const other = { x: shoulder.x - facing * reach * 0.45, y: shoulder.y + reach * 0.8 }
    const tip = { x: hand.x + facing * Math.cos(raised - 0.3) * blade, y: hand.y + Math.sin(raised - 0.3) * blade }
    const weapon: Part | undefined = hasWeapon ? { from: hand, to: tip, radius: edge, kind: 'thin' } : undefined
    const line = (from: Point, to: Point, radius: number, part: Part['kind']): Part => ({ from, to, radius, kind: part })
    return {
      middle,
      ground: floor,
      weapon: kind === 'attack' ? weapon : undefined,
      parts: [
        ...wisps(hair, { x: middle, y: neck.y - head }, -facing, head, turn),
        line(hip, stand(swing), limb, 'limb'),
        line(hip, stand(-swing), limb, 'limb'),
        line(shoulder, other, arm, 'limb'),
        line({ x: middle, y: neck.y + trunk }, { x: middle, y: hip.y }, trunk, 'trunk'),
        line({ x: middle, y: neck.y - head }, { x: middle, y: neck.y - head }, head, 'trunk'),
        line(shoulder, hand, arm, 'limb'),
        ...(weapon ? [weapon] : []),
        ...(weapon && kind === 'attack' && at % 3 === 1 ? [{ ...weapon, radius: edge * 4, kind: 'glow' as const }] : []),
      ],
    }
  })
  return { poses, width: 2 * Math.max(head, trunk), height: tall }
}

/** Hair or a scarf: a thin chain behind the head that waves. */
function wisps(count: number, root: Point, way: number, head: number, turn: number): Part[] {
  return Array.from({ length: count }, (_, at): Part => {
    const wave = Math.sin(turn + at) * 0.4
    const to = { x: root.x + way * head * (1.6 + 0.3 * at), y: root.y + head * (wave + 0.5 * at - 0.4) }
    return { from: root, to, radius: Math.max(1, head * 0.1), kind: 'thin' }
  })
}

/** An animal on four legs, with a tail and a head at the front. */
function beast({ width, height }: Size, chance: Chance): Figure {
  const range = (from: number, to: number): number => from + (to - from) * chance()
  const long = width * range(0.3, 0.45)
  const thick = long * range(0.2, 0.28)
  const leg = thick * range(1, 1.6)
  const limb = thick * range(0.3, 0.42)
  const head = thick * range(0.62, 0.8)
  const facing = chance() < 0.5 ? -1 : 1
  const ground = height - range(2, height * 0.1)
  const count = 6 + Math.floor(chance() * 5)
  const half = long / 2 - thick
  const poses = Array.from({ length: count }, (_, at): Pose => {
    const turn = (at / count) * 2 * Math.PI
    const middle = width / 2 + Math.sin(turn) * 2
    const spine = ground - leg - thick * 0.6
    const legs = [-1, -0.6, 0.6, 1].map((place, index): Part => {
      const from = { x: middle + place * half, y: spine }
      const by = Math.sin(turn + index * 1.6) * thick * 0.35
      return { from, to: { x: from.x + by, y: ground - limb }, radius: limb, kind: 'limb' }
    })
    const skull = { x: middle + facing * (long / 2 + head * 0.2), y: spine - thick * 0.7 }
    const rump = { x: middle - facing * half, y: spine - thick * 0.4 }
    const tail = { x: rump.x - facing * thick * 2.2, y: rump.y - thick * (0.6 + 0.5 * Math.sin(turn)) }
    const parts: Part[] = [
      { from: rump, to: tail, radius: Math.max(1, thick * 0.12), kind: 'thin' },
      ...legs,
      { from: { x: middle - half, y: spine }, to: { x: middle + half, y: spine }, radius: thick, kind: 'trunk' },
      { from: skull, to: skull, radius: head, kind: 'trunk' },
    ]
    const [x, , wide] = around(parts.filter((part) => part.kind === 'trunk'))
    return { middle: x + wide / 2, ground, parts }
  })
  const [, top, wide] = around(poses[0]!.parts.filter((part) => part.kind === 'trunk'))
  return { poses, width: wide, height: ground - top }
}

/** A round thing that hops, with two feelers. */
function blob({ width, height }: Size, chance: Chance): Figure {
  const range = (from: number, to: number): number => from + (to - from) * chance()
  const radius = Math.min(width, height) * range(0.16, 0.26)
  const wide = radius * range(0, 0.9)
  const ground = height - range(2, height * 0.08)
  const count = 6 + Math.floor(chance() * 5)
  const hop = (ground - 2 * radius) * range(0, 0.5)
  const poses = Array.from({ length: count }, (_, at): Pose => {
    const turn = (at / count) * 2 * Math.PI
    const floor = ground - Math.max(0, Math.sin(turn)) * hop
    const middle = width / 2
    const y = floor - radius
    const feelers = [-1, 1].map((way): Part => {
      const root = { x: middle + way * radius * 0.4, y: y - radius * 0.7 }
      return {
        from: root,
        to: { x: root.x + way * radius * 0.4, y: root.y - radius * 0.8 },
        radius: Math.max(1, radius * 0.07),
        kind: 'thin',
      }
    })
    return {
      middle,
      ground: floor,
      parts: [...feelers, { from: { x: middle - wide, y }, to: { x: middle + wide, y }, radius, kind: 'trunk' }],
    }
  })
  return { poses, width: 2 * (radius + wide), height: 2 * radius }
}

/** The part of a weapon that is outside of the figure's boxes. Returns `undefined` if it is short. */
function freePart({ parts, middle, ground }: Pose, weapon: Part, { width, height }: Figure): Part | undefined {
  const [left, top, wide, high] = around(parts.filter(({ kind }) => kind === 'trunk' || kind === 'limb'))
  const isFree = ({ x, y }: Point): boolean =>
    x < Math.min(left, middle - width / 2) ||
    x > Math.max(left + wide, middle + width / 2) ||
    y < Math.min(top, ground - height) ||
    y > top + high
  const { from, to } = weapon
  const points = Array.from({ length: 101 }, (_, at) => ({
    x: from.x + ((to.x - from.x) * at) / 100,
    y: from.y + ((to.y - from.y) * at) / 100,
  }))
  const free = points.filter(isFree)
  const [first, last] = [free[0], free.at(-1)]
  return first && last && free.length >= 40 ? { ...weapon, from: first, to: last } : undefined
}

interface Size {
  readonly width: number
  readonly height: number
}

/** The box around parts. */
function around(parts: readonly Part[]): Known {
  const edge = (value: (part: Part) => readonly number[], pick: (...values: number[]) => number): number => pick(...parts.flatMap(value))
  const left = edge(({ from, to, radius }) => [from.x - radius, to.x - radius], Math.min)
  const right = edge(({ from, to, radius }) => [from.x + radius, to.x + radius], Math.max)
  const top = edge(({ from, to, radius }) => [from.y - radius, to.y - radius], Math.min)
  const bottom = edge(({ from, to, radius }) => [from.y + radius, to.y + radius], Math.max)
  return [left, top, right - left, bottom - top]
}

/** The part of the figure in the lowest eighth of its height, without thin parts. */
function feetOf({ parts, ground }: Pose, height: number): Known {
  const strip = height / 8
  let [left, right] = [Infinity, -Infinity]
  for (const { from, to, radius } of parts.filter(({ kind }) => kind === 'limb' || kind === 'trunk'))
    for (let share = 0; share <= 1; share += 0.05) {
      const [x, y] = [from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share]
      const down = Math.max(0, ground - strip - y)
      if (down >= radius) continue
      const half = Math.sqrt(radius ** 2 - down ** 2)
      left = Math.min(left, x - half)
      right = Math.max(right, x + half)
    }
  return [left, ground - strip, right - left, strip]
}

function clip([x, y, width, height]: Known, size: Size): Known {
  const [left, top] = [Math.max(0, x), Math.max(0, y)]
  return [left, top, Math.min(size.width, x + width) - left, Math.min(size.height, y + height) - top]
}

function paint(parts: readonly Part[], { width, height }: Size, chance: Chance): Bitmap {
  const data = new Uint8Array(width * height * 4)
  for (const { from, to, radius, kind } of parts) {
    const colour = [chance() * 255, chance() * 255, chance() * 255]
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const length = dx * dx + dy * dy
    const [left, top, wide, high] = around([{ from, to, radius: radius + 1, kind }])
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, top + high); y++)
      for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, left + wide); x++) {
        const [px, py] = [x + 0.5 - from.x, y + 0.5 - from.y]
        const along = length === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / length))
        const cover = Math.min(1, Math.max(0, radius - Math.hypot(px - along * dx, py - along * dy) + 0.5))
        const alpha = Math.round(cover * (kind === 'glow' ? 90 : 255))
        const index = (y * width + x) * 4
        if (alpha === 0 || data[index + 3]! > alpha) continue
        data.set([...colour, alpha], index)
      }
  }
  return { width, height, data }
}

/** Intersection over union of two boxes. */
export function overlap(a: Known, b: Known): number {
  const shared = (from: number, long: number, other: number, otherLong: number): number =>
    Math.max(0, Math.min(from + long, other + otherLong) - Math.max(from, other))
  const both = shared(a[0], a[2], b[0], b[2]) * shared(a[1], a[3], b[1], b[3])
  return both / (a[2] * a[3] + b[2] * b[3] - both)
}
