import type { BuiltSheets } from './sheet.ts'

/** The text of `sprites.d.ts`: literal names of all sprites, animations and frames, for a page that loads the written files by itself. */
export function toSpriteDeclarations(sheets: BuiltSheets): string {
  const frames = [...new Set(sheets.atlases.flatMap((atlas) => atlas.frames.map((frame) => frame.name)))].sort()
  const animations = [...new Set(sheets.atlases.flatMap((atlas) => atlas.animations.map((animation) => animation.name)))].sort()
  return [
    '// Written by spritewright; changes are lost.',
    `export type AtlasName = ${union([...new Set(sheets.atlases.map((atlas) => atlas.name))])}`,
    `export type SpriteName = ${union(sheets.sprites.map((sprite) => sprite.name))}`,
    `export type AnimationName = ${union(animations)}`,
    `export type FrameName = ${union(frames)}`,
    '',
  ].join('\n')
}

function union(names: readonly string[]): string {
  return names.length === 0 ? 'never' : names.map((name) => JSON.stringify(name)).join(' | ')
}
