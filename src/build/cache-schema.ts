import { z } from 'zod/mini'
import { type FrameSequence, pageFormats, type QualityFault, type QualityFigures } from '../../atlas/index.ts'
import type { SequenceReport } from './frames.ts'
import type { AnimationQuality, FrameFlag } from './quality.ts'
import type { BuiltAtlas, BuiltGroup, BuiltPage } from './sheet-model.ts'

// Whoever can write the cache folder can write any entry, with the right digest: a CI restores that folder from runs of strangers. So an entry is data of a known shape, or it is not there.

/** What is known of a page but its bytes. */
export type PageHead = Omit<BuiltPage, 'bytes'> & { readonly length: number }

/** All of a group but its pages: of those only how many each atlas has. */
export type GroupHead = Omit<BuiltGroup, 'atlases'> & {
  readonly atlases: readonly (Omit<BuiltAtlas, 'pages' | 'alternates'> & {
    readonly pages: number
    readonly alternates?: readonly number[]
  })[]
}

/** A frame but its pixels. */
export interface FrameHead {
  readonly frame: Omit<FrameSequence['frames'][number], 'bitmap'>
  readonly width: number
  readonly height: number
  /** First byte of its pixels; frames that look alike share them. */
  readonly at: number
  /** Tells its pixels apart from others. */
  readonly digest: string
}

/** Everything that was found out about an animation but its pixels. */
export type SequenceHead = Omit<SequenceReport, 'sequence'> & {
  readonly sequence: Omit<FrameSequence, 'frames'> & { readonly frames: readonly FrameHead[] }
}

/** What is kept of an animation besides its pixels, and the key of all. */
export interface KeptMember {
  readonly key: string
  readonly head: SequenceHead
  /** See `framesKey`. */
  readonly frames?: string | undefined
}

/** What the next build of a group begins with. */
export interface LastBuildHead {
  /** Key of the group. */
  readonly group: string
  readonly members: readonly KeptMember[]
}

/** `hero`. */
const name = '[A-Za-z0-9][A-Za-z0-9_-]*'

const text = (pattern: string): z.ZodMiniString => z.string().check(z.regex(new RegExp(`^${pattern}$`)))
const sequenceName = text(`${name}/${name}`)
const frameName = text(`${name}/${name}/\\d{4,15}`)
const hex64 = text('[0-9a-f]{64}')
const count = z.int().check(z.minimum(0))
const size = z.int().check(z.minimum(1))
const rate = z.number().check(z.positive())
const point = z.strictObject({ x: z.number(), y: z.number() })
const borders = z.strictObject({ left: count, top: count, right: count, bottom: count })

const faults: Readonly<Record<FrameFlag['fault'], true>> & Readonly<Record<QualityFault, true>> = {
  'foot-line': true,
  'body-anchor': true,
  scale: true,
  'loop-seam': true,
  palette: true,
  halo: true,
  background: true,
  duplicate: true,
  blank: true,
  'cut-off': true,
  inspect: true,
  shifted: true,
}
const { inspect: _, shifted: __, ...measured } = faults
const figures = Object.fromEntries(Object.keys(measured).map((fault) => [fault, z.number()])) as Record<
  keyof QualityFigures,
  z.ZodMiniNumber
>

const qualitySchema: z.ZodMiniType<AnimationQuality> = z.strictObject({
  id: text(`${name}\\.${name}`),
  figures: z.strictObject(figures),
  flags: z.array(
    z.strictObject({
      fault: z.enum(Object.keys(faults) as (keyof typeof faults)[]),
      from: z.enum(['frames', 'service']),
      frames: z.array(count),
      value: z.exactOptional(z.number()),
      limit: z.exactOptional(z.number()),
      words: z.string(),
    }),
  ),
})

const pagesSchema: z.ZodMiniType<readonly PageHead[]> = z.array(
  z.strictObject({
    sha256: hex64,
    width: size,
    height: size,
    contentType: text('image/[a-z0-9]+'),
    extension: z.enum(pageFormats),
    strips: z.exactOptional(z.array(z.strictObject({ digest: z.string(), adler: count, length: count }))),
    length: size,
  }),
)

const groupSchema: z.ZodMiniType<GroupHead> = z.strictObject({
  atlases: z.array(
    z.strictObject({
      name: text(name),
      scale: rate,
      pixelArt: z.boolean(),
      pages: count,
      alternates: z.exactOptional(z.array(count)),
      frames: z.array(
        z.strictObject({
          name: frameName,
          page: count,
          x: count,
          y: count,
          width: count,
          height: count,
          isTurned: z.exactOptional(z.boolean()),
          offsetX: count,
          offsetY: count,
          sourceWidth: size,
          sourceHeight: size,
          anchor: z.exactOptional(point),
          borders: z.exactOptional(borders),
          hull: z.exactOptional(z.array(point)),
        }),
      ),
      animations: z.array(
        z.strictObject({
          name: sequenceName,
          sprite: text(name),
          frames: z.array(z.strictObject({ name: frameName, durationMs: rate })),
          fps: rate,
          loop: z.boolean(),
          yoyo: z.boolean(),
        }),
      ),
    }),
  ),
  quality: z.array(qualitySchema),
  warnings: z.array(z.string()),
  layouts: z.exactOptional(z.array(z.string())),
})

const sequenceSchema: z.ZodMiniType<SequenceHead> = z.strictObject({
  sequence: z.strictObject({
    name: sequenceName,
    sprite: text(name),
    frames: z.array(
      z.strictObject({
        frame: z.strictObject({
          name: frameName,
          canvas: z.exactOptional(z.strictObject({ x: count, y: count, width: size, height: size })),
          durationMs: rate,
        }),
        width: count,
        height: count,
        at: count,
        digest: z.string(),
      }),
    ),
    play: z.array(frameName),
    durations: z.exactOptional(z.array(rate)),
    fps: rate,
    loop: z.boolean(),
    yoyo: z.boolean(),
    anchor: z.exactOptional(point),
    borders: z.exactOptional(borders),
    trim: z.boolean(),
    extrude: count,
    padding: count,
    pixelArt: z.boolean(),
  }),
  quality: z.exactOptional(qualitySchema),
  warnings: z.array(z.string()),
  delivered: z.exactOptional(count),
})

const lastBuildSchema: z.ZodMiniType<LastBuildHead> = z.strictObject({
  group: hex64,
  members: z.array(z.strictObject({ key: hex64, head: sequenceSchema, frames: z.optional(z.string()) })),
})

/** Takes a value for what it is expected to be; undefined for anything else. */
export type Reader<Shape> = (value: unknown) => Shape | undefined

/** What was found out about the frames of an animation. */
export const readQualityHead: Reader<AnimationQuality> = (value) => qualitySchema.safeParse(value).data
/** All pages of a group. */
export const readPageHeads: Reader<readonly PageHead[]> = (value) => pagesSchema.safeParse(value).data
/** A group. */
export const readGroupHead: Reader<GroupHead> = (value) => groupSchema.safeParse(value).data
/** An animation. */
export const readSequenceHead: Reader<SequenceHead> = (value) => sequenceSchema.safeParse(value).data
/** A group that was built before. */
export const readLastBuildHead: Reader<LastBuildHead> = (value) => lastBuildSchema.safeParse(value).data
