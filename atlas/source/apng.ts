import { type Bitmap, blit, createBitmap, crop } from '../bitmap.ts'
import { PNG_SIGNATURE, readPngParts, refusePng } from '../png/chunks.ts'
import { decodePng, MAX_PIXELS } from '../png/read.ts'
import { chunk } from '../png/write.ts'

/** An animated PNG, with every frame on the whole canvas. */
export interface Apng {
  /** Pixels. */
  readonly width: number
  readonly height: number
  readonly frames: readonly { readonly bitmap: Bitmap; readonly durationMs: number }[]
  /** Number of plays. 0 means without end. */
  readonly plays: number
}

/** Size and times of an animated PNG, from its chunks. */
export interface ApngInfo extends Pick<Apng, 'width' | 'height' | 'plays'> {
  /** Display time of each frame, in milliseconds; fractions are usual. */
  readonly durations: readonly number[]
}

/** Limits for reading an animated PNG. */
export interface ApngLimits {
  /**
   * Pixels of all frames on the canvas, and of their pictures.
   *
   * @default 2 ** 26
   */
  readonly maxPixels?: number
}

/** A chunk `fcTL`, and the packed pixels of its frame. */
interface Control {
  readonly width: number
  readonly height: number
  readonly x: number
  readonly y: number
  /** Milliseconds; fractions are usual. */
  readonly durationMs: number
  /** Treatment of the frame's rectangle after its display: 0 kept, 1 cleared, 2 restored. */
  readonly dispose: number
  /** Whether the frame is blended over the canvas instead of replacing its pixels. */
  readonly isOver: boolean
  readonly data: Uint8Array[]
}

/** The chunks of an animation so far. */
interface Animation {
  /** Pixels of the canvas. */
  readonly width: number
  readonly height: number
  readonly maxPixels: number
  /** Chunks that apply to the pixels of every frame. */
  readonly shared: Uint8Array[]
  readonly controls: Control[]
  /** Stated number of frames. */
  count: number
  plays: number
  /** Next number of `fcTL` and `fdAT`. */
  sequence: number
  pixels: number
  hasData: boolean
}

/**
 * Reads an animated PNG strictly. The still picture counts as a frame only if the file marks it as one.
 *
 * @throws {AtlasError} `SW_PNG`, with the stable name of the broken rule in `facts.rule`: those of `decodePng`, or
 * `apng-…`.
 * @see W3C PNG (Third Edition), 11.3.4.
 */
export function readApng(bytes: Uint8Array, limits: ApngLimits = {}): Apng {
  const animation = readAnimation(bytes, limits)
  const { width, height, plays } = animation
  // After the signature, and the length and the type of IHDR.
  return { width, height, frames: compose(animation, bytes.subarray(16, 29)), plays }
}

/**
 * Reads size and times of an animated PNG. Decodes nothing.
 *
 * @throws As {@link readApng}, except for damaged pixels.
 */
export function apngInfo(bytes: Uint8Array, limits: ApngLimits = {}): ApngInfo {
  const { width, height, plays, controls } = readAnimation(bytes, limits)
  return { width, height, plays, durations: controls.map(({ durationMs }) => durationMs) }
}

function readAnimation(bytes: Uint8Array, limits: ApngLimits): Animation {
  const maxPixels = limits.maxPixels ?? MAX_PIXELS
  const { width, height } = readPngParts(bytes, maxPixels).header
  const animation: Animation = {
    width,
    height,
    maxPixels,
    shared: [],
    controls: [],
    count: 0,
    plays: 0,
    sequence: 0,
    pixels: 0,
    hasData: false,
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 8; at < bytes.length; at += 12 + view.getUint32(at)) {
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1')
    take(animation, type, new DataView(bytes.buffer, bytes.byteOffset + at + 8, view.getUint32(at)))
  }
  const { controls, count } = animation
  if (count === 0) refusePng('apng-none', 'expected an animation, found a still picture.')
  if (controls.length !== count) refusePng('apng-frames', `expected ${count} frames, found ${controls.length}.`)
  return animation
}

function take(animation: Animation, type: string, content: DataView): void {
  const { controls, shared } = animation
  if (type === 'PLTE' || type === 'tRNS') shared.push(chunk(type, bytesOf(content, 0)))
  else if (type === 'acTL') takeCount(animation, content)
  else if (type === 'fcTL') controls.push(readControl(animation, content))
  else if (type === 'IDAT') {
    animation.hasData = true
    controls[0]?.data.push(bytesOf(content, 0))
  } else if (type === 'fdAT') {
    takeSequence(animation, content, type)
    if (controls.length === 0 || !animation.hasData) refusePng('apng-order', 'expected fcTL and IDAT before fdAT, found none.')
    controls.at(-1)?.data.push(bytesOf(content, 4))
  }
}

