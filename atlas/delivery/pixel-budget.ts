import { AtlasError } from '../errors.ts'
import { briefName } from './entry-name.ts'

/** A picture whose header was read. */
export interface PictureSize {
  readonly name: string
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/**
 * The number of pixels that one delivery may decode. Pixels are counted before memory is allocated for them.
 */
export class PixelBudget {
  readonly #maxPixels: number
  #pixels = 0

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
    let pixels = this.#pixels
    for (const { name, width, height } of pictures) {
      pixels += width * height
      if (pixels > this.#maxPixels) throw tooManyPixels(name, pixels, this.#maxPixels)
    }
    this.#pixels = pixels
  }
}

function tooManyPixels(name: string, pixels: number, maxPixels: number): AtlasError {
  return new AtlasError('SW_DELIVERY_LAYOUT', {
    message:
      `Expected at most ${maxPixels} pixels in all pictures of a delivery together, found ${pixels} up to "${briefName(name)}". ` +
      'The result is kept. If you trust it, read it with a larger maxPixels: readFrames(entries, { maxPixels }) of spritewright/atlas.',
    facts: { rule: 'too-many-pixels', entry: briefName(name), pixels, maxPixels },
  })
}
