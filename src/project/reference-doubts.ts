import { AtlasError, type Bitmap, readPicture } from '../../atlas/index.ts'
import type { Disk } from '../host/disk.ts'
import { isInside, realPath } from '../host/real-path.ts'
import { type ReferencePicture, referenceError } from '../sprite-spec/reference.ts'
import type { SpriteSpec } from '../sprite-spec/spec.ts'

/** Shortest side, in pixels, of a picture in which a figure can be recognised. */
const shortestSide = 16

/**
 * Why a reference may not be worth its price, for a person who is about to approve it. The service accepts such
 * pictures, and charges for them.
 *
 * @param root Folder of the project. A picture outside of it is not committed with the spec, and may be private.
 * @returns The end of the sentence "The reference of hero …"; `undefined` if there is no doubt.
 * @throws `SW_REFERENCE` if the picture is damaged: nothing is bought from a picture that cannot be read.
 */
export async function doubtAbout(
  disk: Disk,
  spec: SpriteSpec,
  { path, bytes, width, height }: ReferencePicture,
  root: string,
): Promise<string | undefined> {
  if (Math.min(width, height) < shortestSide) return `has only ${width} × ${height} pixels`
  let picture: Bitmap
  try {
    picture = await readPicture(bytes)
  } catch (error) {
    const why = (error as Error).message.replace(/\.$/, '')
    // The service may accept a picture that is too large to be read here.
    if (error instanceof AtlasError && error.facts.maxPixels !== undefined) return `cannot be decoded here (${why})`
    const found = /truncated|premature end/i.test(why) ? 'cut off: the file ends too early' : `damaged (${why})`
    const message = `expected a picture that can be read, found ${path} ${found}. Save or copy it again, as PNG`
    throw await referenceError(disk, spec, { message, facts: { path } })
  }
  if (picture.data.every((value, at) => at % 4 !== 3 || value === 0)) return 'is fully transparent'
  if (isOneColour(picture)) return 'has one single colour'
  return isInside(realPath(root), realPath(path)) ? undefined : 'is outside of the project'
}

function isOneColour({ data }: Bitmap): boolean {
  return data.every((value, at) => value === data[at % 4])
}
