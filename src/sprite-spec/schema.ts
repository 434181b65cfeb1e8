import { z } from 'zod'
import { mostExtrude, mostPadding } from '../../atlas/limits.ts'
import { boxRulesField } from './boxes.ts'
import type { ValuePath } from './document.ts'
import { filledText, flag, numberFrom, pathBeside, positive, schemaField, toEditorSchema, wholeNumber, withDefault } from './fields.ts'
import { knownLookFields, normalsSwitch, variantsField, variantsWords } from './look-fields.ts'
import { sourceWords } from './mirrors.ts'
import { frameFaults, frameRange, mostFps, mostOwnFrames, mostSidePx, mostUpscaledPx } from './spec.ts'
import { pixelArtField, truePixelsFields } from './true-pixels.ts'

/** Valid names of sprites, animations and atlases. `hero.walk` and `hero/walk/0000` are built from them. */
export const namePattern: RegExp =
  /^(?!(?:[Cc][Oo][Nn]|[Pp][Rr][Nn]|[Aa][Uu][Xx]|[Nn][Uu][Ll]|[Cc][Oo][Mm][0-9]|[Ll][Pp][Tt][0-9])$)[A-Za-z0-9][A-Za-z0-9_-]*$/

/** {@link namePattern} in words. */
export const nameWords: string =
  'a name of letters, digits, _ and -, beginning with a letter or digit, and none that Windows reserves (con, prn, aux, nul, com1, lpt1 …)'

const picturePath = pathBeside('the path of a PNG, JPEG or WebP file beside the spec')

const takeField = wholeNumber(1, 9999)
  .default(1)
  .describe('PAID. 1 to 9999: another take of the same step, bought in addition to the earlier ones, which stay. Default: 1.')

const stepShapes = {
  text: z
    .strictObject({ text: filledText('a text that describes a picture'), take: takeField })
    .describe('PAID. First step: a picture made from a text, one credit.'),
  image: z.strictObject({ image: picturePath }).describe('PAID. First step: a picture beside the spec.'),
  edit: z
    .strictObject({ edit: filledText('a text that says what to change'), take: takeField })
    .describe('PAID. Changes the picture so far as the text describes, one credit.'),
  removeBackground: z
    .strictObject({ removeBackground: filledText('a text that names the part to keep'), take: takeField })
    .describe('PAID. Removes the background of the picture so far, one credit.'),
  upscale: z
    .strictObject({ upscale: filledText('a text that describes the picture'), take: takeField })
    .describe(`PAID. Doubles each side of the picture so far (longest side at most ${mostUpscaledPx} pixels before), one credit.`),
}
/**
 * One step of a reference chain in a spec file.
 *
 * @internal
 */
export type StepFile = z.output<(typeof stepShapes)[keyof typeof stepShapes]>

const stepWords = 'a step: one of { text }, { image }, { edit }, { removeBackground } or { upscale }'

const stepsField = z
  .array(z.union(Object.values(stepShapes), { error: stepWords }), { error: 'a list of steps' })
  .max(16, { error: 'at most 16 steps' })

const chainSchema = z.strictObject(
  {
    steps: stepsField
      .min(1, { error: 'at least one step' })
      .describe('PAID. The first step is a picture or a text; every other step is one image execution.'),
  },
  { error: 'an object with "steps"' },
)

const frameWords = ({ input }: { readonly input?: unknown }): string => {
  const range = `a whole number from ${frameRange.minimum} to ${frameRange.maximum}`
  if (typeof input !== 'number' || !Number.isInteger(input) || input < 1 || input >= frameRange.minimum) return range
  const played = Array.from({ length: input }, (_, at) => at).join(', ')
  return `${range} (the service draws ${frameRange.minimum} or more; to play ${input} of them: "frames": ${frameRange.minimum}, "use": [${played}])`
}

/**
 * The number of frames of an animation.
 *
 * @internal
 */
