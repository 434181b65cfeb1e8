import type { Seen } from './chunks.ts'
import type { Fields } from './fields.ts'
import { refuseAseprite } from './refuse.ts'

/** Steps of copying a palette. */
const PALETTE_STEPS = 256

/** Opaque black, the colour of an undefined entry in Aseprite. */
const BLACK = 0xff000000

/**
 * Reads a palette chunk. The chunk changes the colours of this frame and all later frames. Colours after the 256th
 * are dropped, since a pixel is one byte.
 */
export function readPalette(fields: Fields, seen: Seen): void {
  seen.hasNewPalette = true
  const size = fields.dword()
  const [first, last] = [fields.dword(), fields.dword()]
  fields.skip(8)
  if (first > last || last >= size) refuseAseprite('palette', `expected colours below ${size}, found ${first} to ${last}.`)
  const palette = resized(seen, Math.min(size, 256))
  for (let index = first; index <= last; index++) {
    const hasName = (fields.word() & 1) !== 0
    const colour = fields.dword()
    if (hasName) fields.skip(fields.word())
    if (index < palette.length) palette[index] = colour
  }
  seen.palette = palette
}

/**
 * Reads a palette chunk of Aseprite before 1.1, or of any version without clear colours. It is ignored after a
 * palette chunk of the new form.
 *
 * @param levels Number of values of a channel: 256, or 64 as in FLI files.
 */
export function readOldPalette(fields: Fields, seen: Seen, levels: 256 | 64): void {
  if (seen.hasNewPalette) return
  const packets = fields.word()
  // Two packets would mean different colours in the format, in FLI and in Aseprite's reader. No program writes them.
  if (packets > 1) refuseAseprite('palette', `expected one run of colours in an old palette, found ${packets}.`)
  if (packets === 0) return
  const first = fields.byte()
  const count = fields.byte() || 256
  if (first + count > 256) refuseAseprite('palette', `expected colours below 256, found ${first} to ${first + count - 1}.`)
  const palette = resized(seen, Math.max(seen.palette.length, first + count))
  const channel = (): number => {
    const value = fields.byte()
    return levels === 256 ? value : ((value << 2) | (value >> 4)) & 255
  }
  for (let index = first; index < first + count; index++) palette[index] = (BLACK | channel() | (channel() << 8) | (channel() << 16)) >>> 0
  seen.palette = palette
}

/** Returns a copy of the palette, because earlier frames keep theirs. */
function resized({ palette, budget }: Seen, size: number): Uint32Array {
  budget.work(PALETTE_STEPS)
  const copy = new Uint32Array(size).fill(BLACK)
  copy.set(palette.subarray(0, size))
  return copy
}
