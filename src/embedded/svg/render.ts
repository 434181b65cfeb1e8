import { type Bitmap, createBitmap, encodePng } from '../../../atlas/index.ts'

/**
 * Renders SVG elements to a picture. With one version of sharp, the same elements give the same pixels.
 *
 * @param body Elements, in units of pixels.
 */
export async function render(body: string, width: number, height: number): Promise<Bitmap> {
  // Loaded at first use: most starts of the service draw nothing.
  const { default: sharp } = await import('sharp')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${body}</svg>`
  return createBitmap(width, height, await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer())
}

/** An SVG element that shows a picture unchanged. */
export function toImage(picture: Bitmap): string {
  const data = Buffer.from(encodePng(picture)).toString('base64')
  return `<image width="${picture.width}" height="${picture.height}" href="data:image/png;base64,${data}"/>`
}
