import type { Bitmap } from '../bitmap.ts'

/**
 * Returns the rows of a picture as PNG compresses them. Each row has the filter that leaves the fewest
 * different pairs of neighbouring bytes, since pairs that repeat are what zlib finds.
 *
 * @see W3C PNG (Third Edition), 9.2.
 */
export function filterRows({ width, height, data }: Bitmap): Uint8Array {
  const stride = width * 4
  const raw = new Uint8Array(height * (stride + 1))
  const tries = Array.from({ length: 5 }, () => new Uint8Array(stride))
  /** The number of the last row, plus its filter, in which a pair occurred. */
  const seen = new Uint32Array(1 << 16)
  let above: Uint8Array = new Uint8Array(stride)
  for (let y = 0; y < height; y++) {
    const row = data.subarray(y * stride, (y + 1) * stride)
    let [best, fewest] = [0, Infinity]
    for (const [filter, filtered] of tries.entries()) {
      filterRow(filter, row, above, filtered)
      const mark = y * tries.length + filter + 1
      let pairs = 0
      for (let at = 1; at < stride; at++) {
        const pair = (filtered[at - 1]! << 8) | filtered[at]!
        if (seen[pair] !== mark) pairs++
        seen[pair] = mark
      }
      if (pairs < fewest) [best, fewest] = [filter, pairs]
    }
    raw[y * (stride + 1)] = best
    raw.set(tries[best]!, y * (stride + 1) + 1)
    above = row
  }
  return raw
}

function filterRow(filter: number, row: Uint8Array, above: Uint8Array, into: Uint8Array): void {
  for (let at = 0; at < row.length; at++) {
    const left = at < 4 ? 0 : row[at - 4]!
    const up = above[at]!
    into[at] = row[at]! - guess(filter, left, up, at < 4 ? 0 : above[at - 4]!)
  }
}

function guess(filter: number, left: number, up: number, corner: number): number {
  if (filter < 2) return filter * left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const [towardsLeft, towardsUp, towardsCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  return towardsLeft <= towardsUp && towardsLeft <= towardsCorner ? left : towardsUp <= towardsCorner ? up : corner
}
