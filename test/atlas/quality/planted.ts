import { type Bitmap, createBitmap } from '../../../atlas/index.ts'
import type { QualityFault } from '../../../atlas/quality/report.ts'
import { seeded } from '../drawn.ts'
import { type Clean, drawClean } from './clean.ts'
import { ground, hue } from './figures.ts'
import { changed, draw, grow, move, repaint, type Scene, type Style, sceneBox } from './shapes.ts'

/** An animation with a fault. */
export interface Planted {
  readonly name: string
  readonly fault: QualityFault
  readonly isLoop: boolean
  readonly frames: readonly Bitmap[]
  /** Frames with the fault; a flag must name one of them. */
  readonly at: readonly number[]
}

export function drawFrames({ scenes, finish }: Clean, style: Style): readonly Bitmap[] {
  return scenes.map((scene) => draw(scene, style, finish))
}

/** The same animation with other scenes in the frames of `at`. */
function withScenes(clean: Clean, at: readonly number[], change: (scene: Scene, index: number) => Scene): Clean {
  return { ...clean, scenes: clean.scenes.map((scene, index) => (at.includes(index) ? change(scene, index) : scene)) }
}

/** 28 animations with one fault each. Animations and frames are chosen by chance of a seed. */
export function drawPlanted(seed: number, style: Style): readonly Planted[] {
  const chance = seeded(seed * 7919 + 1)
  const all = drawClean(seed)
  const named = (name: string): Clean => all.find((one) => one.name === name)!
  const range = (from: number, to: number): number => from + (to - from) * chance()
  const sign = (): number => (chance() < 0.5 ? -1 : 1)
  /** One frame that has two neighbours. */
  const one = ({ scenes }: Clean): number => 1 + Math.floor(chance() * (scenes.length - 2))
  const every = ({ scenes }: Clean): number[] => scenes.map((_, at) => at)
  /** A length in whole pixels of the style, so that hard pixels slip as pixels do. */
  const whole = (length: number): number =>
    style.isHard ? (Math.sign(length) * Math.max(1, Math.round(Math.abs(length) * style.px))) / style.px : length
  const planted: Planted[] = []
  const put = (
    fault: QualityFault,
    name: string,
    clean: Clean,
    at: readonly number[],
    change?: (frames: readonly Bitmap[]) => readonly Bitmap[],
  ): void => {
    const frames = drawFrames(clean, style)
    planted.push({ name: `${fault} in ${name}`, fault, isLoop: clean.isLoop, frames: change ? change(frames) : frames, at })
  }

  for (const name of ['walk', 'animal, tail', 'climb']) {
    const at = one(named(name))
    const by = whole(sign() * range(0.04, 0.07))
    put(
      'foot-line',
      name,
      withScenes(named(name), [at], (scene) => move(scene, 0, by)),
      [at],
    )
  }
  for (const name of ['run', 'animal, walk', 'idle']) {
    const at = one(named(name))
    const by = whole(sign() * range(0.045, 0.075))
    put(
      'body-anchor',
      name,
      withScenes(named(name), [at], (scene) => move(scene, by, 0)),
      [at],
    )
  }
  for (const [fault, name] of [
    ['foot-line', 'idle'],
    ['body-anchor', 'wave'],
  ] as const) {
    const clean = named(name)
    const last = clean.scenes.length - 1
    const by = sign() * range(0.05, 0.08)
    const share = (index: number): number => whole((by * index) / last)
    put(
      fault,
      `${name}, as a creep`,
      withScenes(clean, every(clean).slice(1), (scene, index) =>
        fault === 'foot-line' ? move(scene, 0, share(index)) : move(scene, share(index), 0),
      ),
      [last],
    )
  }
  for (const name of ['idle', 'walk', 'animal, tail']) {
    const at = one(named(name))
    const factor = sign() > 0 ? range(1.09, 1.14) : range(0.86, 0.91)
    put(
      'scale',
      name,
      withScenes(named(name), [at], (scene) => grow(scene, factor, [0.5, ground])),
      [at],
    )
  }
  for (const name of ['walk', 'octopus, swim', 'animal, walk']) {
    const clean = named(name)
    // At a half, a gait would be closed again, with the other foot in front.
    const kept = Math.ceil(clean.scenes.length * 0.75)
    put('loop-seam', name, { ...clean, scenes: clean.scenes.slice(0, kept) }, [0, kept - 1])
  }
  const hueOf = (): number => range(0, 360)
  for (const name of ['walk', 'animal, gallop', 'bat flap']) {
    const at = one(named(name))
    const way = hue(hueOf(), 1, 1)
    const by = range(14, 30)
    put(
      'palette',
      name,
      withScenes(named(name), [at], (scene) =>
        repaint(scene, (paint) => changed(paint, (value, channel) => value + (((way[channel] as number) - 128) / 128) * by)),
      ),
      [at],
    )
  }
  {
    const clean = named('idle')
    const count = clean.scenes.length
    const first = count >> 1
    const by = range(0.1, 0.16)
    put(
      'palette',
      'idle, as a drift',
      withScenes(clean, every(clean).slice(first), (scene, index) =>
        repaint(scene, (paint) => changed(paint, (value) => value * (1 - (by * (index - first + 1)) / (count - first)))),
      ),
      [count - 1],
    )
  }
  for (const [name, colour, share] of [
    ['run', [255, 255, 255], 1],
    ['animal, walk', [0, 214, 40], 0.7],
    ['octopus, swim', [236, 20, 214], 0.8],
  ] as const) {
    const clean = named(name)
    const isOne = chance() < 0.4
    const at = isOne ? [one(clean)] : every(clean)
    put('halo', name, clean, at, (frames) =>
      frames.map((frame, index) => (at.includes(index) ? ringed(frame, colour, share, style) : frame)),
    )
  }
  for (const [name, share] of [
    ['wave', 1],
    ['ball, roll', 0.35],
  ] as const) {
    const at = one(named(name))
    put('background', name, named(name), [at], (frames) =>
      frames.map((frame, index) => (index === at ? grounded(frame, share, [94, 150, 90]) : frame)),
    )
  }
  for (const name of ['walk', 'animal, gallop']) {
    const at = one(named(name))
    const clean = named(name)
    put(
      'duplicate',
      name,
      withScenes(clean, [at], () => clean.scenes[at - 1]!),
      [at],
    )
  }
  {
    const at = one(named('wave'))
    put(
      'blank',
      'wave',
      withScenes(named('wave'), [at], () => []),
      [at],
    )
  }
  for (const [name, side] of [
    ['idle', 1],
    ['animal, walk', 2],
  ] as const) {
    const clean = named(name)
    const deep = range(0.06, 0.1)
    const edge = sceneBox(clean.scenes[0]!)[side]
    const [x, y] = side === 1 ? [0, -edge - deep] : [1 - edge + deep, 0]
    put(
      'cut-off',
      name,
      withScenes(clean, every(clean), (scene) => move(scene, whole(x), whole(y))),
      every(clean),
    )
  }
  return planted
}

