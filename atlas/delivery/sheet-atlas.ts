import { type Bitmap, blit, createBitmap, crop, turnBack } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { MAX_FRAME_PIXELS } from '../png/picture.ts'
import { briefName, MAX_NAME_BYTES } from './entry-name.ts'

/** A frame of a foreign atlas JSON. */
export interface SheetFrame {
  /** At most 1,024 bytes. */
  readonly name: string
  /**
   * Rectangle on the sheet, with the size of the upright frame: a turned frame covers `height` × `width`
   * there.
   */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Whether the frame is turned by 90° clockwise on the sheet. */
  readonly rotated: boolean
  readonly offsetX: number
  readonly offsetY: number
  readonly sourceWidth: number
  readonly sourceHeight: number
}

/** A foreign atlas JSON, reduced to the fields needed for cutting. */
export interface SheetAtlas {
  /** In the order of the file; in a hash, names that are whole numbers come first. */
  readonly frames: readonly SheetFrame[]
  /** File name of the sheet, if the JSON has one. */
  readonly image?: string
}

/**
 * Recognises an atlas by its shape: TexturePacker's hash (`frames` by name), its array (`frames` with
 * `filename`), and Aseprite's two forms, which are the same with durations.
 *
 * @returns `undefined` for text that is not JSON, and for JSON of another shape.
 * @see TexturePacker JSON; Aseprite `--data --format json-hash | json-array`.
 */
export function parseSheetAtlas(text: string): SheetAtlas | undefined {
  const json = parseJson(text)
  if (!isRecord(json)) return undefined
  const list = json.frames
  const named: [string, unknown][] = Array.isArray(list)
    ? list.map((each: unknown) => [isRecord(each) && typeof each.filename === 'string' ? each.filename : '', each])
    : isRecord(list)
      ? Object.entries(list)
      : []
  const frames = named.map(([name, value]) => toSheetFrame(name, value))
  if (frames.length === 0 || !frames.every((frame) => frame !== undefined && isName(frame.name))) return undefined
  const image = isRecord(json.meta) ? json.meta.image : undefined
  return { frames: frames as SheetFrame[], ...(typeof image === 'string' ? { image } : {}) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Any file may be passed in, so invalid JSON is not an error.
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isName(name: string): boolean {
  return name !== '' && Buffer.byteLength(name) <= MAX_NAME_BYTES
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff
}

function toSheetFrame(name: string, value: unknown): SheetFrame | undefined {
  if (!isRecord(value) || !isRecord(value.frame)) return undefined
  const { x, y, w: fullWidth, h: fullHeight } = value.frame
  if (!isCount(x) || !isCount(y) || !isCount(fullWidth) || !isCount(fullHeight) || fullWidth === 0 || fullHeight === 0) return undefined
  const { spriteSourceSize: inner, sourceSize: outer } = value
  const edge = edgeOf(fullWidth, fullHeight, inner)
  const [w, h] = [fullWidth - 2 * edge, fullHeight - 2 * edge]
  const base = { name, x: x + edge, y: y + edge, width: w, height: h, rotated: value.rotated === true }
  if (value.trimmed === false || !isRecord(inner) || !isRecord(outer))
    return { ...base, offsetX: 0, offsetY: 0, sourceWidth: w, sourceHeight: h }
  if (!isCount(inner.x) || !isCount(inner.y) || !isCount(outer.w) || !isCount(outer.h)) return undefined
  if (inner.x + w > outer.w || inner.y + h > outer.h) return undefined
  return { ...base, offsetX: inner.x, offsetY: inner.y, sourceWidth: outer.w, sourceHeight: outer.h }
}

/**
 * Pixels at each side of a frame that are not part of the picture. The frames of Aseprite include the inner
 * padding and the extruded edge, of which its JSON has no field.
 */
function edgeOf(width: number, height: number, inner: unknown): number {
  if (!isRecord(inner) || !isCount(inner.w) || !isCount(inner.h) || inner.w === 0 || inner.h === 0) return 0
  const edge = (width - inner.w) / 2
  return isCount(edge) && edge === (height - inner.h) / 2 ? edge : 0
}

/**
 * Cuts one frame from its sheet and restores its untrimmed size.
 *
 * @returns The sheet itself if the frame covers it, so that many such frames take no memory.
 * @throws {AtlasError} `SW_DELIVERY_LAYOUT` if the frame is outside of the sheet (`outside-sheet`) or larger
 * than 4096 × 4096 pixels (`frame-too-large`). `facts.rule` names the rule.
 */
export function cutFrame(sheet: Bitmap, frame: SheetFrame): Bitmap {
  const { x, y, rotated, sourceWidth, sourceHeight } = frame
  const width = rotated ? frame.height : frame.width
  const height = rotated ? frame.width : frame.height
  const refuse = (rule: string, expected: string, found: string): never => {
    throw new AtlasError('SW_DELIVERY_LAYOUT', {
      message: `Expected frame "${briefName(frame.name)}" ${expected}, found ${found}.`,
      facts: { rule, frame: briefName(frame.name), width: sheet.width, height: sheet.height },
    })
  }
  if (x + width > sheet.width || y + height > sheet.height)
    refuse('outside-sheet', `inside its sheet of ${sheet.width} × ${sheet.height} pixels`, `it to end at ${x + width}, ${y + height}`)
  if (sourceWidth * sourceHeight > MAX_FRAME_PIXELS)
    refuse('frame-too-large', `of at most ${MAX_FRAME_PIXELS} pixels`, `${sourceWidth} × ${sourceHeight}`)
  const isWhole = sourceWidth === frame.width && sourceHeight === frame.height
  if (isWhole && !rotated && width === sheet.width && height === sheet.height) return sheet
  const cut = crop(sheet, x, y, width, height)
  const upright = rotated ? turnBack(cut) : cut
  if (isWhole) return upright
  const whole = createBitmap(sourceWidth, sourceHeight)
  blit(whole, upright, frame.offsetX, frame.offsetY)
  return whole
}
