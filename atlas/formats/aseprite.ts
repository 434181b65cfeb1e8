import type { AtlasAnimation } from '../atlas.ts'
import { abilities } from '../format-abilities.ts'
import type { PlacedFrame } from '../frames/placed-frame.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { onPage, toHashFrame, toJsonFile, toPageMeta } from './shared/hash-frame.ts'
import { scaleSuffix } from './shared/pages.ts'
import { firstDurations, toWholeMs } from './shared/played.ts'

/**
 * Aseprite's JSON (array), one file per page: `load.aseprite` and `createFromAseprite` in Phaser,
 * `loadAseprite` in KAPLAY, the Aseprite plugin of Excalibur.
 *
 * `frames` is a timeline: the frames of each animation, one after the other, with a tag. A frame that is
 * played twice is in the timeline twice. Phaser finds frames by index, so `filename` is `"0"`, `"1"` …, and `name` is
 * the frame's own name. Durations are whole milliseconds. Anchor and borders are a slice (pivot, center) with
 * the name of the animation. KAPLAY and Excalibur read only the rectangle: set `trim: false` for them. KAPLAY
 * ignores durations.
 *
 * Files: `NAME-0.json` …, at scales other than 1 `NAME-0@0.5x.json`.
 *
 * @see Aseprite `--data --format json-array --list-tags --list-slices`.
 */
export const aseprite: EngineFormat = { name: 'aseprite', ...abilities.aseprite, write: writeAseprite }

function writeAseprite(atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  return atlases.flatMap((encoded) =>
    encoded.pages.map((_, page) => {
      const { name, scale } = encoded.atlas
      return toJsonFile(`${name}-${page}${scaleSuffix(scale)}.json`, toAsepriteSheet(encoded, page))
    }),
  )
}

/** A frame in the timeline. */
interface Cel {
  readonly frame: PlacedFrame
  readonly durationMs: number
}

/** The JSON of one page. */
export function toAsepriteSheet(encoded: EncodedAtlas, page: number): object {
  const { frames, animations } = onPage(encoded, page)
  const byName = new Map(frames.map((frame) => [frame.name, frame] as const))
  const cels: Cel[] = []
  const tags = animations.map((animation) => {
    const from = cels.length
    const durations = toWholeMs(animation.frames.map((frame) => frame.durationMs))
    cels.push(...animation.frames.map(({ name }, at) => ({ frame: byName.get(name)!, durationMs: durations[at]! })))
    return { animation, from, to: cels.length - 1 }
  })
  // Frames that no animation plays come last, outside of all tags.
  const played = new Set(cels.map(({ frame }) => frame.name))
  const durations = firstDurations(animations)
  const rest = frames.filter(({ name }) => !played.has(name))
  cels.push(...rest.map((frame) => ({ frame, durationMs: durations.get(frame.name) ?? 100 })))
  return {
    frames: cels.map(({ frame, durationMs }, index) => toCel(frame, durationMs, index)),
    meta: {
      ...toPageMeta(encoded.pages[page]!, encoded.atlas.scale),
      app: 'spritewright (aseprite)',
      frameTags: tags.filter(({ from, to }) => to >= from).map(({ animation, from, to }) => toTag(animation, from, to)),
      layers: [{ name: 'sprites', opacity: 255, blendMode: 'normal' }],
      slices: tags.flatMap(({ animation, from, to }) => toSlices(animation.name, from, cels.slice(from, to + 1))),
    },
  }
}

function toCel(frame: PlacedFrame, durationMs: number, index: number): object {
  const { anchor, ...cel } = toHashFrame(frame, durationMs)
  // Phaser reads `pivot`.
  return { filename: String(index), name: frame.name, ...cel, ...(anchor === undefined ? {} : { pivot: anchor }) }
}

/** `repeat` counts directions, so one pass forwards and backwards counts as two. */
function toTag({ name, loop, yoyo }: AtlasAnimation, from: number, to: number): object {
  const times = loop ? {} : { repeat: yoyo ? '2' : '1' }
  return { name, from, to, direction: yoyo ? 'pingpong' : 'forward', color: '#000000ff', ...times }
}

/**
 * A slice with one key at the start of its animation: all frames of an animation have the same size, anchor
 * and borders.
 */
function toSlices(name: string, from: number, cels: readonly Cel[]): readonly object[] {
  const [first] = cels
  if (first === undefined || (first.frame.anchor === undefined && first.frame.borders === undefined)) return []
  const { anchor, borders, sourceWidth: w, sourceHeight: h } = first.frame
  const pivot = anchor && { x: Math.round(anchor.x * w), y: Math.round(anchor.y * h) }
  const center = borders && { x: borders.left, y: borders.top, w: w - borders.left - borders.right, h: h - borders.top - borders.bottom }
  const key = { frame: from, bounds: { x: 0, y: 0, w, h }, ...(center ? { center } : {}), ...(pivot ? { pivot } : {}) }
  return [{ name, color: '#0000ffff', keys: [key] }]
}
