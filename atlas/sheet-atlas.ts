import { MAX_NAME_BYTES } from './archive-name.ts'
import { type Bitmap, blit, createBitmap, crop, turnBack } from './bitmap.ts'
import { AtlasError } from './errors.ts'

/** A frame as a foreign atlas JSON places it. */
export interface SheetFrame {
  /** At most 1,024 bytes. */
  readonly name: string
  /** Rectangle on the sheet, upright size: a turned frame covers `height` × `width` there. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Turned by 90° clockwise on the sheet. */
  readonly rotated: boolean
  readonly offsetX: number
  readonly offsetY: number
  readonly sourceWidth: number
  readonly sourceHeight: number
}

/** A foreign atlas JSON, reduced to what cutting needs. */
export interface SheetAtlas {
  /** In the order of the file. */
  readonly frames: readonly SheetFrame[]
  /** File name of the sheet, where the JSON says it. */
  readonly image?: string
}

/**
 * Recognises an atlas by its shape: TexturePacker's hash (`frames` by name), its array (`frames` with `filename`), and Aseprite's two, which are the same with durations.
 *
 * @returns Undefined for text that is no JSON, and for JSON of another shape.
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
    // No JSON is one of the answers here: any file may be asked.
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
  const { x, y, w, h } = value.frame
  if (!isCount(x) || !isCount(y) || !isCount(w) || !isCount(h) || w === 0 || h === 0) return undefined
  const base = { name, x, y, width: w, height: h, rotated: value.rotated === true }
  const { spriteSourceSize: inner, sourceSize: outer } = value
  if (value.trimmed === false || !isRecord(inner) || !isRecord(outer))
    return { ...base, offsetX: 0, offsetY: 0, sourceWidth: w, sourceHeight: h }
  if (!isCount(inner.x) || !isCount(inner.y) || !isCount(outer.w) || !isCount(outer.h)) return undefined
  if (inner.x + w > outer.w || inner.y + h > outer.h) return undefined
  return { ...base, offsetX: inner.x, offsetY: inner.y, sourceWidth: outer.w, sourceHeight: outer.h }
}

/** Cuts one frame out of its sheet and restores it to its untrimmed size. @throws {AtlasError} `SW_DELIVERY_LAYOUT` where it lies outside of the sheet. */
export function cutFrame(sheet: Bitmap, frame: SheetFrame): Bitmap {
  const width = frame.rotated ? frame.height : frame.width
  const height = frame.rotated ? frame.width : frame.height
  if (frame.x + width > sheet.width || frame.y + height > sheet.height) {
    throw new AtlasError('SW_DELIVERY_LAYOUT', {
      message: `Expected frame "${frame.name}" inside its sheet of ${sheet.width} × ${sheet.height} pixels, found it to end at ${frame.x + width}, ${frame.y + height}.`,
      facts: { frame: frame.name, width: sheet.width, height: sheet.height },
    })
  }
  const cut = crop(sheet, frame.x, frame.y, width, height)
  const whole = createBitmap(frame.sourceWidth, frame.sourceHeight)
  blit(whole, frame.rotated ? turnBack(cut) : cut, frame.offsetX, frame.offsetY)
  return whole
}
