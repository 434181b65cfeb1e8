import { type Bitmap, createBitmap, turn } from './bitmap.ts'
import type { Looks } from './looks.ts'
import type { PackedPage } from './packing/packer.ts'

/** A picture to draw on a page. */
export interface PagePicture {
  readonly bitmap: Bitmap
  /** Number of rings of repeated edge pixels around the picture. */
  readonly extrude: number
  readonly looks?: Looks | undefined
}

/**
 * Returns a page that is drawn when its bitmap is read. The bitmap may be freed when it is no longer referenced,
 * because all pages of a large project together do not fit into memory.
 */
export function lazyPage(index: number, draw: () => Bitmap): { readonly index: number; readonly bitmap: Bitmap } {
  let drawn: WeakRef<Bitmap> | undefined
  return {
    index,
    get bitmap() {
      const bitmap = drawn?.deref() ?? draw()
      drawn = new WeakRef(bitmap)
      return bitmap
    },
  }
}

/**
 * Draws pictures on a clear page without blending, each with its rings. A turned picture is turned by 90°
 * clockwise.
 */
export function drawPage({ width, height, positions }: PackedPage, pictures: readonly PagePicture[]): Bitmap {
  const page = createBitmap(width, height)
  for (const [index, { x, y, isTurned }] of positions) {
    const { bitmap, extrude } = pictures[index]!
    copyWithRings(page, isTurned ? turn(bitmap) : bitmap, extrude, x, y)
  }
  return page
}

/** @param x Left edge of the outermost ring. */
function copyWithRings(page: Bitmap, picture: Bitmap, extrude: number, x: number, y: number): void {
  const span = picture.width * 4
  for (let row = 0; row < picture.height + 2 * extrude; row++) {
    // Rings above and below repeat the first and the last row.
    const line = Math.min(Math.max(row - extrude, 0), picture.height - 1) * span
    const start = ((y + row) * page.width + x + extrude) * 4
    page.data.set(picture.data.subarray(line, line + span), start)
    repeatEnds(page.data, start, start + span, extrude)
  }
}

/** Repeats the first and the last pixel of a row outwards. */
function repeatEnds(data: Uint8Array, start: number, end: number, times: number): void {
  for (let ring = 1; ring <= times; ring++) {
    data.copyWithin(start - 4 * ring, start, start + 4)
    data.copyWithin(end + 4 * (ring - 1), end - 4, end)
  }
}