export const framesField: z.ZodType<number, number | undefined> = withDefault(
  wholeNumber(frameRange.minimum, frameRange.maximum, frameWords),
  12,
  `PAID. Number of frames, ${frameRange.minimum} to ${frameRange.maximum}. The service may allow fewer.`,
)

const useField = (mostFrames: number): z.ZodOptional<z.ZodArray<z.ZodNumber>> =>
  z
    .array(wholeNumber(0, mostFrames - 1), { error: 'a list of frame numbers' })
    .min(1, { error: 'at least one frame number' })
    .max(1000, { error: 'at most 1000 frame numbers' })
    .optional()
    .describe(
      'FREE. The frames that are played, in this order, counted from 0, e.g. `[0, 1, 2, 5]`. Use it to drop bad frames. Default: all.',
    )

const intended = z
  .array(z.enum(frameFaults, { error: `one of ${frameFaults.join(', ')}` }), { error: 'a list of remarks' })
  .max(frameFaults.length, { error: 'each remark once' })

/** Playback fields of every animation, bought or own. */
const playbackShape = {
  fps: withDefault(positive(mostFps), 12, `FREE. Frames a second, above 0, at most ${mostFps}.`),
  loop: withDefault(flag(), true, 'FREE. Plays again from the start when it ends.'),
  yoyo: withDefault(flag(), false, 'FREE. Plays forward, then backward; the frames at both ends are shown once.'),
  durations: z
    .array(numberFrom(1, 60_000, 'milliseconds from 1 to 60000'), { error: 'a list of milliseconds' })
    .optional()
    .describe('FREE. Milliseconds of each played frame, 1 to 60000, one for every played frame; overrides `fps`. Default: none.'),
  use: useField(frameRange.maximum),
  meant: intended
    .optional()
    .describe(
      `FREE. Faults of the quality check that are intended, e.g. \`["palette"]\` for a flash. Names of faults: ${frameFaults.join(', ')}. The check no longer reports them. Default: none.`,
    ),
}

const animationSchema = z.strictObject(
  {
    prompt: filledText('a text that says what the animation does')
      .optional()
      .describe("PAID. What this animation does; added to the sprite's `prompt`. Default: the animation's name."),
    frames: framesField,
    take: withDefault(
      wholeNumber(1, 9999),
      1,
      'PAID. 1 to 9999: another take of the same request, bought in addition to the earlier ones, which stay.',
    ),
    options: z
      .record(z.string(), z.unknown(), { error: 'an object of options' })
      .optional()
      .describe('PAID. Further animation options of the service, sent unchanged. Default: none.'),
    ...playbackShape,
  },
  { error: 'an object of animation fields ({} takes every default)' },
)

/** An animation of own art. Its fields have no defaults, because the source has its own times and directions. */
const ownAnimationSchema = z.strictObject(
  {
    fps: playbackShape.fps.unwrap().optional(),
    loop: flag().optional(),
    yoyo: flag().optional(),
    durations: playbackShape.durations,
    use: useField(mostOwnFrames),
    meant: playbackShape.meant,
  },
  { error: 'an object of animation fields ({} takes all of them from the source)' },
)

/**
 * One animation in a spec file, after defaults.
 *
 * @internal
 */
export type AnimationFile = z.output<typeof animationSchema>

const side = (): z.ZodNumber => wholeNumber(1, mostSidePx, `pixels, a whole number from 1 to ${mostSidePx}`)
const boxSide = side().describe(`Pixels, 1 to ${mostSidePx}.`)
const boxSchema = z.strictObject({ width: boxSide, height: boxSide })
const figureSchema = z.strictObject({ figure: boxSide })
const share = (): z.ZodNumber => numberFrom(0, 1, 'a number from 0 to 1')
const borderWords = 'pixels of all sides, or [left, top, right, bottom], each a whole number from 0 to 2048'
const border = (): z.ZodNumber => wholeNumber(0, 2048, borderWords)
const sides = z.union([border(), z.tuple([border(), border(), border(), border()])], { error: borderWords })
const sidesOfPictures = z.record(z.string().regex(namePattern, { error: nameWords }), sides)

