import { type Bitmap, pixelsOf } from './bitmap.ts'
import { countPixels, findPalette } from './encode/reduce.ts'
import { reduceCells } from './pixel/cells.ts'
import { findGrid, type PixelGrid, slipOf } from './pixel/grid.ts'
import { type Palette, paintWith } from './pixel/palette.ts'
import { type ColourSteps, colourSteps } from './pixel/steps.ts'

/** How the frames of a sprite become pixel art. All frames of the sprite share it. */
export interface TruePixels {
  /**
   * Each of its cells becomes one pixel.
   *
   * @default frames keep their pixels
   */
  readonly grid?: PixelGrid
  /**
   * The colours of all frames.
   *
   * @default frames keep their colours
   */
  readonly palette?: Palette
  /**
   * Whether each pixel becomes opaque, or clear if its alpha is below 128.
   *
   * @default false
   */
  readonly isHard?: boolean
}

/**
 * Finds the grid and the palette of a sprite over all of its frames.
 *
 * @param wanted.grid The width of a cell in pixels, or `find`.
 * @param wanted.palette Colours, or the number of colours to find.
 * @returns Without `grid` if the frames have none; and the frames in true pixels.
 */
export function findTruePixels(
  frames: readonly Bitmap[],
  wanted: { readonly grid?: number | 'find' | undefined; readonly palette?: number | Palette | undefined; readonly isHard?: boolean },
): { readonly truePixels: TruePixels; readonly frames: readonly Bitmap[] } {
  const { grid: period, palette: colours, isHard } = wanted
  const steps = period === undefined ? [] : frames.map(colourSteps)
  const grid = period === undefined ? undefined : findGrid(steps, period === 'find' ? undefined : period)
  const shapes = frames.map((frame, at) => toShape(frame, { grid, isHard }, steps[at]))
  const palette = typeof colours === 'number' ? paletteOf(shapes, colours) : colours
  const truePixels = { ...(grid ? { grid } : {}), ...(isHard ? { isHard } : {}), ...(palette ? { palette } : {}) }
  return { truePixels, frames: palette ? shapes.map(paintWith(palette)) : shapes }
}

/** Turns frames into pixel art: first their cells, then alpha, then colours. */
export function toTruePixels(frames: readonly Bitmap[], { palette, ...wanted }: TruePixels): readonly Bitmap[] {
  const shapes = frames.map((frame) => toShape(frame, wanted))
  return palette ? shapes.map(paintWith(palette)) : shapes
}

function toShape(
  frame: Bitmap,
  { grid, isHard }: { grid?: PixelGrid | undefined; isHard?: boolean | undefined },
  steps?: ColourSteps,
): Bitmap {
  const cells = grid ? reduceCells(frame, grid, slipOf(steps ?? colourSteps(frame), grid)) : frame
  return isHard ? hardened(cells) : cells
}

function paletteOf(frames: readonly Bitmap[], most: number): Palette | undefined {
  const counts = new Map<number, number>()
  for (const frame of frames)
    countPixels(
      pixelsOf(frame).map((pixel) => pixel && pixel | 0xff000000),
      counts,
    )
  counts.delete(0)
  return counts.size === 0 ? undefined : findPalette(counts, most)
}

function hardened({ width, height, data: from }: Bitmap): Bitmap {
  const data = from.slice()
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3]! < 128) data.fill(0, at, at + 4)
    else data[at + 3] = 255
  return { width, height, data }
}
