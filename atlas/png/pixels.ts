import { type PngParts, refusePng } from './chunks.ts'

/** Channels per pixel of a colour type. */
export function channelsOf(colourType: number): number {
  return [1, 0, 3, 1, 2, 0, 4][colourType]!
}

/**
 * Converts unfiltered rows to RGBA8.
 *
 * @param rows Packed rows, each starting at a byte.
 * @param count Number of pixels.
 * @param width Pixels per row.
 * @param out `count * 4` bytes.
 * @throws {AtlasError} `SW_PNG` if a pixel's index is beyond the palette.
 */
export function toRgba(parts: PngParts, rows: Uint8Array, count: number, width: number, out: Uint8Array): void {
  const { depth, colourType } = parts.header
  const samples = depth < 8 ? unpackBits(rows, count, width, depth) : rows
  if (colourType === 3) fromPalette(parts, samples, count, out)
  else if (colourType === 6 && depth === 8) out.set(samples)
  else fromSamples(parts, samples, count, out)
}

function fromSamples(parts: PngParts, samples: Uint8Array, count: number, out: Uint8Array): void {
  const { depth, colourType } = parts.header
  // Of 16 bits only the high byte, which comes first, is used. Grey of fewer than 8 bits is scaled to 0 to
  // 255.
  const bytes = depth === 16 ? 2 : 1
  const spread = depth < 8 ? 255 / (2 ** depth - 1) : 1
  const channels = channelsOf(colourType)
  const isGrey = colourType === 0 || colourType === 4
  const hasAlpha = channels === 2 || channels === 4
  const step = channels * bytes
  for (let pixel = 0; pixel < count; pixel++) {
    const at = pixel * step
    const to = pixel * 4
    const first = samples[at]! * spread
    out[to] = first
    out[to + 1] = isGrey ? first : samples[at + bytes]!
    out[to + 2] = isGrey ? first : samples[at + 2 * bytes]!
    out[to + 3] = hasAlpha ? samples[at + step - bytes]! : 255
  }
  if (parts.transparency !== undefined) clearKeyed(parts.transparency, samples, count, channels, bytes, out)
}

/** Unpacks samples of 1, 2 or 4 bits to one byte each. Each row starts at a byte. */
function unpackBits(rows: Uint8Array, count: number, width: number, depth: number): Uint8Array {
  const samples = new Uint8Array(count)
  const stride = Math.ceil((width * depth) / 8)
  const mask = 2 ** depth - 1
  for (let row = 0, to = 0; to < count; row++) {
    for (let column = 0; column < width; column++, to++) {
      const bit = column * depth
      samples[to] = (rows[row * stride + (bit >> 3)]! >> (8 - depth - (bit & 7))) & mask
    }
  }
  return samples
}

function fromPalette(parts: PngParts, samples: Uint8Array, count: number, out: Uint8Array): void {
  const palette = parts.palette!
  const alpha = parts.transparency ?? new Uint8Array()
  const colours = palette.length / 3
  for (let pixel = 0; pixel < count; pixel++) {
    const index = samples[pixel]!
    if (index >= colours) refusePng('palette-index', `expected a colour from 0 to ${colours - 1}, found ${index} at pixel ${pixel}.`)
    out[pixel * 4] = palette[index * 3]!
    out[pixel * 4 + 1] = palette[index * 3 + 1]!
    out[pixel * 4 + 2] = palette[index * 3 + 2]!
    out[pixel * 4 + 3] = index < alpha.length ? alpha[index]! : 255
  }
}

/** Clears the pixels of the one colour in tRNS. Colours are compared at full depth. */
function clearKeyed(key: Uint8Array, samples: Uint8Array, count: number, channels: number, bytes: number, out: Uint8Array): void {
  for (let pixel = 0; pixel < count; pixel++) {
    let matches = true
    for (let channel = 0; channel < channels && matches; channel++) {
      const at = (pixel * channels + channel) * bytes
      // The key has 16 bits per channel at every depth.
      matches =
        samples[at + bytes - 1] === key[channel * 2 + 1] && (bytes === 2 ? samples[at] === key[channel * 2] : key[channel * 2] === 0)
    }
    if (matches) out[pixel * 4 + 3] = 0
  }
}