const byName = <T extends z.ZodType>(one: T, many: string): z.ZodRecord<z.ZodString, T> =>
  z.record(z.string().regex(namePattern, { error: nameWords }), one, { error: `an object of ${many} by name` })

/**
 * The field `prompt` of a sprite, in words.
 *
 * @internal
 */
export const promptWords: string = 'a text that says what the sprite is'

/** Fields of a bought sprite. */
const paidShape = {
  reference: z
    .union([picturePath, chainSchema], { error: 'the path of a picture beside the spec, or { "steps": [...] }' })
    .describe(
      'PAID. The picture to animate, or to make pictures from: the path of a PNG, JPEG or WebP file, relative to the spec; or a chain of steps. Without `animations` and `pictures` it is the picture of the game. Required.',
    ),
  prompt: filledText(promptWords).optional().describe('PAID. What the sprite is; all its animations share it. Required with `animations`.'),
  background: withDefault(
    z.enum(['remove', 'keep'], { error: '"remove" or "keep"' }),
    'remove',
    'PAID. Whether the background of the frames is removed or kept.',
  ),
  animations: byName(animationSchema, 'animations')
    .optional()
    .meta({ description: 'PAID and FREE. The animations by name. `{}` takes every default. Default: none.', minProperties: 1 }),
  pictures: byName(stepsField, 'pictures').optional().meta({
    description:
      'PAID. Pictures by name, each made from the reference by steps of its own, one credit a step; `[]` is the reference itself. Default: none.',
    minProperties: 1,
  }),
}

/** Fields of a sprite of own art. */
const ownShape = {
  source: pathBeside('the path of a file or folder beside the spec').describe(
    'FREE. Own art in place of a purchase: the path of an Aseprite file, a picture, a sheet with its JSON or a folder of pictures, relative to the spec. Default: none.',
  ),
  grid: z
    .tuple([side(), side()], { error: '[width, height] of a cell, in pixels' })
    .optional()
    .describe('FREE. Only with `source`: `[width, height]` of the cells that a picture is cut into, in pixels. Default: none.'),
  check: withDefault(flag(), false, 'FREE. Only with `source`: whether the quality of the frames is checked.'),
}

/** Fields of every sprite. */
const packShape = {
  size: z
    .union([side(), boxSchema, figureSchema], { error: 'pixels of the longest side, { "width", "height" } or { "figure" }' })
    .optional()
    .describe(
      `FREE. Size in pixels, 1 to ${mostSidePx}: \`{ "figure": 128 }\` is the longest side of the figure; a number is the longest side of the frame; \`{ "width", "height" }\` is a box that the frame fits into. Default: as delivered.`,
    ),
  pixelArt: pixelArtField,
  anchor: z
    .tuple([share(), share()], { error: '[x, y], each from 0 to 1' })
    .optional()
    .describe(
      'FREE. `[x, y]`, each 0 to 1 of the untrimmed frame, from its top left; `[0.5, 1]` is the bottom middle. In Phaser it overrides `setOrigin` on every frame. Default: none.',
    ),
  borders: z
    .union([...sides.options, sidesOfPictures], { error: `${borderWords}, or an object of these by name of picture` })
    .optional()
    .describe(
      'FREE. For nine-slices (panels, buttons): pixels at scale 1 that keep their size, 0 to 2048, as one number or `[left, top, right, bottom]`, or as an object of these by name of picture. Such frames are not trimmed. Default: none.',
    ),
  boxes: byName(boxRulesField, 'boxes')
    .optional()
    .describe(
      'FREE. Boxes for hit tests, by name: `{ "body": "find" }` finds `body`, `feet`, `hurt` or `hit` from the pixels; numbers are `[x, y, width, height]`, each 0 to 1 of the untrimmed frame. Also by animation and frame. Default: none.',
    ),
  meant: byName(intended, 'lists of remarks')
    .optional()
    .describe(
      `FREE. Faults of the quality check that are intended in pictures, by name of picture, e.g. \`{ "panel": ["cut-off"] }\`. Names of faults: ${frameFaults.join(', ')}. Faults of an animation are listed in the animation. Default: none.`,
    ),
  mirror: byName(z.string({ error: sourceWords }).regex(namePattern, { error: sourceWords }), 'names')
    .optional()
    .describe(
      'FREE. Mirror images, left to right, of animations or pictures: the source by new name, e.g. `{ "walk-left": "walk-right" }`. An image plays as its source does. Default: none.',
    ),
  normals: normalsSwitch,
  variants: variantsField.optional().describe(variantsWords),
  stabilize: withDefault(flag(), false, 'FREE. Moves slipped frames back into line.'),
  trim: withDefault(flag(), true, 'FREE. Cuts the clear border off each frame.'),
  extrude: withDefault(wholeNumber(0, mostExtrude), 1, `FREE. Pixels of repeated edge around each frame, 0 to ${mostExtrude}.`),
  padding: withDefault(wholeNumber(0, mostPadding), 2, `FREE. Clear pixels between frames, 0 to ${mostPadding}.`),
  scales: withDefault(
    z.array(positive(4), { error: 'a list of numbers' }).min(1, { error: 'at least one scale' }).max(8, { error: 'at most 8 scales' }),
    [1],
    'FREE. Resolution variants, at most 8, each once, above 0 and at most 4, e.g. `[1, 0.5]`; the first is the main one.',
  ),
  atlas: withDefault(
    z.string({ error: nameWords }).regex(namePattern, { error: nameWords }),
    'sprites',
    'FREE. The atlas group that the sprite is packed into. In dev each sprite is an atlas of its own.',
  ),
}

