import { dirname, extname, isAbsolute, join, relative, resolve as resolvePath, sep } from 'node:path'
import { realPath } from '../src/host/real-path.ts'

/**
 * Prefix of every module id of the plugin. No other plugin may load such an id, and its ending never makes a
 * bundler parse it as JSON.
 */
const lead = '\0spritewright/'

/** The meaning of a module id of the plugin. */
export type SpriteId =
  /** `import hero from './hero.sprite.json'`, with its path from the root, with forward slashes. */
  | { readonly kind: 'sprite'; readonly file: string }
  /** An atlas, shared by its sprites. */
  | { readonly kind: 'atlas'; readonly name: string }
  /** `virtual:spritewright`. */
  | { readonly kind: 'all' }
  /** The link between a page and the dev server. */
  | { readonly kind: 'hot' }

/**
 * The specifier by which generated code imports the sheet reader, a file of this package that runs in
 * browsers.
 */
export const sheetSpecifier: string = 'virtual:spritewright/sheet'

/** Matches all ids that {@link formatId} makes, for hook filters. */
export const ownIds: RegExp = /^\0spritewright\//

/** Matches the path of a spec file, or of own art that is a sprite without one, without a query. */
export const specPath: RegExp = /\.(?:sprite\.(?:json|yaml|yml)|aseprite|ase|sprites)$/

/**
 * Formats the id of a plugin module. A sprite's id never ends in `.json`: a bundler would parse the module as
 * JSON and ignore its imports.
 */
export function formatId(id: SpriteId): string {
  switch (id.kind) {
    case 'sprite':
      return `${lead}sprite/${id.file.split('/').map(escapePart).join('/')}/module`
    case 'atlas':
      return `${lead}atlas/${escapePart(id.name)}`
    default:
      return `${lead}${id.kind}`
  }
}

/** Parses an id of {@link formatId}. Returns `undefined` for any other id. */
export function parseId(id: string): SpriteId | undefined {
  if (!id.startsWith(lead)) return undefined
  const [kind, ...rest] = id.slice(lead.length).split('/')
  if (kind === 'sprite') return { kind, file: rest.slice(0, -1).map(unescapePart).join('/') }
  if (kind === 'atlas') return { kind, name: unescapePart(rest.join('/')) }
  return kind === 'all' || kind === 'hot' ? { kind } : undefined
}

/**
 * Escapes a part of an id. In dev, ids become URLs: browsers shorten `..`, and servers decode a URL once or
 * not at all. So an id contains no percent sign, and no part of it is dots alone.
 */
function escapePart(part: string): string {
  const plain = encodeURIComponent(part).replaceAll('~', '%7E')
  return (/^\.+$/.test(plain) ? plain.replaceAll('.', '%2E') : plain).replaceAll('%', '~')
}

function unescapePart(part: string): string {
  return decodeURIComponent(part.replaceAll('~', '%'))
}

/** The specifier by which generated code imports a plugin module. */
export function toSpecifier(id: SpriteId): string {
  return `virtual:${formatId(id).slice(1)}`
}

/**
 * The id for a specifier of the plugin: `virtual:spritewright`, or one of {@link toSpecifier}. Returns
 * `undefined` for any other specifier.
 */
export function parseSpecifier(specifier: string): SpriteId | undefined {
  if (specifier === 'virtual:spritewright') return { kind: 'all' }
  return specifier.startsWith('virtual:spritewright/') ? parseId(`\0${specifier.slice('virtual:'.length)}`) : undefined
}

/**
 * The id of the sprite that a spec file makes, by whatever links its path leads there.
 *
 * @param file Absolute.
 */
export function spriteId(root: string, file: string): Extract<SpriteId, { kind: 'sprite' }> {
  return { kind: 'sprite', file: fromRoot(root, realPath(file)) }
}

/** The real path of the spec that a sprite's id names, absolute, with forward slashes. */
export function specFile(root: string, id: Extract<SpriteId, { kind: 'sprite' }>): string {
  return toSlashes(resolvePath(root, id.file))
}

/** A file's path from the root, with forward slashes. */
export function fromRoot(root: string, file: string): string {
  return toSlashes(relative(root, file))
}

/** Converts a path to forward slashes, as Vite writes paths on every system. */
export function toSlashes(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path
}

/** Asks the other plugins of a bundler to resolve a specifier; `PluginContext.resolve`. */
export type Resolve = (
  source: string,
  importer: string | undefined,
  options: { readonly skipSelf: true },
) => Promise<{ readonly id: string; readonly external?: unknown } | null>

/**
 * The file of the sheet reader. The sources and the package have it at the same place, with the same ending
 * as this file.
 */
const sheetFile = toSlashes(join(import.meta.dirname, 'runtime', 'shared', `sheet${extname(import.meta.filename)}`))

/**
 * Resolves an import to the id of a plugin module, or to the file of the sheet reader.
 *
 * A spec is found like every other file: by relative path, by a path from the root, or by an alias. With a
 * query (`?url`, `?raw`) it stays a plain file. So does a file that is in `node_modules` or is imported from
 * there, because a package handles its own JSON.
 *
 * @returns `undefined` if the import is not for this plugin.
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
  const found = (await resolve(source, importer, { skipSelf: true })) ?? folderOf(source, importer)
  // Another of these plugins has resolved it: a configuration may have several.
  if (found && parseId(found.id)) return found.id
  if (!found || found.external || !specPath.test(found.id) || !isAbsolute(found.id) || isForeign(root, found.id)) return undefined
  return formatId(spriteId(root, found.id))
}

/** A folder of own art: bundlers resolve files only. */
function folderOf(source: string, importer: string | undefined): { readonly id: string; readonly external?: unknown } | null {
  const [from = ''] = importer?.split('?') ?? []
  return /^\.\.?\/.*\.sprites$/.test(source) && isAbsolute(from) ? { id: toSlashes(resolvePath(dirname(from), source)) } : null
}

/**
 * Whether a file belongs to a package, as seen from the root. The project itself may be in a `node_modules`.
 */
function isForeign(root: string, file: string): boolean {
  const [path = file] = file.split('?')
  return fromRoot(root, path).split('/').includes('node_modules')
}
