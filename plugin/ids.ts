import { extname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** Every module of ours has an id that begins so; nobody else may load it, and no ending of it makes a bundler parse it as JSON. */
const lead = '\0spritewright/'

/** What a module id of ours stands for. */
export type SpriteId =
  /** `import hero from './hero.sprite.json'`; its path from the root, with forward slashes. */
  | { readonly kind: 'sprite'; readonly file: string }
  /** An atlas, shared by its sprites. */
  | { readonly kind: 'atlas'; readonly name: string }
  /** `virtual:spritewright`. */
  | { readonly kind: 'all' }
  /** What links a page to the dev server. */
  | { readonly kind: 'hot' }

/** The specifier by which generated code imports what opens the sheets of a build: a file of ours that browsers run. */
export const sheetSpecifier: string = 'virtual:spritewright/sheet'

/** Matches all ids that {@link formatId} makes; for hook filters. */
export const ownIds: RegExp = /^\0spritewright\//

/** A path that names a spec file, without a query. */
export const specPath: RegExp = /\.sprite\.(json|yaml|yml)$/

/** The id of a module of ours. A sprite's never ends in `.json`: it would be taken for JSON, and its imports left alone. */
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

/** Reads an id of {@link formatId}; undefined for everybody else's. */
export function parseId(id: string): SpriteId | undefined {
  if (!id.startsWith(lead)) return undefined
  const [kind, ...rest] = id.slice(lead.length).split('/')
  if (kind === 'sprite') return { kind, file: rest.slice(0, -1).map(unescapePart).join('/') }
  if (kind === 'atlas') return { kind, name: unescapePart(rest.join('/')) }
  return kind === 'all' || kind === 'hot' ? { kind } : undefined
}

/**
 * Ids become URLs in dev, which browsers shorten (`..`) and servers decode once or not at all. So nothing in an id is a percent sign, and no part of it is dots alone.
 */
function escapePart(part: string): string {
  const plain = encodeURIComponent(part).replaceAll('~', '%7E')
  return (/^\.+$/.test(plain) ? plain.replaceAll('.', '%2E') : plain).replaceAll('%', '~')
}

function unescapePart(part: string): string {
  return decodeURIComponent(part.replaceAll('~', '%'))
}

/** The specifier by which generated code imports a module of ours. */
export function toSpecifier(id: SpriteId): string {
  return `virtual:${formatId(id).slice(1)}`
}

/** The id that a specifier of ours stands for: `virtual:spritewright`, or one of {@link toSpecifier}. */
export function parseSpecifier(specifier: string): SpriteId | undefined {
  if (specifier === 'virtual:spritewright') return { kind: 'all' }
  return specifier.startsWith('virtual:spritewright/') ? parseId(`\0${specifier.slice('virtual:'.length)}`) : undefined
}

/** The id of the sprite that a spec file makes. @param file Absolute. */
export function spriteId(root: string, file: string): SpriteId {
  return { kind: 'sprite', file: toSlashes(relative(root, file)) }
}

/** The absolute path, with forward slashes, of the spec that a sprite's id names. */
export function specFile(root: string, id: Extract<SpriteId, { kind: 'sprite' }>): string {
  return toSlashes(resolve(root, id.file))
}

/** A file's path from the root, with forward slashes. */
export function fromRoot(root: string, file: string): string {
  return toSlashes(relative(root, file))
}

/** Forward slashes, as Vite writes paths on every system. */
export function toSlashes(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path
}

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
