import { join } from 'node:path'
import type { Host } from './host.ts'

/** The part of Prettier's module that is used. */
interface Prettier {
  resolveConfig(file: string, options: { readonly editorconfig: boolean; readonly useCache: boolean }): Promise<object | null>
  format(text: string, options: object): Promise<string>
}

/**
 * Formats a text with the Prettier of the project, because linters of templates compare with it.
 *
 * @param path From the root; its ending chooses the language.
 * @returns The text unchanged if the project has no Prettier, or one that fails.
 */
export async function inProjectStyle(
  { disk, loadModule }: Pick<Host, 'disk' | 'loadModule'>,
  root: string,
  path: string,
  text: string,
): Promise<string> {
  const entry = join(root, 'node_modules', 'prettier', 'index.cjs')
  if (!(await disk.stat(entry))) return text
  try {
    const { resolveConfig, format } = (await loadModule(entry)) as Prettier
    const filepath = join(root, path)
    return await format(text, { ...(await resolveConfig(filepath, { editorconfig: true, useCache: false })), filepath })
  } catch {
    return text
  }
}

/** The encodings of texts that are read. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/**
 * The encoding of a text. PowerShell and editors of Windows write UTF-16, with a byte order mark or without. The
 * files of a project begin with an ASCII character, so a zero byte beside it tells the order.
 */
export function encodingOf([first, second]: Uint8Array): Encoding {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && (second ?? 0) !== 0) ? 'utf-16be' : 'utf-8'
}

/**
 * Decodes a text that a person or another program may have written.
 *
 * @param options By default, invalid bytes become U+FFFD, and a byte order mark is left out.
 * @throws TypeError for invalid bytes, only if `fatal` is set.
 */
export function decodeText(bytes: Uint8Array, options: TextDecoderOptions = {}): string {
  return new TextDecoder(encodingOf(bytes), options).decode(bytes)
}
