import { withMirrors } from '../../sprite-spec/mirrors.ts'
import { frameName, nameInSprite, type SpriteSpec } from '../../sprite-spec/spec.ts'
import type { BuiltSheets } from '../sheet.ts'

/** The first line of every typings file. It identifies files that spritewright wrote. */
export const typingsMark: string = '// Written by spritewright; changes are lost.'

/**
 * Makes the text of `sprites.d.ts`: literal names of all sprites, animations and frames, for a page that
 * loads the output files without the plugin.
 */
export function toSpriteDeclarations(sheets: BuiltSheets): string {
  const frames = [...new Set(sheets.atlases.flatMap((atlas) => atlas.frames.map((frame) => frame.name)))].sort()
  const animations = [...new Set(sheets.atlases.flatMap((atlas) => atlas.animations.map((animation) => animation.name)))].sort()
  return toFile([
    `export type AtlasName = ${union([...new Set(sheets.atlases.map((atlas) => atlas.name))])}`,
    `export type SpriteName = ${union(sheets.sprites.map((sprite) => sprite.name))}`,
    `export type AnimationName = ${union(animations)}`,
    `export type FrameName = ${union(frames)}`,
  ])
}

const clientTypes = '/// <reference types="spritewright/client" />'

/**
 * Makes a file that formatters do not change. The file has no directive for ESLint, because ESLint reports a
 * directive as unused if its rules find nothing. Prettier needs a directive for each statement.
 */
function toFile(statements: readonly string[], ...head: string[]): string {
  const untouched = ['// biome-ignore-all lint: generated', '// biome-ignore-all format: generated']
  return [typingsMark, ...untouched, ...head, ...statements.flatMap((statement) => ['// prettier-ignore', statement]), ''].join('\n')
}

/**
 * Makes the typings of a spec file as a module: literal names of its animations and frames. The typings file is
 * beside the spec, see {@link typingsFile}. With `allowArbitraryExtensions`, TypeScript reads this file instead of
 * the JSON.
 *
 * Typings depend on the spec alone, so a purchase does not change them. A delivery with another number of frames
 * is reported when it is opened.
 */
export function toSpecTypings(spec: SpriteSpec): string {
  const statements = [
    `type Frame = ${frameNames(spec)}`,
    // In a namespace, because Prettier changes the semicolon of a "declare const" that it ignores.
    `declare namespace Made { const sprite: ${moduleType(spec, 'Frame')} }`,
    'export default Made.sprite',
    toSprites([`${JSON.stringify(spec.name)}: typeof Made.sprite`]),
  ]
  return toFile(statements, clientTypes)
}

/** Makes the typings of all specs as one file. It types `virtual:spritewright`, but no import of a spec by its path. */
export function toProjectTypings(specs: readonly SpriteSpec[]): string {
  const sprites = specs.map((spec) => `${JSON.stringify(spec.name)}: ${moduleType(spec, frameNames(spec))}`)
  return toFile([toSprites(sprites)], clientTypes)
}

function toSprites(sprites: readonly string[]): string {
  return `declare module "virtual:spritewright" {\n  interface Sprites {\n${sprites.map((line) => `    ${line}\n`).join('')}  }\n}`
}

/** The type of a sprite: literal names of its animations, frames and pictures. */
function moduleType(spec: SpriteSpec, frames: string): string {
  const all = withMirrors(spec)
  const moving = all.filter(({ isPicture }) => !isPicture).map(({ name }) => name)
  const pictures = all.filter(({ isPicture }) => isPicture).map((picture) => nameInSprite(spec, picture))
  const variants = Object.keys(spec.variants ?? {})
  const more = [...(pictures.length + variants.length > 0 ? [pictures] : []), ...(variants.length > 0 ? [variants] : [])]
  return `Spritewright.SpriteModule<${union(moving)}, ${[frames, ...more.map(union)].join(', ')}>`
}

function frameNames(spec: SpriteSpec): string {
  const frames = withMirrors(spec).flatMap((animation) =>
    [...new Set(animation.use ?? Array.from({ length: animation.frames }, (_, index) => index))].map((index) =>
      frameName(spec, animation, index),
    ),
  )
  return union(frames.sort())
}

/** Returns the path of a spec's typings: `hero.sprite.d.json.ts` beside `hero.sprite.json`. */
export function typingsFile(specFile: string): string {
  return specFile.replace(/\.([^.]+)$/, '.d.$1.ts')
}

function union(names: readonly string[]): string {
  return names.length === 0 ? 'never' : names.map((name) => JSON.stringify(name)).join(' | ')
}
