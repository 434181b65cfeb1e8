import { extname, isAbsolute, join } from 'node:path'
import { formatId, parseId, parseSpecifier, sheetSpecifier, specPath, spriteId, toSlashes } from './ids.ts'

/** Asks the other plugins of a bundler what a specifier stands for; `PluginContext.resolve`. */
export type Resolve = (
  source: string,
  importer: string | undefined,
  options: { readonly skipSelf: true },
) => Promise<{ readonly id: string; readonly external?: unknown } | null>

/** In the sources and in the package it has the same place and the same ending as this file. */
const sheetFile = toSlashes(join(import.meta.dirname, 'runtime', 'shared', `sheet${extname(import.meta.filename)}`))

/**
 * The id of the module of ours that an import means; undefined where it is somebody else's.
 *
 * A spec is found as every other file is: by relative path, by a path from the root, by an alias. With a query (`?url`, `?raw`) it stays a plain file, and so does whatever
 * lies in `node_modules` or is imported from there: a package's JSON is the package's business.
 */
export async function resolveSprite(
  source: string,
  importer: string | undefined,
  root: string,
  resolve: Resolve,
): Promise<string | undefined> {
  if (source === sheetSpecifier) return sheetFile
  const own = parseSpecifier(source)
  if (own) return formatId(own)
  if (!specPath.test(source) || (importer !== undefined && (parseId(importer) || isForeign(root, importer)))) return undefined
  const found = await resolve(source, importer, { skipSelf: true })
  if (!found || found.external || !specPath.test(found.id) || !isAbsolute(found.id) || isForeign(root, found.id)) return undefined
  return formatId(spriteId(root, found.id))
}

/** Whether a file is a package's, as seen from the root: a project may itself lie in somebody's `node_modules`. */
function isForeign(root: string, file: string): boolean {
  const id = spriteId(root, file.split('?')[0] ?? file)
  return id.kind === 'sprite' && id.file.split('/').includes('node_modules')
}
