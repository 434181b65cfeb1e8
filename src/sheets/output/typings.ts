import type { SpriteSpec } from '../../spec/spec.ts'
import { frameNumber } from '../frames.ts'
import type { BuiltSheets } from '../sheet.ts'

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
    ...untouched,
    `export type AtlasName = ${union([...new Set(sheets.atlases.map((atlas) => atlas.name))])}`,
    `export type SpriteName = ${union(sheets.sprites.map((sprite) => sprite.name))}`,
    `export type AnimationName = ${union(animations)}`,
    `export type FrameName = ${union(frames)}`,
    '',
  ].join('\n')
}

/** Lines that keep linters and formatters away from a file that nobody edits. */
const untouched: readonly string[] = [
  '/* eslint-disable */',
  '// biome-ignore-all lint: generated',
  '// biome-ignore-all format: generated',
]

/**
 * Makes the typings of a spec file as a module: literal names of its animations and frames. They lie beside
 * the spec, see {@link typingsFile}. TypeScript reads them there before the JSON itself, with
 * `allowArbitraryExtensions`.
 *
 * They depend on the spec alone, so they are there before anything is bought, and stay the same after it. A
 * delivery with another number of frames is reported when it is opened.
 */
export function toSpecTypings({ name, animations }: SpriteSpec): string {
  const frames = animations.flatMap(({ name: animation, frames: count, use }) =>
    [...new Set(use ?? Array.from({ length: count }, (_, index) => index))].map((index) => `${name}/${animation}/${frameNumber(index)}`),
  )
  const statements = [
    `type Frame = ${union(frames.sort())}`,
    `declare const sprite: Spritewright.SpriteModule<${union(animations.map((animation) => animation.name))}, Frame>;`,
    'export default sprite',
    `declare module 'virtual:spritewright' {\n  interface Sprites {\n    ${JSON.stringify(name)}: typeof sprite\n  }\n}`,
  ]
  return [
    typingsMark,
    ...untouched,
    '/// <reference types="spritewright/client" />',
    // Prettier leaves out one statement at a time, and gives a declaration its semicolon all the same.
    ...statements.flatMap((statement) => ['// prettier-ignore', statement]),
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
