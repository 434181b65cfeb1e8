import { type Accent, type Build, type Motion, type Pose, REST, smooth, span, track } from './pose.ts'

function act(cyclic: boolean, pose: (at: number, build: Build) => Partial<Pose>): Motion {
  return { cyclic, pose: (at, build) => ({ ...REST, ...pose(at, build) }) }
}

function during(kind: Accent['kind'], at: number, from: number, to: number): Accent[] {
  const life = span(at, from, to)
  return life === undefined ? [] : [{ kind, at: life }]
}

/** Crouches, leaps, hangs in the air, lands, settles. */
export const jump: Motion = act(true, (at) => {
  const air = span(at, 0.26, 0.76)
  const flown = air === undefined ? 0 : 4 * air * (1 - air)
  return {
    y: 0.3 * flown,
    scaleY: track(at, [0, 1], [0.17, 0.78], [0.3, 1.15], [0.5, 1], [0.72, 1.1], [0.82, 0.8], [0.92, 1.04], [1, 1]),
    scaleX: track(at, [0, 1], [0.17, 1.16], [0.3, 0.9], [0.5, 1.02], [0.72, 0.93], [0.82, 1.15], [0.92, 0.98], [1, 1]),
    tuck: 0.06 * flown,
    lean: track(at, [0, 0], [0.17, -0.02], [0.3, 0.04], [0.7, -0.03], [0.85, 0.01], [1, 0]),
    arm: track(at, [0, 0], [0.17, 0.25], [0.4, -0.35], [0.8, 0.2], [1, 0]),
    nod: track(at, [0, 0], [0.2, 0.07], [0.4, -0.06], [0.82, 0.08], [1, 0]),
    accents: [...during('dust', at, 0.27, 0.48), ...during('dust', at, 0.76, 0.98)],
  }
})

/** Winds up, strikes with a trail, holds, comes back. */
export const attack: Motion = act(true, (at, { hasWings }) => ({
  x: track(at, [0, 0], [0.3, -0.05], [0.44, 0.13], [0.62, 0.14], [1, 0]),
  lean: track(at, [0, 0], [0.3, -0.09], [0.44, 0.13], [0.62, 0.1], [0.86, -0.01], [1, 0]),
  curl: track(at, [0, 0], [0.3, -0.03], [0.46, 0.05], [0.7, 0.01], [1, 0]),
  arm: track(at, [0, 0], [0.28, -0.6], [0.34, -0.65], [0.46, 0.95], [0.62, 1.05], [0.9, -0.06], [1, 0]),
  nod: track(at, [0, 0], [0.3, -0.1], [0.46, 0.12], [0.65, 0.06], [1, 0]),
  scaleX: track(at, [0, 1], [0.28, 0.96], [0.42, 1.08], [0.6, 1], [1, 1]),
  scaleY: track(at, [0, 1], [0.28, 1.03], [0.44, 0.92], [0.62, 0.97], [0.85, 1.01], [1, 1]),
  flap: hasWings ? track(at, [0, 0], [0.3, -0.5], [0.44, 0.55], [0.7, 0.2], [1, 0]) : 0,
  brace: track(at, [0, 0], [0.3, -0.03], [0.44, 0.14], [0.62, 0.14], [1, 0]),
  accents: during('slash', at, 0.35, 0.72),
}))

/** Is knocked back, flashes white, sways upright again. */
export const hurt: Motion = act(true, (at) => {
  const fade = 1 - smooth(0.1, 0.95, at)
  const blow = track(at, [0, 0], [0.14, 1], [0.4, 0.55], [1, 0])
  return {
    x: -0.1 * blow,
    lean: -0.1 * blow + 0.03 * fade * Math.sin(at * 22),
    nod: -0.2 * blow + 0.06 * fade * Math.sin(at * 22 + 1),
    scaleX: 1 + 0.06 * blow,
    scaleY: 1 - 0.07 * blow,
    arm: -0.3 * blow,
    brace: -0.04 * blow,
    flash: 0.75 * track(at, [0, 0], [0.1, 1], [0.2, 0.25], [0.3, 0.8], [0.45, 0], [1, 0]),
    accents: during('impact', at, 0.06, 0.36),
  }
})

/** Staggers, falls on its back, bounces once, lies still. */
export const die: Motion = act(false, (at) => ({
  tilt: -1.5 * track(at, [0, 0], [0.2, -0.05], [0.55, 1], [0.66, 0.93], [0.76, 1], [1, 1]),
  x: track(at, [0, 0], [0.2, -0.03], [0.6, 0.42], [1, 0.45]),
  y: track(at, [0, 0], [0.2, 0], [0.36, 0.07], [0.55, 0], [0.65, 0.03], [0.76, 0], [1, 0]),
  scaleY: track(at, [0, 1], [0.12, 0.94], [0.3, 1.03], [0.56, 0.94], [0.75, 1], [1, 1]),
  nod: track(at, [0, 0], [0.15, 0.12], [0.55, -0.2], [0.7, 0.04], [1, 0]),
  arm: track(at, [0, 0], [0.5, -0.4], [0.8, 0.2], [1, 0.15]),
  light: track(at, [0, 1], [0.5, 1], [1, 0.82]),
  flash: track(at, [0, 0.6], [0.15, 0], [1, 0]),
  accents: during('dust', at, 0.52, 0.86),
}))

/** Gathers strength, raises its hand, sends out light. */
export const cast: Motion = act(true, (at) => {
  const power = track(at, [0, 0], [0.4, 0.7], [0.52, 1], [0.7, 0.8], [1, 0])
  return {
    bob: track(at, [0, 0], [0.3, -0.03], [0.52, 0.03], [0.7, 0.025], [1, 0]),
    scaleY: track(at, [0, 1], [0.3, 0.95], [0.5, 1.06], [0.72, 1.03], [1, 1]),
    lean: track(at, [0, 0], [0.3, -0.05], [0.5, 0.06], [0.72, 0.05], [1, 0]),
    arm: track(at, [0, 0], [0.3, 0.2], [0.5, -0.5], [0.72, -0.45], [1, 0]),
    nod: track(at, [0, 0], [0.3, 0.08], [0.5, -0.1], [1, 0]),
    light: 1 + 0.12 * power,
    flash: 0.08 * power,
    accents: [{ kind: 'aura', at: power }, ...during('glints', at, 0.2, 0.95)],
  }
})

/** Ducks, holds, comes up. */
export const crouch: Motion = act(true, (at) => ({
  scaleY: track(at, [0, 1], [0.12, 1.02], [0.38, 0.74], [0.68, 0.76], [0.88, 1.03], [1, 1]),
  scaleX: track(at, [0, 1], [0.12, 0.99], [0.38, 1.13], [0.68, 1.12], [0.88, 0.98], [1, 1]),
  nod: track(at, [0, 0], [0.38, 0.1], [0.68, 0.08], [1, 0]),
  lean: 0.015 * Math.sin(at * Math.PI * 2),
}))
