import { drawPage, type PagePicture } from './compose.ts'
import { weighPage } from './encode/weight.ts'
import { AtlasError } from './errors.ts'
import { type Borders, canvasOf, checkSequences, type FrameBoxes, type FrameSequence, mapBoxes } from './frame.ts'
import { withMirrors } from './frames/mirror.ts'
import { cutPieces, earlierPlaces, type Piece, untrimmedSlices } from './frames/pieces.ts'
import type { EarlierFrame, PlacedFrame } from './frames/placed-frame.ts'
import { drawPages } from './layers/layers.ts'
import { pageSide } from './limits.ts'
import type { AtlasLayer, Page } from './looks.ts'
import { type PackedPage, packPages } from './packing/packer.ts'

/** An animation of placed frames, all on one page. */
export interface AtlasAnimation {
  /** `sprite/animation`. */
  readonly name: string
  readonly sprite: string
  /** In playing order. */
  readonly frames: readonly { readonly name: string; readonly durationMs: number }[]
  readonly fps: number
  readonly loop: boolean
  readonly yoyo: boolean
}

/** Pages, frames and animations of one group at one scale: the engine-neutral model that all formats read. */
export interface Atlas {
  /** Group name, e.g. `sprites`. */
  readonly name: string
  /** Page pixels per unscaled pixel: 1, 0.5 … */
  readonly scale: number
  readonly pages: readonly Page[]
  /**
   * Further pages with the same places. Without looks of sequences, there are none.
   *
   * @default none
   */
  readonly layers?: readonly AtlasLayer[]
  /** Sorted by name. */
  readonly frames: readonly PlacedFrame[]
  /** Sorted by name. */
  readonly animations: readonly AtlasAnimation[]
  /** Whether the engine must scale by nearest neighbour. */
  readonly pixelArt: boolean
}

/** Options of {@link makeAtlas}. */
export interface AtlasOptions {
  /**
   * Longest side of a page, pixels, 64 to 16384. Pages over 4096 fail on many phones.
   *
   * @default 2048
   */
  readonly maxSize?: number
  /**
   * Page pixels per unscaled pixel, stored in the atlas. The given frames already have this scale.
   *
   * @default 1
   */
  readonly scale?: number
  /**
   * Frames of an earlier atlas. A frame with the same name and trimmed size keeps its place, if the pages are
   * at most 8 % larger than freshly packed ones. The pages then depend on this input, so keep it with the
   * sources.
   *
   * @default none
   */
  readonly earlier?: readonly EarlierFrame[]
  /**
   * Whether frames may be turned by 90° clockwise to pack them closer. Use it only for engines that can draw
   * such frames (PixiJS). If a sequence has borders, no frame of the atlas is turned.
   *
   * @default false
   */
  readonly rotate?: boolean
  /**
   * Places, sizes, offsets and page sides are multiples of this number of pixels, so that a smaller scale can
   * share the layout; see {@link alignSequences}.
   *
   * @default 1
   */
  readonly align?: number
  /**
   * `best`: of all layouts whose area is within 3 % of the smallest, chooses the layout with the fewest bytes by an
   * estimate, and turns frames only if this saves bytes. It takes up to two seconds for each page.
   *
   * @default 'fast'
   */
  readonly effort?: 'fast' | 'best' | undefined
}

/**
 * Packs sequences on pages.
 *
 * Frames are trimmed with a margin of one clear pixel, surrounded by `extrude` copies of their edge pixels,
 * and copied row by row without blending. Equal pictures are on a page once, even if several sprites use them.
 * All frames of an animation are on one page. Pages are as large as needed and have a clear border.
 *
 * @param name Name of the group.
 * @returns The atlas, with frames and animations sorted by name. `pixelArt` is true only if every sequence is
 * pixel art, since a page has one texture filter. Without sequences, there are no pages.
 * @throws {AtlasError} `SW_FRAME_SIZE` if frames of a sequence differ in size. `SW_PACK` if an animation does
 * not fit on a page. `SW_ATLAS_OPTION` for duplicate names, played frames that do not exist, or options out
 * of range.
 */
