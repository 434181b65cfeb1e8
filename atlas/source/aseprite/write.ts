import { deflateSync } from 'node:zlib'
import { type Bitmap, crop } from '../../bitmap.ts'
import { AtlasError } from '../../errors.ts'
import {
  type AsepriteFile,
  type AsepriteFrame,
  type AsepriteRectangle,
  type AsepriteSlice,
  type AsepriteTag,
  directions,
  NO_PIVOT,
} from './file.ts'

/**
 * Writes an Aseprite file of one RGBA layer. Each frame is a compressed cel, cut to its content. The same file
 * gives the same bytes on one zlib version, and `readAseprite` reads an equal file from them.
 *
 * @throws {AtlasError} `SW_FRAME_SIZE` for a frame of another size than the canvas. `SW_ATLAS_OPTION` for a number
 * or a name that does not fit its field, and for a tag or a slice outside of the frames.
 * @see Aseprite File Format (.ase/.aseprite) Specifications.
 */
export function writeAseprite(file: AsepriteFile): Uint8Array {
  const { width, height, frames, tags, slices } = file
  checkFrames(file)
  const first = [chunk(0x2007, word(1), zeros(14)), tagsChunk(tags), layerChunk(), ...slices.map(sliceChunk)]
  const written = frames.map((frame, index) => frameBytes(frame, index === 0 ? first : []))
  const size = 128 + written.reduce((sum, { length }) => sum + length, 0)
  const sizes = [word(frames.length, 'frames', 1), word(width, 'width', 1), word(height, 'height', 1), word(32)]
  // Flag 1: layers have an opacity. After the speed of a frame, there are no colours of a palette but one.
  const rest = [dword(1), word(frames[0]!.durationMs), zeros(12), word(1), Uint8Array.of(1, 1), zeros(92)]
  return new Uint8Array(Buffer.concat([dword(size), word(0xa5e0), ...sizes, ...rest, ...written]))
}

function checkFrames({ width, height, frames, tags, slices }: AsepriteFile): void {
  const odd = frames.findIndex(({ bitmap }) => bitmap.width !== width || bitmap.height !== height)
  if (odd >= 0) {
    const { bitmap } = frames[odd]!
    const message = `Expected every frame to be ${width} × ${height} pixels, found frame ${odd} with ${bitmap.width} × ${bitmap.height}.`
    throw new AtlasError('SW_FRAME_SIZE', { message, facts: { frame: odd, width: bitmap.width, height: bitmap.height } })
  }
  for (const { name, from, to } of tags)
    if (from > to || to >= frames.length) refuse(`tag "${name}" within ${frames.length} frames`, `it from ${from} to ${to}`)
  for (const { name, keys } of slices)
    for (const { frame } of keys) if (frame >= frames.length) refuse(`slice "${name}" within ${frames.length} frames`, `frame ${frame}`)
}

function frameBytes({ bitmap, durationMs }: AsepriteFrame, first: readonly Uint8Array[]): Uint8Array {
  const cel = celChunk(bitmap)
  const chunks = cel === undefined ? first : [...first, cel]
  const head = [word(0xf1fa), word(Math.min(chunks.length, 0xffff)), word(durationMs, 'duration', 1), zeros(2), dword(chunks.length)]
  return sized(...head, ...chunks)
}

function tagsChunk(tags: readonly AsepriteTag[]): Uint8Array {
  const entries = tags.flatMap(({ name, from, to, direction, repeat }) => [
    word(from, 'from'),
    word(to, 'to'),
    Uint8Array.of(directions.indexOf(direction)),
    word(repeat, 'repeat'),
    zeros(10),
    string(name),
  ])
  return chunk(0x2018, word(tags.length, 'number of tags'), zeros(8), ...entries)
}

/** A visible layer that may be edited, of normal mode and full opacity. */
function layerChunk(): Uint8Array {
  return chunk(0x2004, word(3), zeros(10), Uint8Array.of(255), zeros(3), string('Layer 1'))
}

function sliceChunk({ name, keys }: AsepriteSlice): Uint8Array {
  const hasCenter = keys.some(({ center }) => center !== undefined)
  const hasPivot = keys.some(({ pivot }) => pivot !== undefined)
  const entries = keys.flatMap(({ frame, center, pivot, ...bounds }) => [
    dword(frame, 'frame of a slice'),
    ...rectangle(bounds),
    ...(hasCenter ? rectangle(center ?? { x: 0, y: 0, width: 0, height: 0 }) : []),
    ...(hasPivot ? [long(pivot?.x ?? NO_PIVOT), long(pivot?.y ?? NO_PIVOT)] : []),
  ])
  return chunk(0x2022, dword(keys.length), dword((hasCenter ? 1 : 0) | (hasPivot ? 2 : 0)), zeros(4), string(name), ...entries)
}

/** Returns `undefined` for a picture in which all bytes are 0. */
function celChunk(bitmap: Bitmap): Uint8Array | undefined {
  const content = contentOf(bitmap)
  if (content === undefined) return undefined
  const { x, y, width, height } = content
  const pixels = deflateSync(crop(bitmap, x, y, width, height).data)
  // Layer 0, opacity 255, a compressed image, z-index 0.
  return chunk(0x2005, word(0), word(x), word(y), Uint8Array.of(255), word(2), zeros(7), word(width), word(height), pixels)
}

/** The place of a cel is a signed number. */
const MAX_PLACE = 0x7fff

/** The smallest rectangle around all bytes that are not 0. Colours under alpha 0 are kept too. */
function contentOf({ width, height, data }: Bitmap): AsepriteRectangle | undefined {
  const pixels = new DataView(data.buffer, data.byteOffset, data.byteLength)
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let row = 0, at = 0; row < height; row++)
    for (let column = 0; column < width; column++, at += 4) {
      if (pixels.getUint32(at) === 0) continue
      left = Math.min(left, column, MAX_PLACE)
      right = Math.max(right, column)
      top = Math.min(top, row, MAX_PLACE)
      bottom = row
    }
  return right < 0 ? undefined : { x: left, y: top, width: right + 1 - left, height: bottom + 1 - top }
}

function rectangle({ x, y, width, height }: AsepriteRectangle): readonly Uint8Array[] {
  return [long(x), long(y), dword(width, 'width of a slice'), dword(height, 'height of a slice')]
}

function chunk(type: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return sized(word(type), ...parts)
}

/** Adds the total length in front, which includes the length field. */
function sized(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([dword(parts.reduce((sum, { length }) => sum + length, 4)), ...parts])
}

function zeros(count: number): Uint8Array {
  return new Uint8Array(count)
}

function word(value: number, what: string = '', least: number = 0): Uint8Array {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(within(value, what, least, 0xffff))
  return bytes
}

function dword(value: number, what: string = ''): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(within(value, what, 0, 0xffffffff))
  return bytes
}

function long(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(within(value, 'coordinate of a slice', -(2 ** 31), 2 ** 31 - 1))
  return bytes
}

function string(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  if (bytes.toString() !== text) refuse('a name of whole characters', JSON.stringify(text))
  return Buffer.concat([word(bytes.length, `length of the name "${text.slice(0, 80)}"`), bytes])
}

function within(value: number, what: string, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most) refuse(`the ${what} from ${least} to ${most}`, String(value))
  return value
}

function refuse(expected: string, found: string): never {
  throw new AtlasError('SW_ATLAS_OPTION', { message: `Expected ${expected}, found ${found}.`, facts: { expected, found } })
}
