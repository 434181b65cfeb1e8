import { seeded } from '../drawn.ts'
import {
  ball,
  balloon,
  beast,
  createLook,
  flier,
  ground,
  hue,
  jelly,
  type Look,
  octopus,
  type Pose,
  type Stance,
  stone,
  walker,
} from './figures.ts'
import { bend, changed, type Finish, grow, type Paint, type Point, repaint, type Scene, type Shape, sceneBox } from './shapes.ts'

/** An animation without a fault, before it is drawn. */
export interface Clean {
  readonly name: string
  readonly isLoop: boolean
  readonly finish: Finish
  readonly scenes: readonly Scene[]
}

const turn = 2 * Math.PI

/** The foot of a gait: it stands for `stand` of the cycle, sliding back, and swings forward in an arc. */
function step(phase: number, length: number, lift: number, stand: number): Point {
  const at = ((phase % 1) + 1) % 1
  if (at < stand) return [length * (0.5 - at / stand), 0]
  const swing = (at - stand) / (1 - stand)
  return [length * (swing - 0.5), lift * Math.sin(Math.PI * swing)]
}

function walkPose(phase: number, length: number): Pose {
  const swing = Math.cos(turn * phase) * 0.5
  return {
    feet: [step(phase + 0.5, length, 0.05, 0.6), step(phase, length, 0.05, 0.6)],
    arms: [swing, -swing],
    sink: 0.008 * (1 + Math.cos(2 * turn * phase)),
    lean: 0.06,
  }
}

function runPose(phase: number): Pose {
  const swing = Math.cos(turn * phase) * 0.8
  return {
    feet: [step(phase + 0.5, 0.3, 0.1, 0.4), step(phase, 0.3, 0.1, 0.4)],
    arms: [swing, -swing],
    elbows: [0.9, 0.9],
    sink: 0.02,
    up: 0.018 * Math.max(0, Math.cos(2 * turn * (phase - 0.2))),
    lean: 0.22,
  }
}

function trot(phase: number, length = 0.14): Stance {
  return {
    feet: [
      step(phase, length, 0.05, 0.6),
      step(phase + 0.5, length, 0.05, 0.6),
      step(phase + 0.5, length, 0.05, 0.6),
      step(phase, length, 0.05, 0.6),
    ],
    up: 0.006 * Math.cos(2 * turn * phase),
    wag: 0.4 + 0.25 * Math.sin(turn * phase),
    nod: 0.01 * Math.sin(2 * turn * phase),
  }
}

function gallop(phase: number): Stance {
  const foot = (shift: number): Point => step(phase + shift, 0.26, 0.08, 0.42)
  return {
    feet: [foot(0), foot(0.12), foot(0.5), foot(0.62)],
    up: 0.03 * Math.max(0, Math.sin(turn * phase)),
    pitch: 0.05 * Math.cos(turn * phase),
    wag: 0.3 + 0.4 * Math.cos(turn * phase),
    nod: 0.02 * Math.cos(turn * phase),
  }
}

const standing: readonly [Point, Point] = [
  [-0.05, 0],
  [0.045, 0],
]
const four: Stance['feet'] = [
  [-0.03, 0],
  [0.03, 0],
  [-0.03, 0],
  [0.03, 0],
]

function breathing(phase: number): Pose {
  return {
    feet: standing,
    sink: 0.008 * (1 - Math.cos(turn * phase)),
    arms: [0.15 + 0.04 * Math.sin(turn * phase), -0.12],
    nod: 0.03 * Math.sin(turn * phase),
  }
}

/** The value between keys, in even distances, with soft starts and ends. */
function between(keys: readonly number[], at: number): number {
  const place = Math.min(keys.length - 1, Math.max(0, at * (keys.length - 1)))
  const [from, share] = [Math.floor(place), place - Math.floor(place)]
  const soft = (1 - Math.cos(Math.PI * share)) / 2
  return keys[from]! + ((keys[from + 1] ?? keys[from]!) - keys[from]!) * soft
}

const blend = (paint: Paint, to: Paint, share: number): Paint =>
  changed(paint, (value, channel) => value + ((to[channel] as number) - value) * share)
const faded = (scene: Scene, alpha: number): Scene => repaint(scene, ([red, green, blue, own = 1]) => [red, green, blue, own * alpha])