/** Leaves a rim of the background around a part of the outline: one pixel, or soft edges of two. */
function ringed(frame: Bitmap, colour: readonly [number, number, number], share: number, { isHard }: Style): Bitmap {
  const { width, height, data } = frame
  const result = data.slice()
  const solid = (x: number, y: number): boolean => x >= 0 && y >= 0 && x < width && y < height && data[(y * width + x) * 4 + 3]! >= 128
  const reach = isHard ? 1 : 2
  const near = (x: number, y: number): number => {
    let nearest = 9
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++) if (solid(x + dx, y + dy)) nearest = Math.min(nearest, Math.max(Math.abs(dx), Math.abs(dy)))
    return nearest
  }
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (solid(x, y) || near(x, y) > reach) continue
      const angle = (Math.atan2(y - height / 2, x - width / 2) / (2 * Math.PI) + 1) % 1
      if (angle > share) continue
      const alpha = isHard ? 255 : near(x, y) === 1 ? 235 : 110
      result.set([...colour, Math.max(alpha, data[(y * width + x) * 4 + 3]!)], (y * width + x) * 4)
    }
  return createBitmap(width, height, result)
}

/** Leaves the background in a part of the canvas, from the left. */
function grounded(frame: Bitmap, share: number, colour: readonly [number, number, number]): Bitmap {
  const data = frame.data.slice()
  for (let y = 0; y < frame.height; y++)
    for (let x = 0; x < frame.width * share; x++) {
      const at = (y * frame.width + x) * 4
      if (data[at + 3]! < 128) data.set([...colour, 255], at)
    }
  return createBitmap(frame.width, frame.height, data)
}
