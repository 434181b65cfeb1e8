/**
 * Fetches a picture and decodes it, as an element: what is uploaded from one is exact in every encoding.
 *
 * @throws where there is none that the browser shows.
 */
export async function fetchImage(url: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.crossOrigin = 'anonymous'
  image.src = url
  await image.decode().catch((cause: unknown) => {
    throw new Error(`Expected a picture at ${url}, found none that the browser shows.`, { cause })
  })
  return image
}
