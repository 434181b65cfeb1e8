import { z } from 'zod'
import { flag, numberFrom, pathBeside, wholeNumber, withDefault } from './fields.ts'
import type { SpriteSpec } from './spec.ts'

const paletteWords = 'the path of a palette file beside the spec (.hex, .gpl, .pal, .png), or a number of colours from 2 to 256'

const truePixelsSchema = z.strictObject({
  grid: z
    .union([z.literal('find'), numberFrom(2, 64, '')], { error: '"find" or the width of a cell, 2 to 64 pixels' })
    .optional()
    .describe('FREE. Width of the cells, each of which becomes one pixel: `find`, or 2 to 64 delivered pixels. Default: none.'),
  palette: z
    .union([pathBeside(paletteWords), wholeNumber(2, 256)], { error: paletteWords })
    .optional()
    .describe('FREE. Colours of all frames: the path of a .hex, .gpl, .pal or PNG file, or how many colours to find. Default: none.'),
  alpha: z
    .literal('hard', { error: '"hard"' })
    .optional()
    .describe('FREE. `hard` makes every pixel opaque or clear. Default: as delivered.'),
})

/**
 * The field `pixelArt` of a spec file.
 *
 * @internal
 */
export const pixelArtField = withDefault(
  z.union([flag(), truePixelsSchema], { error: 'true, false or an object with "grid", "palette" or "alpha"' }),
  false,
  'FREE. Scales by nearest neighbour, without smoothing, and tells the engine to do the same. `{ "grid", "palette", "alpha" }` makes true pixels of art that only looks like them.',
)

/** The fields of an object in `pixelArt`. */
export const truePixelsFields: readonly string[] = Object.keys(truePixelsSchema.shape)

/** Reads the field of a spec file. `pixelArt: {}` is the same as `true`. */
export function toTruePixels(pixelArt: z.output<typeof pixelArtField>): Pick<SpriteSpec, 'truePixels'> {
  if (typeof pixelArt === 'boolean' || Object.keys(pixelArt).length === 0) return {}
  return { truePixels: pixelArt }
}
