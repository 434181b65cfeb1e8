import type { Bitmap } from '../../../atlas/index.ts'
import { createPalette, type Palette } from './gif-palette.ts'

/**
 * Writes an animated GIF that loops for ever: one palette of at most 255 colours for all frames, and a clear one.
 *
 * @param frames One or more of one size, straight-alpha RGBA8; pixels of alpha under 128 become clear.
 * @param delayMs Dwell of each frame; GIF counts in hundredths of a second.
 * @see CompuServe GIF89a, and the Netscape looping extension.
 */
export function encodeGif(frames: readonly Bitmap[], delayMs: number): Uint8Array {
  const { width, height } = frames[0]!
  const palette = createPalette(frames)
  const parts: Uint8Array[] = [
    ascii('GIF89a'),
    // A global palette of 2^(7+1) colours at 8 bits; background colour 0, square pixels.
    Uint8Array.of(...word(width), ...word(height), 0xf7, 0, 0),
    palette.colours,
    Uint8Array.of(0x21, 0xff, 11),
    ascii('NETSCAPE2.0'),
    Uint8Array.of(3, 1, 0, 0, 0),
  ]
  for (const frame of frames) {
    // Disposal 2: each frame stands on a clear ground, so that it may be cut out differently from the one before.
    parts.push(Uint8Array.of(0x21, 0xf9, 4, 0x09, ...word(Math.max(2, Math.round(delayMs / 10))), CLEAR, 0))
    parts.push(Uint8Array.of(0x2c, 0, 0, 0, 0, ...word(width), ...word(height), 0, MINIMUM_BITS))
    parts.push(...toBlocks(packLzw(toIndices(frame, palette))), Uint8Array.of(0))
  }
  parts.push(Uint8Array.of(0x3b))
  return new Uint8Array(Buffer.concat(parts))
}

/** Index of the clear colour. */
const CLEAR = 0
const MINIMUM_BITS = 8

function toIndices(frame: Bitmap, palette: Palette): Uint8Array {
  const indices = new Uint8Array(frame.width * frame.height)
  for (let pixel = 0; pixel < indices.length; pixel++) {
    const at = pixel * 4
    const isClear = frame.data[at + 3]! < 128
    indices[pixel] = isClear ? CLEAR : palette.indexOf(frame.data[at]!, frame.data[at + 1]!, frame.data[at + 2]!)
  }
  return indices
}

/** The code of a known string followed by one more colour, while a frame is packed; 0 where there is none, since no string has code 0. */
const strings = new Uint16Array(4096 << MINIMUM_BITS)
/** Where each code stands in it: forgetting a few thousand strings one by one is much cheaper than clearing, or making, all of it. */
const places = new Int32Array(4096)

/** Variable-length LZW, codes of 9 to 12 bits, least significant bit first. */
function packLzw(indices: Uint8Array): Uint8Array {
  const clearCode = 1 << MINIMUM_BITS
  // A code of 12 bits for every pixel and a clear one for every string table would be the most.
  const bytes = new Uint8Array(indices.length * 2 + 16)
  let length = 0
  let held = 0
  let heldBits = 0
  let bits = MINIMUM_BITS + 1
  const write = (code: number): void => {
    held |= code << heldBits
    heldBits += bits
    for (; heldBits >= 8; heldBits -= 8, held >>>= 8) bytes[length++] = held & 255
  }
  let next = clearCode + 2
  write(clearCode)
  let prefix = indices[0]!
  for (let at = 1; at < indices.length; at++) {
    const colour = indices[at]!
    const known = strings[(prefix << MINIMUM_BITS) | colour]!
    if (known !== 0) {
      prefix = known
      continue
    }
    write(prefix)
    if (next < 4096) {
      const place = (prefix << MINIMUM_BITS) | colour
      strings[place] = next
      places[next] = place
      if (next === 1 << bits) bits++
      next++
    } else {
      write(clearCode)
      forget(next)
      next = clearCode + 2
      bits = MINIMUM_BITS + 1
    }
    prefix = colour
  }
  write(prefix)
  forget(next)
  // The reader adds a string for this code too, which may lengthen the end code.
  if (next === 1 << bits && bits < 12) bits++
  write(clearCode + 1)
  if (heldBits > 0) bytes[length++] = held & 255
  return bytes.subarray(0, length)
}

/** Forgets the strings with codes below `end`. */
function forget(end: number): void {
  for (let code = (1 << MINIMUM_BITS) + 2; code < end; code++) strings[places[code]!] = 0
}

/** Sub-blocks of at most 255 bytes, each after its length. */
function toBlocks(bytes: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.subarray(at, at + 255)
    blocks.push(Uint8Array.of(block.length), block)
  }
  return blocks
}

function word(value: number): [number, number] {
  return [value & 255, value >> 8]
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
