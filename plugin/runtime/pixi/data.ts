import type { SpritesheetData } from 'pixi.js'
import { type AtlasData, type BorderRow, bordersOf, type FrameRow } from '../shared/data.ts'

/**
 * Converts one page of an atlas for PixiJS's `Spritesheet`. Animations are left out: those of a sheet would
 * have the frames of its own page alone.
 */
export function toSheetData(atlas: AtlasData, page: number): SpritesheetData {
  const frames = Object.entries(atlas.frames).filter(([, row]) => row[0] === page)
  const turned = new Set(atlas.turned)
  return {
    frames: Object.fromEntries(
      frames.map(([name, row]) => [name, toFrame(row, turned.has(name), unscaled(bordersOf(atlas, name), atlas.scale))]),
    ),
    meta: { scale: String(atlas.scale) },
  }
}

/** PixiJS divides sizes and places by the scale, but not borders. */
function unscaled(borders: BorderRow | undefined, scale: number): BorderRow | undefined {
  return borders && [borders[0] / scale, borders[1] / scale, borders[2] / scale, borders[3] / scale]
}

function toFrame(row: FrameRow, isTurned: boolean, borders: BorderRow | undefined): SpritesheetData['frames'][string] {
  const [, x, y, w, h, ox, oy, sw, sh, ax, ay] = row
  return {
    frame: { x, y, w, h },
    rotated: isTurned,
    trimmed: w !== sw || h !== sh,
    spriteSourceSize: { x: ox, y: oy, w, h },
    sourceSize: { w: sw, h: sh },
    ...(ax === undefined || ay === undefined ? {} : { anchor: { x: ax, y: ay } }),
    ...(borders ? { borders: { left: borders[0], top: borders[1], right: borders[2], bottom: borders[3] } } : {}),
  }
}
