import { type Bitmap, readPicture } from '../../atlas/index.ts'
import type { ReferencePicture } from '../spec/reference.ts'

/** Shortest side, in pixels, of a picture in which a figure can be recognised. */
const shortestSide = 16

/**
 * Why a reference may not be worth its price, for a person who is about to approve it. The service takes such
 * pictures, and charges for them.
 *
 * @returns Completes the sentence "The reference of hero …"; `undefined` if there is no doubt.
 */
export async function doubtAbout({ bytes, width, height }: ReferencePicture): Promise<string | undefined> {
  if (Math.min(width, height) < shortestSide) return `has only ${width} × ${height} pixels`
  try {
    const picture = await readPicture(bytes)
    if (picture.data.every((value, at) => at % 4 !== 3 || value === 0)) return 'is fully transparent'
    return isOneColour(picture) ? 'has one single colour' : undefined
  } catch (error) {
    return `cannot be decoded here (${(error as Error).message})`
  }
}

function isOneColour({ data }: Bitmap): boolean {
  return data.every((value, at) => value === data[at % 4])
}
