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
