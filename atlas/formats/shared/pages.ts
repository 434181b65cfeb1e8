import type { Atlas, Page } from '../../atlas.ts'
import { encodePage, type PageEncoding } from '../../encode/codec.ts'
import { wholeBlocks } from '../../encode/texture.ts'
import type { EncodedAtlas, EncodedPage } from '../format.ts'

/** How pages are encoded and named. */
export interface EncodeOptions extends PageEncoding {
  /** File name of a page, relative to the data file that names it. @default {@link pageFile} */
  readonly file?: (atlas: Atlas, page: number, extension: string) => string
  /** Further encodings, of other formats, for engines that choose among them (PixiJS). @default none */
  readonly also?: readonly PageEncoding[]
  /** Ends the encoding with its reason, before the next page. @default nothing does */
  readonly signal?: AbortSignal
}

/** The default name of a page: `sprites-0.png`, at other scales than 1 `sprites-0@0.5x.png`. */
export function pageFile(atlas: Pick<Atlas, 'name' | 'scale'>, page: number, extension: string): string {
  return `${atlas.name}-${page}${scaleSuffix(atlas.scale)}.${extension}`
}

/** What a scale adds to a file name: nothing at 1, else `@0.5x`. */
export function scaleSuffix(scale: number): string {
  return scale === 1 ? '' : `@${scale}x`
}

/**
 * Pages that are encoded at once: as many as Node has threads for such work. More would only wait, each with
 * a copy of its pixels where its colours are bled.
 */
const LANES = 4

/** Encodes all pages of an atlas, in order, and names them; several at once. */
export async function encodePages(atlas: Atlas, options: EncodeOptions): Promise<EncodedAtlas> {
  const file = options.file ?? pageFile
  const encodings: readonly PageEncoding[] = [options, ...(options.also ?? [])]
  const jobs = encodings.flatMap((encoding, list) => atlas.pages.map((page) => ({ list, encoding, page })))
  const lists: EncodedPage[][] = encodings.map(() => [])
  let next = 0
  const lane = async (): Promise<void> => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      const { list, encoding, page } = job
      options.signal?.throwIfAborted()
      const encoded = await encodeOne(page, encoding)
      lists[list]![page.index] = { file: file(atlas, page.index, encoding.format), ...encoded }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const [pages = [], ...alternates] = lists
  return alternates.length === 0 ? { atlas, pages } : { atlas, pages, alternates }
}

async function encodeOne({ bitmap: drawn }: Page, encoding: PageEncoding): Promise<Omit<EncodedPage, 'file'>> {
  const bitmap = encoding.format === 'ktx2' ? wholeBlocks(drawn) : drawn
  return { bytes: await encodePage(bitmap, encoding), width: bitmap.width, height: bitmap.height }
}