export function makeAtlas(name: string, given: readonly FrameSequence[], options: AtlasOptions = {}): Atlas {
  const { least, most, usual } = pageSide
  const maxSize = options.maxSize ?? usual
  if (!Number.isInteger(maxSize) || maxSize < least || maxSize > most) {
    const message = `Expected maxSize from ${least} to ${most} pixels, found ${maxSize}.`
    throw new AtlasError('SW_ATLAS_OPTION', { message, facts: { maxSize } })
  }
  const unsorted = withMirrors(given)
  checkSequences(unsorted)
  checkAlign(unsorted, options.align ?? 1)
  // Sorted, so that the pages do not depend on the order of the input.
  const sequences = [...unsorted].sort(byName).map(untrimmedSlices)
  const align = options.align ?? 1
  const { pieces, pictures, picturesOf } = cutPieces(sequences, align)
  // One padding for all sequences: of two neighbours the larger padding counts.
  const padding = Math.max(0, ...sequences.map((sequence) => sequence.padding))
  const unitsOf = (px: number): number => px / align
  const canTurn = options.rotate === true && sequences.every(({ borders }) => borders === undefined)
  const earlier = (options.earlier ?? []).filter(({ isTurned }) => canTurn || !isTurned)
  const packed = packPages(
    pictures.map(({ bitmap, extrude }) => ({ width: unitsOf(bitmap.width + 2 * extrude), height: unitsOf(bitmap.height + 2 * extrude) })),
    sequences.map(({ name }, at) => ({ name, members: picturesOf[at]! })),
    // At least one clear pixel, since pages whose sides are powers of two wrap around in Phaser.
    {
      maxSize: Math.floor(unitsOf(maxSize)),
      padding: unitsOf(padding),
      border: Math.max(1, Math.ceil(unitsOf(padding) / 2)),
      unit: align,
      canTurn,
      ...(options.effort === 'best' ? { weigh: (page) => weighPage(drawPage(inPixels(page, align), pictures)) } : {}),
    },
    earlierPlaces(earlier, sequences, pieces, pictures, align),
  ).map((page) => inPixels(page, align))
  const drawn = packed.map((page) => ({ page, pictures }))
  const scale = options.scale ?? 1
  return {
    name,
    scale,
    ...drawPages(drawn, sequences, scale),
    frames: placeFrames(packed, sequences, pieces, pictures, scale),
    animations: sequences.filter(({ isStill }) => !isStill).map(toAnimation),
    pixelArt: sequences.length > 0 && sequences.every((sequence) => sequence.pixelArt),
  }
}

/** Checks that sides, extrude and padding are multiples of the unit. */
function checkAlign(sequences: readonly FrameSequence[], align: number): void {
  for (const { name, frames, extrude, padding } of sequences) {
    const { width, height } = canvasOf(frames[0]!)
    if ([width, height, extrude, padding].every((px) => px % align === 0)) continue
    throw new AtlasError('SW_ATLAS_OPTION', {
      message: `Expected the frames of "${name}", their extrude and their padding to be multiples of ${align} pixels, found ${width} × ${height}, ${extrude} and ${padding}. Use alignSequences first.`,
      facts: { animation: name, align, width, height, extrude, padding },
    })
  }
}

/** Converts a packed page from units to pixels. */
function inPixels(page: PackedPage, unit: number): PackedPage {
  if (unit === 1) return page
  const positions = new Map([...page.positions].map(([index, place]) => [index, { ...place, x: place.x * unit, y: place.y * unit }]))
  return { ...page, width: page.width * unit, height: page.height * unit, positions }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

function placeFrames(
  packed: readonly PackedPage[],
  sequences: readonly FrameSequence[],
  pieces: readonly Piece[],
  pictures: readonly PagePicture[],
  scale: number,
): PlacedFrame[] {
  const pageOf = new Map(packed.flatMap((page, index) => page.groups.map((group) => [sequences[group]!, index] as const)))
  return pieces
    .map(({ frame, sequence, trimmed, picture }) => {
      const page = pageOf.get(sequence)!
      const { x, y, isTurned } = packed[page]!.positions.get(picture)!
      const { extrude } = pictures[picture]!
      return {
        name: frame.name,
        ...(sequence.isStill ? { isStill: true } : {}),
        page,
        x: x + extrude,
        y: y + extrude,
        width: trimmed.bitmap.width,
        height: trimmed.bitmap.height,
        ...(isTurned ? { isTurned } : {}),
        offsetX: trimmed.offsetX,
        offsetY: trimmed.offsetY,
        sourceWidth: canvasOf(frame).width,
        sourceHeight: canvasOf(frame).height,
        anchor: sequence.anchor,
        ...(sequence.borders === undefined ? {} : { borders: scaleBorders(sequence.borders, scale) }),
        ...(frame.boxes === undefined ? {} : { boxes: roundBoxes(frame.boxes) }),
      }
    })
    .sort(byName)
}

/** Scales borders and rounds them to whole pixels. */
export function scaleBorders({ left, top, right, bottom }: Borders, scale: number): Borders {
  const scaled = (side: number): number => Math.round(side * scale)
  return { left: scaled(left), top: scaled(top), right: scaled(right), bottom: scaled(bottom) }
}

/** Rounds boxes to hundredths of a pixel. */
export function roundBoxes(boxes: FrameBoxes): FrameBoxes {
  const rounded = (px: number): number => Math.round(px * 100) / 100
  return mapBoxes(boxes, ([x, y, width, height]) => [rounded(x), rounded(y), rounded(width), rounded(height)])
}

function toAnimation(sequence: FrameSequence): AtlasAnimation {
  const durations = new Map(sequence.frames.map((frame) => [frame.name, frame.durationMs]))
  return {
    name: sequence.name,
    sprite: sequence.sprite,
    frames: sequence.play.map((name, at) => ({ name, durationMs: sequence.durations?.[at] ?? durations.get(name)! })),
    fps: sequence.fps,
    loop: sequence.loop,
    yoyo: sequence.yoyo,
  }
}
