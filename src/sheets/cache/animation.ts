import type { Bitmap } from '../../../atlas/index.ts'
import { bordersOf } from '../../sprite-spec/borders.ts'
import { buildKey } from '../../sprite-spec/key.ts'
import { animationId, backgroundOf } from '../../sprite-spec/request.ts'
import { type CutAnimation, cutAnimation, type FigureMeasure, isOneScale, type PlayedFrames } from '../frames.ts'
import { isChecked, type SheetInput } from '../sources.ts'
import { type AnimationPorts, formatVersion } from './cache.ts'
import { packFile, unpackFile } from './packed-file.ts'
import { type FrameHead, readAnimationHead } from './schema.ts'
import { readGamePixels, truePixelsInputs } from './true-pixels.ts'

/** The largest untrimmed frame that an entry may have, pixels: about the largest frame of a delivery. */
const mostPixels = 2 ** 27

/** Cache key of an animation's cut frames: a hash of all inputs before packing. */
export function animationKey(input: SheetInput, codec = ''): string {
  const { spec, animation, source, overrides, bases = [] } = input
  const { pixelArt, stabilize, size, trim } = spec
  const { loop, yoyo, use, frames } = animation
  const isResult = source.kind === 'result'
  return buildKey({
    formatVersion,
    codec,
    name: `${spec.name}/${animation.name}`,
    source: [
      source.kind,
      source.sha256,
      frames,
      ...(source.kind === 'own' ? [animation.isPicture === true, isChecked({ spec, source })] : []),
    ],
    // The quality contains the service's remarks, and `stabilize` reads which frames the service shifted.
    review: isResult ? (source.review ?? null) : null,
    overrides: isResult ? (overrides?.key ?? null) : null,
    background: backgroundOf(spec, animation),
    pixelArt,
    truePixels: truePixelsInputs(input),
    stabilize,
    play: { loop, yoyo, use: use ?? null },
    size: size ?? null,
    bases: bases.map((base) => [base.source.sha256, base.animation.frames, base.overrides?.key ?? null]),
    isTrimmed: trim && !bordersOf(spec, animation),
  })
}

/**
 * Reads the cut frames of an animation from the cache. Returns `undefined` if the cache has none, or if they do
 * not fit the spec.
 */
export async function readAnimation(input: SheetInput, { cache, codec }: AnimationPorts): Promise<CutAnimation | undefined> {
  const bytes = await cache.read(animationKey(input, codec))
  const cut = bytes && unpackAnimation(bytes)
  return cut && isCutOf(cut, input) ? cut : undefined
}

/**
 * Opens an animation, cuts its frames and caches them.
 *
 * @param isJudged Whether the quality of bought frames is checked.
 * @throws As `readPlayed` and `toSequence`.
 */
export async function makeAnimation(input: SheetInput, isJudged: boolean, { cache, codec, layout }: AnimationPorts): Promise<CutAnimation> {
  const played = await readGamePixels(input, isJudged, { cache, codec, layout })
  const cut = await cutAnimation(input, played, await findBase(input, played, { cache, codec, layout }))
  await cache.write(animationKey(input, codec), ...packAnimation(cut))
  return cut
}

/** The measure of the first base with the same scale. Bases are cut before other animations, so they are cached. */
async function findBase({ spec, bases = [] }: SheetInput, played: PlayedFrames, ports: AnimationPorts): Promise<FigureMeasure | undefined> {
  for (const base of bases) {
    const measure = (await readAnimation(base, ports)) ?? (await readGamePixels(base, false, ports))
    if (isOneScale(spec, measure, played)) return measure
  }
  return undefined
}

function packAnimation({ frames, ...rest }: CutAnimation): readonly Uint8Array[] {
  const pixels: Uint8Array[] = []
  const places = new Map<Bitmap, number>()
  let end = 0
  // Equal frames share one bitmap.
  const place = (bitmap: Bitmap): number => {
    const known = places.get(bitmap)
    if (known !== undefined) return known
    const at = end
    places.set(bitmap, at)
    pixels.push(bitmap.data)
    end += bitmap.data.length
    return at
  }
  const heads = frames.map(
    ({ bitmap, ...frame }): FrameHead => ({ ...frame, width: bitmap.width, height: bitmap.height, at: place(bitmap) }),
  )
  return packFile({ ...rest, frames: heads }, pixels)
}

/** Bitmaps are views on the bytes. */
function unpackAnimation(file: Uint8Array): CutAnimation | undefined {
  const packed = unpackFile(file, readAnimationHead)
  if (!packed) return undefined
  const { head, bytes } = packed
  const pictures = new Map<number, Bitmap>()
  const toBitmap = ({ width, height, at }: FrameHead): Bitmap => {
    const known = pictures.get(at)
    if (known?.width === width && known.height === height) return known
    const bitmap = { width, height, data: bytes.subarray(at, at + width * height * 4) }
    pictures.set(at, bitmap)
    return bitmap
  }
  const frames = head.frames.map((frame) => {
    const { index, canvas } = frame
    return { index, bitmap: toBitmap(frame), ...(canvas ? { canvas } : {}) }
  })
  return { ...head, frames }
}

/**
 * Whether frames belong to an animation and are complete: exactly the frames that the spec plays, all of one
 * size, with all of their pixels.
 */
function isCutOf({ frames, quality }: CutAnimation, { spec, animation }: SheetInput): boolean {
  const expected = animation.use ? [...new Set(animation.use)].sort((a, b) => a - b) : frames.map((_, at) => at)
  const sizes = new Set(frames.map(({ bitmap, canvas = bitmap }) => `${canvas.width} × ${canvas.height}`))
  const isTrimmed = spec.trim && !bordersOf(spec, animation)
  return (
    frames.length > 0 &&
    frames.map(({ index }) => index).join() === expected.join() &&
    sizes.size === 1 &&
    frames.every(
      ({ bitmap: { width, height, data }, canvas }) =>
        data.length === width * height * 4 &&
        isTrimmed === (canvas !== undefined) &&
        (!canvas || (canvas.x + width <= canvas.width && canvas.y + height <= canvas.height && canvas.width * canvas.height <= mostPixels)),
    ) &&
    (quality === undefined || quality.id === animationId(spec, animation))
  )
}
