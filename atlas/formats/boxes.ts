import { abilities } from '../format-abilities.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { toJsonFile, toTable } from './shared/hash-frame.ts'
import { scaleSuffix } from './shared/pages.ts'

/**
 * Boxes, anchors and outlines of all frames, without pictures, for engines whose own formats have none.
 *
 * Files: `boxes.json`; at scales other than 1 `boxes@0.5x.json`. A box is `[x, y, width, height]`, in pixels of the
 * untrimmed frame from its top left. Frames without boxes are listed too.
 */
export const boxes: EngineFormat = { name: 'boxes', ...abilities.boxes, write: writeBoxes }

function writeBoxes(atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  const scales = [...new Set(atlases.map(({ atlas }) => atlas.scale))]
  return scales.map((scale) => {
    const frames = atlases.flatMap(({ atlas }) => (atlas.scale === scale ? atlas.frames : []))
    const rows = frames.map(({ name, sourceWidth: width, sourceHeight: height, anchor, hull, boxes: own = {} }) => {
      return [name, { width, height, anchor, hull: hull?.map(({ x, y }) => [x, y]), boxes: own }] as const
    })
    return toJsonFile(`boxes${scaleSuffix(scale)}.json`, { scale, frames: toTable(rows) })
  })
}
