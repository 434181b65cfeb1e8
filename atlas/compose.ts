import { type Bitmap, blit, createBitmap, turn } from './bitmap.ts'
import type { PackedPage } from './packer.ts'

/** A picture as it goes on a page. */
export interface PagePicture {
  readonly bitmap: Bitmap
  /** Rings of repeated edge pixels around it. */
  readonly extrude: number
}

/** A page that is drawn when it is looked at, and given up when nobody does any more: those of a large project do not all fit into memory. */
export function pageOf(index: number, draw: () => Bitmap): { readonly index: number; readonly bitmap: Bitmap } {
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

/** Draws a page: straight copies of rows, without blending, each picture with its rings; turned ones by 90° clockwise. */
export function drawPage(page: PackedPage, pictures: readonly PagePicture[]): Bitmap {
  const bitmap = createBitmap(page.width, page.height)
  for (const [index, { x, y, isTurned }] of page.positions) {
    const { bitmap: upright, extrude } = pictures[index]!
    const picture = isTurned ? turn(upright) : upright
    blit(bitmap, picture, x + extrude, y + extrude)
    extrudeEdges(bitmap, x + extrude, y + extrude, picture.width, picture.height, extrude)
  }
  return bitmap
}

/** Repeats the edge pixels of a rectangle outwards, corners too, `rings` times. */
function extrudeEdges(page: Bitmap, x: number, y: number, width: number, height: number, rings: number): void {
  const { data } = page
  const at = (column: number, row: number): number => (row * page.width + column) * 4
  for (let row = y; row < y + height; row++) {
    for (let ring = 1; ring <= rings; ring++) {
      data.copyWithin(at(x - ring, row), at(x, row), at(x, row) + 4)
      data.copyWithin(at(x + width - 1 + ring, row), at(x + width - 1, row), at(x + width - 1, row) + 4)
    }
  }
  const left = x - rings
  const span = (width + 2 * rings) * 4
  for (let ring = 1; ring <= rings; ring++) {
    data.copyWithin(at(left, y - ring), at(left, y), at(left, y) + span)
    data.copyWithin(at(left, y + height - 1 + ring), at(left, y + height - 1), at(left, y + height - 1) + span)
  }
}
