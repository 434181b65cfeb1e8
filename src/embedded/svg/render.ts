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

/**
 * Draws one colour behind elements, spread beyond their edges.
 *
 * @param colour `#rrggbb`.
 * @param reach Standard deviation of the blur, pixels.
 * @param strength Factor on the blurred opacity. A high one gives a rim with a hard edge.
 */
export function withHalo(body: string, colour: string, reach: number, strength: number): string {
  return filtered(
    body,
    `<feGaussianBlur in="SourceAlpha" stdDeviation="${reach}"/>
     <feComponentTransfer result="near"><feFuncA type="linear" slope="${strength}"/></feComponentTransfer>
     <feFlood flood-color="${colour}"/><feComposite operator="in" in2="near"/>
     <feMerge><feMergeNode/><feMergeNode in="SourceGraphic"/></feMerge>`,
  )
}

/** Applies an SVG filter to elements, in sRGB. */
export function filtered(body: string, filter: string): string {
  const region = 'x="0" y="0" width="100%" height="100%" filterUnits="userSpaceOnUse" color-interpolation-filters="sRGB"'
  // The elements of an outer filter are longer than those of an inner one, so their length makes the id
  // unique.
  const id = `filter${body.length}`
  return `<filter id="${id}" ${region}>${filter}</filter><g filter="url(#${id})">${body}</g>`
}
