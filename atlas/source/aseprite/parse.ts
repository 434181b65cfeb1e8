import type { AsepriteBudget } from './budget.ts'
import { readCel, readLayer, readProfile, readSlice, readTags, readTileset, type Seen } from './chunks.ts'
import { Fields } from './fields.ts'
import { readOldPalette, readPalette } from './palette.ts'
import { refuseAseprite } from './refuse.ts'
import type { Cel, Header, Moment, Sprite } from './sprite.ts'

/** Number of pixels with about the same memory as a chunk. */
const CHUNK_PIXELS = 64

/**
 * Parses a file. Chunks of unknown types are skipped, as the format requires, and so are chunks without anything to
 * draw.
 *
 * @throws {AtlasError} `SW_ASEPRITE`
 * @see Aseprite File Format (.ase/.aseprite) Specifications.
 */
export function parseAseprite(bytes: Uint8Array, budget: AsepriteBudget): Sprite {
  const fields = new Fields(bytes, 'the file')
  const header = readHeader(fields, bytes.length)
  budget.keep(header.frames * header.width * header.height)
  const palette = new Uint32Array(header.colours).fill(0xff000000)
  const seen: Seen = { header, budget, layers: [], groups: [], tilesets: new Map(), tags: [], slices: [], palette, hasNewPalette: false }
  const moments: Moment[] = []
  while (moments.length < header.frames) moments.push(readFrame(fields, seen, moments))
  if (fields.left > 0)
    refuseAseprite('trailing-bytes', `expected ${header.frames} frames to end the file, found ${fields.left} bytes after them.`)
  const { layers, tilesets, tags, slices } = seen
  return { header, layers, tilesets, moments, tags, slices }
}

function readHeader(fields: Fields, length: number): Header {
  const size = fields.dword()
  if (fields.word() !== 0xa5e0) refuseAseprite('signature', 'expected the bytes e0 a5 at byte 4, found others: this is no Aseprite file.')
  if (size !== length)
    refuseAseprite('file-size', `expected ${size} bytes as the header says, found ${length}: the file is damaged or cut short.`)
  const [frames, width, height, depth] = [fields.word(), fields.word(), fields.word(), fields.word()]
  if (frames * width * height === 0)
    refuseAseprite('dimension', `expected at least one frame of one pixel, found ${frames} of ${width} × ${height}.`)
  if (depth !== 8 && depth !== 16 && depth !== 32) refuseAseprite('colour-depth', `expected 8, 16 or 32 bits a pixel, found ${depth}.`)
  const flags = fields.dword()
  const speedMs = fields.word()
  fields.skip(8)
  const clearIndex = fields.byte()
  fields.skip(3)
  const colours = fields.word() || 256
  const [pixelWidth, pixelHeight] = [fields.byte(), fields.byte()]
  if (pixelWidth * pixelHeight > 0 && pixelWidth !== pixelHeight)
    refuseAseprite('pixel-ratio', `expected square pixels, found ${pixelWidth}:${pixelHeight}. Change the ratio in Sprite > Properties.`)
  fields.skip(92)
  return {
    frames,
    width,
    height,
    pixelBytes: (depth / 8) as 1 | 2 | 4,
    hasLayerOpacity: (flags & 1) !== 0,
    composesGroups: (flags & 2) !== 0,
    speedMs,
    clearIndex,
    colours: Math.min(colours, 256),
  }
}

function readFrame(file: Fields, seen: Seen, earlier: readonly Moment[]): Moment {
  const what = `frame ${earlier.length}`
  const size = file.dword()
  if (size < 16) refuseAseprite('frame-size', `expected at least 16 bytes in ${what}, found ${size}.`)
  const fields = new Fields(file.bytes(size - 4), what)
  if (fields.word() !== 0xf1fa) refuseAseprite('frame-signature', `expected the bytes fa f1 in ${what}, found others.`)
  const oldCount = fields.word()
  const durationMs = Math.max(1, fields.word() || seen.header.speedMs)
  fields.skip(2)
  const newCount = fields.dword()
  if (newCount > 0 && oldCount !== 0xffff && oldCount !== newCount)
    refuseAseprite('chunk-count', `expected one number of chunks in ${what}, found ${oldCount} and ${newCount}.`)
  const cels = new Map<number, Cel>()
  for (let left = newCount || oldCount; left > 0; left--) readChunk(fields, seen, cels, earlier)
  if (fields.left > 0) refuseAseprite('frame-size', `expected the chunks of ${what} to fill it, found ${fields.left} bytes after them.`)
  return { durationMs, cels, palette: seen.palette }
}

function readChunk(frame: Fields, seen: Seen, cels: Map<number, Cel>, earlier: readonly Moment[]): void {
  const size = frame.dword()
  if (size < 6) refuseAseprite('chunk-size', `expected at least 6 bytes in a chunk, found ${size}.`)
  const type = frame.word()
  const fields = new Fields(frame.bytes(size - 6), `a chunk 0x${type.toString(16)}`)
  seen.budget.keep(CHUNK_PIXELS)
  if (type === 0x2004) readLayer(fields, seen)
  else if (type === 0x2005) readCel(fields, seen, cels, earlier)
  else if (type === 0x2007) readProfile(fields)
  else if (type === 0x2018) readTags(fields, seen)
  else if (type === 0x2019) readPalette(fields, seen)
  else if (type === 0x2022) readSlice(fields, seen)
  else if (type === 0x2023) readTileset(fields, seen)
  // The format's page says 0x0011 for 64 levels, but Aseprite has always written and read 11, as FLI does.
  else if (type === 0x0004 || type === 0x000b || type === 0x0011) readOldPalette(fields, seen, type === 0x0004 ? 256 : 64)
}
