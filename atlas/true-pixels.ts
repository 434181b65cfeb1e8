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

/** Frames of a sprite, one group after the other, so that only one group is in memory. They are read again. */
export type SpriteFrames = () => AsyncIterable<readonly Bitmap[]>

/**
 * Finds the grid and the palette of a sprite over all of its frames.
 *
 * @param wanted.grid The width of a cell in pixels, or `find`.
 * @param wanted.palette Colours, or the number of colours to find.
 * @returns Without `grid` if the frames have none.
 */
export async function findTruePixels(
  frames: SpriteFrames,
  wanted: { readonly grid?: number | 'find' | undefined; readonly palette?: number | Palette | undefined; readonly isHard?: boolean },
): Promise<TruePixels> {
  const steps: ColourSteps[] = []
  if (wanted.grid !== undefined) for await (const group of frames()) steps.push(...group.map(colourSteps))
  const grid = wanted.grid === undefined ? undefined : findGrid(steps, wanted.grid === 'find' ? undefined : wanted.grid)
  const found = { ...(grid ? { grid } : {}), ...(wanted.isHard ? { isHard: true } : {}) }
  if (typeof wanted.palette !== 'number') return { ...found, ...(wanted.palette ? { palette: wanted.palette } : {}) }
  const counts = new Map<number, number>()
  for await (const group of frames())
    for (const frame of toTruePixels(group, found))
      countPixels(
        pixelsOf(frame).map((pixel) => pixel && pixel | 0xff000000),
        counts,
      )
  counts.delete(0)
  return counts.size === 0 ? found : { ...found, palette: findPalette(counts, wanted.palette) }
}

/** Turns frames into pixel art: first their cells, then alpha, then colours. */
export function toTruePixels(frames: readonly Bitmap[], { grid, palette, isHard }: TruePixels): readonly Bitmap[] {
  const paint = palette && paintWith(palette)
  return frames.map((frame) => {
    const cells = grid ? reduceCells(frame, grid, slipOf(colourSteps(frame), grid)) : frame
    const hard = isHard ? hardened(cells) : cells
    return paint ? paint(hard) : hard
  })
}

function hardened({ width, height, data: from }: Bitmap): Bitmap {
  const data = from.slice()
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3]! < 128) data.fill(0, at, at + 4)
    else data[at + 3] = 255
  return { width, height, data }
}