function takeCount(animation: Animation, content: DataView): void {
  const isFirst = animation.count === 0 && !animation.hasData && animation.controls.length === 0
  if (content.byteLength !== 8 || !isFirst) refusePng('apng-order', 'expected one acTL of 8 bytes before the image data, found another.')
  animation.count = content.getUint32(0)
  animation.plays = content.getUint32(4)
  if (animation.count === 0) refusePng('apng-frames', 'expected at least one frame, found none.')
  keep(animation, animation.count * animation.width * animation.height)
}

function readControl(animation: Animation, content: DataView): Control {
  const { controls, count, hasData } = animation
  takeSequence(animation, content, 'fcTL')
  if (!hasData && controls.length > 0) refusePng('apng-order', 'expected one fcTL before the image data, found two.')
  if (content.byteLength !== 26 || controls.length === count)
    refusePng('apng-frames', `expected fcTL of 26 bytes for ${count} frames, found another.`)
  const [width, height, x, y] = [content.getUint32(4), content.getUint32(8), content.getUint32(12), content.getUint32(16)]
  const isInside = width > 0 && height > 0 && x + width <= animation.width && y + height <= animation.height
  const isWhole = width === animation.width && height === animation.height
  const [dispose, blend] = [content.getUint8(24), content.getUint8(25)]
  if (!isInside || (!hasData && !isWhole) || dispose > 2 || blend > 1)
    refusePng('apng-control', `expected a frame on the canvas with known operations, found ${width} × ${height} at (${x}, ${y}).`)
  keep(animation, width * height)
  const durationMs = (1000 * content.getUint16(20)) / (content.getUint16(22) || 100)
  return { width, height, x, y, durationMs, dispose, isOver: blend === 1, data: [] }
}

function takeSequence(animation: Animation, content: DataView, type: string): void {
  const found = content.byteLength < 4 ? undefined : content.getUint32(0)
  if (found !== animation.sequence) refusePng('apng-sequence', `expected ${type} with number ${animation.sequence}, found ${found}.`)
  animation.sequence++
}

function keep(animation: Animation, pixels: number): void {
  const { maxPixels } = animation
  animation.pixels += pixels
  if (animation.pixels > maxPixels)
    refusePng('too-many-pixels', `expected at most ${maxPixels} pixels in all frames, found more.`, { maxPixels })
}

function compose({ width, height, controls, shared, maxPixels }: Animation, ihdr: Uint8Array): Apng['frames'] {
  const canvas = createBitmap(width, height)
  return controls.map((control, index) => {
    const { x, y } = control
    // Before the first frame, there is nothing to restore.
    const before =
      index > 0 && control.dispose === 2 ? crop(canvas, x, y, control.width, control.height) : createBitmap(control.width, control.height)
    const picture = decodePng(still(control, shared, ihdr), { maxPixels })
    blit(canvas, control.isOver ? over(picture, crop(canvas, x, y, control.width, control.height)) : picture, x, y)
    const bitmap = createBitmap(width, height, canvas.data.slice())
    if (control.dispose > 0) blit(canvas, before, x, y)
    return { bitmap, durationMs: control.durationMs }
  })
}

/** Makes a PNG of one frame. */
function still({ width, height, data }: Control, shared: readonly Uint8Array[], ihdr: Uint8Array): Uint8Array {
  const header = ihdr.slice()
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  return Buffer.concat([PNG_SIGNATURE, chunk('IHDR', header), ...shared, chunk('IDAT', ...data), chunk('IEND')])
}

/**
 * Blends a picture over a backdrop of its size, and returns it.
 *
 * @see W3C PNG (Third Edition), 13.16. Channels are rounded to the nearest.
 */
function over(picture: Bitmap, { data: below }: Bitmap): Bitmap {
  const { data } = picture
  for (let at = 0; at < data.length; at += 4) {
    const own = data[at + 3]! * 255
    const other = (255 - data[at + 3]!) * below[at + 3]!
    const alpha = own + other
    for (let channel = at; channel < at + 3; channel++)
      data[channel] = alpha === 0 ? 0 : Math.round((data[channel]! * own + below[channel]! * other) / alpha)
    data[at + 3] = Math.round(alpha / 255)
  }
  return picture
}

function bytesOf(content: DataView, from: number): Uint8Array {
  return new Uint8Array(content.buffer, content.byteOffset + from, content.byteLength - from)
}