/** How each animation is drawn: its frames, whether it loops, and its scene at a phase. */
type Draft = readonly [name: string, frames: number, isLoop: boolean, sceneAt: (phase: number, at: number, frames: number) => Scene]

/** 29 animations, by chance: figures, counts of frames and sizes of motions. */
export function drawClean(seed: number): readonly Clean[] {
  const chance = seeded(seed)
  const some = (from: number, to: number): number => from + Math.floor(chance() * (to - from + 1))
  const range = (from: number, to: number): number => from + (to - from) * chance()
  const drafts: ((look: Look) => Draft)[] = [
    (look) => {
      const length = range(0.16, 0.24)
      return ['walk', some(8, 12), true, (phase) => walker(look, walkPose(phase, length))]
    },
    (look) => ['run', some(6, 10), true, (phase) => walker(look, runPose(phase))],
    (look) => ['idle', some(7, 12), true, (phase) => walker(look, breathing(phase))],
    (look) => [
      'attack',
      some(7, 10),
      false,
      (phase) =>
        walker(look, {
          feet: [
            [-0.08, 0],
            [0.06 + between([0, 0, 0.06, 0.04, 0], phase), 0],
          ],
          lean: between([0, -0.2, 0.3, 0.2, 0], phase),
          arms: [0.3, between([0.3, 2.6, 1.2, 0.6, 0.3], phase)],
          sink: between([0, 0.01, 0.03, 0.02, 0], phase),
        }),
    ],
    (look) => [
      'climb',
      some(8, 10),
      true,
      (phase) => {
        const swing = Math.sin(turn * phase)
        return walker(look, {
          up: 0.05,
          feet: [
            [0.05, 0.05 + 0.05 * swing],
            [0.06, 0.05 - 0.05 * swing],
          ],
          arms: [2.3 - 0.4 * swing, 2.3 + 0.4 * swing],
          elbows: [0.4, 0.4],
          sink: 0.01 * Math.cos(2 * turn * phase),
        })
      },
    ],
    (look) => [
      'jump',
      some(8, 11),
      false,
      (phase) => {
        const up = between([0, 0, 0.13, 0.13, 0, 0, 0], phase)
        const sink = between([0, 0.07, 0, 0, 0.06, 0.02, 0], phase)
        return walker(look, {
          up: up * 0.9,
          sink,
          feet: [
            [-0.05, up * 0.3],
            [0.05, up * 0.15],
          ],
          arms: [-0.4 - up * 6, 0.4 + up * 6],
        })
      },
    ],
    (look) => [
      'crouch',
      some(7, 9),
      false,
      (phase) => walker(look, { feet: standing, sink: between([0, 0.05, 0.12, 0.13], phase), lean: between([0, 0.2, 0.4, 0.4], phase) }),
    ],
    (look) => [
      'wave',
      some(8, 12),
      true,
      (phase) => walker(look, { ...breathing(phase), arms: [0.15, 2.5 + 0.35 * Math.sin(2 * turn * phase)], elbows: [0.2, 0.3] }),
    ],
    (look) => {
      const count = some(10, 14)
      const reach = range(0.22, 0.27)
      return [
        'walk across the canvas',
        count,
        true,
        (_, at) => walker({ ...look, tool: 'none' }, { ...walkPose((2 * at) / count, 0.18), x: -reach + (2 * reach * at) / (count - 1) }),
      ]
    },
    (look) => {
      const high = range(0.1, 0.2)
      return [
        'bouncing jump',
        some(7, 9),
        true,
        (phase) => {
          const up = high * Math.abs(Math.sin(Math.PI * phase))
          return walker(look, {
            up,
            sink: 0.05 * Math.max(0, 1 - up / (high * 0.6)),
            feet: [
              [-0.05, up * 0.2],
              [0.05, up * 0.2],
            ],
            arms: [-0.3 - 2 * up, 0.3 + 2 * up],
          })
        },
      ]
    },
    (look) => ['spin', some(8, 12), true, (phase) => walker(look, { feet: standing, turn: Math.cos(turn * phase), arms: [-0.5, 0.5] })],
    () => {
      const clouds = Array.from({ length: some(9, 14) }, () => [range(0, turn), range(0.3, 1), range(0.6, 1.2), range(0, 0.5)] as const)
      return ['explosion', some(9, 12), false, (phase) => blast(clouds, phase)]
    },
    (look) => ['bat flap', some(6, 8), true, (phase) => flier(look, { flap: Math.cos(turn * phase), up: -0.025 * Math.cos(turn * phase) })],
    () => ['rainbow', some(8, 12), true, (phase) => stone(hue(360 * phase, 0.7, 0.9))],
    (look) => {
      const count = some(9, 12)
      return [
        'death that holds its last frame',
        count,
        false,
        (_, at) => {
          const phase = Math.min(1, at / (count - 3))
          const angle = between([0, -0.1, 0.9, 1.5], phase) * -1
          const whole = walker({ ...look, tool: 'none' }, { feet: standing, sink: between([0, 0.03, 0.03, 0], phase) })
          return bend(whole, ([x, y]) => {
            const [dx, dy] = [x - 0.5, y - ground]
            return [
              0.5 + 0.3 * phase + dx * Math.cos(angle) - dy * Math.sin(angle),
              ground - 0.06 * phase + dx * Math.sin(angle) + dy * Math.cos(angle),
            ]
          })
        },
      ]
    },
    (look) => {
      const by = range(0.02, 0.035)
      return ['shake', some(4, 5) * 2, true, (_, at) => walker(look, { feet: standing, x: (at % 2 === 0 ? 1 : -1) * by, arms: [0.5, 0.6] })]
    },
    (look) => {
      const by = range(0.025, 0.045)
      return [
        'lunge',
        some(7, 9),
        false,
        (phase, at, count) => {
          const out = at === Math.floor(count / 2) ? 1 : Math.abs(at - Math.floor(count / 2)) === 1 ? 0.25 : 0
          return walker(look, {
            x: by * out,
            feet: [
              [-0.06 - 0.02 * out, 0],
              [0.05 + 0.05 * out, 0],
            ],
            lean: 0.05 + 0.2 * out,
            arms: [0.3, 0.6 + 0.8 * out],
            sink: 0.02 * phase,
          })
        },
      ]
    },
    (look) => {
      const lit = [some(2, 3), some(5, 6)]
      return [
        'red blink',
        some(8, 10),
        true,
        (phase, at) => repaint(walker(look, breathing(phase)), (paint) => (lit.includes(at) ? blend(paint, [255, 30, 30], 0.65) : paint)),
      ]
    },
    (look) => ['float', some(8, 12), true, (phase) => balloon(look, 0.03 * Math.sin(turn * phase), 0.012 * Math.cos(turn * phase))],
    (look) => {
      const by = range(0.08, 0.16)
      return ['pulse', some(8, 10), true, (phase) => stone(look.gem, { size: 0.24 * (1 + by * Math.sin(turn * phase)) })]
    },
    (look) => ['animal, walk', some(8, 12), true, (phase) => beast(look, trot(phase))],
    (look) => ['animal, gallop', some(7, 10), true, (phase) => beast(look, gallop(phase))],
    (look) => [
      'jelly, hop',
      some(7, 10),
      true,
      (phase) =>
        jelly(look, {
          up: 0.12 * Math.max(0, Math.sin(turn * (phase - 0.25))),
          squash: 0.16 * Math.cos(turn * (phase - 0.05)) * (phase < 0.3 || phase > 0.75 ? 1 : -0.5),
        }),
    ],
    (look) => [
      'octopus, swim',
      some(8, 12),
      true,
      (phase) => octopus(look, 0.5 + 0.5 * Math.sin(turn * phase), 0.03 * Math.cos(turn * phase)),
    ],
    () => {
      const tongues = Array.from({ length: 5 }, (_, i) => [(i - 2) * 0.06, range(0.12, 0.3) - Math.abs(i - 2) * 0.03, range(0, 1)] as const)
      return ['flame', some(8, 12), true, (phase) => flame(tongues, phase)]
    },
    (look) => ['vanish', some(8, 12), false, (phase) => faded(walker(look, { feet: standing }), 1 - phase)],
    (look) => ['ball, roll', some(8, 12), true, (phase) => ball(look, turn * phase)],
    (look) => [
      'animal, tail',
      some(8, 12),
      true,
      (phase) => beast(look, { feet: four, wag: 0.5 + 0.4 * Math.sin(turn * phase), nod: 0.006 * Math.cos(turn * phase) }),
    ],
    (look) => [
      'cast a spell',
      some(9, 12),
      false,
      (phase) => {
        const glow = between([0, 0, 0.6, 1, 0.5, 0], phase)
        const at: Point = [0.72, ground - look.leg - look.trunk - 0.02]
        const orb: Shape[] =
          glow < 0.05
            ? []
            : [
                { kind: 'oval', at, radii: [0.1 * glow, 0.1 * glow], paint: blend(look.gem, [255, 255, 255], 0.3) },
                { kind: 'oval', at, radii: [0.05 * glow, 0.05 * glow], paint: [255, 255, 240] },
              ]
        return [
          ...walker(
            { ...look, tool: 'none' },
            {
              x: -0.08,
              feet: standing,
              arms: [between([0.2, 1.2, 1.6, 1.6, 1.2, 0.2], phase), between([0.2, 1.3, 1.7, 1.7, 1.2, 0.2], phase)],
            },
          ),
          ...orb,
        ]
      },
    ],
  ]
  return drafts.map((draft) => {
    const look = createLook(chance)
    const [name, frames, isLoop, sceneAt] = draft(look)
    const scenes = Array.from({ length: frames }, (_, at) => sceneAt(at / (isLoop ? frames : frames - 1), at, frames))
    return { name, isLoop, finish: look.finish, scenes: fitted(scenes) }
  })
}

