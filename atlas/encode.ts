import type { Atlas } from './atlas.ts'
import { encodePage, type PageEncoding } from './codec.ts'
import type { EncodedAtlas, EncodedPage } from './formats/format.ts'

/** How pages are encoded and named. */
export interface EncodeOptions extends PageEncoding {
  /** File name of a page, relative to the data file that names it. @default {@link pageFile} */
  readonly file?: (atlas: Atlas, page: number, extension: string) => string
  /** Further encodings, of other formats, for engines that choose among them (PixiJS). @default none */
  readonly also?: readonly PageEncoding[]
}

/** The default name of a page: `sprites-0.png`, at other scales than 1 `sprites-0@0.5x.png`. */
export function pageFile(atlas: Pick<Atlas, 'name' | 'scale'>, page: number, extension: string): string {
  return `${atlas.name}-${page}${scaleSuffix(atlas.scale)}.${extension}`
}

/** What a scale adds to a file name: nothing at 1, else `@0.5x`. */
export function scaleSuffix(scale: number): string {
  return scale === 1 ? '' : `@${scale}x`
}

/** Encodes all pages of an atlas, in order, and names them. */
export async function encodePages(atlas: Atlas, options: EncodeOptions): Promise<EncodedAtlas> {
  const file = options.file ?? pageFile
  const encodeAs = (encoding: PageEncoding): Promise<EncodedPage[]> =>
    Promise.all(
      atlas.pages.map(async ({ index, bitmap }) => ({
        file: file(atlas, index, encoding.format),
        bytes: await encodePage(bitmap, encoding),
        width: bitmap.width,
        height: bitmap.height,
      })),
    )
  const pages = await encodeAs(options)
  if (options.also === undefined || options.also.length === 0) return { atlas, pages }
  return { atlas, pages, alternates: await Promise.all(options.also.map(encodeAs)) }
}
