import type { SpriteSpec } from '../../spec/spec.ts'
import { frameNumber } from '../frames.ts'
import { groupBy } from '../group.ts'
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
    `export type AtlasName = ${union([...new Set(sheets.atlases.map((atlas) => atlas.name))])}`,
    `export type SpriteName = ${union(sheets.sprites.map((sprite) => sprite.name))}`,
    `export type AnimationName = ${union(animations)}`,
    `export type FrameName = ${union(frames)}`,
    '',
  ].join('\n')
}

/**
 * Makes the typings of spec files as modules: literal names of their animations and frames. The place of each is
 * beside its spec, see {@link typingsFile}. TypeScript reads it there before the JSON itself, with
 * `allowArbitraryExtensions`.
 *
 * @returns The spec file and the text, for each sprite.
 */
export function toSpriteTypings({ sprites, atlases }: BuiltSheets): readonly (readonly [file: string, text: string])[] {
  const names = atlases.flatMap((atlas) => atlas.frames.map(({ name }) => ({ atlas: atlas.name, name })))
  // A frame is named SPRITE/ANIMATION/NUMBER.
  const framesOf = groupBy(names, ({ atlas, name }) => `${atlas}/${name.slice(0, name.indexOf('/'))}`)
  return sprites.map((sprite) => {
    const frames = framesOf.get(`${sprite.atlas}/${sprite.name}`) ?? []
    return [
      sprite.file,
      toTypings(
        sprite.name,
        sprite.animations,
        frames.map(({ name }) => name),
      ),
    ]
  })
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
