/**
 * Types of what the plugin makes importable. Reference them once: `/// <reference types="spritewright/client" />`, or `"types": ["spritewright/client"]` in tsconfig.json.
 *
 * Beside each `hero.sprite.json` the plugin writes `hero.sprite.d.json.ts` with its literal names. TypeScript reads it with `"allowArbitraryExtensions": true`.
 */
declare module '*.sprite.json' {
  const sprite: import('spritewright/vite').SpriteModule
  export default sprite
}
declare module '*.sprite.yaml' {
  const sprite: import('spritewright/vite').SpriteModule
  export default sprite
}
declare module '*.sprite.yml' {
  const sprite: import('spritewright/vite').SpriteModule
  export default sprite
}
declare module 'virtual:spritewright' {
  /** Sprites by name; the typings beside the specs add theirs. */
  // biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging.
  export interface Sprites {}
  /** All sprites of the project. */
  export const sprites: Readonly<Sprites>
  export default sprites
}
