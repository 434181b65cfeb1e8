import {
  type EncodedAtlas,
  type EngineFormat,
  encodingsFor,
  type FormatName,
  formats,
  type OutputFile,
  type PageFormat,
  pageFile,
  readPage,
} from '../../../atlas/index.ts'
import { SpritewrightError } from '../../errors.ts'
import type { BuiltAtlas } from '../sheet.ts'

/**
 * Converts an atlas to the input of a format: its pages in the format's encodings, under their file names,
 * without pixels.
 */
export function toEncoded(atlas: BuiltAtlas, format: EngineFormat): EncodedAtlas {
  const { name, scale, pixelArt, frames, animations } = atlas
  const lists = [atlas.pages, ...(atlas.alternates ?? [])]
  const wanted = encodingsFor(
    format,
    lists.flatMap(([page]) => page?.extension ?? []),
  )
  const [pages = [], ...alternates] = wanted.map((encoding) =>
    (lists.find(([page]) => page?.extension === encoding) ?? []).map((page, index) => ({
      file: pageFile(atlas, index, page.extension),
      bytes: page.bytes,
      width: page.width,
      height: page.height,
    })),
  )
  const maps = atlas.layers?.find(({ kind }) => kind === 'normals')?.pages
  const normals = maps?.map((page, index) => ({ ...page, file: pageFile({ name: `${name}.normals`, scale }, index, page.extension) }))
  return {
    atlas: { name, scale, pixelArt, frames, animations, pages: [] },
    pages,
    ...(alternates.length === 0 ? {} : { alternates }),
    ...(normals ? { normals } : {}),
  }
}

/** Returns the pages of atlases as files, in every encoding. */
export function pageFiles(encoded: readonly EncodedAtlas[]): readonly OutputFile[] {
  return encoded.flatMap(({ pages, alternates = [], normals = [] }) => [pages, ...alternates, normals].flat())
}

/**
 * Makes the files of a further format: a folder of its name, with all pages to which the files refer.
 *
 * @throws `SW_CONFIG` if a format of the project throws, or does not return a list of files inside its
 * folder.
 */
export async function writeFormat(wanted: FormatName | EngineFormat, built: readonly BuiltAtlas[]): Promise<readonly OutputFile[]> {
  const format = typeof wanted === 'string' ? formats[wanted] : wanted
  const encoded = built.map((atlas) => toEncoded(atlas, format))
  const takesPixels = format.pages === 'pixels'
  const atlases = takesPixels ? await Promise.all(encoded.map(withPixels)) : encoded
  const written = typeof wanted === 'string' ? format.write(atlases) : writeOwn(wanted, atlases)
  const pages = takesPixels ? [] : pageFiles(encoded)
  checkFiles(format.name, written, pages)
  return [...pages, ...written].map(({ file, bytes }) => ({ file: `${format.name}/${file}`, bytes }))
}

/** Decodes the pages again, because the cache has them encoded. */
async function withPixels({ atlas, pages }: EncodedAtlas): Promise<EncodedAtlas> {
  const bitmaps = await Promise.all(pages.map(({ file, bytes }) => readPage(bytes, file.split('.').pop() as Exclude<PageFormat, 'ktx2'>)))
  return { atlas: { ...atlas, pages: bitmaps.map((bitmap, index) => ({ index, bitmap })) }, pages }
}

/** Runs a format of the project. Its faults are reported as errors of the configuration. */
function writeOwn(format: EngineFormat, atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  let written: unknown
  try {
    written = format.write(atlases)
  } catch (cause) {
    const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw refusal(format.name, `to write its files, found that it throws ${said}`, { cause })
  }
  if (written instanceof Promise) {
    // Nothing waits for this promise; its rejection must not end the process.
    written.catch(() => {})
    throw refusal(format.name, 'to answer a list of files, found a promise: write() must not be async')
  }
  if (!Array.isArray(written)) throw refusal(format.name, `to answer a list of files, found ${written === null ? 'null' : typeof written}`)
  return written as readonly OutputFile[]
}

/** Throws for files outside the format's folder, and for files that would overwrite one another. */
function checkFiles(format: string, written: readonly OutputFile[], pages: readonly OutputFile[]): void {
  const taken = new Map<string, string>(pages.map(({ file }) => [file.toLowerCase(), 'a page']))
  for (const entry of written as readonly (Partial<OutputFile> | null | undefined)[]) {
    const { file, bytes } = entry ?? {}
    if (typeof file !== 'string' || !isInside(file))
      throw refusal(format, `to write files inside of its folder, with forward slashes, found the name ${JSON.stringify(file)}`, { file })
    if (!(bytes instanceof Uint8Array))
      throw refusal(
        format,
        `to give the bytes of "${file}" as a Uint8Array, found ${typeof bytes}. For text: new TextEncoder().encode(text)`,
        { file },
      )
    const other = taken.get(file.toLowerCase())
    if (other !== undefined) throw refusal(format, `to write each file once, found "${file}", which is ${other} already`, { file })
    taken.set(file.toLowerCase(), 'written')
  }
}

function isInside(file: string): boolean {
  const isPart = (part: string): boolean => part !== '' && part !== '.' && part !== '..'
  // A colon means a drive or a hidden stream on Windows.
  return !/[\\:\0]/.test(file) && file.split('/').every(isPart)
}

function refusal(format: string, words: string, more: { file?: unknown; cause?: unknown } = {}): SpritewrightError {
  return new SpritewrightError('SW_CONFIG', {
    message: `Expected the format "${format}" ${words}. Check "formats" in the configuration.`,
    facts: { format, ...('file' in more ? { file: more.file } : {}) },
    ...('cause' in more ? { cause: more.cause } : {}),
  })
}