/** Scenes that leave the canvas are made smaller: a clean animation is not cut off. */
function fitted(scenes: readonly Scene[]): readonly Scene[] {
  const boxes = scenes.filter((scene) => scene.length > 0).map(sceneBox)
  const out = (at: 0 | 1 | 2 | 3): number => Math.max(...boxes.map((box) => Math.abs(box[at] - (at % 2 === 0 ? 0.5 : ground))))
  const factor = Math.min(1, 0.46 / out(0), 0.46 / out(2), (ground - 0.04) / out(1))
  return factor === 1 ? scenes : scenes.map((scene) => grow(scene, factor, [0.5, ground]))
}

/** Clouds that fly apart from a flash, and become smoke that shrinks. */
function blast(clouds: readonly (readonly [angle: number, reach: number, size: number, smoke: number])[], phase: number): Scene {
  const out = 1 - (1 - phase) ** 2
  const flash: Shape[] =
    phase < 0.3 ? [{ kind: 'oval', at: [0.5, 0.5], radii: [0.12 + phase * 0.5, 0.12 + phase * 0.5], paint: [255, 250, 214] }] : []
  const shapes = clouds.map(([angle, reach, size, smoke]): Shape => {
    const at: Point = [0.5 + Math.cos(angle) * reach * 0.3 * out, 0.5 + Math.sin(angle) * reach * 0.3 * out]
    const radius = size * (phase < 0.4 ? 0.04 + 0.2 * phase : 0.12 * (1 - (phase - 0.4) / 0.62))
    const paint: Paint = phase < 0.35 ? [255, 196, 60] : phase < 0.6 + smoke * 0.2 ? [226, 96, 40] : [104, 96, 100]
    return { kind: 'oval', at, radii: [Math.max(0.004, radius), Math.max(0.004, radius)], paint }
  })
  return [...shapes, ...flash]
}

function flame(tongues: readonly (readonly [x: number, high: number, shift: number])[], phase: number): Scene {
  const layer = (size: number, paint: Paint): Shape[] =>
    tongues.map(([x, high, shift]) => {
      const top = ground - 0.14 - high * size * (0.8 + 0.25 * Math.sin(turn * (phase + shift)))
      const tip = 0.5 + x * 0.7 + 0.03 * Math.sin(turn * (phase + shift + 0.3))
      return {
        kind: 'area',
        paint,
        points: [
          [0.5 + x - 0.07 * size, ground - 0.05],
          [0.5 + x + 0.07 * size, ground - 0.05],
          [tip, top],
        ],
      }
    })
  const base = (size: number, paint: Paint): Shape => ({
    kind: 'oval',
    at: [0.5, ground - 0.08],
    radii: [0.17 * size, 0.085 * size],
    paint,
  })
  return [
    ...layer(1.3, [214, 72, 30]),
    base(1.3, [214, 72, 30]),
    ...layer(0.9, [246, 156, 44]),
    base(0.9, [246, 156, 44]),
    base(0.5, [255, 232, 130]),
  ]
}
