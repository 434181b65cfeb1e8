import { z } from 'zod/mini'
import { type PageLists, pageFormats, type QualityFault, type QualityFigures, type TruePixels } from '../../../atlas/index.ts'
import type { CutAnimation, CutFrame } from '../frames.ts'
import type { BuiltLayer, BuiltPage, PackedAtlas, PackedGroup } from '../model.ts'
import type { AnimationQuality, FrameFlag } from '../quality.ts'
import type { Reader } from './packed-file.ts'

// A CI restores the cache folder from runs of strangers, who can write any entry with the right digest. So an
// entry is data of a known shape, or it counts as missing.

/** A page without its bytes. */
export type PageHead = Omit<BuiltPage, 'bytes'> & { readonly length: number }

type ListHeads = PageLists<PageHead>

/** A group without the bytes of its pages. */
export type GroupHead = Omit<PackedGroup, 'atlases'> & {
  readonly atlases: readonly (Omit<PackedAtlas, keyof ListHeads | 'layers'> &
    ListHeads & { readonly layers?: readonly (Omit<BuiltLayer, keyof ListHeads> & ListHeads)[] })[]
}

/** A frame without its pixels. */
export type FrameHead = Omit<CutFrame, 'bitmap'> & {
  readonly width: number
  readonly height: number
  /** Offset of the frame's pixels. Equal frames share their pixels. */
  readonly at: number
}

/** An animation without the pixels of its frames. */
export type AnimationHead = Omit<CutAnimation, 'frames'> & { readonly frames: readonly FrameHead[] }

/** `hero`. */
const name = '[A-Za-z0-9][A-Za-z0-9_-]*'

const text = (pattern: string): z.ZodMiniString => z.string().check(z.regex(new RegExp(`^${pattern}$`)))
const frameName = text(`${name}(?:/${name}(?:/\\d{4,15})?)?`)
const hex64 = text('[0-9a-f]{64}')
const count = z.int().check(z.minimum(0))
const size = z.int().check(z.minimum(1))
const rate = z.number().check(z.positive())
const point = z.strictObject({ x: z.number(), y: z.number() })
const box = z.tuple([z.number(), z.number(), z.number(), z.number()])
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
  'frame-size': true,
  inspect: true,
  shifted: true,
}
const { 'frame-size': _size, inspect: _inspect, shifted: _shifted, ...measured } = faults
const figures = Object.fromEntries(Object.keys(measured).map((fault) => [fault, z.number()])) as Record<
  keyof QualityFigures,
  z.ZodMiniNumber
>

const qualitySchema: z.ZodMiniType<AnimationQuality> = z.strictObject({
  id: text(`${name}(?:\\.${name})?`),
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

const pageList = z.array(
  z.strictObject({
    sha256: hex64,
    width: size,
    height: size,
    contentType: text('image/[a-z0-9]+'),
    extension: z.enum(pageFormats),
    length: size,
  }),
)

const lists = { pages: pageList, alternates: z.exactOptional(z.array(pageList)) }
const layer = z.strictObject({
  kind: z.enum(['variant', 'normals']),
  name: text(name),
  sprites: z.array(text(name)),
  of: z.array(count),
  ...lists,
})

const groupSchema: z.ZodMiniType<GroupHead> = z.strictObject({
  atlases: z.array(
    z.strictObject({
      name: text(name),
      scale: rate,
      pixelArt: z.boolean(),
      ...lists,
      layers: z.exactOptional(z.array(layer)),
      frames: z.array(
        z.strictObject({
          name: frameName,
          isStill: z.exactOptional(z.boolean()),
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
          boxes: z.exactOptional(z.record(text(name), z.array(box))),
        }),
      ),
    }),
  ),
  quality: z.array(qualitySchema),
  warnings: z.array(z.string()),
  layouts: z.exactOptional(z.array(z.string())),
})

const canvas = z.strictObject({ x: count, y: count, width: size, height: size })

const animationSchema: z.ZodMiniType<AnimationHead> = z.strictObject({
  frames: z.array(z.strictObject({ index: count, canvas: z.exactOptional(canvas), width: size, height: size, at: count })),
  room: canvas,
  figureSide: z.exactOptional(size),
  quality: z.exactOptional(qualitySchema),
  warnings: z.array(z.string()),
})

const measure = z.number().check(z.minimum(-4096), z.maximum(4096))
const truePixelsSchema: z.ZodMiniType<TruePixels> = z.strictObject({
  grid: z.exactOptional(z.strictObject({ period: z.number().check(z.minimum(2), z.maximum(64)), x: measure, y: measure })),
  palette: z.exactOptional(z.array(count).check(z.minLength(1), z.maxLength(256))),
  isHard: z.exactOptional(z.boolean()),
})

/** The grid and the palette of a sprite. */
export const readTruePixelsHead: Reader<TruePixels> = (value) => truePixelsSchema.safeParse(value).data
/** The pages of a group. */
export const readGroupHead: Reader<GroupHead> = (value) => groupSchema.safeParse(value).data
/** The cut frames of an animation. */
export const readAnimationHead: Reader<AnimationHead> = (value) => animationSchema.safeParse(value).data
