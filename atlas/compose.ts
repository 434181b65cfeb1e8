import { createHash } from 'node:crypto'
import { type Bitmap, createBitmap, turn } from './bitmap.ts'
import { pictureDigest } from './digest.ts'
import { loadPixels } from './kept-bitmap.ts'
import type { PackedPage } from './packer.ts'

/** A picture as it goes on a page. */
export interface PagePicture {
  readonly bitmap: Bitmap
  /** Rings of repeated edge pixels around it. */
  readonly extrude: number
}

/** A page of which some rows can be had without the others. */
export interface PageRows {
  readonly width: number
  readonly height: number
  /** Tells the pixels of rows apart from others, without drawing them where that can be. @param to The row behind the last. */
  digest(from: number, to: number): string
  /** Reads what rows are drawn from, where that has not been done. */
  load(from: number, to: number): Promise<void>
  /** Pixels of rows. @param lead Bytes of 0 before each row. */
  draw(from: number, to: number, lead: number): Uint8Array
}

interface DrawnPage {
  readonly index: number
  readonly bitmap: Bitmap
}

const undrawn = new WeakMap<DrawnPage, PageRows>()

/** A page that is drawn when it is looked at, and given up when nobody does any more: those of a large project do not all fit into memory. */
export function pageOf(index: number, rows: PageRows): DrawnPage {
  let drawn: WeakRef<Bitmap> | undefined
  const page = {
    index,
    get bitmap() {
      const bitmap = drawn?.deref() ?? createBitmap(rows.width, rows.height, rows.draw(0, rows.height, 0))
      drawn = new WeakRef(bitmap)
      return bitmap
    },
  }
  undrawn.set(page, rows)
  return page
}

/** The rows of a page, undrawn where it is one of {@link pageOf}. A copy of such a page, perhaps with another bitmap, is told by its bitmap. */
export function rowsOf(page: DrawnPage): PageRows {
  return undrawn.get(page) ?? new BitmapRows(page.bitmap)
}

/** A picture with its place on a page, rings included. */
interface Placed extends PagePicture {
  readonly x: number
  readonly y: number
  readonly isTurned: boolean
  /** Sides on the page, without rings. */
  readonly wide: number
  readonly high: number
  /** The row behind the last. */
  readonly end: number
}

/** Rows of placed pictures: straight copies, without blending, each picture with its rings; turned ones by 90° clockwise. */
export class PlacedRows implements PageRows {
  readonly width: number
  readonly height: number
  /** From the top. */
  readonly #placed: readonly Placed[]

  constructor({ width, height, positions }: PackedPage, pictures: readonly PagePicture[]) {
    this.width = width
    this.height = height
    this.#placed = [...positions]
      .map(([index, { x, y, isTurned }]) => {
        const { bitmap, extrude } = pictures[index]!
        const wide = isTurned ? bitmap.height : bitmap.width
        const high = isTurned ? bitmap.width : bitmap.height
        return { bitmap, extrude, x, y, isTurned, wide, high, end: y + high + 2 * extrude }
      })
      .sort((a, b) => a.y - b.y || a.x - b.x)
  }

  digest(from: number, to: number): string {
    const what = this.#within(from, to).map(({ bitmap, extrude, x, y, isTurned }) => [
      pictureDigest(bitmap),
      extrude,
      x,
      y - from,
      isTurned,
    ])
    return createHash('sha256').update(JSON.stringify(what)).digest('base64')
  }

  load(from: number, to: number): Promise<void> {
    return loadPixels(this.#within(from, to).map(({ bitmap }) => bitmap))
  }

  draw(from: number, to: number, lead: number): Uint8Array {
    const stride = lead + 4 * this.width
    const data = new Uint8Array((to - from) * stride)
    for (const placed of this.#within(from, to)) {
      const first = Math.max(from, placed.y)
      copyRows(placed, first, Math.min(to, placed.end), data, (first - from) * stride + lead + (placed.x + placed.extrude) * 4, stride)
    }
    return data
  }

  #within(from: number, to: number): readonly Placed[] {
    return this.#placed.filter(({ y, end }) => y < to && end > from)
  }
}

/** Copies rows of a picture, its rings too. @param to Where the first of them begins, behind its ring. */
function copyRows(
  { bitmap, isTurned, extrude, y, wide, high }: Placed,
  from: number,
  end: number,
  data: Uint8Array,
  to: number,
  stride: number,
): void {
  const source = (isTurned ? turn(bitmap) : bitmap).data
  const span = wide * 4
  let at = to
  for (let row = from; row < end; row++, at += stride) {
    // Rings above and below repeat the first row and the last.
    const line = Math.min(Math.max(row - y - extrude, 0), high - 1) * span
    data.set(source.subarray(line, line + span), at)
    if (extrude > 0) repeatEnds(data, at, at + span, extrude)
  }
}

/** Repeats the first and the last pixel of a row outwards. */
function repeatEnds(data: Uint8Array, start: number, end: number, times: number): void {
  for (let ring = 1; ring <= times; ring++) {
    data.copyWithin(start - 4 * ring, start, start + 4)
    data.copyWithin(end + 4 * (ring - 1), end - 4, end)
  }
}

/** Rows of a whole picture. */
export class BitmapRows implements PageRows {
  readonly width: number
  readonly height: number
  readonly #data: Uint8Array

  constructor({ width, height, data }: Bitmap) {
    this.width = width
    this.height = height
    this.#data = data
  }

  digest(from: number, to: number): string {
    const span = 4 * this.width
    const pixels = this.#data.subarray(from * span, to * span)
    return createHash('sha256').update('pixels ').update(pixels).digest('base64')
  }

  async load(): Promise<void> {}

  draw(from: number, to: number, lead: number): Uint8Array {
    const span = 4 * this.width
    const raw = new Uint8Array((to - from) * (lead + span))
    for (let row = from; row < to; row++) raw.set(this.#data.subarray(row * span, (row + 1) * span), (row - from) * (lead + span) + lead)
    return raw
  }
}
