import { makeAtlas } from '../../../atlas/atlas.ts'
import { type Bitmap, createBitmap } from '../../../atlas/bitmap.ts'
import type { EncodedAtlas } from '../../../atlas/formats/format.ts'
import { pageFile } from '../../../atlas/formats/shared/pages.ts'
import type { FrameSequence } from '../../../atlas/frame.ts'
import { withOutlines } from '../../../atlas/outlines.ts'
import { encodePng } from '../../../atlas/png/write.ts'

/** Atlases of one project with the pictures that they were packed from. */
export interface Project {
  readonly atlases: readonly EncodedAtlas[]
  /** Whole pictures by scale and name. */
  readonly pictures: ReadonlyMap<number, ReadonlyMap<string, Bitmap>>
}

/** A group at one scale before it is packed. */
export interface Group {
  readonly name?: string
  readonly scale?: number
  readonly maxSize?: number
  readonly hull?: number
  readonly sequences: readonly FrameSequence[]
}

/** Packs groups, and encodes their pages as PNG. */
export function makeProject(...groups: readonly Group[]): Project {
  const pictures = new Map<number, Map<string, Bitmap>>()
  const atlases = groups.map(({ name = 'sprites', scale = 1, maxSize = 2048, hull, sequences }) => {
    const known = pictures.get(scale) ?? new Map<string, Bitmap>()
    for (const frame of sequences.flatMap(({ frames }) => frames)) known.set(frame.name, frame.bitmap)
    pictures.set(scale, known)
    const packed = makeAtlas(name, sequences, { scale, maxSize })
    const atlas = hull === undefined ? packed : withOutlines(packed, hull)
    const pages = atlas.pages.map(({ index, bitmap }) => ({
      file: pageFile(atlas, index, 'png'),
      bytes: encodePng(bitmap, 1),
      width: bitmap.width,
      height: bitmap.height,
    }))
    return { atlas, pages }
  })
  return { atlases, pictures }
}

/** A different picture for each seed: a speckled box with clear pixels around it. */
export function painted(width: number, height: number, seed: number): Bitmap {
  const bitmap = createBitmap(width, height)
  let state = (seed + 1) * 0x9e3779b1
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 0x100000000) * below)
  }
  const left = random(Math.ceil(width / 3))
  const top = random(Math.ceil(height / 3))
  const right = width - random(Math.ceil(width / 3))
  const bottom = height - random(Math.ceil(height / 3))
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      if (random(8) > 0) bitmap.data.set([random(256), random(256), random(256), 64 + random(192)], (y * width + x) * 4)
    }
  }
  return bitmap
}

/** How a test's animation differs from the plainest one. */
export interface Painting extends Partial<Omit<FrameSequence, 'name' | 'sprite' | 'frames' | 'play'>> {
  /** @default 24 */
  readonly width?: number
  /** @default 32 */
  readonly height?: number
  /** @default 3 */
  readonly count?: number
  /**
   * Indices in playing order.
   *
   * @default all
   */
  readonly use?: readonly number[]
}

/** An animation whose pictures depend on its name. */
export function painting(name: string, { width = 24, height = 32, count = 3, use, ...rest }: Painting = {}): FrameSequence {
  const seed = [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1_000_003
  const nameOf = (index: number): string => `${name}/${String(index).padStart(4, '0')}`
  const fps = rest.fps ?? 12
  return {
    name,
    sprite: name.split('/')[0]!,
    frames: Array.from({ length: count }, (_, index) => ({
      name: nameOf(index),
      bitmap: painted(width, height, seed + index),
      durationMs: 1000 / fps,
    })),
    play: (use ?? Array.from({ length: count }, (_, index) => index)).map(nameOf),
    loop: true,
    yoyo: false,
    trim: true,
    extrude: 1,
    padding: 2,
    pixelArt: false,
    ...rest,
    fps,
  }
}
