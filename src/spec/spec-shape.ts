import { z } from 'zod'
import type { ValuePath } from './document.ts'
import { defaultFrames, frameRange, isPathBeside, namePattern, nameWords, type SpecFile } from './schema.ts'

const whole = (minimum: number, maximum: number): z.ZodNumber => {
  const error = `a whole number from ${minimum} to ${maximum}`
  return z.int({ error }).min(minimum, { error }).max(maximum, { error })
}
const flag = (): z.ZodBoolean => z.boolean({ error: 'true or false' })
const words = (what: string): z.ZodString => z.string({ error: what }).regex(/\S/, { error: what })
const picturePath = z
  .string({ error: 'the path of a PNG, JPEG or WebP file beside the spec' })
  .refine(isPathBeside, { error: 'a path relative to the folder of the spec, with forward slashes (no URL, no absolute path)' })

const stepShapes = {
  text: z
    .strictObject({ text: words('a text that describes a picture') })
    .describe('PAID. First step: a picture made from a text, one credit.'),
  image: z.strictObject({ image: picturePath }).describe('PAID. First step: a picture beside the spec.'),
  edit: z
    .strictObject({ edit: words('a text that says what to change') })
    .describe('PAID. Changes the picture so far as the text says, one credit.'),
  removeBackground: z
    .strictObject({ removeBackground: words('a text that says what is to stay') })
    .describe('PAID. Removes the background of the picture so far, one credit.'),
  upscale: z
    .strictObject({ upscale: words('a text that describes the picture') })
    .describe('PAID. Doubles each side of the picture so far (longest side at most 2048 pixels before), one credit.'),
}
const stepWords = 'a step: one of { text }, { image }, { edit }, { removeBackground } or { upscale }'

const chainSchema = z.strictObject(
  {
    steps: z
      .array(z.union(Object.values(stepShapes), { error: stepWords }), { error: 'a list of steps' })
      .min(1, { error: 'at least one step' })
      .max(16, { error: 'at most 16 steps' })
      .describe('PAID. The first step is a picture or a text; every other step is one image execution.'),
  },
  { error: 'an object with "steps"' },
)

const animationSchema = z.strictObject(
  {
    prompt: words('a text that says what the animation does')
      .optional()
      .describe("PAID. What this animation does; joined to the sprite's prompt. Default: the animation's name."),
    frames: whole(frameRange.minimum, frameRange.maximum)
      .default(defaultFrames)
      .describe('PAID. Number of frames, 7 to 100, checked against what the service can do too. Default: 12.'),
    take: whole(1, 9999)
      .default(1)
      .describe('PAID. 1, 2, …: another take of the same request, bought beside the earlier ones, which stay. Default: 1.'),
    options: z
      .record(z.string(), z.unknown(), { error: 'an object of options' })
      .optional()
      .describe('PAID. Further animation options of the service, passed through as they are. Default: none.'),
    fps: z
      .number({ error: 'a number above 0, at most 240' })
      .positive({ error: 'a number above 0, at most 240' })
      .max(240, { error: 'a number above 0, at most 240' })
      .default(12)
      .describe('FREE. Frames a second, above 0, at most 240. Default: 12.'),
    loop: flag().default(true).describe('FREE. Whether the animation starts again at its end. Default: true.'),
    yoyo: flag().default(false).describe('FREE. Plays there and back, the frames at both ends shown once. Default: false.'),
    durations: z
      .array(
        z
          .number({ error: 'milliseconds from 1 to 60000' })
          .min(1, { error: 'milliseconds from 1 to 60000' })
          .max(60_000, { error: 'milliseconds from 1 to 60000' }),
        { error: 'a list of milliseconds' },
      )
      .optional()
      .describe('FREE. Milliseconds of each played frame, 1 to 60000, one for every frame played; wins over fps. Default: none.'),
    use: z
      .array(whole(0, frameRange.maximum - 1), { error: 'a list of frame numbers' })
      .min(1, { error: 'at least one frame number' })
      .max(1000, { error: 'at most 1000 frame numbers' })
      .optional()
      .describe('FREE. Which frames are played, in which order, counted from 0, e.g. [0, 1, 2, 5]: drops bad frames. Default: all.'),
  },
  { error: 'an object of animation fields ({} takes every default)' },
)

const sideWords = 'pixels, a whole number from 1 to 4096'
const side = (): z.ZodNumber => z.int({ error: sideWords }).min(1, { error: sideWords }).max(4096, { error: sideWords })
const share = (): z.ZodNumber =>
  z.number({ error: 'a number from 0 to 1' }).min(0, { error: 'a number from 0 to 1' }).max(1, { error: 'a number from 0 to 1' })
