import { refusePng } from './chunks.ts'

/**
 * Undoes the row filters of PNG in place.
 *
 * @param raw Rows, each preceded by its filter number. It holds the result afterwards.
 * @param stride Bytes per row, without the filter number.
 * @param step Bytes per pixel, at least 1.
 * @returns The rows without filter numbers, one after another: a view of the front of `raw`.
 * @throws {AtlasError} `SW_PNG` for an unknown filter.
 * @see W3C PNG (Third Edition), 9.2.
 */
export function unfilter(raw: Uint8Array, height: number, stride: number, step: number): Uint8Array {
  // A row moves forward over its own bytes. Filters that read them in another order read this copy.
  const line = new Uint8Array(stride)
  for (let row = 0; row < height; row++) {
    const from = row * (stride + 1) + 1
    const to = row * stride
    const filter = raw[from - 1]!
    if (filter > 4) refusePng('filter', `expected a row filter from 0 to 4, found ${filter} in row ${row}.`)
    const isFirst = row === 0
    if (filter === 0 || (filter === 2 && isFirst)) raw.copyWithin(to, from, from + stride)
    else if (filter === 2) undoUp(raw, from, to, stride)
    else {
      line.set(raw.subarray(from, from + stride))
      // In the first row Paeth is the same as Sub.
      if (filter === 1 || (filter === 4 && isFirst)) undoSub(raw, line, to, step)
      else if (filter === 3) undoAverage(raw, line, to, step, isFirst)
      else undoPaeth(raw, line, to, step)
    }
  }
  return raw.subarray(0, height * stride)
}

function undoUp(out: Uint8Array, from: number, to: number, stride: number): void {
  const above = to - stride
  for (let i = 0; i < stride; i++) out[to + i] = out[from + i]! + out[above + i]!
}

// Channel by channel, so that the left neighbour is in a variable.

function undoSub(out: Uint8Array, line: Uint8Array, to: number, step: number): void {
  for (let channel = 0; channel < step; channel++) {
    let left = 0
    for (let i = channel; i < line.length; i += step) {
      left = (line[i]! + left) & 255
      out[to + i] = left
    }
  }
}

function undoAverage(out: Uint8Array, line: Uint8Array, to: number, step: number, isFirst: boolean): void {
  const above = to - line.length
  for (let channel = 0; channel < step; channel++) {
    let left = 0
    for (let i = channel; i < line.length; i += step) {
      left = (line[i]! + ((left + (isFirst ? 0 : out[above + i]!)) >> 1)) & 255
      out[to + i] = left
    }
  }
}

function undoPaeth(out: Uint8Array, line: Uint8Array, to: number, step: number): void {
  const above = to - line.length
  for (let channel = 0; channel < step; channel++) {
    let left = 0
    let corner = 0
    for (let i = channel; i < line.length; i += step) {
      const up = out[above + i]!
      const towardsLeft = Math.abs(up - corner)
      const towardsUp = Math.abs(left - corner)
      const towardsCorner = Math.abs(left + up - corner - corner)
      const guess = towardsLeft <= towardsUp && towardsLeft <= towardsCorner ? left : towardsUp <= towardsCorner ? up : corner
      left = (line[i]! + guess) & 255
      out[to + i] = left
      corner = up
    }
  }
}
