import { isAbsolute, relative, sep } from 'node:path'

/** Every module of ours has an id that begins so; nobody else may load it, and no ending of it makes a bundler parse it as JSON. */
const lead = '\0spritewright/'

/** What a module id of ours stands for. */
export type SpriteId =
  /** `import hero from './hero.sprite.json'`. */
  | { readonly kind: 'sprite'; readonly file: string }
  /** An atlas, shared by its sprites. */
  | { readonly kind: 'atlas'; readonly name: string }
  /** `virtual:spritewright`. */
  | { readonly kind: 'all' }
  /** What links a page to the dev server. */
  | { readonly kind: 'hot' }

/** Matches all ids that {@link formatId} makes; for hook filters. */
export const ownIds: RegExp = /^\0spritewright\//

/** A path that names a spec file, without a query. */
export const specPath: RegExp = /\.sprite\.(json|yaml|yml)$/

/** The id of a module of ours. */
export function formatId(id: SpriteId): string {
  switch (id.kind) {
    case 'sprite':
      // An id that ended in `.json` would be taken for JSON, and its imports left alone.
      return `${lead}sprite/${encodeURIComponent(toSlashes(id.file))}/module`
    case 'atlas':
      return `${lead}atlas/${encodeURIComponent(id.name)}`
    default:
      return `${lead}${id.kind}`
  }
}

/** Reads an id of {@link formatId}; undefined for everybody else's. */
export function parseId(id: string): SpriteId | undefined {
  if (!id.startsWith(lead)) return undefined
  const [kind, rest = ''] = id.slice(lead.length).split('/')
  if (kind === 'sprite') return { kind, file: decodeURIComponent(rest) }
  if (kind === 'atlas') return { kind, name: decodeURIComponent(rest) }
  return kind === 'all' || kind === 'hot' ? { kind } : undefined
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

/** Forward slashes, as Vite writes paths on every system. */
export function toSlashes(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path
}

/** Whether `path` is `folder` or lies in it. Both absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith(`..${sep}`) && way !== '..' && !isAbsolute(way))
}
