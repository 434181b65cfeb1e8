import type { AtlasAnimation } from '../atlas.ts'
import { abilities } from '../format-abilities.ts'
import type { PlacedFrame } from '../frames/placed-frame.ts'
import type { AsepriteSlice, AsepriteTag } from '../source/aseprite/file.ts'
import { writeAseprite } from '../source/aseprite/write.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { cutWhole } from './shared/frames.ts'
import { scaleSuffix } from './shared/pages.ts'
import { toWholeMs, withStills } from './shared/played.ts'
import { toSafePaths } from './shared/safe-names.ts'

/** Longest time of a frame that fits its field, in milliseconds. */
const longestMs = 65_535

/**
 * Native Aseprite files, one for each sprite: its frames untrimmed, in playing order, with a tag and the times of
 * each animation and each picture. A slice has the anchor as its pivot, in whole pixels, and the borders of a
 * nine-slice. A sprite whose animations differ in size has a file for each of them.
 *
 * Files: `hero.aseprite`, or `ui/sword.aseprite` …; at scales other than 1 with `@0.5x` before the extension.
 */
export const asepriteFile: EngineFormat = { name: 'aseprite-file', ...abilities['aseprite-file'], write: writeFiles }

function writeFiles(atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  const all = atlases.flatMap(toDrawings)
  const paths = toSafePaths([...new Set(all.map(({ name }) => name))])
  return all.map(({ name, encoded, animations }) => ({
    file: `${paths.get(name)}${scaleSuffix(encoded.atlas.scale)}.aseprite`,
    bytes: toFile(encoded, animations),
  }))
}

/** A file, without its ending. */
interface Drawing {
  readonly name: string
  readonly encoded: EncodedAtlas
  readonly animations: readonly AtlasAnimation[]
}

function toDrawings(encoded: EncodedAtlas): readonly Drawing[] {
  const sizes = new Map(encoded.atlas.frames.map(({ name, sourceWidth, sourceHeight }) => [name, `${sourceWidth} ${sourceHeight}`]))
  const all = withStills(encoded.atlas)
  return [...new Set(all.map(({ sprite }) => sprite))].flatMap((sprite) => {
    const animations = all.filter((animation) => animation.sprite === sprite)
    const isOne = new Set(animations.map(({ frames }) => sizes.get(frames[0]!.name))).size === 1
    if (isOne) return [{ name: sprite, encoded, animations }]
    return animations.map((animation) => ({ name: animation.name, encoded, animations: [animation] }))
  })
}

function toFile(encoded: EncodedAtlas, animations: readonly AtlasAnimation[]): Uint8Array {
  const byName = new Map(encoded.atlas.frames.map((frame) => [frame.name, frame] as const))
  const [first] = animations
  const canvas = byName.get(first!.frames[0]!.name)!
  const tags: AsepriteTag[] = []
  const frames = animations.flatMap(({ name, sprite, loop, yoyo, ...animation }) => {
    const from = (tags.at(-1)?.to ?? -1) + 1
    // A ping-pong counts each way.
    const repeat = loop ? 0 : yoyo ? 2 : 1
    const direction = yoyo ? 'pingpong' : 'forward'
    tags.push({ name: name.slice(sprite.length + 1) || name, from, to: from + animation.frames.length - 1, direction, repeat })
    const times = toWholeMs(animation.frames.map(({ durationMs }) => durationMs))
    return animation.frames.map((frame, at) => ({
      bitmap: cutWhole(encoded, byName.get(frame.name)!),
      durationMs: Math.min(times[at]!, longestMs),
    }))
  })
  return writeAseprite({ width: canvas.sourceWidth, height: canvas.sourceHeight, frames, tags, slices: toSlices(first!.sprite, canvas) })
}

function toSlices(name: string, { sourceWidth: width, sourceHeight: height, anchor, borders }: PlacedFrame): readonly AsepriteSlice[] {
  if (!anchor && !borders) return []
  const pivot = anchor && { x: Math.round(anchor.x * width), y: Math.round(anchor.y * height) }
  const center = borders && {
    x: borders.left,
    y: borders.top,
    width: Math.max(0, width - borders.left - borders.right),
    height: Math.max(0, height - borders.top - borders.bottom),
  }
  return [{ name, keys: [{ frame: 0, x: 0, y: 0, width, height, ...(pivot ? { pivot } : {}), ...(center ? { center } : {}) }] }]
}
