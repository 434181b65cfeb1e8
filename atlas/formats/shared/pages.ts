import type { Atlas } from '../../atlas.ts'
import { encodePage, type PageEncoding } from '../../encode/codec.ts'
import { wholeBlocks } from '../../encode/texture.ts'
import type { Page } from '../../looks.ts'
import type { EncodedAtlas, EncodedPage } from '../format.ts'

/** Options for encoding and naming the pages of an atlas. */
export interface EncodeOptions extends PageEncoding {
  /**
   * Returns the file name of a page, relative to the data file.
   *
   * @default {@link pageFile}
   */
  readonly file?: (atlas: Atlas, page: number, extension: string) => string
  /**
   * Further encodings in other formats, for engines that choose among them (PixiJS).
   *
   * @default none
   */
  readonly also?: readonly PageEncoding[]
  /**
   * If aborted, encoding stops before the next page and throws the signal's reason.
   *
   * @default never aborted
   */
  readonly signal?: AbortSignal
}

/** The default name of a page: `sprites-0.png`, at other scales than 1 `sprites-0@0.5x.png`. */
export function pageFile(atlas: Pick<Atlas, 'name' | 'scale'>, page: number, extension: string): string {
  return `${atlas.name}-${page}${scaleSuffix(atlas.scale)}.${extension}`
}

/** The suffix of a scale in file names: empty at 1, else `@0.5x`. */
export function scaleSuffix(scale: number): string {
  return scale === 1 ? '' : `@${scale}x`
}

/**
 * Pages encoded at the same time: the number of Node's threads for such work. More pages would only wait, and each
 * page may keep a copy of its pixels.
 */
const PAGES_AT_ONCE = 4

/** Encodes and names all pages of an atlas, several at a time. The result is in page order. */
export async function encodePages(atlas: Atlas, options: EncodeOptions): Promise<EncodedAtlas> {
  const file = options.file ?? pageFile
  const encodings: readonly PageEncoding[] = [options, ...(options.also ?? [])]
  const jobs = encodings.flatMap((encoding, list) => atlas.pages.map((page) => ({ list, encoding, page })))
  const lists: EncodedPage[][] = encodings.map(() => [])
  let next = 0
  const encodeNext = async (): Promise<void> => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      const { list, encoding, page } = job
      options.signal?.throwIfAborted()
      const name = (): string => file(atlas, page.index, encoding.format)
      const encoded = await encodeOne(page, { ...encoding, warn: (why) => encoding.warn?.(`${name()}: ${why}`) })
      lists[list]![page.index] = { file: name(), ...encoded }
    }
  }
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, encodeNext))
  const [pages = [], ...alternates] = lists
  return alternates.length === 0 ? { atlas, pages } : { atlas, pages, alternates }
}

async function encodeOne({ bitmap: drawn }: Page, encoding: PageEncoding): Promise<Omit<EncodedPage, 'file'>> {
  const bitmap = encoding.format === 'ktx2' ? wholeBlocks(drawn) : drawn
  return { bytes: await encodePage(bitmap, encoding), width: bitmap.width, height: bitmap.height }
}
