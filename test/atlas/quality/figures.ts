import { changed, type Finish, type Paint, type Point, type Scene, type Shape } from './shapes.ts'

/** The ground's y. */
export const ground = 0.88

/** Random traits of the figures of a set. */
export interface Look {
  readonly finish: Finish
  readonly skin: Paint
  readonly coat: Paint
  readonly trousers: Paint
  readonly trim: Paint
  readonly fur: Paint
  readonly gem: Paint
  /** Radius of a walker's head. */
  readonly head: number
  /** Length of its legs and of its trunk. */
  readonly leg: number
  readonly trunk: number
  readonly girth: number
  readonly hat: 'straw' | 'pointed' | 'helmet' | 'none'
  readonly tool: 'fork' | 'staff' | 'none'
  /** A robe hides the legs down to the ankles. */
  readonly isRobed: boolean
  /** Length of an animal's body, its legs and its tail. */
  readonly back: number
  readonly paw: number
  readonly tail: number
  readonly wing: number
}

export function hue(degrees: number, strength: number, light: number): Paint {
  const channel = (shift: number): number => {
    const at = (((degrees + shift) % 360) + 360) % 360
    const wave = Math.min(1, Math.max(0, Math.abs((at % 360) / 60 - 3) - 1))
    return 255 * light * (1 - strength + strength * wave)
  }
  return [channel(0), channel(240), channel(120)]
}

/** Traits by chance. */
export function createLook(chance: () => number): Look {
  const pick = <T>(...all: readonly T[]): T => all[Math.floor(chance() * all.length)]!
  const between = (from: number, to: number): number => from + (to - from) * chance()
  const colour = (): Paint => hue(between(0, 360), between(0.35, 0.85), between(0.45, 0.95))
  return {
    finish: pick('outlined', 'lit', 'flat'),
    skin: hue(between(15, 40), between(0.25, 0.55), between(0.6, 0.95)),
    coat: colour(),
    trousers: colour(),
    trim: colour(),
    fur: hue(between(10, 60), between(0.2, 0.7), between(0.4, 0.9)),
    gem: colour(),
    head: between(0.075, 0.125),
    leg: between(0.19, 0.27),
    trunk: between(0.17, 0.23),
    girth: between(0.065, 0.1),
    hat: pick('straw', 'pointed', 'helmet', 'none'),
    tool: pick('fork', 'staff', 'none'),
    isRobed: chance() < 0.25,
    back: between(0.24, 0.34),
    paw: between(0.14, 0.22),
    tail: between(0.12, 0.24),
    wing: between(0.2, 0.3),
  }
}

/** A pose of a walker. Angles are in radians; 0 hangs down, positive swings to the right. */
export interface Pose {
  readonly x?: number
  /** Height above the ground. */
  readonly up?: number
  /** How far the hips sink. */
  readonly sink?: number
  readonly lean?: number
  /** The feet, from the point below the hips: to the right, and up. */
  readonly feet?: readonly [Point, Point]
  readonly arms?: Point
  /** Bend of the elbows. */
  readonly elbows?: Point
  /** Width as it turns about its upright axis, −1 to 1. */
  readonly turn?: number
  readonly nod?: number
}