const boxSchema = z.strictObject({ width: side().describe('Pixels, 1 to 4096.'), height: side().describe('Pixels, 1 to 4096.') })
const borderWords = 'pixels of all sides, or [left, top, right, bottom], each a whole number from 0 to 2048'
const border = (): z.ZodNumber => z.int({ error: borderWords }).min(0, { error: borderWords }).max(2048, { error: borderWords })
const scaleWords = 'a number above 0, at most 4'

const specShape = {
  $schema: z
    .string({ error: 'the address of a JSON Schema' })
    .optional()
    .describe('The JSON Schema for editors; `spritewright schema` prints it.'),
  reference: z
    .union([picturePath, chainSchema], { error: 'the path of a picture beside the spec, or { "steps": [...] }' })
    .describe(
      'PAID. The picture that is animated: the path of a PNG, JPEG or WebP file, relative to this file; or a chain of steps. Required.',
    ),
  prompt: words('a text that says what the sprite is').describe('PAID. What the sprite is, shared by its animations. Required.'),
  background: z
    .enum(['remove', 'keep'], { error: '"remove" or "keep"' })
    .default('remove')
    .describe('PAID. Whether the background of the frames is removed or kept. Default: remove.'),
  animations: z
    .record(z.string().regex(namePattern, { error: nameWords }), animationSchema, { error: 'an object of animations by name' })
    .meta({ description: 'PAID and FREE. The animations by name, at least one. Required.', minProperties: 1 }),
  size: z
    .union([side(), boxSchema], { error: 'pixels of the longest side, or { "width", "height" }' })
    .optional()
    .describe(
      'FREE. Size of a frame in pixels after scaling: 128 is the longest side, { "width", "height" } fits inside. Default: as delivered.',
    ),
  pixelArt: flag().default(false).describe('FREE. Nearest-neighbour scaling, no smoothing, and the engine is told so. Default: false.'),
  anchor: z
    .tuple([share(), share()], { error: '[x, y], each from 0 to 1' })
    .optional()
    .describe('FREE. [x, y], each 0 to 1 of the untrimmed frame. Default: none; in Phaser it overrides setOrigin on every frame.'),
  borders: z
    .union([border(), z.tuple([border(), border(), border(), border()])], { error: borderWords })
    .optional()
    .describe(
      'FREE. For nine-slices (panels, buttons): pixels at scale 1 that keep their size, of all sides or [left, top, right, bottom]. Such frames are not trimmed. Default: none.',
    ),
  stabilize: flag().default(false).describe('FREE. Re-aligns the frames that the service flags as shifted. Default: false.'),
  trim: flag().default(true).describe('FREE. Cuts the clear border off each frame. Default: true.'),
  extrude: whole(0, 16).default(1).describe('FREE. Pixels of repeated edge around each frame, 0 to 16. Default: 1.'),
  padding: whole(0, 64).default(2).describe('FREE. Clear pixels between frames, 0 to 64. Default: 2.'),
  scales: z
    .array(z.number({ error: scaleWords }).positive({ error: scaleWords }).max(4, { error: scaleWords }), { error: 'a list of numbers' })
    .min(1, { error: 'at least one scale' })
    .max(8, { error: 'at most 8 scales' })
    .default([1])
    .describe('FREE. Resolution variants, above 0, at most 4, each once, e.g. [1, 0.5]; the first is the main one. Default: [1].'),
  atlas: z
    .string({ error: nameWords })
    .regex(namePattern, { error: nameWords })
    .default('sprites')
    .describe('FREE. The atlas group that the sprite is packed into. Default: sprites.'),
}

/** The schema of a spec file. A field that it does not know is an error. Its messages are what was expected. */
export const specSchema: z.ZodType<SpecFile> = z.strictObject(specShape, { error: 'an object: a spec' })

/** Fields of a spec file that are known at a path: what a misspelt one may have meant. */
export function knownFields(path: ValuePath): readonly string[] {
  const [first, , ...rest] = path
  if (first === undefined) return Object.keys(specShape)
  if (first === 'animations' && path.length === 2) return Object.keys(animationSchema.shape)
  if (first === 'reference') return rest.length > 0 ? Object.keys(stepShapes) : ['steps']
  return first === 'size' ? Object.keys(boxSchema.shape) : []
}
