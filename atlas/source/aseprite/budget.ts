import { refuseAseprite } from './refuse.ts'

/** Limits for reading one file. */
export interface AsepriteLimits {
  /**
   * Bytes of the file.
   *
   * @default 2 ** 26
   */
  readonly maxBytes?: number
  /**
   * Pixels of all frames, cels and tilesets together.
   *
   * @default 2 ** 26
   */
  readonly maxPixels?: number
  /**
   * Steps, each about as long as drawing a pixel in normal mode.
   *
   * @default 2 ** 28
   */
  readonly maxSteps?: number
}

/** The pixels and steps of one file, counted before memory or time is used, and never timed. */
export class AsepriteBudget {
  readonly #maxPixels: number
  readonly #maxSteps: number
  #pixels = 0
  #steps = 0

  /** @throws {AtlasError} `SW_ASEPRITE` with the rule `too-many-bytes` for a larger file. */
  constructor(bytes: number, { maxBytes = 2 ** 26, maxPixels = 2 ** 26, maxSteps = 2 ** 28 }: AsepriteLimits) {
    this.#maxPixels = maxPixels
    this.#maxSteps = maxSteps
    if (bytes > maxBytes)
      refuseAseprite('too-many-bytes', `expected at most ${maxBytes} bytes, found ${bytes}. Raise maxBytes if you trust it.`, { maxBytes })
  }

  /**
   * Counts the pixels of a picture that will be kept in memory.
   *
   * @throws {AtlasError} `SW_ASEPRITE` with the rule `too-many-pixels`.
   */
  keep(pixels: number): void {
    this.#pixels += pixels
    const maxPixels = this.#maxPixels
    if (this.#pixels > maxPixels)
      refuseAseprite(
        'too-many-pixels',
        `expected at most ${maxPixels} pixels in all frames and cels, found more. Raise maxPixels if you trust it.`,
        { maxPixels },
      )
  }

  /** @throws {AtlasError} `SW_ASEPRITE` with the rule `too-much-work`. */
  work(steps: number): void {
    this.#steps += steps
    const maxSteps = this.#maxSteps
    if (this.#steps > maxSteps)
      refuseAseprite(
        'too-much-work',
        `expected at most ${maxSteps} steps of drawing, found more. Merge layers, or raise maxSteps if you trust it.`,
        { maxSteps },
      )
  }
}
