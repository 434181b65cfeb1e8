import { constants, createDeflate } from 'node:zlib'
import type { PageRows } from './compose.ts'
import { writePng } from './png-writer.ts'

/** Some rows of a page, compressed by themselves. */
export interface PngStrip {
  /** Tells apart what was compressed, and how; made before it is drawn. */
  readonly digest: string
  /** Adler-32 of what was compressed. */
  readonly adler: number
  readonly deflated: Uint8Array
}

/** What is to be known of a strip to find it again in its PNG. */
export interface PngStripMark {
  readonly digest: string
  readonly adler: number
  /** Bytes in the file. */
  readonly length: number
}

/** A PNG, and the strips it consists of, from the top. */
export interface StripedPng {
  readonly bytes: Uint8Array
  readonly strips: readonly PngStripMark[]
}

/** How a page is compressed. */
export interface StripOptions {
  /** Strips by their digests. @default none */
  readonly known?: ReadonlyMap<string, PngStrip>
  /** About as many bytes are compressed in one piece, before compression. @default 1 MiB: what is lost at the seams is a quarter of a percent */
  readonly stripBytes?: number
  /** Ends it with its reason, before the next strip. @default nothing does */
  readonly signal?: AbortSignal
}

/** Strips that are compressed at once. */
const LANES = 2

/** Signature, header and the length and type of the only `IDAT`, then the two bytes that begin a zlib stream. */
const FIRST_STRIP = 8 + 25 + 8 + 2

/** The end of a stream whose blocks are all whole: a last block with nothing in it. */
const LAST_BLOCK = Uint8Array.of(3, 0)

/** The largest prime under 65536. */
const ADLER = 65521

/**
 * Writes a PNG of RGBA8 without row filters, which suits flat art, in strips of rows that are compressed each by itself, on Node's threads for such work. A strip that was compressed before is taken
 * over, and not even drawn: the bytes are the same. The same pixels and level give the same bytes on one zlib.
 *
 * @param level zlib level, 0 to 9.
 * @see RFC 1950 for the frame around the blocks, RFC 1951 for blocks that end on whole bytes.
 */
export async function encodeStriped(
  page: PageRows,
  level: number,
  { known, stripBytes = 1 << 20, signal }: StripOptions = {},
): Promise<StripedPng> {
  const { width, height } = page
  const rows = Math.max(1, Math.floor(stripBytes / (4 * width + 1)))
  const strips: PngStrip[] = []
  const sizes: number[] = []
  const count = Math.ceil(height / rows)
  let next = 0
  const lane = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      signal?.throwIfAborted()
      const [from, to] = [at * rows, Math.min(height, (at + 1) * rows)]
      sizes[at] = (to - from) * (4 * width + 1)
      const digest = `${level} ${width}x${to - from} ${page.digest(from, to)}`
      strips[at] = known?.get(digest) ?? { digest, ...(await compressRows(page, from, to, level)) }
    }
  }
  await Promise.all(Array.from({ length: Math.min(LANES, count) }, lane))
  const adler = strips.reduce((sum, strip, at) => joinAdler(sum, strip.adler, sizes[at]!), 1)
  const bytes = writePng(width, height, [zlibHead(level), ...strips.map(({ deflated }) => deflated), LAST_BLOCK, bigEndian(adler)])
  return { bytes, strips: strips.map(({ digest, adler: sum, deflated }) => ({ digest, adler: sum, length: deflated.length })) }
}

/** The strips of a PNG that {@link encodeStriped} wrote, by their digests; views on its bytes. */
export function stripsOf({ bytes, strips }: StripedPng): readonly PngStrip[] {
  let end = FIRST_STRIP
  return strips.map(({ digest, adler, length }) => {
    end += length
    return { digest, adler, deflated: bytes.subarray(end - length, end) }
  })
}

async function compressRows(page: PageRows, from: number, to: number, level: number): Promise<Omit<PngStrip, 'digest'>> {
  await page.load(from, to)
  // Each row is led by the number of its filter, 0 for none.
  return compress(page.draw(from, to, 1), level)
}

async function compress(raw: Uint8Array, level: number): Promise<Omit<PngStrip, 'digest'>> {
  const stream = await deflate(raw, level)
  return { adler: stream.readUInt32BE(stream.length - 4), deflated: stream.subarray(2, stream.lastIndexOf(FLUSHED, -10) + FLUSHED.length) }
}

/** What was flushed ends with these; the next strip follows on a whole byte, and looks back at nothing. Behind them stand a last block, at level 0 one with such an end of its own eight bytes before the end of all, and the sum. */
const FLUSHED = Uint8Array.of(0, 0, 255, 255)

/** A zlib stream that is flushed before it ends: the two bytes that begin one, the strip, a last block with nothing in it, and the Adler-32, which zlib sums up far faster than a script. */
function deflate(raw: Uint8Array, level: number): Promise<Buffer> {
  const stream = createDeflate({ level, memLevel: 9, chunkSize: 1 << 18, flush: constants.Z_SYNC_FLUSH })
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.on('error', reject)
    stream.on('end', () => resolve(Buffer.concat(parts)))
    stream.write(raw, () => stream.end())
  })
}

/** Method 8 with a window of 32 kB, and the level as far as the format tells it; a multiple of 31. */
function zlibHead(level: number): Uint8Array {
  return Uint8Array.of(0x78, level < 2 ? 0x01 : level < 6 ? 0x5e : level === 6 ? 0x9c : 0xda)
}

function bigEndian(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
}

/** The sum of two pieces, one behind the other. @param length Of the second, bytes. */
function joinAdler(first: number, second: number, length: number): number {
  const [a1, b1] = [first & 0xffff, first >>> 16]
  const [a2, b2] = [second & 0xffff, second >>> 16]
  const a = (a1 + a2 + ADLER - 1) % ADLER
  const b = (b1 + b2 + (length % ADLER) * ((a1 + ADLER - 1) % ADLER)) % ADLER
  return ((b << 16) | a) >>> 0
}