/** A figure on two legs, seen from its right side. */
export function walker(look: Look, pose: Pose): Scene {
  const {
    x = 0,
    up = 0,
    sink = 0,
    lean = 0,
    feet = [
      [-0.04, 0],
      [0.04, 0],
    ] as const,
    arms = [0.15, -0.15],
    nod = 0,
  } = pose
  const { elbows = [0.2, 0.2], turn = 1 } = pose
  const { skin, coat, trousers, trim, head: radius, leg, trunk, girth, hat, tool, isRobed } = look
  const dark = (paint: Paint): Paint => changed(paint, (value) => value * 0.75)
  const hip: Point = [0, ground - up - leg * 0.97 + sink]
  const neck: Point = [Math.sin(lean) * trunk, hip[1] - Math.cos(lean) * trunk]
  const face: Point = [neck[0] + Math.sin(lean + nod) * radius * 1.05, neck[1] - Math.cos(lean + nod) * radius * 1.05]
  const legOf = ([right, lift]: Point, paint: Paint): Shape[] => {
    const foot: Point = [right, ground - up - lift - 0.02]
    const knee = jointOf(hip, foot, leg * 0.52)
    return [
      { kind: 'limb', from: hip, to: knee, radius: 0.034, paint },
      { kind: 'limb', from: knee, to: foot, radius: 0.029, paint },
      { kind: 'limb', from: foot, to: [foot[0] + 0.035, foot[1]], radius: 0.02, paint: dark(trim) },
    ]
  }
  const shoulder: Point = [neck[0] * 0.9, hip[1] + (neck[1] - hip[1]) * 0.88]
  const handOf = (angle: number, elbow: number): readonly [Point, Point] => {
    const mid: Point = [shoulder[0] + Math.sin(angle) * trunk * 0.5, shoulder[1] + Math.cos(angle) * trunk * 0.5]
    return [mid, [mid[0] + Math.sin(angle + elbow) * trunk * 0.5, mid[1] + Math.cos(angle + elbow) * trunk * 0.5]]
  }
  const armOf = (angle: number, elbow: number, paint: Paint): Shape[] => {
    const [mid, hand] = handOf(angle, elbow)
    return [
      { kind: 'limb', from: shoulder, to: mid, radius: 0.028, paint },
      { kind: 'limb', from: mid, to: hand, radius: 0.025, paint },
      { kind: 'oval', at: hand, radii: [0.03, 0.03], paint: skin },
    ]
  }
  const [, hand] = handOf(arms[1], elbows[1])
  const along = arms[1] + elbows[1] + Math.PI / 2
  const reach = (share: number): Point => [hand[0] + Math.sin(along) * share, hand[1] + Math.cos(along) * share]
  const shapes: Shape[] = [
    ...armOf(arms[0], elbows[0], dark(coat)),
    ...legOf(feet[0], dark(trousers)),
    ...legOf(feet[1], trousers),
    { kind: 'limb', from: hip, to: [neck[0], neck[1] + girth * 0.6], radius: girth, paint: coat },
  ]
  if (isRobed) {
    const hem = hip[1] + leg * 0.72
    const [one, other] = [Math.min(feet[0][0], feet[1][0]), Math.max(feet[0][0], feet[1][0])]
    shapes.push({
      kind: 'area',
      paint: coat,
      points: [
        [-girth, hip[1] - 0.03],
        [girth, hip[1] - 0.03],
        [Math.max(girth, other * 0.7) + 0.03, hem],
        [Math.min(-girth, one * 0.7) - 0.03, hem],
      ],
    })
  } else shapes.push({ kind: 'limb', from: [-girth * 0.8, hip[1] - 0.01], to: [girth * 0.8, hip[1] - 0.01], radius: 0.018, paint: trim })
  shapes.push({ kind: 'oval', at: face, radii: [radius * 0.92, radius], paint: skin })
  const tilt = (right: number, above: number): Point => {
    const angle = lean + nod
    return [
      face[0] + Math.cos(angle) * right * radius + Math.sin(angle) * above * radius,
      face[1] + Math.sin(angle) * right * radius - Math.cos(angle) * above * radius,
    ]
  }
  shapes.push({ kind: 'oval', at: tilt(0.5, 0.1), radii: [0.016, 0.022], paint: [30, 26, 40] })
  if (hat === 'straw') {
    shapes.push({ kind: 'limb', from: tilt(-1.2, 0.55), to: tilt(1.2, 0.55), radius: 0.02, paint: [222, 186, 92] })
    shapes.push({ kind: 'limb', from: tilt(-0.5, 0.85), to: tilt(0.5, 0.85), radius: 0.045, paint: [206, 168, 78] })
  } else if (hat === 'pointed') shapes.push({ kind: 'area', points: [tilt(-1.1, 0.4), tilt(1.1, 0.4), tilt(-0.2, 2.1)], paint: trim })
  else if (hat === 'helmet') shapes.push({ kind: 'limb', from: tilt(-0.55, 0.5), to: tilt(0.35, 0.6), radius: radius * 0.55, paint: trim })
  shapes.push(...armOf(arms[1], elbows[1], coat))
  if (tool !== 'none') shapes.push({ kind: 'limb', from: reach(-0.08), to: reach(0.26), radius: 0.014, paint: [128, 92, 60] })
  if (tool === 'fork') shapes.push({ kind: 'oval', at: reach(0.27), radii: [0.035, 0.035], paint: [176, 182, 196] })
  return turned(shapes, turn, 0.5 + x)
}

function turned(shapes: readonly Shape[], turn: number, x: number): Scene {
  const thin = Math.abs(turn)
  const to = ([atX, atY]: Point): Point => [x + atX * turn, atY]
  return shapes.map((shape): Shape => {
    if (shape.kind === 'limb') return { ...shape, from: to(shape.from), to: to(shape.to), radius: shape.radius * (0.5 + 0.5 * thin) }
    if (shape.kind === 'area') return { ...shape, points: shape.points.map(to) }
    return { ...shape, at: to(shape.at), radii: [shape.radii[0] * Math.max(0.3, thin), shape.radii[1]] }
  })
}

/** Where a limb of two equal bones bends, to the right. */
function jointOf(from: Point, to: Point, bone: number): Point {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
  const length = Math.hypot(dx, dy)
  const out = Math.sqrt(Math.max(0, bone * bone - (length * length) / 4))
  return [(from[0] + to[0]) / 2 + (dy / (length || 1)) * out, (from[1] + to[1]) / 2 - (dx / (length || 1)) * out]
}

