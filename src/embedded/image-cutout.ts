import type { Bitmap } from '../../atlas/index.ts'
import { cutOut } from './artist-background.ts'

/** The figure of a picture on a clear ground, of the same size; a picture that is cut out already stays as it is. Undefined where no figure can be told from the background. */
export function removeBackground(picture: Bitmap): Bitmap | undefined {
  const { figure, isSeparate } = cutOut(picture)
  return isSeparate ? figure : undefined
}
