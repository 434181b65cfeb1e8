import { AtlasError } from '../errors.ts'
import { briefName } from './entry-name.ts'

/** A picture whose header was read. */
export interface PictureSize {
  readonly name: string
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** Most steps of reading one delivery. A usual one takes less than a tenth of them. */
const MAX_STEPS = 2 ** 24

/**
 * The work that one delivery may cause: pixels, and steps of reading all its parts. Both are counted before the
 * work is done, and never timed.
 */
export class DeliveryBudget {
  readonly #maxPixels: number
  #pixels = 0
  #steps = 0

  constructor(maxPixels: number) {
    this.#maxPixels = maxPixels
  }

  /**
   * Counts pictures. A picture listed twice counts twice.
   *
   * @throws {AtlasError} `SW_DELIVERY_LAYOUT` with the rule `too-many-pixels` if they exceed the budget. Then
   * none of them is counted.
   */
  take(pictures: readonly PictureSize[]): void {
    const maxPixels = this.#maxPixels
    let pixels = this.#pixels
    for (const { name, width, height } of pictures) {
      pixels += width * height
      const expected = `${maxPixels} pixels in all pictures of a delivery together, found ${pixels}`
      if (pixels > maxPixels) throw tooMuch(name, expected, morePixels, { rule: 'too-many-pixels', pixels, maxPixels })
    }
    this.#pixels = pixels
  }

  /**
   * Counts steps, each about as long as comparing a few characters.
   *
   * @param name Of the entry that causes them.
   * @throws {AtlasError} `SW_DELIVERY_LAYOUT` with the rule `too-much-work` if they exceed the budget.
   */
  work(steps: number, name: string): void {
    this.#steps += steps
    const expected = `${MAX_STEPS} steps of reading names, JSON and chunks in a delivery, found more`
    if (this.#steps > MAX_STEPS) throw tooMuch(name, expected, fewerEntries, { rule: 'too-much-work', maxSteps: MAX_STEPS })
  }

  /** Counts the steps of sorting things by their names. */
  names(items: readonly { readonly name: string }[]): void {
    for (const { name } of items) this.work(256 + 4 * name.length, name)
  }

  /** Counts the steps of parsing a JSON text: its bytes, and each bracket, comma and text by its depth. Returns the text. */
  json(bytes: Uint8Array, name: string): string {
    this.work(4 * bytes.length, name)
    const text = new TextDecoder().decode(bytes)
    let depth = 0
    for (const [token] of text.matchAll(jsonTokens)) {
      if (token === '{' || token === '[') depth++
      this.work(64 * depth, name)
      if (token === '}' || token === ']') depth--
    }
    return text
  }

  /** Counts the steps of reading the chunks of a PNG. A colour profile may unpack to megabytes. */
  chunks(bytes: Uint8Array, name: string): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) this.work(view.getUint32(at + 4) === ICCP ? 2 ** 16 : 32, name)
  }
}

/** A text whose end is missing is a token too: the search must not begin again at each quote. */
const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],]/gs
/** The type of the chunk of a colour profile. */
const ICCP = 0x69434350

const morePixels = 'If you trust it, read it with a larger maxPixels: readFrames(entries, { maxPixels }) of spritewright/atlas.'
const fewerEntries = 'Name only the entries that are needed: service.profile.readDelivery(entries).'

function tooMuch(name: string, expected: string, advice: string, facts: Readonly<Record<string, unknown>>): AtlasError {
  const entry = briefName(name)
  const message = `Expected at most ${expected} up to "${entry}". The result is kept. ${advice}`
  return new AtlasError('SW_DELIVERY_LAYOUT', { message, facts: { ...facts, entry } })
}