/**
 * The schema of a spec file. An unknown field is an error. Its messages say what was expected.
 *
 * @internal
 */
export const specSchema = z.strictObject({ $schema: schemaField, ...paidShape, ...packShape }, { error: 'an object: a spec' })

/**
 * A whole spec file, after defaults.
 *
 * @internal
 */
export type SpecFile = z.output<typeof specSchema>

/**
 * The schema of a spec file of own art.
 *
 * @internal
 */
export const ownSpecSchema = z.strictObject(
  { $schema: schemaField, ...ownShape, animations: byName(ownAnimationSchema, 'animations').optional(), ...packShape },
  { error: 'an object: a spec' },
)

/**
 * A whole spec file of own art, after defaults.
 *
 * @internal
 */
export type OwnSpecFile = z.output<typeof ownSpecSchema>

/**
 * The known fields at a path of a spec file, as candidates for a misspelt field.
 *
 * @param isOwn Whether the spec is for own art.
 */
export function knownFields(path: ValuePath, isOwn: boolean): readonly string[] {
  const [first, , ...rest] = path
  if (first === undefined)
    return Object.keys({ $schema: schemaField, ...(isOwn ? ownShape : paidShape), animations: animationSchema, ...packShape })
  if (first === 'animations' && path.length === 2) return Object.keys((isOwn ? ownAnimationSchema : animationSchema).shape)
  if (first === 'reference' || first === 'pictures') return rest.length > 0 ? Object.keys(stepShapes) : ['steps']
  if (first === 'normals' || first === 'variants') return knownLookFields(path)
  if (first === 'size') return Object.keys({ ...boxSchema.shape, ...figureSchema.shape })
  return first === 'pixelArt' ? truePixelsFields : []
}

/** The JSON Schema of a written spec file. */
export function specJsonSchema(): object {
  const schema = toEditorSchema(z.strictObject({ $schema: schemaField, ...paidShape, ...ownShape, ...packShape }), {
    title: 'spritewright sprite spec',
    description: 'One sprite: PAID fields make the request, a change there is a new purchase; FREE fields never cost anything.',
  })
  // A sprite is bought or own art. The one schema has the fields of both, as optional fields.
  const { required: _, ...fields } = schema as { readonly required: readonly string[] }
  return { ...fields, anyOf: [{ required: ['reference'], dependencies: { animations: ['prompt'] } }, { required: ['source'] }] }
}
