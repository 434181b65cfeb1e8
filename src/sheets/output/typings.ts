import type { SpriteSpec } from '../../spec/spec.ts'
import { frameNumber } from '../frames.ts'
import type { BuiltSheets, BuiltSprite } from '../sheet.ts'

/** The first line of every typings file. It identifies files that spritewright wrote. */
export const typingsMark: string = '// Written by spritewright; changes are lost.'

/**
 * Makes the text of `sprites.d.ts`: literal names of all sprites, animations and frames, for a page that
 * loads the written files by itself.
 */
export function toSpriteDeclarations(sheets: BuiltSheets): string {
  const frames = [...new Set(sheets.atlases.flatMap((atlas) => atlas.frames.map((frame) => frame.name)))].sort()
  const animations = [...new Set(sheets.atlases.flatMap((atlas) => atlas.animations.map((animation) => animation.name)))].sort()
  return [
    typingsMark,
    `export type AtlasName = ${union([...new Set(sheets.atlases.map((atlas) => atlas.name))])}`,
    `export type SpriteName = ${union(sheets.sprites.map((sprite) => sprite.name))}`,
    `export type AnimationName = ${union(animations)}`,
    `export type FrameName = ${union(frames)}`,
    '',
  ].join('\n')
}

/**
 * Makes the typings of one spec file as a module: literal names of its animations and frames. The file's
 * place is beside the spec, see {@link typingsFile}. TypeScript reads it there before the JSON itself, with
 * `allowArbitraryExtensions`.
 */
export function toSpriteTypings(sprite: BuiltSprite, sheets: BuiltSheets): string {
  const main = sheets.atlases.find((atlas) => atlas.name === sprite.atlas)
  const frames = (main?.frames ?? []).filter((frame) => frame.name.startsWith(`${sprite.name}/`)).map((frame) => frame.name)
  return toTypings(sprite.name, sprite.animations, frames)
}

/**
 * Makes the same typings from a spec alone, before any sheet is made. If a delivery has another number of
 * frames, that is reported when it is opened.
 */
export function toSpecTypings({ name, animations }: SpriteSpec): string {
  const frames = animations.flatMap(({ name: animation, frames: count, use }) =>
    [...new Set(use ?? Array.from({ length: count }, (_, index) => index))].map((index) => `${name}/${animation}/${frameNumber(index)}`),
  )
  return toTypings(
    name,
    animations.map((animation) => animation.name),
    frames.sort(),
  )
}

function toTypings(name: string, animations: readonly string[], frames: readonly string[]): string {
  return [
    typingsMark,
    '/// <reference types="spritewright/client" />',
    `type Frame = ${union(frames)}`,
    `declare const sprite: Spritewright.SpriteModule<${union(animations)}, Frame>`,
    'export default sprite',
    `declare module 'virtual:spritewright' {`,
    '  interface Sprites {',
    `    ${JSON.stringify(name)}: typeof sprite`,
    '  }',
    '}',
    '',
  ].join('\n')
}

/** Returns the path of a spec's typings: `hero.sprite.d.json.ts` beside `hero.sprite.json`. */
export function typingsFile(specFile: string): string {
  return specFile.replace(/\.([^.]+)$/, '.d.$1.ts')
}

function union(names: readonly string[]): string {
  return names.length === 0 ? 'never' : names.map((name) => JSON.stringify(name)).join(' | ')
}
