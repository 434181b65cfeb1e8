import JSZip from 'jszip'
import { type Bitmap, blit, createBitmap, encodePng } from '../../../atlas/index.ts'
import type { Shapes } from '../http/shapes.ts'

/** The earliest time of a ZIP entry. A fixed time gives equal bytes for equal frames. */
const ZIP_EPOCH_MS = 315_532_800_000
/** Time of a frame in preview and atlas, milliseconds. */
const FRAME_MS = 80

/**
 * Packs frames into the ZIP of the interface: frames, a sheet, its atlas (TexturePacker JSON, hash) and an
 * animated preview. The same frames give the same bytes.
 *
 * @param frames One or more frames of one size.
 * @returns The ZIP, and the size of the sheet in it, px.
 */
export async function packDelivery(frames: readonly Bitmap[], names: Shapes['names']) {
  const { width, height } = frames[0]!
  const columns = Math.ceil(Math.sqrt(frames.length))
  const rows = Math.ceil(frames.length / columns)
  const sheet = createBitmap(columns * width, rows * height)
  const entries: Record<string, unknown> = {}
  const zip = new JSZip()
  const add = (name: string, bytes: Uint8Array | string, compression: 'STORE' | 'DEFLATE'): void => {
    zip.file(name, bytes, { date: new Date(ZIP_EPOCH_MS), createFolders: false, compression })
  }
  for (const [index, frame] of frames.entries()) {
    const [x, y] = [(index % columns) * width, Math.floor(index / columns) * height]
    blit(sheet, frame, x, y)
    const name = names.frame(index)
    add(name, encodePng(frame), 'STORE')
    entries[name.slice(name.lastIndexOf('/') + 1)] = {
      frame: { x, y, w: width, h: height },
      rotated: false,
      trimmed: false,
      spriteSourceSize: { x: 0, y: 0, w: width, h: height },
      sourceSize: { w: width, h: height },
      duration: FRAME_MS,
    }
  }
  const meta = {
    app: 'spritewright embedded service',
    version: '1.0',
    image: names.sheet,
    format: 'RGBA8888',
    size: { w: sheet.width, h: sheet.height },
    scale: '1',
  }
  add(names.sheet, encodePng(sheet), 'STORE')
  add(names.atlas, JSON.stringify({ frames: entries, meta }, null, 2), 'DEFLATE')
  add(names.preview, await encodeGif(frames, FRAME_MS), 'STORE')
  return { zip: await zip.generateAsync({ type: 'uint8array', platform: 'UNIX' }), width: sheet.width, height: sheet.height }
}

/**
 * Encodes an animated GIF that loops for ever. A pixel with alpha under 128 becomes clear.
 *
 * @param frames One or more frames of one size, straight-alpha RGBA8.
 * @param delayMs Time of each frame. GIF rounds it to hundredths of a second.
 */
export async function encodeGif(frames: readonly Bitmap[], delayMs: number): Promise<Uint8Array> {
  // Loaded at first use: most starts of the service draw nothing.
  const { default: sharp } = await import('sharp')
  const { width, height } = frames[0]!
  const pixels = Buffer.concat(frames.map(({ data }) => data))
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = pixels[at]! < 128 ? 0 : 255
  const raw = { width, height: height * frames.length, channels: 4, pageHeight: height } as const
  const delay = frames.map(() => delayMs)
  // Without dithering, flat areas stay flat. Equal frames in a row stay separate frames.
  return sharp(pixels, { raw }).gif({ loop: 0, delay, dither: 0, effort: 1, keepDuplicateFrames: true }).toBuffer()
}
