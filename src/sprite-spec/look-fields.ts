import { z } from 'zod'
import { numberFrom } from './fields.ts'

// Fields for further looks of a sprite.

const colourWords = 'a colour, "#rgb" or "#rrggbb"'

const colours = z
  .array(z.string({ error: colourWords }).regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, { error: colourWords }), { error: 'a list of colours' })
  .min(1, { error: 'at least one colour' })
  .max(64, { error: 'at most 64 colours' })
/**
 * A ramp of a variant.
 *
 * @internal
 */
export const rampSchema = z.strictObject(
  {
    from: colours.describe('Colours of the sprite, from dark to light, such as `"#3a1c1c"`.'),
    to: colours.describe('The colours in their place. A list of another length is stretched.'),
    tolerance: numberFrom(0, 1, 'a distance from 0 to 1')
      .optional()
      .describe('OKLab distance up to which a colour belongs to the ramp. Default: 0.05, with `pixelArt` 0.'),
  },
  { error: 'a ramp: { "from": [colours], "to": [colours] }' },
)

/**
 * The ramps of a variant.
 *
 * @internal
 */
export const rampsField = z
  .array(rampSchema, { error: 'a list of ramps' })
  .min(1, { error: 'at least one ramp' })
  .max(32, { error: 'at most 32 ramps' })

/** The field `variants` of a spec. */
export const variantsWords =
  'FREE. Recoloured copies by name, such as team colours: `{ "red": [{ "from": ["#1c2f7a", "#6d8cff"], "to": ["#7a1c1c", "#ff8a6d"] }] }`. Each ramp lists colours from dark to light, and the colours in their place. Default: none.'
