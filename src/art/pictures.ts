import {
  type AnimatedInfo,
  animatedInfo,
  apngInfo,
  type Bitmap,
  crop,
  DEFAULT_FRAME_MS,
  pictureInfo,
  readAnimated,
  readApng,
  readPicture,
} from '../../atlas/index.ts'
import { sha256 as hashOf } from '../host/sha256.ts'
import { type Art, type ArtSequence, plainPlayback, sourceError, withFile } from './source.ts'

/**
 * Reads a picture, without a name: a still picture, or an animated GIF, WebP or PNG with its times.
 *
 * @throws `SW_SOURCE` for a damaged file or another format.
 */
export async function readPictureSequence(file: string, bytes: Uint8Array): Promise<ArtSequence> {
  const start = Buffer.from(bytes.subarray(0, 21))
  const isWebp = start.toString('latin1', 8, 16) === 'WEBPVP8X'
  if (start.toString('latin1', 0, 4) === 'GIF8' || (isWebp && ((start[20] ?? 0) & WEBP_ANIMATION) !== 0)) return readMoving(file, bytes)
  const { format } = await withFile(file, () => pictureInfo(bytes))
  if (format === 'png' && isAnimatedPng(bytes)) return readAnimatedPng(file, bytes)
  const read = (): Promise<Bitmap[]> => withFile(file, async () => [await readPicture(bytes)])
  return { name: '', isPicture: true, frames: 1, ...plainPlayback, sha256: hashOf(bytes), read }
}

/** The flag of an animation in the header of a WebP; see RFC 9649, 2.7. */
const WEBP_ANIMATION = 0x02

/** Whether a PNG names its number of frames before its pixels: the chunk `acTL`. */
function isAnimatedPng(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    const type = view.getUint32(at + 4)
    if (type === IDAT) return false
    if (type === ACTL) return true
  }
  return false
}

/** Types of chunks. */
const [ACTL, IDAT] = [0x6163544c, 0x49444154]

async function readAnimatedPng(file: string, bytes: Uint8Array): Promise<ArtSequence> {
  const { durations, plays } = await withFile(file, () => apngInfo(bytes))
  return toMoving(file, bytes, { durations: durations.map((ms) => ms || DEFAULT_FRAME_MS), loop: plays !== 1 }, () =>
    readApng(bytes).frames.map(({ bitmap }) => bitmap),
  )
}

async function readMoving(file: string, bytes: Uint8Array): Promise<ArtSequence> {
  return toMoving(file, bytes, await withFile(file, () => animatedInfo(bytes)), () => readAnimated(bytes))
}

/** Makes an animation of the frames, or a picture if there is one frame. */
function toMoving(
  file: string,
  bytes: Uint8Array,
  { durations, loop }: Pick<AnimatedInfo, 'durations' | 'loop'>,
  decode: () => readonly Bitmap[] | Promise<readonly Bitmap[]>,
): ArtSequence {
  const isPicture = durations.length === 1
  const sequence = { name: '', isPicture, frames: durations.length, ...(isPicture ? {} : { durations }), loop, yoyo: false }
  return { ...sequence, sha256: hashOf(bytes), read: () => withFile(file, decode) }
}

/**
 * Reads a picture of equal cells as frames, row by row.
 *
 * @param grid Size of a cell, in pixels.
 * @throws `SW_SOURCE` if the picture's size is no multiple of the cell's size.
 */
export async function readGrid(file: string, bytes: Uint8Array, grid: { readonly width: number; readonly height: number }): Promise<Art> {
  const { width, height } = await withFile(file, () => pictureInfo(bytes))
  if (width % grid.width !== 0 || height % grid.height !== 0)
    throw sourceError(
      file,
      `a picture of whole cells of ${grid.width} × ${grid.height} pixels`,
      `${width} × ${height}`,
      'Correct "grid", or the picture.',
    )
  const across = width / grid.width
  const frames = across * (height / grid.height)
  const read: Art['sequences'][number]['read'] = () =>
    withFile(file, async () => {
      const whole = await readPicture(bytes)
      const cell = (index: number): [number, number] => [(index % across) * grid.width, Math.floor(index / across) * grid.height]
      return Array.from({ length: frames }, (_, index) => crop(whole, ...cell(index), grid.width, grid.height))
    })
  const sha256 = hashOf(bytes, JSON.stringify(grid))
  return { files: [file], sequences: [{ name: '', isPicture: false, frames, ...plainPlayback, sha256, read }] }
}