/** A pose of an animal on four legs. */
export interface Stance {
  readonly x?: number
  readonly up?: number
  /** How far the front end is higher than the rear. */
  readonly pitch?: number
  /** The four feet, from the points below their hips: to the right, and up. */
  readonly feet: readonly [Point, Point, Point, Point]
  readonly wag?: number
  readonly nod?: number
}

export function beast({ fur, trim, back, paw, tail }: Look, { x = 0, up = 0, pitch = 0, feet, wag = 0, nod = 0 }: Stance): Scene {
  const y = ground - paw - 0.05
  const rear: Point = [0.47 + x - back / 2, y - up + pitch / 2]
  const front: Point = [0.47 + x + back / 2, y - up - pitch / 2]
  const dark = changed(fur, (value) => value * 0.72)
  const legs = feet.map(([right, lift], i): Shape[] => {
    const hip = i < 2 ? rear : front
    const foot: Point = [hip[0] + right, ground - lift - 0.02]
    const knee = jointOf(hip, foot, (paw + 0.07) * 0.5)
    const paint = i % 2 === 0 ? dark : fur
    return [
      { kind: 'limb', from: hip, to: knee, radius: 0.034, paint },
      { kind: 'limb', from: knee, to: foot, radius: 0.024, paint },
    ]
  })
  const head: Point = [front[0] + 0.08, front[1] - 0.1 + nod]
  return [
    ...legs[0]!,
    ...legs[2]!,
    { kind: 'limb', from: rear, to: [rear[0] - Math.cos(wag) * tail, rear[1] - 0.03 - Math.sin(wag) * tail], radius: 0.026, paint: fur },
    { kind: 'limb', from: rear, to: front, radius: 0.075, paint: fur },
    { kind: 'limb', from: front, to: head, radius: 0.055, paint: fur },
    ...legs[1]!,
    ...legs[3]!,
    { kind: 'limb', from: [rear[0] + 0.05, rear[1] - 0.02], to: [front[0] - 0.05, front[1] - 0.02], radius: 0.035, paint: trim },
    { kind: 'oval', at: head, radii: [0.078, 0.07], paint: fur },
    { kind: 'limb', from: [head[0] + 0.06, head[1] + 0.02], to: [head[0] + 0.1, head[1] + 0.025], radius: 0.03, paint: dark },
    {
      kind: 'area',
      points: [
        [head[0] - 0.06, head[1] - 0.03],
        [head[0], head[1] - 0.05],
        [head[0] - 0.05, head[1] - 0.14],
      ],
      paint: dark,
    },
    { kind: 'oval', at: [head[0] + 0.025, head[1] - 0.015], radii: [0.015, 0.018], paint: [24, 22, 34] },
  ]
}

/** A ball of jelly. `squash` makes it lower and wider. */
export function jelly({ coat, trim, girth }: Look, { up = 0, squash = 0 }: { readonly up?: number; readonly squash?: number }): Scene {
  const [rx, ry] = [girth * 2.6 * (1 + squash), girth * 2.3 * (1 - squash)]
  const y = ground - up - ry
  const eye = (at: number): Shape => ({
    kind: 'oval',
    at: [0.5 + at * rx, y - ry * 0.1],
    radii: [0.024, 0.034 * (1 - squash)],
    paint: [24, 22, 34],
  })
  return [
    { kind: 'oval', at: [0.5, y], radii: [rx, ry], paint: coat },
    { kind: 'oval', at: [0.5, y + ry * 0.45], radii: [rx * 0.6, ry * 0.35], paint: trim },
    eye(-0.25),
    eye(0.4),
  ]
}

/** A bat or a moth. `flap`: −1 for wings down, 1 for wings up. */
export function flier({ fur, trim, wing, girth }: Look, { flap, up = 0 }: { readonly flap: number; readonly up?: number }): Scene {
  const y = 0.5 - up
  const side = (way: 1 | -1): Shape => ({
    kind: 'area',
    paint: trim,
    points: [
      [0.5 + way * 0.03, y - 0.04],
      [0.5 + way * wing * 0.6, y - 0.06 - flap * wing * 0.55],
      [0.5 + way * (wing + 0.06), y - flap * wing * 0.75],
      [0.5 + way * wing * 0.75, y + 0.06 - flap * wing * 0.25],
      [0.5 + way * 0.04, y + 0.07],
    ],
  })
  const ear = (way: 1 | -1): Shape => ({
    kind: 'area',
    paint: fur,
    points: [
      [0.5 + way * 0.02, y - 0.1],
      [0.5 + way * 0.07, y - 0.09],
      [0.5 + way * 0.065, y - 0.19],
    ],
  })
  const eye = (way: 1 | -1): Shape => ({ kind: 'oval', at: [0.5 + way * 0.028, y - 0.075], radii: [0.014, 0.018], paint: [250, 236, 120] })
  return [
    side(-1),
    side(1),
    ear(-1),
    ear(1),
    { kind: 'oval', at: [0.5, y + 0.01], radii: [girth * 0.85, girth * 1.2], paint: fur },
    { kind: 'oval', at: [0.5, y - 0.07], radii: [0.075, 0.068], paint: fur },
    eye(-1),
    eye(1),
  ]
}

