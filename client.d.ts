/**
 * Types of the modules that the plugin makes importable. Reference them once:
 * `/// <reference types="spritewright/client" />`, or `"types": ["spritewright/client"]` in tsconfig.json.
 *
 * Beside each `hero.sprite.json` the plugin writes `hero.sprite.d.json.ts` with its literal names. TypeScript
 * reads it with `"allowArbitraryExtensions": true`; without that option any name is accepted.
 * `virtual:spritewright` gets its types from the typings that are part of the TypeScript project: imported,
 * or in its `include`.
 */
declare namespace Spritewright {
  /**
   * One sprite as a game imports it. The type is named here and not in the plugin, so that a game does not
   * load the types of Node.
   */
  type SpriteModule<
    Animation extends string = string,
    Frame extends string = string,
    Picture extends string = string extends Animation ? string : never,
    Variant extends string = string extends Animation ? string : never,
  > = import('./dist/plugin/runtime/shared/data.js').SpriteModule<Animation, Frame, Picture, Variant>
}
declare module '*.sprite.json' {
  const sprite: Spritewright.SpriteModule
  export default sprite
}
declare module '*.sprite.yaml' {
  const sprite: Spritewright.SpriteModule
  export default sprite
}
declare module '*.sprite.yml' {
  const sprite: Spritewright.SpriteModule
  export default sprite
}
declare module '*.aseprite' {
  const sprite: Spritewright.SpriteModule
  export default sprite
}
declare module '*.ase' {
  const sprite: Spritewright.SpriteModule
  export default sprite
}
declare module '*.sprites' {
  const sprite: Spritewright.SpriteModule
  export default sprite
}
declare module 'virtual:spritewright' {
  /** Sprites by name. The typings beside the specs add their sprites. */
  export interface Sprites {}
  /** All sprites of the project. */
  export const sprites: keyof Sprites extends never ? Readonly<Record<string, Spritewright.SpriteModule>> : Readonly<Sprites>
  export default sprites
}
