import { z } from 'zod'
import type { ValuePath } from './document.ts'
import { flag, numberFrom } from './fields.ts'

// Fields for further looks of a sprite.

const colourWords = 'a colour, "#rgb" or "#rrggbb"'

const colours = z
  .array(z.string({ error: colourWords }).regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, { error: colourWords }), { error: 'a list of colours' })
  .min(1, { error: 'at least one colour' })
  .max(64, { error: 'at most 64 colours' })
const rampSchema = z.strictObject(
  {
    from: colours.describe('Colours of the sprite, from dark to light, such as `"#3a1c1c"`.'),
    to: colours.describe('The colours in their place. A list of another length is stretched.'),
    tolerance: numberFrom(0, 1, 'a distance from 0 to 1')
      .optional()
      .describe('OKLab distance up to which a colour belongs to the ramp. Default: 0.05, with `pixelArt` 0.'),
  },
  { error: 'a ramp: { "from": [colours], "to": [colours] }' },
)

const nameWords = 'a name of small letters, digits, _ and -, beginning with a letter or digit, other than "normals"'

/**
 * Ramps by name of variant. Names are parts of file names beside those of normal maps, so they differ in more than case.
 *
 * @internal
 */
export const variantsField = z.record(
  z.string().regex(/^(?!normals$)[a-z0-9][a-z0-9_-]*$/, { error: nameWords }),
  z.array(rampSchema, { error: 'a list of ramps' }).min(1, { error: 'at least one ramp' }).max(32, { error: 'at most 32 ramps' }),
  { error: 'an object of lists of ramps by name' },
)

/** The field `variants` of a spec. */
export const variantsWords =
  'FREE. Recoloured copies by name, such as team colours: `{ "red": [{ "from": ["#1c2f7a", "#6d8cff"], "to": ["#7a1c1c", "#ff8a6d"] }] }`. Each ramp lists colours from dark to light, and the colours in their place. Default: none.'

const depthWords = 'pixels, a number above 0, at most 256'
const softenWords = 'pixels, a number from 0 to 64'

/**
 * The options of normal maps.
 *
 * @internal
 */
export const normalsField = z.strictObject(
  {
    from: z
      .enum(['shape', 'luminance'], { error: '"shape" or "luminance"' })
      .default('shape')
      .describe('`shape`: round, as the outline shows. `luminance`: light pixels are high. Default: shape.'),
    depth: numberFrom(0.25, 256, depthWords)
      .optional()
      .describe(
        'Pixels at scale 1. Of a shape: from the outline to the flat middle; by default it is round throughout. Of luminance: the height of white over black, 4 by default.',
      ),
    soften: numberFrom(0, 64, softenWords).default(1).describe('Radius of a blur, pixels at scale 1. Default: 1.'),
  },
  { error: 'true, or { "from", "depth", "soften" }' },
)

/** The field `normals` of a spec. */
export const normalsSwitch = z
  .union([flag(), normalsField], { error: 'true, false or { "from", "depth", "soften" }' })
  .optional()
  .describe(
    'FREE. Normal maps for lights, as further pages: `true`, or `{ "from": "shape" | "luminance", "depth": pixels, "soften": pixels }`. Default: none.',
  )

/** The known fields at a path into `normals` or `variants`. */
export function knownLookFields(path: ValuePath): readonly string[] {
  if (path[0] === 'normals') return Object.keys(normalsField.shape)
  return path.length > 2 ? Object.keys(rampSchema.shape) : []
}
