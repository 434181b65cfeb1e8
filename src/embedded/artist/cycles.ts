import { type Motion, smooth, type Wave } from './pose.ts'

function trailing(reach: number, phase: number, count = 0.5): Wave {
  return { reach, phase, count, free: 'top' }
}

/** Steps: contact, down, passing, up. The head follows late. A figure without legs waddles. */
export const walk: Motion = ({ turn, legs, at }) =>
  legs > 1
    ? {
        gait: { phase: at, stride: 0.62, lift: 0.32, stance: 0.58 },
        bob: -0.02 * Math.cos(2 * turn - 0.35),
        lean: 0.025 + 0.01 * Math.sin(2 * turn),
        nod: 0.035 * Math.sin(2 * turn - 1.2),
        arm: 0.16 * Math.sin(turn),
        waves: [trailing(0.012, turn)],
      }
    : {
        tilt: 0.075 * Math.sin(turn),
        x: 0.02 * Math.sin(turn),
        scaleY: 1 - 0.03 * Math.cos(2 * turn),
        scaleX: 1 + 0.03 * Math.cos(2 * turn),
        curl: 0.04 * Math.sin(turn - 0.9),
        waves: [{ reach: 0.01, phase: turn, count: 0.6, free: 'bottom' }],
      }

/** Runs with long strides, leans forward, and leaves the ground twice a cycle. */
export const run: Motion = ({ turn, legs, at }) => ({
  ...(legs > 1 ? { gait: { phase: at, stride: 0.85, lift: 0.55, stance: 0.4 } } : { tilt: 0.05 * Math.sin(turn) }),
  y: 0.045 * Math.max(0, -Math.cos(2 * turn)),
  bob: -0.022 * Math.cos(2 * turn),
  lean: 0.1 + 0.015 * Math.sin(2 * turn),
  scaleY: 1 - 0.025 * Math.cos(2 * turn),
  scaleX: 1 + 0.02 * Math.cos(2 * turn),
  nod: 0.06 * Math.sin(2 * turn - 1),
  arm: 0.3 * Math.sin(turn),
  waves: [trailing(0.018, 2 * turn)],
})

/**
 * Breathes in slowly and out with a small pause. The weight shifts once a breath, so no two frames are equal.
 */
export const idle: Motion = ({ turn, legs }) => {
  const breath = Math.sin(turn - 0.25 * Math.sin(turn))
  return legs > 1
    ? {
        bob: 0.014 * breath,
        chest: 0.022 * breath,
        nod: 0.03 * Math.sin(turn - 0.9),
        arm: 0.05 * Math.sin(turn - 0.7),
        lean: 0.006 * Math.cos(turn),
        waves: [trailing(0.007, turn, 0.4)],
      }
    : { scaleY: 1 + 0.035 * breath, scaleX: 1 - 0.028 * breath, curl: 0.016 * Math.cos(turn), chest: 0.014 * Math.cos(turn) }
}

/** Hangs in the air, rises and sinks. The hem trails in waves. */
export const float: Motion = ({ turn, hasWings }) => ({
  planted: false,
  y: 0.03 + 0.045 * Math.sin(turn),
  scaleY: 1 + 0.022 * Math.cos(turn),
  scaleX: 1 - 0.018 * Math.cos(turn),
  tilt: 0.035 * Math.cos(turn),
  pivot: 0.5,
  flap: hasWings ? 0.25 * Math.sin(turn) : 0,
  waves: [
    { reach: 0.045, phase: turn, count: 0.9, free: 'bottom' },
    { reach: 0.012, phase: turn + 1, count: 0.5, free: 'top' },
  ],
})

/** Beats its wings: a quick, strong stroke down lifts the body, a softer one up lets it sink. */
export const fly: Motion = ({ turn, hasWings }) => {
  const beat = Math.cos(turn + 0.35 * Math.sin(turn))
  return {
    planted: false,
    y: 0.05 - 0.05 * Math.cos(turn - 0.9),
    flap: hasWings ? 0.12 + 0.62 * beat : 0,
    scaleY: 1 + 0.03 * Math.sin(turn),
    scaleX: hasWings ? 1 : 1 - 0.06 * beat,
    tilt: 0.025 * Math.sin(turn),
    pivot: 0.5,
    waves: [{ reach: 0.02, phase: turn, count: 0.5, free: 'bottom' }],
  }
}

/** Turns once about the vertical axis. */
export const spin: Motion = ({ turn, at }) => ({
  turn,
  y: 0.02 - 0.02 * Math.cos(2 * turn),
  light: 1 + 0.14 * Math.sin(turn + 0.5),
  accents: [{ kind: 'glints', at }],
  planted: false,
})

/** Bounds like a ball: flat on the ground, stretched in the air. */
export const bounce: Motion = ({ turn, at }) => {
  const air = Math.max(0, (at - 0.12) / 0.76)
  const flown = air < 1 ? 4 * air * (1 - air) : 0
  const ground = 1 - smooth(0, 0.2, Math.min(at, 1 - at))
  const speed = flown > 0 ? Math.abs(1 - 2 * air) * smooth(0, 0.15, flown) : 0
  return {
    y: 0.24 * flown,
    scaleY: 1 - 0.22 * ground + 0.12 * speed,
    scaleX: 1 + 0.18 * ground - 0.08 * speed,
    curl: 0.02 * Math.sin(turn),
    accents: at < 0.25 ? [{ kind: 'dust', at: at / 0.25 }] : [],
  }
}

/** Light swells and fades. Glints pass over the figure. */
export const glow: Motion = ({ turn, at }) => {
  const swell = 0.5 - 0.5 * Math.cos(turn)
  return {
    light: 1 + 0.16 * swell,
    flash: 0.03 * swell,
    scaleX: 1 + 0.018 * swell,
    scaleY: 1 + 0.018 * swell,
    lean: 0.006 * Math.sin(turn),
    accents: [
      { kind: 'aura', at: swell },
      { kind: 'glints', at },
    ],
  }
}

/** Trembles from side to side. The strength swells and ebbs twice. */
export const shake: Motion = ({ turn }) => {
  const strength = 0.55 - 0.45 * Math.cos(turn)
  return {
    x: 0.016 * strength * Math.sin(5 * turn),
    tilt: 0.05 * strength * Math.sin(5 * turn + 0.6),
    nod: 0.04 * strength * Math.sin(4 * turn),
  }
}

/** Moves left and right to a beat, with bending knees. */
export const dance: Motion = ({ turn, legs, at }) => ({
  ...(legs > 1 ? { gait: { phase: at, stride: 0.12, lift: 0.35, stance: 0.55 } } : {}),
  bob: -0.03 * Math.abs(Math.cos(turn)) + 0.015,
  lean: 0.07 * Math.sin(turn),
  curl: -0.05 * Math.sin(turn),
  nod: 0.09 * Math.sin(turn + 0.6),
  arm: 0.35 * Math.sin(turn),
  scaleX: 1 + 0.02 * Math.cos(2 * turn),
})