/** A cut stone with facets. */
export function stone(paint: Paint, { size = 0.24, up = 0 }: { readonly size?: number; readonly up?: number } = {}): Scene {
  const at = (x: number, y: number): Point => [0.5 + x * size, 0.5 - up + y * size]
  const tone = (factor: number): Paint => changed(paint, (value) => value * factor)
  return [
    { kind: 'area', points: [at(-0.6, -0.8), at(0.6, -0.8), at(1, -0.2), at(0, 1.1), at(-1, -0.2)], paint },
    { kind: 'area', points: [at(-1, -0.2), at(-0.35, -0.2), at(0, 1.1)], paint: tone(0.8) },
    { kind: 'area', points: [at(0.35, -0.2), at(1, -0.2), at(0, 1.1)], paint: tone(0.62) },
    {
      kind: 'area',
      points: [at(-0.35, -0.2), at(0.35, -0.2), at(0.6, -0.8), at(-0.6, -0.8)],
      paint: changed(paint, (value) => value + (255 - value) * 0.3),
    },
  ]
}

/** A balloon with a basket. */
export function balloon({ coat, trim, girth }: Look, up: number, sway: number): Scene {
  const y = 0.4 - up
  const basket: Point = [0.5 + sway, y + 0.34]
  return [
    { kind: 'limb', from: [0.42, y + 0.12], to: basket, radius: 0.012, paint: [120, 90, 66] },
    { kind: 'limb', from: [0.58, y + 0.12], to: basket, radius: 0.012, paint: [120, 90, 66] },
    { kind: 'oval', at: [0.5, y], radii: [girth * 2.4, girth * 2.6], paint: coat },
    { kind: 'oval', at: [0.5, y], radii: [girth * 0.9, girth * 2.6], paint: trim },
    { kind: 'limb', from: [basket[0] - 0.04, basket[1]], to: [basket[0] + 0.04, basket[1]], radius: 0.045, paint: [150, 108, 70] },
  ]
}

/** An octopus. `reach` stretches its arms. */
export function octopus({ coat, trim, girth }: Look, reach: number, up: number): Scene {
  const y = 0.38 - up
  const arms = [-2, -1, 0, 1, 2].flatMap((i): Shape[] => {
    const from: Point = [0.5 + i * girth * 0.55, y + 0.1]
    const knee: Point = [0.5 + i * (0.05 + 0.05 * (1 - reach)), y + 0.14 + 0.1 * reach]
    const tip: Point = [0.5 + i * (0.05 + 0.04 * (1 - reach)), y + 0.2 + 0.22 * reach]
    return [
      { kind: 'limb', from, to: knee, radius: 0.033, paint: i % 2 === 0 ? coat : changed(coat, (value) => value * 0.8) },
      { kind: 'limb', from: knee, to: tip, radius: 0.024, paint: i % 2 === 0 ? coat : changed(coat, (value) => value * 0.8) },
    ]
  })
  const eye = (way: 1 | -1): Shape => ({ kind: 'oval', at: [0.5 + way * 0.05, y + 0.03], radii: [0.02, 0.027], paint: [24, 22, 34] })
  return [
    ...arms,
    { kind: 'oval', at: [0.5, y], radii: [girth * 1.9 * (1.06 - 0.12 * reach), girth * 1.9 * (0.94 + 0.12 * reach)], paint: coat },
    { kind: 'oval', at: [0.47, y - girth], radii: [0.05, 0.03], paint: trim },
    eye(-1),
    eye(1),
  ]
}

/** A ball with a stripe and a dot, turned by an angle. */
export function ball({ coat, trim, skin, girth }: Look, angle: number): Scene {
  const radius = girth * 2.4
  const at = (x: number, y: number): Point => [
    0.5 + (x * Math.cos(angle) - y * Math.sin(angle)) * radius,
    ground - radius + (x * Math.sin(angle) + y * Math.cos(angle)) * radius,
  ]
  return [
    { kind: 'oval', at: at(0, 0), radii: [radius, radius], paint: coat },
    { kind: 'limb', from: at(-0.75, 0), to: at(0.75, 0), radius: radius * 0.18, paint: trim },
    { kind: 'oval', at: at(0, -0.6), radii: [radius * 0.2, radius * 0.2], paint: skin },
  ]
}
