import { AsepriteBudget, type AsepriteLimits } from './budget.ts'
import { Painter } from './draw.ts'
import type { AsepriteFile, AsepriteInfo } from './file.ts'
import { parseAseprite } from './parse.ts'

/**
 * Reads a native Aseprite file (`.aseprite`, `.ase`) strictly, and draws its frames to straight-alpha RGBA8,
 * pixel for pixel as Aseprite's editor shows them.
 *
 * It reads RGBA, grey and indexed sprites; layers, groups (blended as a whole too, if the file says so), all blend modes, linked cels, z-indices and tilemaps.
 * Hidden layers and reference layers are not drawn, nor are their pixels unpacked. User data are skipped.
 *
 * @param range First and last frame to draw, from 0.
 * @default all frames
 * @throws {AtlasError} `SW_ASEPRITE`, with the stable name of the broken rule in `facts.rule`: a file that is damaged,
 * above the limits, or cannot be drawn exactly: pixels that are not square, another colour profile than sRGB, or tiles
 * in another file.
 * @see Aseprite File Format (.ase/.aseprite) Specifications.
 */
export function readAseprite(
  bytes: Uint8Array,
  limits: AsepriteLimits = {},
  range: { readonly from: number; readonly to: number } = { from: 0, to: Number.POSITIVE_INFINITY },
): AsepriteFile {
  const budget = new AsepriteBudget(bytes.length, limits)
  const sprite = parseAseprite(bytes, budget)
  const painter = new Painter(sprite, budget)
  const shown = sprite.moments.slice(range.from, range.to + 1)
  const frames = shown.map((moment) => ({ bitmap: painter.draw(moment), durationMs: moment.durationMs }))
  const { header, tags, slices } = sprite
  return { width: header.width, height: header.height, frames, tags, slices }
}

/**
 * Reads times, tags and slices of a native Aseprite file. Unpacks and draws no pixels.
 *
 * @throws As {@link readAseprite}, except for faults of pixels.
 */
export function asepriteInfo(bytes: Uint8Array, limits: AsepriteLimits = {}): AsepriteInfo {
  const { header, moments, tags, slices } = parseAseprite(bytes, new AsepriteBudget(bytes.length, limits))
  return { width: header.width, height: header.height, durations: moments.map(({ durationMs }) => durationMs), tags, slices }
}
