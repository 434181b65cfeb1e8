import { type Atlas, roundBoxes, scaleBorders } from './atlas.ts'
import { type Bitmap, blit, createBitmap, crop } from './bitmap.ts'
import type { PagePicture } from './compose.ts'
import type { Borders, FrameBoxes, FrameSequence } from './frame.ts'
import { withMirrors } from './frames/mirror.ts'
import { cutPlaced, type PlacedFrame } from './frames/placed-frame.ts'
import { visibleBox } from './frames/trim.ts'
import { drawPages } from './layers/layers.ts'
import type { Looks } from './looks.ts'

/** Largest unit that scales may share. A larger unit would waste more area than the shared layout saves. */
const LARGEST_UNIT = 16

/**
 * Returns the smallest number of pixels at the largest scale that is a whole number of pixels at every scale:
 * 2 for 1 and 0.5, 4 for 1 and 0.75. A layout in multiples of this unit fits all scales.
 *
 * @param scales One or more, above 0.
 * @returns 1 for a single scale. Returns `undefined` if there is no such number up to 16, as for 1 and 0.33. Then
 * each scale is packed separately.
 */
export function sharedUnit(scales: readonly number[]): number | undefined {
  const largest = Math.max(...scales)
  for (let unit = 1; unit <= LARGEST_UNIT; unit++) if (scales.every((scale) => isWhole((unit * scale) / largest))) return unit
  return undefined
}

function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6
}

/**
 * Prepares sequences for a layout that several scales share.
 *
 * Frames get clear columns on the right and clear rows below until their sides are whole at every scale.
 * Anchors keep their points. Padding and extrude become multiples of the unit. At the smallest scale, both are at
 * least as large as requested, up to their limits.
 *
 * @param sequences Sequences at scale 1.
 * @param unit See {@link sharedUnit}.
 * @returns Sequences at scale 1. Only padding and extrude are pixels of the largest scale.
 */
export function alignSequences(sequences: readonly FrameSequence[], scales: readonly number[], unit: number): FrameSequence[] {
  const largest = Math.max(...scales)
  const smallestPx = (unit * Math.min(...scales)) / largest
  const inUnits = (px: number, limit: number): number => Math.min(Math.ceil(px / smallestPx), Math.floor(limit / unit)) * unit
  const whole = (side: number): number => {
    for (let more = side; more < side + LARGEST_UNIT * unit; more++) if (isWhole((more * largest) / unit)) return more
    return side
  }
  return sequences.map((sequence) => {
    const { width, height } = sequence.frames[0]!.bitmap
    const [wide, high] = [whole(width), whole(height)]
    const { anchor } = sequence
    return {
      ...sequence,
      frames: sequence.frames.map((frame) => ({ ...frame, bitmap: enlarge(frame.bitmap, wide, high) })),
      ...(anchor === undefined ? {} : { anchor: { x: (anchor.x * width) / wide, y: (anchor.y * height) / high } }),
      extrude: inUnits(sequence.extrude, 16),
      padding: inUnits(sequence.padding, 64),
    }
  })
}

function enlarge(bitmap: Bitmap, width: number, height: number): Bitmap {
  if (width === bitmap.width && height === bitmap.height) return bitmap
  const larger = createBitmap(width, height)
  blit(larger, bitmap, 0, 0)
  return larger
}

/**
 * Returns the same atlas at a smaller scale: each place, size and offset is multiplied by the ratio.
 *
 * Lanczos adds faint rings around the visible pixels, farther out than the margin of the trim. Pixels more
 * than one pixel out are cleared, so that trimmed frames fade out inside their rectangles at every scale.
 *
 * @param large An atlas made with `align`, from aligned sequences at the largest scale. Outlines are added to
 * each scale afterwards.
 * @param sequences The aligned sequences at the smaller scale.
 */
export function shrinkAtlas(large: Atlas, sequences: readonly FrameSequence[], scale: number): Atlas {
  const ratio = scale / large.scale
  const times = (px: number): number => Math.round(px * ratio)
  const sources = new Map(
    withMirrors(sequences).flatMap(({ frames, extrude, borders, trim, looks }) =>
      frames.map((frame) => [
        frame.name,
        {
          bitmap: frame.bitmap,
          extrude: times(extrude),
          isTrimmed: trim && borders === undefined,
          looks,
          ...(borders ? { borders: scaleBorders(borders, scale) } : {}),
          ...(frame.boxes ? { boxes: roundBoxes(frame.boxes) } : {}),
        },
      ]),
    ),
  ) as ReadonlyMap<string, { bitmap: Bitmap; extrude: number; isTrimmed: boolean; looks?: Looks; borders?: Borders; boxes?: FrameBoxes }>
  const frames = large.frames.map(({ hull: _, borders: __, boxes: ___, ...frame }): PlacedFrame => {
    const { borders, boxes } = sources.get(frame.name)!
    return {
      ...frame,
      x: times(frame.x),
      y: times(frame.y),
      width: times(frame.width),
      height: times(frame.height),
      offsetX: times(frame.offsetX),
      offsetY: times(frame.offsetY),
      sourceWidth: times(frame.sourceWidth),
      sourceHeight: times(frame.sourceHeight),
      borders,
      ...(boxes ? { boxes } : {}),
    }
  })
  const drawn = large.pages.map(({ index, bitmap }) => {
    const pictures: PagePicture[] = []
    const places = new Map<string, { x: number; y: number; isTurned: boolean; picture: number }>()
    for (const [at, { name, page, x, y, width, height, offsetX, offsetY, isTurned = false }] of frames.entries()) {
      // Frames that show the same picture share its place.
      if (page !== index || places.has(`${x} ${y}`)) continue
      const source = sources.get(name)!
      const whole = crop(source.bitmap, offsetX, offsetY, width, height)
      const cut = source.isTrimmed ? clearMargin(whole, cutPlaced(bitmap, large.frames[at]!), ratio) : whole
      const picture = pictures.push({ bitmap: cut, extrude: source.extrude, looks: source.looks }) - 1
      places.set(`${x} ${y}`, { x: x - source.extrude, y: y - source.extrude, isTurned, picture })
    }
    const positions = new Map([...places.values()].map(({ picture, ...place }) => [picture, place]))
    return { page: { width: times(bitmap.width), height: times(bitmap.height), positions, groups: [] }, pictures }
  })
  return { ...large, scale, ...drawPages(drawn, sequences, scale), frames }
}

/**
 * Returns a scaled picture with all pixels cleared that are more than one pixel outside of the scaled visible
 * box.
 */
function clearMargin(scaled: Bitmap, large: Bitmap, ratio: number): Bitmap {
  const cleared = createBitmap(scaled.width, scaled.height)
  const box = visibleBox(large, 0)
  if (box === undefined) return cleared
  // Tolerance for rounding: 3 × a third is 1.
  const down = (px: number): number => Math.floor(px * ratio + 1e-6)
  const up = (px: number): number => Math.ceil(px * ratio - 1e-6)
  const [left, top] = [Math.max(0, down(box.left) - 1), Math.max(0, down(box.top) - 1)]
  const [right, bottom] = [Math.min(scaled.width, up(box.right) + 1), Math.min(scaled.height, up(box.bottom) + 1)]
  blit(cleared, crop(scaled, left, top, right - left, bottom - top), left, top)
  return cleared
}
