import { type Accent, type Motion, span, track } from './pose.ts'

function during(kind: Accent['kind'], at: number, from: number, to: number): Accent[] {
  const life = span(at, from, to)
  return life === undefined ? [] : [{ kind, at: life }]
}

/** Crouches, leaps, hangs in the air, lands, settles. */
export const jump: Motion = ({ at }) => {
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
}

/** Winds up, strikes with a trail, holds, comes back. */
export const attack: Motion = ({ at, hasWings }) => ({
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
})

/** Gathers strength, raises its hand, sends out light. */
export const cast: Motion = ({ at }) => {
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
}
