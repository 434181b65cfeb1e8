import type { Bitmap } from './bitmap.ts'
import { noteDigest } from './digest.ts'

/**
 * A picture that is known and lies somewhere: its pixels are read when they are drawn, and never where they are not. Whoever draws calls {@link loadPixels} before.
 *
 * @internal
 */
export class KeptBitmap implements Bitmap {
  readonly width: number
  readonly height: number
  readonly #read: () => Promise<Uint8Array>
  #data: Uint8Array | undefined

  /** @param digest As `pictureDigest` told it. @param read Gives its `width * height * 4` bytes. */
  constructor(width: number, height: number, digest: string, read: () => Promise<Uint8Array>) {
    this.width = width
    this.height = height
    this.#read = read
    noteDigest(this, digest)
  }

  get data(): Uint8Array {
    if (this.#data === undefined) throw new Error('Expected the pixels to have been read with loadPixels, found that nobody has.')
    return this.#data
  }

  async load(): Promise<void> {
    this.#data ??= await this.#read()
  }
}

/** Reads what has not been read yet of pictures that are only known, one after the other. @internal */
export async function loadPixels(pictures: Iterable<Bitmap>): Promise<void> {
  for (const picture of pictures) if (picture instanceof KeptBitmap) await picture.load()
}
